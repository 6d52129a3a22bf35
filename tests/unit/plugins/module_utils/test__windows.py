# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EST-4: values as AWX sends them, all that is wrong at once, and the answer in a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._windows import look

NIGHTS = {"name": "nights", "timezone": "Europe/Berlin", "start": "2026-01-05T22:00", "duration": "4h"}
YEAR_END = {"name": "year end", "timezone": "UTC", "start": "2026-01-05T23:00", "duration": "1h"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": [NIGHTS]}, "Open until 2026-01-06T01:00:00Z: nights."),
        (
            {"windows": [NIGHTS], "needs": "PT4H"},
            "Open until 2026-01-06T01:00:00Z, which is too short. It does not fit",
        ),
        (
            {"windows": [NIGHTS], "freezes": [YEAR_END], "now": "2026-01-05T23:10:00Z"},
            "Closed: freeze year end. It fits",
        ),
        (
            {"windows": [NIGHTS], "now": "2026-01-05T20:00:00Z"},
            "Closed: no window is open. It fits next at 2026-01-05T21",
        ),
        ({"windows": "", "freezes": None}, "Open."),
    ],
)
def test_in_a_sentence(options: dict[str, Any], message: str) -> None:
    assert look({"now": "2026-01-05T22:00:00Z", **options})["message"].startswith(message)


def test_without_windows_that_is_said() -> None:
    assert [one["code"] for one in look({})["findings"]] == ["no_windows"]


def test_all_that_is_wrong_at_once() -> None:
    with pytest.raises(Failed) as caught:
        look({"windows": "[{}]", "freezes": 5, "needs": "soon", "now": "noon", "horizon_days": 0})
    told = caught.value.result
    where = {one["where"] for one in told["findings"]}
    assert where == {*(f"windows[0].{name}" for name in ("name", "timezone", "start", "duration"))} | {
        *("freezes", "needs", "now", "horizon_days")
    }
    assert (told["error_code"], told["changed"]) == ("bad_window", False)


@pytest.mark.parametrize("now", ["2026-01-05T22:00:00", "x"])
def test_a_moment_has_its_offset(now: str) -> None:
    with pytest.raises(Failed, match="no moment"):
        look({"now": now})
