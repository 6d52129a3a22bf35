# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs killed with -9 at every step: nothing is lost, and the next run picks it up (SUB-6, CORE-4; items 2, 7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import EDITS, TRANSACTION_PREFIX
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_SUBNETS,
    OPERAND_NAMESPACE,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL

from .conftest import NewIngress, NewService
from .proofs import codes, finding, prove
from .workplace import Ingress, PlainService

OUTAGE = {"allow_disruption": "outage"}
INTERNAL = {"scope": "Internal", "effectuate": "delete", **OUTAGE}


def going(subject: Any) -> bool:
    service = subject.service()
    return service is not None and "deletionTimestamp" in service["metadata"]


def kill_while_going(subject: Any, module: str, **options: Any) -> None:
    subject.killed_when(lambda: going(subject), "the Service to be going", module, **options)


# -- a plain Service --------------------------------------------------------------------------------------------------


def kill_while_refused(subject: PlainService, verb: str, resource: str) -> None:
    """The server asks for patience at one write, and the run is killed while it waits: all before has happened."""
    fault = subject.cluster.faults.add("error", verb=verb, resource=resource, status=503, retry_after=60)
    subject.killed_when(lambda: fault.hits, f"{verb} {resource}", "slb_scope", **INTERNAL)
    subject.cluster.faults.clear()


@pytest.mark.parametrize("platform", ["AWS", "IBMCloud"])
def test_killed_between_delete_and_create(plain: NewService, platform: str) -> None:
    """Issue item 7: the Service is gone, its manifest is not, and a re-run restores it."""
    subject = plain(platform, annotations={"example.com/owner": "shop"}, externalTrafficPolicy="Local")
    before = subject.live()
    kill_while_refused(subject, "create", "services")
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    assert subject.saved() is not None
    proven = prove(subject, "slb_scope", **INTERNAL)
    assert "restored" in codes(proven.applied)
    assert proven.applied["disruption"] == "none"
    found = subject.live()
    assert found["spec"]["clusterIP"] == before["spec"]["clusterIP"]
    assert found["spec"]["ports"] == before["spec"]["ports"]
    assert found["metadata"]["annotations"]["example.com/owner"] == "shop"
    assert subject.saved() is None


def test_its_cluster_ip_and_port_went_to_another_meanwhile(plain: NewService) -> None:
    """Issue item 7: it comes back with new ones, and that is said; a Service is worth more than its old address."""
    subject = plain()
    old = subject.live()["spec"]
    kill_while_refused(subject, "create", "services")
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    other = PlainService(subject.cluster, f"{subject.service_name}-thief")
    other.create(
        type="NodePort", clusterIP=old["clusterIP"], ports=[{"port": 1, "nodePort": old["ports"][0]["nodePort"]}]
    )
    try:
        result = prove(subject, "slb_scope", **INTERNAL).applied
        assert "spec.clusterIP" in finding(result, "allocation_taken")["what"]
        assert subject.live()["spec"]["clusterIP"] != old["clusterIP"]
        assert subject.saved() is None
    finally:
        other.remove()


def test_restored_without_any_allowance(plain: NewService) -> None:
    """Issue item 7: bringing it back disrupts nothing; the scope asked for now is the one it gets."""
    subject = plain()
    kill_while_refused(subject, "create", "services")
    subject.wait_for(lambda: subject.service() is None, "the Service to be gone")
    assert "restored" in codes(prove(subject, "slb_scope", scope="External").applied)
    assert AWS_INTERNAL not in subject.annotations


def test_killed_before_the_delete(plain: NewService) -> None:
    """CORE-4: only the manifest was kept; the Service still stands and the next run goes on."""
    subject = plain()
    uid = subject.uid
    kill_while_refused(subject, "delete", "services")
    assert (subject.uid, subject.saved() is not None) == (uid, True)
    prove(subject, "slb_scope", **INTERNAL)
    assert subject.uid != uid
    assert subject.saved() is None


def test_killed_while_the_old_load_balancer_goes(plain: NewService) -> None:
    """CORE-4: the Service is held by its finalizer when the next run comes."""
    subject = plain()
    uid = subject.uid
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    kill_while_going(subject, "slb_scope", **INTERNAL)
    checked = subject.run("slb_scope", check=True, **INTERNAL)
    assert (checked["verdict"], checked["changed"]) == ("recreate", True)
    subject.cluster.cloud_faults.clear()
    result = subject.run("slb_scope", **INTERNAL)
    assert not result.get("failed"), result.get("msg")
    assert subject.uid != uid
    assert (subject.annotations[AWS_INTERNAL], subject.saved()) == ("true", None)


def test_killed_before_the_kept_manifest_is_forgotten(plain: NewService) -> None:
    """CORE-4: everything is done but the tidying; the next run does just that."""
    subject = plain()
    kill_while_refused(subject, "delete", "configmaps")
    uid = subject.uid
    result = prove(subject, "slb_scope", **INTERNAL).applied
    assert (result["verdict"], [step["resource"] for step in result["steps"]]) == ("in_sync", ["configmaps"])
    assert (subject.uid, subject.saved()) == (uid, None)


# -- an IngressController ---------------------------------------------------------------------------------------------


@pytest.fixture
def left_armed(ingress: NewIngress) -> Ingress:
    """A run was killed while the operator had taken the load balancer for it; it has a new one by now."""
    subject = ingress(type="NLB", subnets="public")
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    wanted = {"subnets": {"ids": list(subject.cluster.aws.spare_public.values())}}
    kill_while_going(subject, "ingress_lb_subnets", effectuate="operator", **wanted, **OUTAGE)
    subject.cluster.cloud_faults.clear()
    subject.settle()
    assert (subject.armed or "").startswith(TRANSACTION_PREFIX)
    return subject


RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "the same again": ("ingress_lb_subnets", {"effectuate": "operator", **OUTAGE}),
    "another module": ("slb_scope", {"scope": "External"}),
    "only a report": ("lb_effectuate", {}),
}


@pytest.mark.parametrize("case", RUNS)
def test_auto_delete_left_armed_is_recognised_and_disarmed(left_armed: Ingress, case: str) -> None:
    """SUB-6: by the next run of anything of ours, which says so."""
    module, options = RUNS[case]
    if module == "ingress_lb_subnets":
        options = {**options, "subnets": {"ids": list(left_armed.cluster.aws.spare_public.values())}}
    uid = left_armed.uid
    result = prove(left_armed, module, **options).applied
    assert left_armed.armed is None
    assert left_armed.uid == uid
    found = finding(result, "taken_care_of")
    assert (TRANSACTION_PREFIX in found["what"], found["value"], "left_armed" in codes(result)) == (
        True,
        "left_armed",
        False,
    )
    assert [step["verb"] for step in result["steps"]] == ["patch"]


def test_left_armed_is_disarmed_before_a_change_that_it_would_take_at_once(left_armed: Ingress) -> None:
    """SUB-6, CORE-3: first disarmed, then reported as pending like any other change."""
    uid = left_armed.uid
    result = prove(left_armed, "slb_scope", scope="Internal").applied
    assert (result["verdict"], result["disruption"]) == ("recreate", "outage")
    assert (left_armed.armed, left_armed.uid) == (None, uid)
    assert left_armed.condition()[0] == "True"


def test_left_armed_is_told_even_when_the_run_is_refused(left_armed: Ingress) -> None:
    """SUB-6, CORE-7"""
    result = left_armed.run("ingress_lb_subnets", domain="other.example.com")
    assert result["failed"]
    assert "left_armed" in codes(result)


def test_killed_after_the_service_was_deleted(ingress: NewIngress) -> None:
    """CORE-4: the operator makes the new one by itself; a run meanwhile waits for it and deletes nothing again."""
    subject = ingress(type="NLB", subnets="public")
    uid = subject.uid
    wanted = {"subnets": {"ids": list(subject.cluster.aws.spare_public.values())}, "effectuate": "delete", **OUTAGE}
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    kill_while_going(subject, "ingress_lb_subnets", **wanted)
    subject.cluster.cloud_faults.clear()
    result = subject.run("ingress_lb_subnets", **wanted)
    assert not result.get("failed"), result.get("msg")
    assert subject.uid != uid
    assert subject.annotations[AWS_SUBNETS] == ",".join(wanted["subnets"]["ids"])
    made = [event for event in subject.cluster.events(subject.service_name) if event["reason"] == "EnsuredLoadBalancer"]
    assert len(made) == 1
    prove(subject, "ingress_lb_subnets", **wanted)


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_edits_to_be_put_back_outlive_a_kill(ingress: NewIngress, way: str) -> None:
    """SCO-6, CORE-4: kept on the IngressController meanwhile; the next run of anything of ours puts them back."""
    subject = ingress(type="NLB", subnets="public")
    old, uid = subject.live(), subject.uid
    mine = {"metadata": {"annotations": {"example.com/mine": "1"}}}
    subject.cluster.api.patch("services", OPERAND_NAMESPACE, subject.service_name, mine)
    wanted = {"subnets": {"ids": list(subject.cluster.aws.spare_public.values())}, "effectuate": way, **OUTAGE}
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    kill_while_going(subject, "ingress_lb_subnets", restore_edits=True, **wanted)
    subject.cluster.cloud_faults.clear()
    subject.wait_for(lambda: (subject.service() or old)["metadata"]["uid"] != uid, "the operator to make a new Service")
    subject.settle()
    assert "example.com/mine" not in subject.annotations
    result = subject.run("slb_scope", scope="External")
    assert "edits_left" in [entry["value"] for entry in result["findings"] if entry["code"] == "taken_care_of"]
    assert subject.annotations["example.com/mine"] == "1"
    ic = subject.cluster.ingresscontroller(subject.name)
    assert EDITS not in (ic["metadata"].get("annotations") or {})
    prove(subject, "ingress_lb_subnets", restore_edits=True, **wanted)
