# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps side by side: the lanes of a phase in parallel, the steps of a lane and the phases one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from ._core.model import Step
from ._ports.errors import Conflict, PortError

Phase = Mapping[str, Sequence[int]]  # lane → numbers of its steps
CarryOut = Callable[[Step], None]


def carry_out(phases: Sequence[Phase], steps: Sequence[Step], do: CarryOut, done: list[Step]) -> None:
    """Appends to `done` in the plan's order. A lane that fails ends; the others of its phase go on to their end,
    so that one broken zone does not keep the others waiting, and no later phase starts."""
    for phase in phases:
        lanes = [_Lane(numbers, steps, do) for numbers in phase.values()]
        problems = _together(lanes)
        done += [steps[number] for number in sorted(number for lane in lanes for number in lane.finished)]
        if problems:
            raise _gravest(problems)


class _Lane:
    def __init__(self, numbers: Sequence[int], steps: Sequence[Step], do: CarryOut) -> None:
        self._numbers, self._steps, self._do = numbers, steps, do
        self.finished: list[int] = []

    def run(self) -> list[Exception]:
        """What went wrong, if anything."""
        try:
            for number in self._numbers:
                self._do(self._steps[number])
                self.finished.append(number)
        except Exception as problem:
            return [problem]
        return []


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
