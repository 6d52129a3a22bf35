# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller's decisions as tables (facts: aws-ccm)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_EIPS,
    AWS_PROXY,
    AWS_TARGET_GROUP,
    AWS_TYPE,
)
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud import rules
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.faults import CloudFaults, Timing
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.rules import CloudError, Subnet

CLUSTER = "kubernetes.io/cluster/lab-abc12"
OTHER = "kubernetes.io/cluster/somebody-else"
ELB, INTERNAL_ELB = "kubernetes.io/role/elb", "kubernetes.io/role/internal-elb"


def service(annotations: dict[str, str] | None = None, hostname: str = "", **spec: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "metadata": {"name": "s", "namespace": "n", "uid": "u-1", "annotations": annotations or {}},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], **spec},
    }
    if hostname:
        made["status"] = {"loadBalancer": {"ingress": [{"hostname": hostname}]}}
    return made


@pytest.mark.parametrize(
    ("spec", "owned"),
    [
        ({}, True),
        ({"loadBalancerClass": "service.k8s.aws/nlb"}, False),
        ({"type": "ClusterIP"}, False),
    ],
)
def test_a_class_belongs_to_somebody_else(spec: dict[str, Any], owned: bool) -> None:
    assert rules.wants_load_balancer(service(**spec)) is owned


def test_cleanup_is_decided_by_the_finalizer_not_the_class() -> None:
    going = service(loadBalancerClass="example.com/other")
    going["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": [rules.FINALIZER]}
    assert rules.needs_cleanup(going)
    going["metadata"]["finalizers"] = ["somebody.else/finalizer"]
    assert not rules.needs_cleanup(going)


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({"metadata": {"annotations": {"any": "thing"}}}, True),
        ({"metadata": {"uid": "u-2"}}, True),
        ({"metadata": {"labels": {"a": "b"}}}, False),
        ({"spec": {"ports": [{"port": 81}]}}, True),
        ({"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}}, True),
        ({"spec": {"selector": {"a": "b"}}}, False),
        ({"spec": {"ipFamilies": ["IPv4", "IPv6"]}}, True),
        ({"status": {"loadBalancer": {"ingress": [{"ip": "198.18.0.1"}]}}}, False),
    ],
)
def test_which_edits_are_looked_at(change: dict[str, Any], again: bool) -> None:
    old, new = service(ipFamilies=["IPv4"]), service(ipFamilies=["IPv4"])
    for part, fields in change.items():
        new.setdefault(part, {}).update(fields)
    assert rules.needs_update(old, new) is again


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (service(sessionAffinity="ClientIP"), "unsupported load balancer affinity"),
        (service(ports=[]), "requested load balancer with no ports"),
        (service(loadBalancerIP="198.18.0.1"), "LoadBalancerIP cannot be specified for AWS ELB"),
        (service({AWS_PROXY: "tcp"}), "the only value supported currently is '*'"),
        (service({AWS_TARGET_GROUP: "a=b"}), "target group attributes annotation is only supported for NLB"),
        (service({AWS_TYPE: "nlb", rules.EXTRA_GROUPS: "sg-1"}), "is not supported for NLB"),
    ],
)
def test_refused_before_any_call(made: dict[str, Any], words: str) -> None:
    assert words in rules.refusal(made)


def test_a_plain_service_is_not_refused() -> None:
    assert rules.refusal(service()) == ""
    assert rules.refusal(service({AWS_TYPE: "nlb", AWS_TARGET_GROUP: "a=b"})) == ""


@pytest.mark.parametrize(
    ("kind", "hostname", "words"),
    [
        ("", "x.elb.us-east-1.amazonaws.com", "after creation for NLB"),
        ("nlb", "x.us-east-1.elb.amazonaws.com", "after creation for Classic Load Balancer"),
        ("nlb", "x.elb.us-east-1.amazonaws.com", ""),
        ("", "x.us-east-1.elb.amazonaws.com", ""),
        ("nlb", "", ""),
    ],
)
def test_live_type_is_read_off_the_hostname(kind: str, hostname: str, words: str) -> None:
    found = rules.type_change_refusal(service({AWS_TYPE: kind}, hostname=hostname))
    assert (words in found) if words else (found == "")


DISCOVERY = {
    "role tag beats cluster tag and id": (
        [Subnet("subnet-1", "a", True, tags={CLUSTER: "owned"}), Subnet("subnet-9", "a", True, tags={ELB: "1"})],
        False,
        ["subnet-9"],
    ),
    "cluster tag beats id": (
        [Subnet("subnet-1", "a", True), Subnet("subnet-9", "a", True, tags={CLUSTER: "owned"})],
        False,
        ["subnet-9"],
    ),
    "then the smallest id": ([Subnet("subnet-2", "a", True), Subnet("subnet-1", "a", True)], False, ["subnet-1"]),
    "private ones are no place for an external one": (
        [Subnet("subnet-1", "a"), Subnet("subnet-2", "b", True)],
        False,
        ["subnet-2"],
    ),
    "an internal one considers all and prefers its role": (
        [Subnet("subnet-1", "a", True, tags={ELB: "1"}), Subnet("subnet-2", "a", tags={INTERNAL_ELB: "1"})],
        True,
        ["subnet-2"],
    ),
    "another cluster's are left alone": (
        [Subnet("subnet-1", "a", True, tags={OTHER: "owned", ELB: "1"}), Subnet("subnet-2", "a", True)],
        False,
        ["subnet-2"],
    ),
    "zones are sorted, local zones left out": (
        [
            Subnet("subnet-1", "c", True),
            Subnet("subnet-2", "a", True),
            Subnet("subnet-3", "b", True, zone_type="local-zone"),
        ],
        False,
        ["subnet-2", "subnet-1"],
    ),
    "nobody's and no candidate: the node's own": (
        [Subnet("subnet-7", "a", tags={OTHER: "owned"})],
        True,
        ["subnet-7"],
    ),
}


@pytest.mark.parametrize("case", DISCOVERY, ids=str)
def test_discovery(case: str) -> None:
    subnets, internal, expected = DISCOVERY[case]
    assert rules.discover_subnets(subnets, CLUSTER, internal=internal, own="subnet-7") == expected


def test_discovery_that_finds_nothing_says_so() -> None:
    with pytest.raises(CloudError, match="could not find any suitable subnets for creating the ELB"):
        rules.discover_subnets([Subnet("subnet-1", "a")], CLUSTER, internal=False)


def test_one_value_per_subnet_untrimmed() -> None:
    annotations = {AWS_EIPS: "eipalloc-1, eipalloc-2"}
    assert rules.split_per_subnet(annotations, AWS_EIPS, "EIP AllocationIDs", 2) == ["eipalloc-1", " eipalloc-2"]
    with pytest.raises(CloudError) as refused:
        rules.split_per_subnet(annotations, AWS_EIPS, "EIP AllocationIDs", 3)
    assert str(refused.value) == (
        "error creating load balancer: Must have same number of EIP AllocationIDs (2) and SubnetIDs (3)"
    )


def test_tags() -> None:
    assert rules.parse_tags("a=b, c=d=e,f,") == {"a": "b", "c": "d=e", "f": ""}


def test_back_off_doubles_from_5_to_300_seconds() -> None:
    real = Timing()
    assert [real.back_off(n) for n in (1, 2, 3, 4, 7, 8, 5000)] == [5, 10, 20, 40, 300, 300, 300]
    assert Timing(speed=0.01).back_off(1) == pytest.approx(0.05)


def test_faults_run_out_and_are_cleared() -> None:
    faults = CloudFaults()
    faults.fail_ensure("no", service="a", times=1)
    assert faults.take("ensure", "b") is None
    assert [faults.take("ensure", "a"), faults.take("ensure", "a")] == ["no", None]
    faults.hold_delete()
    assert faults.holds("delete", "any")
    assert faults.take("delete", "any") is None
    faults.clear()
    assert not faults.holds("delete", "any")
