# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole effect of a patch is its cost, not only a recreation (CORE-3; Safe ingress 4)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_IDLE_TIMEOUT,
    AWS_INTERVAL,
)

from .conftest import NewIngress
from .proofs import codes, finding, prove, refused
from .workplace import Ingress

TO_NLB = {"lb_type": "NLB"}


def with_idle_timeout(subject: Ingress) -> Ingress:
    params = {"classicLoadBalancer": {"connectionIdleTimeout": "120s"}}
    subject.patch_lb(providerParameters={"type": "AWS", "aws": {"type": "Classic", **params}})
    subject.settle()
    subject.wait_for(lambda: subject.annotations.get(AWS_IDLE_TIMEOUT) == "120", "the idle timeout")
    subject.cluster.requests.reset()
    return subject


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_a_pending_type_change_takes_the_idle_timeout_of_the_live_one(ingress: NewIngress, version: str) -> None:
    """Seen: a task that was to report only cut the idle connections of everybody."""
    subject = with_idle_timeout(ingress(version, type="Classic"))
    result = refused(subject, "ingress_lb_subnets", **TO_NLB)
    assert "disruption 'brief'" in finding(result, "disruption_not_allowed")["what"]
    assert "idle connections are cut after 60 s instead of 120 s" in result["msg"]
    assert subject.annotations[AWS_IDLE_TIMEOUT] == "120"
    proven = prove(subject, "ingress_lb_subnets", allow_disruption="brief", **TO_NLB)
    assert "changed_in_place" in codes(proven.applied)
    assert (AWS_IDLE_TIMEOUT in subject.annotations, subject.annotations[AWS_INTERVAL]) == (False, "10")
    back = prove(subject, "ingress_lb_subnets", lb_type="Classic").applied
    assert (back["disruption"], subject.annotations[AWS_IDLE_TIMEOUT]) == ("none", "120")


def test_what_nobody_notices_is_named_and_goes_through(ingress: NewIngress) -> None:
    """Health checks at another pace."""
    subject = ingress("4.22", type="Classic")
    result = prove(subject, "ingress_lb_subnets", **TO_NLB).applied
    assert finding(result, "changed_in_place")["severity"] == "info"
    assert AWS_INTERVAL in finding(result, "changed_in_place")["what"]


def test_the_load_balancer_that_a_type_change_leaves_behind_is_named_before_and_after(ingress: NewIngress) -> None:
    """Up to 4.21 AWS keeps the old one, and nobody deletes it."""
    subject = ingress("4.21", type="Classic", moto=True)
    name = lb_name(subject.uid)
    proven = prove(subject, "ingress_lb_subnets", allow_disruption="outage", **TO_NLB)
    for result in (proven.checked, proven.applied):
        found = finding(result, "lb_leaked")
        assert found["remedy"].endswith(f"aws elb delete-load-balancer --load-balancer-name {name}")
    classic = subject.cluster.clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    assert name in [balancer["LoadBalancerName"] for balancer in classic]
    assert "lb_leaked" not in codes(proven.again)


@pytest.mark.parametrize("version", ["4.18", "4.22"])
def test_what_a_thaw_sets_going_is_its_cost(ingress: NewIngress, version: str) -> None:
    """SUB-13: with auto-delete armed by somebody, the thaw itself recreates the load balancer."""
    subject = ingress(version, type="NLB", subnets="public", eips=3)
    subject.arm("theirs")
    no_eips = {"aws": {"networkLoadBalancer": {"eipAllocations": None}}}
    subject.patch_lb(scope="Internal", providerParameters=no_eips)
    subject.wait_for(lambda: subject.name in " ".join(subject.cluster.operator.log), "the operator to be stuck")
    uid = subject.uid
    result = refused(subject, "lb_effectuate", changes=["all"], unfreeze=True)
    assert "auto-delete is armed" in finding(result, "disruption_not_allowed")["what"]
    assert subject.uid == uid
