# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is it open now, how long, and when does something fit next? (EST-4; contract: estate, Windows)

Intervals are half-open. Windows unite, touching ones too; freezes are subtracted. No windows at all: always open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from .window import Window

HORIZON_DAYS = 400


@dataclass(frozen=True)
class WindowState:
    """`closes`: None where it is closed, or open as far as was looked. `blocked_by`: closed, freeze or cutoff."""

    opened: bool
    closes: datetime | None
    fits: bool
    next_fit: datetime | None
    blocked_by: str | None
    window: str | None
    freeze: str | None

    @property
    def told(self) -> dict[str, Any]:
        """As results and plans have it."""
        moments = {"closes": self.closes, "next_fit": self.next_fit}
        texts = {
            name: moment and moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for name, moment in moments.items()
        }
        names = {"blocked_by": self.blocked_by, "window": self.window, "freeze": self.freeze}
        return {"open": self.opened, "fits": self.fits, **texts, **names}


def state(
    windows: Sequence[Window],
    freezes: Sequence[Window],
    now: datetime,
    needs_seconds: int,
    horizon_days: int = HORIZON_DAYS,
) -> WindowState:
    """`now` with its zone. `next_fit` is looked for until the horizon; what begins before it keeps its real end."""
    needs, horizon = timedelta(seconds=needs_seconds), now + timedelta(days=horizon_days)
    # A fit that begins just before the horizon goes on beyond it, and so may what cuts it short.
    beyond = horizon + max([needs, *(one.duration for one in windows)])
    opened = list(_free(windows, freezes, now, beyond))
    fitting = (begin for begin, end in opened if end is None or end - begin >= needs)
    next_fit = next((begin for begin in fitting if begin <= horizon), None)
    current = next((one for one in opened if one[0] == now), None)
    fits = current is not None and next_fit == now
    window, freeze = _named(windows, now), _named(freezes, now)
    blocked = None
    if not fits:
        shut = "closed" if windows and window is None else "freeze"
        blocked = shut if current is None else "cutoff"
    end = current[1] if current else None
    closes = end if end is not None and end <= horizon else None
    return WindowState(current is not None, closes, fits, next_fit, blocked, window, freeze)


def _named(windows: Iterable[Window], now: datetime) -> str | None:
    """Of the occurrences at this moment the one that ends last; of equals the first in the list."""
    ends = [(end, one.name) for one in windows for begin, end in one.occurrences(now, now) if begin <= now < end]
    return max(ends, key=lambda entry: entry[0])[1] if ends else None


def _free(
    windows: Sequence[Window], freezes: Sequence[Window], now: datetime, until: datetime
) -> Iterator[tuple[datetime, datetime | None]]:
    """What is open from now on, in order; None: without end."""
    opened = _united(windows, now, until) if windows else [(now, None)]
    shut = list(_united(freezes, now, until))
    for first, end in opened:
        begin = max(first, now)
        for frozen, over in shut:
            if over <= begin or (end is not None and frozen >= end):
                continue
            if frozen > begin:
                yield begin, frozen
            begin = over
        if end is None or begin < end:
            yield begin, end


def _united(windows: Iterable[Window], now: datetime, until: datetime) -> Iterator[tuple[datetime, datetime]]:
    found = sorted(one for window in windows for one in window.occurrences(now, until))
    if not found:
        return
    begin, end = found[0]
    for next_begin, next_end in found[1:]:
        if next_begin > end:
            yield begin, end
            begin = next_begin
        end = max(end, next_end)
    yield begin, end
