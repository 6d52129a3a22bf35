# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways past the gate, closed: what is disrupted is what was reviewed, by one run at a time (CORE-11, CORE-13)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import micro_time
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AUTO_DELETE,
    OPERATOR_NAMESPACE,
)

from .conftest import NewIngress, NewService
from .proofs import codes, finding
from .test_conflicts import ids, meanwhile
from .workplace import Ingress

NOW = {"allow_disruption": "outage"}
LEASES = "leases.coordination.k8s.io"


def subnets_patch(subject: Ingress, row: str) -> dict[str, Any]:
    params = {"networkLoadBalancer": {"subnets": {"ids": ids(subject, row)}}}
    aws = {"type": "AWS", "aws": {"type": "NLB", **params}}
    return {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"providerParameters": aws}}}}


def leases(subject: Ingress) -> list[str]:
    """Of this one; runs that other tests killed leave theirs to expire."""
    found = [one["metadata"]["name"] for one in subject.cluster.api.list(LEASES, OPERATOR_NAMESPACE)["items"]]
    return [name for name in found if name.endswith(f"-{subject.name}")]


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_a_change_made_while_we_were_asking_is_not_effectuated_unasked(ingress: NewIngress, way: str) -> None:
    """Safe ingress 2: also when the disruptive step is the first one of the plan."""
    subject = ingress(type="NLB", subnets="public")
    subject.run("slb_scope", scope="Internal")
    uid = subject.uid
    with meanwhile(subject, "create", LEASES, lambda: subject.patch(subnets_patch(subject, "spare_public"))):
        result = subject.run("lb_effectuate", changes=["scope"], effectuate=way, **NOW)
    assert result["failed"], result
    assert finding(result, "unasked_changes")
    assert (subject.uid, subject.armed) == (uid, None)
    assert leases(subject) == []


def test_the_service_of_an_operator_that_was_frozen_meanwhile_stays(ingress: NewIngress) -> None:
    """Safe ingress 2: deleted under a frozen operator it would never come back."""
    subject = ingress(type="NLB", subnets="public", eips=3)
    subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")})
    uid = subject.uid
    freezing = {"scope": "Internal", "providerParameters": {"aws": {"networkLoadBalancer": {"eipAllocations": None}}}}
    patch = {"spec": {"endpointPublishingStrategy": {"loadBalancer": freezing}}}
    with meanwhile(subject, "create", LEASES, lambda: subject.patch(patch)):
        result = subject.run("lb_effectuate", changes=["subnets"], effectuate="delete", **NOW)
    assert result["failed"], result
    assert subject.uid == uid


@pytest.mark.parametrize("claim", [{"version": "4.22"}, {"platform": "Azure"}, {"version": "4.22", "platform": "AWS"}])
def test_options_cannot_switch_the_gate_off(ingress: NewIngress, claim: dict[str, str]) -> None:
    """Safe ingress 3: on 4.21 a type change is an outage, whatever the task says of the cluster."""
    subject = ingress("4.21", type="Classic")
    change = {"scope": "Internal"} if "platform" in claim and len(claim) == 1 else {"lb_type": "NLB"}
    module = "slb_scope" if "scope" in change else "ingress_lb_subnets"
    before = subject.lb
    result = subject.run(module, **change, **claim, allow_disruption="brief")
    assert (result["failed"], result["error_code"]) == (True, "misconfigured")
    assert "was given, and the cluster says" in result["msg"]
    assert (subject.lb, subject.writes()) == (before, [])


def test_what_is_claimed_rightly_goes_through(ingress: NewIngress) -> None:
    subject = ingress("4.22", type="NLB")
    result = subject.run("slb_scope", scope="Internal", version="4.22.3", platform="AWS")
    assert not result.get("failed"), result.get("msg")
    assert subject.lb["scope"] == "Internal"


def test_nothing_goes_while_nobody_could_bring_it_back(ingress: NewIngress) -> None:
    """Safe ingress 7: the operator is seen alive before the Service is deleted."""
    subject = ingress(type="NLB")
    subject.run("slb_scope", scope="Internal")
    uid, api = subject.uid, subject.cluster.api
    place = ("deployments.apps", OPERATOR_NAMESPACE, "ingress-operator")
    api.patch(*place, {"status": {"availableReplicas": 0}}, subresource="status")
    try:
        result = subject.run("lb_effectuate", changes=["scope"], effectuate="delete", **NOW)
    finally:
        api.patch(*place, {"status": {"availableReplicas": 1}}, subresource="status")
    assert (result["failed"], result["error_code"], subject.uid) == (True, "not_ready", uid)
    assert "nobody would recreate the Service" in result["msg"]


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_two_runs_at_once_are_one_recreation(ingress: NewIngress, way: str) -> None:
    """Safe ingress 8: the other one is told who and since when, or finds it done."""
    subject = ingress(type="NLB", subnets="public")
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": way, **NOW}
    uids: set[Any] = {subject.uid}
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(subject.run, "ingress_lb_subnets", **options) for _number in range(2)]
        while not all(run.done() for run in runs):
            uids |= {dig(subject.service(), "metadata", "uid")}
        results = [run.result() for run in runs]
    uids.add(subject.uid)
    refused = [one for one in results if one.get("failed")]
    assert len(refused) <= 1, results
    for one in refused:
        assert one["error_code"] == "locked"
        assert "since 20" in one["msg"]
    assert len(uids - {None}) == 2
    assert (subject.armed, leases(subject)) == (None, [])


def test_a_plain_service_is_locked_too(plain: NewService) -> None:
    subject = plain("AWS")
    options = {"scope": "Internal", "effectuate": "delete", **NOW}
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(subject.run, "slb_scope", **options) for _number in range(2)]
        results = [run.result() for run in runs]
    assert sum(bool(one.get("failed")) for one in results) <= 1, results
    assert all(one["error_code"] == "locked" for one in results if one.get("failed"))
    deleted = [one for one in subject.writes() if one == ("delete", "services")]
    assert len(deleted) == 1


def test_a_service_that_comes_back_as_it_was_is_not_deleted_again(ingress: NewIngress) -> None:
    """Safe ingress 6: whoever changes the new one is a finding, not a reason to delete it ten times."""
    subject = ingress(type="NLB", subnets="public")
    old = subject.uid

    def spoil() -> None:
        subject.wait_for(lambda: subject.service() is not None and subject.uid != old, "the new Service")
        subject.annotate(subnets=",".join(ids(subject, "public")))

    with ThreadPoolExecutor(1) as pool:
        spoiling = pool.submit(spoil)
        subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")}, effectuate="delete", **NOW)
        spoiling.result()
    assert subject.writes().count(("delete", "services")) == 1


def test_a_run_under_way_is_told_from_one_that_was_stopped(ingress: NewIngress) -> None:
    """Safe ingress 8: check mode does not speak of a stopped run while another one is at work."""
    subject = ingress(type="NLB", subnets="public")
    with ThreadPoolExecutor(1) as pool, running_elsewhere(subject):
        looked = pool.submit(subject.run, "slb_scope", check=True, scope="Internal").result()
    assert (looked["failed"], looked["error_code"]) == (True, "blocked")
    assert finding(looked, "locked")["value"] == "ann on far"
    assert "left_armed" not in codes(looked)
    subject.patch({"metadata": {"annotations": {AUTO_DELETE: None}}})


@contextmanager
def running_elsewhere(subject: Ingress) -> Iterator[None]:
    """The marks of a run on another machine that is alive."""
    now = micro_time(time.time())
    spec = {"holderIdentity": "ann on far", "leaseDurationSeconds": 60, "acquireTime": now, "renewTime": now}
    name = f"lb-estate-ingresscontroller-{subject.name}"
    subject.cluster.api.seed(LEASES, {"metadata": {"name": name, "namespace": OPERATOR_NAMESPACE}, "spec": spec})
    subject.patch({"metadata": {"annotations": {AUTO_DELETE: "edgeworks.lb_estate/0123456789abcdef"}}})
    yield
    subject.cluster.api.delete(LEASES, OPERATOR_NAMESPACE, name)
