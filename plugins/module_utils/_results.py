# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result tells: what was done and what is there now, never what was only planned (CORE-14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ._core.data import plain
from ._core.model import Decision, Disruption, Finding, Pending, Severity, Step, as_data
from ._ports.errors import PortError

if TYPE_CHECKING:
    from ._engine import Lock

Result = dict[str, Any]
# Waits after which there is another Service.
_MADE_ANEW = ("recreated", "replaced")
# Effects that do not outlast the task that has them.
_PASSING = {"left_armed", "edits_left", "source_ranges_open"}


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
    unsure: list[Step] = field(default_factory=list)  # failed, and may have been carried out all the same
    stage: int = 0  # steps done before this stage began
    carried: Decision | None = None  # the last one of which a step that takes something away was begun
    owed: list[Step] = field(default_factory=list)  # tidying up that could not be done

    @property
    def changed(self) -> bool:
        return any(step.writes for step in self.done)


def unforeseen(state: Run, last: Decision) -> tuple[Finding, ...]:
    """Errors that hold at the end. What this task began with, and does something about, it has told as less."""
    plan = state.first or last
    begun_with = {finding.code for finding in plan.findings if finding.severity is not Severity.ERROR}
    known = begun_with if plan.changed else set()
    return tuple(finding for finding in last.errors if finding.code not in known)


def as_it_is(state: Run, last: Decision) -> Decision:
    """Nothing of the plan is left over once something was done, but for what the steps did besides (CORE-14)."""
    plan = state.first or last
    if state.gate.check_mode or not state.done:
        return last
    back = last if last.revert_patch is not None or not state.changed else plan
    besides = unplanned(state, last)
    return replace(
        last,
        message=" ".join((last.message, *(finding.what for finding in besides))),
        steps=tuple(state.done),
        disruption=Disruption.worst((last.disruption, *(step.disruption for step in state.done))),
        findings=(*besides, *_just_set(plan, last)),
        effects=plan.effects if state.changed else last.effects,
        pending=_still_pending(plan, last),
        revert_patch=back.revert_patch,
        revert_disruption=back.revert_disruption,
        before=plan.before,
        after=last.before,
    )


def over(state: Run, last: Decision, shown: Decision) -> Decision:
    """At the end: what the task found and took care of is told as past, under a code of its own."""
    if state.gate.check_mode or not state.changed:
        return shown
    lasting = {finding.code for finding in last.remarks}
    effects = tuple(_past(entry) if entry.code in _PASSING - lasting else entry for entry in shown.effects)
    return replace(shown, effects=effects)


def _past(finding: Finding) -> Finding:
    what = f"Before this task, or while it was at work: {finding.what} That is over."
    return Finding("taken_care_of", Severity.INFO, finding.where, what, value=finding.code)


def unplanned(state: Run, last: Decision) -> tuple[Finding, ...]:
    """What a recreation brought along because somebody changed it at the last moment. It cannot be avoided, but it is
    said; and a plan that was reviewed was not carried out then (CORE-8)."""
    made = any(step.wait_for is not None and step.wait_for.until in _MADE_ANEW for step in state.done)
    want, have = (
        (decision.get("annotations") if decision else None)
        for decision in (state.carried and state.carried.after, last.before)
    )
    if not made or want is None or not have:
        return ()
    keys = [key for key in sorted({*want, *have}) if want.get(key) != have.get(key)]
    if not keys:
        return ()
    listed = "; ".join(f"{key}: planned {_said(want.get(key))}, is {_said(have.get(key))}" for key in keys)
    what = f"Somebody changed it during this task, and the recreation brought that along: {listed}."
    remedy = "See who changed it. If it is not meant, cancel it and effectuate that."
    severity = Severity.ERROR if state.gate.fingerprint else Severity.WARNING
    return (Finding("unplanned_effect", severity, str(last.target), what, remedy, keys),)


def _said(value: Any) -> str:
    return "none" if value is None else repr(value)


def _still_pending(plan: Decision, last: Decision) -> tuple[Pending, ...]:
    latent = {entry.field for entry in plan.pending if entry.latent}
    return tuple(replace(entry, latent=entry.field in latent) for entry in last.pending)


def _just_set(plan: Decision, last: Decision) -> tuple[Finding, ...]:
    """A change this task just made is not latent yet."""
    latent = {entry.field for entry in plan.pending if entry.latent}
    return tuple(entry for entry in last.findings if entry.code != "latent_change" or entry.value in latent)


def tell(state: Run, shown: Decision, error_code: str = "") -> Result:
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


def failed(
    problem: PortError, state: Run | None = None, now: Decision | None = None, left: Sequence[Finding] = ()
) -> Failed:
    """A failure at a port, with what was done and the target as it is now, as far as that is known.

    `left`: what had to be left behind. It comes first.
    """
    if state is None or state.first is None:
        told: Result = {"changed": False, "findings": [as_data(problem.finding())], "error_code": problem.code}
        return Failed(str(problem), told)
    last = _with_left(now or _unknown(state.first, state), left)
    shown = replace(as_it_is(state, last), steps=tuple(state.done)).with_findings(problem.finding(str(last.target)))
    return Failed(" ".join((*map(str, left), str(problem))), tell(state, shown, problem.code))


def _with_left(last: Decision, left: Sequence[Finding]) -> Decision:
    if not left:
        return last
    codes = {finding.code for finding in left}
    others = (finding for finding in last.findings if finding.code not in codes)
    commands = dict.fromkeys((*(str(finding.value) for finding in left), *last.commands))
    return replace(last, findings=(*left, *others), commands=tuple(commands))


def _unknown(plan: Decision, state: Run) -> Decision:
    """It cannot be looked at any more: once something was written, nothing that was planned is known to hold."""
    if not state.changed:
        return plan
    text = "What is there now could not be read."
    begun = _begun(plan, state.done)
    return replace(plan, message=text, before=None, pending=(), commands=(), findings=begun, standing=None)


def _begun(plan: Decision, done: Sequence[Step]) -> tuple[Finding, ...]:
    outages = [step for step in done if step.disruption is Disruption.OUTAGE]
    if not outages:
        return ()
    listed = "; ".join(f"{step.verb} {step.ref}: {step.why}" for step in outages)
    what = f"Carried out before the cluster could not be read any more, and not seen to its end: {listed}."
    remedy = "Run again as soon as the cluster answers: what was begun is picked up and waited for."
    return (Finding("end_not_seen", Severity.WARNING, str(plan.target), what, remedy),)
