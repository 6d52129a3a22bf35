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
from ..platforms import AWS_INTERNAL, EXTERNAL, INTERNAL, any_internal

Annotations = Mapping[str, str]
_LEGACY_INTERNAL = "0.0.0.0/0"
_ELSEWHERE = ("nlb-ip", "external")  # the AWS Load Balancer Controller takes these


def internal_scheme(annotations: Annotations) -> bool:
    """Anything but absent, empty or exactly `false` makes it internal; the operator wants exactly `true`."""
    return annotations.get(AWS_INTERNAL, "") not in ("", "false")


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


def disagreements(annotations: Annotations) -> tuple[Finding, ...]:
    """Where operator and cloud controller read the same annotation differently."""
    return (
        *_scope_views(annotations),
        *_subnet_views(annotations),
        *_eip_views(annotations),
        *_owner_views(annotations),
    )


def _scope_views(annotations: Annotations) -> Iterator[Finding]:
    if annotations.get(AWS_INTERNAL) == _LEGACY_INTERNAL:
        return  # the operator rewrites it to `true` before it looks
    ours = INTERNAL if any_internal(dict(annotations)) else EXTERNAL
    theirs = INTERNAL if internal_scheme(annotations) else EXTERNAL
    if ours != theirs:
        # The operator counts any platform's internal annotation, the cloud controller only its own.
        key = next((key for key in sorted(annotations) if any_internal({key: annotations[key]})), AWS_INTERNAL)
        value = annotations[key]
        what = f"{value!r} makes the load balancer {theirs} for the cloud controller, but the operator reads {ours}."
        remedy = "Write exactly `true`, or remove it." if key == AWS_INTERNAL else "Remove it."
        yield _finding("scope_views_differ", key, value, what, remedy)


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
    if not lb_kind(annotations):
        value = annotations[AWS_TYPE]
        what = f"{value!r} hands the Service to the AWS Load Balancer Controller; the operator counts it as Classic."
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


# Substring of a SyncLoadBalancerFailed event → cause. First match wins (SUB-10; facts: aws-ccm §6).
_EVENT_CAUSES: tuple[tuple[tuple[str, ...], FailureCause], ...] = (
    (
        ("ELB cannot be attached to multiple subnets in the same AZ",),
        FailureCause(
            "subnets_same_az", "Two of the subnets are in one availability zone.", "Keep one subnet per zone."
        ),
    ),
    (
        ("cannot be attached to multiple subnets in the same Availability Zone",),
        FailureCause(
            "subnets_same_az", "Two of the subnets are in one availability zone.", "Keep one subnet per zone."
        ),
    ),
    (
        ("expected to find ", ", but found ", " subnets"),
        FailureCause(
            "subnet_name_unknown",
            "A subnet name matches no subnet of the cluster's VPC or more than one, or a subnet is listed twice.",
            "Correct the names; each must be the Name tag of exactly one subnet.",
        ),
    ),
    (
        ("InvalidSubnet",),
        FailureCause("subnet_id_unknown", "AWS knows no subnet with one of these ids.", "Correct the subnet ids."),
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
    (
        ("TooManyLoadBalancers",),
        FailureCause(
            "lb_quota", "The account's load balancer quota is used up.", "Raise the quota or delete unused ones."
        ),
    ),
    (
        ("quota",),
        FailureCause(
            "lb_quota", "A quota of the account is used up.", "Raise the quota or delete unused load balancers."
        ),
    ),
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
