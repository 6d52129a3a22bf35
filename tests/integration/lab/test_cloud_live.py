# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service controller does when a live Service on AWS, or a node, changes (facts: aws-ccm §2, §4)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.lab.balancers import SYNC, Balancers, subnets_of

OLD, NEW = ("AWS", "4.21"), ("AWS", "4.22")
on_old = pytest.mark.parametrize("balancers", [OLD], indirect=True)
on_both = pytest.mark.parametrize("balancers", [OLD, NEW], indirect=True, ids=["4.21", "4.22"])


def test_classic_subnets_follow_the_annotation(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    a, b, c = network.public.values()
    balancers.create("swap", {"subnets": f"{a},{b}"})
    hostname = balancers.ready("swap")
    balancers.annotate("swap", subnets=f"{b},{c}")
    balancers.cluster.wait_for(lambda: subnets_of(balancers.classic("swap")) == {b, c})
    balancers.annotate("swap", subnets=None)
    balancers.cluster.wait_for(lambda: subnets_of(balancers.classic("swap")) == {a, b, c})
    assert balancers.cluster.address("swap") == hostname


def test_classic_refuses_a_disjoint_set_and_keeps_serving(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    old, new = network.public["us-east-1a"], network.public["us-east-1b"]
    balancers.create("disjoint", {"subnets": old})
    hostname = balancers.ready("disjoint")
    balancers.annotate("disjoint", subnets=new)
    text = balancers.failure("disjoint")
    assert text.startswith(SYNC + 'error detaching AWS loadbalancer from subnets: "operation error ')
    assert "cannot be attached to zero subnets in VPC" in text
    assert subnets_of(balancers.classic("disjoint")) == {old}
    assert balancers.cluster.address("disjoint") == hostname


def test_classic_says_when_it_cannot_attach(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    old, same_zone = network.public["us-east-1a"], network.spare_public["us-east-1a"]
    balancers.create("crowded", {"subnets": old})
    balancers.ready("crowded")
    balancers.annotate("crowded", subnets=f"{old},{same_zone}")
    assert balancers.failure("crowded").startswith(SYNC + 'error attaching AWS loadbalancer to subnets: "')


def test_network_ignores_new_subnets_but_still_checks_them(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    old, new = network.public["us-east-1a"], network.public["us-east-1b"]
    balancers.create("fixed", {"type": "nlb", "subnets": old})
    hostname = balancers.ready("fixed")
    cluster = balancers.cluster
    ensured = cluster.events("fixed", "EnsuredLoadBalancer")[0]["count"]
    balancers.annotate("fixed", subnets=new)
    cluster.wait_for(lambda: cluster.events("fixed", "EnsuredLoadBalancer")[0]["count"] > ensured)
    assert subnets_of(balancers.network("fixed")) == {old}
    balancers.annotate("fixed", subnets="no-such-subnet")
    assert balancers.failure("fixed") == SYNC + "expected to find 1, but found 0 subnets"
    assert cluster.address("fixed") == hostname


@on_both
@pytest.mark.parametrize("kind", ["classic", "nlb"])
def test_scheme_is_fixed_at_creation(balancers: Balancers, kind: str) -> None:
    subnet = balancers.cluster.aws.public["us-east-1a"]
    balancers.create("flipped", {"type": kind, "subnets": subnet})
    hostname = balancers.ready("flipped")
    cluster = balancers.cluster
    ensured = cluster.events("flipped", "EnsuredLoadBalancer")[0]["count"]
    balancers.annotate("flipped", internal="true")
    cluster.wait_for(lambda: cluster.events("flipped", "EnsuredLoadBalancer")[0]["count"] > ensured)
    made = balancers.network("flipped") if kind == "nlb" else balancers.classic("flipped")
    assert made["Scheme"] == "internet-facing"
    assert cluster.address("flipped") == hostname


@on_old
def test_type_change_up_to_4_21_makes_the_other_kind_and_leaks_the_old(balancers: Balancers) -> None:
    balancers.create("leaky", {"type": "nlb"})
    old = balancers.ready("leaky")
    cluster = balancers.cluster
    leaked = balancers.network("leaky")["LoadBalancerArn"]
    balancers.annotate("leaky", type=None)
    new = cluster.wait_for(lambda: cluster.address("leaky") if cluster.address("leaky") != old else "")
    assert new.endswith(".elb.amazonaws.com")
    assert balancers.network("leaky")
    balancers.delete("leaky")
    cluster.wait_for(lambda: balancers.is_gone("leaky"))
    elb = cluster.clients.elbv2
    assert elb.describe_load_balancers(LoadBalancerArns=[leaked])["LoadBalancers"][0]["DNSName"] == old
    elb.delete_load_balancer(LoadBalancerArn=leaked)


@pytest.mark.parametrize(("kind", "title"), [("nlb", "NLB"), ("classic", "Classic Load Balancer")])
def test_type_change_from_4_22_on_is_refused(balancers: Balancers, kind: str, title: str) -> None:
    balancers.create("typed", {"type": kind})
    hostname = balancers.ready("typed")
    balancers.annotate("typed", type="nlb" if kind == "classic" else None)
    key = "service.beta.kubernetes.io/aws-load-balancer-type"
    expected = f'cannot update Load Balancer Type annotation "{key}" after creation for {title}'
    assert balancers.failure("typed") == SYNC + expected
    assert balancers.cluster.address("typed") == hostname
    balancers.annotate("typed", type=kind)


def test_new_nodes_reach_both_kinds_and_a_classic_one_does_not_resolve_its_subnets_again(balancers: Balancers) -> None:
    cluster = balancers.cluster
    for kind in ("classic", "nlb"):
        balancers.create(kind, {"type": kind})
        balancers.ready(kind)
    for kind in ("classic", "nlb"):
        balancers.annotate(kind, subnets="no-such-subnet")
        balancers.failure(kind)
    node = {"metadata": {"name": "late-worker"}, "spec": {"providerID": "aws:///us-east-1a/i-0late"}}
    cluster.api.create("nodes", None, node)
    try:
        event = cluster.wait_for(lambda: cluster.events("classic", "UpdatedLoadBalancer"))[0]
        assert event["message"] == "Updated load balancer with new hosts"
        assert {"InstanceId": "i-0late"} in balancers.classic("classic")["Instances"]
        event = cluster.wait_for(lambda: cluster.events("nlb", "UpdateLoadBalancerFailed"))[0]
        assert "expected to find 1, but found 0 subnets" in event["message"]
    finally:
        cluster.api.delete("nodes", None, "late-worker")
    cluster.wait_for(lambda: {"InstanceId": "i-0late"} not in balancers.classic("classic")["Instances"])
