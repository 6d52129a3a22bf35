# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the trials start from: clusters of the lab in the states a run may find them in, as the twins made them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import PROCESS, lock_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import EDITS, TRANSACTION_PREFIX
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import BESIDE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Target
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AUTO_DELETE,
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.kept import bare, kept_name
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.stepwise import Stepwise

from .paper import Key

NAME, SHOP, FRONT = "default", "shop", "front"
CLASS, SLICES = "example.com/edge", "endpointslices.discovery.k8s.io"
A, B = "subnet-0aaaaaaaaaaaaaaa1", "subnet-0bbbbbbbbbbbbbbb2"
SUBNETS_KEY = "service.beta.kubernetes.io/aws-load-balancer-subnets"
Edit = Callable[[Stepwise], None]


def _patched(**lb: Any) -> Edit:
    return lambda lab: lab.patch(NAME, {"spec": {"endpointPublishingStrategy": {"loadBalancer": lb}}})


def _annotated(**annotations: str) -> Edit:
    return lambda lab: lab.patch(NAME, {"metadata": {"annotations": annotations}})


def _nothing(_lab: Stepwise) -> None: ...


def _failing(lab: Stepwise) -> None:
    lab.cloud_fails = True
    lab.delete_service(NAME)


def _going(lab: Stepwise) -> None:
    lab.cloud_holds = True
    lab.delete_service(NAME)


def _edited(lab: Stepwise) -> None:
    lab.patch_service(
        NAME, {"metadata": {"annotations": {SUBNETS_KEY: f"{B}, blue"}}, "spec": {"externalIPs": ["192.0.2.1"]}}
    )


STATES: dict[str, Edit] = {
    "at rest": _nothing,
    "pending": _patched(scope="Internal"),
    "armed by a run that was killed": _annotated(
        **{
            AUTO_DELETE: f"{TRANSACTION_PREFIX}0123456789abcdef",
            EDITS: json.dumps({"spec": {"sessionAffinity": "ClientIP"}}),
        }
    ),
    "armed by somebody": _annotated(**{AUTO_DELETE: ""}),
    "the cloud fails": _failing,
    "the Service goes": _going,
    "edited by hand": _edited,
    "another owner": lambda lab: lab.patch_service(
        NAME, {"metadata": {"labels": {"argocd.argoproj.io/instance": "x"}}}
    ),
}
PLACES = (
    ("AWS", "4.22"),
    ("AWS", "4.18"),
    ("AWS", "4.16"),
    ("GCP", "4.23"),
    ("OpenStack", "4.22"),
    ("IBMCloud", "4.21"),
)


@cache
def world(place: tuple[str, str], state: str) -> dict[Key, Any]:
    """Every object of the cluster by its place; not to be changed."""
    platform, version = place
    lab = Stepwise(platform, version)
    strategy: dict[str, Any] = {"type": "LoadBalancerService", "loadBalancer": {"scope": "External"}}
    if platform == "AWS":
        params = {"subnets": {"ids": [A], "names": ["blue"]}} if version != "4.16" else {}
        aws = {"type": "NLB", "networkLoadBalancer": params}
        strategy["loadBalancer"]["providerParameters"] = {"type": "AWS", "aws": aws}
    lab.create(NAME, {"domain": "apps.lab.invalid", "endpointPublishingStrategy": strategy})
    lab.rest(NAME)
    STATES[state](lab)
    lab.rest(NAME)
    _beside(lab)
    return {(resource, namespace, name): obj for (resource, namespace, name), obj in lab.cluster.everything()}


def _second(lab: Stepwise) -> None:
    """A Service beside another, with what is behind it."""
    meta = {"name": f"{FRONT}-next", "namespace": SHOP, "annotations": {BESIDE: FRONT}}
    spec = {"type": "LoadBalancer", "ports": [{"port": 443}], "loadBalancerClass": CLASS}
    status = {"loadBalancer": {"ingress": [{"hostname": "b.example.com"}]}}
    lab.cluster.seed("services", {"metadata": meta, "spec": spec, "status": status})
    place = {"name": f"x-{FRONT}", "namespace": SHOP, "labels": {"kubernetes.io/service-name": f"{FRONT}-next"}}
    behind = [{"addresses": ["192.0.2.1"], "conditions": {"ready": True}}]
    lab.cluster.seed(SLICES, {"metadata": place, "addressType": "IPv4", "endpoints": behind})


def _beside(lab: Stepwise) -> None:
    """Plain Services: one is there, a killed run deleted one and took the type of one; Leases of runs that are over."""
    api = lab.cluster
    ports = [{"name": "https", "port": 443, "targetPort": 8443}]
    for name in (FRONT, "gone", "flipped"):
        spec = {"type": "LoadBalancer", "ports": ports, "externalTrafficPolicy": "Local", "selector": {"app": name}}
        made = api.seed("services", {"metadata": {"name": name, "namespace": SHOP}, "spec": spec})
        data = {"manifest.json": json.dumps(bare(made)), "uid": made["metadata"]["uid"]}
        data |= {"way": "type_flip", "addresses": '["a.example.com"]'} if name == "flipped" else {}
        api.seed("configmaps", {"metadata": {"name": kept_name(name), "namespace": SHOP}, "data": data})
    api.delete("services", SHOP, "gone")
    api.patch("services", SHOP, "flipped", {"spec": {"type": "NodePort"}})
    _second(lab)
    targets = (("IngressController", NAME, OPERATOR_NAMESPACE), ("Service", FRONT, SHOP), ("Service", "gone", SHOP))
    for kind, name, namespace in targets:
        meta = {
            "name": lock_name(Target(kind, name, namespace)),
            "namespace": namespace,
            "annotations": {PROCESS: json.dumps({"machine": "m", "pid": 7, "started": "9"})},
        }
        spec = {
            "holderIdentity": "somebody",
            "leaseDurationSeconds": 60,
            "leaseTransitions": 1,
            "acquireTime": "2025-01-01T00:00:00.000000Z",
            "renewTime": "2025-01-01T00:00:00.000000Z",
        }
        api.seed("leases.coordination.k8s.io", {"metadata": meta, "spec": spec})
    deployment = {"metadata": {"name": "ingress-operator", "namespace": OPERATOR_NAMESPACE}, "spec": {"replicas": 1}}
    api.seed("deployments.apps", {**deployment, "status": {"replicas": 1, "availableReplicas": 1}})
    about = {"kind": "Service", "namespace": OPERAND_NAMESPACE, "name": f"router-{NAME}", "uid": "somebody-elses"}
    event = {"involvedObject": about, "reason": "SyncLoadBalancerFailed", "source": {"component": "service-controller"}}
    meta = {"name": "old", "namespace": OPERAND_NAMESPACE}
    api.seed("events", {"metadata": meta, **event, "message": "of a Service that is gone", "count": 3})
