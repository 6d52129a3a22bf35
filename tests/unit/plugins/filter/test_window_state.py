# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter gives what the module gives, and a sentence where it cannot (EST-4)."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeworks.lb_estate.plugins.filter.window_state import FilterModule, window_state

NIGHTS = {"name": "nights", "timezone": "Europe/Berlin", "start": "2026-01-05T22:00", "duration": "4h"}


def test_it_is_found_by_its_name() -> None:
    assert FilterModule().filters() == {"window_state": window_state}


def test_a_state() -> None:
    found = window_state([NIGHTS], needs="30m", now="2026-01-05T21:30:00Z")
    assert (found["fits"], found["window"], found["closes"]) == (True, "nights", "2026-01-06T01:00:00Z")


@pytest.mark.parametrize(
    ("windows", "options", "words"),
    [
        ([{**NIGHTS, "timezone": "Mars"}], {}, "no time zone"),
        ([NIGHTS], {"freezes": "soon"}, "freezes: 'soon' is not a list"),
        ([NIGHTS], {"need": "30m"}, "not need"),
    ],
)
def test_what_is_wrong_is_said(windows: object, options: dict[str, str], words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        window_state(windows, **options)
