# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries steps out: phases one after the other, the lanes of a phase side by side, a lane's steps in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ._core.model import Step
from ._ports.errors import Conflict, PortError

CarryOut = Callable[[Step], None]
_TRIES = 5


def carry_out(steps: Sequence[Step], do: CarryOut, done: list[Step]) -> None:
    """Appends to `done` in the plan's order. A lane that fails is tidied up and ends; the others of its phase go on to
    their end, so that one broken zone does not keep the others waiting, and no later phase starts."""
    for phase in sorted({step.phase for step in steps}):
        now = [step for step in steps if step.phase == phase]
        lanes = [_Lane([step for step in now if step.lane == lane], do) for lane in dict.fromkeys(s.lane for s in now)]
        problems = _together(lanes)
        finished = {id(step) for lane in lanes for step in lane.finished}
        done += [step for step in now if id(step) in finished]
        if problems:
            raise _gravest(problems)


class _Lane:
    def __init__(self, steps: Sequence[Step], do: CarryOut) -> None:
        self._steps, self._do = steps, do
        self.finished: list[Step] = []

    def run(self) -> list[Exception]:
        """What went wrong, if anything."""
        for number, step in enumerate(self._steps):
            try:
                self._do(step)
            except Exception as problem:
                if isinstance(problem, PortError):
                    self._tidy(self._steps[number + 1 :])
                return [problem]
            self.finished.append(step)
        return []

    def _tidy(self, left: Sequence[Step]) -> None:
        """What must not stay behind. Where that fails too, the next run recognises it (SUB-6)."""
        for step in left:
            if step.always:
                with suppress(PortError):
                    self._insist(step)
                    self.finished.append(step)

    def _insist(self, step: Step) -> None:
        """A controller that writes its status in the same moment is no reason to leave anything behind."""
        for _try in range(_TRIES - 1):
            with suppress(Conflict):
                self._do(step)
                return
        self._do(step)


def _together(lanes: Sequence[_Lane]) -> list[Exception]:
    if len(lanes) == 1:
        return lanes[0].run()
    with ThreadPoolExecutor(len(lanes), "lane") as pool:
        return [problem for found in pool.map(_Lane.run, lanes) for problem in found]


def _gravest(problems: Sequence[Exception]) -> Exception:
    """What another round cannot mend comes first; the others are told along."""
    ordered = sorted(problems, key=lambda one: isinstance(one, PortError) + isinstance(one, Conflict))
    first = ordered[0]
    if isinstance(first, PortError) and len(ordered) > 1:
        first.details["also"] = [str(one) for one in ordered[1:]]
    return first
