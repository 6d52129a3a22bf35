# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits end early on what waiting does not mend, and a wait that runs out says what was last seen (SUB-10, CORE-10)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import classify
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import REAL, run_task

from .conftest import NewIngress, NewService
from .proofs import finding, prove
from .workplace import Ingress

NOW = {"effectuate": "operator", "allow_disruption": "outage"}
UNKNOWN = "subnet-0123456789abcdef0"


def same_zone(subject: Ingress) -> dict[str, list[str]]:
    network = subject.cluster.aws
    return {"ids": [next(iter(network.public.values())), next(iter(network.spare_public.values()))]}


# kind, subnets → cause, part of the remedy, part of the event
BAD: dict[str, tuple[str, Callable[[Ingress], dict[str, list[str]]], str, str, str]] = {
    "one zone, NLB": ("NLB", same_zone, "subnets_same_az", "one subnet per zone", "Availability Zone"),
    "one zone, Classic": ("Classic", same_zone, "subnets_same_az", "one subnet per zone", "same AZ"),
    "unknown id": ("NLB", lambda _s: {"ids": [UNKNOWN]}, "subnet_id_unknown", "Correct the subnet ids", "NotFound"),
    "unknown name": ("Classic", lambda _s: {"names": ["no"]}, "subnet_name_unknown", "Correct the names", "found 0"),
}


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("case", BAD)
def test_bad_subnets_are_diagnosed_and_the_wait_ends_early(ingress: NewIngress, case: str, way: str) -> None:
    """SUB-10: the cause, the remedy and the event's own words; long before wait_timeout. A good spec mends it."""
    kind, bad, cause, remedy, words = BAD[case]
    subject = ingress(type=kind, subnets="public", moto=True)
    begun = time.monotonic()
    options = {"effectuate": way, "allow_disruption": "outage", "wait_timeout": 300}
    result = subject.run("ingress_lb_subnets", subnets=bad(subject), **options)
    assert time.monotonic() - begun < 30
    assert (result["failed"], result["changed"], result["error_code"]) == (True, True, "wait_failed")
    assert remedy in result["msg"]
    assert words in result["msg"]
    found = finding(result, "wait_failed")
    assert found["value"]["cause"] == cause
    assert subject.armed is None  # for the transaction only, also when it fails
    assert subject.condition("LoadBalancerReady")[1] in ("SyncLoadBalancerFailed", "LoadBalancerPending")
    good = {"ids": list(subject.cluster.aws.public.values())}
    prove(subject, "ingress_lb_subnets", subnets=good, **options)
    assert (subject.armed, bool(subject.address)) == (None, True)


@pytest.mark.parametrize(
    "text",
    [
        "error creating load balancer: Must have same number of EIP AllocationIDs (2) and SubnetIDs (3)",
        "could not find any suitable subnets for creating the ELB",
        "error creating load balancer: TooManyLoadBalancers: You've reached the limit",
        "error creating load balancer: InvalidSubnet: VPC vpc-1 has no internet gateway",
        "AccessDenied: User: arn:aws:sts::1:x is not authorized to perform: elasticloadbalancing:CreateLoadBalancer",
        "error authorizing security group ingress: RulesPerSecurityGroupLimitExceeded: The maximum number of rules",
    ],
)
def test_other_terminal_causes(ingress: NewIngress, text: str) -> None:
    """SUB-10, SCO-8: told by the event; slb_scope reports them the same way."""
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.fail_ensure(text, service=subject.service_name)
    result = subject.run("slb_scope", scope="Internal", **NOW)
    assert (result["failed"], result["error_code"]) == (True, "wait_failed")
    assert classify(text).remedy in result["msg"]
    assert text in result["msg"]


def test_an_elastic_ip_that_comes_free_is_waited_for(ingress: NewIngress) -> None:
    """Safe ingress 15: the old load balancer's own ones take a while."""
    subject = ingress(type="NLB")
    text = "error creating load balancer: ResourceInUse: The allocation IDs are not available for use"
    subject.cluster.cloud_faults.fail_ensure(text, service=subject.service_name, times=2)
    prove(subject, "slb_scope", scope="Internal", **NOW)


@pytest.mark.parametrize("platform", ["AWS", "IBMCloud"])
def test_an_unknown_refusal_is_waited_out(ingress: NewIngress, platform: str) -> None:
    """CORE-10: what may pass is no reason to give up."""
    subject = ingress("4.22", platform)
    subject.cluster.cloud_faults.fail_ensure("RequestLimitExceeded: slow down", service=subject.service_name, times=2)
    prove(subject, "slb_scope", scope="Internal", **NOW)


def test_a_wait_that_runs_out_tells_the_last_event(ingress: NewIngress) -> None:
    """CORE-10: what it waited for, what was last seen, and that a re-run picks it up; which it does."""
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.fail_ensure("InternalError: try again", service=subject.service_name)
    result = subject.run("slb_scope", scope="Internal", **{**NOW, "wait_timeout": 2})
    assert (result["failed"], result["error_code"], result["changed"]) == (True, "timeout", True)
    assert "waited 2 s for the cloud to make the load balancer" in result["msg"]
    assert "InternalError: try again" in result["msg"]
    assert "Run again" in result["msg"]
    assert subject.armed is None
    subject.cluster.cloud_faults.clear()
    subject.settle()
    prove(subject, "slb_scope", scope="Internal", **NOW)
    assert subject.armed is None


def test_a_wait_for_the_old_one_tells_what_holds_it(ingress: NewIngress) -> None:
    """CORE-10: the finalizer that is stuck."""
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    result = subject.run("slb_scope", scope="Internal", **{**NOW, "wait_timeout": 1, "effectuate": "delete"})
    assert "service.kubernetes.io/load-balancer-cleanup" in result["msg"]
    subject.cluster.cloud_faults.clear()
    subject.settle()
    prove(subject, "slb_scope", scope="Internal", **NOW)


def test_an_operator_that_is_away(lab: Any) -> None:
    """CORE-10: observedGeneration is looked at, so a stale condition is not taken for the answer."""
    cluster = lab.cluster("waiting-away", "GCP")
    subject = Ingress(cluster, "default")
    cluster.operator.stop()
    result = subject.run("slb_scope", scope="Internal", allow_disruption="brief", wait_timeout=1)
    assert (result["failed"], result["error_code"]) == (True, "timeout")
    assert "the operator to admit the new spec" in result["msg"]
    assert "Admitted=True" in result["msg"]


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_a_failed_change_in_place(ingress: NewIngress, platform: str) -> None:
    """SCO-8: the load balancer has an address, but not the new one; old events are not held against it."""
    subject = ingress("4.22", platform)
    faults = subject.cluster.cloud_faults
    faults.fail_ensure("could not find any suitable subnets for creating the ELB", service=subject.service_name)
    result = subject.run("slb_scope", scope="Internal", allow_disruption="brief")
    assert (result["failed"], result["error_code"]) == (True, "wait_failed")
    faults.clear()
    subject.wait_for(lambda: subject.address.startswith("10."), "the new address")
    assert prove(subject, "slb_scope", scope="External", allow_disruption="brief").applied["changed"]


@pytest.mark.parametrize("platform", ["AWS", "GCP"])
def test_a_plain_service_is_diagnosed_too(plain: NewService, platform: str) -> None:
    """SCO-8, SCO-7: and its kept manifest stays until it serves."""
    subject = plain(platform)
    text = "could not find any suitable subnets for creating the ELB"
    subject.cluster.cloud_faults.fail_ensure(text, service=subject.service_name)
    options = {"scope": "Internal", "effectuate": "delete", "allow_disruption": "outage"}
    result = subject.run("slb_scope", **options)
    assert (result["failed"], result["error_code"]) == (True, "wait_failed")
    assert "role/elb" in result["msg"]
    assert (subject.saved() is not None) == (platform == "AWS")
    subject.cluster.cloud_faults.clear()
    subject.settle()
    assert not subject.run("slb_scope", **options).get("failed")
    assert subject.saved() is None


def test_without_waiting(ingress: NewIngress) -> None:
    """CORE-10: `wait: false` returns as soon as the old one is replaced, and auto-delete is gone again."""
    subject = ingress(type="NLB")
    uid = subject.uid
    subject.cluster.cloud_faults.hold_ensure(subject.service_name)
    result = subject.run("slb_scope", scope="Internal", wait=False, **NOW)
    assert not result.get("failed"), result.get("msg")
    assert (subject.uid != uid, subject.address, subject.armed) == (True, "", None)
    again = subject.run("slb_scope", scope="Internal", wait=False, **NOW)
    assert (again["verdict"], again["changed"]) == ("in_progress", False)


def test_it_says_what_it_waits_for(ingress: NewIngress) -> None:
    """CORE-10: progress lines name the target and what is waited for."""
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.fail_ensure("InternalError: try again", service=subject.service_name, times=3)
    told: list[str] = []
    options = {"ingress_controller": subject.name, "scope": "Internal", **NOW, "preflight": "skip", "wait_sleep": 1}
    result = run_task("slb_scope", subject.cluster.kubeconfig, clock=REAL, progress=told.append, **options)
    assert not result.get("failed"), result.get("msg")
    assert f"IngressController {subject.name}: waiting for the cloud to make the load balancer" in "\n".join(told)
