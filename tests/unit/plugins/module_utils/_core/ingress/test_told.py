# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A decision on what does not serve: no all-clear, no second arming, a wait where it may help (CORE-14, CORE-10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    TRANSACTION_PREFIX,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    B,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_decide import (
    codes,
    verbs,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_health import (
    UNAVAILABLE,
    seen,
)

MOVE = Wanted(subnets=Subnets((A, B)))
EXTERNAL = Wanted(scope="External")
SAME_AZ = "failed to ensure load balancer: ELB cannot be attached to multiple subnets in the same AZ."
PENDING = after_patch(cluster(spec=strategy("Classic")), lb_patch(scope="Internal"))
GOING = {"metadata": {"deletionTimestamp": "2025-11-16T12:00:00Z", "finalizers": ["x/y"]}}
UNSERVED: dict[str, Any] = {"status": None}


def live(observed: Observed, patch: dict[str, Any], *messages: str) -> Observed:
    about = {"involvedObject": {"uid": "uid-service"}, "reason": "SyncLoadBalancerFailed"}
    events = tuple({**about, "message": message} for message in messages)
    return replace(observed, service=merge_patch(observed.service, patch), events=events)


def made(kind: str = "Classic") -> Observed:
    return cluster(spec=strategy(kind))


def errors(decision: Decision) -> list[str]:
    return [finding.code for finding in decision.errors]


@pytest.mark.parametrize(
    ("observed", "wanted", "way", "verdict", "steps", "wrong"),
    [
        pytest.param(live(made(), UNSERVED), EXTERNAL, Way(), "in_progress", ["wait served"], [], id="being made"),
        pytest.param(
            live(made(), UNSERVED, SAME_AZ), EXTERNAL, Way(), "blocked", [], ["subnets_same_az"], id="refused for good"
        ),
        pytest.param(
            live(made(), UNSERVED, "try again"),
            EXTERNAL,
            Way(),
            "in_progress",
            ["wait served"],
            ["lb_refused"],
            id="refused; may pass",
        ),
        pytest.param(
            live(made(), UNSERVED, SAME_AZ),
            MOVE,
            Way("delete"),
            "recreate",
            ["patch ingresscontrollers", "wait admitted", "delete services", "wait recreated"],
            [],
            id="and this task mends it",
        ),
        pytest.param(
            live(made(), UNSERVED, SAME_AZ),
            MOVE,
            Way(),
            "recreate",
            ["patch ingresscontrollers", "wait admitted"],
            [],
            id="or begins to",
        ),
        pytest.param(
            live(PENDING, UNSERVED, SAME_AZ),
            Wanted(scope="Internal"),
            Way(),
            "recreate",
            [],
            ["subnets_same_az"],
            id="pending, and nothing is done about it",
        ),
        pytest.param(live(made(), GOING), EXTERNAL, Way(), "in_progress", ["wait served"], [], id="going"),
        pytest.param(
            live(PENDING, GOING),
            Wanted(scope="Internal"),
            Way("operator"),
            "in_progress",
            ["wait served"],
            [],
            id="going, and nothing is armed again",
        ),
        pytest.param(
            live(PENDING, GOING),
            Wanted(scope="Internal"),
            Way("delete"),
            "in_progress",
            ["wait served"],
            [],
            id="going, and nothing is deleted again",
        ),
        pytest.param(
            live(made(), GOING),
            Wanted(scope="Internal"),
            Way("delete"),
            "update_in_place",
            ["patch ingresscontrollers", "wait admitted", "wait served"],
            [],
            id="what spec says now comes with the new one",
        ),
        pytest.param(
            replace(made(), service=None), EXTERNAL, Way(), "in_progress", ["wait served"], [], id="none at all"
        ),
        pytest.param(
            seen(UNAVAILABLE, after=200),
            EXTERNAL,
            Way(),
            "in_progress",
            ["wait served"],
            ["ingress_unavailable"],
            id="the operator says that it is not available",
        ),
        pytest.param(
            seen(UNAVAILABLE, after=9000), EXTERNAL, Way(), "blocked", [], ["ingress_unavailable"], id="for hours"
        ),
    ],
)
def test_verdict_steps_and_errors(
    observed: Observed, wanted: Wanted, way: Way, verdict: str, steps: list[str], wrong: list[str]
) -> None:
    decision = planned(wanted, way, observed)
    assert (decision.verdict.value, verbs(decision), errors(decision)) == (verdict, steps, wrong)
    assert decision.message.startswith("Ingress is down: ")
    assert "othing is disrupted" not in decision.message


def test_a_change_that_mends_a_failure_still_tells_it() -> None:
    decision = planned(MOVE, Way("delete"), live(made(), UNSERVED, SAME_AZ))
    assert "subnets_same_az" in codes(decision)
    assert "would be recreated" in decision.message


def test_the_old_service_is_waited_for_by_its_uid_while_it_goes() -> None:
    (going,) = planned(EXTERNAL, Way(), live(made(), GOING)).steps
    (making,) = planned(EXTERNAL, Way(), live(made(), UNSERVED)).steps
    assert going.wait_for is not None
    assert making.wait_for is not None
    assert (going.wait_for.old_uid, making.wait_for.old_uid) == ("uid-service", "")


def test_the_events_of_the_old_one_are_quoted_while_it_goes() -> None:
    """And it is not called finished because there are none of a new one."""
    decision = planned(EXTERNAL, Way(), live(made(), GOING, "failed to delete load balancer: DependencyViolation"))
    (finding,) = decision.errors
    assert finding.code == "lb_stuck"
    assert "DependencyViolation" in finding.what


def test_nothing_differs_where_nothing_is_written() -> None:
    for observed in (live(made(), UNSERVED), live(made(), GOING), replace(made(), service=None)):
        decision = planned(EXTERNAL, Way(), observed)
        assert decision.before == decision.after


def test_what_a_stopped_run_left_is_tidied_up_even_where_a_failure_stays() -> None:
    """SUB-6: armed and forgotten is dangerous, whatever else is wrong; the failure is told after that."""
    armed = live(cluster(spec=strategy("Classic"), armed=f"{TRANSACTION_PREFIX}x"), UNSERVED, SAME_AZ)
    decision = planned(EXTERNAL, Way(), armed)
    assert (decision.verdict.value, verbs(decision), errors(decision)) == (
        "in_progress",
        ["disarm"],
        ["subnets_same_az"],
    )
    assert "left_armed" in {entry.code for entry in decision.effects}


def test_an_operator_that_has_not_taken_the_spec_up_is_waited_for() -> None:
    observed = made()
    ahead = replace(observed, ic=merge_patch(observed.ic, {"metadata": {"generation": 99}}))
    decision = planned(EXTERNAL, Way(), ahead)
    assert (decision.verdict.value, verbs(decision)) == ("in_progress", ["wait admitted"])
    assert "has not taken up the newest spec" in decision.message


@pytest.mark.parametrize(("message", "steps"), [("try again", ["wait readdressed"]), ("AccessDenied: no", [])])
def test_a_change_in_place_that_the_cloud_refuses_is_not_in_sync(message: str, steps: list[str]) -> None:
    internal = strategy(scope="Internal")
    published = {"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.9"}]}}}
    decision = planned(
        Wanted(scope="Internal"), Way(), live(cluster(platform="GCP", spec=internal), published, message)
    )
    assert (decision.verdict.value, verbs(decision)) == ("in_progress" if steps else "blocked", steps)
    assert decision.message.startswith("Ingress still has the old load balancer (203.0.113.9).")
