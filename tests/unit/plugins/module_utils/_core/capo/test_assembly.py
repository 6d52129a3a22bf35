# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From lanes to one decision: order, verdict, what is told (CORE-2)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.assembly import Assembly, Lane, refuse
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Severity,
    Step,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import seen, want

WAIT = Step("octavia", "wait", "load_balancer", "lb", why="it is PENDING")
ERROR = Finding("broken", Severity.ERROR, "lb", "it is broken.")


def write(name: str, disruption: Disruption = Disruption.NONE) -> Step:
    back = Step("octavia", "update", "pool", f"back of {name}")
    return Step("octavia", "update", "pool", name, disruption=disruption, undo=(back,))


def lane(name: str, *steps: Step, **more: object) -> Lane:
    return Lane(name, list(steps), **more)  # type: ignore[arg-type]


def decided(*phases: list[Lane], **more: object) -> Decision:
    work = Assembly(list(phases), **more)  # type: ignore[arg-type]
    return work.decision(want("az1"), {}, {}, {"counts": {}}, "As wanted.")


def test_zones_are_lanes_of_one_phase_so_that_they_can_be_built_side_by_side() -> None:
    decision = decide(want("az1", "az2", "az3"), seen())
    assert [step.lane for step in decision.steps] == ["az1", "az1", "az2", "az2", "az3", "az3", "record"]
    assert [step.phase for step in decision.steps] == [0, 0, 0, 0, 0, 0, 1]


def test_steps_learn_their_lane_and_phase_and_empty_phases_do_not_count() -> None:
    decision = decided([lane("a", write("1"), write("2")), lane("b", write("3"))], [lane("c")], [lane("a", write("4"))])
    assert [(step.name, step.lane, step.phase) for step in decision.steps] == [
        ("1", "a", 0),
        ("2", "a", 0),
        ("3", "b", 0),
        ("4", "a", 1),
    ]


def test_what_was_done_last_is_taken_back_first() -> None:
    undo = decided([lane("a", write("1"))], [lane("b", write("2"))], [lane("c", write("3"))]).undo
    assert [(step.name, step.lane, step.phase) for step in undo] == [
        ("back of 3", "c", -2),
        ("back of 2", "b", -1),
        ("back of 1", "a", 0),
    ]


def test_the_worst_step_is_the_decisions_disruption() -> None:
    assert decided([lane("a", write("1"), write("2", Disruption.BRIEF))]).disruption is Disruption.BRIEF


@pytest.mark.parametrize(
    ("lanes", "verdict"),
    [
        ([], Verdict.IN_SYNC),
        ([lane("a", WAIT, stuck=True)], Verdict.IN_PROGRESS),
        ([lane("a", write("1"))], Verdict.UPDATE_IN_PLACE),
        ([lane("a", write("1")), lane("b", write("2"), verdict=Verdict.ADOPT)], Verdict.ADOPT),
        ([lane("a", write("1"), verdict=Verdict.RECREATE), lane("b", write("2"), verdict=Verdict.ADOPT)], "recreate"),
        ([lane("a", verdict=Verdict.RECREATE), lane("b", write("2"))], Verdict.UPDATE_IN_PLACE),
        ([lane("a", findings=[ERROR], stuck=True)], Verdict.BLOCKED),
        ([lane("a", findings=[ERROR], stuck=True), lane("b", write("2"))], Verdict.UPDATE_IN_PLACE),
    ],
)
def test_the_verdict_is_that_of_the_lanes_with_work(lanes: list[Lane], verdict: Verdict) -> None:
    decision = decided(lanes)
    assert decision.verdict == verdict
    assert bool(decision.errors) is (verdict is Verdict.BLOCKED)


def test_a_lane_that_cannot_be_worked_on_is_a_warning_beside_others() -> None:
    (told,) = decided([lane("a", findings=[ERROR]), lane("b", write("1"))]).findings
    assert (told.code, told.severity) == ("broken", Severity.WARNING)


def test_what_the_caller_has_to_say_is_waited_for() -> None:
    decision = decided([lane("a")], awaiting=("traffic_moved",))
    assert (decision.verdict, plain(decision.details)["awaiting"]) == (Verdict.IN_PROGRESS, ["traffic_moved"])
    assert "traffic_moved" in decision.message


@pytest.mark.parametrize(
    ("lanes", "message"),
    [
        ([], "As wanted."),
        ([lane("a", WAIT)], "It is PENDING."),
        ([lane("a", write("1"), write("2"))], "2 parts of load balancers would be changed in place."),
        ([lane("a", write("1"), findings=[ERROR])], "1 part of a load balancer would be changed in place."),
        ([lane("a", findings=[ERROR])], "lb: it is broken."),
    ],
)
def test_one_sentence_says_it(lanes: list[Lane], message: str) -> None:
    assert decided(lanes).message == message


def test_drift_is_told_by_lane() -> None:
    zone = lane("az1", write("1"))
    zone.note("members", {"stale": ["10.0.0.1"]}, [], 6443)
    zone.note("name", "old", "new")
    assert plain(decided([zone]).details)["drift"] == [
        {"lane": "az1", "kind": "members", "have": {"stale": ["10.0.0.1"]}, "want": [], "port": 6443},
        {"lane": "az1", "kind": "name", "have": "old", "want": "new"},
    ]


def test_what_is_put_off_gets_a_phase_of_its_own() -> None:
    work = Assembly([[lane("a", write("1"), later=[write("2")]), lane("b", write("3"))]])
    assert work.drain(wait=False)
    assert [(step.name, step.lane, step.phase) for step in work.steps()] == [
        ("1", "a", 0),
        ("3", "b", 0),
        ("2", "a", 1),
    ]


def test_or_is_put_off_further_and_told() -> None:
    work = Assembly([[lane("a", write("1"), later=[write("2")])]])
    assert not work.drain(wait=True)
    assert [step.name for step in work.steps()] == ["1"]
    assert [finding.code for finding in work.findings] == ["members_stay"]


def test_a_refusal_writes_nothing_and_tells_the_first_reason() -> None:
    decision = refuse(want("az1"), Verdict.BLOCKED, [ERROR, ERROR], {"counts": {"zones": 1}})
    assert (decision.verdict, decision.steps) == (Verdict.BLOCKED, ())
    assert decision.message == "lb: it is broken. (and 1 more)"
    assert plain(decision.standing) == {"counts": {"zones": 1}}
    assert str(decision.target) == "CapoApiLoadBalancers default/demo"
