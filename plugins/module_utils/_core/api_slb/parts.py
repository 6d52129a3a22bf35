# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one of the three Services needs, as steps; the decision puts them in order (API-1, API-5, CORE-6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..data import Json, dig, merge_patch
from ..model import Disruption, Finding, Pending, Severity, Step, Verdict, Wait
from ..owners import finding as owner_finding
from ..service import kept
from ..service.state import ObservedService
from ..serving import Seen, Serving, serving, softer
from ..waits import addresses
from . import manifests
from .clouds import cloud_of
from .manifests import Said
from .names import Slb
from .readiness import lacking, without_endpoints


@dataclass(frozen=True)
class Part:
    """`stays`: it is to be there. `takes_away`: its steps remove this path, for a while or for good."""

    slb: Slb
    seen: ObservedService
    stays: bool
    verdict: Verdict = Verdict.IN_SYNC
    says: str = ""
    steps: tuple[Step, ...] = ()
    takes_away: bool = False
    pending: tuple[Pending, ...] = ()
    findings: tuple[Finding, ...] = ()
    effects: tuple[Finding, ...] = ()
    body: Json = None  # as it will be
    readdresses: bool = False

    @property
    def makes_one(self) -> bool:
        """A load balancer that is not there now."""
        return any((step.verb, step.resource) == ("create", "services") for step in self.steps)


def part(slb: Slb, seen: ObservedService, what: Said | None, endpoints: tuple[str, ...], patient: bool) -> Part:
    """`what` None: it is not to be there. `patient`: nobody expects it to serve yet, and nothing waits for that."""
    made = _not_to_be(slb, seen) if what is None else _to_be(slb, seen, what, endpoints, patient)
    made = replace(made, findings=(*made.findings, *kept.taken(seen)))
    if not patient:
        return made
    return replace(made, steps=tuple(step for step in made.steps if not _waits_to_serve(step)))


def _waits_to_serve(step: Step) -> bool:
    return step.wait_for is not None and step.wait_for.until in ("served", "ready")


def _to_be(slb: Slb, seen: ObservedService, what: Said, endpoints: tuple[str, ...], patient: bool) -> Part:
    if seen.deleted_by_us:
        return _brought_back(slb, seen, what)
    if seen.going:
        text = "It is being deleted, and not by this task."
        return _blocked(slb, seen, "being_deleted", text, "Wait until it is gone.")
    if seen.service is None:
        return _created(slb, seen, what)
    lb_class = dig(seen.service, "spec", "loadBalancerClass")
    if lb_class:
        text = f"Its loadBalancerClass {lb_class!r} gives it to another controller than the cloud provider's."
        return _blocked(slb, seen, "other_controller", text, "Recreate it without the class.")
    return _in_health(_changed(slb, seen, what), endpoints, patient)


def _blocked(slb: Slb, seen: ObservedService, code: str, what: str, remedy: str) -> Part:
    found = (Finding(code, Severity.ERROR, str(slb), what, remedy),)
    return Part(slb, seen, True, Verdict.BLOCKED, what, findings=found, body=seen.service)


def served(seen: ObservedService) -> Step:
    why = "the load balancer has an address and an endpoint is ready behind it"
    return Step("kube", "wait", "services", seen.name, seen.namespace, why=why, wait_for=Wait("served"))


def _created(slb: Slb, seen: ObservedService, what: Said) -> Part:
    body = manifests.manifest(slb, what)
    place = (slb.name, slb.namespace)
    back = Step("kube", "delete", "services", *place, why="there was none before", disruption=Disruption.OUTAGE)
    create = Step("kube", "create", "services", *place, body, "the cloud makes a load balancer for it", undo=(back,))
    tidy = kept.forgotten(seen) if seen.kept is not None else ()
    return Part(
        slb,
        seen,
        True,
        Verdict.UPDATE_IN_PLACE,
        f"{slb.name} would be made.",
        (create, served(seen), *tidy),
        body=body,
        readdresses=True,
    )


def _brought_back(slb: Slb, seen: ObservedService, what: Said) -> Part:
    """A run was stopped between delete and create."""
    spoilt = kept.spoilt_of(seen)
    if spoilt and not seen.going:
        return replace(_created(slb, seen, what), findings=softer(spoilt))
    again = (kept.keeping(seen),) if spoilt else ()
    was = kept.bare(seen.service) if again else kept.manifest_kept(seen)
    body = _as_said(slb, was, what)
    text = f"A run was stopped after it had deleted {slb.name}; its kept manifest brings it back."
    steps = (*again, *kept.brought_back(seen, body, "the same Service, as it is wanted now"), served(seen))
    return Part(
        slb,
        seen,
        True,
        Verdict.RECREATE,
        text,
        (*steps, *kept.forgotten(seen)),
        effects=(Finding("restored", Severity.WARNING, str(slb), text),),
        body=body,
        readdresses=True,
    )


def _as_said(slb: Slb, was: Mapping[str, Any], what: Said) -> dict[str, Any]:
    merged: dict[str, Any] = merge_patch(was, manifests.patch(slb, what, was))
    return merged


def _not_to_be(slb: Slb, seen: ObservedService) -> Part:
    tidy = kept.forgotten(seen) if seen.kept is not None else ()
    if seen.service is None:
        return Part(slb, seen, False, Verdict.UPDATE_IN_PLACE if tidy else Verdict.IN_SYNC, "", tidy)
    uid = dig(seen.service, "metadata", "uid")
    place = (slb.name, slb.namespace)
    gone = Step("kube", "wait", "services", *place, why="its load balancer is gone", wait_for=Wait("gone", old_uid=uid))
    if seen.going:
        return Part(slb, seen, False, Verdict.IN_PROGRESS, f"{slb.name} is going.", (gone, *tidy))
    keep, delete, *_rest = kept.replaced(seen, None, "")
    back = Step("kube", "create", "services", *place, kept.bare(seen.service), f"{slb.name} as it was")
    delete = replace(
        delete,
        why="its load balancer goes: whoever uses it is cut off",
        undo=(back,),
        point_of_no_return=False,
    )
    steps = (replace(keep, undo=()), delete, gone, *kept.forgotten(seen))
    found = owner_finding(seen.service, str(slb))
    return Part(
        slb, seen, False, Verdict.UPDATE_IN_PLACE, f"{slb.name} would go.", steps, takes_away=True, findings=found
    )


def _changed(slb: Slb, seen: ObservedService, what: Said) -> Part:
    change = manifests.patch(slb, what, seen.service)
    tidy = kept.forgotten(seen) if seen.kept is not None else ()
    base = Part(slb, seen, True, body=seen.service, steps=tidy, findings=owner_finding(seen.service, str(slb)))
    if not change:
        return base
    body = merge_patch(seen.service, change)
    fields = _fields(change)
    served_now = bool(addresses(seen.service))
    if served_now and any(field in cloud_of(seen.platform).at_creation for field in fields):
        return _recreated(base, what, fields)
    moves = served_now and _moves(seen, change)
    cost = Disruption.BRIEF if served_now and set(fields) - {"type"} else Disruption.NONE
    back = Step(
        "kube",
        "patch",
        "services",
        slb.name,
        slb.namespace,
        manifests.inverse(change, seen.service),
        f"{slb.name} as it was",
        cost,
        uid=dig(seen.service, "metadata", "uid"),
    )
    step = replace(
        back,
        body=change,
        why=f"{', '.join(fields)} of {slb.name} are not as they are wanted",
        resource_version=dig(seen.service, "metadata", "resourceVersion"),
        undo=(back,),
    )
    wait = kept.readdressed(seen) if moves else served(seen)
    says = f"{slb.name} would be changed in place: {', '.join(fields)}."
    return replace(
        base,
        verdict=Verdict.UPDATE_IN_PLACE,
        says=says,
        steps=(step, wait, *tidy),
        body=body,
        readdresses=moves,
    )


def _fields(change: Mapping[str, Any]) -> tuple[str, ...]:
    return (*(dig(change, "metadata", "annotations") or {}), *(change.get("spec") or {}))


def _moves(seen: ObservedService, change: Mapping[str, Any]) -> bool:
    """Its address becomes another one."""
    ip = dig(change, "spec", "loadBalancerIP")
    scope = set(dig(change, "metadata", "annotations") or {}) & set(cloud_of(seen.platform).owned)
    return bool((ip and ip not in addresses(seen.service)) or scope)


def _recreated(base: Part, what: Said, fields: tuple[str, ...]) -> Part:
    """What AWS reads only when it makes the load balancer."""
    slb, seen = base.slb, base.seen
    body = _as_said(slb, kept.bare(seen.service), what)
    steps = (*kept.replaced(seen, body, "the same Service, as it is wanted now"), served(seen), *kept.forgotten(seen))
    text = f"{slb.name}: {', '.join(fields)} count only when the load balancer is made, so it would be made anew."
    return replace(
        base,
        verdict=Verdict.RECREATE,
        says=text,
        steps=steps,
        takes_away=True,
        pending=(Pending(f"{slb.role}: {', '.join(fields)}", _now(seen, fields), _then(body, fields)),),
        body=body,
        readdresses=True,
    )


def _now(seen: ObservedService, fields: tuple[str, ...]) -> dict[str, Any]:
    return {field: seen.annotations.get(field) for field in fields if field in seen.annotations}


def _then(body: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    notes = dig(body, "metadata", "annotations") or {}
    return {field: notes[field] for field in fields if field in notes}


def health(slb: Slb, seen: ObservedService) -> Serving:
    return serving(Seen(seen.service, seen.events or (), seen.now, str(slb), slb.name))


def _in_health(made: Part, endpoints: tuple[str, ...], patient: bool) -> Part:
    """A load balancer that serves nobody is no reason for an all-clear (CORE-14)."""
    slb, seen = made.slb, made.seen
    missing = lacking(seen.service, endpoints)
    if not missing:
        return made
    state = health(slb, seen)
    found = state.findings if not state.up else (without_endpoints(slb, seen.service, seen.now),)
    if made.steps and made.verdict is not Verdict.IN_SYNC:
        return replace(made, findings=(*made.findings, *softer(found)))
    hopeless = any(entry.severity is Severity.ERROR for entry in found) and (state.up or not state.hopeful)
    if hopeless and not patient:
        return replace(made, verdict=Verdict.BLOCKED, says=found[0].what, findings=(*made.findings, *found))
    return replace(
        made,
        verdict=Verdict.IN_PROGRESS,
        says=f"{slb.name} is not ready: {missing}.",
        steps=(served(seen), *made.steps),
        findings=(*made.findings, *softer(found)),
    )
