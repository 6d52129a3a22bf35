# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the API server completes a Service: defaults, allocated addresses and ports, fields that go with their type."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from .api import Cause, Obj, Write
from .errors import bad_request
from .features import Features
from .service_allocation import Pools, allocate
from .service_fields import (
    allocates_node_ports,
    externally_accessible,
    has_addresses,
    has_node_ports,
    needs_health_check,
    node_ports,
)

_EMPTY: tuple[Any, ...] = (None, "", [], {}, 0)
_SHAPES: dict[str, tuple[type, str]] = {
    "type": (str, "string"),
    "ports": (list, "[]v1.ServicePort"),
    "selector": (dict, "map[string]string"),
    "clusterIP": (str, "string"),
    "clusterIPs": (list, "[]string"),
    "externalIPs": (list, "[]string"),
    "loadBalancerIP": (str, "string"),
    "loadBalancerClass": (str, "string"),
    "loadBalancerSourceRanges": (list, "[]string"),
    "externalTrafficPolicy": (str, "string"),
    "internalTrafficPolicy": (str, "string"),
    "sessionAffinity": (str, "string"),
    "healthCheckNodePort": (int, "int32"),
    "ipFamilies": (list, "[]v1.IPFamily"),
    "ipFamilyPolicy": (str, "string"),
    "allocateLoadBalancerNodePorts": (bool, "bool"),
}


def _refuse_shape(name: str, wanted: str) -> None:
    raise bad_request(
        'Service in version "v1" cannot be handled as a Service: '
        f"json: cannot unmarshal value into Go struct field ServiceSpec.spec.{name} of type {wanted}"
    )


def _check_shapes(spec: Any) -> None:
    if not isinstance(spec, dict):
        _refuse_shape("", "v1.ServiceSpec")
    for name, (kind, wanted) in _SHAPES.items():
        if spec.get(name) is not None and (not isinstance(spec[name], kind) or (kind is int and spec[name] is True)):
            _refuse_shape(name, wanted)
    for port in spec.get("ports") or ():
        if not isinstance(port, dict):
            _refuse_shape("ports", "v1.ServicePort")
        for name in ("port", "nodePort"):
            if port.get(name) is not None and (not isinstance(port[name], int) or isinstance(port[name], bool)):
                _refuse_shape(f"ports.{name}", "int32")


def _default(spec: Obj) -> None:
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports", ()):
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))
    if externally_accessible(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if has_addresses(spec):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
    if spec["sessionAffinity"] == "ClientIP":
        config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        config.setdefault("timeoutSeconds", 10800)


def _keep_allocated(before: Obj, after: Obj) -> None:
    """A client that leaves allocated values out keeps them (an update must be idempotent); ports by their names."""
    if has_addresses(before) and has_addresses(after):
        for name in ("clusterIP", "clusterIPs"):
            if not after.get(name) and before.get(name):
                after[name] = before[name]
    if allocates_node_ports(before) and allocates_node_ports(after):
        had = {port.get("name", ""): port.get("nodePort", 0) for port in before.get("ports", ())}
        used = set(node_ports(before)) & set(node_ports(after))
        for port in after.get("ports", ()):
            number = had.get(port.get("name", ""), 0)
            if not port.get("nodePort") and number and number not in used:
                port["nodePort"] = number
    if needs_health_check(before) and needs_health_check(after) and "healthCheckNodePort" in before:
        after.setdefault("healthCheckNodePort", before["healthCheckNodePort"])


def _sync_cluster_ips(before: Obj | None, spec: Obj) -> None:
    """clusterIP and clusterIPs say the same; the one the client changed wins."""
    one, all_of_them = spec.get("clusterIP", ""), spec.get("clusterIPs", [])
    if before is None:
        if one and not all_of_them:
            spec["clusterIPs"] = [one]
        return
    had, had_all = before.get("clusterIP", ""), before.get("clusterIPs", [])
    if had_all and not all_of_them and one == had:
        spec["clusterIPs"] = all_of_them = list(had_all)
    if one != had and all_of_them == had_all:
        if one:
            spec["clusterIPs"] = [one]
        elif had:
            spec.pop("clusterIPs", None)


def _drop_with_type(before: Obj, after: Obj) -> None:
    """Fields that mean nothing for the new type go, if the user did not change them in the same breath."""

    def drop(*names: str) -> None:
        for name in names:
            if after.get(name) == before.get(name):
                after.pop(name, None)

    if has_addresses(before) and not has_addresses(after):
        if all(after.get(name) == before.get(name) for name in ("clusterIP", "clusterIPs")):
            drop("clusterIP", "clusterIPs")
        drop("ipFamilies", "ipFamilyPolicy")
    if has_node_ports(before) and not has_node_ports(after) and set(node_ports(after)) <= set(node_ports(before)):
        for port in after.get("ports", ()):
            port.pop("nodePort", None)
    if needs_health_check(before) and not needs_health_check(after):
        drop("healthCheckNodePort")
    if before["type"] == "LoadBalancer" and after["type"] != "LoadBalancer":
        drop("allocateLoadBalancerNodePorts", "loadBalancerClass")
    if externally_accessible(before) and not externally_accessible(after):
        drop("externalTrafficPolicy")


@dataclass
class ServiceStrategy:
    """Completes Services of one cluster. `lb_class_supported=False` is an API server from before the field (CLS-6)."""

    features: Features = field(default_factory=Features)
    lb_class_supported: bool = True
    ip_families: tuple[str, ...] = ("IPv4",)
    draw: random.Random = field(default_factory=random.Random)

    def prepare(self, write: Write) -> list[Cause]:
        """Complete the new object in place; returns why an allocation was impossible."""
        new = write.new
        status = new.get("status")
        balancer = status.get("loadBalancer") if isinstance(status, dict) else None
        new["status"] = {**(status if isinstance(status, dict) else {}), "loadBalancer": balancer or {}}
        for ingress in new["status"]["loadBalancer"].get("ingress") or ():
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")
        if write.subresource == "status":
            return []
        _check_shapes(new.get("spec", {}))
        spec = new["spec"] = {
            key: value for key, value in new.get("spec", {}).items() if not self._is_empty(key, value)
        }
        for port in spec.get("ports", ()):
            if port.get("nodePort") in (0, None):
                port.pop("nodePort", None)
        if not self.lb_class_supported:
            spec.pop("loadBalancerClass", None)
        _default(spec)
        return self._allocated(write, spec)

    def _allocated(self, write: Write, spec: Obj) -> list[Cause]:
        before = write.old["spec"] if write.old else None
        if before is not None:
            _keep_allocated(before, spec)
        _sync_cluster_ips(before, spec)
        pools = Pools(self.ip_families, self.draw, dry_run=write.dry_run, strict=self.features.strict_addresses)
        pools.give([*(other["spec"] for other in write.others), before or {}])
        causes = allocate(before, spec, pools)
        if not causes and before is not None:
            _drop_with_type(before, spec)
            if spec["type"] != "LoadBalancer":
                write.new["status"]["loadBalancer"] = {}
        return causes

    @staticmethod
    def _is_empty(key: str, value: Any) -> bool:
        # An empty class is a value: the server refuses it instead of dropping it.
        if key in ("loadBalancerClass", "allocateLoadBalancerNodePorts"):
            return value is None
        return any(value == empty and type(value) is type(empty) for empty in _EMPTY)
