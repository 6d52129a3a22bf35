# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""side_by_side: a second Service with the new class, until traffic has moved; then the first one is retired (CLS-3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..data import Json, dig
from ..model import Disruption, Step, Wait
from ..operator.names import AWS_EIPS
from ..owners import marked
from ..service import kept
from ..waits import addresses
from .flip import cleaned, record
from .state import BESIDE, SIDE_BY_SIDE, ObservedClass, class_of, successor_name

_ALLOCATED = ("clusterIP", "clusterIPs", "healthCheckNodePort", "loadBalancerIP", "loadBalancerClass")
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def body(service: Json, name: str, lb_class: str | None) -> dict[str, Any]:
    """The first Service under another name: without what is allocated to it, and without its keepers' marks.

    A tool that finds its own mark on an object that it does not know deletes it.
    """
    made = kept.bare(service)
    meta, spec = made["metadata"], made["spec"]
    former, meta["name"] = meta["name"], name
    meta.pop("ownerReferences", None)
    meta["labels"] = {key: value for key, value in (meta.get("labels") or {}).items() if not marked(key, value)}
    annotations = {key: value for key, value in (meta.get("annotations") or {}).items() if not marked(key, value)}
    for key in (AWS_EIPS, _APPLIED):
        annotations.pop(key, None)
    meta["annotations"] = {**annotations, BESIDE: former}
    for key in _ALLOCATED:
        spec.pop(key, None)
    for port in spec.get("ports") or ():
        port.pop("nodePort", None)
    if lb_class is not None:
        spec["loadBalancerClass"] = lb_class
    return made


def create(observed: ObservedClass, suffix: str, lb_class: str | None) -> tuple[Step, ...]:
    name = successor_name(observed.name, suffix)
    place = (name, observed.namespace)
    undo = Step("kube", "delete", "services", *place, why="the first Service still serves; the second is not needed")
    made = body(observed.service, name, lb_class)
    why = f"a second Service beside {observed.name}, with {'class ' + lb_class if lb_class else 'no class'}"
    return Step("kube", "create", "services", *place, made, why, undo=(undo,)), _served(observed, name)


def served(observed: ObservedClass) -> Step:
    return _served(observed, str(dig(observed.successor, "metadata", "name")))


def _served(observed: ObservedClass, name: str) -> Step:
    why = "the second Service has an address and a ready endpoint"
    return Step("kube", "wait", "services", name, observed.namespace, why=why, wait_for=Wait("serves"))


def retire(observed: ObservedClass, because: str) -> tuple[Step, ...]:
    """The first Service goes, with its manifest kept until it and its load balancer are gone."""
    kept_now = kept.kept_first(observed, record(observed, SIDE_BY_SIDE))
    why = f"traffic has moved ({because}); connections that still use the old load balancer are cut"
    return (kept_now, kept.deleted(observed, why, Disruption.BRIEF), *retired(observed))


def retired(observed: ObservedClass) -> tuple[Step, ...]:
    """From the deletion on."""
    place = (observed.name, observed.namespace)
    manifest = observed.manifest if observed.service is None else kept.bare(observed.service)
    why = "the first Service as it was, with a new address"
    back = Step("kube", "create", "services", *place, manifest, why)
    return (*kept.gone(observed), replace(cleaned(observed), undo=(back,)), *kept.forgotten(observed))


def handover(observed: ObservedClass) -> Json:
    """What a person needs to move traffic: names in DNS are theirs to change."""
    return {
        "from": _told(observed.service),
        "to": {**_told(observed.successor), "ready_endpoints": observed.endpoints},
    }


def _told(service: Json) -> dict[str, Any]:
    meta = dig(service, "metadata") or {}
    name, space = meta.get("name", ""), meta.get("namespace", "")
    inside = f"{name}.{space}.svc" if name else ""
    return {"name": name, "class": class_of(service) or "", "addresses": addresses(service), "in_cluster": inside}
