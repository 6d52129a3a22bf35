# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The radar: every load balancer judged against itself, read-only (lb_info)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import radar
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    TRANSACTION_PREFIX,
    Observed,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_SUBNETS, OWNER_LABEL
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_frozen import frozen_f1


@pytest.mark.parametrize(
    ("observed", "verdict", "code"),
    [
        pytest.param(cluster(spec=strategy("Classic")), "in_sync", "", id="nothing"),
        pytest.param(
            after_patch(cluster(spec=strategy("Classic")), lb_patch(scope="Internal")),
            "recreate",
            "latent_change",
            id="SCO-5 latent",
        ),
        pytest.param(cluster(armed=""), "in_sync", "auto_delete_armed", id="armed by somebody"),
        pytest.param(cluster(armed=TRANSACTION_PREFIX + "x"), "update_in_place", "left_armed", id="left armed by us"),
        pytest.param(
            cluster(spec=strategy("Classic"), edits={"metadata": {"annotations": {AWS_SUBNETS: A}}}),
            "recreate",
            "unmanaged_subnets",
            id="SUB-7 unmanaged",
        ),
        pytest.param(frozen_f1("4.22"), "blocked", "operator_frozen", id="SUB-13 frozen"),
    ],
)
def test_an_ingresscontroller_against_itself(observed: Observed, verdict: str, code: str) -> None:
    decision = radar.ingress_controller(observed)
    assert decision.verdict.value == verdict
    assert decision.steps == ()
    assert not code or code in radar.row(decision)["codes"]


def test_a_strategy_without_a_load_balancer_is_no_trouble() -> None:
    observed = cluster(spec=strategy("Classic"))
    observed.ic["status"]["endpointPublishingStrategy"] = {"type": "HostNetwork"}
    assert radar.ingress_controller(observed).verdict.value == "in_sync"


def plain(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "front", "namespace": "shop", "uid": "u1"}, "spec": {"type": "LoadBalancer", **spec}}


@pytest.mark.parametrize(
    ("obj", "events", "codes"),
    [
        (plain(), [], []),
        (plain(loadBalancerClass="example.com/x"), [], ["class_unwatched"]),
        (plain(loadBalancerClass="example.com/x"), [{"involvedObject": {"uid": "u1"}}], []),
        (
            {**plain(), "metadata": {**plain()["metadata"], "deletionTimestamp": "now", "finalizers": ["x/y"]}},
            [],
            ["stuck_deletion"],
        ),
    ],
)
def test_a_plain_service(obj: Any, events: list[Any], codes: list[str]) -> None:
    assert radar.row(radar.service("AWS", obj, events))["codes"] == codes


def test_routers_are_not_counted_twice() -> None:
    router = {"metadata": {"labels": {OWNER_LABEL: "default"}}, "spec": {"type": "LoadBalancer"}}
    foreign = {"metadata": {"labels": {OWNER_LABEL: "gone"}}, "spec": {"type": "LoadBalancer"}}
    inner = {"metadata": {}, "spec": {"type": "ClusterIP"}}
    assert radar.plain_services([router, foreign, inner], ["default"]) == [foreign]
