# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of a Service with the API server's texts (facts: aws-ccm §7 for the class; pkg/apis/core/validation)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from .api import Cause, Obj
from .errors import duplicate, forbidden_field, invalid_value, not_supported, required
from .names import label_causes, label_name_problems, qualified_name_problems, subdomain_problems
from .service_strategy import externally_accessible, needs_health_check

_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
_ONLY_LB = "may only be used when `type` is 'LoadBalancer'"
_CLASS = "spec.loadBalancerClass"
_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_PORT = "must be between 1 and 65535, inclusive"


def validate_service(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    if subresource == "status":
        return _status(new)
    spec = new["spec"]
    causes: list[Cause] = []
    if old is not None:
        causes += _addresses_update(old["spec"], spec) + _class(old["spec"], spec)
        kept = old["spec"].get("healthCheckNodePort") == spec.get("healthCheckNodePort")
        if needs_health_check(old["spec"]) and needs_health_check(spec) and not kept:
            causes.append(forbidden_field("spec.healthCheckNodePort", "field is immutable"))
    causes += _ports_present(spec) + _type_fields(spec) + _ports(spec)
    causes += label_causes(spec.get("selector", {}), "spec.selector")
    causes += _affinity(spec) + _addresses(spec) + _type(spec)
    causes += _source_ranges(new, old)
    if spec.get("allocateLoadBalancerNodePorts") is not None and spec["type"] != "LoadBalancer":
        causes.append(forbidden_field("spec.allocateLoadBalancerNodePorts", _ONLY_LB))
    return causes + _class(None, spec) + _traffic(spec)


def _headless(spec: Obj) -> bool:
    return bool(spec.get("clusterIPs") == ["None"])


def _ports_present(spec: Obj) -> list[Cause]:
    if not spec.get("ports") and not _headless(spec) and spec["type"] != "ExternalName":
        return [required("spec.ports")]
    return []


def _type_fields(spec: Obj) -> list[Cause]:
    kind = spec["type"]
    if kind in ("LoadBalancer", "NodePort") and _headless(spec):
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
    return causes


def _ports(spec: Obj) -> list[Cause]:
    ports = spec.get("ports", [])
    causes: list[Cause] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        causes += _port(port, f"spec.ports[{index}]", named=len(ports) > 1, names=names)
        if spec["type"] == "ClusterIP" and port.get("nodePort"):
            causes.append(
                forbidden_field(f"spec.ports[{index}].nodePort", "may not be used when `type` is 'ClusterIP'")
            )
    seen: set[tuple[str, int]] = set()
    seen_nodes: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        pair = (port["protocol"], port.get("port", 0))
        if pair in seen:
            key = {
                "Name": "",
                "Protocol": pair[0],
                "AppProtocol": None,
                "Port": pair[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            causes.append(duplicate(f"spec.ports[{index}]", key))
        seen.add(pair)
        node = (port["protocol"], port.get("nodePort", 0))
        if node[1] and node in seen_nodes:
            causes.append(duplicate(f"spec.ports[{index}].nodePort", node[1]))
        seen_nodes.add(node)
    return causes


def _affinity(spec: Obj) -> list[Cause]:
    affinity = spec["sessionAffinity"]
    if affinity not in ("ClientIP", "None"):
        return [not_supported("spec.sessionAffinity", affinity, ("ClientIP", "None"))]
    if affinity == "None" and spec.get("sessionAffinityConfig") is not None:
        return [forbidden_field("spec.sessionAffinityConfig", "must not be set when session affinity is None")]
    return []


def _is_ip(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def _addresses(spec: Obj) -> list[Cause]:
    if spec["type"] == "ExternalName":
        return []
    causes: list[Cause] = []
    ips: list[str] = spec.get("clusterIPs", [])
    if spec.get("clusterIP") and ips and ips[0] != spec["clusterIP"]:
        causes.append(invalid_value("spec.clusterIPs", ips, "first value must match `clusterIP`"))
    for index, family in enumerate(spec.get("ipFamilies", ())):
        if family not in ("IPv4", "IPv6"):
            causes.append(not_supported(f"spec.ipFamilies[{index}]", family, ("IPv4", "IPv6")))
    policies = ("SingleStack", "PreferDualStack", "RequireDualStack")
    if spec.get("ipFamilyPolicy") and spec["ipFamilyPolicy"] not in policies:
        causes.append(not_supported("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], policies))
    for index, ip in enumerate(ips):
        if ip != "None" and not _is_ip(ip):
            causes.append(invalid_value(f"spec.clusterIPs[{index}]", ip, _IP))
    for index, ip in enumerate(spec.get("externalIPs", ())):
        if not _is_ip(ip):
            causes.append(invalid_value(f"spec.externalIPs[{index}]", ip, _IP))
    return causes


def _addresses_update(before: Obj, after: Obj) -> list[Cause]:
    if "ExternalName" in (before["type"], after["type"]):
        return []
    had, have = before.get("clusterIPs", []), after.get("clusterIPs", [])
    if had and (not have or had[0] != have[0]):
        return [invalid_value("spec.clusterIPs[0]", have, "may not change once set")]
    families, wanted = before.get("ipFamilies", []), after.get("ipFamilies", [])
    if families and wanted and families[0] != wanted[0]:
        return [invalid_value("spec.ipFamilies[0]", wanted, "may not change once set")]
    return []


def _type(spec: Obj) -> list[Cause]:
    return [] if spec["type"] in _TYPES else [not_supported("spec.type", spec["type"], _TYPES)]


def _bad_ranges(where: Iterable[tuple[str, str]]) -> list[Cause]:
    causes: list[Cause] = []
    for field, value in where:
        try:
            ok = "/" in value and bool(ipaddress.ip_network(value, strict=False))
        except ValueError:
            ok = False
        if not ok:
            causes.append(invalid_value(field, value, _CIDR))
    return causes


def _source_ranges(new: Obj, old: Obj | None) -> list[Cause]:
    spec = new["spec"]
    ranges = [value.strip() for value in spec.get("loadBalancerSourceRanges", ())]
    if ranges:
        field = "spec.LoadBalancerSourceRanges"
        known = {value.strip() for value in (old or {}).get("spec", {}).get("loadBalancerSourceRanges", ())}
        causes = [] if spec["type"] == "LoadBalancer" else [forbidden_field(field, _ONLY_LB)]
        return causes + _bad_ranges((f"{field}[{i}]", value) for i, value in enumerate(ranges) if value not in known)
    annotation = new["metadata"].get("annotations", {}).get(_SOURCE_RANGES)
    if annotation is None:
        return []
    field = f"metadata.annotations[{_SOURCE_RANGES}]"
    causes = [] if spec["type"] == "LoadBalancer" else [forbidden_field(field, _ONLY_LB)]
    before = (old or {}).get("metadata", {}).get("annotations", {}).get(_SOURCE_RANGES)
    if before == annotation or not annotation.strip():
        return causes
    return causes + _bad_ranges((field, value.strip()) for value in annotation.split(","))


def _class(before: Obj | None, spec: Obj) -> list[Cause]:
    """KEP-1959: set, changed and cleared are all refused while the type stays LoadBalancer (CLS-1, CLS-2)."""
    name = spec.get("loadBalancerClass")
    causes: list[Cause] = []
    if (
        before is not None
        and before["type"] == spec["type"] == "LoadBalancer"
        and before.get("loadBalancerClass") != name
    ):
        causes.append(invalid_value(_CLASS, name, "may not change once set"))
    if name is None:
        return causes
    if spec["type"] != "LoadBalancer":
        return [*causes, forbidden_field(_CLASS, _ONLY_LB)]
    return causes + [invalid_value(_CLASS, name, text) for text in qualified_name_problems(name)]


def _traffic(spec: Obj) -> list[Cause]:
    causes: list[Cause] = []
    policy, field = spec.get("externalTrafficPolicy", ""), "spec.externalTrafficPolicy"
    if not externally_accessible(spec):
        if policy:
            causes.append(invalid_value(field, policy, "may only be set for externally-accessible services"))
    elif policy not in ("Cluster", "Local"):
        causes.append(not_supported(field, policy, ("Cluster", "Local")))
    if not needs_health_check(spec) and spec.get("healthCheckNodePort"):
        why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        causes.append(invalid_value("spec.healthCheckNodePort", spec["healthCheckNodePort"], why))
    internal = spec.get("internalTrafficPolicy")
    if internal is not None and internal not in ("Cluster", "Local"):
        causes.append(not_supported("spec.internalTrafficPolicy", internal, ("Cluster", "Local")))
    return causes


def _status(new: Obj) -> list[Cause]:
    field = "status.loadBalancer.ingress"
    ingress = new["status"]["loadBalancer"].get("ingress") or []
    if ingress and new["spec"]["type"] != "LoadBalancer":
        return [forbidden_field(field, "may only be used when `spec.type` is 'LoadBalancer'")]
    causes: list[Cause] = []
    for index, item in enumerate(ingress):
        if item.get("ip") and not _is_ip(item["ip"]):
            causes.append(invalid_value(f"{field}[{index}].ip", item["ip"], _IP))
        host = item.get("hostname")
        if host:
            where = f"{field}[{index}].hostname"
            causes += [invalid_value(where, host, text) for text in subdomain_problems(host)]
            if _is_ip(host):
                causes.append(invalid_value(where, host, "must be a DNS name, not an IP address"))
    return causes
