# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be put back onto a Service that was made anew, and what may not (SCO-6): a whitelist, each value checked.

The same rules hold for what is read off the live Service and for what a stopped run has left to be put back: the latter
stands in an annotation that others can write to.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..data import Json, dig
from ..operator import names
from ..operator.names import CLASSIC, NLB
from ..platforms import AWS
from ..profiles import Profile

_AWS = "service.beta.kubernetes.io/aws-load-balancer-"
# Written by controllers, not by people. What names a load balancer would give the new Service the old one's.
_CONTROLLERS = (
    "kubectl.kubernetes.io/",
    "operator.openshift.io/",
    "deployment.kubernetes.io/",
    "loadbalancer.openstack.org/load-balancer-id",
    "loadbalancer.openstack.org/load-balancer-address",
    "cloud.google.com/neg-status",
    "service.kubernetes.io/backend-service",
    "service.kubernetes.io/firewall-rule",
    "service.kubernetes.io/healthcheck",
    "service.kubernetes.io/tcp-forwarding-rule",
    "service.kubernetes.io/udp-forwarding-rule",
)
# Read only when a load balancer is made: on a live one they change nothing, or break it.
_AT_CREATION = (names.AWS_TYPE, names.AWS_SUBNETS, names.AWS_EIPS, f"{_AWS}private-ipv4-addresses")
# Beginning of an AWS annotation → the only kind that has it; the cloud controller ignores or refuses it on the other.
_ONE_KIND = {
    f"{_AWS}target-group-attributes": NLB,
    f"{_AWS}proxy-protocol": CLASSIC,
    f"{_AWS}extra-security-groups": CLASSIC,
    f"{_AWS}connection-": CLASSIC,
    f"{_AWS}access-log-": CLASSIC,
}
_OPERATORS_LABELS = ("app", "router", names.OWNER_LABEL, names.POD_LABEL)
_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


def written_by_controllers(key: str) -> bool:
    return any(key.startswith(mark) or mark in key.partition("/")[0] + "/" for mark in _CONTROLLERS)


def annotation_refused(key: Json, value: Json, profile: Profile, platform: str, kind: str) -> str:
    """Why this annotation is not put back onto a load balancer of this kind; '' where it is. None takes it away."""
    if not isinstance(key, str) or not _KEY.fullmatch(key) or not (value is None or isinstance(value, str)):
        return "it is no annotation"
    if written_by_controllers(key):
        return "a controller writes it"
    if key in names.managed(profile) | names.creation_only(profile, platform):
        return "the operator sets it"
    if platform == AWS and key in _AT_CREATION:
        return "it counts only when a load balancer is made"
    only = next((fit for mark, fit in _ONE_KIND.items() if key.startswith(mark)), kind) if platform == AWS else kind
    return "" if only == kind else f"a {kind} load balancer does not have it"


def label_refused(key: Json, value: Json) -> str:
    fits = isinstance(key, str) and _KEY.fullmatch(key) and (value is None or isinstance(value, str))
    if not fits or not _LABEL.fullmatch(value or ""):
        return "it is no label"
    return "the operator sets it" if key in _OPERATORS_LABELS else ""


def field_refused(field: Json, value: Json, platform: str) -> str:
    """Of spec."""
    if field in _NOT_LATER:
        return _NOT_LATER[field]
    if field not in _FIELDS:
        return "it is not one that is put back"
    if platform == AWS and field in ("sessionAffinity", "sessionAffinityConfig"):
        return "AWS makes no load balancer for a Service with session affinity"
    return "" if _FIELDS[field](value) else f"its value {value!r} is not one the field can have"


def _choice(*values: str) -> Callable[[Json], bool]:
    return lambda value: value in values


def _flag(value: Json) -> bool:
    return isinstance(value, bool)


def _each(parse: Callable[[Any], object]) -> Callable[[Json], bool]:
    def fits(value: Json) -> bool:
        listed = isinstance(value, (list, tuple))
        return listed and all(isinstance(item, str) and _parses(parse, item) for item in value)

    return fits


def _parses(parse: Callable[[Any], object], item: Json) -> bool:
    try:
        parse(item)
    except ValueError:
        return False
    return True


def _affinity(value: Json) -> bool:
    seconds = dig(value, "clientIP", "timeoutSeconds")
    return isinstance(seconds, int) and 0 < seconds <= 86400 and set(value) == {"clientIP"}


_PORT: Mapping[str, Callable[[Json], bool]] = {
    "name": lambda value: isinstance(value, str),
    "protocol": _choice("TCP", "UDP", "SCTP"),
    "port": lambda value: _number(value, 1),
    "nodePort": lambda value: _number(value, 1),
    "targetPort": lambda value: isinstance(value, str) or _number(value, 1),
    "appProtocol": lambda value: isinstance(value, str),
}


def _number(value: Json, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= 65535


def _ports(value: Json) -> bool:
    listed = isinstance(value, (list, tuple)) and bool(value) and all(isinstance(port, Mapping) for port in value)
    return listed and all("port" in port and all(_fits_port(key, port[key]) for key in port) for port in value)


def _fits_port(key: str, value: Json) -> bool:
    return key in _PORT and _PORT[key](value)


_POLICY = _choice("Cluster", "Local")
_FIELDS: Mapping[str, Callable[[Json], bool]] = {
    "externalTrafficPolicy": _POLICY,
    "internalTrafficPolicy": _POLICY,
    "sessionAffinity": _choice("None", "ClientIP"),
    "sessionAffinityConfig": _affinity,
    "externalIPs": _each(ipaddress.ip_address),
    "loadBalancerSourceRanges": _each(ipaddress.ip_network),
    "loadBalancerIP": lambda value: isinstance(value, str) and _parses(ipaddress.ip_address, value),
    "allocateLoadBalancerNodePorts": _flag,
    "publishNotReadyAddresses": _flag,
    "ipFamilyPolicy": _choice("SingleStack", "PreferDualStack", "RequireDualStack"),
    "trafficDistribution": lambda value: isinstance(value, str),
    "ports": _ports,
}
_NOT_LATER: Mapping[str, str] = {
    "loadBalancerClass": "it can be set only when a Service is made",
    "selector": "the new Service must lead to the routers",
    "type": "the new Service must have a load balancer",
}
