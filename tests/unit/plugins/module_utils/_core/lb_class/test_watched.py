# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does anybody watch a class, and does the server keep it? (CLS-4, CLS-6)"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import watched as room
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.watched import (
    DAEMON_SETS,
    DEPLOYMENTS,
    GATEWAY_CLASSES,
    INGRESS_CLASSES,
    SERVICES,
    ClassQuestion,
    Evidence,
    Probe,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    OTHER,
    seen,
    service,
)

LBC = "service.k8s.aws/nlb"


def asking(lb_class: str | None) -> ClassQuestion:
    return ClassQuestion(lb_class, "shop/front", taker=lb_class)


QUESTION = asking(CLASS)


def named(obj: dict[str, Any], name: str) -> dict[str, Any]:
    return {**obj, "metadata": {**obj["metadata"], "name": name}}


def workload(name: str, count: str = "availableReplicas", ready: int = 1, **container: Any) -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": "main", **container}]}}
    return {"metadata": {"name": name, "namespace": "ops"}, "spec": {"template": pod}, "status": {count: ready}}


def hint(name: str, **spec: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": spec}


def test_other_services_of_the_class_speak_for_it() -> None:
    services = [
        service(CLASS),
        named(service(CLASS), "b"),
        named(service(CLASS, ""), "c"),
        named(service(OTHER), "d"),
        named(service(), "e"),
        named(service(CLASS, type="NodePort"), "f"),
    ]
    found = room.evidence(QUESTION, {SERVICES: services}, Probe(CLASS))
    assert (found.serving, found.waiting) == (("Service shop/b",), ("Service shop/c",))
    assert room.evidence(asking(None), {SERVICES: services}, Probe()).serving == ("Service shop/e",)


@pytest.mark.parametrize(
    ("container", "counts"),
    [
        ({"args": [f"--lb-class={CLASS}"]}, True),
        ({"args": ["--lb-class", CLASS]}, True),
        ({"command": ["/run", f"--classes=a,{CLASS},b"]}, True),
        ({"env": [{"name": "LB_CLASS", "value": CLASS}]}, True),
        ({"env": [{"name": "LB_CLASS"}]}, False),
        ({"args": [f"--lb-class={CLASS}-two"]}, False),
        ({}, False),
    ],
)
def test_a_running_workload_that_is_told_the_class(container: dict[str, Any], counts: bool) -> None:
    for ready in (0, 1):
        found = {DEPLOYMENTS: [workload("ctl", ready=ready, **container)]}
        expected = ("Deployment ops/ctl",) if counts and ready else ()
        assert room.evidence(QUESTION, found, Probe()).workloads == expected


def test_a_known_controller_is_known_by_its_name() -> None:
    found = {
        DEPLOYMENTS: [workload("aws-load-balancer-controller")],
        DAEMON_SETS: [workload("agent", "numberAvailable", args=["service.k8s.aws/nlb"])],
    }
    told = room.evidence(asking(LBC), found, Probe()).workloads
    assert told == ("Deployment ops/aws-load-balancer-controller", "DaemonSet ops/agent")


def test_classes_of_other_kinds_are_hints() -> None:
    found = {
        INGRESS_CLASSES: [hint("alb", controller="ingress.k8s.aws/alb"), hint("x", controller="nginx.org/x")],
        GATEWAY_CLASSES: [hint("gw", controllerName="service.k8s.aws/gw"), hint("none")],
    }
    told = room.evidence(asking(LBC), found, Probe())
    assert told.hints == ("IngressClass alb (ingress.k8s.aws/alb)", "GatewayClass gw (service.k8s.aws/gw)")
    assert told.strong == ()
    assert room.evidence(asking("plain"), found, Probe()).hints == ()


def test_what_may_not_be_listed_is_told() -> None:
    assert room.evidence(QUESTION, {SERVICES: None, DEPLOYMENTS: []}, Probe()).unread == ("services",)


@pytest.mark.parametrize(
    ("found", "known", "allowed", "severity"),
    [
        (seen(), {}, "", ""),
        (Evidence(CLASS, CLASS), {CLASS: "us"}, "", ""),
        (Evidence(None), {}, "", ""),
        (Evidence(CLASS, CLASS), {}, "", "error"),
        (Evidence(CLASS, CLASS), {}, CLASS, "warning"),
        (Evidence(CLASS, CLASS, hints=("IngressClass x",)), {}, "", "warning"),
        (Evidence(CLASS, CLASS, waiting=("Service a/b",), unread=("services",)), {OTHER: "us"}, OTHER, "error"),
    ],
)
def test_a_class_nobody_watches(found: Evidence, known: dict[str, str], allowed: str, severity: str) -> None:
    told = [(one.code, one.severity.value) for one in room.watched(found, "here", known, allowed)]
    assert told == ([("class_unwatched", severity)] if severity else [])


def test_the_finding_tells_everything_that_is_known() -> None:
    (told,) = room.watched(
        Evidence(CLASS, CLASS, (), ("Service a/b",), (), ("IngressClass x",), ("services",)), "here", {}, ""
    )
    assert all(part in told.what for part in (CLASS, "Service a/b", "IngressClass x", "services"))
    assert f"allow_unwatched: {CLASS}" in told.remedy


def test_without_a_class_an_annotation_may_give_it_to_a_controller_that_has_to_be_there() -> None:
    """CLS-4: no class, and the cloud provider's controller turns it away."""
    kind = "service.beta.kubernetes.io/aws-load-balancer-type"
    question = ClassQuestion(None, "shop/front", taker=LBC)
    others = [named(service(annotations={kind: "nlb-ip"}), "b"), named(service(), "c")]
    assert room.evidence(question, {SERVICES: others}, Probe()).serving == ("Service shop/b",)
    nobody = room.evidence(question, {}, Probe())
    (told,) = room.watched(nobody, "here", {}, "")
    assert (told.severity.value, told.value, "allow_unwatched: none" in told.remedy) == ("error", LBC, True)
    (told,) = room.watched(nobody, "here", {}, "none")
    assert told.severity.value == "warning"
    assert list(room.watched(nobody, "here", {LBC: "us"}, "")) == []


@pytest.mark.parametrize(
    ("found", "gentle", "expected"),
    [
        (seen(), True, []),
        (seen(None), True, []),
        (seen(probe=Probe(None)), True, [("class_dropped", "error")]),
        (seen(probe=Probe(OTHER)), True, [("class_imposed", "error")]),
        (seen(None, probe=Probe(OTHER)), False, [("class_imposed", "error")]),
        (seen(None, probe=Probe(OTHER)), True, [("class_imposed", "warning")]),
        (seen(probe=Probe(refused="no.")), True, [("class_unproven", "error")]),
        (seen(serving=("Service a/b",), probe=Probe(refused="no.")), True, [("class_unproven", "warning")]),
        (seen(None, probe=Probe(refused="no.")), True, [("class_unproven", "warning")]),
    ],
)
def test_what_the_rehearsal_shows(found: Evidence, gentle: bool, expected: list[tuple[str, str]]) -> None:
    """CLS-6: Services that still have the field are no proof; a webhook may have its own mind."""
    assert [(one.code, one.severity.value) for one in room.kept_by_server(found, "here", gentle)] == expected
