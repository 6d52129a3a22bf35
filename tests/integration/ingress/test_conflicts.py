# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The world changes under a run: decided anew, never overwritten (CORE-6); only a reviewed plan is applied (CORE-8)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AUTO_DELETE, AWS_SUBNETS

from .conftest import NewIngress, NewService
from .proofs import codes, finding, prove
from .workplace import Ingress, Subject

NOW = {"allow_disruption": "outage"}
IC = "ingresscontrollers.operator.openshift.io"


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


@contextmanager
def meanwhile(subject: Subject, verb: str, resource: str, act: Callable[[], None]) -> Iterator[None]:
    """`act` happens while the run's first such write is held: after its last look, before it is handled."""
    fault = subject.cluster.faults.add("hold", verb=verb, resource=resource, count=1)
    trouble: list[BaseException] = []

    def watch() -> None:
        try:
            subject.wait_for(lambda: fault.hits, f"{verb} {resource}")
            act()
        except BaseException as problem:
            trouble.append(problem)
        finally:
            fault.let_go()

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join(timeout=40)
    assert not trouble, trouble


def test_a_spec_edited_before_our_patch(ingress: NewIngress) -> None:
    """CORE-6: refused by resourceVersion, looked at again; both edits stand."""
    subject = ingress(type="NLB", subnets="public")
    with meanwhile(subject, "patch", IC, lambda: subject.patch({"spec": {"replicas": 5}})):
        result = subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")})
    assert not result.get("failed"), result.get("msg")
    written = [one.code for one in subject.cluster.requests.writes() if (one.resource, one.name) == (IC, subject.name)]
    # The operator notes what it sees in the same object, so there may be more than one conflict.
    assert (written[-1], set(written[:-1])) == (200, {409})
    assert subject.ic()["spec"]["replicas"] == 5
    assert subject.lb["providerParameters"]["aws"]["networkLoadBalancer"]["subnets"]["ids"] == ids(
        subject, "spare_public"
    )


def test_somebody_wants_something_else(ingress: NewIngress) -> None:
    """CORE-6, CORE-3: an edit that the recreation would bring along is foreign, so the second decision blocks."""
    subject = ingress(type="NLB", subnets="public")
    uid = subject.uid
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": "operator", **NOW}
    with meanwhile(subject, "patch", IC, lambda: subject.patch_lb(scope="Internal")):
        result = subject.run("ingress_lb_subnets", **options)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "scope" in finding(result, "unasked_changes")["what"]
    assert (subject.uid, subject.armed) == (uid, None)


def test_a_foreign_edit_between_the_patch_and_the_arming(ingress: NewIngress) -> None:
    """CORE-3: level-triggered, so the arming holds only for the spec that was planned with."""
    subject = ingress(type="NLB", subnets="public")
    uid = subject.uid
    subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")})
    with meanwhile(subject, "patch", IC, lambda: subject.patch_lb(scope="Internal")):
        result = subject.run("lb_effectuate", changes=["subnets"], effectuate="operator", **NOW)
    assert "unasked_changes" in codes(result)
    assert (subject.uid, subject.armed) == (uid, None)


def test_an_annotation_of_somebody_else_is_not_taken_away(ingress: NewIngress) -> None:
    """CORE-6, SUB-6: they armed it while we were at it; it stays theirs."""
    subject = ingress(type="NLB", subnets="public")
    theirs = {"metadata": {"annotations": {AUTO_DELETE: "theirs"}}}
    subject.cluster.cloud_faults.hold_delete(subject.service_name)

    def take_over() -> None:
        subject.wait_for(lambda: subject.armed, "our arming")
        subject.patch(theirs)
        subject.cluster.cloud_faults.clear()

    thread = threading.Thread(target=take_over)
    thread.start()
    wanted = {"subnets": {"ids": ids(subject, "spare_public")}}
    result = subject.run("ingress_lb_subnets", effectuate="operator", **wanted, **NOW)
    thread.join(timeout=40)
    assert not result.get("failed"), result.get("msg")
    assert subject.armed == "theirs"
    assert subject.annotations[AWS_SUBNETS] == ",".join(ids(subject, "spare_public"))


def test_a_service_recreated_before_our_delete(ingress: NewIngress) -> None:
    """CORE-6: the delete names the uid it was planned for; somebody else did it first, so nothing is left to do."""
    subject = ingress(type="NLB", subnets="public")
    subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")})
    old = subject.uid

    def first() -> None:
        subject.cluster.api.delete("services", subject.namespace, subject.service_name)
        subject.wait_for(lambda: subject.service() and subject.uid != old, "the new Service")

    with meanwhile(subject, "delete", "services", first):
        result = subject.run("lb_effectuate", changes=["subnets"], effectuate="delete", **NOW)
    assert not result.get("failed"), result.get("msg")
    made = [event for event in subject.cluster.events(subject.service_name) if event["reason"] == "EnsuredLoadBalancer"]
    assert len(made) == 1
    subject.settle()
    assert (
        prove(subject, "lb_effectuate", changes=["subnets"], effectuate="delete", **NOW).applied["verdict"] == "in_sync"
    )


def test_a_plain_service_edited_before_our_delete(plain: NewService) -> None:
    """CORE-6, SCO-7: what is deleted is exactly what was kept, so the edit survives the recreation."""
    subject = plain()
    port = [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}]
    edit = {"spec": {"ports": port}}
    with meanwhile(subject, "delete", "services", lambda: subject.patch_service(edit)):
        result = subject.run("slb_scope", scope="Internal", effectuate="delete", **NOW)
    assert not result.get("failed"), result.get("msg")
    assert [entry["port"] for entry in subject.live()["spec"]["ports"]] == [80]
    assert subject.saved() is None


def test_a_plain_service_recreated_before_our_patch(plain: NewService) -> None:
    """CORE-6: another uid is a conflict (the API server says 422 to a patch), so it is decided anew."""
    subject = plain("GCP")
    old = subject.uid

    def again() -> None:
        subject.remove()
        subject.create({"example.com/second": "yes"})
        subject.settle()

    with meanwhile(subject, "patch", "services", again):
        result = subject.run("slb_scope", scope="Internal", allow_disruption="brief")
    assert not result.get("failed"), result.get("msg")
    assert subject.uid != old
    assert subject.annotations["example.com/second"] == "yes"
    assert prove(subject, "slb_scope", scope="Internal").applied["verdict"] == "in_sync"


def test_somebody_who_never_stops(ingress: NewIngress) -> None:
    """CORE-6: ten conflicts in a row end in a sentence, not in an endless loop."""
    subject = ingress(type="NLB")
    subject.cluster.faults.add("error", verb="patch", resource=IC, status=409)
    result = subject.run("slb_scope", scope="Internal")
    assert (result["failed"], result["changed"]) == (True, False)
    assert "10 times in a row" in result["msg"]


# -- the reviewed plan ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["report", "operator", "delete"])
def test_the_reviewed_plan_is_applied(ingress: NewIngress, way: str) -> None:
    """CORE-8: the fingerprint of check mode is the one that applies."""
    subject = ingress(type="NLB", subnets="public")
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": way, **NOW}
    reviewed = subject.run("ingress_lb_subnets", check=True, **options)["fingerprint"]
    result = subject.run("ingress_lb_subnets", fingerprint=reviewed, **options)
    assert (result.get("failed"), result["changed"], result["fingerprint"]) == (None, True, reviewed)


CHANGES: dict[str, Callable[[Ingress], Any]] = {
    "spec": lambda subject: subject.patch_lb(scope="Internal"),
    "auto-delete": lambda subject: subject.arm("theirs"),
    "Service": lambda subject: subject.annotate(subnets=ids(subject, "private")[0]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_stale_plan_is_refused(ingress: NewIngress, change: str) -> None:
    """CORE-8: what it would do is not what was reviewed any more; nothing is written."""
    subject = ingress(type="NLB", subnets="public")
    options: dict[str, Any] = {"subnets": {"ids": ids(subject, "spare_public")}, **NOW}
    reviewed = subject.run("ingress_lb_subnets", check=True, **options)["fingerprint"]
    CHANGES[change](subject)
    subject.wait_for(lambda: change == "auto-delete" or subject.is_settled(), "the operator")
    subject.cluster.requests.reset()
    result = subject.run("ingress_lb_subnets", fingerprint=reviewed, **options)
    assert (result["failed"], subject.writes()) == (True, [])
    assert reviewed in finding(result, "stale_plan")["what"]


def test_a_status_that_moves_makes_no_plan_stale(ingress: NewIngress) -> None:
    """CORE-8: resource versions are no part of what a person reviews."""
    subject = ingress(type="NLB", subnets="public")
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": "operator", **NOW}
    reviewed = subject.run("ingress_lb_subnets", check=True, **options)["fingerprint"]
    subject.patch({"metadata": {"labels": {"seen-by": "audit"}}})
    assert subject.run("ingress_lb_subnets", check=True, **options)["fingerprint"] == reviewed


# -- other owners -----------------------------------------------------------------------------------------------------

OWNERS: dict[str, tuple[dict[str, Any], str]] = {
    "Argo CD": ({"annotations": {"argocd.argoproj.io/tracking-id": "x"}}, "Argo CD"),
    "Flux": ({"labels": {"kustomize.toolkit.fluxcd.io/name": "edge"}}, "Flux"),
    "a SyncSet": ({"labels": {"hive.openshift.io/managed": "true"}}, "a Hive SyncSet"),
    "OCM": ({"labels": {"api.openshift.com/id": "x"}}, "OpenShift Cluster Manager"),
    "a hosted control plane": ({"annotations": {"hypershift.openshift.io/cluster": "x"}}, "the hosted control plane"),
    "managedFields": ({"managedFields": [{"manager": "argocd-controller", "operation": "Apply"}]}, "Argo CD"),
}


@pytest.mark.parametrize("case", OWNERS)
def test_another_owner_is_told_before_the_first_write(ingress: NewIngress, case: str) -> None:
    """CORE-6: labels, annotations and managedFields tell who would write it back."""
    subject = ingress(type="NLB")
    metadata, owner = OWNERS[case]
    subject.patch({"metadata": metadata})
    checked = subject.run("slb_scope", check=True, scope="Internal")
    found = finding(checked, "other_owner")
    assert owner in found["what"]
    assert found["value"] == [owner]


@pytest.mark.parametrize("harmless", [True, False])
def test_a_fingerprint_holds_for_every_round(ingress: NewIngress, harmless: bool) -> None:
    """CORE-8, Safe ingress 16: what is left to do after a conflict is part of what was reviewed, or is not done."""
    subject = ingress(type="NLB", subnets="public")
    subject.patch_service({"metadata": {"annotations": {"example.com/mine": "1"}}})
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": "delete", "restore_edits": True, **NOW}
    reviewed = subject.run("ingress_lb_subnets", check=True, **options)["fingerprint"]
    uid = subject.uid
    key = "kubectl.kubernetes.io/last-applied-configuration" if harmless else "example.com/theirs"
    touched = {"metadata": {"annotations": {key: "2"}}}
    with meanwhile(subject, "delete", "services", lambda: subject.patch_service(touched)):
        result = subject.run("ingress_lb_subnets", fingerprint=reviewed, **options)
    if harmless:
        assert not result.get("failed"), result["msg"]
        assert (subject.uid != uid, subject.annotations["example.com/mine"]) == (True, "1")
        return
    assert (result["failed"], result["error_code"], result["changed"]) == (True, "stale_plan", True)
    assert "not part of the reviewed plan" in result["msg"]
    assert subject.uid == uid
