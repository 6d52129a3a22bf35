# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input all at once, Services of somebody else, missing rights, other runs, and secrets (CORE-7, CORE-12)."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove, refused
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import ACCESS, PlainService
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .conftest import NewClassed, Shared
from .workplace import MODULE, MOVED, OUTAGE, WATCHED

FLIP: dict[str, Any] = {"way": "type_flip", **OUTAGE}
BESIDE: dict[str, Any] = {"way": "side_by_side"}


def test_every_problem_of_the_options_at_once(classed: NewClassed) -> None:
    subject = classed()
    result = refused(
        subject,
        MODULE,
        lb_class="Bad/LoadBalancerClass",
        known_classes={"a/b/c": 3},
        allow_unwatched="another",
        suffix="Next",
        traffic_moved=True,
        unwatched_after=0,
        wait_timeout=0,
    )
    assert [entry["where"] for entry in result["findings"]] == [
        "lb_class",
        "known_classes",
        "known_classes",
        "allow_unwatched",
        "suffix",
        "traffic_moved_because",
        "traffic_moved",
        "unwatched_after",
        "wait_timeout",
    ]
    assert (result["verdict"], len(subject.cluster.requests)) == ("invalid", 0)
    assert all(entry["remedy"] for entry in result["findings"])


@pytest.mark.parametrize("name", ["", "Bad/LoadBalancerClass", "a/b/c", "-", "x" * 64])
def test_a_name_that_the_api_would_refuse(classed: NewClassed, name: str) -> None:
    """CLS-2: the server says the same of it."""
    subject = classed()
    assert refused(subject, MODULE, lb_class=name)["findings"][0]["where"] == "lb_class"
    other = PlainService(subject.cluster, "never-made")
    with pytest.raises(Exception, match="loadBalancerClass"):
        other.create(loadBalancerClass=name)


def test_a_routers_service_is_the_operators(lab: Lab) -> None:
    cluster = lab.clusters.get("class-router") or lab.cluster("class-router", ingress=(IngressSpec(),), moto=False)
    subject = PlainService(cluster, "router-default", "openshift-ingress")
    told = finding(refused(subject, MODULE, lb_class=WATCHED, **FLIP), "operator_owned")
    assert "IngressController 'default'" in told["what"]


def test_a_service_that_another_object_controls(classed: NewClassed) -> None:
    subject = classed()
    made = subject.cluster.api.seed("configmaps", {"metadata": {"name": subject.service_name, "namespace": "shop"}})
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": subject.service_name, "uid": made["metadata"]["uid"]}
    subject.patch_service({"metadata": {"ownerReferences": [{**owner, "controller": True}]}})
    told = finding(refused(subject, MODULE, lb_class=WATCHED, **FLIP), "operator_owned")
    assert f"ConfigMap {subject.service_name} owns it" in told["what"]


def test_what_it_is_not_for(shared: Shared) -> None:
    cluster = shared()
    assert "not_found" in codes(refused(PlainService(cluster, "nowhere"), MODULE, lb_class=WATCHED, **FLIP))
    subject = PlainService(cluster, "inside")
    subject.create(type="ClusterIP")
    try:
        assert "not_a_load_balancer" in codes(refused(subject, MODULE, lb_class=WATCHED, **FLIP))
    finally:
        subject.remove()


def test_a_second_service_of_that_name_that_is_not_ours(classed: NewClassed) -> None:
    subject = classed()
    subject.second.create()
    assert "successor_foreign" in codes(refused(subject, MODULE, lb_class=WATCHED, **BESIDE))


def test_traffic_cannot_have_moved_yet(classed: NewClassed) -> None:
    subject = classed()
    assert "not_moved" in codes(refused(subject, MODULE, lb_class=WATCHED, **BESIDE, **MOVED))


def test_a_second_service_of_another_class(classed: NewClassed) -> None:
    subject = classed()
    subject.change(lb_class=WATCHED, **BESIDE)
    given = {"lb_class": "example.com/other", "known_classes": {"example.com/other": "us"}}
    assert "successor_differs" in codes(refused(subject, MODULE, **given, **BESIDE))


def test_without_endpoints_it_does_not_serve(classed: NewClassed) -> None:
    """CLS-3: an address alone is not enough to hand traffic over to."""
    subject = classed(endpoints=False)
    result = subject.run(MODULE, lb_class=WATCHED, wait_timeout=1, **BESIDE)
    assert (result["error_code"], "ready endpoint" in result["msg"]) == ("timeout", True)
    assert "not_moved" in codes(refused(subject, MODULE, lb_class=WATCHED, **BESIDE, **MOVED))


def test_another_owner_is_told_and_its_mark_is_not_copied(classed: NewClassed) -> None:
    """CORE-6"""
    subject = classed()
    subject.patch_service({"metadata": {"labels": {"argocd.argoproj.io/instance": "shop", "app": "front"}}})
    result = prove(subject, MODULE, lb_class=WATCHED, **BESIDE).applied
    assert "Argo CD" in finding(result, "other_owner")["what"]
    assert subject.second.live()["metadata"]["labels"] == {"app": "front"}


def test_missing_rights_are_all_told_before_the_first_write(classed: NewClassed) -> None:
    """CORE-13; and without the right to rehearse, nobody knows whether the server keeps the class."""
    subject = classed()
    result = subject.run(MODULE, user="reader", lb_class=WATCHED, **FLIP)
    assert (result["failed"], "class_unproven" in codes(result), subject.writes()) == (True, True, [])
    told = subject.run(MODULE, user="reader", check=True, lb_class=WATCHED)
    assert "class_unproven" in codes(told)


def test_two_runs_at_once(classed: NewClassed) -> None:
    """CORE-11: one changes it, the other one is told who does."""
    subject = classed()
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    results: list[dict[str, Any]] = []
    first = threading.Thread(target=lambda: results.append(subject.run(MODULE, lb_class=WATCHED, **FLIP)))
    first.start()
    subject.wait_for(lambda: subject.live()["spec"]["type"] == "NodePort", "the flip to begin")
    second = subject.run(MODULE, lb_class=WATCHED, **FLIP)
    assert second["failed"]
    assert "locked" in (second["error_code"], *codes(second))
    subject.cluster.cloud_faults.clear()
    first.join()
    assert (results[0].get("failed"), subject.lb_class) == (None, WATCHED)


@pytest.mark.parametrize("given", [FLIP, BESIDE, {"way": "recreate", **OUTAGE}])
def test_no_secret_in_a_result(classed: NewClassed, given: dict[str, Any]) -> None:
    """CORE-12"""
    subject = classed(moto=True)
    told = json.dumps(
        [subject.run(MODULE, check=check, aws=True, lb_class=WATCHED, **given) for check in (True, False)]
    )
    kubeconfig = subject.cluster.kubeconfig.read_text(encoding="utf-8")
    secrets = [
        line.split(":", 1)[1].strip() for line in kubeconfig.splitlines() if "token:" in line or "key-data:" in line
    ]
    assert not [secret for secret in (ACCESS["secret_key"], *secrets) if secret and secret in told]


def test_idle_costs_three_requests(classed: NewClassed) -> None:
    subject = classed(lb_class=WATCHED)
    subject.change(lb_class=WATCHED)
    assert len(subject.cluster.requests) == 3


def test_a_reviewed_plan_is_carried_out_and_no_other(classed: NewClassed) -> None:
    """CORE-8"""
    subject = classed()
    plan = subject.run(MODULE, check=True, lb_class=WATCHED, **FLIP)["fingerprint"]
    stale = subject.run(MODULE, lb_class=WATCHED, fingerprint=plan, way="recreate", **OUTAGE)
    assert stale["error_code"] == "stale_plan"
    assert subject.change(lb_class=WATCHED, fingerprint=plan, **FLIP)["verdict"] == "in_sync"
