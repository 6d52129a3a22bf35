# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A failure stays one until it is mended, and a result tells what is: no false all-clear (CORE-14; Safe ingress 9)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.records import ProviderError

from .conftest import NewIngress, NewService
from .proofs import codes, finding, prove
from .workplace import Ingress, Subject

NOW = {"effectuate": "operator", "allow_disruption": "outage"}
FOR_GOOD = "could not find any suitable subnets for creating the ELB"
MAY_PASS = "InternalError: try again"
PROTECTED = "OperationNotPermitted: load balancer cannot be deleted because deletion protection is enabled"
# The four modules, each as somebody who only wants to know how things are would run it.
LOOKS: dict[str, dict[str, Any]] = {
    "ingress_lb_subnets": {},
    "slb_scope": {"scope": "Internal"},
    "lb_effectuate": {},
}


def broken(subject: Ingress, text: str) -> None:
    """A recreation that the cloud does not carry out."""
    subject.cluster.cloud_faults.fail_ensure(text, service=subject.service_name)
    result = subject.run("slb_scope", scope="Internal", **{**NOW, "wait_timeout": 2})
    assert result["failed"]
    subject.wait_for(lambda: subject.cluster.events(subject.service_name, "SyncLoadBalancerFailed"), "the event")


def row(subject: Ingress) -> dict[str, Any]:
    found = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")["targets"]
    (mine,) = [entry for entry in found if entry["name"] == subject.name]
    return dict(mine)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("module", LOOKS)
@pytest.mark.parametrize("wait", [False, True])
def test_a_re_run_after_a_failure_fails_with_its_cause(
    ingress: NewIngress, module: str, check: bool, wait: bool
) -> None:
    subject = ingress(type="NLB")
    broken(subject, FOR_GOOD)
    result = subject.run(module, check=check, wait=wait, **LOOKS[module])
    assert (result.get("failed"), result["changed"], result["verdict"]) == (True, False, "blocked")
    found = finding(result, "no_suitable_subnets")
    assert FOR_GOOD in found["what"]
    assert " s ago)" in found["what"]
    assert "role/elb" in found["remedy"]
    assert result["message"].startswith("Ingress is down: ")


def test_the_radar_says_so_too(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    broken(subject, FOR_GOOD)
    found = row(subject)
    assert (found["verdict"], "no_suitable_subnets" in found["codes"]) == ("blocked", True)
    assert found["message"].startswith("Ingress is down: ")


@pytest.mark.parametrize("check", [False, True])
def test_what_may_pass_fails_only_those_who_do_not_wait(ingress: NewIngress, check: bool) -> None:
    subject = ingress(type="NLB")
    broken(subject, MAY_PASS)
    result = subject.run("slb_scope", check=check, scope="Internal", wait=False)
    assert (result["failed"], result["changed"], result["error_code"]) == (True, False, "lb_refused")
    assert MAY_PASS in result["msg"]
    if not check:
        again = subject.run("slb_scope", scope="Internal", wait_timeout=1)
        assert (again["error_code"], again["changed"]) == ("timeout", False)
        assert MAY_PASS in again["msg"]
        subject.cluster.cloud_faults.clear()
        mended = subject.run("slb_scope", scope="Internal")
        assert (mended.get("failed"), mended["changed"], mended["verdict"]) == (None, False, "in_sync")
        assert [step["verb"] for step in mended["steps"]] in ([], ["wait"])  # as quick as the cloud was


def test_nobody_locks_or_writes_to_wait(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    broken(subject, MAY_PASS)
    subject.cluster.requests.reset()
    subject.run("slb_scope", scope="Internal", wait_timeout=1)
    assert subject.cluster.requests.writes() == []


def test_what_is_still_being_made_is_in_progress_and_is_waited_for(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.hold_ensure(subject.service_name)
    first = subject.run("slb_scope", scope="Internal", wait=False, **NOW)
    assert (first.get("failed"), first["verdict"]) == (None, "in_progress")
    assert first["message"].startswith("Ingress is down: its load balancer has no address")
    again = subject.run("slb_scope", check=True, scope="Internal")
    assert (again.get("failed"), again["verdict"], "lb_pending" in codes(again)) == (None, "in_progress", True)
    subject.cluster.cloud_faults.clear()
    assert subject.run("slb_scope", scope="Internal")["verdict"] == "in_sync"


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_a_failed_task_tells_the_cluster_as_it_is_now(ingress: NewIngress, way: str) -> None:
    """Its commands told to delete the Service that was just recreated: a second outage."""
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.fail_ensure(FOR_GOOD, service=subject.service_name)
    result = subject.run("slb_scope", scope="Internal", effectuate=way, allow_disruption="outage")
    assert (result["failed"], result["changed"], result["error_code"]) == (True, True, "wait_failed")
    assert (result["commands"], result["pending"], result["after"]["addresses"]) == ([], [], [])
    assert (result["verdict"], result["planned"]["verdict"]) == ("blocked", "recreate")
    assert result["revert_patch"]["spec"]["endpointPublishingStrategy"]["loadBalancer"]["scope"] == "External"
    assert (result["revert_disruption"], result["disruption"]) == ("outage", "outage")
    assert {"no_suitable_subnets", "wait_failed"} <= set(codes(result))


def test_after_a_success_nothing_is_left_over_from_the_plan(ingress: NewIngress) -> None:
    subject = ingress(type="NLB", moto=True)
    subject.patch_lb(scope="Internal")
    subject.settle()
    before = subject.run("lb_effectuate", check=True, changes=["scope"], **NOW, aws=True)
    assert "latent_change" in codes(before)
    assert "would be recreated" in before["message"]
    result = subject.run("lb_effectuate", changes=["scope"], **NOW, aws=True)
    assert (result["verdict"], result["pending"], result["commands"]) == ("in_sync", [], [])
    assert result["message"] == "Spec, Service and load balancer agree with what is wanted."
    assert "latent_change" not in codes(result)
    assert (result["planned"]["verdict"], result["disruption"], result["revert_disruption"]) == (
        "recreate",
        "outage",
        "outage",
    )
    subject.patch(result["revert_patch"])
    subject.settle()
    assert subject.condition()[0] == "True"  # back on the way to External


def test_subnets_that_were_just_set_are_not_called_unlisted(ingress: NewIngress) -> None:
    subject = ingress(type="NLB", moto=True)
    wanted = {"subnets": {"ids": list(subject.cluster.aws.public.values())}}
    assert "subnets_auto_discovered" in codes(subject.run("ingress_lb_subnets", check=True, aws=True, **wanted, **NOW))
    result = subject.run("ingress_lb_subnets", aws=True, **wanted, **NOW)
    assert "subnets_auto_discovered" not in codes(result)


# -- a Service on its way out -----------------------------------------------------------------------------------------


def going(subject: Subject) -> bool:
    return bool(dig(subject.service(), "metadata", "deletionTimestamp"))


@pytest.fixture
def leaving(ingress: NewIngress) -> Ingress:
    """Deleted by hand, with a change pending; the cloud does not come to an end with it."""
    subject = ingress(type="NLB")
    subject.patch_lb(scope="Internal")
    subject.settle()
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    subject.cluster.api.delete("services", subject.namespace, subject.service_name)
    subject.wait_for(lambda: going(subject), "the Service to be going")
    subject.cluster.requests.reset()
    return subject


@pytest.mark.parametrize("way", ["report", "operator", "delete"])
def test_an_outage_in_progress_is_called_one_and_nothing_is_taken_twice(leaving: Ingress, way: str) -> None:
    options = {"scope": "Internal", "effectuate": way, "allow_disruption": "outage"}
    checked = leaving.run("slb_scope", check=True, **options)
    assert (checked["verdict"], checked["changed"], checked["pending"]) == ("in_progress", False, [])
    assert checked["message"].startswith("Ingress is down: its Service is being deleted")
    assert "disrupted" not in checked["message"]
    result = leaving.run("slb_scope", wait_timeout=1, **options)
    assert (result["failed"], result["changed"], leaving.writes()) == (True, False, [])
    assert "service.kubernetes.io/load-balancer-cleanup" in result["msg"]
    assert (leaving.armed, result["commands"]) == (None, [])
    leaving.cluster.cloud_faults.clear()
    assert leaving.run("slb_scope", **options)["verdict"] == "in_sync"


def test_what_keeps_the_old_one_is_quoted_from_its_own_events(leaving: Ingress) -> None:
    leaving.cluster.cloud_faults.clear()
    leaving.wait_for(lambda: leaving.service() and not going(leaving), "the new one")
    leaving.settle()
    leaving.cluster.cloud_faults.fail_delete(PROTECTED, service=leaving.service_name)
    result = leaving.run("slb_scope", scope="External", **NOW)
    assert (result["failed"], result["error_code"]) == (True, "wait_failed")
    assert PROTECTED in result["msg"]
    again = leaving.run("slb_scope", check=True, scope="External", **NOW)
    assert (again["failed"], again["verdict"]) == (True, "blocked")
    assert PROTECTED in finding(again, "lb_stuck")["what"]
    assert "lb_stuck" in row(leaving)["codes"]


# -- the operator's own word ------------------------------------------------------------------------------------------


class NoDns:
    """Zones that take no record."""

    def publish(self, zone_id: str, record: Any) -> None:
        raise ProviderError("AccessDenied: route53:ChangeResourceRecordSets")

    def remove(self, zone_id: str, record: Any) -> None:
        """Nothing is there."""


def test_success_is_not_called_before_the_operator_does(lab: Any) -> None:
    """Failing DNS keeps Available=False while the Service looks fine; radar and tasks read it."""
    cluster = lab.cluster("words-dns", "AWS")
    subject = Ingress(cluster, "default")
    subject.settle()
    cluster.operator.operator.records.provider = NoDns()
    result = subject.run("slb_scope", scope="Internal", **{**NOW, "wait_timeout": 3})
    assert (result["failed"], result["error_code"]) == (True, "timeout")
    assert "the operator to call it available" in result["msg"]
    assert "DNSReady=False" in result["msg"]
    subject.wait_for(lambda: subject.condition("Degraded")[0] == "True", "the operator to call it degraded")
    again = subject.run("slb_scope", check=True, scope="Internal")
    assert (again["failed"], again["verdict"]) == (True, "in_progress")
    assert "DNSReady=False" in finding(again, "ingress_unavailable")["what"]
    found = row(subject)
    assert (found["verdict"], set(found["codes"]) >= {"ingress_unavailable", "ingress_degraded"}) == (
        "in_progress",
        True,
    )


# -- plain Services ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", [False, True])
def test_a_plain_service_is_no_all_clear_either(plain: NewService, check: bool) -> None:
    subject = plain()
    subject.cluster.cloud_faults.fail_ensure(FOR_GOOD, service=subject.service_name)
    options = {"scope": "Internal", "effectuate": "delete", "allow_disruption": "outage"}
    assert subject.run("slb_scope", **options)["failed"]
    assert subject.saved() is not None
    result = subject.run("slb_scope", check=check, **options)
    assert (result["failed"], result["changed"], result["verdict"]) == (True, False, "blocked")
    assert FOR_GOOD in finding(result, "no_suitable_subnets")["what"]
    assert subject.saved() is not None, "what brings it back is kept until it serves"


def test_a_plain_service_that_comes_is_waited_for_and_then_tidied_up(plain: NewService) -> None:
    subject = plain()
    subject.cluster.cloud_faults.fail_ensure(MAY_PASS, service=subject.service_name)
    options = {"scope": "Internal", "effectuate": "delete", "allow_disruption": "outage"}
    assert subject.run("slb_scope", wait_timeout=1, **options)["error_code"] == "timeout"
    subject.cluster.cloud_faults.clear()
    result = subject.run("slb_scope", **options)
    assert (result.get("failed"), result["verdict"], subject.saved()) == (None, "in_sync", None)
    assert prove(subject, "slb_scope", **options).again["verdict"] == "in_sync"


def test_a_change_in_place_that_failed_is_not_in_sync(ingress: NewIngress) -> None:
    """It has an address, and it is the old one."""
    subject = ingress("4.22", "GCP")
    subject.cluster.cloud_faults.fail_ensure(FOR_GOOD, service=subject.service_name)
    assert subject.run("slb_scope", scope="Internal", allow_disruption="brief")["failed"]
    result = subject.run("slb_scope", check=True, scope="Internal")
    assert (result["failed"], result["verdict"]) == (True, "blocked")
    assert result["message"].startswith("Ingress still has the old load balancer")


def test_lb_info_sees_what_a_stopped_run_has_kept(plain: NewService) -> None:
    subject = plain()
    fault = subject.cluster.faults.add("error", verb="create", resource="services", status=422)
    options = {"scope": "Internal", "effectuate": "delete", "allow_disruption": "outage"}
    assert subject.run("slb_scope", **options)["failed"]
    assert fault.hits
    subject.cluster.faults.clear()
    found = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")["targets"]
    (mine,) = [entry for entry in found if entry["name"] == subject.service_name]
    assert (mine["verdict"], mine["codes"]) == ("blocked", ["service_restorable"])
    assert subject.service_name in mine["findings"][0]["remedy"]
    assert not subject.run("slb_scope", **options).get("failed")
