# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights are asked for to the end, and all that is missing is named at once (CORE-13)."""

from __future__ import annotations

from typing import Any, cast

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step, Target, Wait
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Forbidden, NotReady
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.rights import (
    Right,
    see_operator_alive,
    see_rights,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster

TARGET = Target("Service", "front", "shop")
STEPS = (
    Step("kube", "create", "configmaps", "kept", "shop"),
    Step("kube", "delete", "services", "front", "shop"),
    Step("kube", "wait", "services", "front", "shop", wait_for=Wait("gone")),
    Step("kube", "replace", "configmaps", "kept", "shop"),
    Step("octavia", "delete", "load_balancer", "lb"),
)
LEASES = "leases.coordination.k8s.io"


class Asked(MemoryCluster):
    def may(self, verb: str, resource: str, namespace: str, name: str = "") -> bool:
        self.requests.append(f"{verb} {resource} {namespace} {name}".rstrip())
        return super().may(verb, resource, namespace, name)


def kube(memory: MemoryCluster) -> Kube:
    return cast("Kube", memory)


def test_every_write_the_lock_and_the_reads_are_asked_for_once() -> None:
    memory = Asked()
    see_rights(kube(memory), TARGET, (*STEPS, *STEPS), [Right("get", "services", "shop", "front")])
    assert memory.requests == [
        "create configmaps shop",
        "update configmaps shop kept",
        f"create {LEASES} shop",
        f"delete {LEASES} shop lb-estate-service-front",
        f"get {LEASES} shop lb-estate-service-front",
        f"patch {LEASES} shop lb-estate-service-front",
        "delete services shop front",
        "get services shop front",
    ]


def test_nothing_is_asked_where_nothing_is_written() -> None:
    memory = Asked()
    see_rights(kube(memory), TARGET, STEPS[2:3], [Right("get", "services", "shop", "front")])
    assert memory.requests == []


def test_all_that_is_missing_is_named_with_the_rules_to_add() -> None:
    memory = MemoryCluster(forbidden={("delete", "services"), ("create", LEASES)})
    with pytest.raises(Forbidden) as caught:
        see_rights(kube(memory), TARGET, STEPS)
    assert "it was not begun" in caught.value.message
    assert [(rule["resources"], rule["verbs"]) for rule in caught.value.details["rules"]] == [
        (["leases"], ["create"]),
        (["services"], ["delete"]),
    ]
    assert '"apiGroups": ["coordination.k8s.io"]' in caught.value.remedy


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (None, "does not exist"),
        ({}, "has no available replica"),
        ({"availableReplicas": 0}, "has no available replica"),
        ({"availableReplicas": 1}, ""),
    ],
)
def test_the_operator_is_seen_alive(status: dict[str, Any] | None, words: str) -> None:
    memory = MemoryCluster()
    if status is not None:
        meta = {"name": "ingress-operator", "namespace": "openshift-ingress-operator"}
        memory.put("deployments.apps", {"metadata": meta, "status": status})
    if not words:
        see_operator_alive(kube(memory))
        return
    with pytest.raises(NotReady, match=words):
        see_operator_alive(kube(memory))
