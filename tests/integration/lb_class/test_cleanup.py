# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The old load balancer is cleaned up first: a stuck finalizer is named, and a vanished one is no proof (CLS-5)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_name
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove, refused

from .conftest import NewClassed
from .workplace import MODULE, OUTAGE, WATCHED, ClassedService

CLEANUP = "service.kubernetes.io/load-balancer-cleanup"
FLIP: dict[str, Any] = {"way": "type_flip", **OUTAGE}
AGAIN: dict[str, Any] = {"way": "recreate", **OUTAGE}
TYPE = "service.beta.kubernetes.io/aws-load-balancer-type"


def balancers(subject: ClassedService, name: str) -> list[str]:
    """Of either kind, as AWS has them."""
    clients = subject.cluster.clients
    classic = clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    modern = clients.elbv2.describe_load_balancers()["LoadBalancers"]
    return [one["LoadBalancerName"] for one in (*classic, *modern) if one["LoadBalancerName"] == name]


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        pytest.param("Classic", FLIP, id="type_flip, Classic"),
        pytest.param("NLB", AGAIN, id="recreate, NLB"),
        pytest.param("NLB", FLIP, id="type_flip, NLB", marks=pytest.mark.long),
        pytest.param("Classic", AGAIN, id="recreate, Classic", marks=pytest.mark.long),
    ],
)
def test_aws_is_clean_when_the_class_is_set(classed: NewClassed, kind: str, given: dict[str, Any]) -> None:
    subject = classed(moto=True, annotations={TYPE: "nlb"} if kind == "NLB" else {})
    name = lb_name(subject.uid)
    assert balancers(subject, name) == [name]
    result = prove(subject, MODULE, aws=True, lb_class=WATCHED, **given).applied
    assert balancers(subject, name) == []
    assert not {"lb_left_behind", "cleanup_unproven"} & set(codes(result))
    prove(subject, MODULE, aws=True, state="absent", **given)
    assert balancers(subject, lb_name(subject.uid)) == [lb_name(subject.uid)]


def test_retired_with_its_load_balancer(classed: NewClassed) -> None:
    subject = classed(moto=True)
    name = lb_name(subject.uid)
    beside = {"lb_class": WATCHED, "way": "side_by_side"}
    prove(subject, MODULE, aws=True, **beside)
    assert balancers(subject, name) == [name]
    moved = {"traffic_moved": True, "traffic_moved_because": "seen", "allow_disruption": "brief"}
    prove(subject, MODULE, aws=True, **beside, **moved)
    assert balancers(subject, name) == []


def test_a_stuck_finalizer_is_named_with_its_owner(classed: NewClassed) -> None:
    subject = classed(externalTrafficPolicy="Local", loadBalancerSourceRanges=["10.0.0.0/8"])
    kept, uid = subject.kept(), subject.uid
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    result = subject.run(MODULE, lb_class=WATCHED, wait_timeout=1, **FLIP)
    assert result["error_code"] == "timeout"
    assert f"{CLEANUP}, which the cloud provider's controller of AWS takes off" in result["msg"]
    assert finding(result, "finalizer_stuck")["value"] == CLEANUP
    assert (subject.live()["spec"]["type"], subject.lb_class) == ("NodePort", None)
    checked = subject.run(MODULE, check=True, lb_class=WATCHED, **FLIP)
    assert (checked["verdict"], checked["changed"], "finalizer_stuck" in codes(checked)) == ("recreate", True, True)
    subject.cluster.cloud_faults.clear()
    subject.change(lb_class=WATCHED)  # no allowance: what was taken away is only given back
    assert (subject.uid, subject.lb_class, subject.kept()) == (uid, WATCHED, kept)
    assert subject.saved() is None


def test_a_controller_of_a_class_that_does_not_clean_up(classed: NewClassed) -> None:
    subject = classed(lb_class=WATCHED)
    (controller,) = [one for one in subject.cluster.class_controllers if one.lb_class == WATCHED]
    controller.holds_cleanup = True
    result = subject.run(MODULE, state="absent", wait_timeout=1, known_classes={WATCHED: "the edge team's"}, **FLIP)
    assert f"{controller.finalizer}, which the edge team's takes off" in result["msg"]
    controller.holds_cleanup = False
    subject.change(state="absent")
    assert (subject.lb_class, subject.saved()) == (None, None)


def test_the_cloud_refuses_to_remove_it(classed: NewClassed) -> None:
    """The event's words, and the wait ends at once."""
    subject = classed()
    text = "OperationNotPermitted: Load balancer cannot be deleted because deletion protection is enabled"
    subject.cluster.cloud_faults.fail_delete(text, service=subject.service_name)
    result = subject.run(MODULE, lb_class=WATCHED, **FLIP)
    assert (result["error_code"], text in result["msg"]) == ("wait_failed", True)
    subject.cluster.cloud_faults.clear()
    subject.change(lb_class=WATCHED)


def left_in_aws(subject: ClassedService, given: dict[str, Any]) -> str:
    """A run whose load balancer is let go of by hand: the finalizer is gone, the load balancer is not."""
    name = lb_name(subject.uid)
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    assert subject.run(MODULE, aws=True, lb_class=WATCHED, wait_timeout=1, **given)["failed"]
    subject.cluster.restart_controller()  # one that remembers nothing of it
    subject.patch_service({"metadata": {"finalizers": None}})
    assert balancers(subject, name) == [name]
    return name


def test_a_load_balancer_left_in_aws_although_the_finalizer_is_gone(classed: NewClassed) -> None:
    subject = classed(moto=True)
    name = left_in_aws(subject, FLIP)
    result = subject.run(MODULE, aws=True, lb_class=WATCHED, wait_timeout=2, **FLIP)
    assert (result["error_code"], finding(result, "wait_failed")["value"]["cause"]) == ("wait_failed", "lb_left_behind")
    assert (name in result["msg"], subject.lb_class) == (True, None)
    subject.cluster.clients.elb.delete_load_balancer(LoadBalancerName=name)
    subject.change(aws=True, lb_class=WATCHED)
    assert (subject.lb_class, subject.saved()) == (WATCHED, None)


def test_going_on_beside_what_is_left_has_to_be_said(classed: NewClassed) -> None:
    subject = classed(moto=True)
    name = left_in_aws(subject, FLIP)
    subject.change(lb_class=WATCHED)  # preflight: skip
    assert (subject.lb_class, balancers(subject, name)) == (WATCHED, [name])
    subject.cluster.clients.elb.delete_load_balancer(LoadBalancerName=name)


def test_a_service_that_is_gone_comes_back_beside_what_is_left(classed: NewClassed) -> None:
    """Nobody waits for their Service because of a load balancer that nobody uses; it is told."""
    subject = classed(moto=True)
    name = left_in_aws(subject, AGAIN)
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    result = subject.change(aws=True, lb_class=WATCHED, wait_timeout=2)
    assert (finding(result, "lb_left_behind")["value"], subject.lb_class) == (name, WATCHED)
    subject.cluster.clients.elb.delete_load_balancer(LoadBalancerName=name)


def test_aws_would_not_let_it_go(classed: NewClassed) -> None:
    """SUB-3: asked before, not found out in the middle."""
    subject = classed(moto=True, annotations={TYPE: "nlb"})
    elbv2 = subject.cluster.clients.elbv2
    (arn,) = [
        one["LoadBalancerArn"]
        for one in elbv2.describe_load_balancers()["LoadBalancers"]
        if one["LoadBalancerName"] == lb_name(subject.uid)
    ]
    key = "deletion_protection.enabled"
    elbv2.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=[{"Key": key, "Value": "true"}])
    try:
        for given in (FLIP, AGAIN):
            assert "deletion_protection" in codes(refused(subject, MODULE, aws=True, lb_class=WATCHED, **given))
        prove(subject, MODULE, aws=True, lb_class=WATCHED, way="side_by_side")
    finally:
        elbv2.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=[{"Key": key, "Value": "false"}])
