# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service controller and the AWS cloud controller decide, as pure functions (facts: aws-ccm)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_kind, split_eips
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_PROXY,
    AWS_TARGET_GROUP,
    AWS_TYPE,
    CLASSIC,
    NLB,
)

Service = Mapping[str, Any]
Annotations = Mapping[str, str]

FINALIZER = "service.kubernetes.io/load-balancer-cleanup"
PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
PRIVATE_ADDRESSES = PREFIX + "private-ipv4-addresses"
EXTRA_GROUPS = PREFIX + "extra-security-groups"

CLUSTER_TAG_PREFIX = "kubernetes.io/cluster/"
NOTHING_SUITABLE = "could not find any suitable subnets for creating the ELB"


class CloudError(Exception):
    """The cloud said no; the text ends up in a SyncLoadBalancerFailed event."""


class ImplementedElsewhere(Exception):
    """The annotations give this Service to another controller: nothing to do, nothing to say."""


# -- the service controller ---------------------------------------------------------------------------------------


def annotations_of(service: Service) -> Annotations:
    return service["metadata"].get("annotations") or {}


def wants_load_balancer(service: Service) -> bool:
    """Another class belongs to another controller (KEP-1959)."""
    spec = service.get("spec") or {}
    return spec.get("type") == "LoadBalancer" and spec.get("loadBalancerClass") is None


def has_finalizer(service: Service) -> bool:
    return FINALIZER in (service["metadata"].get("finalizers") or [])


def needs_cleanup(service: Service) -> bool:
    """Decided by the finalizer, whatever the class says (facts: aws-ccm §7)."""
    if not has_finalizer(service):
        return False
    return bool(service["metadata"].get("deletionTimestamp")) or service["spec"].get("type") != "LoadBalancer"


_WATCHED_SPEC = (
    "type",
    "loadBalancerSourceRanges",
    "ports",
    "sessionAffinity",
    "sessionAffinityConfig",
    "loadBalancerIP",
    "externalIPs",
    "externalTrafficPolicy",
    "healthCheckNodePort",
)


def needs_update(old: Service, new: Service) -> bool:
    """Which edits of a Service make the controller look at it again (facts: aws-ccm §6)."""
    if annotations_of(old) != annotations_of(new) or old["metadata"]["uid"] != new["metadata"]["uid"]:
        return True
    before, after = old.get("spec") or {}, new.get("spec") or {}
    if any(before.get(key) != after.get(key) for key in _WATCHED_SPEC):
        return True
    return len(before.get("ipFamilies") or []) != len(after.get("ipFamilies") or [])


# -- the AWS cloud controller's reading of a Service ---------------------------------------------------------------


def parse_tags(value: str) -> dict[str, str]:
    """`k=v,k2=v2`; a key without `=` has an empty value."""
    pairs = (pair.strip().partition("=") for pair in value.split(",") if pair.strip())
    return {key.strip(): text.strip() for key, _sign, text in pairs}


def refusal(service: Service) -> str:
    """What the cloud controller finds wrong with a Service before it calls AWS; empty when nothing."""
    spec, annotations = service["spec"], annotations_of(service)
    kind = lb_kind(annotations)
    if kind == CLASSIC and AWS_TARGET_GROUP in annotations:
        return "target group attributes annotation is only supported for NLB"
    if spec.get("sessionAffinity", "None") != "None":
        return f"unsupported load balancer affinity: {spec['sessionAffinity']}"
    if not spec.get("ports"):
        return "requested load balancer with no ports"
    if spec.get("loadBalancerIP"):
        return "LoadBalancerIP cannot be specified for AWS ELB"
    proxy = annotations.get(AWS_PROXY, "")
    if kind == CLASSIC and proxy not in ("", "*"):
        return f'annotation "{AWS_PROXY}"="{proxy}" detected, but the only value supported currently is \'*\''
    if kind == NLB and EXTRA_GROUPS in annotations:
        return f'service annotation "{EXTRA_GROUPS}" is not supported for NLB'
    return ""


def type_change_refusal(service: Service) -> str:
    """From 4.22 on the type is fixed; the live kind is read off the published hostname (facts: aws-ccm §4)."""
    ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or [{}]
    hostname = ingress[0].get("hostname", "")
    if not hostname:
        return ""
    live = CLASSIC if hostname.endswith(".elb.amazonaws.com") else NLB
    if lb_kind(annotations_of(service)) == live:
        return ""
    title = {CLASSIC: "Classic Load Balancer", NLB: "NLB"}[live]
    return f'cannot update Load Balancer Type annotation "{AWS_TYPE}" after creation for {title}'


# -- subnets -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subnet:
    """One subnet as the choice needs it."""

    id: str
    zone: str
    public: bool = False
    zone_type: str = "availability-zone"
    tags: Mapping[str, str] = field(default_factory=dict)


def check_count(given: int, found: int) -> None:
    if given != found:
        raise CloudError(f"expected to find {given}, but found {found} subnets")


def candidates(subnets: Iterable[Subnet], cluster_tag: str) -> list[Subnet]:
    """The cluster's own and nobody's; those tagged for other clusters only are left alone."""

    def ours(subnet: Subnet) -> bool:
        others = any(key.startswith(CLUSTER_TAG_PREFIX) for key in subnet.tags)
        return cluster_tag in subnet.tags or not others

    return [subnet for subnet in subnets if ours(subnet)]


def discover_subnets(subnets: Iterable[Subnet], cluster_tag: str, *, internal: bool, own: str = "") -> list[str]:
    """One subnet per zone: role tag first, then the cluster's tag, then the smallest id (facts: aws-ccm §3).

    `own` is the subnet of the node the controller runs on: what is left when no subnet is a candidate.
    """
    known = list(subnets)
    role = "kubernetes.io/role/internal-elb" if internal else "kubernetes.io/role/elb"

    def rank(subnet: Subnet) -> tuple[bool, bool, str]:
        return (role not in subnet.tags, cluster_tag not in subnet.tags, subnet.id)

    best: dict[str, Subnet] = {}
    for subnet in candidates(known, cluster_tag) or [subnet for subnet in known if subnet.id == own]:
        if (internal or subnet.public) and subnet.zone_type == "availability-zone":
            current = best.get(subnet.zone)
            best[subnet.zone] = subnet if current is None else min(current, subnet, key=rank)
    if not best:
        raise CloudError(NOTHING_SUITABLE)
    return [best[zone].id for zone in sorted(best)]


def split_per_subnet(annotations: Annotations, key: str, title: str, subnet_count: int) -> list[str]:
    """The values of an annotation that gives one thing per subnet; elements are not trimmed (facts: aws-ccm §1)."""
    values: list[str] = split_eips(annotations.get(key, ""))
    if values and len(values) != subnet_count:
        raise CloudError(
            f"error creating load balancer: Must have same number of {title} ({len(values)})"
            f" and SubnetIDs ({subnet_count})"
        )
    return values
