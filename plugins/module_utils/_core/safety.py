# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals: typed reasons not to act, checked before the first write (CORE-3, CORE-7, CORE-8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .data import Json, canonical
from .model import Decision, Disruption, Finding, Pending, Plan, Severity, Step, Verdict


@dataclass(frozen=True)
class Refusal:
    """Why nothing was done, and what would change that."""

    code: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()

    def finding(self, where: str) -> Finding:
        return Finding(self.code, Severity.ERROR, where, self.message, self.remedy)


def allowance(decision: Decision, allowed: Disruption) -> Refusal | None:
    """Every write is guarded, the spec patch too where the patch itself disrupts (CORE-3)."""
    for step in decision.steps:
        if not allowed.covers(step.disruption):
            return _not_allowed(f"{step.verb} {step.ref}", step.disruption, step.why, allowed)
    if decision.steps and not allowed.covers(decision.later):
        return _not_allowed("a later stage of this change", decision.later, "it recreates the load balancer", allowed)
    return None


def _not_allowed(what: str, cost: Disruption, why: str, allowed: Disruption) -> Refusal:
    return Refusal(
        "disruption_not_allowed",
        f"Not allowed: {what} would cause disruption {cost.value!r}, because {why}.",
        f"Allow it with allow_disruption: {cost.value} (now: {allowed.value}).",
    )


def unasked(pending: Iterable[Pending]) -> Refusal | None:
    """A recreation effectuates every creation-only difference; one that nobody asked for blocks it."""
    foreign = [change for change in pending if not change.asked]
    if not foreign:
        return None
    listed = "; ".join(f"{entry.field}: {canonical(entry.have)} → {canonical(entry.want)}" for entry in foreign)
    return Refusal(
        "unasked_changes",
        f"Recreating the load balancer would also effectuate what this task did not ask for: {listed}.",
        "Cancel those changes first, or ask for them in the same task.",
    )


def fingerprint(decision: Decision, expected: str) -> Refusal | None:
    """Apply only what was reviewed (CORE-8)."""
    if not expected or decision.fingerprint == expected:
        return None
    return Refusal(
        "stale_plan",
        f"The plan is no longer the reviewed one: fingerprint {decision.fingerprint}, approved {expected}.",
        "Review the new plan and pass its fingerprint.",
    )


def remainder(decision: Decision, plan: Decision, expected: str, staged: bool) -> Refusal | None:
    """Once something was done: is what is left part of the reviewed plan? Of a later stage its end was reviewed."""
    if not expected:
        return None
    known = {_write(step) for step in plan.steps}
    foreign = [step for step in decision.steps if step.writes and _write(step) not in known]
    if not foreign or (staged and _without_addresses(decision.after) == _without_addresses(plan.after)):
        return None
    listed = "; ".join(f"{step.verb} {step.ref}: {step.why}" for step in foreign)
    return Refusal(
        "stale_plan",
        f"The cluster changed, and what is left to do is not part of the reviewed plan any more: {listed}.",
        "Review the new plan and pass its fingerprint.",
    )


def _write(step: Step) -> str:
    """A step as a reviewer sees it; versions of objects move by themselves."""
    return canonical([step.port, step.verb, step.resource, step.namespace, step.name, step.uid, step.body])


def _without_addresses(after: Json) -> str:
    return canonical({key: item for key, item in (after or {}).items() if key != "addresses"})


_TO_DO = (Verdict.ADOPT, Verdict.UPDATE_IN_PLACE, Verdict.RECREATE)


def not_in_force(last: Decision, effectuated: bool, waited: bool) -> tuple[Finding, ...]:
    """A task is ok only if what it asked for is there at its end, in spec and, where it was to be, in force; or says
    that it is not."""
    left = [entry.field for entry in last.pending if entry.asked]
    if effectuated and left:
        what = f"Asked for, and not in force at the end of this task: {', '.join(left)}."
    elif last.verdict in _TO_DO and last.changed:
        undone = "; ".join(f"{step.verb} {step.ref}: {step.why}" for step in last.steps if step.writes)
        what = f"Somebody changed it before the end of this task, so there would be something to do again: {undone}."
    else:
        return ()
    remedy = "See the other findings for who changed it back or what failed, then run again."
    severity = Severity.ERROR if waited else Severity.WARNING
    return (Finding("not_in_force", severity, str(last.target), what, remedy, left),)


def verdict(decision: Decision) -> Refusal | None:
    """Invalid input and a blocked target are never acted on."""
    if decision.verdict not in (Verdict.INVALID, Verdict.BLOCKED):
        return None
    text = " ".join(str(finding) for finding in decision.errors) or decision.message
    return Refusal(decision.verdict.value, text, "")


def estate_cap(plan: Plan, most_percent: int) -> Refusal | None:
    """A plan that disrupts more of the estate than the cap needs an explicit higher cap."""
    clusters = {decision.target.cluster for decision in plan.decisions}
    hit = {item.target.cluster for item in plan.decisions if item.disruption is not Disruption.NONE}
    if not clusters or len(hit) * 100 <= most_percent * len(clusters):
        return None
    return Refusal(
        "estate_cap",
        f"The plan would disrupt {len(hit)} of {len(clusters)} clusters, more than {most_percent} %.",
        "Narrow the plan, or raise the cap on purpose.",
    )
