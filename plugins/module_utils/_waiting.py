# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one waiter: polls with a deadline, says what it waits for, ends early on what waiting cannot mend (CORE-10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ._core.waits import Look
from ._engine import Clock, Progress
from ._ports.errors import Timeout, WaitFailed

_FIRST_PAUSE = 0.2
_TELL_EVERY = 15.0


@dataclass(frozen=True)
class WaitOptions:
    """wait, wait_timeout and wait_sleep: short pauses first, so that a quick cluster is not waited for."""

    asked: bool
    timeout: float
    sleep: float
    clock: Clock

    @classmethod
    def by(cls, options: Mapping[str, Any], clock: Clock) -> WaitOptions:
        return cls(bool(options["wait"]), options["wait_timeout"], options["wait_sleep"], clock)


def wait_for(look: Callable[[float], Look], options: WaitOptions, progress: Progress, who: str) -> Look:
    """`look` gets the seconds waited so far. Returns the look that ended it; Timeout or WaitFailed otherwise."""
    clock = options.clock
    start = clock.now()
    pause, told, told_at = _FIRST_PAUSE, "", -_TELL_EVERY
    while True:
        waited = clock.now() - start
        seen = look(waited)
        if seen.done:
            return seen
        if seen.failure is not None:
            text = f"{who}: {seen.failure.what}" + (f" ({seen.detail})" if seen.detail else "")
            raise WaitFailed(text, seen.failure.remedy, cause=seen.failure.code, last=seen.detail)
        if waited >= options.timeout:
            last = f" Last seen: {seen.detail}." if seen.detail else ""
            raise Timeout(
                f"{who}: waited {options.timeout:.0f} s for {seen.waiting_for}.{last}",
                "Run again to go on from here, or raise wait_timeout.",
                last=seen.detail,
                waiting_for=seen.waiting_for,
            )
        if seen.waiting_for != told or waited - told_at >= _TELL_EVERY:
            progress(f"{who}: waiting for {seen.waiting_for} ({waited:.0f} s)")
            told, told_at = seen.waiting_for, waited
        clock.sleep(min(pause, max(options.timeout - waited, 0.05)))
        pause = min(pause * 1.6, options.sleep)
