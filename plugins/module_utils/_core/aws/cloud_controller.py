# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AWS cloud controller's view of a Service, and where it differs from the operator's (facts: aws-ccm §1–§3, §6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..data import Json, dig
from ..model import Finding, Severity
from ..operator import subnets
from ..operator.names import AWS_EIPS, AWS_SUBNETS, AWS_TYPE, CLASSIC, NLB
from ..platforms import AWS, INTERNAL, platform
from ..scope_views import scope_views
from . import lb_controller

Annotations = Mapping[str, str]
_ELSEWHERE = ("nlb-ip", "external")  # the AWS Load Balancer Controller takes these


def internal_scheme(annotations: Annotations) -> bool:
    """Anything but absent, empty or exactly `false` makes it internal; the operator wants exactly `true`."""
    return platform(AWS).internal_for_cloud(annotations)


def lb_kind(annotations: Annotations) -> str:
    """NLB, Classic, or '' when another controller owns the Service."""
    value = annotations.get(AWS_TYPE, "")
    if value in _ELSEWHERE:
        return ""
    return NLB if value == "nlb" else CLASSIC


def split_subnets(value: str) -> list[str]:
    """Every element trimmed, empty ones dropped; the operator does neither."""
    return [part.strip() for part in value.split(",") if part.strip()]


def split_eips(value: str) -> list[str]:
    """Not trimmed: a space makes an Elastic IP unknown to AWS."""
    return value.split(",") if value else []


def owns(service: Json) -> bool:
    """Does the cloud provider's service controller look after it? Type LoadBalancer and no class."""
    annotations = dig(service, "metadata", "annotations") or {}
    return bool(
        dig(service, "spec", "type") == "LoadBalancer"
        and dig(service, "spec", "loadBalancerClass") is None
        and lb_kind(annotations)
    )


def lb_name(uid: str) -> str:
    """A recreated Service has a new uid, so its load balancer a new name, hostname and addresses."""
    return ("a" + uid.replace("-", ""))[:32]


def live_kind(service: Json) -> str:
    """What was made, by its published name: the two kinds have names of two forms. '' where there is none."""
    found = dig(service, "status", "loadBalancer", "ingress") or ()
    hostname = str(found[0].get("hostname") or "") if found else ""
    if not hostname.endswith(".amazonaws.com"):
        return ""
    return CLASSIC if hostname.endswith(".elb.amazonaws.com") else NLB


def live_scope(service: Json) -> str:
    """What was made, where its published name tells: that of an internal Classic one begins with `internal-`."""
    if not owns(service) or live_kind(service) != CLASSIC:
        return ""
    hostname = str(service["status"]["loadBalancer"]["ingress"][0]["hostname"])
    return INTERNAL if hostname.startswith("internal-") else ""


def disagreements(annotations: Annotations) -> tuple[Finding, ...]:
    """Where operator and cloud controller read the same annotation differently."""
    return (
        *scope_views(AWS, annotations),
        *_subnet_views(annotations),
        *_eip_views(annotations),
        *_owner_views(annotations),
    )


def _subnet_views(annotations: Annotations) -> Iterator[Finding]:
    if AWS_SUBNETS not in annotations:
        return
    value = annotations[AWS_SUBNETS]
    if not split_subnets(value):
        what = f"{value!r}: none for the operator, but the cloud controller takes it as a list and fails on it."
        yield _finding("subnets_empty", AWS_SUBNETS, value, what, "Remove the annotation.")
    elif sorted(subnets.parse(annotations)) != sorted(split_subnets(value)):
        what = f"{value!r}: the cloud controller trims the parts and drops empty ones, the operator keeps them."
        yield _finding("subnet_views_differ", AWS_SUBNETS, value, what, "Write the parts without spaces.")


def _eip_views(annotations: Annotations) -> Iterator[Finding]:
    eips = annotations.get(AWS_EIPS, "")
    if any(part != part.strip() or not part for part in split_eips(eips)):
        what = f"{eips!r}: the cloud controller passes every part on, spaces included, and AWS will not know it."
        yield _finding("eip_spaces", AWS_EIPS, eips, what, "Write the allocations without spaces.")


def _owner_views(annotations: Annotations) -> Iterator[Finding]:
    if lb_kind(annotations):
        return
    value = annotations[AWS_TYPE]
    if lb_controller.nobody_owns({"metadata": {"annotations": annotations}}):
        what = f"{value!r} turns the cloud controller away, and {lb_controller.NAME} wants a target type beside it."
        remedy = f"Set {lb_controller.TARGET_TYPE} to ip or instance, or use `nlb`."
        yield _finding("no_controller", AWS_TYPE, value, what, remedy)
        return
    what = f"{value!r} hands the Service to {lb_controller.NAME}; the operator counts it as Classic."
    yield _finding("other_controller", AWS_TYPE, value, what, "Use `nlb`, or remove it for a Classic one.")


def _finding(code: str, key: str, value: str, what: str, remedy: str) -> Finding:
    return Finding(code, Severity.WARNING, f"metadata.annotations[{key}]", what, remedy, value)


@dataclass(frozen=True)
class FailureCause:
    """Why provisioning failed. A terminal cause does not go away by waiting."""

    code: str
    what: str
    remedy: str
    terminal: bool = True


_SAME_AZ = FailureCause(
    "subnets_same_az", "Two of the subnets are in one availability zone.", "Keep one subnet per zone."
)
_SUBNET_UNKNOWN = FailureCause(
    "subnet_id_unknown", "AWS knows no subnet with one of these ids.", "Correct the subnet ids."
)
_DENIED = FailureCause(
    "iam_denied",
    "AWS does not permit the cloud controller what it tried.",
    "Allow the action that the event names for the cloud controller's role, and see that no account policy forbids it.",
)
_EIP_UNKNOWN = FailureCause(
    "eip_unknown", "AWS knows no Elastic IP with one of these allocation ids.", "Correct the allocation ids."
)
# A load balancer gives its own back only some time after it is gone, so this may pass.
_EIP_IN_USE = FailureCause(
    "eip_in_use", "An Elastic IP is in use elsewhere.", "Release it there, or take a free one.", terminal=False
)
_PROTECTED = FailureCause(
    "deletion_protection",
    "The old load balancer has deletion protection, so AWS does not delete it.",
    "Turn deletion_protection.enabled off for it; the cloud controller tries again by itself.",
)
_MANY_GROUPS = FailureCause(
    "security_group_limit",
    "A limit of security groups is used up: in the VPC, or on one load balancer or network interface.",
    "Delete unused security groups, or have the limit raised.",
)
_QUOTA = FailureCause(
    "lb_quota", "The account's load balancer quota is used up.", "Raise the quota or delete unused ones."
)

# Substrings of a SyncLoadBalancerFailed event → cause. First match wins (SUB-10; facts: aws-ccm §6): what AWS itself
# says comes before what the cloud controller puts around it.
_EVENT_CAUSES: tuple[tuple[tuple[str, ...], FailureCause], ...] = (
    (("ELB cannot be attached to multiple subnets in the same AZ",), _SAME_AZ),
    (("cannot be attached to multiple subnets in the same Availability Zone",), _SAME_AZ),
    (
        ("expected to find ", ", but found ", " subnets"),
        FailureCause(
            "subnet_name_unknown",
            "A subnet name matches no subnet of the cluster's VPC or more than one, or a subnet is listed twice.",
            "Correct the names; each must be the Name tag of exactly one subnet.",
        ),
    ),
    (("AccessDenied",), _DENIED),
    (("UnauthorizedOperation",), _DENIED),
    (("not authorized to perform",), _DENIED),
    (("InvalidSubnetID.NotFound",), _SUBNET_UNKNOWN),
    (("SubnetNotFound",), _SUBNET_UNKNOWN),
    (("InvalidSubnet", "does not exist"), _SUBNET_UNKNOWN),
    (
        ("Not enough IP space available",),
        FailureCause(
            "subnet_full",
            "A subnet has too few free addresses for a load balancer.",
            "Free addresses there (AWS wants 8), or take a larger subnet.",
        ),
    ),
    (
        ("has no internet gateway",),
        FailureCause(
            "no_internet_gateway",
            "The scope is External, but the subnets' VPC has no internet gateway.",
            "Attach an internet gateway to the VPC, or take scope Internal.",
        ),
    ),
    (
        ("do not support Availability Zone",),
        FailureCause(
            "subnet_zone_type", "A subnet is in a zone that takes no such load balancer.", "Take another zone's subnet."
        ),
    ),
    (
        ("InvalidSubnet",),
        FailureCause("subnet_refused", "AWS refuses one of the subnets.", "The event says why; take another subnet."),
    ),
    (("AllocationIdNotFound",), _EIP_UNKNOWN),
    (("InvalidAllocationID.NotFound",), _EIP_UNKNOWN),
    (("allocation IDs are not available for use",), _EIP_IN_USE),
    (("AlreadyAssociated",), _EIP_IN_USE),
    (("OperationNotPermitted", "deletion protection"), _PROTECTED),
    (("deletion_protection is enabled",), _PROTECTED),
    (
        ("currently associated with another service",),
        FailureCause(
            "endpoint_service",
            "A VPC endpoint service uses the old load balancer, so AWS does not delete it.",
            "Take it out of the endpoint service; the cloud controller tries again by itself.",
        ),
    ),
    (
        ("RulesPerSecurityGroupLimitExceeded",),
        FailureCause(
            "security_group_rules",
            "A security group has no room for more rules; every load balancer adds some to the nodes' one.",
            "Take unused rules out, give fewer source ranges, or have the limit raised.",
        ),
    ),
    (("SecurityGroupLimitExceeded",), _MANY_GROUPS),
    (("SecurityGroupsPerInterfaceLimitExceeded",), _MANY_GROUPS),
    (("maximum number of security groups",), _MANY_GROUPS),
    (
        ("CIDR block", "is malformed"),
        FailureCause(
            "ranges_ipv6",
            "The cloud controller passes every source range on as IPv4, and AWS refuses one.",
            "Take IPv6 ranges out of the source ranges.",
        ),
    ),
    (
        ("unable to resolve empty subnet slice",),
        FailureCause("subnets_empty", "The subnets annotation is present but empty.", "Remove the annotation."),
    ),
    (
        ("error detaching AWS loadbalancer from subnets",),
        FailureCause(
            "subnets_disjoint",
            "All subnets of a live Classic load balancer were replaced at once, which AWS refuses.",
            "Recreate the Service, or replace one zone at a time.",
        ),
    ),
    (
        ("error attaching AWS loadbalancer to subnets",),
        FailureCause("subnets_attach", "AWS refused to attach a subnet.", "Check zone and VPC of the added subnets."),
    ),
    (
        ("could not find any suitable subnets",),
        FailureCause(
            "no_suitable_subnets",
            "Auto-discovery found no subnet for this scope.",
            "Tag subnets with kubernetes.io/role/elb or kubernetes.io/role/internal-elb, or list them.",
        ),
    ),
    (
        ("Must have same number of EIP AllocationIDs",),
        FailureCause(
            "eip_count", "The number of Elastic IPs is not the number of subnets.", "Give one Elastic IP per subnet."
        ),
    ),
    (
        ("cannot update Load Balancer Type annotation",),
        FailureCause("type_changed_live", "The type of a live load balancer was changed.", "Recreate the Service."),
    ),
    (
        ("target group attributes annotation is only supported for NLB",),
        FailureCause(
            "target_group_on_classic", "Target group attributes stand on a Classic Service.", "Remove the annotation."
        ),
    ),
    (("TooManyLoadBalancers",), _QUOTA),
    (("quota",), _QUOTA),
)
UNKNOWN = FailureCause(
    "unclassified", "The cloud refused the load balancer.", "Read the event and the controller's log.", False
)


def classify(message: str) -> FailureCause:
    """The cause behind an event's text."""
    for parts, cause in _EVENT_CAUSES:
        if all(part in message for part in parts):
            return cause
    return UNKNOWN
