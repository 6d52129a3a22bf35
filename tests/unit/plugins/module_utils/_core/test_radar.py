# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The radar: every load balancer judged against itself, read-only (lb_info)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import radar
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    LOAD_BALANCER,
    AwsLoadBalancer,
    AwsSurvey,
    Unanswered,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    TRANSACTION_PREFIX,
    Observed,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_SUBNETS,
    OWNER_LABEL,
    SOURCE_RANGES,
)
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


def failing(text: str) -> dict[str, Any]:
    return {"reason": "SyncLoadBalancerFailed", "message": text, "involvedObject": {"uid": "u1"}}


def plain(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "front", "namespace": "shop", "uid": "u1"}, "spec": {"type": "LoadBalancer", **spec}}


@pytest.mark.parametrize(
    ("obj", "events", "codes"),
    [
        (plain(), [], ["lb_pending"]),
        (plain(), [failing("AccessDenied: no")], ["iam_denied"]),
        (plain(), [failing("try again")], ["lb_refused"]),
        (plain(loadBalancerClass="example.com/x"), [], ["class_unwatched"]),
        (plain(loadBalancerClass="example.com/x"), [{"involvedObject": {"uid": "u1"}}], []),
        (
            {**plain(), "metadata": {**plain()["metadata"], "deletionTimestamp": "now", "finalizers": ["x/y"]}},
            [],
            ["stuck_deletion"],
        ),
        (
            {**plain(), "metadata": {**plain()["metadata"], "finalizers": ["service.k8s.aws/resources"]}},
            [],
            ["lb_pending", "other_controller"],
        ),
        (
            {**plain(), "metadata": {**plain()["metadata"], "ownerReferences": [{"kind": "G", "controller": True}]}},
            [],
            ["lb_pending", "other_owner"],
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


LIVE = {
    **plain(),
    "status": {"loadBalancer": {"ingress": [{"hostname": "a1-2.us-east-1.elb.amazonaws.com"}]}},
}
IN_AWS = AwsLoadBalancer("au1", "Classic", "A1-2.us-east-1.elb.amazonaws.com", "External", "vpc-1", ("subnet-1",))


@pytest.mark.parametrize(
    ("survey", "verdict", "codes"),
    [
        (None, "in_sync", []),
        (AwsSurvey("infra", (IN_AWS,)), "in_sync", ["subnets_auto_discovered"]),
        (AwsSurvey("infra"), "recreate", ["lb_missing"]),
        (AwsSurvey("infra", unanswered=(Unanswered(LOAD_BALANCER, "No."),)), "in_sync", []),
        (
            AwsSurvey("infra", (replace(IN_AWS, scope="Internal"),)),
            "recreate",
            ["scope_not_in_force", "subnets_auto_discovered"],
        ),
    ],
)
def test_held_to_what_aws_has(survey: AwsSurvey | None, verdict: str, codes: list[str]) -> None:
    """Safe ingress 10: no all-clear for a load balancer that is not there or not as the Service says."""
    decision = radar.compared(radar.service("AWS", LIVE, []), LIVE, survey)
    assert (decision.verdict.value, radar.row(decision)["codes"]) == (verdict, codes)
    assert verdict == "in_sync" or decision.message == decision.findings[0].what


def test_a_load_balancer_of_another_controller_that_is_gone() -> None:
    other = {**LIVE, "spec": {"type": "LoadBalancer", "loadBalancerClass": "service.k8s.aws/nlb"}}
    assert radar.row(radar.compared(radar.service("AWS", other, []), other, AwsSurvey("infra")))["codes"] == [
        "lb_missing"
    ]


@pytest.mark.parametrize(
    ("edits", "spec"),
    [
        ({"metadata": {"annotations": {SOURCE_RANGES: "192.0.2.0/24"}}}, strategy("Classic")),
        ({"spec": {"loadBalancerSourceRanges": ["192.0.2.0/24"]}}, strategy("Classic")),
    ],
)
def test_source_ranges_by_hand_are_a_reason_for_progressing(edits: Any, spec: Any) -> None:
    """Safe ingress 10: the operator says so, in these words; the radar does too, and it is no all-clear."""
    decision = radar.ingress_controller(cluster(spec=spec, edits=edits))
    (finding,) = [entry for entry in decision.findings if entry.code == "source_ranges_edited"]
    assert (decision.verdict.value, decision.message) == ("update_in_place", finding.what)
    assert finding.what.startswith("You have manually edited an operator-managed object.")
    assert finding.value == "192.0.2.0/24"


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ({"Progressing": ("False", "")}, []),
        (
            {"Progressing": ("True", "rolled up"), "DeploymentRollingOut": ("True", "1 of 2 updated")},
            ["1 of 2 updated"],
        ),
        ({"Progressing": ("True", "for a new reason")}, ["for a new reason"]),
        (
            {"Progressing": ("True", "rolled up"), "LoadBalancerProgressing": ("True", "something unheard of")},
            ["something unheard of"],
        ),
    ],
)
def test_every_reason_the_operator_gives(conditions: dict[str, tuple[str, str]], told: list[str]) -> None:
    """Safe ingress 10: what no pending change explains is quoted."""
    said = [
        {"type": kind, "status": status, "reason": "Because", "message": text}
        for kind, (status, text) in conditions.items()
    ]
    foreign = {"metadata": {"labels": {OWNER_LABEL: "other"}}}
    for observed in (cluster(spec=strategy("Classic")), cluster(spec=strategy("Classic"), edits=foreign)):
        observed.ic["status"]["conditions"] = said
        found = [entry for entry in radar.ingress_controller(observed).findings if entry.code == "operator_progressing"]
        assert [entry.what for entry in found] == [f"The operator is progressing (Because): {text}" for text in told]


def test_a_pending_change_explains_its_condition() -> None:
    observed = after_patch(cluster(spec=strategy("Classic")), lb_patch(scope="Internal"))
    assert "operator_progressing" not in radar.row(radar.ingress_controller(observed))["codes"]
