# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""wanted + observed → what is done, told and refused; a stopped run is brought to its end (CLS-1…6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import Holder
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.decide import decide, planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import (
    ObservedClass,
    WantedClass,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.watched import ClassQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    OTHER,
    flipped,
    keeping,
    observed,
    second,
    seen,
    service,
    verbs,
    want,
)

FLIP = [
    "create configmaps",
    "patch services",
    "wait cleaned",
    "patch services",
    "wait ready",
    "delete configmaps",
]
RECREATION = [
    "create configmaps",
    "delete services",
    "wait gone",
    "wait cleaned",
    "create services",
    "wait ready",
    "delete configmaps",
]
MOVED = want(way="side_by_side", moved_because="seen")
BESIDE = want(way="side_by_side")


def decided(wanted: WantedClass, found: ObservedClass, waits: bool = True) -> Decision:
    decision = decide(wanted, found, waits)
    assert isinstance(decision, Decision)
    return decision


@pytest.mark.parametrize(
    ("have", "wanted", "verdict", "steps"),
    [
        (CLASS, want(), "in_sync", []),
        (None, want(None), "in_sync", []),
        (None, want(), "recreate", FLIP),
        (OTHER, want(), "recreate", FLIP),
        (OTHER, want(None), "recreate", FLIP),
        (None, want(way="recreate"), "recreate", RECREATION),
        (None, want(way="report"), "recreate", []),
        (None, BESIDE, "update_in_place", ["create services", "wait serves"]),
    ],
)
def test_what_a_class_takes(have: str | None, wanted: WantedClass, verdict: str, steps: list[str]) -> None:
    """CLS-1: unset to set is no easier than set to another."""
    found = observed(service(have), "GCP", evidence=seen(wanted.lb_class))
    decision = decided(wanted, found)
    assert (decision.verdict.value, verbs(decision)) == (verdict, steps)


def test_the_cluster_is_asked_before_a_first_step_and_only_then() -> None:
    assert isinstance(decide(want(), observed(service())), ClassQuestion)
    assert isinstance(decide(want(), observed(service(), evidence=seen(OTHER))), ClassQuestion)
    assert isinstance(decide(want(), observed(service(CLASS))), Decision)
    assert isinstance(decide(want(), flipped(service())), Decision)


def test_nobody_watches_so_nothing_is_taken_away() -> None:
    decision = decided(want(), observed(service(), evidence=seen(workloads=())))
    assert (decision.verdict.value, decision.steps) == ("blocked", ())


def test_another_run_is_at_work() -> None:
    holder = Holder("other", "now", 1.0, 60)
    assert [one.code for one in planned(want(), observed(service(), holder=holder)).errors] == ["locked"]


def test_a_flip_that_was_stopped_is_finished_without_any_allowance() -> None:
    decision = decided(want(), flipped(service(OTHER)))
    assert verbs(decision) == FLIP[2:]
    assert {step.disruption.value for step in decision.steps} == {"none"}
    assert [one.code for one in decision.effects] == ["restored"]


@pytest.mark.parametrize(
    ("wanted", "lb_class", "stages"), [(want(way="recreate"), CLASS, False), (BESIDE, OTHER, True)]
)
def test_a_service_that_is_away_comes_back(wanted: WantedClass, lb_class: str, stages: bool) -> None:
    """Issue, faults: with the class asked for; beside a second one as it was, and then goes on."""
    decision = decided(wanted, observed(None, kept=keeping(service(OTHER), "recreate")))
    assert verbs(decision) == ["wait cleaned", "create services", "wait ready", "delete configmaps"]
    assert decision.steps[1].body["spec"]["loadBalancerClass"] == lb_class
    assert decision.steps[1].body["spec"]["clusterIP"] == "10.96.0.9"
    assert decision.more_stages is stages


def test_the_kept_manifest_of_a_service_on_its_way_out_may_be_spoilt() -> None:
    going = service(OTHER)
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    config = keeping(service(OTHER), "recreate")
    config["data"]["manifest.json"] = "{"
    decision = decided(want(way="recreate"), observed(going, kept=config))
    assert verbs(decision)[:3] == ["replace configmaps", "wait gone", "wait cleaned"]


def test_only_the_tidying_is_left() -> None:
    found = observed(service(CLASS), kept=keeping(service(), "type_flip"))
    assert verbs(decided(want(), found)) == ["delete configmaps"]


def test_without_waiting_the_manifest_stays_until_it_serves() -> None:
    found = observed(service(), "GCP", evidence=seen())
    assert verbs(decided(want(), found, waits=False)) == FLIP[:-1]


def both(**more: Any) -> ObservedClass:
    return observed(service(), "GCP", **{"successor": second(), "endpoints": 2, **more})


def test_both_serve_and_a_person_moves_traffic() -> None:
    decision = decided(BESIDE, both())
    assert (decision.verdict.value, decision.steps, decision.pending) == ("in_progress", (), ())
    assert "old.example.com → new.example.com" in decision.message
    assert decision.standing["handover"]["to"]["name"] == "front-next"


def test_the_second_one_does_not_serve_yet() -> None:
    decision = decided(BESIDE, both(endpoints=0))
    assert (decision.verdict.value, verbs(decision)) == ("in_progress", ["wait serves"])


def test_the_first_one_is_retired_when_told() -> None:
    decision = decided(MOVED, both())
    assert verbs(decision) == [
        "create configmaps",
        "delete services",
        "wait gone",
        "wait cleaned",
        "delete configmaps",
    ]
    assert (decision.disruption.value, decision.after["classes"]) == ("brief", {"front-next": CLASS})


@pytest.mark.parametrize("wanted", [MOVED, BESIDE, want(way="report")])
def test_what_is_retired_stays_so(wanted: WantedClass) -> None:
    decision = decided(wanted, observed(None, successor=second(), endpoints=2))
    assert (decision.verdict.value, decision.steps) == ("in_sync", ())


def test_a_stopped_retirement_is_finished_only_if_it_is_still_told() -> None:
    found = observed(None, kept=keeping(service(OTHER), "side_by_side"), successor=second(), endpoints=2)
    assert verbs(decided(MOVED, found)) == ["wait cleaned", "delete configmaps"]
    back = decided(BESIDE, found)
    assert "create services" in verbs(back)
    assert back.steps[1].body["spec"]["loadBalancerClass"] == OTHER


def test_the_manifest_of_a_retirement_that_was_never_begun_is_forgotten() -> None:
    assert verbs(decided(BESIDE, both(kept=keeping(service(), "side_by_side")))) == ["delete configmaps"]


def test_a_class_without_an_address_is_waited_for() -> None:
    decision = decided(want(), observed(service(CLASS, "")))
    assert (decision.verdict.value, verbs(decision)) == ("in_progress", ["wait ready"])
    assert "class_unwatched" in {one.code for one in decision.findings}


def test_what_went_to_another_service_and_what_is_left_is_told() -> None:
    found = replace(observed(service(CLASS)), taken=("spec.healthCheckNodePort 31000",), left=("a123",))
    assert {one.code for one in decided(want(), found).findings} == {"allocation_taken", "lb_left_behind"}
