# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From lanes to one decision: order, verdict, findings, what there is to report (CORE-2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..data import Json
from ..model import Decision, Disruption, Finding, Severity, Step, Target, Verdict
from .message import PLANNED, account
from .state import CapoDesired

KIND = "CapoApiLoadBalancers"
_WEIGHT = {Verdict.UPDATE_IN_PLACE: 0, Verdict.ADOPT: 1, Verdict.RECREATE: 2}
# Codes of what the steps do besides: still to be told once they are done.
_EFFECTS = ("given_back", "traffic_moved_unproven", "zone_empties")


def target_of(desired: CapoDesired) -> Target:
    return Target(KIND, desired.cluster, desired.namespace, desired.inventory_name)


def refuse(
    desired: CapoDesired, verdict: Verdict, findings: Sequence[Finding], standing: Mapping[str, Any] | None = None
) -> Decision:
    """Nothing is written. The message is the first thing that stands in the way."""
    wrong = [finding for finding in findings if finding.severity is Severity.ERROR]
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return Decision(target_of(desired), verdict, f"{wrong[0]}{more}", findings=tuple(findings), standing=standing)


@dataclass
class Lane:
    """Steps on one load balancer, in order, while they are being collected."""

    name: str
    steps: list[Step] = field(default_factory=list)
    later: list[Step] = field(default_factory=list)  # only once every other lane has come this far
    findings: list[Finding] = field(default_factory=list)
    drift: list[dict[str, Any]] = field(default_factory=list)
    verdict: Verdict = Verdict.UPDATE_IN_PLACE  # should it have anything to write
    creates: bool = False  # its load balancer does not exist yet, or not any more
    stuck: bool = False  # nothing may be written here: ERROR, or waiting for a PENDING state to end

    def add(self, *steps: Step) -> None:
        self.steps += steps

    @property
    def writes(self) -> bool:
        return any(step.writes for step in (*self.steps, *self.later))

    def note(self, kind: str, have: Json, want: Json, port: int | None = None) -> None:
        entry: dict[str, Any] = {"lane": self.name, "kind": kind, "have": have, "want": want}
        self.drift.append(entry if port is None else entry | {"port": port})

    def stamped(self, step: Step, phase: int) -> Step:
        """With its lane and phase. What was done last is taken back first: the phases of undo steps count down."""
        undo = tuple(self.stamped(back, -phase) for back in step.undo)
        return replace(step, lane=self.name, phase=phase, undo=undo)


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

    def steps(self) -> tuple[Step, ...]:
        """All steps in an order that also works one after the other; here they learn their lane and phase."""
        busy = [lanes for lanes in self.phases if any(lane.steps for lane in lanes)]
        return tuple(
            lane.stamped(step, phase) for phase, lanes in enumerate(busy) for lane in lanes for step in lane.steps
        )

    def decision(
        self, desired: CapoDesired, before: Any, after: Any, standing: Mapping[str, Any], settled: str
    ) -> Decision:
        """`settled`: what is so when there is nothing to do."""
        steps = self.steps()
        findings = self.all_findings()
        verdict = self.verdict()
        drift = [entry for lane in self.lanes for entry in lane.drift]
        return Decision(
            target_of(desired),
            verdict,
            _message(verdict, steps, findings, self.awaiting) or settled,
            Disruption.worst(step.disruption for step in steps),
            tuple(finding for finding in findings if finding.code not in _EFFECTS),
            tuple(finding for finding in findings if finding.code in _EFFECTS),
            steps=steps,
            before=before,
            after=after,
            details={"drift": drift, "awaiting": list(self.awaiting), "reasons": desired.reasons},
            standing=standing,
        )


def sentence(clause: str) -> str:
    """Of a reason, which stands behind `because` elsewhere."""
    return f"{clause[:1].upper()}{clause[1:]}."


def _soften(findings: Iterable[Finding]) -> list[Finding]:
    return [
        replace(finding, severity=Severity.WARNING) if finding.severity is Severity.ERROR else finding
        for finding in findings
    ]


def _message(verdict: Verdict, steps: Sequence[Step], findings: Sequence[Finding], awaiting: Sequence[str]) -> str:
    """Empty where there is nothing to do."""
    planned = account(steps, PLANNED)
    if planned:
        return planned
    if verdict is Verdict.BLOCKED:
        return str(next(finding for finding in findings if finding.severity is Severity.ERROR))
    if awaiting:
        return f"Everything else is in place; waiting to be told: {', '.join(awaiting)}."
    return sentence(steps[0].why) if steps else ""
