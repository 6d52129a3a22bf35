# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""type_flip: the type leaves LoadBalancer and comes back with the new class; the object stays the same one (CLS-1).

The class is immutable while the type is LoadBalancer, from unset to set, too; leaving that type clears it.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from ..data import Json, dig
from ..model import Disruption, Step, Wait
from ..service import kept
from .state import TYPE_FLIP, ObservedClass, class_of

RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
# Server and validation bind these to the type: they are dropped, or have to be, and are put back with the class.
_BOUND = ("externalTrafficPolicy", "healthCheckNodePort", "allocateLoadBalancerNodePorts", "loadBalancerSourceRanges")


def steps(observed: ObservedClass, lb_class: str | None) -> tuple[Step, ...]:
    manifest = kept.bare(observed.service)
    return (
        kept.kept_first(observed, record(observed, TYPE_FLIP)),
        _away(observed),
        *rest(observed, manifest, lb_class),
    )


def rest(observed: ObservedClass, manifest: Json, lb_class: str | None) -> tuple[Step, ...]:
    """From where the type is not LoadBalancer any more."""
    back = Step(
        "kube",
        "patch",
        "services",
        observed.name,
        observed.namespace,
        back_patch(manifest, lb_class),
        f"type LoadBalancer again, with {'class ' + lb_class if lb_class else 'no class'}",
        uid=observed.uid,
        expect={"spec": {"type": through(manifest)}},
        undo=_undo(observed, manifest),
    )
    return (cleaned(observed), back, kept.ready(observed))


def record(observed: ObservedClass, way: str, **more: str) -> dict[str, str]:
    """What the next run has to know, should this one be stopped."""
    return {"way": way, "addresses": json.dumps(list(observed.old_addresses)), **more}


def cleaned(observed: ObservedClass) -> Step:
    """A vanished finalizer is no proof: the cloud is asked, too (CLS-5)."""
    uid = observed.uid or observed.record.get("uid", "")
    wait = Wait("cleaned", old_uid=uid, old_addresses=observed.old_addresses)
    why = "the old load balancer is cleaned up: no finalizer of its controller, and none left in the cloud"
    return Step("kube", "wait", "services", observed.name, observed.namespace, why=why, wait_for=wait)


def through(service: Json) -> str:
    """The type in between. NodePort keeps node ports; where there are none, none are to be allocated."""
    ports = dig(service, "spec", "ports") or ()
    return "NodePort" if any(port.get("nodePort") for port in ports) else "ClusterIP"


def away_patch(service: Json) -> dict[str, Any]:
    """Source ranges are forbidden on any other type: the API takes the flip only without them."""
    spec: dict[str, Any] = {"type": through(service)}
    if dig(service, "spec", "loadBalancerSourceRanges"):
        spec["loadBalancerSourceRanges"] = None
    patch: dict[str, Any] = {"spec": spec}
    if RANGES in (dig(service, "metadata", "annotations") or {}):
        patch["metadata"] = {"annotations": {RANGES: None}}
    return patch


def back_patch(manifest: Json, lb_class: str | None) -> dict[str, Any]:
    """By the manifest alone, so that a run that picks it up writes the same."""
    had = dig(manifest, "spec") or {}
    spec: dict[str, Any] = {"type": "LoadBalancer", **{name: had[name] for name in _BOUND if name in had}}
    if lb_class is not None:
        spec["loadBalancerClass"] = lb_class
    patch: dict[str, Any] = {"spec": spec}
    ranges = (dig(manifest, "metadata", "annotations") or {}).get(RANGES)
    if ranges is not None:
        patch["metadata"] = {"annotations": {RANGES: ranges}}
    return patch


def _away(observed: ObservedClass) -> Step:
    meta = observed.service["metadata"]
    return Step(
        "kube",
        "patch",
        "services",
        observed.name,
        observed.namespace,
        away_patch(observed.service),
        "the type leaves LoadBalancer: the load balancer goes, minutes of outage and new addresses",
        Disruption.OUTAGE,
        uid=observed.uid,
        # What is flipped is exactly what was kept: an edit in between must not be lost.
        resource_version=meta.get("resourceVersion", ""),
        point_of_no_return=True,
    )


def _undo(observed: ObservedClass, manifest: Json) -> tuple[Step, ...]:
    """Flipped again; the addresses from before are gone either way."""
    place, uid = (observed.name, observed.namespace), observed.uid
    why = "the type leaves LoadBalancer again: minutes of outage, new addresses"
    away = Step("kube", "patch", "services", *place, away_patch(manifest), why, Disruption.OUTAGE, uid=uid)
    former = back_patch(manifest, class_of(manifest))
    return away, Step("kube", "patch", "services", *place, former, "back with the class from before", uid=uid)


def commands(observed: ObservedClass, lb_class: str | None) -> tuple[str, ...]:
    """As a person would do it; in between, the load balancer's finalizer has to be gone."""
    patches = (away_patch(observed.service), back_patch(kept.bare(observed.service), lb_class))
    place = f"oc -n {observed.namespace} patch svc/{observed.name} --type merge -p"
    return tuple(f"{place} {shlex.quote(json.dumps(patch))}" for patch in patches)
