# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From lanes to one decision: order, verdict, findings, what there is to report (CORE-2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..model import Decision, Disruption, Finding, Severity, Step, Target, Verdict
from .desired import CapoDesired
from .steps import Lane

KIND = "CapoApiLoadBalancers"
_WEIGHT = {Verdict.UPDATE_IN_PLACE: 0, Verdict.ADOPT: 1, Verdict.RECREATE: 2}


def target_of(desired: CapoDesired) -> Target:
    return Target(KIND, desired.cluster, desired.namespace, desired.inventory_name)


def refuse(
    desired: CapoDesired, verdict: Verdict, findings: Sequence[Finding], details: Mapping[str, Any] | None = None
) -> Decision:
    """Nothing is written. The message is the first thing that stands in the way."""
    wrong = [finding for finding in findings if finding.severity is Severity.ERROR]
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return Decision(target_of(desired), verdict, f"{wrong[0]}{more}", findings=tuple(findings), details=details)


@dataclass
class Assembly:
    """Lanes by phase. The lanes of a phase may run side by side; a phase starts when the one before is done."""

    phases: list[list[Lane]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    awaiting: tuple[str, ...] = ()

    @property
    def lanes(self) -> list[Lane]:
        return [lane for phase in self.phases for lane in phase]

    @property
    def writes(self) -> bool:
        return any(lane.writes for lane in self.lanes)

    def all_findings(self) -> tuple[Finding, ...]:
        """A lane that cannot be worked on does not stop the others: it is an error only when it is all there is."""
        found = [*self.findings, *(finding for lane in self.lanes for finding in lane.findings)]
        return tuple(_soften(found) if self.writes else found)

    def verdict(self) -> Verdict:
        writing = [lane.verdict for lane in self.lanes if lane.writes]
        if writing:
            return max(writing, key=_WEIGHT.__getitem__)
        if any(finding.severity is Severity.ERROR for finding in self.all_findings()):
            return Verdict.BLOCKED
        if self.awaiting or any(lane.steps for lane in self.lanes):
            return Verdict.IN_PROGRESS
        return Verdict.IN_SYNC

    def drain(self, wait: bool) -> bool:
        """A phase of its own for what the lanes so far put off; put off further while `wait`. Was it done?"""
        off = [lane for lane in self.lanes if lane.later]
        if not wait:
            self.phases.append([replace(lane, steps=lane.later, findings=[], drift=[], later=[]) for lane in off])
        elif off:
            names = ", ".join(lane.name for lane in off)
            what = f"running machines stay members of {names} until every zone's load balancer can be worked on."
            self.findings.append(Finding("members_stay", Severity.INFO, "members", what))
        for lane in off:
            lane.later = []
        return not wait

    def steps(self) -> tuple[tuple[Step, ...], list[dict[str, list[int]]]]:
        """All steps in an order that also works one after the other, and their numbers by phase and lane."""
        steps: list[Step] = []
        phases: list[dict[str, list[int]]] = []
        for lanes in self.phases:
            numbers: dict[str, list[int]] = {}
            for lane in lanes:
                for step in lane.steps:
                    numbers.setdefault(lane.name, []).append(len(steps))
                    steps.append(step)
            if numbers:
                phases.append(numbers)
        return tuple(steps), phases

    def decision(self, desired: CapoDesired, before: Any, after: Any, details: Mapping[str, Any]) -> Decision:
        steps, phases = self.steps()
        findings = self.all_findings()
        verdict = self.verdict()
        drift = [entry for lane in self.lanes for entry in lane.drift]
        return Decision(
            target_of(desired),
            verdict,
            _message(verdict, steps, findings, self.awaiting),
            Disruption.worst(step.disruption for step in steps),
            findings,
            steps=steps,
            before=before,
            after=after,
            details={**details, "phases": phases, "drift": drift, "awaiting": list(self.awaiting)},
        )


def _soften(findings: Iterable[Finding]) -> list[Finding]:
    return [
        replace(finding, severity=Severity.WARNING) if finding.severity is Severity.ERROR else finding
        for finding in findings
    ]


def _message(verdict: Verdict, steps: Sequence[Step], findings: Sequence[Finding], awaiting: Sequence[str]) -> str:
    writes = [step for step in steps if step.verb != "wait"]
    if writes:
        what = {Verdict.ADOPT: "adopted", Verdict.RECREATE: "replaced"}.get(verdict, "brought in line")
        rest = f" {len(findings)} finding(s)." if findings else ""
        return f"API load balancers are {what} in {len(writes)} write(s).{rest}"
    if verdict is Verdict.BLOCKED:
        return str(next(finding for finding in findings if finding.severity is Severity.ERROR))
    if awaiting:
        return f"Everything else is in place; waiting to be told: {', '.join(awaiting)}."
    if steps:
        return f"{steps[0].why}"
    return "API load balancers are as wanted."
