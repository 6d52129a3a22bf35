# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""read → decide → gate → do → read again → result: one engine for every module, in a module or in an action plugin.

A topic knows what to read, how to decide and how to carry a step out; this file knows the order, and nothing else.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from ._core import safety
from ._core.data import canonical
from ._core.model import Decision, Disruption, Finding, Question, Severity, Step
from ._core.safety import Refusal
from ._lanes import carry_out
from ._ports import attempts
from ._ports.errors import (
    Conflict,
    NotAsPlanned,
    NotHolding,
    OutcomeUnknown,
    PortError,
    Unauthorized,
    Unreachable,
)
from ._results import Failed, Gate, Result, Run, as_it_is, failed, over, tell, unforeseen, unplanned

Progress = Callable[[str], None]
Observed = TypeVar("Observed")
# Stages of a rescue, and worlds that change under us, each cost a round.
_MOST_ROUNDS = 10
_MOST_QUESTIONS = 5
# A step that had to be made this often in one run will not hold the next time either.
_MOST_REPEATS = 2
_TRIES_TO_TIDY = 5
# What was waited for and is gone again when it is looked at is waited for this often.
_MOST_WAITS = 3


@dataclass(frozen=True)
class Clock:
    """Passed in wherever time matters."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Lock(Protocol):
    """Keeps other runs away from a target (CORE-11)."""

    def acquire(self) -> None:
        """Locked, where another run has it."""

    def hold(self, firmly: bool = False) -> None:
        """LockLost, where this run does not have it any more. `firmly`: to be known for certain."""

    def release(self) -> None:
        """Also where it was never had."""


class Topic(ABC, Generic[Observed]):
    """One kind of target. Its connections are given to it and closed by whoever opened them."""

    settles = False  # after a change everything is read and decided on again, until nothing is left to do
    waits = True  # what others are doing at the end is waited for

    @abstractmethod
    def read(self, knowing: Observed | None = None) -> Observed:
        """`knowing`: what was read a moment ago, before anything was written; what a cloud said in it still counts."""

    @abstractmethod
    def decide(self, observed: Observed) -> Decision | Question:
        """Pure. A question instead of a decision: `ask` gets the answer, then it is decided again."""

    @abstractmethod
    def lock(self) -> Lock:
        """The lock of this target."""

    @abstractmethod
    def do(self, step: Step, observed: Observed, progress: Progress) -> None:
        """Carries one step out; several lanes may call it at once."""

    def ask(self, question: Question, _observed: Observed) -> Observed:
        raise TypeError(f"{type(self).__name__} has nobody to ask {question}")

    def confirm(self, observed: Observed) -> Observed:
        """Before the first write of a task: what the task only claims is looked at, and decided on again."""
        return observed

    def begin(self, decision: Decision, observed: Observed) -> None:
        """Its steps are about to be carried out. Refuses where one of them is not going to be possible (CORE-13)."""

    def recheck(self, step: Step, _decision: Decision, _observed: Observed) -> Step:
        """Right before a step that disrupts or that nothing undoes, the step, pinned to what was just seen; Conflict
        where that is not the world that was decided on."""
        return step

    def found_done(self, step: Step) -> None:
        """It failed, as its answer got lost, and is seen to have been carried out."""

    def missing(self, _last: Decision, _observed: Observed) -> tuple[Finding, ...]:
        """What the task was to bring about and is not there at its end."""
        return ()

    def left_behind(self, _owed: Sequence[Step]) -> tuple[Finding, ...]:
        """What these steps should have tidied up, and could not; the value of each is the command that does it."""
        return ()

    def refused(self, decision: Decision) -> None:
        """The task ends here, for what the decision says."""

    def account(self) -> str:
        """What was done so far, in a sentence; empty where that is nothing, or told elsewhere."""
        return ""

    def report(self, _last: Decision) -> Result:
        """What the result tells besides the decision."""
        return {}


def run(topic: Topic[Any], gate: Gate, progress: Progress) -> Result:
    """The whole task. Raises Failed with the result so far."""
    state = Run(gate, topic.lock())
    try:
        return _rounds(topic, state, progress)
    except PortError as problem:
        left = topic.left_behind(state.owed)
        now = _now(topic, state, problem)
        _settle(topic, state, now)
        ended = failed(problem, state, now, left)
        raise Failed(_with_account(topic, str(ended)), ended.result) from problem
    finally:
        if state.locked:
            state.lock.release()


def _rounds(topic: Topic[Any], state: Run, progress: Progress) -> Result:
    conflict, waited = "", 0
    observed = topic.read()
    for _round in range(_MOST_ROUNDS):
        decision, observed = _decided(topic, observed)
        state.first = state.first or decision
        _settle(topic, state, decision)
        refusal = _refusal(state, decision)
        if refusal is not None:
            if not state.gate.check_mode:
                topic.refused(decision)
            told = tell(state, _refused(as_it_is(state, decision), refusal), refusal.code)
            raise Failed(_with_account(topic, str(refusal)), {**told, **topic.report(decision)})
        if state.gate.check_mode or not decision.steps:
            return _finished(topic, state, decision, observed)
        _see_that_it_gets_on(state, decision)
        confirmed = topic.confirm(observed) if decision.changed and not state.locked else observed
        if confirmed != observed:
            observed = confirmed
            continue
        try:
            _execute(topic, state, decision, observed, progress)
        except Conflict as problem:
            if state.owed:
                raise  # nothing new is begun over what could not be tidied up
            conflict = f" The last time: {problem.message}"
            if decision.more_stages and _all_but_tidied(decision, state):
                state.stage = len(state.done)
            observed = topic.read(observed)
            continue  # the world moved on: it is looked at and decided on anew, never overwritten
        observed = topic.read()
        if decision.more_stages:
            state.stage = len(state.done)
        elif not topic.settles:
            last, observed = _decided(topic, observed)
            if not last.steps or last.changed or not topic.waits:
                return _finished(topic, state, last, observed)
            waited += 1
            _see_that_it_stays(waited, last)
    text = f"The cluster changed under this task {_MOST_ROUNDS} times in a row. Who else writes to it?{conflict}"
    raise Failed(text, tell(state, as_it_is(state, decision), Conflict.code))


def _settle(topic: Topic[Any], state: Run, now: Decision | None) -> None:
    """A write whose answer got lost was carried out where it is not planned any more, or where nobody can tell: what
    may have been changed is never told as untouched."""
    planned = {_signature(step) for step in now.steps} if now is not None else set()
    for step in state.unsure:
        if _signature(step) not in planned:
            state.done.append(step)
            topic.found_done(step)
    state.unsure.clear()


def _with_account(topic: Topic[Any], text: str) -> str:
    """A task that fails half-way says what it has done all the same (CORE-14)."""
    return " ".join(part for part in (topic.account(), text) if part)


def _now(topic: Topic[Any], state: Run, problem: PortError) -> Decision | None:
    """After a failure: the target as it is, where it can still be looked at."""
    begun = state.done or state.unsure or state.locked
    if state.first is None or not begun or type(problem) in (Unreachable, Unauthorized):
        return None
    with suppress(PortError):
        return _decided(topic, topic.read())[0]
    return None


def _decided(topic: Topic[Observed], observed: Observed) -> tuple[Decision, Observed]:
    """Nothing decides with a connection at hand: what is missing is asked for, and then it is decided again."""
    for _question in range(_MOST_QUESTIONS):
        decision = topic.decide(observed)
        if isinstance(decision, Decision):
            return decision, observed
        observed = topic.ask(decision, observed)
    raise RuntimeError(f"{decision} was answered and is asked again")


def _refusal(state: Run, decision: Decision) -> Refusal | None:
    """Everything that stops a task before its first write (CORE-3, CORE-7, CORE-8)."""
    return safety.verdict(decision) or _reviewed(state, decision) or safety.allowance(decision, state.gate.allowed)


def _reviewed(state: Run, decision: Decision) -> Refusal | None:
    """In every round: what is left to do is part of what was reviewed (CORE-8)."""
    if not state.changed or state.first is None:
        return safety.fingerprint(decision, state.gate.fingerprint)
    return safety.remainder(decision, state.first, state.gate.fingerprint, staged=state.stage > 0)


def _refused(decision: Decision, refusal: Refusal) -> Decision:
    """The refusal among the findings, unless it only repeats them."""
    if refusal.code in ("invalid", "blocked"):
        return decision
    return decision.with_findings(refusal.finding(str(decision.target)))


def _all_but_tidied(decision: Decision, state: Run) -> bool:
    """Its stage is over, though what it was to tidy up at the end is left to the next round."""
    done = {id(step) for step in state.done}
    return all(step.always or id(step) in done for step in decision.steps)


def _see_that_it_gets_on(state: Run, decision: Decision) -> None:
    made = Counter(_signature(step) for step in state.done if step.writes)
    outages = {step.ref for step in state.done[state.stage :] if step.disruption is Disruption.OUTAGE}
    for step in decision.steps:
        if step.disruption is Disruption.OUTAGE and step.ref in outages:
            what = f"{step.ref} was taken away once in this task, and would have to go again: {step.why}."
            raise NotHolding(what, "See who brings it back as it was; it is not taken away twice in one task.")
        if made[_signature(step)] >= _MOST_REPEATS:
            what = f"{step.verb} {step.ref} was carried out {_MOST_REPEATS} times and does not hold: {step.why}."
            raise NotHolding(what, "Look at who else writes to it, and at its controller; run again when that is well.")


def _see_that_it_stays(waited: int, last: Decision) -> None:
    """A task that waits is not over while its last look says that something is still to come."""
    if waited >= _MOST_WAITS:
        what = f"{last.target} was waited for {waited} times, and does not stay as it is to be: {last.message}"
        raise NotHolding(what, "Look at who else writes to it, and at its controller; run again when that is well.")


def _signature(step: Step) -> str:
    return canonical([step.port, step.verb, step.resource, step.namespace, step.name, step.uid, step.body])


def _execute(topic: Topic[Any], state: Run, decision: Decision, observed: Any, progress: Progress) -> None:
    begun: set[int] = set()

    def do(step: Step) -> None:
        grave = step.disruption is not Disruption.NONE or step.point_of_no_return
        if step.writes:
            state.gate.still_wanted()
            state.lock.hold(firmly=grave)
        checked = topic.recheck(step, decision, observed) if grave else step
        begun.add(id(step))
        attempts.begin()
        try:
            topic.do(checked, observed, progress)
        except PortError as problem:
            if step.writes and (isinstance(problem, OutcomeUnknown) or attempts.lost()):
                state.unsure.append(step)
            raise

    if decision.changed:
        topic.begin(decision, observed)
        if not state.locked:
            state.lock.acquire()
            state.locked = True
    try:
        carry_out(decision.steps, do, state.done)
    finally:
        _tidy(state, _owed(decision.steps, begun, state.done), do)
        if any(step.disruption is Disruption.OUTAGE and id(step) in begun for step in decision.steps):
            state.carried = decision


def _owed(steps: Sequence[Step], begun: Collection[int], done: Sequence[Step]) -> Iterator[Step]:
    """What tidies up after a step that was begun, and was not carried out itself."""
    over = {id(step) for step in done}
    for number, step in enumerate(steps):
        before = (one for one in steps[:number] if (one.phase, one.lane) == (step.phase, step.lane))
        if step.always and id(step) not in over and any(one.writes and id(one) in begun for one in before):
            yield step


def _tidy(state: Run, owed: Iterable[Step], do: Callable[[Step], None]) -> None:
    """On every way out, whoever writes in between. What somebody else has taken over is not ours to tidy up."""
    for step in owed:
        for _try in range(_TRIES_TO_TIDY):
            try:
                do(step)
            except NotAsPlanned:
                break
            except Conflict:
                continue
            except PortError:
                state.owed.append(step)
                break
            state.done.append(step)
            break
        else:
            state.owed.append(step)


def _finished(topic: Topic[Any], state: Run, last: Decision, observed: Any) -> Result:
    """What was done, and the target as it is now; in check mode the plan, in the same shape."""
    shown = as_it_is(state, last)
    missing = () if state.gate.check_mode or not state.done else topic.missing(last, observed)
    found = (*missing, *unplanned(state, last))
    wrong = (*unforeseen(state, last), *(finding for finding in found if finding.severity is Severity.ERROR))
    shown = over(state, last, shown).with_findings(*missing)
    if missing:  # what would have to be done now is no word for the end of a task
        shown = replace(shown, message=" ".join(finding.what for finding in found))
    if wrong:
        text = " ".join(str(finding) for finding in wrong)
        raise Failed(text, {**tell(state, shown, wrong[0].code), **topic.report(last)})
    return {**tell(state, shown), **topic.report(last)}
