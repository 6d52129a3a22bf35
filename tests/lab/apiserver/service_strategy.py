# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the API server completes a Service: defaults, allocated addresses and ports, fields that go with their type."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import canonical

from .api import Cause, Obj, Write
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

Given = dict[str, str]


def default_service(obj: Obj) -> None:
    """What the server fills in as it decodes, whatever the object is then written to."""
    spec = obj["spec"]
    _default(spec)
    if spec["type"] == "LoadBalancer":
        for ingress in obj["status"]["loadBalancer"].get("ingress", ()):
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")


def _default(spec: Obj) -> None:
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports", ()):
        port.setdefault("protocol", "TCP")
        port["targetPort"] = port.get("targetPort") or port.get("port", 0)
    if externally_accessible(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if has_addresses(spec):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if "timeoutSeconds" not in client:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}


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


def given(spec: Obj) -> Given:
    """The values of a client that the server would otherwise allocate, by where they stand."""
    names = ("clusterIP", "clusterIPs", "healthCheckNodePort")
    ports = ((port.get("protocol"), port.get("port"), port.get("nodePort")) for port in spec.get("ports", ()))
    found = {name: canonical(spec[name]) for name in names if spec.get(name)}
    return {**found, **{f"{protocol} {number}": str(node) for protocol, number, node in ports if node}}


@dataclass
class ServiceStrategy:
    """Completes Services of one cluster. `lb_class_supported=False` is an API server from before the field (CLS-6)."""

    features: Features = field(default_factory=Features)
    lb_class_supported: bool = True
    ip_families: tuple[str, ...] = ("IPv4",)
    draw: random.Random = field(default_factory=random.Random)

    def prepare(self, write: Write) -> list[Cause]:
        """Complete the new object in place; returns why an allocation was impossible."""
        write.new.setdefault("status", {"loadBalancer": {}})
        if write.subresource == "status":
            return []
        had = write.old["spec"].get("loadBalancerClass") if write.old else None
        if not self.lb_class_supported and had is None:  # a Service that has one keeps it (KEP-1959)
            write.new["spec"].pop("loadBalancerClass", None)
        return self._allocated(write, write.new["spec"])

    def _allocated(self, write: Write, spec: Obj) -> list[Cause]:
        before = write.old["spec"] if write.old else None
        if before is not None:
            _keep_allocated(before, spec)
        _sync_cluster_ips(before, spec)
        named = bool(write.new["metadata"].get("name"))
        pools = Pools(self.ip_families, self.draw, write.dry_run, self.features.strict_addresses, named)
        pools.give([*(other["spec"] for other in write.others), before or {}])
        causes = allocate(before, spec, pools)
        if not causes and before is not None:
            _drop_with_type(before, spec)
            if spec["type"] != "LoadBalancer":
                write.new["status"]["loadBalancer"] = {}
        if not causes and not has_addresses(spec):
            # Stored, but never shown.
            spec.pop("internalTrafficPolicy", None)
        return causes
