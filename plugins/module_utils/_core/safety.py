# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals: typed reasons not to act, checked before the first write (CORE-3, CORE-7, CORE-8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .data import canonical
from .model import Decision, Disruption, Pending, Plan, Verdict


@dataclass(frozen=True)
class Refusal:
    """Why nothing was done, and what would change that."""

    code: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


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
