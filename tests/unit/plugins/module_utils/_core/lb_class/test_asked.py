# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before anything is taken away the cluster, the server and AWS are asked (CLS-4, CLS-6, SUB-3)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsAnswer, AwsFacts
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import AwsQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import asked
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import WantedClass
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.watched import Probe
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    observed,
    second,
    seen,
    service,
    want,
)

EXTERNAL = {"service.beta.kubernetes.io/aws-load-balancer-type": "external"}


def test_what_is_rehearsed_is_a_service_like_this_one() -> None:
    question = asked.question(want(), observed(service()))
    assert (question.lb_class, question.service) == (CLASS, "shop/front")
    assert question.rehearsed["spec"]["loadBalancerClass"] == CLASS
    assert question.rehearsed["metadata"]["name"] == "front-rehearsed"
    assert "clusterIP" not in question.rehearsed["spec"]
    assert question.taker == CLASS
    by_annotation = {**EXTERNAL, "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type": "ip"}
    given_away = asked.question(want(None), observed(service(CLASS, annotations=by_annotation)))
    assert (given_away.lb_class, given_away.taker) == (None, "service.k8s.aws/nlb")


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        ({"evidence": seen()}, want(), []),
        ({"evidence": None}, want(), []),
        ({"evidence": seen(workloads=())}, want(), [("class_unwatched", "error")]),
        ({"evidence": seen(None)}, want(None), []),
        ({"evidence": seen(None), "platform": "BareMetal"}, want(None), [("class_unwatched", "error")]),
        (
            {"evidence": seen(None), "platform": "BareMetal"},
            want(None, allow_unwatched="none"),
            [("class_unwatched", "warning")],
        ),
        ({"evidence": seen(None, serving=("Service a/b",)), "platform": "BareMetal"}, want(None), []),
        ({"evidence": seen(probe=Probe())}, want(way="recreate"), [("class_dropped", "error")]),
    ],
)
def test_what_follows_from_the_evidence(
    found: dict[str, Any], wanted: WantedClass, expected: list[tuple[str, str]]
) -> None:
    told = asked.judged(wanted, observed(service("a.example/b"), **found))
    assert [(one.code, one.severity.value) for one in told] == expected


def test_without_a_class_an_annotation_may_leave_it_to_nobody() -> None:
    (told,) = asked.judged(want(None), observed(service(CLASS, annotations=EXTERNAL), evidence=seen(None)))
    assert (told.code, told.severity.value) == ("class_unwatched", "error")


def aws(wanted: WantedClass, **found: Any) -> Decision | AwsQuestion:
    given = observed(**{"found": service(), "aws": None, **found})
    answer = asked.asked_of_aws(planned(wanted, given), wanted, given)
    assert isinstance(answer, (Decision, AwsQuestion))
    return answer


@pytest.mark.parametrize(
    ("wanted", "found", "disrupts", "comes"),
    [
        (want(), {}, True, False),
        (want(way="report"), {}, False, False),
        (want(None, "recreate"), {"found": service(CLASS)}, True, True),
        (want(None, "side_by_side"), {"found": service(CLASS)}, False, True),
        (want(way="side_by_side", moved_because="seen"), {"successor": second(), "endpoints": 1}, True, False),
    ],
)
def test_what_aws_is_asked(wanted: WantedClass, found: dict[str, Any], disrupts: bool, comes: bool) -> None:
    question = aws(wanted, **found)
    assert isinstance(question, AwsQuestion)
    assert (question.whole, question.disrupts, question.comes) == (True, disrupts, comes)


@pytest.mark.parametrize(("wanted", "platform"), [(want(), "GCP"), (want(way="side_by_side"), "AWS")])
def test_when_aws_has_nothing_to_say(wanted: WantedClass, platform: str) -> None:
    assert isinstance(aws(wanted, platform=platform), Decision)


def test_a_load_balancer_is_not_taken_away_on_a_guess() -> None:
    decision = aws(want(), aws=AwsAnswer(whole=True))
    assert isinstance(decision, Decision)
    assert (decision.verdict.value, [one.code for one in decision.errors]) == ("blocked", ["aws_not_asked"])
    good = aws(want(), aws=AwsAnswer(AwsFacts(), whole=True))
    assert isinstance(good, Decision)
    assert good.verdict.value == "recreate"
