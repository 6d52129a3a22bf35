# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Service the operator wants, from status and spec (facts: ingress-operator §1, §4, §5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..data import Json, dig
from ..go import parse_duration, whole_seconds
from ..platforms import AWS, GCP, IBM, INTERNAL, OPENSTACK, POWERVS, platform
from ..profiles import Profile
from . import names, subnets
from .names import CLASSIC, LB_STRATEGY, NLB, PARAMS, Infra
from .subnets import Subnets

_TARGET_GROUP = {
    True: "preserve_client_ip.enabled=false,proxy_protocol_v2.enabled=true",
    False: "preserve_client_ip.enabled=true,proxy_protocol_v2.enabled=false",
}
_FALSE = ("0", "f", "F", "false", "FALSE", "False")


def wanted(ic: Json) -> bool:
    return bool(dig(ic, "status", "endpointPublishingStrategy", "type") == LB_STRATEGY)


def owned(ic_name: str, service: Json) -> bool:
    return bool(dig(service, "metadata", "labels", names.OWNER_LABEL) == ic_name)


def status_type(ic: Json) -> str:
    """The wanted AWS type; an IngressController that was never given AWS parameters wants Classic."""
    return (
        dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", "type") or CLASSIC
    )


def service(profile: Profile, infra: Infra, ic: Json, current: Json) -> dict[str, Any]:
    """The whole desired Service. `current` counts only where the release looks at the live one."""
    name = ic["metadata"]["name"]
    spec: dict[str, Any] = {
        "type": "LoadBalancer",
        "selector": {names.POD_LABEL: name},
        "externalTrafficPolicy": "Cluster" if infra.platform in (IBM, POWERVS) else "Local",
        "internalTrafficPolicy": "Cluster",
        "sessionAffinity": "None",
        "ports": [
            {"name": kind, "protocol": "TCP", "port": port, "targetPort": kind}
            for kind, port in (("http", 80), ("https", 443))
        ],
    }
    ranges = dig(ic, "spec", "endpointPublishingStrategy", "loadBalancer", "allowedSourceRanges")
    if ranges and profile.source_ranges:
        spec["loadBalancerSourceRanges"] = list(ranges)
    spec |= _families(profile, infra, ic)
    if infra.platform == OPENSTACK and profile.floating_ip and _scope(ic) != INTERNAL:
        floating = _spec_floating_ip(ic)
        if floating:
            spec["loadBalancerIP"] = floating
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": names.service_name(name),
            "namespace": names.OPERAND_NAMESPACE,
            "labels": {"app": "router", "router": names.service_name(name), names.OWNER_LABEL: name},
            "annotations": wanted_annotations(profile, infra, ic, current, spec["externalTrafficPolicy"]),
        },
        "spec": spec,
    }


def wanted_annotations(profile: Profile, infra: Infra, ic: Json, current: Json, traffic_policy: str) -> dict[str, str]:
    """Complete set for a new Service; which of them reach a live one is diff's business."""
    found = platform(infra.platform).scope_annotations(_scope(ic))
    lb = dig(ic, "status", "endpointPublishingStrategy", "loadBalancer") or {}
    if infra.platform == GCP and _scope(ic) == INTERNAL and dig(lb, "providerParameters", "gcp") is not None:
        global_access = dig(lb, "providerParameters", "gcp", "clientAccess") == "Global"
        found[names.GCP_GLOBAL_ACCESS] = "true" if global_access else "false"
    if infra.platform == AWS:
        found |= _aws(profile, infra, ic, current)
    if infra.platform in (IBM, POWERVS) and profile.ibm_protocol and proxy_needed(profile, infra, ic, current):
        found[names.IBM_FEATURES] = "proxy-protocol"
    if traffic_policy == "Local" and _local_with_fallback(ic):
        found[names.LOCAL_WITH_FALLBACK] = ""
    return found


def proxy_needed(profile: Profile, infra: Infra, ic: Json, current: Json) -> bool:
    """Do the router pods speak PROXY? From 4.22 by the type in force, before by the wanted one."""
    if infra.platform == AWS:
        kind = effective_type(profile, ic, current)
        if kind == CLASSIC:
            return True
        return profile.nlb_protocol and _nlb_protocol(ic) == "PROXY"
    return infra.platform == IBM and _lb_parameter(ic, "ibm", "protocol") == "PROXY"


def effective_type(profile: Profile, ic: Json, current: Json) -> str:
    if profile.actual_type and current is not None:
        return subnets.lb_type(dig(current, "metadata", "annotations") or {})
    return status_type(ic)


def _aws(profile: Profile, infra: Infra, ic: Json, current: Json) -> dict[str, str]:
    found = {
        names.AWS_INTERVAL: "5",
        names.AWS_TIMEOUT: "4",
        names.AWS_UNHEALTHY: "2",
        names.AWS_HEALTHY: "2",
    }
    if profile.nlb_protocol and effective_type(profile, ic, current) == NLB:
        if _nlb_protocol(ic):
            found[names.AWS_TARGET_GROUP] = _TARGET_GROUP[proxy_needed(profile, infra, ic, current)]
    elif proxy_needed(profile, infra, ic, current):
        found[names.AWS_PROXY] = "*"
    params = dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "providerParameters") or {}
    if params.get("type") == "AWS" and params.get("aws") is not None:
        found |= _by_type(profile, ic, params["aws"])
    tags = ",".join(f"{key}={value}" for key, value in infra.resource_tags if key)
    if tags:
        found[names.AWS_TAGS] = tags
    return found


def _by_type(profile: Profile, ic: Json, aws: Mapping[str, Any]) -> dict[str, str]:
    kind = aws.get("type", "")
    found = {}
    if kind == NLB:
        found = {names.AWS_TYPE: names.AWS_NLB_VALUE, names.AWS_INTERVAL: "10"}
    elif kind == CLASSIC and profile.idle_timeout:
        idle = parse_duration((aws.get(PARAMS[CLASSIC]) or {}).get("connectionIdleTimeout", "0")) or 0
        if idle > 0:
            found[names.AWS_IDLE_TIMEOUT] = str(whole_seconds(idle))
    if profile.subnets and kind in PARAMS:
        given = spec_params(ic, kind)
        rendered = ",".join(Subnets.listed(given.get("subnets")))
        if rendered:
            found[names.AWS_SUBNETS] = rendered
        if kind == NLB and given.get("eipAllocations"):
            found[names.AWS_EIPS] = subnets.render_eips(given["eipAllocations"])
    return found


def spec_params(ic: Json, kind: str) -> Mapping[str, Any]:
    """spec's parameters of one AWS type, {} where unset."""
    return (
        dig(ic, "spec", "endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", PARAMS[kind]) or {}
    )


def _families(profile: Profile, infra: Infra, ic: Json) -> dict[str, Any]:
    if not profile.dual_stack or infra.platform != AWS or not infra.ip_family.startswith("DualStack"):
        return {}
    kind = _lb_parameter(ic, "aws", "type")
    if kind == NLB:
        order = ["IPv4", "IPv6"] if infra.ip_family == "DualStackIPv4Primary" else ["IPv6", "IPv4"]
        return {"ipFamilyPolicy": "RequireDualStack", "ipFamilies": order}
    if kind == CLASSIC:
        return {"ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4"]}
    return {}


def _local_with_fallback(ic: Json) -> bool:
    override = dig(ic, "spec", "unsupportedConfigOverrides", "localWithFallback")
    return not override or str(override) not in _FALSE


def _scope(ic: Json) -> str:
    return dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope") or ""


def _spec_floating_ip(ic: Json) -> str:
    params = dig(ic, "spec", "endpointPublishingStrategy", "loadBalancer", "providerParameters") or {}
    return (dig(params, "openstack", "floatingIP") or "") if params.get("type") == "OpenStack" else ""


def _nlb_protocol(ic: Json) -> str:
    found = dig(
        ic, "status", "endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", PARAMS[NLB], "protocol"
    )
    return found or ""


def _lb_parameter(ic: Json, provider: str, name: str) -> str:
    return dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "providerParameters", provider, name) or ""
