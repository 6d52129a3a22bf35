# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope of a Service that no operator owns: the same knowledge, and nothing is ever lost (SCO-7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OWNER_LABEL, Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service import scope as service_scope
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService

AWS_INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"
AZURE = "service.beta.kubernetes.io/azure-load-balancer-internal"
GCP, GCP_NEWER = "cloud.google.com/load-balancer-type", "networking.gke.io/load-balancer-type"
IBM = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type"
PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
EXTERNAL_LBC = {f"{PREFIX}type": "external", f"{PREFIX}nlb-target-type": "ip", f"{PREFIX}scheme": "internet-facing"}


def observed(platform: str = "AWS", annotations: dict[str, str] | None = None, **more: Any) -> ObservedService:
    spec = {"type": "LoadBalancer", "clusterIP": "10.96.0.9", "ports": [{"port": 80, "nodePort": 30080}], **more}
    meta = {"name": "front", "namespace": "shop", "uid": "u1", "resourceVersion": "7", "annotations": annotations or {}}
    service = {"metadata": meta, "spec": spec, "status": {"loadBalancer": {"ingress": [{"hostname": "a.example"}]}}}
    return ObservedService(Infra(platform), "shop", "front", service)


def verbs(decision: Decision) -> list[str]:
    return [f"{step.verb} {step.wait_for.until if step.wait_for else step.resource}" for step in decision.steps]


RECREATION = [
    "create configmaps",
    "delete services",
    "wait gone",
    "create services",
    "wait ready",
    "delete configmaps",
]


@pytest.mark.parametrize(
    ("platform", "annotations", "scope", "effectuate", "verdict", "steps"),
    [
        ("AWS", {}, "External", "delete", "in_sync", []),
        ("AWS", {AWS_INTERNAL: "yes"}, "Internal", "delete", "in_sync", []),
        ("AWS", {}, "Internal", "report", "recreate", []),
        ("AWS", {}, "Internal", "delete", "recreate", RECREATION),
        ("IBMCloud", {IBM: "private"}, "External", "delete", "recreate", RECREATION),
        ("OpenStack", {}, "Internal", "delete", "recreate", RECREATION),
        ("Azure", {AZURE: "True"}, "Internal", "report", "in_sync", []),
        ("GCP", {GCP: "internal"}, "Internal", "report", "in_sync", []),
        ("GCP", {GCP_NEWER: "Internal"}, "Internal", "report", "in_sync", []),
        ("IBMCloud", {IBM: "vpc"}, "Internal", "delete", "in_sync", []),
        ("AWS", {f"{PREFIX}type": "nlb-ip"}, "Internal", "delete", "in_sync", []),
        ("AWS", EXTERNAL_LBC, "External", "delete", "in_sync", []),
    ],
)
def test_what_a_scope_takes(
    platform: str, annotations: dict[str, str], scope: str, effectuate: str, verdict: str, steps: list[str]
) -> None:
    decision = service_scope.planned(scope, effectuate, observed(platform, annotations))
    assert (decision.verdict.value, verbs(decision)) == (verdict, steps)


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_in_place_changes_the_annotation_and_the_address(platform: str) -> None:
    decision = service_scope.planned("Internal", "report", observed(platform))
    assert (decision.verdict.value, decision.disruption.value) == ("update_in_place", "brief")
    patch = decision.steps[0]
    assert (patch.uid, patch.resource_version, patch.disruption.value) == ("u1", "7", "brief")
    (value,) = patch.body["metadata"]["annotations"].values()
    assert value in ("true", "Internal")
    assert list(decision.undo[0].body["metadata"]["annotations"].values()) == [None]


def test_the_annotation_that_wins_is_taken_away() -> None:
    """Safe ingress 13: GCP reads the newer one wherever it stands; the older would be written in vain."""
    decision = service_scope.planned("External", "report", observed("GCP", {GCP_NEWER: "Internal"}))
    assert decision.steps[0].body["metadata"]["annotations"] == {GCP_NEWER: None}
    assert decision.undo[0].body["metadata"]["annotations"] == {GCP_NEWER: "Internal"}
    decision = service_scope.planned("Internal", "report", observed("GCP", {GCP_NEWER: "External"}))
    assert decision.steps[0].body["metadata"]["annotations"] == {GCP_NEWER: None, GCP: "Internal"}


def test_another_controllers_own_annotation_is_named() -> None:
    (finding,) = service_scope.planned("Internal", "delete", observed(annotations=EXTERNAL_LBC)).findings
    assert finding.remedy.startswith(f"Set {PREFIX}scheme to internal;")


def test_the_manifest_is_kept_before_the_service_goes() -> None:
    decision = service_scope.planned("Internal", "delete", observed(annotations={"example.com/mine": "1"}))
    kept = json.loads(decision.steps[0].body["data"]["manifest.json"])
    assert kept["spec"]["clusterIP"] == "10.96.0.9"
    assert kept["spec"]["ports"][0]["nodePort"] == 30080
    assert "uid" not in kept["metadata"]
    made = decision.steps[3].body
    assert made["metadata"]["annotations"] == {"example.com/mine": "1", AWS_INTERNAL: "true"}
    assert decision.steps[1].uid == "u1"
    assert decision.steps[1].point_of_no_return


def test_a_stopped_run_is_picked_up_from_the_kept_manifest() -> None:
    kept = service_scope.planned("Internal", "delete", observed()).steps[0].body
    after_crash = ObservedService(Infra("AWS"), "shop", "front", None, kept)
    decision = service_scope.planned("Internal", "report", after_crash)
    assert verbs(decision) == ["create services", "wait ready", "delete configmaps"]
    assert decision.steps[0].body["metadata"]["annotations"][AWS_INTERNAL] == "true"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (ObservedService(Infra("AWS"), "shop", "front"), "not_found"),
        (observed(type="ClusterIP"), "not_a_load_balancer"),
        (observed(loadBalancerClass="example.com/other"), "other_controller"),
        (observed("BareMetal"), "platform_unsupported"),
        (observed(annotations=EXTERNAL_LBC), "other_controller"),
        (observed(annotations={f"{PREFIX}type": "external"}), "other_controller"),
        (observed(loadBalancerClass="service.k8s.aws/nlb", annotations=EXTERNAL_LBC), "other_controller"),
    ],
)
def test_what_it_leaves_alone(given: ObservedService, code: str) -> None:
    """CORE-7: a sentence with a remedy, and no step."""
    decision = service_scope.planned("Internal", "delete", given)
    assert (decision.verdict.value, decision.steps) == ("blocked", ())
    (finding,) = decision.findings
    assert finding.code == code
    assert finding.remedy


def test_a_routers_service_belongs_to_the_operator() -> None:
    given = observed()
    given.service["metadata"]["labels"] = {OWNER_LABEL: "default"}
    decision = service_scope.planned("Internal", "delete", given)
    assert decision.findings[0].code == "operator_owned"
    assert "ingress_controller: default" in decision.findings[0].remedy
