# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope of a plain Service of type LoadBalancer that no operator owns (SCO-7).

Nothing is ever lost: where the Service has to go, its manifest is kept in a ConfigMap until the new one serves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..aws.cloud_controller import internal_scheme
from ..data import Json, dig, plain
from ..model import Decision, Disruption, Finding, Severity, Step, Target, Verdict
from ..operator.names import OWNER_LABEL
from ..owners import finding as owner_finding
from ..platforms import AWS, EXTERNAL, INTERNAL, platform
from ..waits import addresses

_SERVER_SET = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "selfLink",
    "finalizers",
)
_SAVED = "manifest.json"


@dataclass(frozen=True)
class ObservedService:
    platform: str
    namespace: str
    name: str
    service: Json = None
    saved: Json = None  # the ConfigMap that keeps the manifest of a Service we deleted
    cluster: str = ""

    @property
    def going(self) -> bool:
        """Deleted, but its load balancer is not gone yet."""
        return bool(dig(self.service, "metadata", "deletionTimestamp"))

    @property
    def deleted_by_us(self) -> bool:
        """A run of ours was stopped after it had deleted this very Service, or one that has left since."""
        if self.saved is None:
            return False
        uid = dig(self.service, "metadata", "uid")
        return uid is None or (self.going and dig(self.saved, "data", "uid") == uid)


def saved_name(service: str) -> str:
    return f"lb-estate-saved-{service}"


def decide(scope: str, effectuate: str, observed: ObservedService, preflight: tuple[Finding, ...] = ()) -> Decision:
    """The decision; `preflight` are findings of a look at the cloud, its errors block."""
    target = Target("Service", observed.name, observed.namespace, observed.cluster)
    empty = Decision(target, Verdict.BLOCKED, "")
    found = (*_obstacles(scope, effectuate, observed), *preflight)
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    if errors:
        return replace(empty, findings=found, message=" ".join(str(error) for error in errors))
    if observed.deleted_by_us:
        return _restored(scope, observed, empty)
    findings = (*found, *owner_finding(observed.service, str(target)))
    have = _scope(observed.platform, observed.service)
    before, after = _shown(observed.service, have), _shown(observed.service, scope)
    if have == scope:
        tidy = (_forget(observed),) if observed.saved is not None else ()
        text = f"The load balancer is {scope} already."
        return replace(
            empty, verdict=Verdict.IN_SYNC, findings=findings, steps=tidy, message=text, before=before, after=before
        )
    if platform(observed.platform).scope_in_place:
        return replace(
            empty,
            verdict=Verdict.UPDATE_IN_PLACE,
            disruption=Disruption.BRIEF,
            findings=findings,
            steps=(_annotate(scope, observed), _readdressed(observed)),
            message=f"On {observed.platform} the scope changes in place, and the address with it.",
            before=before,
            after={**after, "addresses": ["(new)"]},
        )
    text = f"On {observed.platform} the scope {have} → {scope} takes effect only with a new load balancer."
    steps = _recreation(scope, observed) if effectuate != "report" else ()
    return replace(
        empty,
        verdict=Verdict.RECREATE,
        disruption=Disruption.OUTAGE,
        findings=findings,
        steps=steps,
        message=text + ("" if steps else " Set effectuate: delete to recreate it."),
        before=before,
        after={**after, "addresses": ["(new)"]} if steps else before,
    )


def _obstacles(scope: str, effectuate: str, observed: ObservedService) -> tuple[Finding, ...]:
    where = f"Service {observed.namespace}/{observed.name}"
    service = observed.service

    def error(code: str, what: str, remedy: str) -> tuple[Finding, ...]:
        return (Finding(code, Severity.ERROR, where, what, remedy),)

    if observed.deleted_by_us:
        return ()
    if service is None:
        return error("not_found", "There is no such Service.", "Check namespace and name.")
    if observed.going:
        return error("being_deleted", "It is being deleted, and not by this collection.", "Wait until it is gone.")
    if effectuate == "operator":
        what = "No operator owns it, so effectuate: operator has nobody to recreate it."
        return error("no_operator", what, "Take effectuate: delete; its manifest is kept meanwhile.")
    if dig(service, "spec", "type") != "LoadBalancer":
        found = dig(service, "spec", "type")
        return error("not_a_load_balancer", f"Its type is {found}, not LoadBalancer.", "Name a Service of that type.")
    owner = dig(service, "metadata", "labels", OWNER_LABEL)
    if owner:
        what = f"The ingress operator owns it for IngressController {owner!r} and would write the change back."
        return error("operator_owned", what, f"Use ingress_controller: {owner} instead of service.")
    if not platform(observed.platform).scope_key:
        what = (
            f"Platform {observed.platform!r} has no annotation for an internal load balancer, so {scope} cannot be set."
        )
        return error("platform_unsupported", what, "Leave this cluster out.")
    if dig(service, "spec", "loadBalancerClass"):
        found = dig(service, "spec", "loadBalancerClass")
        return error(
            "other_controller",
            f"Its loadBalancerClass {found!r} gives it to another controller than the cloud provider's.",
            "Use that controller's own annotations.",
        )
    return ()


def _scope(name: str, service: Json) -> str:
    annotations = dig(service, "metadata", "annotations") or {}
    if name == AWS:
        return INTERNAL if internal_scheme(annotations) else EXTERNAL
    known = platform(name)
    return INTERNAL if annotations.get(known.scope_key) == known.internal_value else EXTERNAL


def _shown(service: Json, scope: str) -> dict[str, Any]:
    return {"scope": scope, "addresses": addresses(service)}


def _scope_annotations(name: str, scope: str) -> dict[str, str | None]:
    known = platform(name)
    return {known.scope_key: None, **known.scope_annotations(scope)}


def _annotate(scope: str, observed: ObservedService) -> Step:
    annotations = dig(observed.service, "metadata", "annotations") or {}
    wanted = _scope_annotations(observed.platform, scope)
    meta = observed.service["metadata"]
    back = {key: annotations.get(key) for key in wanted}
    step = Step(
        "kube",
        "patch",
        "services",
        observed.name,
        observed.namespace,
        {"metadata": {"annotations": back}},
        "back to the scope from before",
        Disruption.BRIEF,
        uid=meta.get("uid", ""),
    )
    return replace(
        step,
        body={"metadata": {"annotations": wanted}},
        why=f"on {observed.platform} the annotation changes the load balancer in place; its address changes",
        resource_version=meta.get("resourceVersion", ""),
        undo=(step,),
    )


def _recreation(scope: str, observed: ObservedService) -> tuple[Step, ...]:
    manifest = bare(observed.service)
    meta = observed.service["metadata"]
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": saved_name(observed.name), "namespace": observed.namespace},
        "data": {_SAVED: json.dumps(manifest, sort_keys=True), "uid": meta.get("uid", "")},
    }
    keep = Step(
        "kube",
        "create" if observed.saved is None else "replace",
        "configmaps",
        saved_name(observed.name),
        observed.namespace,
        config,
        "the manifest is kept before the Service is deleted, so that a stopped run loses nothing",
        undo=(_forget(observed),),
    )
    delete = Step(
        "kube",
        "delete",
        "services",
        observed.name,
        observed.namespace,
        why="the load balancer is deleted and a new one made: minutes of outage, new addresses",
        disruption=Disruption.OUTAGE,
        uid=meta.get("uid", ""),
        # What is deleted is exactly what was kept: an edit in between must not be lost.
        resource_version=meta.get("resourceVersion", ""),
        point_of_no_return=True,
    )
    return (keep, delete, *_made_anew(manifest, scope, observed))


def _made_anew(manifest: dict[str, Any], scope: str, observed: ObservedService) -> tuple[Step, ...]:
    """From the deletion on."""
    uid = dig(observed.service, "metadata", "uid")
    gone = replace(_ready(observed), why="the old load balancer is gone", expect={"for": "gone", "old_uid": uid})
    waits = (gone,) if uid else ()
    return (*waits, _create(manifest, scope, observed), _ready(observed), _forget(observed))


def bare(service: Json) -> dict[str, Any]:
    """The manifest without what the server sets; ports and cluster IP are kept, in-cluster users rely on them."""
    manifest: dict[str, Any] = plain(service)
    manifest.pop("status", None)
    manifest.setdefault("apiVersion", "v1")
    manifest.setdefault("kind", "Service")
    for key in _SERVER_SET:
        manifest["metadata"].pop(key, None)
    manifest["spec"].pop("healthCheckNodePort", None)
    return manifest


def _create(manifest: dict[str, Any], scope: str, observed: ObservedService) -> Step:
    body = plain(manifest)
    annotations = body["metadata"].setdefault("annotations", {})
    for key, value in _scope_annotations(observed.platform, scope).items():
        annotations.pop(key, None)
        if value is not None:
            annotations[key] = value
    return Step(
        "kube", "create", "services", observed.name, observed.namespace, body, f"the same Service with scope {scope}"
    )


def _readdressed(observed: ObservedService) -> Step:
    why = "the load balancer has its new address"
    return replace(_ready(observed), why=why, expect={"for": "readdressed", "old": addresses(observed.service)})


_TAKEN = "already allocated"
_PORT = re.compile(r"spec\.ports\[(\d+)\]\.nodePort")


def without_taken(body: Json, causes: Sequence[Mapping[str, str]]) -> dict[str, Any] | None:
    """The manifest without the addresses and ports that somebody else got meanwhile; None where that is not all."""
    left: dict[str, Any] = plain(body)
    for cause in causes:
        port = _PORT.fullmatch(cause["field"])
        if _TAKEN not in cause["message"] or not (port or cause["field"].startswith("spec.clusterIP")):
            return None
        if port:
            left["spec"]["ports"][int(port[1])].pop("nodePort", None)
        else:
            left["spec"].pop("clusterIP", None)
            left["spec"].pop("clusterIPs", None)
    return left if causes else None


def taken(observed: ObservedService, causes: Sequence[Mapping[str, str]]) -> Finding:
    fields = ", ".join(cause["field"] for cause in causes)
    what = f"{fields} went to another Service while this one was gone; it got new ones."
    where = f"Service {observed.namespace}/{observed.name}"
    return Finding("allocation_taken", Severity.WARNING, where, what, "Tell whoever relied on the old ones.")


def _ready(observed: ObservedService) -> Step:
    return Step(
        "kube",
        "wait",
        "services",
        observed.name,
        observed.namespace,
        why="the load balancer has an address",
        expect={"for": "ready"},
    )


def _forget(observed: ObservedService) -> Step:
    why = "the new Service serves; its kept manifest is no longer needed"
    return Step("kube", "delete", "configmaps", saved_name(observed.name), observed.namespace, why=why)


def _restored(scope: str, observed: ObservedService, empty: Decision) -> Decision:
    """A run was stopped between delete and create: the kept manifest brings the Service back."""
    manifest = json.loads(observed.saved["data"][_SAVED])
    text = "A run was stopped after it had deleted the Service; it is restored from its kept manifest."
    finding = Finding("restored", Severity.WARNING, str(empty.target), text)
    return replace(
        empty,
        verdict=Verdict.RECREATE,
        findings=(finding,),
        steps=_made_anew(manifest, scope, observed),
        message=text,
        after={"scope": scope, "addresses": ["(new)"]},
    )
