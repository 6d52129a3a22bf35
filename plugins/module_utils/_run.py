# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""observe → decide → gate → execute → re-observe → result: one engine for modules and action plugins.

A topic knows what to read and how to decide; ports do the talking; this file knows the order, and Ansible's words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeGuard

from ._core import safety
from ._core.data import canonical, plain
from ._core.model import Decision, Disruption, Finding, Pending, Severity, Step, as_data
from ._core.safety import Refusal
from ._lanes import carry_out
from ._ports.errors import Conflict, PortError

Progress = Callable[[str], None]
# Stages of a rescue, and worlds that change under us, each cost a round.
_MOST_ROUNDS = 10


class Topic(Protocol):
    """One kind of target: how to look at it, decide on it and carry a step out."""

    def observe(self) -> Any: ...
    def decide(self, observed: Any) -> Decision: ...
    def do(self, step: Step, observed: Any, progress: Progress) -> None: ...
    def close(self) -> None: ...


class Settling(Topic, Protocol):
    """A topic that goes on until nothing is left to do, tells when a task is refused, and reports what then stands."""

    settles: bool

    def refused(self, decision: Decision) -> None: ...
    def report(self, last: Decision) -> dict[str, Any]: ...


class Failed(Exception):
    """The task ends in failure; `result` still tells everything that is known."""

    def __init__(self, message: str, result: dict[str, Any]) -> None:
        super().__init__(message)
        self.result = result


@dataclass
class Run:
    """What one task has seen and done so far."""

    check_mode: bool
    allowed: Disruption
    fingerprint: str
    first: Decision | None = None
    done: list[Step] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return any(step.verb != "wait" for step in self.done)


def run(topic: Topic, params: Mapping[str, Any], check_mode: bool, progress: Progress) -> dict[str, Any]:
    """The whole task. Raises Failed with the result so far."""
    state = Run(check_mode, Disruption(params.get("allow_disruption") or "none"), params.get("fingerprint") or "")
    try:
        return _rounds(topic, state, progress)
    except PortError as problem:
        raise Failed(str(problem), _failed_result(state, problem)) from problem
    finally:
        topic.close()


def _rounds(topic: Topic, state: Run, progress: Progress) -> dict[str, Any]:
    conflict = ""
    for _round in range(_MOST_ROUNDS):
        observed = topic.observe()
        decision = topic.decide(observed)
        if state.first is None:
            state.first = decision
        refusal = _refusal(state, decision)
        if refusal is not None:
            if not state.check_mode and _settling(topic):
                topic.refused(decision)
            raise Failed(str(refusal), result(_refused(decision, refusal), state.changed))
        if state.check_mode or not decision.steps:
            return _finished(topic, state, decision)
        try:
            _execute(topic, state, decision, observed, progress)
        except Conflict as problem:
            conflict = f" The last time: {problem.message}"
            continue  # the world moved on: it is looked at and decided on anew, never overwritten
        if not ((decision.details or {}).get("stages") or (_settling(topic) and topic.settles)):
            return _finished(topic, state, topic.decide(topic.observe()))
    text = f"The cluster changed under this task {_MOST_ROUNDS} times in a row. Who else writes to it?{conflict}"
    raise Failed(text, result(state.first or decision, state.changed))


def _settling(topic: Topic) -> TypeGuard[Settling]:
    return hasattr(topic, "settles")


def _refusal(state: Run, decision: Decision) -> Refusal | None:
    """Everything that stops a task before its first write (CORE-3, CORE-7, CORE-8)."""
    first_round = not state.done
    return (
        safety.verdict(decision)
        or (safety.fingerprint(decision, state.fingerprint) if first_round else None)
        or safety.allowance(decision, state.allowed)
    )


def _refused(decision: Decision, refusal: Refusal) -> Decision:
    """The refusal among the findings, unless it only repeats them."""
    if refusal.code in ("invalid", "blocked"):
        return decision
    return decision.with_findings(
        Finding(refusal.code, Severity.ERROR, str(decision.target), refusal.message, refusal.remedy)
    )


def _execute(topic: Topic, state: Run, decision: Decision, observed: Any, progress: Progress) -> None:
    phases = (decision.details or {}).get("phases")
    if phases:
        carry_out(phases, decision.steps, lambda step: topic.do(step, observed, progress), state.done)
        return
    for number, step in enumerate(decision.steps):
        try:
            if number and step.disruption is Disruption.OUTAGE:
                _still_planned(topic, decision)
            topic.do(step, observed, progress)
        except PortError:
            _tidy(topic, state, decision.steps[number + 1 :], observed, progress)
            raise
        state.done.append(step)


def _tidy(topic: Topic, state: Run, left: Sequence[Step], observed: Any, progress: Progress) -> None:
    """After a failure: what must not stay behind. Where that fails too, the next run recognises it (SUB-6)."""
    for step in left:
        if step.always:
            with suppress(PortError):
                topic.do(step, observed, progress)
                state.done.append(step)


def _still_planned(topic: Topic, decision: Decision) -> None:
    """Right before the outage: is what would take effect still what was planned? Level-triggered, so look again."""
    fresh = topic.decide(topic.observe())
    if _effects(fresh) != _effects(decision):
        raise Conflict("What a recreation would effectuate has changed since it was planned.", "Decide again.")


def _effects(decision: Decision) -> set[str]:
    return {f"{entry.field}={canonical(entry.want)}" for entry in decision.pending}


def _finished(topic: Topic, state: Run, last: Decision) -> dict[str, Any]:
    """The plan that was made, what was done, and the cluster as it is now; the same shape in check mode."""
    plan = state.first or last
    stands = topic.report(last) if _settling(topic) else {}
    if state.check_mode:
        return {**result(plan, plan.changed), **stands}
    shown = replace(
        plan,
        steps=tuple(state.done),
        findings=_merged(plan, last),
        pending=_still_pending(plan, last),
        revert_patch=last.revert_patch,
        commands=last.commands,
        after=last.before,
        message=last.message if state.done else plan.message,
    )
    return {**result(shown, state.changed), "fingerprint": plan.fingerprint, **stands}


def _still_pending(plan: Decision, last: Decision) -> tuple[Pending, ...]:
    latent = {entry.field for entry in plan.pending if entry.latent}
    return tuple(replace(entry, latent=entry.field in latent) for entry in last.pending)


def _merged(plan: Decision, last: Decision) -> tuple[Finding, ...]:
    """What was found before and what is found now, once each. A change this task just made is not latent yet."""
    known = {(finding.code, finding.where) for finding in plan.findings} | {("latent_change", str(plan.target))}
    return (*plan.findings, *(finding for finding in last.findings if (finding.code, finding.where) not in known))


def result(decision: Decision, changed: bool) -> dict[str, Any]:
    data = as_data(decision)
    keys = ("verdict", "disruption", "findings", "pending", "steps", "undo", "revert_patch", "commands")
    found = {key: data[key] for key in keys}
    details = plain(decision.details) or {}
    return {
        "changed": changed,
        **found,
        "before": data["before"],
        "after": data["after"],
        "message": decision.message,
        "profile": decision.profile,
        "fingerprint": decision.fingerprint,
        **{key: value for key, value in details.items() if key not in found},
        "diff": {"before": data["before"] or {}, "after": data["after"] or {}},
    }


def _failed_result(state: Run, problem: PortError) -> dict[str, Any]:
    if state.first is None:
        return {"changed": False, "findings": [as_data(problem.finding())], "error_code": problem.code}
    shown = replace(state.first, steps=tuple(state.done)).with_findings(problem.finding(str(state.first.target)))
    return {**result(shown, state.changed), "error_code": problem.code}


@dataclass(frozen=True)
class Clock:
    """Passed in wherever time matters."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
