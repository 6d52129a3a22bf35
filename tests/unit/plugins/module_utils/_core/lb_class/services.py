# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Service that changes its class, as the core sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import SKIPPED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import (
    BESIDE,
    ObservedClass,
    WantedClass,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.watched import Evidence, Probe
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service import kept

CLASS, OTHER = "example.com/edge", "example.com/other"
CLEANUP = "service.kubernetes.io/load-balancer-cleanup"
PORTS = [{"name": "https", "port": 443, "nodePort": 30443}]


def service(lb_class: str | None = None, address: str = "old.example.com", **more: Any) -> dict[str, Any]:
    """`more`: of metadata where it is called so there, else of spec."""
    meta = {"name": "front", "namespace": "shop", "uid": "u1", "resourceVersion": "7"}
    meta |= {key: more.pop(key) for key in ("annotations", "labels", "finalizers", "ownerReferences") if key in more}
    spec = {"type": "LoadBalancer", "selector": {"app": "front"}, "clusterIP": "10.96.0.9", "ports": PORTS, **more}
    if lb_class is not None:
        spec["loadBalancerClass"] = lb_class
    ingress = [{"hostname": address}] if address else []
    return {"metadata": meta, "spec": spec, "status": {"loadBalancer": {"ingress": ingress}}}


def second(lb_class: str | None = CLASS, address: str = "new.example.com", beside: str = "front") -> dict[str, Any]:
    made = service(lb_class, address, annotations={BESIDE: beside})
    made["metadata"] |= {"name": "front-next", "uid": "u2"}
    return made


def observed(found: Mapping[str, Any] | None = None, platform: str = "AWS", **more: Any) -> ObservedClass:
    return ObservedClass(Infra(platform), "shop", "front", found, **{"aws": SKIPPED, **more})


def seen(lb_class: str | None = CLASS, **more: Any) -> Evidence:
    """Somebody watches it, and the server keeps it."""
    strong = {"taker": lb_class, "workloads": ("Deployment ops/edge",), "probe": Probe(lb_class)}
    return Evidence(lb_class, **{**strong, **more})


def want(lb_class: str | None = CLASS, way: str = "type_flip", **more: Any) -> WantedClass:
    return WantedClass(lb_class, way, **more)


def keeping(found: Mapping[str, Any], way: str, **more: str) -> dict[str, Any]:
    """The ConfigMap that a run has left."""
    record = {"way": way, "addresses": json.dumps(["old.example.com"]), **more}
    body = kept.keeping(observed(found), record).body
    return {"metadata": {**body["metadata"], "creationTimestamp": "2026-01-01T00:00:00Z"}, "data": dict(body["data"])}


def flipped(found: Mapping[str, Any], **more: Any) -> ObservedClass:
    """A run was stopped between the two changes of type."""
    spec = {key: value for key, value in found["spec"].items() if key != "loadBalancerClass"}
    now = {**found, "spec": {**spec, "type": "NodePort"}, "status": {}}
    return replace(observed(now), kept=keeping(found, "type_flip"), **more)


def verbs(decision: Decision) -> list[str]:
    return [f"{step.verb} {step.wait_for.until if step.wait_for else step.resource}" for step in decision.steps]
