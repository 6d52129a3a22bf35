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
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service import kept
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
    assert manifest["spec"] == {key: value for key, value in SERVICE["spec"].items() if key != "healthCheckNodePort"}
    assert "status" not in manifest
    assert "status" in SERVICE  # the one that was read stays as it is


@pytest.mark.parametrize(("config", "verb"), [(None, "create"), ({"data": {"uid": "u0"}}, "replace")])
def test_kept_deleted_awaited_made_and_forgotten_in_this_order(config: Any, verb: str) -> None:
    steps = kept.replaced(replace(SEEN, kept=config), {}, "another scope")
    assert shown(steps) == [
        f"{verb} configmaps",
        "delete services",
        "wait gone",
        "create services",
        "wait ready",
        "delete configmaps",
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
    assert shown(steps) == ["create services", "wait ready", "delete configmaps"]


def test_another_address_is_waited_for() -> None:
    wait = kept.readdressed(SEEN).wait_for
    assert wait is not None
    assert (wait.until, wait.old_addresses) == ("readdressed", ("a.example",))


@pytest.mark.parametrize(
    ("causes", "gone"),
    [
        ([cause("spec.ports[1].nodePort")], {"spec.ports.1.nodePort"}),
        ([cause("spec.clusterIPs")], {"spec.clusterIP", "spec.clusterIPs"}),
        (
            [cause("spec.clusterIP"), cause("spec.ports[0].nodePort")],
            {"spec.clusterIP", "spec.clusterIPs", "spec.ports.0.nodePort"},
        ),
    ],
)
def test_what_somebody_else_got_meanwhile_is_left_out(causes: list[dict[str, str]], gone: set[str]) -> None:
    body = kept.bare(SERVICE)
    left = kept.without_taken(body, causes)
    assert left is not None
    assert set(paths(body)) - set(paths(left)) == gone
    assert body == kept.bare(SERVICE)


def paths(value: Any, way: str = "") -> list[str]:
    """The leaves of an object, lists of plain values counting as one."""
    if isinstance(value, dict):
        return [path for key, item in value.items() for path in paths(item, f"{way}.{key}")]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [path for number, item in enumerate(value) for path in paths(item, f"{way}.{number}")]
    return [way.lstrip(".")]


@pytest.mark.parametrize(
    "causes",
    [
        pytest.param([], id="no cause"),
        pytest.param([cause("spec.ports[0].nodePort", "must be a number")], id="another rule"),
        pytest.param([cause("spec.type")], id="another field"),
        pytest.param([cause("spec.clusterIP"), cause("spec.type", "is wrong")], id="that is not all"),
    ],
)
def test_any_other_refusal_is_one(causes: list[dict[str, str]]) -> None:
    assert kept.without_taken(kept.bare(SERVICE), causes) is None


def test_what_is_left_out_already_cannot_be_left_out_again() -> None:
    """Else a server that goes on refusing would be asked for ever."""
    causes = [cause("spec.ports[1].nodePort")]
    assert kept.without_taken(kept.without_taken(kept.bare(SERVICE), causes), causes) is None


def test_whoever_relied_on_the_old_ones_is_to_be_told() -> None:
    assert kept.taken(SEEN) == ()
    (finding,) = kept.taken(replace(SEEN, taken=("spec.clusterIP", "spec.ports[0].nodePort")))
    assert (finding.code, finding.where) == ("allocation_taken", "Service shop/front")
    assert finding.what.startswith("spec.clusterIP, spec.ports[0].nodePort went to another Service")
