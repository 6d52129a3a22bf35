# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wanted change means for a load balancer: verdict, cost, steps (CORE-2, CORE-3, CORE-9, SUB-*, SCO-*)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    SKIPPED,
    AwsAnswer,
    AwsFacts,
    Unanswered,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import AwsQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import decide, planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    TRANSACTION_PREFIX,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Severity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AUTO_DELETE, AWS_SUBNETS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    A,
    B,
    C,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

REPORT, OPERATOR, DELETE = Way(), Way("operator"), Way("delete")
MOVE = Wanted(subnets=Subnets.listed({"ids": [A, B]}))
INTERNAL = Wanted(scope="Internal")
CLASSIC = strategy("Classic")
NLB = strategy("NLB")


def verbs(decision: Decision) -> list[str]:
    """A step in two words: verb and, for waits, what for; the arming and disarming patches by name."""
    found = []
    for step in decision.steps:
        annotations = ((step.body or {}).get("metadata") or {}).get("annotations") or {}
        if step.wait_for is not None:
            found.append(f"wait {step.wait_for.until}")
        elif AUTO_DELETE in annotations:
            found.append("arm" if annotations[AUTO_DELETE] else "disarm")
        else:
            found.append(f"{step.verb} {step.resource.partition('.')[0]}")
    return found


def codes(decision: Decision) -> set[str]:
    return {finding.code for finding in decision.findings}


PATCH = ["patch ingresscontrollers", "wait admitted"]
IN_PLACE = [*PATCH, "wait readdressed"]


@pytest.mark.parametrize(
    ("observed", "wanted", "way", "verdict", "disruption", "steps"),
    [
        pytest.param(cluster(spec=CLASSIC), MOVE, REPORT, "recreate", "outage", PATCH, id="SUB-5 report"),
        pytest.param(
            cluster(spec=CLASSIC),
            MOVE,
            OPERATOR,
            "recreate",
            "outage",
            [*PATCH, "arm", "wait recreated", "disarm"],
            id="SUB-6 by the operator",
        ),
        pytest.param(
            cluster(spec=CLASSIC),
            MOVE,
            DELETE,
            "recreate",
            "outage",
            [*PATCH, "delete services", "wait recreated"],
            id="SUB-6 by deletion",
        ),
        pytest.param(
            cluster(spec=CLASSIC), Wanted(scope="External"), DELETE, "in_sync", "none", [], id="CORE-4 in force"
        ),
        pytest.param(
            cluster(), Wanted(scope="External"), DELETE, "in_sync", "none", [], id="unsaid default is no change"
        ),
        pytest.param(
            cluster(), Wanted(lb_type="Classic"), DELETE, "in_sync", "none", [], id="unsaid type is no change"
        ),
        pytest.param(cluster(platform="GCP"), INTERNAL, REPORT, "update_in_place", "brief", IN_PLACE, id="SCO-2 GCP"),
        pytest.param(
            cluster(platform="Azure"), INTERNAL, DELETE, "update_in_place", "brief", IN_PLACE, id="SCO-2 Azure"
        ),
        pytest.param(
            cluster(platform="IBMCloud"),
            INTERNAL,
            DELETE,
            "recreate",
            "outage",
            [*PATCH, "delete services", "wait recreated"],
            id="SCO-2 IBM Cloud",
        ),
        pytest.param(
            cluster("4.21", spec=CLASSIC),
            Wanted(lb_type="NLB"),
            REPORT,
            "recreate",
            "outage",
            IN_PLACE,
            id="type ≤ 4.21",
        ),
        pytest.param(
            cluster("4.22", spec=CLASSIC), Wanted(lb_type="NLB"), REPORT, "recreate", "outage", PATCH, id="type ≥ 4.22"
        ),
        pytest.param(
            cluster(spec=CLASSIC, armed=""),
            MOVE,
            REPORT,
            "recreate",
            "outage",
            ["patch ingresscontrollers", "wait recreated"],
            id="CORE-3 armed by somebody",
        ),
        pytest.param(
            cluster(spec=CLASSIC, armed=TRANSACTION_PREFIX + "x"),
            Wanted(scope="External"),
            REPORT,
            "update_in_place",
            "none",
            ["disarm"],
            id="SUB-6 left armed by us",
        ),
        pytest.param(
            cluster(spec=CLASSIC, armed=TRANSACTION_PREFIX + "x"),
            MOVE,
            DELETE,
            "recreate",
            "outage",
            ["disarm", *PATCH, "delete services", "wait recreated"],
            id="SUB-6 disarmed before the patch",
        ),
        pytest.param(
            cluster(spec=CLASSIC, edits={"metadata": {"annotations": {AWS_SUBNETS: f"{A},{B}"}}}),
            Wanted(adopt=True),
            REPORT,
            "adopt",
            "none",
            PATCH,
            id="SUB-7 adoption",
        ),
        pytest.param(
            after_patch(cluster(spec=CLASSIC), lb_patch(scope="Internal")),
            Wanted(scope="External"),
            DELETE,
            "update_in_place",
            "none",
            PATCH,
            id="SCO-4 cancel",
        ),
        pytest.param(
            after_patch(cluster(spec=CLASSIC), lb_patch(scope="Internal")),
            INTERNAL,
            REPORT,
            "recreate",
            "outage",
            [],
            id="SCO-5 pending already",
        ),
        pytest.param(
            cluster(spec=strategy("Classic", subnets={"ids": [A, B]})),
            Wanted(subnets=Subnets.listed({"ids": [B, A]})),
            OPERATOR,
            "in_sync",
            "none",
            [],
            id="an order has no meaning",
        ),
    ],
)
def test_verdict_and_steps(
    observed: Observed, wanted: Wanted, way: Way, verdict: str, disruption: str, steps: list[str]
) -> None:
    decision = planned(wanted, way, observed)
    assert (decision.verdict.value, decision.disruption.value, verbs(decision)) == (verdict, disruption, steps)


def test_one_recreation_for_type_scope_subnets_and_eips() -> None:
    """CORE-9: several changes on one load balancer cost one recreation."""
    wanted = Wanted(scope="External", lb_type="NLB", subnets=Subnets.listed({"ids": [A, B]}), eips=[E1, E2])
    decision = planned(wanted, DELETE, cluster(spec=CLASSIC))
    assert verbs(decision).count("delete services") == 1
    fields = ["loadBalancer.providerParameters.aws.type", "subnets", "eipAllocations"]
    assert [entry.field for entry in decision.pending] == fields


@pytest.mark.parametrize(
    ("observed", "wanted", "where"),
    [
        pytest.param(cluster("4.21", spec=CLASSIC), Wanted(lb_type="NLB"), 0, id="type up to 4.21"),
        pytest.param(cluster(spec=CLASSIC, armed="yes"), MOVE, 0, id="armed auto-delete"),
        pytest.param(cluster(spec=CLASSIC), MOVE, 2, id="the deletion itself"),
    ],
)
def test_the_step_that_disrupts_carries_the_cost(observed: Observed, wanted: Wanted, where: int) -> None:
    """CORE-3: the gate stands before the write that disrupts, the spec patch included."""
    decision = planned(wanted, DELETE, observed)
    levels = [step.disruption for step in decision.steps]
    assert levels.index(Disruption.OUTAGE) == where
    assert decision.steps[where].point_of_no_return


def test_every_write_names_the_object_it_was_planned_for() -> None:
    """CORE-6: uid or resourceVersion preconditions."""
    for way in (OPERATOR, DELETE):
        writes = [step for step in planned(MOVE, way, cluster(spec=CLASSIC)).steps if step.verb != "wait"]
        assert all(step.uid for step in writes)
        assert writes[0].resource_version == "5"


def test_undo_takes_the_patch_back_leaf_by_leaf() -> None:
    decision = planned(Wanted(scope="Internal", subnets=Subnets.listed({"ids": [C]})), REPORT, cluster(spec=CLASSIC))
    (undo,) = decision.undo
    lb = undo.body["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert lb["scope"] == "External"
    assert lb["providerParameters"]["aws"]["classicLoadBalancer"]["subnets"] is None


def test_unasked_changes_block_a_recreation() -> None:
    """CORE-3: a recreation effectuates everything; what nobody asked for blocks it."""
    observed = after_patch(cluster(spec=CLASSIC), lb_patch(scope="Internal"))
    decision = planned(MOVE, DELETE, observed)
    assert decision.verdict.value == "blocked"
    assert "unasked_changes" in codes(decision)
    assert decision.steps == ()
    assert planned(MOVE, REPORT, observed).verdict.value == "recreate"


@pytest.mark.parametrize("asked", [frozenset({"scope"}), frozenset()])
def test_effectuation_of_what_is_pending_needs_it_asked_for(asked: frozenset[str]) -> None:
    observed = after_patch(cluster(spec=CLASSIC), lb_patch(scope="Internal"))
    decision = planned(Wanted(), Way("delete", asked=asked), observed)
    assert bool(decision.steps) is bool(asked)


def test_silent_difference_of_the_cloud_is_pending() -> None:
    """`internal: yes` is internal for the cloud, external for the operator: a recreation would flip it (facts §2)."""
    edits = {"metadata": {"annotations": {"service.beta.kubernetes.io/aws-load-balancer-internal": "yes"}}}
    decision = planned(MOVE, DELETE, cluster(spec=CLASSIC, edits=edits))
    assert ("scope", "Internal", "External", False) in [(p.field, p.have, p.want, p.asked) for p in decision.pending]
    assert decision.verdict.value == "blocked"
    assert "scope_views_differ" in codes(decision)


def test_aws_is_asked_before_there_is_a_decision_and_what_it_would_refuse_blocks() -> None:
    """SUB-3: the question says what is to be made; nothing is decided until it is answered."""
    observed = cluster(spec=CLASSIC)
    question = decide(MOVE, DELETE, observed)
    assert isinstance(question, AwsQuestion)
    assert (question.whole, question.lb.kind, question.lb.subnets) == (True, "Classic", Subnets((A, B)))
    assert question.disrupts
    facts = AwsFacts("vpc-1")
    asked_half = decide(MOVE, DELETE, replace(observed, aws=AwsAnswer(facts)))
    assert asked_half == question
    decision = decide(MOVE, DELETE, replace(observed, aws=AwsAnswer(facts, whole=True)))
    assert isinstance(decision, Decision)
    assert (decision.verdict.value, decision.steps) == ("blocked", ())
    assert [finding.where for finding in decision.errors] == ["subnets.ids[0]", "subnets.ids[1]"]


UNANSWERED = AwsAnswer(unanswered=(Unanswered("anything", "no answer.", "Try again."),), whole=True)


@pytest.mark.parametrize(
    ("aws", "code"), [(UNANSWERED, "preflight_unanswered"), (AwsAnswer(whole=True), "aws_not_asked")]
)
def test_what_aws_could_not_say_is_a_remark_and_stops_what_disrupts(aws: AwsAnswer, code: str) -> None:
    """Safe ingress 10: a load balancer is not taken away on a guess; `preflight: skip` is the word for that."""
    observed = replace(cluster(spec=CLASSIC), aws=aws)
    reported = decide(MOVE, REPORT, observed)
    assert isinstance(reported, Decision)
    assert (reported.verdict.value, reported.findings[0].code) == ("recreate", code)
    assert reported.findings[0].severity is Severity.WARNING
    refused = decide(MOVE, DELETE, observed)
    assert isinstance(refused, Decision)
    assert (refused.verdict.value, refused.steps, [error.code for error in refused.errors]) == ("blocked", (), [code])
    assert "preflight: skip" in refused.message


def test_a_skipped_preflight_is_told() -> None:
    decision = decide(MOVE, DELETE, replace(cluster(spec=CLASSIC), aws=SKIPPED))
    assert isinstance(decision, Decision)
    assert (decision.verdict.value, decision.findings[0].code) == ("recreate", "preflight_skipped")


def test_nobody_is_asked_where_there_is_no_aws() -> None:
    wanted, observed = Wanted(scope="Internal"), cluster("4.21", platform="Azure")
    assert decide(wanted, REPORT, observed) == planned(wanted, REPORT, observed)


@pytest.mark.parametrize(("version", "disruption"), [("4.21", "outage"), ("4.22", "none")])
def test_an_undo_says_what_it_costs_itself(version: str, disruption: str) -> None:
    """On 4.21 a type change back is another load balancer; on 4.22 it only cancels what is pending."""
    decision = planned(Wanted(lb_type="NLB"), REPORT, cluster(version, spec=CLASSIC))
    (back,) = decision.steps[0].undo
    assert back.disruption.value == disruption
    assert decision.undo == (() if version == "4.21" else (back,))  # ends at the point of no return


def test_same_input_same_plan() -> None:
    """CORE-1: byte for byte, the transaction's id included."""
    one, two = (planned(MOVE, OPERATOR, cluster(spec=CLASSIC)) for _time in range(2))
    assert one == two
    assert one.fingerprint == two.fingerprint
    assert (
        planned(Wanted(subnets=Subnets.listed({"ids": [A]})), OPERATOR, cluster(spec=CLASSIC)).fingerprint
        != one.fingerprint
    )


@pytest.mark.parametrize(
    ("wanted", "observed", "words"),
    [
        (
            Wanted(subnets=Subnets.listed({"ids": ["subnet-1", "subnet-1"], "names": ["a,b", "subnet-x"]})),
            cluster(spec=CLASSIC),
            5,
        ),
        (Wanted(subnets=Subnets.listed({"ids": [A], "names": []}), eips=[E1, E2], lb_type="NLB"), cluster(spec=NLB), 1),
        (Wanted(scope="Internal", eips=[E1]), cluster(spec=NLB), 1),
        (Wanted(subnets=Subnets.listed({"ids": [], "names": []})), cluster(spec=CLASSIC), 1),
    ],
)
def test_all_problems_of_the_input_at_once(wanted: Wanted, observed: Observed, words: int) -> None:
    """SUB-1, CORE-7: each with field, rule and remedy, and nothing planned."""
    decision = planned(wanted, DELETE, observed)
    refusals = [finding for finding in decision.findings if finding.code == "refused_by_api"]
    assert len(refusals) == words
    assert all(finding.where and finding.what and finding.remedy for finding in refusals)
    assert decision.steps == ()


def test_clear_goes_back_to_auto_discovery() -> None:
    """SUB-9."""
    observed = cluster(spec=strategy("NLB", subnets={"ids": [A, B]}))
    decision = planned(Wanted(subnets=CLEAR), REPORT, observed)
    body: Any = decision.steps[0].body["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert body["providerParameters"]["aws"]["networkLoadBalancer"] == {"subnets": None}
    assert decision.pending[0].want is None
