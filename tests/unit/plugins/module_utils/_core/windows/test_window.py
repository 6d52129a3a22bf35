# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EST-4: every field of a window is checked, all at once, and named with its remedy."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.window import window, windows

GOOD = {"name": "nights", "timezone": "Europe/Berlin", "start": "2026-01-05T22:00", "duration": "4h"}


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, []),
        ({"start": datetime.fromisoformat("2026-01-05T22:00:00")}, []),
        ({"rrule": None, "exclude": None}, []),
        ({"exclude": ["2026-01-05T22:00"]}, []),
        ({"name": "  "}, ["name"]),
        ({"name": True}, ["name"]),
        ({"timezone": "Europe"}, ["timezone"]),
        ({"timezone": "localtime"}, ["timezone"]),
        ({"timezone": "posix/Europe/Berlin"}, ["timezone"]),
        ({"timezone": "../etc/passwd"}, ["timezone"]),
        ({"timezone": ""}, ["timezone"]),
        ({"timezone": 1}, ["timezone"]),
        ({"start": "2026-01-05"}, ["start"]),
        ({"start": "2026-01-05 22:00"}, ["start"]),
        ({"start": "2026-01-05T22:00:00.5"}, ["start"]),
        ({"start": "2026-01-05T25:00"}, ["start"]),
        ({"start": datetime.fromisoformat("2026-01-05T22:00:00.000005")}, ["start"]),
        ({"duration": True}, ["duration"]),
        ({"rrule": ""}, ["rrule"]),
        ({"rrule": 5}, ["rrule"]),
        ({"exclude": "2026-01-05T22:00"}, ["exclude"]),
        ({"exclude": [5]}, ["exclude"]),
        ({"durations": 5, "timezone": None}, ["durations", "timezone"]),
    ],
)
def test_each_field(change: dict[str, Any], fields: list[str]) -> None:
    made, wrong = window(GOOD | change, "lb_estate_windows[nights]")
    assert [one.where for one in wrong] == [f"lb_estate_windows[nights].{field}" for field in fields]
    assert (made is None) == bool(fields)
    assert all(one.what and one.remedy for one in wrong)


def test_a_key_with_a_typo_is_told_what_was_meant() -> None:
    (found,) = window(GOOD | {"rule": "FREQ=DAILY"}, "w")[1]
    assert "Did you mean rrule?" in found.remedy


@pytest.mark.parametrize("given", ["nights", {"name": "nights"}, 5, ["nights"]])
def test_what_is_no_list_of_windows(given: Any) -> None:
    made, (found,) = windows(given, "lb_estate_windows")
    assert (made, found.code) == ((), "bad_window")


def test_names_are_told_apart() -> None:
    made, (found,) = windows([GOOD, GOOD | {"timezone": "UTC"}, GOOD | {"name": "other"}], "lb_estate_windows")
    assert (len(made), found.where) == (3, "lb_estate_windows[nights].name")


def test_none_is_none() -> None:
    assert windows(None, "lb_estate_windows") == ((), ())


def test_one_without_a_rule_occurs_once_unless_excluded() -> None:
    once, _wrong = window(GOOD, "w")
    never, _wrong = window(GOOD | {"exclude": ["2026-01-05T22:00:00"]}, "w")
    assert once is not None
    assert never is not None
    after = datetime.fromisoformat("2026-01-01T00:00:00Z")
    ((begin, end),) = once.occurrences(after, after + timedelta(days=10))
    assert (begin.isoformat(), end - begin) == ("2026-01-05T21:00:00+00:00", timedelta(hours=4))
    assert list(never.occurrences(after, after + timedelta(days=10))) == []
