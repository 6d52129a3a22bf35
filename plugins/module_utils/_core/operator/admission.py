# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Admission: what the operator copies from spec to status, and when (facts: ingress-operator §2, §6).

In status, scope and type are the wanted ones; subnets, EIPs and floating IP are the ones in force, mirrored later.
A publishing strategy here is plain JSON as the API serves it.
"""

from __future__ import annotations

from typing import Any

from ..data import Json, dig, plain
from ..go import duration_problem, format_duration, parse_duration
from ..platforms import ALIBABA, AWS, GCP, OPENSTACK, platform
from ..profiles import Profile
from .names import CLASSIC, LB_STRATEGY, NLB, PARAMS, Infra
from .schema import Cause

_DEFAULT_PROTOCOL = "TCP"
_HOST_PORTS = {"httpPort": 80, "httpsPort": 443, "statsPort": 1936}
# Provider name in the API → key of its parameters and the one parameter copied to status.
_COPIED = {"GCP": ("gcp", "clientAccess"), "IBM": ("ibm", "protocol")}
_IDLE = "connectionIdleTimeout"
_SIMPLE = {"NodePortService": "nodePort", "Private": "private"}


def needs_admission(profile: Profile, ic: Json) -> bool:
    """A Service edit alone never re-admits; a new generation does."""
    status = ic.get("status") or {}
    strategy = status.get("endpointPublishingStrategy")
    if not admitted(ic) or strategy is None:
        return True
    if (ic["metadata"].get("generation") or 0) != (status.get("observedGeneration") or 0):
        return True
    lacks_lb = strategy.get("type") == LB_STRATEGY and strategy.get("loadBalancer") is None
    return profile.readmits_missing_lb and lacks_lb


def unreadable(ic: Json) -> Cause | None:
    """A spec that the API takes and the operator's Go types do not: it never sees it (facts: ingress-operator §15).

    The API's durations know days and weeks, Go's do not.
    """
    path = ("endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", PARAMS[CLASSIC], _IDLE)
    value = dig(ic, "spec", *path)
    if not isinstance(value, str) or parse_duration(value) is not None:
        return None
    return Cause(".".join(("spec", *path)), "FieldValueInvalid", duration_problem(value))


def admitted(ic: Json) -> bool:
    conditions = dig(ic, "status", "conditions") or []
    return any(entry["type"] == "Admitted" and entry["status"] == "True" for entry in conditions)


def admit(profile: Profile, infra: Infra, ic: Json) -> dict[str, Any]:
    """The publishing strategy that status gets on (re)admission."""
    current = dig(ic, "status", "endpointPublishingStrategy")
    wanted = effective(profile, infra, ic)
    return wanted if current is None else _updated(profile, plain(current), wanted)


def domain(infra: Infra, ic: Json) -> str:
    """status.domain is fixed once set; before, spec's or the cluster's."""
    name = dig(ic, "status", "domain") or dig(ic, "spec", "domain") or infra.ingress_domain
    return str(name or "")


def effective(profile: Profile, infra: Infra, ic: Json) -> dict[str, Any]:
    """spec.endpointPublishingStrategy with the operator's defaults."""
    strategy = plain(dig(ic, "spec", "endpointPublishingStrategy"))
    if strategy is None:
        strategy = {"type": _default_type(profile, infra)}
    kind = strategy.get("type")
    if kind == LB_STRATEGY:
        lb = strategy.setdefault("loadBalancer", {"dnsManagementPolicy": "Managed", "scope": "External"})
        lb.setdefault("dnsManagementPolicy", "Managed")
        if _dns_unmanaged(profile, infra, domain(infra, ic)):
            lb["dnsManagementPolicy"] = "Unmanaged"
        _default_parameters(profile, infra, lb, admitted(ic), dig(ic, "status", "endpointPublishingStrategy") is None)
    elif kind == "HostNetwork":
        host = strategy.setdefault("hostNetwork", {})
        for name, port in _HOST_PORTS.items():
            host[name] = host.get(name) or port
        host["protocol"] = host.get("protocol") or _DEFAULT_PROTOCOL
    elif kind in _SIMPLE:
        params = strategy.setdefault(_SIMPLE[kind], {})
        params["protocol"] = params.get("protocol") or _DEFAULT_PROTOCOL
    return _go_shape(strategy)


def _default_type(profile: Profile, infra: Infra) -> str:
    if infra.platform == ALIBABA and not profile.alibaba:
        return "HostNetwork"
    return LB_STRATEGY if platform(infra.platform).has_load_balancers else "HostNetwork"


def _dns_unmanaged(profile: Profile, infra: Infra, name: str) -> bool:
    if not name or not infra.base_domain or infra.cluster_hosted_dns:
        return True
    if infra.platform in (AWS, GCP):
        return not name.rstrip(".").endswith("." + infra.base_domain.rstrip("."))
    return infra.platform == OPENSTACK and profile.openstack_dns_unmanaged


def _default_parameters(profile: Profile, infra: Infra, lb: dict[str, Any], was_admitted: bool, new: bool) -> None:
    given = lb.get("providerParameters")
    provider = (given or {}).get("type", "")
    if not provider and not was_admitted and infra.ingress_lb_type:
        provider = "AWS"  # the cluster's default type is for new IngressControllers only
    if provider == "AWS":
        params = lb.setdefault("providerParameters", {})
        params["type"] = provider
        aws = params.setdefault("aws", {})
        default = infra.ingress_lb_type if infra.ingress_lb_type and not was_admitted else CLASSIC
        aws["type"] = aws.get("type") or default
        if aws["type"] == CLASSIC or profile.subnets:
            aws.setdefault(PARAMS[aws["type"]], {})
        if aws["type"] == NLB and new and profile.nlb_protocol:
            aws[PARAMS[NLB]].setdefault("protocol", "PROXY")
    elif provider in ("GCP", "IBM") or (provider == "OpenStack" and profile.floating_ip):
        lb["providerParameters"].setdefault(provider.lower(), {})


def _go_shape(strategy: dict[str, Any]) -> dict[str, Any]:
    """Through the operator's Go types and back: durations in Go's form, a Classic block always has one, no empties."""
    lb = strategy.get("loadBalancer")
    if lb is None:
        return strategy
    if not lb.get("allowedSourceRanges"):
        lb.pop("allowedSourceRanges", None)
    aws = dig(lb, "providerParameters", "aws") or {}
    if PARAMS[CLASSIC] in aws:
        classic = aws[PARAMS[CLASSIC]]
        classic[_IDLE] = format_duration(_idle(classic))
    if aws.get(PARAMS[NLB], {}).get("eipAllocations") == []:
        del aws[PARAMS[NLB]]["eipAllocations"]
    for key in PARAMS.values():
        subnets = dig(aws, key, "subnets") or {}
        for empty in [kind for kind, values in subnets.items() if not values]:
            del subnets[empty]
    return strategy


def _updated(profile: Profile, status: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Status after re-admission. The strategy's type itself is never updated."""
    kind = wanted.get("type")
    if kind == LB_STRATEGY:
        if "loadBalancer" not in status:
            if not profile.readmits_missing_lb:
                return status
            status["loadBalancer"] = {}
        _update_lb(profile, status["loadBalancer"], wanted["loadBalancer"])
    elif kind == "HostNetwork":
        status.setdefault("hostNetwork", {}).update(wanted["hostNetwork"])
    elif kind in _SIMPLE:
        status.setdefault(_SIMPLE[kind], {})["protocol"] = wanted[_SIMPLE[kind]]["protocol"]
    return status


def _update_lb(profile: Profile, status: dict[str, Any], wanted: dict[str, Any]) -> None:
    status["scope"] = wanted.get("scope", "")
    status["dnsManagementPolicy"] = wanted["dnsManagementPolicy"]
    given = wanted.get("providerParameters") or {}
    provider = given.get("type", "")
    if provider == "AWS":
        _update_aws(profile, status, given["aws"])
    elif provider in _COPIED:
        key, name = _COPIED[provider]
        value = given[key].get(name, "")
        if value != (dig(status, "providerParameters", key, name) or ""):
            params = status.setdefault("providerParameters", {})
            params.setdefault("type", provider)
            _set(params.setdefault(key, {}), name, value)


def _update_aws(profile: Profile, status: dict[str, Any], wanted: dict[str, Any]) -> None:
    params = status.setdefault("providerParameters", {})
    params.setdefault("type", "AWS")
    aws = params.setdefault("aws", {})
    previous = aws.get("type", "")
    if not (profile.type_in_place or profile.type_recreates) and previous:
        wanted = {**wanted, "type": previous}  # the oldest operators never take a new type
    kind = aws["type"] = wanted["type"]
    if profile.name == "P2":
        # The other type's parameters go at once; later operators keep them until the type is in force.
        aws.pop(PARAMS[NLB if kind == CLASSIC else CLASSIC], None)
    if kind == CLASSIC:
        classic = aws.setdefault(PARAMS[CLASSIC], {})
        idle = _idle(wanted.get(PARAMS[CLASSIC]) or {})
        # A negative one from the first admission stays; a new one counts as none.
        classic[_IDLE] = format_duration(idle if idle == _idle(classic) else max(idle, 0))
    elif profile.subnets:
        network = aws.setdefault(PARAMS[NLB], {})
        if profile.nlb_protocol:
            _update_protocol(network, (wanted.get(PARAMS[NLB]) or {}).get("protocol", ""), previous)


def _idle(classic: dict[str, Any]) -> int:
    return parse_duration(classic.get(_IDLE) or "0") or 0


def _update_protocol(status: dict[str, Any], wanted: str, previous_type: str) -> None:
    have = status.get("protocol", "")
    if wanted:
        status["protocol"] = wanted
    elif have or previous_type != NLB:
        # An NLB from before the field existed keeps an empty protocol: its attributes are the user's.
        status["protocol"] = "PROXY"


def _set(params: dict[str, Any], name: str, value: str) -> None:
    if value:
        params[name] = value
    else:
        params.pop(name, None)
