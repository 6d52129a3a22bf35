# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The IngressController's publishing strategy as its CRD of each release validates it (SUB-1).

The same rules hold for spec and status: that is what can freeze the operator (facts: ingress-operator §8, §14).
"""

from __future__ import annotations

import ipaddress
import re
from functools import cache
from typing import Any

from ..data import Json, dig, plain
from ..profiles import Profile
from .schema import Array, Cause, Node, Number, Obj, Rule, Text, prune, validate

# The CRD's own expression, with its slips: `d` and `s` stand for themselves there, so an IPv4 tail is never taken.
_OCTET = "([0-9]|[0-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
_CIDR_V4 = rf"({_OCTET}\.){{3}}{_OCTET}/([0-9]|[12][0-9]|3[0-2])"
_HEX = "[0-9A-Fa-f]{1,4}"
_TAIL = "((25[0-5]|2[0-4]d|1dd|[1-9]?d)(.(25[0-5]|2[0-4]d|1dd|[1-9]?d)){3})"


def _ipv6() -> str:
    """One alternative for each place that :: can stand in."""
    found = [f"(({_HEX}:){{7}}({_HEX}|:))", f"(({_HEX}:){{6}}(:{_HEX}|{_TAIL}|:))"]
    found.append(f"(({_HEX}:){{5}}(((:{_HEX}){{1,2}})|:{_TAIL}|:))")
    for left in (4, 3, 2, 1):
        between = "?" if left == 4 else f"{{0,{5 - left}}}"
        found.append(f"(({_HEX}:){{{left}}}(((:{_HEX}){{1,{7 - left}}})|((:{_HEX}){between}:{_TAIL})|:))")
    return "|".join([*found, f"(:(((:{_HEX}){{1,7}})|((:{_HEX}){{0,5}}:{_TAIL})|:))"])


_CIDR = rf"(^{_CIDR_V4}$)|(^s*({_ipv6()})(%.+)?s*(\/(12[0-8]|1[0-1][0-9]|[1-9][0-9]|[0-9]))$)"
_PROTOCOL = Text(enum=("", "TCP", "PROXY"))
MAX_SUBNETS = 10
_PROVIDERS = ("AWS", "Azure", "BareMetal", "GCP", "Nutanix", "OpenStack", "VSphere", "IBM")


def _unique(values: list[str]) -> bool:
    return len(set(values)) == len(values)


def _is_ip(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return "%" not in value and getattr(address, "ipv4_mapped", None) is None


def _counts_match(nlb: Any) -> bool:
    subnets = nlb.get("subnets")
    if subnets is None or "eipAllocations" not in nlb or not ("ids" in subnets or "names" in subnets):
        return True
    return len(subnets.get("ids", [])) + len(subnets.get("names", [])) == len(nlb["eipAllocations"])


_SUBNETS = Obj(
    fields={
        "ids": Array(
            item=Text(min_length=24, max_length=24, pattern="^subnet-[0-9A-Za-z]+$"),
            max_items=MAX_SUBNETS,
            rules=(Rule("subnet ids cannot contain duplicates", _unique),),
        ),
        "names": Array(
            item=Text(
                min_length=1,
                max_length=256,
                rules=(
                    Rule("subnet name cannot contain a comma", lambda name: "," not in name),
                    Rule("subnet name cannot start with 'subnet-'", lambda name: not name.startswith("subnet-")),
                ),
            ),
            max_items=MAX_SUBNETS,
            rules=(Rule("subnet names cannot contain duplicates", _unique),),
        ),
    },
    rules=(
        Rule(
            "the total number of subnets cannot exceed 10",
            lambda subnets: len(subnets.get("ids", [])) + len(subnets.get("names", [])) <= MAX_SUBNETS,
        ),
        Rule(
            "must specify at least 1 subnet name or id",
            lambda subnets: bool(subnets.get("ids") or subnets.get("names")),
        ),
    ),
)
_EIPS = Array(
    item=Text(
        min_length=26,
        max_length=26,
        rules=(
            Rule("eipAllocations should start with 'eipalloc-'", lambda eip: eip.startswith("eipalloc-")),
            Rule(
                "eipAllocations must be 'eipalloc-' followed by exactly 17 hexadecimal characters (0-9, a-f, A-F)",
                lambda eip: bool(re.search(r"[0-9a-fA-F]{17}\Z", eip.split("-", 1)[1])),
            ),
        ),
    ),
    max_items=10,
    rules=(Rule("eipAllocations cannot contain duplicates", _unique),),
)
_EIPS_NOT_INTERNAL = Rule(
    "eipAllocations are forbidden when the scope is Internal.",
    lambda lb: (
        lb.get("scope") != "Internal"
        or dig(lb, "providerParameters", "aws", "networkLoadBalancer", "eipAllocations") is None
    ),
)
_FLOATING_IP_NOT_INTERNAL = Rule(
    "cannot specify a floating ip when scope is internal",
    lambda lb: lb.get("scope") != "Internal" or not dig(lb, "providerParameters", "openstack", "floatingIP"),
)


@cache
def _strategy(profile: Profile) -> Obj:
    classic: dict[str, Node] = {"connectionIdleTimeout": Text(duration=True)} if profile.idle_timeout else {}
    network: dict[str, Node] = {}
    lb_rules: tuple[Rule, ...] = ()
    nlb_rules: tuple[Rule, ...] = ()
    if profile.subnets:
        classic["subnets"] = _SUBNETS
        network |= {"subnets": _SUBNETS, "eipAllocations": _EIPS}
        nlb_rules = (Rule("number of subnets must be equal to number of eipAllocations", _counts_match),)
        lb_rules = (_EIPS_NOT_INTERNAL,)
    if profile.nlb_protocol:
        network["protocol"] = Text(enum=("TCP", "PROXY"))
    parameters: dict[str, Node] = {
        "type": Text(enum=_PROVIDERS),
        "aws": Obj(
            fields={
                "type": Text(enum=("Classic", "NLB")),
                "classicLoadBalancer": Obj(fields=classic),
                "networkLoadBalancer": Obj(fields=network, rules=nlb_rules),
            },
            required=("type",),
        ),
        "gcp": Obj(fields={"clientAccess": Text(enum=("Global", "Local"))}),
    }
    if profile.ibm_protocol:
        parameters["ibm"] = Obj(fields={"protocol": _PROTOCOL})
    parameter_rules: tuple[Rule, ...] = ()
    if profile.floating_ip:
        lb_rules = (*lb_rules, _FLOATING_IP_NOT_INTERNAL)
        floating_ip = Text(rules=(Rule("floatingIP must be a valid IPv4 or IPv6 address", _is_ip),))
        parameters["openstack"] = Obj(fields={"floatingIP": floating_ip})
        parameter_rules = (
            Rule(
                "openstack is not permitted when type is not OpenStack",
                lambda given: given.get("type") == "OpenStack" or "openstack" not in given,
            ),
        )
    load_balancer = Obj(
        fields={
            "scope": Text(enum=("Internal", "External")),
            "dnsManagementPolicy": Text(enum=("Managed", "Unmanaged"), default="Managed"),
            "allowedSourceRanges": Array(item=Text(pattern=_CIDR), nullable=True),
            "providerParameters": Obj(fields=parameters, required=("type",), rules=parameter_rules),
        },
        required=("dnsManagementPolicy", "scope"),
        rules=lb_rules,
    )
    ports = {name: Number(default=port, minimum=0, maximum=65535) for name, port in _HOST_PORTS.items()}
    return Obj(
        fields={
            "type": Text(enum=("LoadBalancerService", "HostNetwork", "Private", "NodePortService")),
            "loadBalancer": load_balancer,
            "hostNetwork": Obj(fields={**ports, "protocol": _PROTOCOL}),
            "nodePort": Obj(fields={"protocol": _PROTOCOL}),
            "private": Obj(fields={"protocol": _PROTOCOL}),
        },
        required=("type",),
    )


_HOST_PORTS = {"httpPort": 80, "httpsPort": 443, "statsPort": 1936}


def stored(profile: Profile, strategy: Json) -> Json:
    """What the API server keeps of a publishing strategy: unknown fields gone, defaults in."""
    return prune(_strategy(profile), plain(strategy)) if strategy is not None else None


def check(profile: Profile, strategy: Json, where: str = "spec", everything: bool = False) -> list[Cause]:
    """The causes for which the API server refuses a publishing strategy; empty when it takes it.

    `everything`: also those it would name only once the others are mended (SUB-1).
    """
    if strategy is None:
        return []
    where = f"{where}.endpointPublishingStrategy"
    return validate(_strategy(profile), plain(strategy), where, everything, profile.crd_rules)
