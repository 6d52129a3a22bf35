# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every undo of a result, carried out: it leads back, says its cost, ends at the point of no return (CORE-2)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step, from_data
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube

from .conftest import At, NewIngress, NewService
from .test_conflicts import ids
from .workplace import Ingress, Subject, next_name

NOW = {"allow_disruption": "outage"}


def taken_back(subject: Subject, result: dict[str, Any]) -> list[str]:
    """Carries the undo out, as a person would, and tells what each of its steps says it costs."""
    steps = [from_data(Step, step) for step in result["undo"]]
    with Kube.connect({"kubeconfig": str(subject.cluster.kubeconfig)}, environ={}) as kube:
        for step in steps:
            kube.do(step)
            if (step.verb, step.resource) == ("delete", "services"):
                subject.wait_for(lambda: subject.service() is None, "the Service to be gone, as oc delete waits for it")
    return [step.disruption.value for step in steps]


def test_a_pending_change_is_cancelled(ingress: NewIngress) -> None:
    subject = ingress(type="NLB", subnets="public")
    before, annotations = subject.lb, subject.annotations
    result = subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")}, scope="Internal")
    assert subject.lb != before
    assert taken_back(subject, result) == ["none"]
    subject.settle()
    assert (subject.lb, subject.annotations, subject.condition()[0]) == (before, annotations, "False")


def test_a_change_in_place_goes_back_in_place_and_costs_the_same(ingress: NewIngress, plain: NewService) -> None:
    for subject in (ingress(platform="Azure"), plain("Azure")):
        before = subject.annotations
        result = subject.run("slb_scope", scope="Internal", allow_disruption="brief")
        assert subject.annotations != before
        assert taken_back(subject, result) == ["brief"]
        subject.wait_for(lambda one=subject, old=before: one.annotations == old, "the annotations from before")


def test_a_new_ingress_controller_is_removed_again(at: At) -> None:
    cluster = at("AWS", "4.22")
    subject = Ingress(cluster, next_name("undo"))
    result = subject.run("ingress_lb_subnets", domain=f"{subject.name}.example.com", scope="Internal", lb_type="NLB")
    assert result["changed"], result
    assert taken_back(subject, result) == ["outage"]  # its load balancer goes with it
    subject.wait_for(lambda: subject.service() is None, "its Service to be gone")


def test_annotations_of_a_rescue_go_back(ingress: NewIngress) -> None:
    subject = ingress(type="NLB", subnets="public")
    subject.annotate(subnets="one,one")
    spoilt = subject.annotations
    subject.wait_for(lambda: any(subject.name in line for line in subject.cluster.operator.log), "the operator's log")
    result = subject.run("lb_effectuate", unfreeze=True)
    assert subject.annotations != spoilt
    taken_back(subject, result)
    assert subject.annotations == spoilt
    subject.run("lb_effectuate", unfreeze=True)


def test_a_manifest_kept_for_nothing_is_forgotten(plain: NewService) -> None:
    """The deletion never came: the Service stands, so its copy may go."""
    subject = plain("AWS")
    subject.cluster.faults.add("error", verb="delete", resource="services", status=403)
    result = subject.run("slb_scope", scope="Internal", effectuate="delete", **NOW)
    subject.cluster.faults.clear()
    assert (result["failed"], len(result["undo"])) == (True, 1)
    assert taken_back(subject, result) == ["none"]
    again = subject.run("slb_scope", scope="External")
    assert (again["changed"], subject.service() is not None) == (False, True)


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_past_the_point_of_no_return_there_is_nothing_to_take_back(ingress: NewIngress, way: str) -> None:
    subject = ingress(type="NLB", subnets="public")
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": way, **NOW}
    assert subject.run("ingress_lb_subnets", **options)["undo"] == []


def test_a_plain_service_comes_back_as_it_was_at_the_same_cost(plain: NewService) -> None:
    """Safe ingress 16: the old load balancer is gone for good; its Service is made again from its manifest."""
    subject = plain("AWS")
    before, spec = subject.annotations, subject.live()["spec"]
    result = subject.run("slb_scope", scope="Internal", effectuate="delete", **NOW)
    assert subject.annotations != before
    assert taken_back(subject, result) == ["outage", "none"]
    assert (subject.annotations, subject.live()["spec"]) == (before, spec)
