# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read-only radar of one cluster: every IngressController and LoadBalancer Service, judged against itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from .aws import lb_controller
from .aws.cloud_controller import disagreements
from .aws.facts import LOAD_BALANCER, AwsSurvey
from .aws.in_force import by_name, in_force
from .data import Json, dig
from .holder import busy
from .ingress.decide import planned
from .ingress.health import health
from .ingress.state import Observed, Wanted, Way
from .ingress.words import agreeing
from .lb_class import radar as class_radar
from .model import Decision, Disruption, Finding, Severity, Target, Verdict
from .operator import messages
from .operator.names import LB_STRATEGY, OPERATOR_NAMESPACE, OWNER_LABEL
from .owners import finding as owner_finding
from .platforms import AWS
from .serving import Seen, serving, softer
from .waits import addresses

EVERYTHING = frozenset((messages.SCOPE, messages.TYPE, messages.SUBNETS, messages.EIPS, messages.FLOATING_IP))


def ingress_controller(observed: Observed) -> Decision:
    """What is pending, latent, armed, unmanaged or frozen. A strategy without a load balancer is no trouble here."""
    strategy = dig(observed.ic, "status", "endpointPublishingStrategy", "type")
    if strategy not in (None, LB_STRATEGY):
        target = Target("IngressController", observed.name, OPERATOR_NAMESPACE, observed.cluster)
        text = f"Its publishing strategy is {strategy}: no load balancer."
        return Decision(target, Verdict.IN_SYNC, text, profile=observed.profile.name)
    found = planned(Wanted(), Way(asked=EVERYTHING), observed)
    decision = replace(found, steps=(), findings=found.remarks, effects=())
    if busy(observed.holder, str(found.target)):
        return _at_work(decision, observed)
    return _corrected(decision, _edited_ranges(observed, str(decision.target)), Verdict.UPDATE_IN_PLACE)


def _at_work(decision: Decision, observed: Observed) -> Decision:
    """A run has it right now: what is there is on its way to something else, and nothing of it was left behind."""
    state = health(observed)
    told = softer((*decision.findings, *state.findings))
    return replace(
        decision, verdict=Verdict.IN_PROGRESS, findings=told, message=f"{told[0].what} {state.says}".rstrip()
    )


def _edited_ranges(observed: Observed, where: str) -> tuple[Finding, ...]:
    """The operator counts source ranges set by hand as progressing, and goes on doing so until they are gone."""
    remedy = "Put them into spec (loadBalancer.allowedSourceRanges), or take them off the Service."
    edits = messages.source_range_edits(observed.profile, observed.ic, observed.service)
    return tuple(
        Finding("source_ranges_edited", Severity.WARNING, where, edit.message, remedy, edit.have) for edit in edits
    )


def compared(decision: Decision, obj: Json, survey: AwsSurvey | None) -> Decision:
    """A decision on a Service, held to what AWS has: what is not in force there is no reason for an all-clear."""
    if obj is None:
        return decision
    facts = survey.about(obj) if survey is not None else None
    found = in_force(obj, facts) if facts is not None else by_name(obj)
    decision = agreeing(decision, looked=facts is not None and facts.told(LOAD_BALANCER))
    gone = any(finding.code == "lb_missing" for finding in found)
    return _corrected(decision, found, Verdict.RECREATE, Disruption.NONE if gone else Disruption.OUTAGE)


def _corrected(
    decision: Decision, found: tuple[Finding, ...], verdict: Verdict, cost: Disruption = Disruption.NONE
) -> Decision:
    """With these findings; where one of them is a warning, nothing is in order any more."""
    told = decision.with_findings(*found)
    wrong = [finding.what for finding in found if finding.severity is Severity.WARNING]
    if not wrong or decision.verdict is not Verdict.IN_SYNC:
        return told
    return replace(told, verdict=verdict, disruption=cost, message=" ".join(wrong))


def service(
    platform_name: str, obj: Json, events: Sequence[Json], cluster: str = "", now: float | None = None
) -> Decision:
    """A Service of type LoadBalancer that no IngressController owns."""
    meta = obj["metadata"]
    target = Target("Service", meta["name"], meta.get("namespace", ""), cluster)
    where = str(target)
    found = [*owner_finding(obj, where)]
    if platform_name == AWS:
        found += disagreements(dig(obj, "metadata", "annotations") or {})
        if lb_controller.holds(obj) and not lb_controller.owns(obj):
            text = (
                f"{lb_controller.FINALIZER} holds it for {lb_controller.NAME}, which is not to look after it any more."
            )
            remedy = "See that controller: the finalizer goes with the load balancer it once made."
            found.append(Finding("other_controller", Severity.WARNING, "metadata.finalizers", text, remedy))
    lb_class, served = dig(obj, "spec", "loadBalancerClass"), addresses(obj)
    found += class_radar.unwatched(obj, events, where)
    if meta.get("deletionTimestamp"):
        held = class_radar.held_by(platform_name, obj) or "nothing"
        found.append(
            Finding(
                "stuck_deletion", Severity.WARNING, where, f"Being deleted, held by {held}.", "See that controller."
            )
        )
    text = f"Serves at {', '.join(served)}." if served else "Has no address yet."
    verdict = Verdict.IN_SYNC if served else Verdict.IN_PROGRESS
    state = serving(Seen(obj, events, now, where, f"Service {meta.get('namespace', '')}/{meta['name']}"))
    if not state.up and not lb_class:
        found += [entry for entry in state.findings if entry.code != "lb_going"]
        verdict, text = Verdict.IN_PROGRESS if state.hopeful else Verdict.BLOCKED, state.says
    shown = {"class": lb_class or "", "addresses": served}
    return Decision(target, verdict, text, Disruption.NONE, tuple(found), before=shown, after=shown)


def plain_services(services: Iterable[Json], ingress_controllers: Iterable[str]) -> list[Json]:
    """LoadBalancer Services that are nobody's router."""
    known = set(ingress_controllers)
    return [
        obj
        for obj in services
        if dig(obj, "spec", "type") == "LoadBalancer" and dig(obj, "metadata", "labels", OWNER_LABEL) not in known
    ]


def row(decision: Decision) -> dict[str, Any]:
    """A small, stable summary for inventories and reports."""
    return {
        "kind": decision.target.kind,
        "namespace": decision.target.namespace,
        "name": decision.target.name,
        "verdict": decision.verdict.value,
        "disruption": decision.disruption.value,
        "message": decision.message,
        "codes": sorted({finding.code for finding in decision.findings}),
    }
