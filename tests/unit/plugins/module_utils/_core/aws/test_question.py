# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was not asked, or not answered, is told: how gravely depends on what is planned (Safe ingress 10, 14)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    SKIPPED,
    AwsAnswer,
    AwsFacts,
    AwsLoadBalancer,
    Unanswered,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.preflight import WantedLb
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import (
    AwsQuestion,
    answered,
    disrupts,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Step,
    Target,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra

LOOK = AwsQuestion(Infra("AWS", "infra", "us-east-1"), WantedLb("NLB", "Internal"))
MAKE = replace(LOOK, whole=True)
TAKE = replace(MAKE, disrupts=True)
NOBODY = AwsAnswer(whole=True)
QUOTA = Unanswered("quota", "No.", "Allow it.", essential=False)
ROUTES = Unanswered("routes", "No.", "Allow it.")


def part(missing: Unanswered) -> AwsAnswer:
    return AwsAnswer(AwsFacts("vpc-1", unanswered=(missing,)), (missing,), whole=True)


ROWS: dict[str, tuple[AwsQuestion, AwsAnswer, list[tuple[str, str]]]] = {
    "no credentials, nothing to do": (LOOK, NOBODY, [("aws_not_asked", "info")]),
    "no credentials, a plan": (MAKE, NOBODY, [("aws_not_asked", "warning")]),
    "no credentials, an outage": (TAKE, NOBODY, [("aws_not_asked", "error")]),
    "no credentials, required": (LOOK, replace(NOBODY, required=True), [("aws_not_asked", "error")]),
    "skipped on purpose": (TAKE, SKIPPED, [("preflight_skipped", "info")]),
    "one part refused": (MAKE, part(ROUTES), [("preflight_unanswered", "warning")]),
    "an essential part refused, an outage": (TAKE, part(ROUTES), [("preflight_unanswered", "error")]),
    "a lesser part refused, an outage": (TAKE, part(QUOTA), [("preflight_unanswered", "warning")]),
    "a lesser part refused, required": (
        LOOK,
        replace(part(QUOTA), required=True),
        [("preflight_unanswered", "error")],
    ),
    "no VPC, a plan": (MAKE, AwsAnswer(AwsFacts(), whole=True), [("vpc_unknown", "warning")]),
    "no VPC, an outage": (TAKE, AwsAnswer(AwsFacts(), whole=True), [("vpc_unknown", "error")]),
    "no VPC, required": (MAKE, AwsAnswer(AwsFacts(), whole=True, required=True), [("vpc_unknown", "error")]),
    "the cluster's own region": (LOOK, AwsAnswer(AwsFacts(), region="us-east-1"), []),
    "another region": (LOOK, AwsAnswer(AwsFacts(), region="eu-west-1"), [("region_differs", "warning")]),
}


@pytest.mark.parametrize("case", ROWS)
def test_what_was_not_asked(case: str) -> None:
    question, answer, expected = ROWS[case]
    found = [entry for entry in answered(question, answer) if entry.code != "no_suitable_subnets"]
    assert [(entry.code, entry.severity.value) for entry in found] == expected
    assert all(entry.remedy for entry in found)
    if ("aws_not_asked", "error") in expected or ("preflight_unanswered", "error") in expected:
        assert "preflight: skip" in found[0].remedy


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (Decision(Target("Service", "x"), Verdict.RECREATE, ""), False),
        (
            Decision(
                Target("Service", "x"),
                Verdict.RECREATE,
                "",
                steps=(Step("kube", "delete", "services", "x", disruption=Disruption.OUTAGE),),
            ),
            True,
        ),
        (Decision(Target("Service", "x"), Verdict.UPDATE_IN_PLACE, "", later=Disruption.OUTAGE), True),
    ],
)
def test_what_disrupts(decision: Decision, expected: bool) -> None:
    assert disrupts(decision) is expected


def test_one_that_another_controller_makes_is_not_checked() -> None:
    """CLS-4: whether the old one may go is asked all the same."""
    protected = AwsAnswer(AwsFacts(vpc="", lb=LB, protected=True), whole=True)
    codes = {finding.code for finding in answered(replace(TAKE, comes=False), protected)}
    assert codes == {"deletion_protection"}
    assert codes < {finding.code for finding in answered(TAKE, protected)}


LB = AwsLoadBalancer("a1", "NLB", "a1.elb.example", "Internal", "vpc-1")
