# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that nobody can mean (CORE-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.numbers import MOST, absurd


@pytest.mark.parametrize(
    "value", [10**400, -(10**5000), MOST + 1, float("nan"), float("inf")], ids=["big", "no text", "next", "nan", "inf"]
)
@pytest.mark.parametrize("place", ["wait_timeout", "monitor.delay", "ports"])
def test_what_cannot_be_meant_is_a_sentence(value: Any, place: str) -> None:
    options = {"wait_timeout": 1, "monitor": {"delay": 5}, "ports": [443], "name": "x", "wait": True, "none": None}
    assert absurd(options) == ()
    options[place.partition(".")[0]] = {"wait_timeout": value, "ports": [443, value]}.get(place, {"delay": value})
    (found,) = absurd(options)
    assert (found.code, found.where) == ("bad_option", place)
    assert str(MOST) in found.what
