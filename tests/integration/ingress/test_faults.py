# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bad network and a busy API server: every run converges, and nothing is done twice (CORE-4, CORE-6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_SUBNETS

from .conftest import NewIngress, NewService
from .proofs import prove
from .workplace import Ingress, Subject

IC = "ingresscontrollers.operator.openshift.io"
NOW = {"allow_disruption": "outage"}


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


def recreations(subject: Subject) -> int:
    """Load balancers made for Services of this name, beyond the first."""
    events = subject.cluster.api.list("events", subject.namespace)["items"]
    made = [event["involvedObject"] for event in events if event["reason"] == "EnsuredLoadBalancer"]
    return len({entry["uid"] for entry in made if entry["name"] == subject.service_name}) - 1


def moved(subject: Ingress, way: str, fault: dict[str, Any]) -> None:
    """A whole effectuation through the fault: converges, one recreation, nothing left behind."""
    injected = subject.cluster.faults.add(**fault)
    want = ids(subject, "spare_public")
    options = {"subnets": {"ids": want}, "effectuate": way, **NOW}
    result = subject.run("ingress_lb_subnets", **options)
    assert not result.get("failed"), result.get("msg")
    assert injected.hits, "the fault never struck"
    subject.cluster.faults.clear()
    assert subject.annotations[AWS_SUBNETS] == ",".join(want)
    assert (recreations(subject), subject.armed) == (1, None)
    subject.settle()
    prove(subject, "ingress_lb_subnets", **options)


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("status", [429, 500, 503])
def test_bursts_of_refusals(ingress: NewIngress, status: int, way: str) -> None:
    """Reads and writes alike are answered with patience asked for, a few times in a row."""
    subject = ingress(type="NLB", subnets="public")
    moved(subject, way, {"kind": "error", "status": status, "count": 2 if status == 429 else 3})


@pytest.mark.parametrize(
    ("way", "verb", "resource"),
    [("operator", "patch", IC), ("delete", "patch", IC), ("delete", "delete", "services")],
)
@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
def test_connections_dropped_at_a_write(ingress: NewIngress, kind: str, way: str, verb: str, resource: str) -> None:
    """The answer never comes: after a drop it is found out whether the write landed, and it lands once."""
    subject = ingress(type="NLB", subnets="public")
    moved(subject, way, {"kind": kind, "verb": verb, "resource": resource, "count": 1})


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_connections_dropped_at_every_fourth_request(ingress: NewIngress, way: str) -> None:
    """Any request, by a seeded draw."""
    subject = ingress(type="NLB", subnets="public")
    moved(subject, way, {"kind": "drop_after", "probability": 0.25, "seed": 7})


@pytest.mark.parametrize("resource", [IC, "services"])
def test_stale_reads(ingress: NewIngress, resource: str) -> None:
    """An answer from some writes ago: the precondition tells, and it is looked at again."""
    subject = ingress(type="NLB", subnets="public")
    moved(subject, "operator", {"kind": "stale", "verb": "get", "resource": resource, "back": 1, "count": 2})


@pytest.mark.parametrize(
    ("verb", "resource"),
    [("create", "configmaps"), ("delete", "services"), ("create", "services"), ("delete", "configmaps")],
)
@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
def test_a_plain_service_through_drops(plain: NewService, kind: str, verb: str, resource: str) -> None:
    """SCO-7: each of its four writes is dropped once; the Service comes back once, and nothing is left behind."""
    subject = plain(annotations={"example.com/owner": "shop"})
    cluster_ip = subject.live()["spec"]["clusterIP"]
    fault = subject.cluster.faults.add(kind, verb=verb, resource=resource, count=1)
    options = {"scope": "Internal", "effectuate": "delete", **NOW}
    result = subject.run("slb_scope", **options)
    if result.get("failed"):  # a write whose outcome cannot be known ends the run; the next one goes on
        assert result["error_code"] == "outcome_unknown", result["msg"]
        result = subject.run("slb_scope", **options)
    assert not result.get("failed"), result.get("msg")
    assert fault.hits == 1
    assert (subject.live()["spec"]["clusterIP"], subject.annotations["example.com/owner"]) == (cluster_ip, "shop")
    assert (recreations(subject), subject.saved()) == (1, None)
    prove(subject, "slb_scope", **options)


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
def test_a_new_ingresscontroller_is_made_once(ingress: NewIngress, kind: str) -> None:
    """SUB-9: a name can be taken only once, so a lost answer is no danger."""
    other = ingress(type="NLB")
    subject = Ingress(other.cluster, f"{other.name}-second")
    subject.cluster.faults.add(kind, verb="create", resource=IC, count=1)
    domain = f"{subject.name}.{subject.cluster.spec.base_domain}"
    options = {"domain": domain, "lb_type": "NLB", "subnets": {"ids": ids(subject, "public")}}
    try:
        result = subject.run("ingress_lb_subnets", **options)
        assert not result.get("failed"), result.get("msg")
        prove(subject, "ingress_lb_subnets", **options)
    finally:
        subject.remove()


def test_a_look_through_bursts(ingress: NewIngress) -> None:
    """lb_info"""
    subject = ingress(type="NLB")
    subject.cluster.faults.add("error", status=503, count=3)
    subject.options = {}
    found = subject.run("lb_effectuate", ingress_controller=subject.name, check=True)
    assert not found.get("failed")


def test_a_slow_server_is_waited_for(ingress: NewIngress) -> None:
    """Latency alone changes nothing."""
    subject = ingress(type="NLB", subnets="public")
    moved(subject, "operator", {"kind": "latency", "seconds": 0.1, "count": 5})
