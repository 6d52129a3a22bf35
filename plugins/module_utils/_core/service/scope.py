# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope of a plain Service of type LoadBalancer that no operator owns (SCO-7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..aws import cloud_controller, lb_controller
from ..aws.in_force import BALANCER, unmet
from ..aws.preflight import WantedLb
from ..aws.question import AwsQuestion, answered, disrupts
from ..data import Json, dig, plain
from ..finalizers import foreign
from ..holder import busy
from ..model import Decision, Disruption, Finding, Pending, Severity, Step, Verdict
from ..operator.messages import SCOPE
from ..operator.names import AWS_EIPS, AWS_SUBNETS, NLB, OWNER_LABEL
from ..operator.status import source_ranges
from ..operator.subnets import Subnets
from ..owners import finding as owner_finding
from ..platforms import AWS, EXTERNAL, INTERNAL, platform
from ..serving import Seen, Serving, State, changed_in_vain, denied, serving, softer
from ..waits import addresses
from . import by_hand, kept
from .by_hand import scope_annotations
from .obstacles import blocked, unfit
from .state import ObservedService


def decide(scope: str, effectuate: str, observed: ObservedService, waits: bool = True) -> Decision | AwsQuestion:
    """The decision, or what AWS has to be asked before there can be one (SUB-3): what it would refuse blocks."""
    decision = planned(scope, effectuate, observed, waits)
    # What a stopped run of ours deleted comes back, whatever AWS says.
    asked_nobody = observed.platform != AWS or observed.service is None or observed.deleted_by_us
    if asked_nobody or decision.verdict is Verdict.BLOCKED:
        return decision
    makes_one = decision.verdict is Verdict.RECREATE
    wanted = lb_to_be(scope, observed.service)
    question = AwsQuestion(observed.infra, wanted, observed.service, makes_one, disrupts(decision))
    if observed.aws is None or (makes_one and not observed.aws.whole):
        return question
    found = answered(question, observed.aws)
    if any(finding.severity is Severity.ERROR for finding in found):
        return blocked(observed, found)
    decision = replace(decision, findings=(*found, *decision.findings))
    differs = denied(found)
    return replace(decision, message=differs) if differs and decision.verdict is Verdict.IN_SYNC else decision


def planned(scope: str, effectuate: str, observed: ObservedService, waits: bool = True) -> Decision:
    """What the cluster alone says. `waits`: until the new one serves; only then its kept manifest is not needed."""
    found = (*busy(observed.holder, str(observed.target)), *_obstacles(scope, effectuate, observed))
    state = health(observed)
    if found:
        return blocked(observed, (*found, *(softer(state.findings) if observed.going else ())))
    made = _restored(scope, observed) if observed.deleted_by_us else _changed(scope, effectuate, observed)
    decision = in_health(made, observed, state)
    decision = replace(decision, steps=(*decision.steps, *tidying(decision, observed, waits)))
    return decision.with_findings(*kept.taken(observed))


def tidying(decision: Decision, observed: ObservedService, waits: bool) -> tuple[Step, ...]:
    """Where the Service serves, or will at the end."""
    served = waits and any(step.wait_for is not None and step.wait_for.until == "ready" for step in decision.steps)
    keeps = observed.kept is not None or any(step.resource == "configmaps" for step in decision.steps)
    return kept.forgotten(observed) if keeps and (served or decision.verdict is Verdict.IN_SYNC) else ()


def health(observed: ObservedService) -> Serving:
    """Does its load balancer serve, and as it says?"""
    thing = f"Service {observed.namespace}/{observed.name}"
    seen = Seen(observed.service, observed.events or (), observed.now, str(observed.target), thing)
    found = serving(seen)
    return changed_in_vain(seen) if found.up and not observed.fits else found


def in_health(decision: Decision, observed: ObservedService, state: Serving) -> Decision:
    """A failure that this task does nothing about is the task's failure too."""
    if state.up:
        return decision.with_findings(*state.findings)
    if decision.changed or decision.verdict is Verdict.RECREATE:
        found = softer(state.findings) if decision.changed else state.findings
        return replace(decision.with_findings(*found), message=f"{state.says} {decision.message}")
    if not state.hopeful:
        return replace(decision.with_findings(*state.findings), verdict=Verdict.BLOCKED, message=state.says)
    wait = kept.readdressed(observed) if state.state is State.STALE else kept.ready(observed)
    waiting = replace(decision, verdict=Verdict.IN_PROGRESS, message=state.says, steps=(wait, *decision.steps))
    return waiting.with_findings(*state.findings)


def _changed(scope: str, effectuate: str, observed: ObservedService) -> Decision:
    have, pending = scope_of(observed), _pending(scope, observed)
    before = {"scope": have, "addresses": addresses(observed.service)}
    base = Decision(
        observed.target,
        Verdict.IN_SYNC,
        f"The load balancer is {scope}, as wanted.",
        findings=owner_finding(observed.service, str(observed.target)),
        before=before,
        after=before,
    )
    if not pending:
        return base
    base = replace(base, commands=by_hand.commands(observed, scope))
    if platform(observed.platform).scope_in_place:
        return _in_place(base, scope, observed)
    listed = "; ".join(f"{entry.field} {entry.have or 'none'} → {entry.want}" for entry in pending)
    text = f"On {observed.platform} this takes effect only with a new load balancer: {listed}."
    base = replace(base, verdict=Verdict.RECREATE, disruption=Disruption.OUTAGE, pending=pending)
    base = base.with_findings(*foreign(observed.service, str(observed.target)))
    if effectuate == "report":
        return replace(base, message=f"{text} Set effectuate: delete to recreate it.")
    body = _rescoped(kept.bare(observed.service), scope, observed)
    return replace(
        base,
        steps=kept.replaced(observed, body, _SAME.format(scope)),
        message=f"{text} The Service would be deleted and made again.",
        after={"scope": scope, "addresses": ["(new)"]},
        **({} if have == scope else _way_back(scope, observed)),
    )


def _way_back(scope: str, observed: ObservedService) -> dict[str, Any]:
    """The annotations are only half of it: no operator makes another load balancer for them."""
    what = (
        "revert_patch sets the annotations back, and the load balancer stays as it is until the Service is recreated."
    )
    remedy = f"To have both: {by_hand.command_back(observed, scope)}"
    told = Finding("revert_recreates", Severity.INFO, str(observed.target), what, remedy)
    patch = by_hand.revert_patch(observed, scope)
    return {"revert_patch": patch, "revert_disruption": Disruption.OUTAGE, "effects": (told,)}


def _pending(scope: str, observed: ObservedService) -> tuple[Pending, ...]:
    """What the annotations lack; where they have it, what the load balancer lacks all the same."""
    have = scope_of(observed)
    if have != scope:
        return (Pending(SCOPE, have, scope),)
    lacking = unmet(observed.service, observed.aws) if observed.platform == AWS else {}
    wants = {BALANCER: "a new one", SCOPE: scope}
    return tuple(Pending(field, lacking[field], want) for field, want in wants.items() if field in lacking)


def _in_place(base: Decision, scope: str, observed: ObservedService) -> Decision:
    return replace(
        base,
        verdict=Verdict.UPDATE_IN_PLACE,
        disruption=Disruption.BRIEF,
        steps=(_annotate(scope, observed), kept.readdressed(observed)),
        message=f"On {observed.platform} the scope would change in place, and the address with it.",
        after={"scope": scope, "addresses": ["(new)"]},
        revert_patch=by_hand.revert_patch(observed, scope),
        revert_disruption=Disruption.BRIEF,
    )


_SAME = "the same Service with scope {}"


def _restored(scope: str, observed: ObservedService) -> Decision:
    """A run was stopped between delete and create: the kept manifest brings the Service back."""
    # While the Service is still going, its own manifest can replace one that somebody spoilt.
    again = (kept.keeping(observed),) if observed.going and kept.spoilt_of(observed) else ()
    manifest = kept.bare(observed.service) if again else kept.manifest_kept(observed)
    body = _rescoped(manifest, scope, observed)
    text = "A run was stopped after it had deleted the Service; its kept manifest brings it back."
    return Decision(
        observed.target,
        Verdict.RECREATE,
        text,
        effects=(Finding("restored", Severity.WARNING, str(observed.target), text),),
        steps=(*again, *kept.brought_back(observed, body, _SAME.format(scope))),
        after={"scope": scope, "addresses": ["(new)"]},
    )


def _obstacles(scope: str, effectuate: str, observed: ObservedService) -> Iterator[Finding]:
    """The first thing that stands in the way: what comes after it makes no sense then."""
    if observed.deleted_by_us:
        yield from () if observed.going else kept.spoilt_of(observed)
        return
    known = platform(observed.platform)
    owner = dig(observed.service, "metadata", "labels", OWNER_LABEL)
    unusable = unfit(observed, f"Use ingress_controller: {owner} instead of service.")
    if unusable:
        yield unusable
        return
    elsewhere, mended = _elsewhere(scope, observed)
    rules = (
        (
            effectuate == "operator",
            "no_operator",
            "No operator owns it, so effectuate: operator has nobody to recreate it.",
            "Take effectuate: delete; its manifest is kept meanwhile.",
        ),
        (
            not known.scope_key,
            "platform_unsupported",
            f"Platform {known.name!r} has no annotation for an internal load balancer, so {scope} cannot be set.",
            "Leave this cluster out.",
        ),
        (elsewhere, "other_controller", elsewhere, mended),
    )
    for broken, code, what, remedy in rules:
        if broken:
            yield Finding(code, Severity.ERROR, str(observed.target), what, remedy)
            return


def scope_of(observed: ObservedService) -> str:
    """As the controller reads it that looks after the Service."""
    if observed.platform == AWS and lb_controller.owns(observed.service):
        internal = lb_controller.internal(observed.annotations)
    else:
        internal = platform(observed.platform).internal_for_cloud(observed.annotations)
    return INTERNAL if internal else EXTERNAL


def _elsewhere(scope: str, observed: ObservedService) -> tuple[str, str]:
    """Why the cloud provider's controller has no hand in it, and what to do; '' where it has, or where all is well."""
    lb_class = dig(observed.service, "spec", "loadBalancerClass")
    if observed.platform == AWS and lb_controller.owns(observed.service):
        if scope_of(observed) == scope:
            return "", ""
        remedy = f"Set {lb_controller.SCHEME} to {lb_controller.SCHEMES[scope]}; it then makes a new load balancer."
        return f"It belongs to {lb_controller.NAME}, which reads annotations of its own.", remedy
    if observed.platform == AWS and lb_controller.nobody_owns(observed.service):
        what = f"Its type annotation turns the cloud controller away, and {lb_controller.NAME} does not take it."
        return what, f"Set {lb_controller.TARGET_TYPE} to ip or instance, or the type to nlb."
    if lb_class:
        what = f"Its loadBalancerClass {lb_class!r} gives it to another controller than the cloud provider's."
        return what, "Use that controller's own annotations."
    return "", ""


def _annotate(scope: str, observed: ObservedService) -> Step:
    wanted = by_hand.changes(observed, scope)
    meta = observed.service["metadata"]
    back = Step(
        "kube",
        "patch",
        "services",
        observed.name,
        observed.namespace,
        by_hand.revert_patch(observed, scope),
        "back to the scope from before; its address changes again",
        Disruption.BRIEF,
        uid=meta.get("uid", ""),
    )
    return replace(
        back,
        body={"metadata": {"annotations": wanted}},
        why=f"on {observed.platform} the annotation changes the load balancer in place; its address changes",
        resource_version=meta.get("resourceVersion", ""),
        undo=(back,),
    )


def _rescoped(manifest: dict[str, Any], scope: str, observed: ObservedService) -> dict[str, Any]:
    body: dict[str, Any] = plain(manifest)
    annotations = body["metadata"].setdefault("annotations", {})
    for key, value in scope_annotations(observed.platform, scope).items():
        annotations.pop(key, None)
        if value is not None:
            annotations[key] = value
    return body


def lb_to_be(scope: str, service: Json) -> WantedLb:
    """As the cloud controller reads the annotations, which trims and drops empty parts."""
    annotations = dig(service, "metadata", "annotations") or {}
    listed: Json = annotations.get(AWS_SUBNETS)
    subnets = None if listed is None else Subnets.split(cloud_controller.split_subnets(listed))
    kind = cloud_controller.lb_kind(annotations) or NLB
    eips = cloud_controller.split_eips(annotations.get(AWS_EIPS, "")) if kind == NLB else []
    ranges = source_ranges(service) or ()
    dual = len(dig(service, "spec", "ipFamilies") or ()) > 1
    return WantedLb(kind, scope, subnets, eips, ranges, dual)
