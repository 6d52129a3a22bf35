# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope of a plain Service of type LoadBalancer that no operator owns (SCO-7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..aws import cloud_controller, lb_controller
from ..aws.preflight import WantedLb
from ..aws.question import AwsQuestion, answered, disrupts
from ..data import Json, dig, plain
from ..holder import busy
from ..model import Decision, Disruption, Finding, Severity, Step, Verdict
from ..operator.names import AWS_EIPS, AWS_SUBNETS, NLB, OWNER_LABEL
from ..operator.status import source_ranges
from ..operator.subnets import Subnets
from ..owners import finding as owner_finding
from ..platforms import AWS, EXTERNAL, INTERNAL, platform
from ..waits import addresses
from . import kept
from .state import ObservedService


def decide(scope: str, effectuate: str, observed: ObservedService) -> Decision | AwsQuestion:
    """The decision, or what AWS has to be asked before there can be one (SUB-3): what it would refuse blocks."""
    decision = planned(scope, effectuate, observed)
    # What a stopped run of ours deleted comes back, whatever AWS says.
    asked_nobody = observed.platform != AWS or observed.service is None or observed.deleted_by_us
    if asked_nobody or decision.verdict is Verdict.BLOCKED:
        return decision
    makes_one = decision.verdict is Verdict.RECREATE
    wanted = _lb_to_be(scope, observed)
    question = AwsQuestion(observed.infra, wanted, observed.service, makes_one, disrupts(decision))
    if observed.aws is None or (makes_one and not observed.aws.whole):
        return question
    found = answered(question, observed.aws)
    if any(finding.severity is Severity.ERROR for finding in found):
        return _blocked(observed, found)
    return replace(decision, findings=(*found, *decision.findings))


def planned(scope: str, effectuate: str, observed: ObservedService) -> Decision:
    """What the cluster alone says."""
    found = (*busy(observed.holder, str(observed.target)), *_obstacles(scope, effectuate, observed))
    if found:
        return _blocked(observed, found)
    decision = _restored(scope, observed) if observed.deleted_by_us else _changed(scope, effectuate, observed)
    return decision.with_findings(*kept.taken(observed))


def _blocked(observed: ObservedService, found: tuple[Finding, ...]) -> Decision:
    errors = [str(finding) for finding in found if finding.severity is Severity.ERROR]
    return Decision(observed.target, Verdict.BLOCKED, " ".join(errors), findings=found)


def _changed(scope: str, effectuate: str, observed: ObservedService) -> Decision:
    have = _scope(observed)
    before = {"scope": have, "addresses": addresses(observed.service)}
    after = {"scope": scope, "addresses": ["(new)"]}
    base = Decision(
        observed.target,
        Verdict.IN_SYNC,
        f"The load balancer is {scope} already.",
        findings=owner_finding(observed.service, str(observed.target)),
        before=before,
        after=before,
    )
    if have == scope:
        return base if observed.kept is None else replace(base, steps=kept.forgotten(observed))
    if platform(observed.platform).scope_in_place:
        return replace(
            base,
            verdict=Verdict.UPDATE_IN_PLACE,
            disruption=Disruption.BRIEF,
            steps=(_annotate(scope, observed), kept.readdressed(observed)),
            message=f"On {observed.platform} the scope changes in place, and the address with it.",
            after=after,
        )
    text = f"On {observed.platform} the scope {have} → {scope} takes effect only with a new load balancer."
    recreation = replace(base, verdict=Verdict.RECREATE, disruption=Disruption.OUTAGE)
    if effectuate == "report":
        return replace(recreation, message=f"{text} Set effectuate: delete to recreate it.")
    body = _rescoped(kept.bare(observed.service), scope, observed)
    return replace(recreation, steps=kept.replaced(observed, body, _SAME.format(scope)), message=text, after=after)


_SAME = "the same Service with scope {}"


def _restored(scope: str, observed: ObservedService) -> Decision:
    """A run was stopped between delete and create: the kept manifest brings the Service back."""
    # While the Service is still going, its own manifest can replace one that somebody spoilt.
    again = (kept.keeping(observed),) if observed.going and kept.spoilt(observed) else ()
    manifest = kept.bare(observed.service) if again else kept.manifest_kept(observed)
    body = _rescoped(manifest, scope, observed)
    text = "A run was stopped after it had deleted the Service; it is restored from its kept manifest."
    return Decision(
        observed.target,
        Verdict.RECREATE,
        text,
        findings=(Finding("restored", Severity.WARNING, str(observed.target), text),),
        steps=(*again, *kept.brought_back(observed, body, _SAME.format(scope))),
        after={"scope": scope, "addresses": ["(new)"]},
    )


def _obstacles(scope: str, effectuate: str, observed: ObservedService) -> Iterator[Finding]:
    """The first thing that stands in the way: what comes after it makes no sense then."""
    if observed.deleted_by_us:
        yield from () if observed.going else kept.spoilt(observed)
        return
    service, known = observed.service, platform(observed.platform)
    kind = dig(service, "spec", "type")
    elsewhere, by_hand = _elsewhere(scope, observed) if service is not None else ("", "")
    owner = dig(service, "metadata", "labels", OWNER_LABEL)
    rules = (
        (service is None, "not_found", "There is no such Service.", "Check namespace and name."),
        (
            observed.going,
            "being_deleted",
            "It is being deleted, and not by this collection.",
            "Wait until it is gone.",
        ),
        (
            effectuate == "operator",
            "no_operator",
            "No operator owns it, so effectuate: operator has nobody to recreate it.",
            "Take effectuate: delete; its manifest is kept meanwhile.",
        ),
        (
            kind != "LoadBalancer",
            "not_a_load_balancer",
            f"Its type is {kind}, not LoadBalancer.",
            "Name a Service of that type.",
        ),
        (
            owner,
            "operator_owned",
            f"The ingress operator owns it for IngressController {owner!r} and would write the change back.",
            f"Use ingress_controller: {owner} instead of service.",
        ),
        (
            not known.scope_key,
            "platform_unsupported",
            f"Platform {known.name!r} has no annotation for an internal load balancer, so {scope} cannot be set.",
            "Leave this cluster out.",
        ),
        (elsewhere, "other_controller", elsewhere, by_hand),
    )
    for broken, code, what, remedy in rules:
        if broken:
            yield Finding(code, Severity.ERROR, str(observed.target), what, remedy)
            return


def _scope(observed: ObservedService) -> str:
    """As the controller reads it that looks after the Service."""
    if observed.platform == AWS and lb_controller.owns(observed.service):
        internal = lb_controller.internal(observed.annotations)
    else:
        internal = platform(observed.platform).internal_for_cloud(observed.annotations)
    return INTERNAL if internal else EXTERNAL


def _scope_annotations(name: str, scope: str) -> dict[str, str | None]:
    known = platform(name)
    return {**known.cleared(), **known.scope_annotations(scope)}


def _elsewhere(scope: str, observed: ObservedService) -> tuple[str, str]:
    """Why the cloud provider's controller has no hand in it, and what to do; '' where it has, or where all is well."""
    lb_class = dig(observed.service, "spec", "loadBalancerClass")
    if observed.platform == AWS and lb_controller.owns(observed.service):
        if _scope(observed) == scope:
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
    said = _scope_annotations(observed.platform, scope)
    wanted = {key: value for key, value in said.items() if value is not None or key in observed.annotations}
    meta = observed.service["metadata"]
    back = Step(
        "kube",
        "patch",
        "services",
        observed.name,
        observed.namespace,
        {"metadata": {"annotations": {key: observed.annotations.get(key) for key in wanted}}},
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
    for key, value in _scope_annotations(observed.platform, scope).items():
        annotations.pop(key, None)
        if value is not None:
            annotations[key] = value
    return body


def _lb_to_be(scope: str, observed: ObservedService) -> WantedLb:
    """As the cloud controller reads the annotations, which trims and drops empty parts."""
    annotations = observed.annotations
    listed: Json = annotations.get(AWS_SUBNETS)
    subnets = None if listed is None else Subnets.split(cloud_controller.split_subnets(listed))
    kind = cloud_controller.lb_kind(annotations) or NLB
    eips = cloud_controller.split_eips(annotations.get(AWS_EIPS, "")) if kind == NLB else []
    ranges = source_ranges(observed.service) or ()
    dual = len(dig(observed.service, "spec", "ipFamilies") or ()) > 1
    return WantedLb(kind, scope, subnets, eips, ranges, dual)
