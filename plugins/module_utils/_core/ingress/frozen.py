# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A frozen operator: foreseen, recognised, planned round in stages, rescued on request (SUB-13; facts §14)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..data import Json, dig, merge_patch, plain
from ..model import Decision, Disruption, Finding, Pending, Severity, Step, Verdict
from ..operator import messages, names, predict, revert, router_service
from ..operator.admission import needs_admission, unreadable
from ..operator.diff import annotations_of
from ..operator.names import CLASSIC, PARAMS
from ..operator.predict import Settled
from ..operator.schema import Cause
from ..operator.subnets import Subnets, lb_type, parse
from ..safety import unasked
from . import differences, effects, effectuate, rescue, spec, words
from .state import Observed, Wanted, Way

_STAGED = (
    "In one go the operator could not write its own status and would freeze: stage 1 of 2 takes the Elastic IPs or the "
    "floating IP away and is effectuated, stage 2 changes the scope, and the subnets with it."
)
# What may not stand beside an Internal scope → how lb_effectuate's changes call it.
_BEFORE_SCOPE = {messages.EIPS: "eip_allocations", messages.FLOATING_IP: "floating_ip"}
_MIRRORED = (names.AWS_SUBNETS, names.AWS_EIPS)


@dataclass(frozen=True)
class Rescue:
    """Either blocked, or the steps that thaw it, or the first stage of a change that would freeze it."""

    blocked: Finding | None = None
    steps: tuple[Step, ...] = ()
    patch: Json = None
    why: str = ""


def plan(wanted: Wanted, way: Way, observed: Observed, now: Settled, patch: dict[str, Any]) -> Rescue:
    """What to do about a patch after which the operator is frozen."""
    odd = unreadable(observed.ic)
    if odd is not None:
        return Rescue(blocked=_not_read(observed, odd))
    if not now.frozen:
        return _staged(observed, patch, messages.SUBNETS in way.asks(wanted))
    stuck_at_admission = needs_admission(observed.profile, observed.ic)
    if not way.unfreeze:
        return Rescue(blocked=_finding(observed, now, stuck_at_admission))
    return Rescue(steps=_thaw_scope(wanted, observed) if stuck_at_admission else _thaw_annotations(observed))


def _staged(observed: Observed, patch: dict[str, Any], subnets_asked: bool) -> Rescue:
    """The same patch without the scope: the scope follows once the rest is in force, and the subnets with it."""
    first = plain(patch)
    (dig(first, "spec", "endpointPublishingStrategy", "loadBalancer") or {}).pop("scope", None)
    if subnets_asked:
        first = _staying(observed, first)
    first = spec.same_order_kept(observed, first)
    after, _causes = predict.patched(observed.profile, observed.ic, first)
    settled = predict.settle(observed.profile, observed.infra, after, observed.service)
    if settled.frozen:
        return Rescue(blocked=_finding(observed, settled, False))
    return Rescue(patch=first, why=_STAGED)


def _staying(observed: Observed, patch: dict[str, Any]) -> dict[str, Any]:
    """The patch that leaves the load balancer in the subnets in force: new ones are chosen for the scope to come.

    An External load balancer in private subnets would be one that nobody reaches, until the second stage.
    """
    lb = patch["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    kind = dig(lb, "providerParameters", "aws", "type") or observed.type_in_force
    for params in (dig(lb, "providerParameters", "aws", name) for name in PARAMS.values()):
        if params is not None:
            params.pop("subnets", None)
    left, _causes = predict.patched(observed.profile, observed.ic, patch)
    have, said = parse(observed.annotations), Subnets.listed(router_service.spec_params(left, kind).get("subnets"))
    if have.same(said):
        return patch
    lists = {"ids": list(have.ids) or None, "names": list(have.names) or None} if have else None
    aws = {"type": "AWS", "aws": {"type": kind, PARAMS[kind]: {"subnets": lists}}}
    stays = {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"providerParameters": aws}}}}
    kept: dict[str, Any] = spec.combined(patch, stays)
    return patch if predict.patched(observed.profile, observed.ic, kept)[1] else kept


def _finding(observed: Observed, settled: Settled, stuck_at_admission: bool) -> Finding:
    causes = "; ".join(str(cause) for cause in settled.frozen)
    code = "operator_frozen" if stuck_at_admission else "status_frozen"
    if stuck_at_admission:
        what = (
            f"The operator is frozen: it cannot admit this spec, its status would break a rule of the API ({causes})."
        )
        remedy = (
            "Do not delete the Service: it would not come back. Set the scope back to External, or run lb_effectuate "
            "with unfreeze: true, which does that and then makes the change in stages."
        )
    else:
        what = f"The operator is frozen: it cannot mirror the Service's annotations into its status ({causes})."
        remedy = (
            "Its conditions are stale. Make the annotation legal or remove it, or run lb_effectuate with "
            "unfreeze: true, which sets it to what spec says."
        )
    return Finding(code, Severity.ERROR, f"IngressController {observed.name}", what, remedy)


def _not_read(observed: Observed, odd: Cause) -> Finding:
    what = f"The operator cannot read this IngressController, and acts on none of its changes: {odd}."
    remedy = "Write the duration with h, m and s only (24h for a day); until then do not delete the Service."
    return Finding("spec_unreadable", Severity.ERROR, f"IngressController {observed.name}", what, remedy)


def _thaw_scope(wanted: Wanted, observed: Observed) -> tuple[Step, ...]:
    """F1, F2: scope back to the one status still has; if the Service is gone it is recreated at once."""
    scope = dig(observed.ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope") or "External"
    body = {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"scope": scope}}}, **rescue.note(wanted)}
    # Thawed, the operator carries out whatever else spec says.
    after, _causes = predict.patched(observed.profile, observed.ic, body)
    settled = predict.settle(observed.profile, observed.infra, after, observed.service)
    cost, notice, _effects = effects.of_settling(observed.service, settled)
    why = "the scope goes back so that the operator can admit the spec again"
    step = effectuate.ic_patch(
        observed,
        body,
        f"{why}: {notice}" if notice else why,
        disruption=cost,
        resource_version=dig(observed.ic, "metadata", "resourceVersion") or "",
    )
    return (step, effectuate.admitted(observed))


def _thaw_annotations(observed: Observed) -> tuple[Step, ...]:
    """F3: the annotations the status may not hold, set to what spec says."""
    wanted = annotations_of(router_service.service(observed.profile, observed.infra, observed.ic, None))
    have = observed.annotations
    changed = {key: wanted.get(key) for key in _MIRRORED if have.get(key) != wanted.get(key)}
    meta = observed.service["metadata"]
    # The cloud controller attaches and detaches a Classic load balancer's subnets; an NLB ignores the annotation.
    cost = Disruption.BRIEF if lb_type(have) == CLASSIC and names.AWS_SUBNETS in changed else Disruption.NONE
    back = {key: have.get(key) for key in changed}
    step = Step(
        "kube",
        "patch",
        "services",
        meta["name"],
        meta["namespace"],
        {"metadata": {"annotations": changed}},
        "the annotations go to what spec says, so that the operator can write its status again",
        cost,
        uid=meta.get("uid", ""),
        resource_version=meta.get("resourceVersion", ""),
    )
    undo = replace(
        step, body={"metadata": {"annotations": back}}, resource_version="", why="back to the annotations from before"
    )
    return (replace(step, undo=(undo,)), effectuate.admitted(observed))


def not_yet(observed: Observed, pending: Sequence[Pending]) -> Finding:
    """The scope has to wait for something that this task did not ask for."""
    fields = [entry.field for entry in pending if entry.field in _BEFORE_SCOPE]
    waiting = " and ".join(words.field(name) for name in fields)
    what = f"The scope can only change once the {waiting} still in force are gone: the operator would freeze."
    first = ", ".join(_BEFORE_SCOPE[name] for name in fields)
    remedy = f"Effectuate their removal first: lb_effectuate with changes: [{first}]."
    return Finding("would_freeze", Severity.ERROR, f"IngressController {observed.name}", what, remedy)


def at_last(wanted: Wanted, observed: Observed, first: Json) -> Json:
    """The IngressController after all stages; `first`: once the first one is patched."""
    made = predict.settle(observed.profile, observed.infra, first, None)
    patch = spec.spec_patch(wanted, replace(observed, ic=made.ic, service=made.service))
    after, _causes = predict.patched(observed.profile, made.ic, patch)
    return predict.settle(observed.profile, observed.infra, after, made.service).ic


def of_all_stages(observed: Observed, now: Settled, last: Json, asked: Collection[str]) -> tuple[Pending, ...]:
    """What the stages effectuate together. `last`: the IngressController after them."""
    before = [entry.field for entry in differences.pending(observed, now.ic, observed.service, asked)]
    return differences.pending(observed, last, observed.service, asked, before)


def beyond(way: Way, asked: Collection[str], observed: Observed, first: Settled, last: Json) -> Finding | None:
    """What the stages would effectuate beside what was asked for: said before the first one is begun (CORE-3).

    `first`: the cluster after the first stage; it recreates where somebody armed auto-delete, and so will the others.
    `last`: the IngressController after all of them.
    """
    if way.effectuate == "report" and not first.recreated:
        return None
    live = first.service if observed.service is None else observed.service
    foreign = unasked(differences.pending(observed, last, live, asked))
    return None if foreign is None else foreign.finding(str(observed.target))


def blocked_decision(empty: Decision, observed: Observed, now: Settled, finding: Finding) -> Decision:
    """With the patch that cancels it, and without the deletion other pending changes are told: it would be fatal."""
    cancel = revert.revert(observed.profile, now.ic, list(now.changes)).patch
    return replace(
        empty,
        findings=(finding,),
        message=str(finding),
        revert_patch=cancel,
        commands=() if cancel is None else (revert.command(observed.name, cancel),),
        before=words.shown(observed),
    )


def rescue_decision(
    empty: Decision, wanted: Wanted, way: Way, observed: Observed, now: Settled, thaw: Rescue
) -> Decision:
    """The thaw alone; the stages after it are decided on what it leaves, but their cost is asked for now."""
    later = Disruption.NONE if way.effectuate == "report" else Disruption.OUTAGE
    cost = Disruption.worst((*(step.disruption for step in thaw.steps), later))
    thawed, service = _thawed(observed, thaw.steps[0])
    settled = predict.settle(observed.profile, observed.infra, thawed, service)
    last = at_last(wanted, observed, thawed)
    stopped = beyond(way, way.asks(wanted), replace(observed, service=service), settled, last)
    if stopped is not None:
        return blocked_decision(empty, observed, now, stopped)
    pending: tuple[Pending, ...] = ()
    if way.effectuate == "report":
        after = words.state(observed, settled.ic, settled.service)
    else:
        pending = of_all_stages(observed, now, last, way.asks(wanted))
        after = words.made_anew(observed, last)
    return replace(
        empty,
        verdict=Verdict.UPDATE_IN_PLACE,
        disruption=cost,
        steps=thaw.steps,
        pending=pending,
        message="The operator is frozen; first it is thawed, then the change would go on in stages.",
        before=words.shown(observed),
        after=after,
        more_stages=True,
        later=later,
        details={"stage": 0, "stages": 2},
    )


def _thawed(observed: Observed, step: Step) -> tuple[Json, Json]:
    """IngressController and Service after the one step."""
    on_ic = step.resource == effectuate.IC_RESOURCE
    thawed, _causes = predict.patched(observed.profile, observed.ic, step.body if on_ic else {})
    return thawed, observed.service if on_ic else merge_patch(observed.service, step.body)
