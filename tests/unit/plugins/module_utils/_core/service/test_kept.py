# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Service that nobody recreates: its manifest is kept first, and nothing of it is ever lost (SCO-7)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service import kept, scope
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.kept import bare, without_taken
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService

SERVICE: dict[str, Any] = {
    "metadata": {
        "name": "front",
        "namespace": "shop",
        "uid": "u1",
        "resourceVersion": "7",
        "generation": 3,
        "creationTimestamp": "2025-01-01T00:00:00Z",
        "managedFields": [{}],
        "finalizers": ["service.kubernetes.io/load-balancer-cleanup"],
        "labels": {"app": "front"},
        "annotations": {"example.com/mine": "1"},
    },
    "spec": {
        "type": "LoadBalancer",
        "clusterIP": "10.96.0.9",
        "clusterIPs": ["10.96.0.9"],
        "healthCheckNodePort": 31000,
        "ports": [{"port": 80, "nodePort": 30080}, {"port": 443, "nodePort": 30443}],
    },
    "status": {"loadBalancer": {"ingress": [{"hostname": "a.example"}]}},
}
SEEN = ObservedService(Infra("AWS"), "shop", "front", SERVICE)
TAKEN = "provided port is already allocated"


def cause(field: str, message: str = TAKEN) -> dict[str, str]:
    return {"field": field, "message": message}


def shown(steps: tuple[Step, ...]) -> list[str]:
    return [f"{step.verb} {step.wait_for.until if step.wait_for else step.resource}" for step in steps]


def test_the_manifest_is_what_a_person_could_apply_again() -> None:
    manifest = kept.bare(SERVICE)
    assert manifest["metadata"] == {
        "name": "front",
        "namespace": "shop",
        "labels": {"app": "front"},
        "annotations": {"example.com/mine": "1"},
    }
    assert (manifest["apiVersion"], manifest["kind"]) == ("v1", "Service")
    assert manifest["spec"] == SERVICE["spec"]
    assert "status" not in manifest
    assert "status" in SERVICE  # the one that was read stays as it is


@pytest.mark.parametrize(("config", "verb"), [(None, "create"), ({"data": {"uid": "u0"}}, "replace")])
def test_kept_deleted_awaited_and_made_in_this_order(config: Any, verb: str) -> None:
    steps = kept.replaced(replace(SEEN, kept=config), {}, "another scope")
    assert shown(steps) == [
        f"{verb} configmaps",
        "delete services",
        "wait gone",
        "create services",
        "wait ready",
    ]


def test_what_is_deleted_is_exactly_what_was_kept() -> None:
    keep, delete, gone, *_others = kept.replaced(SEEN, {}, "another scope")
    assert (keep.name, keep.body["data"]["uid"]) == ("lb-estate-saved-front", "u1")
    assert (delete.uid, delete.resource_version) == ("u1", "7")
    assert (delete.disruption.value, delete.point_of_no_return) == ("outage", True)
    assert gone.wait_for is not None
    assert gone.wait_for.old_uid == "u1"
    assert shown(keep.undo) == ["delete configmaps"]
    back = ObservedService(Infra("AWS"), "shop", "front", None, keep.body)
    assert kept.manifest_kept(back) == kept.bare(SERVICE)
    assert json.loads(keep.body["data"]["manifest.json"]) == kept.bare(SERVICE)


def test_a_service_that_has_left_is_not_waited_for() -> None:
    steps = kept.brought_back(replace(SEEN, service=None), {}, "again")
    assert shown(steps) == ["create services", "wait ready"]


def test_another_address_is_waited_for() -> None:
    wait = kept.readdressed(SEEN).wait_for
    assert wait is not None
    assert (wait.until, wait.old_addresses) == ("readdressed", ("a.example",))


def test_whoever_relied_on_the_old_ones_is_to_be_told() -> None:
    assert kept.taken(SEEN) == ()
    (finding,) = kept.taken(replace(SEEN, taken=("spec.clusterIP", "spec.ports[0].nodePort")))
    assert (finding.code, finding.where) == ("allocation_taken", "Service shop/front")
    assert finding.what.startswith("spec.clusterIP, spec.ports[0].nodePort could not be had again")


SPEC: dict[str, Any] = {
    "clusterIP": "172.30.0.9",
    "clusterIPs": ["172.30.0.9"],
    "healthCheckNodePort": 30090,
    "ports": [{"port": 80, "nodePort": 30080}, {"port": 443, "nodePort": 30443}],
}
PORT_TAKEN = "Invalid value: 30443: provided port is already allocated"
IP_TAKEN = 'Invalid value: ["172.30.0.9"]: failed to allocate IP 172.30.0.9: provided IP is already allocated'
IP_OF_ANOTHER_RANGE = "failed to allocate IP 172.30.0.9: the provided network does not match the current range"
CHECK_TAKEN = "failed to allocate requested HealthCheck NodePort 30090: provided port is already allocated"
OUT_OF_RANGE = "provided port is not in the valid range. The range of valid ports is 20000-22767"


@pytest.mark.parametrize(
    ("field", "message", "gone", "lost"),
    [
        ("spec.ports[1].nodePort", PORT_TAKEN, ["ports", 1, "nodePort"], "spec.ports[1].nodePort 30443"),
        ("spec.ports[0].nodePort", OUT_OF_RANGE, ["ports", 0, "nodePort"], "spec.ports[0].nodePort 30080"),
        ("spec.clusterIPs", IP_TAKEN, ["clusterIP"], "spec.clusterIPs 172.30.0.9"),
        ("spec.clusterIPs", IP_OF_ANOTHER_RANGE, ["clusterIPs"], "spec.clusterIPs 172.30.0.9"),
        ("spec.healthCheckNodePort", CHECK_TAKEN, ["healthCheckNodePort"], "spec.healthCheckNodePort 30090"),
    ],
)
def test_one_value_less(field: str, message: str, gone: list[Any], lost: str) -> None:
    found = without_taken({"spec": SPEC}, [{"field": field, "message": message}])
    assert found is not None
    body, told = found
    place = body["spec"]
    for part in gone[:-1]:
        place = place[part]
    assert (gone[-1] in place, told) == (False, [lost])
    assert SPEC["ports"][1]["nodePort"] == 30443


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("spec.ports[0].port", "Invalid value: 0: must be between 1 and 65535, inclusive"),
        ("spec.ports[0].nodePort", "Forbidden: may not be used when `type` is 'ClusterIP'"),
        ("metadata.name", "Invalid value: already allocated"),
    ],
)
def test_anything_else_is_not_given_up(field: str, message: str) -> None:
    taken = {"field": "spec.clusterIPs", "message": IP_TAKEN}
    assert without_taken({"spec": SPEC}, [taken, {"field": field, "message": message}]) is None


def test_what_is_not_in_the_manifest_cannot_be_given_up() -> None:
    """Else the same request would be sent again and again."""
    assert (
        without_taken({"spec": {"ports": [{"port": 80}]}}, [{"field": "spec.clusterIPs", "message": IP_TAKEN}]) is None
    )
    assert without_taken({"spec": SPEC}, []) is None


MANIFEST = {"metadata": {"name": "front", "namespace": "shop"}, "spec": SPEC}
SPOILT: dict[str, tuple[Any, str]] = {
    "no data": (None, "data has no manifest.json"),
    "another key": ({"other": "x"}, "data has no manifest.json"),
    "empty": ({"manifest.json": ""}, "data has no manifest.json"),
    "broken": ({"manifest.json": '{"metadata":'}, "manifest.json is no JSON"),
    "nested without end": ({"manifest.json": "[" * 100_000}, "it is nested too deeply"),
    "a list": ({"manifest.json": "[]"}, "it is list, not an object"),
    "a type that is wrong": (
        {"manifest.json": json.dumps({**MANIFEST, "spec": {"ports": "x"}})},
        'spec.ports: must be of type array: "string"',
    ),
    "no ports": ({"manifest.json": json.dumps({**MANIFEST, "spec": {}})}, "spec.ports: Required value"),
    "another Service": (
        {"manifest.json": json.dumps({**MANIFEST, "metadata": {"name": "back", "namespace": "shop"}})},
        "it holds Service shop/back",
    ),
    "of another namespace": (
        {"manifest.json": json.dumps({**MANIFEST, "metadata": {"name": "front", "namespace": "else"}})},
        "it holds Service else/front",
    ),
}


def found(data: Any, service: Any = None) -> ObservedService:
    return ObservedService(Infra("AWS"), "shop", "front", service, kept={"metadata": {}, "data": data})


@pytest.mark.parametrize("case", SPOILT)
def test_a_manifest_that_brings_nothing_back_is_a_finding(case: str) -> None:
    """Safe ingress 17: nothing is written, nothing thrown away."""
    data, told = SPOILT[case]
    decision = scope.planned("Internal", "delete", found(data))
    assert (decision.verdict.value, decision.steps) == ("blocked", ())
    (finding,) = decision.findings
    assert (finding.code, finding.where) == ("kept_manifest_spoilt", "ConfigMap shop/lb-estate-saved-front")
    assert told in finding.what
    assert finding.remedy


@pytest.mark.parametrize("case", SPOILT)
def test_while_the_service_is_still_going_its_own_manifest_is_kept_anew(case: str) -> None:
    data = {**(SPOILT[case][0] or {}), "uid": "u1"}
    going = {**MANIFEST, "metadata": {**MANIFEST["metadata"], "uid": "u1", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    decision = scope.planned("Internal", "delete", found(data, going))
    again, *rest = decision.steps
    assert (again.verb, again.resource, json.loads(again.body["data"]["manifest.json"])["spec"]) == (
        "replace",
        "configmaps",
        SPEC,
    )
    assert [step.verb for step in rest] == ["wait", "create", "wait", "delete"]


@pytest.mark.parametrize("case", SPOILT)
def test_beside_a_service_that_lives_it_does_not_matter(case: str) -> None:
    live = {
        "metadata": {**MANIFEST["metadata"], "uid": "u1"},
        "spec": {**SPEC, "type": "LoadBalancer"},
        "status": {"loadBalancer": {"ingress": [{"hostname": "a1.elb.example.com"}]}},
    }
    decision = scope.planned("External", "delete", found(SPOILT[case][0], live))
    assert (decision.verdict.value, [step.verb for step in decision.steps]) == ("in_sync", ["delete"])


def test_the_manifest_keeps_every_allocated_value() -> None:
    assert bare({"metadata": {"name": "front", "uid": "u1"}, "spec": SPEC, "status": {}})["spec"] == SPEC


def test_what_else_the_next_run_has_to_know_is_written_beside_it() -> None:
    found = ObservedService(Infra("AWS"), "shop", "front", SERVICE)
    step = kept.kept_first(found, {"way": "type_flip", "uid": "made up"})
    assert kept.record_of(step.body) == {"way": "type_flip", "uid": "u1"}
    assert [undo.verb for undo in step.undo] == ["delete"]
    assert kept.record_of(None) == {}


def test_a_patch_that_names_no_ports_cannot_give_one_up() -> None:
    """CLS-3: a flip leaves the ports alone."""
    taken = {"field": "spec.ports[0].nodePort", "message": "provided port is already allocated"}
    assert without_taken({"spec": {"type": "LoadBalancer"}}, [taken]) is None
