# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service controller on AWS from creation to deletion: the rows of the facts (aws-ccm §2-§6, lab-kubernetes §6)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.lab.balancers import SYNC, Balancers, subnets_of
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud import rules

REQUEST_ID = r"RequestID: [0-9a-f-]{36}"


# -- the good path -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["classic", "nlb"])
@pytest.mark.parametrize("internal", [None, "true", "no"])
def test_provisioned_with_events_finalizer_tags_and_discovered_subnets(
    balancers: Balancers, kind: str, internal: str | None
) -> None:
    wanted = {"type": kind, "internal": internal, "additional-resource-tags": "team=edge"}
    balancers.create("good", {key: value for key, value in wanted.items() if value is not None})
    hostname = balancers.ready("good")
    cluster, network = balancers.cluster, balancers.cluster.aws
    service = cluster.service("good")
    made = balancers.network("good") if kind == "nlb" else balancers.classic("good")
    assert service["metadata"]["finalizers"] == ["service.kubernetes.io/load-balancer-cleanup"]
    assert made["DNSName"] == hostname
    assert made["LoadBalancerName"] == "a" + service["metadata"]["uid"].replace("-", "")[:31]
    assert made["Scheme"] == ("internal" if internal else "internet-facing")
    assert subnets_of(made) == set((network.private if internal else network.public).values())
    events = {(event["type"], event["reason"], event["message"]) for event in cluster.events("good")}
    assert events == {
        ("Normal", "EnsuringLoadBalancer", "Ensuring load balancer"),
        ("Normal", "EnsuredLoadBalancer", "Ensured load balancer"),
    }
    assert {event["source"]["component"] for event in cluster.events("good")} == {"service-controller"}
    tags = balancers_tags(balancers, made)
    assert tags[network.cluster_tag] == "owned"
    assert tags["kubernetes.io/service-name"] == "openshift-ingress/good"
    assert tags["team"] == "edge"


def balancers_tags(balancers: Balancers, made: dict[str, Any]) -> dict[str, str]:
    clients = balancers.cluster.clients
    if "LoadBalancerArn" in made:
        found = clients.elbv2.describe_tags(ResourceArns=[made["LoadBalancerArn"]])
    else:
        found = clients.elb.describe_tags(LoadBalancerNames=[made["LoadBalancerName"]])
    return {tag["Key"]: tag["Value"] for tag in found["TagDescriptions"][0]["Tags"]}


@pytest.mark.parametrize("kind", ["classic", "nlb"])
def test_deletion_waits_for_the_cloud_then_lets_go(balancers: Balancers, kind: str) -> None:
    balancers.create("going", {"type": kind})
    balancers.ready("going")
    cluster = balancers.cluster
    cluster.cloud_faults.hold_delete("going")
    balancers.delete("going")
    cluster.wait_for(lambda: cluster.events("going", "DeletingLoadBalancer"))
    assert cluster.service("going")["metadata"]["deletionTimestamp"]
    assert balancers.network("going") or balancers.classic("going")
    before = cluster.clients.elbv2.describe_load_balancers()["LoadBalancers"]
    classic = cluster.clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    cluster.cloud_faults.clear()
    cluster.wait_for(lambda: balancers.is_gone("going"))
    after = cluster.clients.elbv2.describe_load_balancers()["LoadBalancers"]
    after_classic = cluster.clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    assert len(before) + len(classic) - len(after) - len(after_classic) == 1
    assert cluster.events("going", "DeletedLoadBalancer")[0]["message"] == "Deleted load balancer"


def test_deletion_that_the_cloud_refuses_is_retried_and_said(balancers: Balancers) -> None:
    balancers.create("stuck")
    balancers.ready("stuck")
    cluster = balancers.cluster
    cluster.cloud_faults.fail_delete("DependencyViolation: resource sg-1 has a dependent object", service="stuck")
    balancers.delete("stuck")
    text = balancers.failure("stuck")
    assert text.startswith("Error syncing load balancer: failed to delete load balancer: DependencyViolation")
    cluster.wait_for(lambda: cluster.events("stuck", "SyncLoadBalancerFailed")[0]["count"] >= 2, "a second attempt")
    assert rules.FINALIZER in cluster.service("stuck")["metadata"]["finalizers"]


def test_a_removed_finalizer_does_not_leak_while_the_controller_runs(balancers: Balancers) -> None:
    balancers.create("forced")
    balancers.ready("forced")
    cluster = balancers.cluster
    name = balancers.classic("forced")["LoadBalancerName"]
    cluster.cloud_faults.hold_delete("forced")
    balancers.delete("forced")
    cluster.api.patch("services", "openshift-ingress", "forced", {"metadata": {"finalizers": None}})
    cluster.cloud_faults.clear()

    def left() -> list[str]:
        found = cluster.clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
        return [balancer["LoadBalancerName"] for balancer in found]

    cluster.wait_for(lambda: name not in left(), "the load balancer to go")


def test_no_longer_a_load_balancer_is_cleaned_up(balancers: Balancers) -> None:
    balancers.create("demoted")
    balancers.ready("demoted")
    cluster = balancers.cluster
    cluster.api.patch("services", "openshift-ingress", "demoted", {"spec": {"type": "ClusterIP"}})
    cluster.wait_for(lambda: not cluster.service("demoted")["metadata"].get("finalizers"))
    cluster.wait_for(lambda: not cluster.address("demoted"))
    assert balancers.classic("demoted") is None


@pytest.mark.parametrize("kind", ["nlb-ip", "external"])
def test_left_to_the_other_controller_by_annotation(balancers: Balancers, kind: str) -> None:
    balancers.create("theirs", {"type": kind})
    cluster = balancers.cluster
    cluster.wait_for(lambda: cluster.events("theirs", "EnsuringLoadBalancer"))
    balancers.create("ours")
    balancers.ready("ours")
    assert cluster.address("theirs") == ""
    assert not cluster.events("theirs", "SyncLoadBalancerFailed")


def test_a_class_is_ignored_without_a_word(balancers: Balancers) -> None:
    balancers.create("classy", loadBalancerClass="service.k8s.aws/nlb")
    balancers.create("ours")
    balancers.ready("ours")
    cluster = balancers.cluster
    assert cluster.events("classy") == []
    assert "finalizers" not in cluster.service("classy")["metadata"]


# -- subnets that cannot be used (C1-C3) ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["classic", "nlb"])
def test_c2_unknown_id(balancers: Balancers, kind: str) -> None:
    good, missing = balancers.cluster.aws.public["us-east-1a"], "subnet-0123456789abcdef0"
    balancers.create("c2", {"type": kind, "subnets": f"{good},{missing}"})
    inner = f"api error InvalidSubnetID.NotFound: The subnet ID '{missing}' does not exist"
    pattern = (
        re.escape(SYNC + 'error listing AWS subnets: "operation error EC2: DescribeSubnets, ')
        + f"https response error StatusCode: 400, {REQUEST_ID}, "
        + re.escape(inner + '"')
    )
    assert re.fullmatch(pattern, balancers.failure("c2"))


@pytest.mark.parametrize("kind", ["classic", "nlb"])
def test_c3_unknown_name(balancers: Balancers, kind: str) -> None:
    balancers.create("c3", {"type": kind, "subnets": "no-such-subnet"})
    assert balancers.failure("c3") == SYNC + "expected to find 1, but found 0 subnets"


def test_c1_two_in_one_zone_network(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    double = f"{network.public['us-east-1a']},{network.spare_public['us-east-1a']}"
    balancers.create("c1n", {"type": "nlb", "subnets": double})
    text = balancers.failure("c1n")
    assert text.startswith(SYNC + 'error creating load balancer: "operation error Elastic Load Balancing v2: ')
    assert re.search(f"StatusCode: 400, {REQUEST_ID}, InvalidConfigurationRequest: A load balancer cannot be", text)


def test_c1_two_in_one_zone_classic(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    double = f"{network.public['us-east-1a']},{network.spare_public['us-east-1a']}"
    balancers.create("c1c", {"subnets": double})
    text = balancers.failure("c1c")
    assert text.startswith(SYNC + "operation error Elastic Load Balancing: CreateLoadBalancer, https response error ")
    assert re.search(f"StatusCode: 409, {REQUEST_ID}, InvalidConfigurationRequest: ", text)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "unable to resolve empty subnet slice"),
        (" , ", "unable to resolve empty subnet slice"),
        ("{a},{a}", "expected to find 2, but found 1 subnets"),
    ],
)
def test_other_lists_it_cannot_resolve(balancers: Balancers, value: str, words: str) -> None:
    balancers.create("odd", {"subnets": value.format(a=balancers.cluster.aws.public["us-east-1a"])})
    assert balancers.failure("odd") == SYNC + words


def test_names_and_ids_with_spaces_are_understood(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    by_name, by_id = network.names[network.public["us-east-1a"]], network.public["us-east-1b"]
    balancers.create("mixed", {"subnets": f" {by_name} , {by_id}"})
    balancers.ready("mixed")
    assert subnets_of(balancers.classic("mixed")) == {network.public["us-east-1a"], by_id}


def test_a_retry_is_a_new_event_when_aws_names_the_request_and_counted_when_not(
    balancers: Balancers,
) -> None:
    cluster = balancers.cluster
    balancers.create("by-id", {"subnets": "subnet-0123456789abcdef0"})
    balancers.create("by-name", {"subnets": "no-such-subnet"})
    cluster.wait_for(lambda: len(cluster.events("by-id", "SyncLoadBalancerFailed")) >= 3)
    cluster.wait_for(lambda: cluster.events("by-name", "SyncLoadBalancerFailed")[0]["count"] >= 3)
    assert len(cluster.events("by-name", "SyncLoadBalancerFailed")) == 1


def test_a_corrected_annotation_recovers_at_once(balancers: Balancers) -> None:
    balancers.create("mended", {"subnets": "no-such-subnet"})
    balancers.failure("mended")
    balancers.annotate("mended", subnets=balancers.cluster.aws.public["us-east-1a"])
    assert balancers.ready("mended")


# -- Elastic IPs ----------------------------------------------------------------------------------------------------


def test_elastic_ips_are_taken_at_creation_and_freed_at_deletion(balancers: Balancers) -> None:
    cluster, network = balancers.cluster, balancers.cluster.aws
    a, b, _c = network.public.values()
    eips = list(network.eips[:2])
    balancers.create("eips", {"type": "nlb", "subnets": f"{a},{b}", "eip-allocations": ",".join(eips)})
    balancers.ready("eips")
    zones = balancers.network("eips")["AvailabilityZones"]
    assert {zone["LoadBalancerAddresses"][0]["AllocationId"] for zone in zones} == set(eips)
    ensured = cluster.events("eips", "EnsuredLoadBalancer")[0]["count"]
    balancers.annotate("eips", eip_allocations=",".join(network.eips[2:4]))
    cluster.wait_for(lambda: cluster.events("eips", "EnsuredLoadBalancer")[0]["count"] > ensured)
    zones = balancers.network("eips")["AvailabilityZones"]
    assert {zone["LoadBalancerAddresses"][0]["AllocationId"] for zone in zones} == set(eips)


def test_elastic_ips_must_match_the_number_of_subnets(balancers: Balancers) -> None:
    balancers.create("few", {"type": "nlb", "eip-allocations": balancers.cluster.aws.eips[0]})
    expected = "error creating load balancer: Must have same number of EIP AllocationIDs (1) and SubnetIDs (3)"
    assert balancers.failure("few") == SYNC + expected


def test_elastic_ips_in_use_and_untrimmed_ones_are_refused(balancers: Balancers) -> None:
    network = balancers.cluster.aws
    a, eip = network.public["us-east-1a"], network.eips[3]
    balancers.create("first", {"type": "nlb", "subnets": a, "eip-allocations": eip})
    balancers.ready("first")
    balancers.create("second", {"type": "nlb", "subnets": a, "eip-allocations": eip})
    assert "ResourceInUse: The allocation IDs are not available for use" in balancers.failure("second")
    balancers.create("spaced", {"type": "nlb", "subnets": a, "eip-allocations": f" {network.eips[2]}"})
    assert "AllocationIdNotFound" in balancers.failure("spaced")


# -- trouble on demand ----------------------------------------------------------------------------------------------


def test_failing_provisioning_then_recovery(balancers: Balancers) -> None:
    cluster = balancers.cluster
    cluster.cloud_faults.fail_ensure("TooManyLoadBalancers: the quota is reached", service="unlucky")
    balancers.create("unlucky")
    assert balancers.failure("unlucky") == SYNC + "TooManyLoadBalancers: the quota is reached"
    assert cluster.address("unlucky") == ""
    cluster.cloud_faults.clear()
    assert balancers.ready("unlucky")


def test_refused_by_the_cloud_controller_itself(balancers: Balancers) -> None:
    balancers.create("sticky", sessionAffinity="ClientIP")
    assert balancers.failure("sticky").startswith(SYNC + "unsupported load balancer affinity")


def test_being_deleted_before_the_finalizer_was_added(balancers: Balancers) -> None:
    """Somebody's own finalizer holds it, ours can no longer be added (facts: lab-kubernetes §6)."""
    cluster = balancers.cluster
    cluster.controller.stop()
    try:
        made = balancers.create("late")
        cluster.api.patch("services", "openshift-ingress", "late", {"metadata": {"finalizers": ["example.com/mine"]}})
        balancers.delete("late")
    finally:
        cluster.restart_controller()
    text = balancers.failure("late")
    assert text.startswith("Error syncing load balancer: failed to add load balancer cleanup finalizer: ")
    assert made["metadata"]["uid"]
    cluster.api.patch("services", "openshift-ingress", "late", {"metadata": {"finalizers": None}})
