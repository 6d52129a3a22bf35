# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EST-4: what the recordings do not reach: fits that go beyond the horizon, and what cuts them short there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.state import state
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.windows.window import windows

DAILY = {"name": "day", "timezone": "UTC", "start": "2026-05-01T00:00", "duration": "24h", "rrule": "FREQ=DAILY"}
FROZEN = {"name": "frozen", "timezone": "UTC", "start": "2026-05-01T02:00", "duration": "20h", "rrule": "FREQ=DAILY"}
ONCE = {"name": "once", "timezone": "UTC", "start": "2026-05-04T20:00", "duration": "10h"}
LATE = {"name": "late", "timezone": "UTC", "start": "2026-05-05T02:00", "duration": "1h"}


@pytest.mark.parametrize(
    ("opened", "frozen", "now", "hours", "fit"),
    [
        # always open, beyond the horizon too
        ([DAILY], [], "2026-05-04T12:00:00Z", 72, "2026-05-04T12:00:00+00:00"),
        # the gap at the horizon is four hours long, because of a freeze that begins after it
        ([], [FROZEN], "2026-05-04T23:00:00Z", 5, None),
        ([], [FROZEN], "2026-05-04T23:00:00Z", 3, "2026-05-04T23:00:00+00:00"),
        # a freeze cuts the window that straddles the horizon
        ([ONCE], [LATE], "2026-05-03T21:00:00Z", 6, "2026-05-04T20:00:00+00:00"),
        ([ONCE], [LATE], "2026-05-03T21:00:00Z", 7, None),
    ],
)
def test_a_day_ahead(opened: list[Any], frozen: list[Any], now: str, hours: int, fit: str | None) -> None:
    moment = datetime.fromisoformat(now)
    found = state(windows(opened, "w")[0], windows(frozen, "f")[0], moment, hours * 3600, horizon_days=1)
    assert (found.next_fit.isoformat() if found.next_fit else None) == fit


def test_a_freeze_may_swallow_a_window_whole() -> None:
    swallowed = ONCE | {"duration": "30m", "start": "2026-05-05T02:15"}
    now = datetime.fromisoformat("2026-05-05T02:20:00Z")
    found = state(windows([swallowed], "w")[0], windows([LATE], "f")[0], now, 0)
    assert (found.opened, found.blocked_by, found.window, found.freeze) == (False, "freeze", "once", "late")
