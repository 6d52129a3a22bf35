# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Would AWS let the load balancer go, and what goes with it for good? Asked before it is taken away (SUB-3)."""

from __future__ import annotations

from collections.abc import Iterator

from ..data import Json, dig
from ..model import Finding, Severity
from ..operator.names import NLB
from .facts import AwsFacts, AwsLoadBalancer

_GROUPS = "service.beta.kubernetes.io/aws-load-balancer-security-groups"


def going(service: Json, kind: str, facts: AwsFacts, now: bool) -> tuple[Finding, ...]:
    """`kind`: of the load balancer that comes in its place. `now`: this very task takes the old one away."""
    if facts.lb is None:
        return ()
    return (*_held(facts.lb, facts, now), *_groups(service, kind, facts.lb))


def _held(lb: AwsLoadBalancer, facts: AwsFacts, now: bool) -> Iterator[Finding]:
    where, severity = f"load balancer {lb.name}", Severity.ERROR if now else Severity.WARNING
    if facts.protected:
        what = "It has deletion protection: the Service would hang in deletion, and nothing new would be made."
        command = (
            "aws elbv2 modify-load-balancer-attributes --attributes Key=deletion_protection.enabled,Value=false "
            f"--load-balancer-arn {lb.arn}"
        )
        yield Finding("deletion_protection", severity, where, what, f"Turn it off first: {command}", lb.name)
    if facts.endpoint_services:
        listed = ", ".join(facts.endpoint_services)
        what = (
            f"VPC endpoint services use it ({listed}), so AWS does not delete it: the Service would hang in deletion."
        )
        remedy = "Take it out of them first; whoever comes in that way needs the new one afterwards."
        yield Finding("endpoint_service", severity, where, what, remedy, list(facts.endpoint_services))


def _groups(service: Json, kind: str, lb: AwsLoadBalancer) -> Iterator[Finding]:
    """Groups that the Service's own annotation lists come along where the cloud controller manages groups at all."""
    listed = (dig(service, "metadata", "annotations") or {}).get(_GROUPS, "")
    named = {part.strip() for part in listed.split(",")}
    lost = [group for group in lb.security_groups if group not in named]
    if lb.kind == kind == NLB and lost:
        what = (
            f"It has security groups ({', '.join(lost)}). The new Network load balancer gets them only from a cloud "
            "controller that manages such groups, and one that is made without any can never get one."
        )
        remedy = "Write their rules down, and restrict access with allowedSourceRanges where they do."
        yield Finding("security_groups_lost", Severity.WARNING, f"load balancer {lb.name}", what, remedy, lost)
