# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of a Service with the API server's texts (facts: aws-ccm §7 for the class; pkg/apis/core/validation)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .api import Cause, Obj
from .errors import duplicate, forbidden_field, invalid_value, not_supported, required
from .features import Features
from .names import label_causes, label_name_problems, qualified_name_problems, subdomain_problems
from .service_addresses import cidr_causes, ip_causes, parsed_ip, related_causes
from .service_fields import externally_accessible, has_addresses, is_headless, needs_health_check

_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
_TRAFFIC = ("Cluster", "Local")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_ONLY_LB = "may only be used when `type` is 'LoadBalancer'"
_ONCE = "may not change once set"
_CLASS = "spec.loadBalancerClass"
_PORT = "must be between 1 and 65535, inclusive"
_DAY = 86400


@dataclass(frozen=True)
class ServiceValidator:
    features: Features

    def __call__(self, old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
        if subresource == "status":
            return self._status(old, new)
        spec = new["spec"]
        before: Obj | None = old["spec"] if old is not None else None
        causes = _update(before, spec) if before is not None else []
        causes += _ports_present(spec) + _type_fields(spec) + _ports(spec)
        causes += label_causes(spec.get("selector", {}), "spec.selector") + _affinity(spec)
        causes += related_causes(before, spec, self.features.strict_addresses)
        causes += self._external_ips(before, spec)
        if spec["type"] not in _TYPES:
            causes.append(not_supported("spec.type", spec["type"], _TYPES))
        causes += _node_ports(spec) + self._source_ranges(new, old)
        if spec.get("allocateLoadBalancerNodePorts") is not None and spec["type"] != "LoadBalancer":
            causes.append(forbidden_field("spec.allocateLoadBalancerNodePorts", _ONLY_LB))
        return causes + _class(spec) + _traffic(spec)

    def _external_ips(self, before: Obj | None, spec: Obj) -> list[Cause]:
        known = (before or {}).get("externalIPs", [])
        causes: list[Cause] = []
        for index, ip in enumerate(spec.get("externalIPs", ())):
            where = f"spec.externalIPs[{index}]"
            causes += ip_causes(where, ip, self.features.strict_addresses, known) or _special(where, ip)
        return causes

    def _source_ranges(self, new: Obj, old: Obj | None) -> list[Cause]:
        spec, strict = new["spec"], self.features.strict_addresses
        only_lb = spec["type"] != "LoadBalancer"
        ranges = [value.strip() for value in spec.get("loadBalancerSourceRanges", ())]
        if ranges:
            where = "spec.LoadBalancerSourceRanges"
            known = {value.strip() for value in (old or {}).get("spec", {}).get("loadBalancerSourceRanges", ())}
            causes = [forbidden_field(where, _ONLY_LB)] if only_lb else []
            for index, value in enumerate(ranges):
                causes += cidr_causes(f"{where}[{index}]", value, strict, known)
            return causes
        annotation = new["metadata"].get("annotations", {}).get(_SOURCE_RANGES)
        if annotation is None:
            return []
        where = f"metadata.annotations[{_SOURCE_RANGES}]"
        causes = [forbidden_field(where, _ONLY_LB)] if only_lb else []
        before = (old or {}).get("metadata", {}).get("annotations", {}).get(_SOURCE_RANGES)
        if before == annotation or not annotation.strip():
            return causes
        for value in annotation.strip().split(","):
            causes += cidr_causes(where, value.strip(), strict)
        return causes

    def _status(self, old: Obj | None, new: Obj) -> list[Cause]:
        where = "status.loadBalancer.ingress"
        ingress = new["status"]["loadBalancer"].get("ingress") or []
        if ingress and new["spec"]["type"] != "LoadBalancer":
            return [forbidden_field(where, "may only be used when `spec.type` is 'LoadBalancer'")]
        had = ((old or {}).get("status") or {}).get("loadBalancer") or {}
        known = {item.get("ip") for item in had.get("ingress") or ()}
        causes: list[Cause] = []
        for index, item in enumerate(ingress):
            causes += self._ingress(f"{where}[{index}]", item, known)
        return causes

    def _ingress(self, where: str, item: Obj, known: set[Any]) -> list[Cause]:
        causes: list[Cause] = []
        ip, mode, host = item.get("ip"), item.get("ipMode"), item.get("hostname")
        if ip:
            causes += ip_causes(f"{where}.ip", ip, self.features.strict_addresses, known)
        if mode is not None and not ip:
            causes.append(forbidden_field(f"{where}.ipMode", "may not be specified when `ip` is not set"))
        elif mode is not None and mode not in ("Proxy", "VIP"):
            causes.append(not_supported(f"{where}.ipMode", mode, ("Proxy", "VIP")))
        if host:
            causes += [invalid_value(f"{where}.hostname", host, text) for text in subdomain_problems(host)]
            if parsed_ip(host) is not None:
                causes.append(invalid_value(f"{where}.hostname", host, "must be a DNS name, not an IP address"))
        return causes


def _update(before: Obj, spec: Obj) -> list[Cause]:
    causes: list[Cause] = []
    if has_addresses(before) and has_addresses(spec):
        causes += _addresses_update(before, spec) + _families_update(before, spec)
    name = spec.get("loadBalancerClass")
    if before["type"] == spec["type"] == "LoadBalancer" and before.get("loadBalancerClass") != name:
        causes.append(invalid_value(_CLASS, name, _ONCE))  # KEP-1959: set, changed or cleared (CLS-1, CLS-2)
    causes += _class(spec)
    kept = before.get("healthCheckNodePort") == spec.get("healthCheckNodePort")
    if needs_health_check(before) and needs_health_check(spec) and not kept:
        causes.append(forbidden_field("spec.healthCheckNodePort", "field is immutable"))
    return causes


def _addresses_update(before: Obj, after: Obj) -> list[Cause]:
    had, have = before.get("clusterIPs", []), after.get("clusterIPs", [])
    if is_headless(before) and is_headless(after):
        return []
    if len(had) == len(have):
        return [
            invalid_value(f"spec.clusterIPs[{index}]", have, _ONCE)
            for index, (one, other) in enumerate(zip(had, have, strict=True))
            if one != other
        ]
    first = "spec.clusterIPs[0]"
    if not have:
        return [invalid_value(first, have, "primary clusterIP can not be unset")]
    causes = [invalid_value(first, have, _ONCE)] if had and had[0] != have[0] else []
    if len(have) < len(had) and after.get("ipFamilyPolicy") != "SingleStack":
        why = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        causes.append(invalid_value("spec.ipFamilyPolicy", after.get("ipFamilyPolicy"), why))
    return causes


def _families_update(before: Obj, after: Obj) -> list[Cause]:
    if is_headless(before) or is_headless(after):
        return []
    had, have = before.get("ipFamilies", []), after.get("ipFamilies", [])
    where = "spec.ipFamilies[0]"
    if len(had) == len(have):
        return [invalid_value(where, have, _ONCE) for one, other in zip(had, have, strict=True) if one != other]
    causes = [invalid_value(where, have, _ONCE)] if had and have and had[0] != have[0] else []
    if len(have) < len(had) and len(have) == 1 and after.get("ipFamilyPolicy") != "SingleStack":
        why = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        causes.append(invalid_value("spec.ipFamilyPolicy", after.get("ipFamilyPolicy"), why))
    return causes


def _ports_present(spec: Obj) -> list[Cause]:
    if not spec.get("ports") and not is_headless(spec) and has_addresses(spec):
        return [required("spec.ports")]
    return []


def _type_fields(spec: Obj) -> list[Cause]:
    kind = spec["type"]
    if kind in ("LoadBalancer", "NodePort") and is_headless(spec):
        return [invalid_value("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")]
    if kind != "ExternalName":
        return []
    causes = [
        forbidden_field(f"spec.{name}", "may not be set for ExternalName services")
        for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if spec.get(name)
    ]
    host = spec.get("externalName", "").removesuffix(".")
    if not host:
        return [*causes, required("spec.externalName")]
    return causes + [invalid_value("spec.externalName", host, text) for text in subdomain_problems(host)]


def _port(port: Obj, where: str, *, named: bool, names: set[str]) -> list[Cause]:
    causes: list[Cause] = []
    name = port.get("name", "")
    if named and not name:
        causes.append(required(f"{where}.name"))
    elif name:
        causes += [invalid_value(f"{where}.name", name, text) for text in label_name_problems(name)]
        if name in names:
            causes.append(duplicate(f"{where}.name", name))
        names.add(name)
    if not 1 <= port.get("port", 0) <= 65535:
        causes.append(invalid_value(f"{where}.port", port.get("port", 0), _PORT))
    if port["protocol"] not in ("TCP", "UDP", "SCTP"):
        causes.append(not_supported(f"{where}.protocol", port["protocol"], ("SCTP", "TCP", "UDP")))
    target = port.get("targetPort")
    if isinstance(target, int) and not 1 <= target <= 65535:
        causes.append(invalid_value(f"{where}.targetPort", target, _PORT))
    elif isinstance(target, str):
        causes += [invalid_value(f"{where}.targetPort", target, text) for text in _port_name_problems(target)]
    if port.get("appProtocol") is not None:
        problems = qualified_name_problems(port["appProtocol"])
        causes += [invalid_value(f"{where}.appProtocol", port["appProtocol"], text) for text in problems]
    return causes


def _port_name_problems(name: str) -> list[str]:
    problems = ["must be no more than 15 characters long"] if len(name) > 15 else []
    rules = (
        (r"[-a-z0-9]*", "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"),
        (r".*[a-z].*", "must contain at least one letter (a-z)"),
        (r"(?!.*--).*", "must not contain consecutive hyphens"),
        (r"(?!-)(.*[^-])?", "must not begin or end with a hyphen"),
    )
    return problems + [text for rule, text in rules if not re.fullmatch(rule, name, re.DOTALL)]


def _ports(spec: Obj) -> list[Cause]:
    ports, names = spec.get("ports", []), set[str]()
    causes: list[Cause] = []
    for index, port in enumerate(ports):
        causes += _port(port, f"spec.ports[{index}]", named=len(ports) > 1, names=names)
    return causes


def _node_ports(spec: Obj) -> list[Cause]:
    """Each (protocol, port) once, each (protocol, node port) once."""
    causes: list[Cause] = []
    seen, seen_nodes = set[tuple[str, int]](), set[tuple[str, int]]()
    for index, port in enumerate(spec.get("ports", ())):
        where, node = f"spec.ports[{index}]", port.get("nodePort", 0)
        if spec["type"] == "ClusterIP" and node:
            causes.append(forbidden_field(f"{where}.nodePort", "may not be used when `type` is 'ClusterIP'"))
        if node and (port["protocol"], node) in seen_nodes:
            causes.append(duplicate(f"{where}.nodePort", node))
        seen_nodes.add((port["protocol"], node))
        pair = (port["protocol"], port.get("port", 0))
        if pair in seen:
            key = {"Name": "", "Protocol": pair[0], "AppProtocol": None, "Port": pair[1]}
            causes.append(duplicate(where, {**key, "TargetPort": 0, "NodePort": 0}))
        seen.add(pair)
    return causes


def _affinity(spec: Obj) -> list[Cause]:
    affinity = spec["sessionAffinity"]
    if affinity not in ("ClientIP", "None"):
        return [not_supported("spec.sessionAffinity", affinity, ("ClientIP", "None"))]
    if affinity == "None":
        return []
    seconds = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"]
    if 0 < seconds <= _DAY:
        return []
    where = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
    return [invalid_value(where, seconds, f"must be greater than 0 and less than {_DAY}")]


def _special(where: str, value: str) -> list[Cause]:
    """Addresses that lead nowhere outside a node."""
    found = parsed_ip(value)
    if found is None:
        return []
    rules = (
        (found.is_unspecified, f"may not be unspecified ({value})"),
        (found.is_loopback, "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (found.is_link_local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        (
            re.match(r"224\.0\.0\.|ff02:", str(found)),
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    )
    return [invalid_value(where, value, text) for broken, text in rules if broken]


def _class(spec: Obj) -> list[Cause]:
    name = spec.get("loadBalancerClass")
    if name is None:
        return []
    if spec["type"] != "LoadBalancer":
        return [forbidden_field(_CLASS, _ONLY_LB)]
    return [invalid_value(_CLASS, name, text) for text in qualified_name_problems(name)]


def _traffic(spec: Obj) -> list[Cause]:
    causes: list[Cause] = []
    policy, where = spec.get("externalTrafficPolicy", ""), "spec.externalTrafficPolicy"
    if not externally_accessible(spec):
        if policy:
            causes.append(invalid_value(where, policy, "may only be set for externally-accessible services"))
    elif policy not in _TRAFFIC:
        causes.append(not_supported(where, policy, _TRAFFIC))
    check, where = spec.get("healthCheckNodePort", 0), "spec.healthCheckNodePort"
    if not needs_health_check(spec) and check:
        why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        causes.append(invalid_value(where, check, why))
    elif check and not 1 <= check <= 65535:
        causes.append(invalid_value(where, check, _PORT))
    internal = spec.get("internalTrafficPolicy")
    if internal is not None and internal not in _TRAFFIC:
        causes.append(not_supported("spec.internalTrafficPolicy", internal, _TRAFFIC))
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        causes.append(not_supported("spec.trafficDistribution", distribution, _DISTRIBUTIONS))
    return causes
