# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Annotations against the load balancer itself (SUB-4, SUB-8), and load balancers nobody uses any more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    LOAD_BALANCER,
    AwsAnswer,
    AwsFacts,
    AwsLoadBalancer,
    AwsSubnet,
    Unanswered,
    identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.in_force import in_force, leaked, unmet
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
UID = "11111111-2222-3333-4444-555555555555"
A, B, C = (AwsSubnet(f"subnet-{x}", x, "vpc-1", f"name-{x}") for x in "abc")
NLB = AwsLoadBalancer(lb_name(UID), "NLB", "nlb.example", "External", "vpc-1", ("subnet-a", "subnet-b"), ("a", "b"))
CLASSIC = replace(NLB, kind="Classic", hostname="clb.example")


def service(hostname: str = "nlb.example", uid: str = UID, **annotations: str) -> dict[str, Any]:
    keys = {PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}
    status = {"loadBalancer": {"ingress": [{"hostname": hostname}] if hostname else []}}
    meta = {"name": "router-default", "namespace": "openshift-ingress", "uid": uid, "annotations": keys}
    return {"metadata": meta, "spec": {"type": "LoadBalancer"}, "status": status}


LISTED = {"type": "nlb", "subnets": "subnet-a,subnet-b"}
ROWS: dict[str, tuple[dict[str, str], AwsLoadBalancer | None, list[tuple[str, str]]]] = {
    "as listed": (LISTED, NLB, []),
    "as listed in another order, by name, with spaces": ({**LISTED, "subnets": " name-b , subnet-a"}, NLB, []),
    "auto-discovered": ({"type": "nlb"}, NLB, [("subnets_auto_discovered", "subnet-a, subnet-b")]),
    "NLB subnets changed later": (
        {**LISTED, "subnets": "subnet-a,subnet-c"},
        NLB,
        [("subnets_not_in_force", "never changes the subnets of a Network load balancer")],
    ),
    "Classic subnets not carried out": (
        {"subnets": "subnet-c"},
        CLASSIC,
        [("subnets_not_in_force", "stands in subnet-a, subnet-b. The cloud controller has not carried it out")],
    ),
    "subnets unknown to AWS": (
        {**LISTED, "subnets": "subnet-a,nowhere"},
        NLB,
        [("subnets_not_in_force", "nowhere is no subnet AWS knows here")],
    ),
    "scope flipped on a live one": (
        {**LISTED, "internal": "true"},
        NLB,
        [("scope_not_in_force", "The annotation says Internal, the load balancer is External.")],
    ),
    "type flipped on a live one": (
        {"subnets": "subnet-a,subnet-b"},
        NLB,
        [("type_not_in_force", "The annotation says Classic, the load balancer is NLB.")],
    ),
    "Elastic IPs added later": (
        {**LISTED, "eip_allocations": "eipalloc-1,eipalloc-2"},
        NLB,
        [("eips_not_in_force", "the load balancer has Elastic IPs: none")],
    ),
    "Elastic IPs as listed": (
        {**LISTED, "eip_allocations": "eipalloc-2,eipalloc-1"},
        replace(NLB, eips=("eipalloc-1", "eipalloc-2")),
        [],
    ),
    "Elastic IPs taken from the annotation": (
        LISTED,
        replace(NLB, eips=("eipalloc-1",)),
        [("eips_not_in_force", "The annotation says none")],
    ),
    "deleted by hand": (LISTED, None, [("lb_missing", "nlb.example, but AWS has no such load balancer")]),
    "another controller's": ({"type": "external"}, NLB, []),
}


@pytest.mark.parametrize(("annotations", "lb", "expected"), ROWS.values(), ids=ROWS)
def test_in_force(annotations: dict[str, str], lb: AwsLoadBalancer | None, expected: list[tuple[str, str]]) -> None:
    found = in_force(service(**annotations), AwsFacts("vpc-1", "infra", (A, B, C), lb=lb))
    assert [f.code for f in found] == [code for code, _words in expected]
    for finding, (code, words) in zip(found, expected, strict=True):
        assert words in finding.what
        assert finding.remedy
        auto = code == "subnets_auto_discovered"
        assert finding.severity is (Severity.INFO if auto else Severity.WARNING)


def test_auto_discovered_subnets_are_listed_from_the_load_balancer() -> None:
    (finding,) = in_force(service(type="nlb"), AwsFacts("vpc-1", "infra", lb=NLB))
    assert finding.value == ("subnet-a", "subnet-b")


def test_a_service_still_waiting_for_its_load_balancer_is_no_finding() -> None:
    assert in_force(service(""), AwsFacts("vpc-1", "infra")) == ()


TAGS = {"kubernetes.io/cluster/infra": "owned", "kubernetes.io/service-name": "openshift-ingress/router-default"}
OURS, THEIRS = replace(NLB, tags=TAGS, arn="arn:1"), replace(NLB, name="other", hostname="o.example", tags=TAGS)
LEAKS: dict[str, tuple[list[AwsLoadBalancer], list[dict[str, Any]], list[str]]] = {
    "in use": ([OURS], [service(type="nlb")], []),
    "in use though the annotation says another type": ([OURS], [service()], []),
    "being made": ([OURS], [service("", type="nlb")], []),
    "the Service is gone": ([OURS], [], [OURS.name]),
    "the Service was recreated": ([OURS], [service("x", uid="9" + UID[1:], type="nlb")], [OURS.name]),
    "the old kind after a type change": (
        [OURS, replace(OURS, kind="Classic", hostname="clb.example")],
        [service(type="nlb")],
        [OURS.name],
    ),
    "named by another controller but published": ([THEIRS], [service("o.example")], []),
    "the API server's own": ([replace(OURS, tags={"kubernetes.io/cluster/infra": "owned"})], [], []),
}


@pytest.mark.parametrize(("balancers", "services", "expected"), LEAKS.values(), ids=LEAKS)
def test_leaked(balancers: list[AwsLoadBalancer], services: list[dict[str, Any]], expected: list[str]) -> None:
    found = leaked(balancers, services)
    assert [(f.code, f.value) for f in found] == [("lb_leaked", name) for name in expected]
    assert all("openshift-ingress/router-default" in f.what and "aws elb" in f.remedy for f in found)


def answer(lb: AwsLoadBalancer | None, vpc: str = "vpc-1", **more: Any) -> AwsAnswer:
    return AwsAnswer(AwsFacts(vpc, "infra", (A, B, C), lb=lb, **more), about=(UID, "nlb.example"))


@pytest.mark.parametrize(
    ("annotations", "told", "have"),
    [
        (LISTED, answer(NLB), {}),
        ({**LISTED, "subnets": "subnet-c"}, answer(NLB), {"subnets": {"ids": ["subnet-a", "subnet-b"]}}),
        ({**LISTED, "internal": "true"}, answer(NLB), {"scope": "External"}),
        ({**LISTED, "eip_allocations": "eipalloc-1"}, answer(NLB), {"eipAllocations": []}),
        ({"type": "nlb"}, answer(CLASSIC), {"loadBalancer.providerParameters.aws.type": "Classic"}),
        (LISTED, answer(None), {"load balancer": ""}),
        (LISTED, answer(None, vpc=""), {}),  # perhaps another account
        (LISTED, answer(None, unanswered=(Unanswered(LOAD_BALANCER, "No."),)), {}),
        (LISTED, replace(answer(None), about=("another uid", "nlb.example")), {}),
        (LISTED, replace(answer(None), about=(UID, "former.example")), {}),
        (LISTED, None, {}),
        (LISTED, AwsAnswer(), {}),
    ],
)
def test_what_the_load_balancer_lacks(annotations: dict[str, str], told: AwsAnswer | None, have: Any) -> None:
    """SUB-4: what a recreation would make true although the Service says it already."""
    assert unmet(service(**annotations), told) == have


def test_a_name_tells_that_it_is_internal() -> None:
    name = "internal-a1-7.us-east-1.elb.amazonaws.com"
    assert unmet(service(name), None) == {"scope": "Internal"}
    assert unmet(service(name, internal="true"), None) == {}
    assert unmet(service(name, type="external"), None) == {}
    assert unmet(None, None) == {}
    assert identity(None) == ()
