# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classic and v2 load balancers through their two APIs, in AWS's batch sizes, as one kind of value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.aws.facts import AwsLoadBalancer
from .._core.operator.names import CLASSIC, NLB
from .._core.platforms import EXTERNAL, INTERNAL
from .aws_session import Session
from .errors import Invalid

_BATCH = 20  # what DescribeLoadBalancers and DescribeTags take at once
_KINDS = {"network": NLB}
# Service → argument of names, key of the answer, AWS's code for an unknown name.
_APIS = {
    "elb": ("LoadBalancerNames", "LoadBalancerDescriptions", "LoadBalancerNotFound"),
    "elbv2": ("Names", "LoadBalancers", "LoadBalancerNotFound"),
}
_NAME_IN_HOSTNAME = re.compile(r"^(?:internal-)?(?P<name>[A-Za-z0-9-]{1,32})-[^-]+$")


def name_in(hostname: str) -> str:
    """`[internal-]NAME-NUMBER.REGION.elb…` (Classic) or `NAME-HEX.elb.REGION…` (v2); '' for other hostnames."""
    label, _dot, rest = hostname.partition(".")
    match = _NAME_IN_HOSTNAME.match(label)
    return match["name"] if match and "amazonaws.com" in rest and "elb" in rest.split(".") else ""


def named(session: Session, names: Sequence[str]) -> tuple[AwsLoadBalancer, ...]:
    return _with_tags(session, {api: _described(session, api, names) for api in _APIS})


def every(session: Session) -> tuple[AwsLoadBalancer, ...]:
    return _with_tags(session, {api: _all(session, api) for api in _APIS})


def count(session: Session, kind: str) -> int:
    """How many of this kind the account has in the region."""
    if kind == CLASSIC:
        return len(_all(session, "elb"))
    return sum(_KINDS.get(entry.get("Type", "")) == kind for entry in _all(session, "elbv2"))


def protected(session: Session, lb: AwsLoadBalancer) -> bool:
    """Only a v2 one can be."""
    told = session.pages("elbv2", "describe_load_balancer_attributes", "Attributes", LoadBalancerArn=lb.arn)
    return any(entry["Key"] == "deletion_protection.enabled" and entry.get("Value") == "true" for entry in told)


def endpoint_services(session: Session, lb: AwsLoadBalancer) -> tuple[str, ...]:
    """AWS has no filter by load balancer."""
    told = session.pages("ec2", "describe_vpc_endpoint_service_configurations", "ServiceConfigurations")
    using = (entry for entry in told if lb.arn in (entry.get("NetworkLoadBalancerArns") or ()))
    return tuple(sorted(entry["ServiceId"] for entry in using))


def _all(session: Session, api: str) -> list[Mapping[str, Any]]:
    return list(session.pages(api, "describe_load_balancers", _APIS[api][1]))


def _described(session: Session, api: str, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """One unknown name fails a whole call, so a batch with one is halved until it stands alone."""
    argument, key, unknown = _APIS[api]
    if len(names) > _BATCH:
        return [entry for part in _batches(names) for entry in _described(session, api, part)]
    if not names:
        return []
    try:
        return list(session.pages(api, "describe_load_balancers", key, **{argument: list(names)}))
    except Invalid as error:
        if not str(error.details.get("aws_code", "")).startswith(unknown):
            raise
    half = len(names) // 2
    if not half:
        return []
    return [*_described(session, api, names[:half]), *_described(session, api, names[half:])]


def _with_tags(session: Session, raw: Mapping[str, list[Mapping[str, Any]]]) -> tuple[AwsLoadBalancer, ...]:
    classic, modern = raw["elb"], raw["elbv2"]
    by_name = _tags(session, "elb", "LoadBalancerNames", "LoadBalancerName", [e["LoadBalancerName"] for e in classic])
    by_arn = _tags(session, "elbv2", "ResourceArns", "ResourceArn", [e["LoadBalancerArn"] for e in modern])
    found = [
        *(_classic(entry, by_name.get(entry["LoadBalancerName"], {})) for entry in classic),
        *(_modern(entry, by_arn.get(entry["LoadBalancerArn"], {})) for entry in modern),
    ]
    return tuple(sorted(found, key=lambda lb: (lb.name, lb.kind)))


def _tags(session: Session, api: str, argument: str, key: str, keys: Sequence[str]) -> dict[str, dict[str, str]]:
    described = (
        entry
        for part in _batches(keys)
        for entry in session.pages(api, "describe_tags", "TagDescriptions", **{argument: list(part)})
    )
    return {entry[key]: {tag["Key"]: tag.get("Value", "") for tag in entry.get("Tags") or ()} for entry in described}


def _classic(entry: Mapping[str, Any], tags: Mapping[str, str]) -> AwsLoadBalancer:
    return AwsLoadBalancer(
        name=entry["LoadBalancerName"],
        kind=CLASSIC,
        hostname=entry.get("DNSName", ""),
        scope=_scope(entry),
        vpc=entry.get("VPCId", ""),
        subnets=tuple(sorted(entry.get("Subnets") or ())),
        zones=tuple(sorted(entry.get("AvailabilityZones") or ())),
        security_groups=tuple(sorted(entry.get("SecurityGroups") or ())),
        state="active",  # a Classic one has no state: what can be described, works
        tags=tags,
    )


def _modern(entry: Mapping[str, Any], tags: Mapping[str, str]) -> AwsLoadBalancer:
    zones: Iterable[Mapping[str, Any]] = entry.get("AvailabilityZones") or ()
    addresses = (address for zone in zones for address in zone.get("LoadBalancerAddresses") or ())
    kind = str(entry.get("Type", ""))
    return AwsLoadBalancer(
        name=entry["LoadBalancerName"],
        kind=_KINDS.get(kind, kind),
        hostname=entry.get("DNSName", ""),
        scope=_scope(entry),
        vpc=entry.get("VpcId", ""),
        subnets=tuple(sorted(zone["SubnetId"] for zone in zones)),
        zones=tuple(sorted(zone["ZoneName"] for zone in zones)),
        eips=tuple(sorted(address["AllocationId"] for address in addresses if address.get("AllocationId"))),
        security_groups=tuple(sorted(entry.get("SecurityGroups") or ())),
        arn=entry["LoadBalancerArn"],
        state=str((entry.get("State") or {}).get("Code", "")),
        tags=tags,
    )


def _scope(entry: Mapping[str, Any]) -> str:
    return INTERNAL if entry.get("Scheme") == "internal" else EXTERNAL


def _batches(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))
