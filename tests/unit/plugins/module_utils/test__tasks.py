# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module by name: what it connects to and when, what it refuses beforehand, and how its result is shown."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.effectuate import IC_RESOURCE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.secrets import Hide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Unreachable
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS, Connections, perform, shown
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    holding,
    options,
    perform_on,
    platform_objects,
)

MODULES = Path(__file__).parents[4] / "plugins" / "modules"
FRONT = {"namespace": "shop", "name": "front"}


def front() -> dict[str, Any]:
    meta = {**FRONT, "uid": "u1", "resourceVersion": "7"}
    return {
        "metadata": meta,
        "spec": {"type": "LoadBalancer"},
        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}},
    }


def failure(cluster: MemoryCluster, name: str, **given: Any) -> Failed:
    with pytest.raises(Failed) as caught:
        perform_on(cluster, name, **given)
    return caught.value


def test_every_module_is_a_task_and_either_looks_or_changes() -> None:
    assert set(TASKS) == {path.stem for path in MODULES.glob("*.py")} - {"__init__"}
    assert all((task.topic is None) is (task.look is not None) for task in TASKS.values())


@pytest.mark.parametrize(
    ("name", "given", "wrong"),
    [
        ("ingress_lb_subnets", {"state": "absent", "subnets": {"ids": [A]}}, "subnets"),
        ("ingress_lb_subnets", {"wait_sleep": 0}, "wait_sleep"),
        ("slb_scope", {"scope": "Internal", "wait_timeout": 0}, "wait_timeout"),
        ("lb_effectuate", {"wait_timeout": -1}, "wait_timeout"),
        ("service_lb_class", {"service": FRONT, "lb_class": "a/b/c"}, "lb_class"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_before_anybody_is_asked(
    name: str, given: dict[str, Any], wrong: str
) -> None:
    memory = MemoryCluster()
    failed = failure(memory, name, **given)
    assert (failed.result["error_code"], failed.result["findings"][0]["where"]) == ("invalid", wrong)
    assert memory.requests == []


@pytest.mark.parametrize(
    ("given", "kind", "name"),
    [
        ({}, IC_RESOURCE, "openshift-ingress-operator/default"),
        ({"ingress_controller": "shard"}, IC_RESOURCE, "openshift-ingress-operator/shard"),
        ({"service": FRONT}, "services", "shop/front"),
    ],
)
def test_slb_scope_is_for_an_ingress_controller_or_a_plain_service(given: dict[str, Any], kind: str, name: str) -> None:
    observed = cluster(spec=strategy("Classic"))
    memory = holding(observed)
    memory.put(IC_RESOURCE, merge_patch(observed.ic, {"metadata": {"name": "shard"}}))
    memory.put("services", front())
    perform_on(memory, "slb_scope", scope="External", **given)
    assert f"get {kind} {name}" in memory.requests


def test_service_lb_class_works_on_its_service() -> None:
    memory = platform_objects("GCP")
    memory.put("services", front())
    known = {"known_classes": {"example.com/edge": "us"}}
    told = perform_on(memory, "service_lb_class", service=FRONT, lb_class="example.com/edge", **known)
    assert (told["verdict"], told["changed"]) == ("recreate", False)
    assert "get services shop/front" in memory.requests


def test_what_the_caller_allows_reaches_the_engine() -> None:
    memory = holding(cluster(spec=strategy("Classic")))
    asked = {"scope": "Internal", "effectuate": "delete"}
    assert failure(memory, "slb_scope", **asked).result["error_code"] == "disruption_not_allowed"
    plan = perform_on(memory, "slb_scope", allow_disruption="outage", **asked)
    stale = failure(memory, "slb_scope", allow_disruption="outage", fingerprint="other", **asked)
    assert stale.result["error_code"] == "stale_plan"
    again = perform_on(memory, "slb_scope", allow_disruption="outage", fingerprint=plan["fingerprint"], **asked)
    assert again["fingerprint"] == plan["fingerprint"]


def test_connections_are_closed_with_the_task_whatever_happens() -> None:
    good, bad = platform_objects(), MemoryCluster()
    perform_on(good, "lb_info")
    failure(bad, "lb_info")
    assert (good.closed, bad.closed) == (True, True)


def test_a_connection_that_cannot_be_made_is_a_result_too() -> None:
    problem = Unreachable("No connection.", "Check the address.")
    with patch.object(Kube, "connect", side_effect=problem), pytest.raises(Failed, match="No connection") as caught:
        perform("lb_info", options("lb_info"), True, lambda _text: None)
    assert (caught.value.result["error_code"], caught.value.result["changed"]) == ("unreachable", False)


def test_a_connection_is_opened_when_first_asked_for_and_once() -> None:
    memory = MemoryCluster()
    with patch.object(Kube, "connect", return_value=memory) as connect, ExitStack() as until_done:
        to = Connections({"platform": "GCP", "cluster": "prod"}, until_done, Clock(), Hide(()))
        assert to.given == Given("GCP", "", "prod")
        connect.assert_not_called()
        assert to.kube is to.kube
        connect.assert_called_once()
    assert memory.closed


def test_the_diff_is_shown_only_where_it_was_asked_for() -> None:
    told = {"changed": True, "diff": {"before": {}, "after": {}}}
    assert shown(told, diff=True) == told
    assert shown(told, diff=False) == {"changed": True}
