# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects the operator makes around an IngressController's load balancer, as data (facts: ingress-operator §1)."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    LB_STRATEGY,
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
    OWNER_LABEL,
    POD_LABEL,
    service_name,
)

from ..apiserver.api import Obj

RECORD_FINALIZER = "operator.openshift.io/ingress-dns"
RECORD_TTL = 30
_REPLICAS = 2


def record_name(ic_name: str) -> str:
    return f"{ic_name}-wildcard"


def internal_service_name(ic_name: str) -> str:
    return f"router-internal-{ic_name}"


def _named(namespace: str, name: str, ic: Obj, owner: Obj | None = None, **more: Any) -> Obj:
    meta: Obj = {"name": name, "namespace": namespace, "labels": {OWNER_LABEL: ic["metadata"]["name"]}, **more}
    return {**meta, "ownerReferences": [owner]} if owner else meta


def reference(owner: Obj, **more: Any) -> Obj:
    meta = owner["metadata"]
    about = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "uid": meta["uid"]}
    return {**about, "controller": True, **more}


def replicas(ic: Obj) -> int:
    given = dig(ic, "spec", "replicas")
    return _REPLICAS if given is None else int(given)


def deployment(ic: Obj) -> Obj:
    name = ic["metadata"]["name"]
    labels = {POD_LABEL: name}
    ports = [{"name": kind, "containerPort": port} for kind, port in (("http", 80), ("https", 443), ("metrics", 1936))]
    pod = {"containers": [{"name": "router", "image": "lab/router", "ports": ports}]}
    return {
        "metadata": _named(OPERAND_NAMESPACE, service_name(name), ic),
        "spec": {
            "replicas": replicas(ic),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def rolled_out(made: Obj) -> Obj:
    """The status of a Deployment whose pods all run. No kubelet here, so nobody else would say so."""
    wanted = made["spec"]["replicas"]
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    return {
        "observedGeneration": made["metadata"].get("generation", 1),
        **dict.fromkeys(counts, wanted),
        "conditions": [
            {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
            {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
        ],
    }


def internal_service(ic: Obj, owner: Obj) -> Obj:
    name = ic["metadata"]["name"]
    certificate = {"service.alpha.openshift.io/serving-cert-secret-name": f"router-metrics-certs-{name}"}
    ports = (("http", 80), ("https", 443), ("metrics", 1936))
    return {
        "metadata": _named(OPERAND_NAMESPACE, internal_service_name(name), ic, owner, annotations=certificate),
        "spec": {
            "type": "ClusterIP",
            "selector": {POD_LABEL: name},
            "ports": [{"name": kind, "protocol": "TCP", "port": port, "targetPort": kind} for kind, port in ports],
        },
    }


def record(ic: Obj, service: Obj | None) -> Obj | None:
    """The wildcard record for the address in force. Without an address none is wanted, and an old one stays."""
    addresses = dig(service, "status", "loadBalancer", "ingress") or []
    strategy = dig(ic, "status", "endpointPublishingStrategy") or {}
    domain = dig(ic, "status", "domain")
    if not addresses or not domain or strategy.get("type") != LB_STRATEGY:
        return None
    hostname, address = addresses[0].get("hostname"), addresses[0].get("ip")
    policy = "Unmanaged" if dig(strategy, "loadBalancer", "dnsManagementPolicy") == "Unmanaged" else "Managed"
    owner = reference(ic, blockOwnerDeletion=True)
    name = record_name(ic["metadata"]["name"])
    return {
        "metadata": _named(OPERATOR_NAMESPACE, name, ic, owner, finalizers=[RECORD_FINALIZER]),
        "spec": {
            "dnsName": f"*.{domain}.",
            "dnsManagementPolicy": policy,
            "targets": [hostname or address],
            "recordType": "CNAME" if hostname else "A",
            "recordTTL": RECORD_TTL,
        },
    }
