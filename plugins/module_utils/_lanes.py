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
        finished: list[int] = []

        def work(numbers: Sequence[int], finished: list[int] = finished) -> None:
            for number in numbers:
                do(steps[number])
                finished.append(number)

        problems = _together([lambda numbers=numbers: work(numbers) for numbers in phase.values()])  # type: ignore[misc]
        done += [steps[number] for number in sorted(finished)]
        if problems:
            raise _gravest(problems)


def _together(lanes: Sequence[Callable[[], None]]) -> list[BaseException]:
    if len(lanes) == 1:
        return _problem(lanes[0])
    with ThreadPoolExecutor(len(lanes), "lane") as pool:
        return [problem for found in pool.map(_problem, lanes) for problem in found]


def _problem(lane: Callable[[], None]) -> list[BaseException]:
    try:
        lane()
    except Exception as problem:
        return [problem]
    return []


def _gravest(problems: Sequence[BaseException]) -> BaseException:
    """What another round cannot mend comes first; the others are told along."""
    ordered = sorted(problems, key=lambda one: isinstance(one, PortError) + isinstance(one, Conflict))
    first = ordered[0]
    if isinstance(first, PortError) and len(ordered) > 1:
        first.details["also"] = [str(one) for one in ordered[1:]]
    return first
