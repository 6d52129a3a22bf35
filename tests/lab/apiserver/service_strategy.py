# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the API server completes a Service: defaults, allocated addresses and ports, fields that go with their type."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .api import Cause, Obj
from .errors import bad_request, invalid_value

NODE_PORTS = range(30000, 32768)
SERVICE_NETWORKS = {"IPv4": "172.30.0.0/16", "IPv6": "fd02::/112"}
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


def needs_node_ports(spec: Obj) -> bool:
    return spec.get("type") in ("NodePort", "LoadBalancer")


def needs_health_check(spec: Obj) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def externally_accessible(spec: Obj) -> bool:
    return needs_node_ports(spec) or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))


def _default(spec: Obj) -> None:
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports", ()):
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))
    if externally_accessible(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] != "ExternalName":
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
    if spec["sessionAffinity"] == "ClientIP":
        config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        config.setdefault("timeoutSeconds", 10800)


def _pairs(spec: Obj) -> Iterator[tuple[tuple[str, int], Obj]]:
    for port in spec.get("ports", ()):
        yield (port.get("protocol", "TCP"), port.get("port", 0)), port


def _keep_allocated(before: Obj, after: Obj) -> None:
    """A client that leaves allocated values out keeps them (an update must be idempotent)."""
    if before["type"] != "ExternalName" and after["type"] != "ExternalName" and not after.get("clusterIP"):
        for name in ("clusterIP", "clusterIPs"):
            if name in before:
                after.setdefault(name, before[name])
    if needs_node_ports(before) and needs_node_ports(after):
        had = {pair: port["nodePort"] for pair, port in _pairs(before) if "nodePort" in port}
        taken = {port["nodePort"] for _pair, port in _pairs(after) if "nodePort" in port}
        for pair, port in _pairs(after):
            if "nodePort" not in port and pair in had and had[pair] not in taken:
                port["nodePort"] = had[pair]
    if needs_health_check(before) and needs_health_check(after) and "healthCheckNodePort" in before:
        after.setdefault("healthCheckNodePort", before["healthCheckNodePort"])


def _drop_with_type(before: Obj, after: Obj) -> None:
    """Fields that mean nothing for the new type go, if the user did not change them in the same breath."""

    def drop(*names: str) -> None:
        for name in names:
            if after.get(name) == before.get(name):
                after.pop(name, None)

    if before["type"] != "ExternalName" and after["type"] == "ExternalName":
        drop("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
    if needs_node_ports(before) and not needs_node_ports(after):
        had = {port["nodePort"] for _pair, port in _pairs(before) if "nodePort" in port}
        if {port["nodePort"] for _pair, port in _pairs(after) if "nodePort" in port} <= had:
            for _pair, port in _pairs(after):
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

    lb_class_supported: bool = True
    ip_families: tuple[str, ...] = ("IPv4",)
    draw: random.Random = field(default_factory=random.Random)

    def prepare(self, old: Obj | None, new: Obj, subresource: str | None, others: Iterable[Obj]) -> list[Cause]:
        """Complete `new` in place; returns why an allocation was impossible."""
        status = new.get("status")
        balancer = status.get("loadBalancer") if isinstance(status, dict) else None
        new["status"] = {**(status if isinstance(status, dict) else {}), "loadBalancer": balancer or {}}
        for ingress in new["status"]["loadBalancer"].get("ingress") or ():
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")
        if subresource == "status":
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
        self._sync_cluster_ips(old, spec)
        if old is not None:
            _keep_allocated(old["spec"], spec)
            _drop_with_type(old["spec"], spec)
            if spec["type"] != "LoadBalancer":
                new["status"]["loadBalancer"] = {}
        return self._allocate(spec, old["spec"] if old else {}, [other["spec"] for other in others])

    @staticmethod
    def _is_empty(key: str, value: Any) -> bool:
        # An empty class is a value: the server refuses it instead of dropping it.
        if key in ("loadBalancerClass", "allocateLoadBalancerNodePorts"):
            return value is None
        return any(value == empty and type(value) is type(empty) for empty in _EMPTY)

    @staticmethod
    def _sync_cluster_ips(old: Obj | None, spec: Obj) -> None:
        """clusterIP and clusterIPs say the same; the one the client changed wins."""
        before = (old or {}).get("spec", {})
        if spec.get("clusterIP") and not spec.get("clusterIPs"):
            spec["clusterIPs"] = [spec["clusterIP"]]
        elif spec.get("clusterIPs") and not spec.get("clusterIP"):
            if old is None or before.get("clusterIPs") != spec["clusterIPs"]:
                spec["clusterIP"] = spec["clusterIPs"][0]
            else:
                spec.pop("clusterIPs")
        elif (
            old is not None
            and spec.get("clusterIP") != before.get("clusterIP")
            and spec.get("clusterIPs") == before.get("clusterIPs")
        ):
            spec["clusterIPs"] = [spec["clusterIP"]]

    def _allocate(self, spec: Obj, before: Obj, others: list[Obj]) -> list[Cause]:
        causes: list[Cause] = []
        if spec["type"] != "ExternalName":
            causes += self._families(spec)
            if not causes and spec.get("clusterIPs") != ["None"]:
                causes += self._addresses(spec, before, {ip for other in others for ip in other.get("clusterIPs", ())})
        wants_ports = spec["type"] == "NodePort" or spec.get("allocateLoadBalancerNodePorts")
        if needs_node_ports(spec):
            causes += self._node_ports(spec, before, others, allocate=bool(wants_ports))
        return causes

    def _families(self, spec: Obj) -> list[Cause]:
        given = spec.get("ipFamilies", [])
        policy = spec.get("ipFamilyPolicy") or ("RequireDualStack" if len(given) == 2 else "SingleStack")
        dual = len(self.ip_families) == 2
        if policy == "RequireDualStack" and not dual:
            why = "this cluster is not configured for dual-stack services"
            return [invalid_value("spec.ipFamilyPolicy", policy, why)]
        if len(given) == 1 and given[0] not in self.ip_families and given[0] in SERVICE_NETWORKS:
            return [invalid_value("spec.ipFamilies[0]", given[0], "not configured on this cluster")]
        wanted = list(given) or [self.ip_families[0]]
        if policy == "SingleStack":
            wanted = wanted[:1]
        elif dual and len(wanted) == 1:
            wanted.append(next(family for family in self.ip_families if family != wanted[0]))
        spec["ipFamilyPolicy"], spec["ipFamilies"] = policy, wanted
        return []

    def _addresses(self, spec: Obj, before: Obj, taken: set[str]) -> list[Cause]:
        have = list(spec.get("clusterIPs", ()))[: len(spec["ipFamilies"])]
        for index, family in enumerate(spec["ipFamilies"]):
            if family not in SERVICE_NETWORKS:
                continue
            network = ipaddress.ip_network(SERVICE_NETWORKS[family])
            if index < len(have):
                if have[index] in before.get("clusterIPs", ()):
                    continue
                if have[index] in taken:
                    why = f"failed to allocate IP {have[index]}: provided IP is already allocated"
                    return [invalid_value("spec.clusterIPs", have, why)]
                continue
            while (address := str(network[self.draw.randrange(10, network.num_addresses - 1)])) in taken:
                pass
            have.append(address)
        spec["clusterIPs"], spec["clusterIP"] = have, have[0] if have else ""
        return []

    def _node_ports(self, spec: Obj, before: Obj, others: list[Obj], *, allocate: bool) -> list[Cause]:
        taken = {(p.get("protocol"), p["nodePort"]) for other in others for _x, p in _pairs(other) if "nodePort" in p}
        taken |= {("TCP", other["healthCheckNodePort"]) for other in others if "healthCheckNodePort" in other}
        mine = {(p.get("protocol"), p["nodePort"]) for _x, p in _pairs(before) if "nodePort" in p}
        causes: list[Cause] = []
        for index, port in enumerate(spec.get("ports", ())):
            where = f"spec.ports[{index}].nodePort"
            if "nodePort" not in port:
                if allocate:
                    port["nodePort"] = self._free_port(taken | mine)
                    mine.add((port["protocol"], port["nodePort"]))
            elif port["nodePort"] not in NODE_PORTS:
                why = "provided port is not in the valid range. The range of valid ports is 30000-32767"
                causes.append(invalid_value(where, port["nodePort"], why))
            elif (port["protocol"], port["nodePort"]) in taken - mine:
                causes.append(invalid_value(where, port["nodePort"], "provided port is already allocated"))
        if needs_health_check(spec) and "healthCheckNodePort" not in spec:
            spec["healthCheckNodePort"] = self._free_port(taken | mine)
        return causes

    def _free_port(self, taken: set[tuple[Any, int]]) -> int:
        used = {number for _protocol, number in taken}
        while (number := self.draw.choice(NODE_PORTS)) in used:
            pass
        return number
