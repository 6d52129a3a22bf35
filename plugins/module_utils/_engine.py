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
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from ._core import safety
from ._core.data import canonical, plain
from ._core.model import Decision, Disruption, Finding, Pending, Question, Severity, Step, as_data
from ._core.safety import Refusal
from ._lanes import carry_out
from ._ports.errors import Conflict, NotHolding, PortError, Unauthorized, Unreachable

Progress = Callable[[str], None]
Result = dict[str, Any]
Observed = TypeVar("Observed")
# Stages of a rescue, and worlds that change under us, each cost a round.
_MOST_ROUNDS = 10
_MOST_QUESTIONS = 3
# A step that had to be made this often in one run will not hold the next time either.
_MOST_REPEATS = 2


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
        """Right before a step that disrupts, the step, pinned to what was just seen; Conflict where that is not the
        world that was decided on."""
        return step

    def missing(self, _last: Decision, _observed: Observed) -> tuple[Finding, ...]:
        """What the task was to bring about and is not there at its end."""
        return ()

    def refused(self, decision: Decision) -> None:
        """The task ends here, for what the decision says."""

    def report(self, _last: Decision) -> Result:
        """What the result tells besides the decision."""
        return {}


class Failed(Exception):
    """The task ends in failure; `result` still tells everything that is known."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


@dataclass(frozen=True)
class Gate:
    """What the caller allows: how much may be disrupted, and which reviewed plan may be carried out."""

    check_mode: bool = False
    allowed: Disruption = Disruption.NONE
    fingerprint: str = ""
    still_wanted: Callable[[], None] = lambda: None  # asked before every write; raises where nobody waits any more


@dataclass
class Run:
    """What one task has decided and done so far."""

    gate: Gate
    lock: Lock
    locked: bool = False
    first: Decision | None = None
    done: list[Step] = field(default_factory=list)
    stage: int = 0  # steps done before this stage began

    @property
    def changed(self) -> bool:
        return any(step.writes for step in self.done)


def run(topic: Topic[Any], gate: Gate, progress: Progress) -> Result:
    """The whole task. Raises Failed with the result so far."""
    state = Run(gate, topic.lock())
    try:
        return _rounds(topic, state, progress)
    except PortError as problem:
        raise failed(problem, state, _now(topic, state, problem)) from problem
    finally:
        if state.locked:
            state.lock.release()


def _rounds(topic: Topic[Any], state: Run, progress: Progress) -> Result:
    conflict = ""
    observed = topic.read()
    for _round in range(_MOST_ROUNDS):
        decision, observed = _decided(topic, observed)
        state.first = state.first or decision
        refusal = _refusal(state, decision)
        if refusal is not None:
            if not state.gate.check_mode:
                topic.refused(decision)
            raise Failed(str(refusal), _told(state, _refused(_shown(state, decision), refusal), refusal.code))
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
            conflict = f" The last time: {problem.message}"
            observed = topic.read(observed)
            continue  # the world moved on: it is looked at and decided on anew, never overwritten
        observed = topic.read()
        if decision.more_stages:
            state.stage = len(state.done)
        elif not topic.settles:
            return _finished(topic, state, *_decided(topic, observed))
    text = f"The cluster changed under this task {_MOST_ROUNDS} times in a row. Who else writes to it?{conflict}"
    raise Failed(text, _told(state, _shown(state, decision), Conflict.code))


def _now(topic: Topic[Any], state: Run, problem: PortError) -> Decision | None:
    """After a failure: the target as it is, where it can still be looked at."""
    begun = state.done or state.locked
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
    return decision.with_findings(
        Finding(refusal.code, Severity.ERROR, str(decision.target), refusal.message, refusal.remedy)
    )


def _see_that_it_gets_on(state: Run, decision: Decision) -> None:
    made = Counter(_signature(step) for step in state.done if step.writes)
    outages = {step.ref for step in state.done[state.stage :] if step.disruption is Disruption.OUTAGE}
    for step in decision.steps:
        if step.disruption is Disruption.OUTAGE and step.ref in outages:
            what = f"{step.ref} was taken away once in this task, and would have to go again: {step.why}."
            raise NotHolding(what, "See who brings it back as it was; it is not taken away twice in one task.")
        if made[_signature(step)] >= _MOST_REPEATS:
            what = f"{step.verb} {step.ref} was carried out {_MOST_REPEATS} times and does not hold: {step.why}"
            raise NotHolding(what, "Look at who else writes to it, and at its controller; run again when that is well.")


def _signature(step: Step) -> str:
    return canonical([step.port, step.verb, step.resource, step.namespace, step.name, step.uid, step.body])


def _execute(topic: Topic[Any], state: Run, decision: Decision, observed: Any, progress: Progress) -> None:
    def do(step: Step) -> None:
        disrupts = step.disruption is not Disruption.NONE
        if step.writes:
            state.gate.still_wanted()
            state.lock.hold(firmly=disrupts)
        topic.do(topic.recheck(step, decision, observed) if disrupts else step, observed, progress)

    if decision.changed:
        topic.begin(decision, observed)
        if not state.locked:
            state.lock.acquire()
            state.locked = True
    carry_out(decision.steps, do, state.done)


def _finished(topic: Topic[Any], state: Run, last: Decision, observed: Any) -> Result:
    """What was done, and the target as it is now; in check mode the plan, in the same shape."""
    shown = _shown(state, last)
    missing = () if state.gate.check_mode or not state.done else topic.missing(last, observed)
    wrong = (*_unforeseen(state, last), *(finding for finding in missing if finding.severity is Severity.ERROR))
    shown = shown.with_findings(*missing)
    if wrong:
        text = " ".join(str(finding) for finding in wrong)
        raise Failed(text, {**_told(state, shown, wrong[0].code), **topic.report(last)})
    return {**_told(state, shown), **topic.report(last)}


def _unforeseen(state: Run, last: Decision) -> tuple[Finding, ...]:
    """Errors that hold at the end. What this task began with, and does something about, it has told as less."""
    plan = state.first or last
    begun_with = {finding.code for finding in plan.findings if finding.severity is not Severity.ERROR}
    known = begun_with if plan.changed else set()
    return tuple(finding for finding in last.errors if finding.code not in known)


def _shown(state: Run, last: Decision) -> Decision:
    """Nothing of the plan is left over once something was done, but for what the steps did besides (CORE-14)."""
    plan = state.first or last
    if state.gate.check_mode or not state.done:
        return last
    back = last if last.revert_patch is not None or not state.changed else plan
    return replace(
        last,
        steps=tuple(state.done),
        disruption=Disruption.worst((last.disruption, *(step.disruption for step in state.done))),
        findings=_just_set(plan, last),
        effects=plan.effects if state.changed else last.effects,
        pending=_still_pending(plan, last),
        revert_patch=back.revert_patch,
        revert_disruption=back.revert_disruption,
        before=plan.before,
        after=last.before,
    )


def _still_pending(plan: Decision, last: Decision) -> tuple[Pending, ...]:
    latent = {entry.field for entry in plan.pending if entry.latent}
    return tuple(replace(entry, latent=entry.field in latent) for entry in last.pending)


def _just_set(plan: Decision, last: Decision) -> tuple[Finding, ...]:
    """A change this task just made is not latent yet."""
    latent = {entry.field for entry in plan.pending if entry.latent}
    return tuple(entry for entry in last.findings if entry.code != "latent_change" or entry.value in latent)


def _told(state: Run, shown: Decision, error_code: str = "") -> Result:
    """With the plan's own figures beside what is."""
    plan = state.first or shown
    changed = shown.changed if state.gate.check_mode else state.changed
    figures = {"verdict": plan.verdict.value, "disruption": plan.disruption.value, "fingerprint": plan.fingerprint}
    return {**result(shown, changed, error_code), "fingerprint": plan.fingerprint, "planned": figures}


_DATA = ("verdict", "disruption", "pending", "steps", "undo", "revert_patch", "revert_disruption", "commands")


def result(decision: Decision, changed: bool, error_code: str = "") -> Result:
    """The one shape of every result, also of a failure's: that one has an error_code."""
    data = as_data(decision)
    told = {**(plain(decision.details) or {}), **(plain(decision.standing) or {})}
    return {
        "changed": changed,
        **{key: data[key] for key in _DATA},
        "findings": as_data(decision.remarks) if decision.remarks else [],
        "before": data["before"],
        "after": data["after"],
        "message": decision.message,
        "profile": decision.profile,
        "fingerprint": decision.fingerprint,
        **told,
        "diff": {"before": data["before"] or {}, "after": data["after"] or {}},
        **({"error_code": error_code} if error_code else {}),
    }


def failed(problem: PortError, state: Run | None = None, now: Decision | None = None) -> Failed:
    """A failure at a port, with what was done and the target as it is now, as far as that is known."""
    if state is None or state.first is None:
        told: Result = {"changed": False, "findings": [as_data(problem.finding())], "error_code": problem.code}
        return Failed(str(problem), told)
    last = now or _unknown(state.first, state.changed)
    shown = replace(_shown(state, last), steps=tuple(state.done)).with_findings(problem.finding(str(last.target)))
    return Failed(str(problem), _told(state, shown, problem.code))


def _unknown(plan: Decision, changed: bool) -> Decision:
    """It cannot be looked at any more: once something was written, nothing that was planned is known to hold."""
    if not changed:
        return plan
    text = "What is there now could not be read."
    return replace(plan, message=text, before=None, pending=(), commands=(), findings=(), standing=None)
