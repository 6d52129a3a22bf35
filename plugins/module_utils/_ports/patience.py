# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long and how often to try, with the clock passed in."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Seconds. `total` bounds one operation with all its tries, `contact` the tries to get a connection at all."""

    total: float = 60.0
    contact: float = 15.0
    connect: float = 10.0
    read: float = 30.0
    first_pause: float = 0.2
    longest_pause: float = 8.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = random.random

    def start(self, within: float | None = None) -> Tries:
        """`within`: an end that comes earlier."""
        return Tries(self, self.total if within is None else min(within, self.total))


class Tries:
    """The tries of one operation."""

    def __init__(self, patience: Patience, total: float) -> None:
        self._patience, self._total = patience, total
        self._begun = patience.clock()
        self._pauses = 0

    @property
    def elapsed(self) -> float:
        return self._patience.clock() - self._begun

    @property
    def left(self) -> float:
        return self._total - self.elapsed

    def pause(self, asked: float | None = None, within: float | None = None) -> bool:
        """Sleep before the next try; False, at once, when that try would start too late.

        Full jitter on the growing half: a hundred clients that were refused together do not come back together.
        What the server asked for is a minimum, so jitter goes on top of it.
        """
        patience = self._patience
        ceiling = min(patience.longest_pause, patience.first_pause * 2.0**self._pauses)
        self._pauses += 1
        seconds = ceiling * (0.5 + 0.5 * patience.draw())
        if asked is not None:
            seconds = asked + patience.first_pause * patience.draw()
        most = self._total if within is None else min(within, self._total)
        if self.elapsed + seconds >= most:
            return False
        patience.sleep(seconds)
        return True
