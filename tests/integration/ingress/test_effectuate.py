# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One recreation for everything pending, by the operator or by deletion, asked for by either module (SUB-6, CORE-9)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_EIPS,
    AWS_SUBNETS,
    AWS_TYPE,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL

from .conftest import NewIngress
from .proofs import codes, finding, pending, prove, refused
from .workplace import Ingress

NOW = {"allow_disruption": "outage"}
IC, SERVICE = "ingresscontrollers", "services"
TYPE = "loadBalancer.providerParameters.aws.type"


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


def written(subject: Ingress, module: str, **options: Any) -> list[tuple[str, str]]:
    """The writes of one run that took effect, counted at the server, between taking the lock and giving it back."""
    subject.cluster.requests.reset()
    result = subject.run(module, **options)
    assert not result.get("failed"), result.get("msg")
    done = [(one.verb, one.resource.partition(".")[0]) for one in subject.cluster.requests.writes() if one.code < 300]
    assert (done[0], done[-1]) == (("create", "leases"), ("delete", "leases"))
    return [one for one in done if one[1] != "leases"]


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("version", ["4.18", "4.21", "4.22", "4.23"])
def test_subnets_effectuated(ingress: NewIngress, version: str, way: str) -> None:
    """SUB-6: a new Service with the wanted subnets, auto-delete gone again."""
    subject = ingress(version, type="NLB", subnets="public")
    uid, address, want = subject.uid, subject.address, ids(subject, "spare_public")
    result = prove(subject, "ingress_lb_subnets", subnets={"ids": want}, effectuate=way, **NOW).applied
    assert (result["planned"]["verdict"], result["disruption"], result["pending"]) == ("recreate", "outage", [])
    assert subject.uid != uid
    assert subject.address != address
    assert result["after"]["addresses"] == [subject.address]
    assert subject.annotations[AWS_SUBNETS] == ",".join(want)
    assert subject.condition()[0] == "False"
    assert subject.armed is None


def test_the_writes_of_both_ways(ingress: NewIngress) -> None:
    """SUB-6: spec and then annotation on and off, or spec and one delete; nothing else, counted at the server."""
    subject = ingress(type="NLB", subnets="public")
    options = {"subnets": {"ids": ids(subject, "spare_public")}, **NOW}
    assert written(subject, "ingress_lb_subnets", effectuate="operator", **options) == [("patch", IC)] * 3
    options["subnets"] = {"ids": ids(subject, "public")}
    assert written(subject, "ingress_lb_subnets", effectuate="delete", **options) == [
        ("patch", IC),
        ("delete", SERVICE),
    ]


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_type_scope_subnets_and_elastic_ips_at_once(ingress: NewIngress, version: str, way: str) -> None:
    """CORE-9, SUB-12: four changes, one recreation."""
    subject = ingress(version, type="Classic", subnets="private", scope="Internal")
    uid = subject.uid
    want, eips = ids(subject, "public")[:2], list(subject.cluster.aws.eips[:2])
    options = {"lb_type": "NLB", "scope": "External", "subnets": {"ids": want}, "eip_allocations": eips}
    proven = prove(subject, "ingress_lb_subnets", effectuate=way, **options, **NOW)
    assert pending(proven.checked) == ["scope", TYPE, "subnets", "eipAllocations"]
    assert len([step for step in proven.applied["steps"] if step["point_of_no_return"]]) == 1
    found = subject.annotations
    assert (found[AWS_TYPE], found[AWS_SUBNETS], found[AWS_EIPS]) == ("nlb", ",".join(want), ",".join(eips))
    assert AWS_INTERNAL not in found
    assert subject.uid != uid


def test_the_old_type_in_place_costs_one_load_balancer_not_two(ingress: NewIngress) -> None:
    """CORE-9 up to 4.21: armed by the patch that changes the type, so that AWS leaks none."""
    subject = ingress("4.21", type="Classic", subnets="public", moto=True)
    address = subject.address
    subject.cluster.requests.reset()
    want = {"lb_type": "NLB", "subnets": {"ids": ids(subject, "spare_public")}}
    proven = prove(subject, "ingress_lb_subnets", effectuate="operator", **want, **NOW)
    assert [step["verb"] for step in proven.applied["steps"]] == ["patch", "wait", "patch"]
    assert (subject.annotations[AWS_TYPE], subject.armed) == ("nlb", None)
    classic = subject.cluster.clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    assert address not in [balancer["DNSName"] for balancer in classic]


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("version", ["4.21", "4.23"])
def test_what_was_reported_is_effectuated_later(ingress: NewIngress, version: str, way: str) -> None:
    """CORE-9: lb_effectuate carries out what two tasks left pending, as one recreation."""
    subject = ingress(version, type="NLB", subnets="public")
    uid = subject.uid
    subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "private")})
    subject.run("slb_scope", scope="Internal")
    proven = prove(subject, "lb_effectuate", changes=["scope", "subnets"], effectuate=way, **NOW)
    assert pending(proven.checked) == ["scope", "subnets"]
    assert subject.uid != uid
    assert (subject.annotations[AWS_INTERNAL], subject.armed) == ("true", None)
    assert proven.again["verdict"] == "in_sync"


def test_all_pending_on_request(ingress: NewIngress) -> None:
    """CORE-9: `changes: [all]` asks for whatever is pending."""
    subject = ingress(type="Classic")
    subject.patch_lb(scope="Internal", providerParameters={"type": "AWS", "aws": {"type": "NLB"}})
    subject.settle()
    proven = prove(subject, "lb_effectuate", changes=["all"], effectuate="operator", **NOW)
    assert pending(proven.checked) == ["scope", TYPE]
    assert subject.annotations[AWS_TYPE] == "nlb"


def test_the_default_lists_and_does_nothing(ingress: NewIngress) -> None:
    """Issue item 2: report first, also of what was not asked for."""
    subject = ingress(type="NLB", subnets="public")
    subject.patch_lb(scope="Internal")
    subject.settle()
    result = prove(subject, "lb_effectuate").applied
    assert (result["verdict"], result["disruption"], result["changed"]) == ("recreate", "outage", False)
    assert [(entry["field"], entry["asked"]) for entry in result["pending"]] == [("scope", False)]
    assert "scope External → Internal" in result["message"]
    assert result["commands"][0] == f"oc -n openshift-ingress delete svc/{subject.service_name}"


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("asked", [[], ["subnets"], ["scope"]])
def test_refuses_what_was_not_asked_for(ingress: NewIngress, asked: list[str], way: str) -> None:
    """CORE-3: level-triggered, so one foreign difference blocks the recreation; nothing is written."""
    subject = ingress(type="NLB", subnets="public")
    uid = subject.uid
    subject.patch_lb(scope="Internal", providerParameters={"aws": {"type": "Classic"}})
    subject.settle()
    result = refused(subject, "lb_effectuate", changes=asked, effectuate=way, **NOW)
    assert result["verdict"] == "blocked"
    assert TYPE in finding(result, "unasked_changes")["what"]
    assert subject.uid == uid


@pytest.mark.parametrize("module", ["ingress_lb_subnets", "slb_scope"])
def test_the_modules_refuse_a_foreign_difference_too(ingress: NewIngress, module: str) -> None:
    """CORE-3: the modules' own effectuate goes through the same code."""
    subject = ingress(type="NLB", subnets="public")
    subject.annotate(subnets=",".join(ids(subject, "private")))
    if module == "ingress_lb_subnets":
        subject.patch_lb(scope="Internal")
        options: dict[str, Any] = {"subnets": {"ids": ids(subject, "spare_public")}}
    else:
        options = {"scope": "Internal"}
    subject.settle()
    result = refused(subject, module, effectuate="delete", **options, **NOW)
    assert "unasked_changes" in codes(result, "error")


def test_nothing_asked_and_nothing_needed_is_no_trouble(ingress: NewIngress) -> None:
    """CORE-4: what is in force already needs no recreation, so somebody else's pending change does not matter."""
    subject = ingress(type="NLB", subnets="public")
    subject.patch_lb(scope="Internal")
    subject.settle()
    result = prove(
        subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")}, effectuate="delete", **NOW
    ).applied
    assert (result["verdict"], result["changed"]) == ("in_sync", False)
    assert "foreign_pending" in codes(result)


def test_auto_delete_that_was_there_before_stays(ingress: NewIngress) -> None:
    """SUB-6: removed afterwards unless it was there before."""
    subject = ingress(type="NLB", subnets="public")
    subject.arm("by the platform team")
    want = ids(subject, "spare_public")
    prove(subject, "ingress_lb_subnets", subnets={"ids": want}, effectuate="operator", **NOW)
    assert subject.armed == "by the platform team"
    assert subject.annotations[AWS_SUBNETS] == ",".join(want)


@pytest.mark.parametrize("version", ["4.21", "4.22"])
def test_an_armed_reordering_is_listed_before_it_takes_effect(ingress: NewIngress, version: str) -> None:
    """SUB-4, CORE-3: from 4.22 an order differs as raw string; our arming must not take the load balancer for it."""
    subject = ingress(version, type="NLB", subnets="public")
    subject.patch_lb(
        providerParameters={"aws": {"networkLoadBalancer": {"subnets": {"ids": ids(subject, "public")[::-1]}}}}
    )
    subject.settle()
    uid = subject.uid
    result = prove(subject, "lb_effectuate", changes=["all"], effectuate="operator", **NOW).applied
    assert (result["verdict"], result["changed"], subject.uid) == ("in_sync", False, uid)
