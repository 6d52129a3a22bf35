# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Server-side tables for `kubectl get`: columns as data, NAME and AGE for what has no columns of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from .api import Obj
from .resources import Resource

Cell = Callable[[Obj], Any]
Column = tuple[str, Cell]


def wants_table(accept: str) -> bool:
    return "as=Table" in accept


def age(obj: Obj) -> str:
    created = datetime.fromisoformat(obj["metadata"]["creationTimestamp"])
    seconds = max(0, int((datetime.now(UTC) - created).total_seconds()))
    if seconds < 120:
        return f"{seconds}s"
    if seconds < 2 * 3600:
        return f"{seconds // 60}m"
    return f"{seconds // 3600}h" if seconds < 2 * 86400 else f"{seconds // 86400}d"


def _at(*path: str, default: Any = "") -> Cell:
    def cell(obj: Obj) -> Any:
        value: Any = obj
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return default if value is None else value

    return cell


def _condition(name: str) -> Cell:
    def cell(obj: Obj) -> str:
        conditions: list[Obj] = obj.get("status", {}).get("conditions") or []
        return next((str(item.get("status", "")) for item in conditions if item.get("type") == name), "")

    return cell


def _external(obj: Obj) -> str:
    spec = obj["spec"]
    ingress = obj.get("status", {}).get("loadBalancer", {}).get("ingress") or []
    shown = [item.get("hostname") or item.get("ip", "") for item in ingress] + list(spec.get("externalIPs", ()))
    if shown:
        return ",".join(shown)
    return "<pending>" if spec.get("type") == "LoadBalancer" else "<none>"


def _ports(obj: Obj) -> str:
    def one(port: Obj) -> str:
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        return f"{port['port']}{node}/{port['protocol']}"

    return ",".join(one(port) for port in obj["spec"].get("ports", ())) or "<none>"


def _ready_replicas(obj: Obj) -> str:
    return f"{obj.get('status', {}).get('readyReplicas', 0)}/{obj.get('spec', {}).get('replicas', 1)}"


def _involved(obj: Obj) -> str:
    involved = obj.get("involvedObject", {})
    return f"{str(involved.get('kind', '')).lower()}/{involved.get('name', '')}"


_STRATEGY = ("status", "endpointPublishingStrategy")
COLUMNS: dict[str, tuple[Column, ...]] = {
    "services": (
        ("Type", _at("spec", "type")),
        ("Cluster-IP", _at("spec", "clusterIP", default="<none>")),
        ("External-IP", _external),
        ("Port(s)", _ports),
    ),
    "namespaces": (("Status", _at("status", "phase")),),
    "nodes": (("Status", lambda obj: "Ready" if _condition("Ready")(obj) == "True" else "NotReady"),),
    "configmaps": (("Data", lambda obj: len(obj.get("data", {})) + len(obj.get("binaryData", {}))),),
    "pods": (("Status", _at("status", "phase")),),
    "deployments.apps": (("Ready", _ready_replicas), ("Available", _at("status", "availableReplicas", default=0))),
    "leases.coordination.k8s.io": (("Holder", _at("spec", "holderIdentity")),),
    "events": (
        ("Type", _at("type")),
        ("Reason", _at("reason")),
        ("Object", _involved),
        ("Message", _at("message")),
    ),
    "ingresscontrollers.operator.openshift.io": (
        ("Strategy", _at(*_STRATEGY, "type")),
        ("Scope", _at(*_STRATEGY, "loadBalancer", "scope")),
        ("Available", _condition("Available")),
        ("Progressing", _condition("Progressing")),
        ("Degraded", _condition("Degraded")),
    ),
    "clusterversions.config.openshift.io": (("Version", _at("status", "desired", "version")),),
    "clusteroperators.config.openshift.io": (
        ("Available", _condition("Available")),
        ("Progressing", _condition("Progressing")),
        ("Degraded", _condition("Degraded")),
    ),
    "clusters.cluster.x-k8s.io": (("Phase", _at("status", "phase")),),
    "machines.cluster.x-k8s.io": (("Cluster", _at("spec", "clusterName")), ("Phase", _at("status", "phase"))),
    "openstackclusters.infrastructure.cluster.x-k8s.io": (
        ("Ready", _at("status", "ready")),
        ("Endpoint", _at("spec", "controlPlaneEndpoint", "host")),
    ),
}


def table(resource: Resource, items: Sequence[Obj], version: str, include: str = "Metadata") -> Obj:
    columns: tuple[Column, ...] = (("Name", _at("metadata", "name")), *COLUMNS.get(resource.key, ()), ("Age", age))
    definitions = [
        {"name": name, "type": "string", "format": "name" if name == "Name" else "", "description": "", "priority": 0}
        for name, _cell in columns
    ]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": version},
        "columnDefinitions": definitions,
        "rows": [{"cells": [cell(item) for _n, cell in columns], "object": _shown(item, include)} for item in items],
    }


def _shown(item: Obj, include: str) -> Obj | None:
    if include == "None":
        return None
    if include == "Object":
        return item
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": item["metadata"]}
