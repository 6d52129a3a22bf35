# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine with a fake topic: rounds, questions, refusals, conflicts, tidying, lost answers, stages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Severity,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Topic
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Conflict,
    Locked,
    NotAsPlanned,
    Orphaned,
    PortError,
    Unreachable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Gate
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.fake_topic import (
    TARGET,
    Fake,
    HowManyQuestion,
    Key,
    World,
    failure,
    perform,
    sync,
    towards,
    write,
)


def test_nothing_to_do_is_one_look_and_no_change() -> None:
    topic = Fake(towards(0))
    told = perform(topic)
    assert (told["changed"], told["verdict"], told["steps"], told["reported"]) == (False, "in_sync", [], "as wanted")
    assert topic.log == ["read"]


def test_a_change_is_made_and_looked_at_again() -> None:
    topic = Fake(towards(7))
    told = perform(topic)
    assert topic.log == ["read", "begin", "patch 7", "read"]
    assert (told["changed"], told["before"], told["after"]) == (True, {"value": 0}, {"value": 7})
    assert (told["message"], told["now"]) == ("as wanted", 7)  # as it stands, not as it was planned
    assert told["diff"] == {"before": {"value": 0}, "after": {"value": 7}}


def test_check_mode_writes_nothing_and_tells_the_plan() -> None:
    topic = Fake(towards(7))
    told = perform(topic, Gate(check_mode=True))
    assert topic.log == ["read"]
    assert (told["changed"], told["verdict"], len(told["steps"])) == (True, "update_in_place", 1)


def test_a_question_is_answered_before_there_is_a_decision() -> None:
    topic = Fake(lambda world: towards(7)(world) if world.asked else HowManyQuestion())
    assert perform(topic)["changed"]
    assert topic.log == ["read", "ask", "begin", "patch 7", "read", "ask"]  # what was said before the change is old


def test_a_question_that_no_answer_satisfies_is_our_mistake() -> None:
    with pytest.raises(RuntimeError, match="asked again"):
        perform(Fake(lambda _world: HowManyQuestion()))


def test_a_topic_that_asks_must_be_able_to_answer() -> None:
    with pytest.raises(TypeError, match="nobody to ask"):
        Topic.ask(Fake(towards(0)), HowManyQuestion(), World())


@pytest.mark.parametrize("verdict", [Verdict.BLOCKED, Verdict.INVALID])
def test_what_is_blocked_or_invalid_is_refused_with_everything_known(verdict: Verdict) -> None:
    finding = Finding("bad", Severity.ERROR, "spec", "is bad.", "Mend it.")
    topic = Fake(lambda _world: Decision(TARGET, verdict, "no", findings=(finding,)))
    failed = failure(topic)
    assert str(failed) == "spec: is bad. Mend it."
    assert (failed.result["error_code"], failed.result["changed"]) == (verdict.value, False)
    assert [one["code"] for one in failed.result["findings"]] == ["bad"]
    assert topic.log == ["read", "refused"]


def test_in_check_mode_nobody_is_told_of_a_refusal() -> None:
    topic = Fake(lambda _world: Decision(TARGET, Verdict.BLOCKED, "no"))
    failure(topic, Gate(check_mode=True))
    assert topic.log == ["read"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_what_is_not_allowed_is_refused_before_the_first_write(check_mode: bool) -> None:
    topic = Fake(towards(7, disruption=Disruption.OUTAGE))
    failed = failure(topic, Gate(check_mode, Disruption.BRIEF))
    assert failed.result["error_code"] == "disruption_not_allowed"
    assert failed.result["findings"][-1]["code"] == "disruption_not_allowed"
    assert "patch 7" not in topic.log


def test_a_later_stage_is_asked_for_before_the_first() -> None:
    """CORE-3."""
    topic = Fake(towards(7, more_stages=True, later=Disruption.OUTAGE))
    assert failure(topic, Gate(allowed=Disruption.BRIEF)).result["error_code"] == "disruption_not_allowed"
    assert "patch 7" not in topic.log


def test_only_the_reviewed_plan_is_carried_out() -> None:
    """CORE-8."""
    print_of = perform(Fake(towards(7)), Gate(check_mode=True))["fingerprint"]
    assert perform(Fake(towards(7)), Gate(fingerprint=print_of))["fingerprint"] == print_of
    assert failure(Fake(towards(8)), Gate(fingerprint=print_of)).result["error_code"] == "stale_plan"


def test_what_disrupts_is_looked_at_again_right_before() -> None:
    topic = Fake(towards(7, disruption=Disruption.BRIEF))
    perform(topic)
    assert topic.log == ["read", "begin", "recheck", "patch 7", "read"]


def test_so_is_what_nothing_undoes() -> None:
    final = write(7, point_of_no_return=True)
    plan = Decision(TARGET, Verdict.UPDATE_IN_PLACE, "to do", steps=(final,))
    topic = Fake(lambda world: sync() if world.value == 7 else plan)
    perform(topic)
    assert topic.log == ["read", "begin", "recheck", "patch 7", "read"]
    assert topic.key.log == ["acquire", "hold firmly", "release"]


@pytest.mark.parametrize("later", [None, Unreachable("It is away.")])
def test_a_task_that_fails_half_way_says_what_it_has_done(later: PortError | None) -> None:
    """Refused in the second round, or failed in the second write."""
    blocked = Decision(TARGET, Verdict.BLOCKED, "no", findings=(Finding("x", Severity.ERROR, "t", "It may not."),))

    def decide(world: World) -> Decision:
        if world.value == 0:
            return Decision(TARGET, Verdict.UPDATE_IN_PLACE, "to do", steps=(write(1),))
        return blocked if later is None else Decision(TARGET, Verdict.UPDATE_IN_PLACE, "to do", steps=(write(2),))

    topic = Fake(decide, problems=[None, later], settles=True, done="1 thing was written.")
    ended = failure(topic)
    assert str(ended).startswith("1 thing was written. ")
    assert ended.result["changed"]


def test_a_run_that_writes_holds_the_lock_and_one_that_does_not_never_asks_for_it() -> None:
    """CORE-11."""
    quiet, writing = Fake(towards(0)), Fake(towards(7, disruption=Disruption.BRIEF))
    perform(quiet)
    perform(writing)
    assert (quiet.key.log, writing.key.log) == ([], ["acquire", "hold firmly", "release"])
    checked = Fake(towards(7))
    perform(checked, Gate(check_mode=True))
    assert checked.key.log == []


def test_a_lock_that_another_run_has_is_respected_before_the_first_write() -> None:
    topic = Fake(towards(7), key=Key(Locked("ann has it.", "Wait.")))
    failed = failure(topic)
    assert (str(failed), failed.result["error_code"], failed.result["changed"]) == (
        "ann has it. Wait.",
        "locked",
        False,
    )
    assert "patch 7" not in topic.log
    assert topic.key.log == ["acquire"]


def test_a_lost_lock_ends_a_run_before_its_next_write() -> None:
    steps = (write(1), write(2), replace(write(0), always=True))
    topic = Fake(lambda _world: Decision(TARGET, Verdict.RECREATE, "to do", steps=steps), key=Key(lost_after=1))
    assert failure(topic).result["error_code"] == "lock_lost"
    assert topic.world.value == 1
    assert topic.key.log[-1] == "release"


def test_nobody_writes_for_a_parent_that_is_gone() -> None:
    def gone() -> None:
        raise Orphaned("It is gone.")

    topic = Fake(towards(7))
    assert failure(topic, Gate(still_wanted=gone)).result["error_code"] == "orphaned"
    assert "patch 7" not in topic.log


def test_what_a_task_only_claims_is_looked_at_before_the_first_write() -> None:
    """A wrong claim must not switch the gate off: what is found is decided on again."""
    topic = Fake(towards(7), claims=[World(7)])
    assert perform(topic)["changed"] is False
    assert topic.log == ["read"]


def test_nothing_is_taken_away_twice_in_one_task() -> None:
    topic = Fake(lambda world: towards(world.value + 1, disruption=Disruption.OUTAGE)(world), settles=True)
    failed = failure(topic)
    assert failed.result["error_code"] == "not_holding"
    assert "not taken away twice" in str(failed)
    assert [entry for entry in topic.log if entry.startswith("patch")] == ["patch 1"]


def test_but_a_change_in_two_stages_may() -> None:
    def decide(world: World) -> Decision:
        if world.value == 2:
            return sync()
        return towards(world.value + 1, disruption=Disruption.OUTAGE, more_stages=world.value == 0)(world)

    assert len(perform(Fake(decide))["steps"]) == 2


def test_a_stage_is_over_though_its_tidying_up_met_a_conflict() -> None:
    def decide(world: World) -> Decision:
        if world.value != 0:
            return towards(2, disruption=Disruption.OUTAGE)(world)
        steps = (write(1, disruption=Disruption.OUTAGE), write(1, always=True))
        return Decision(TARGET, Verdict.RECREATE, "to do", Disruption.OUTAGE, steps=steps, more_stages=True)

    topic = Fake(decide, problems=[None, *([NotAsPlanned("somebody took it over")] * 2)])
    assert [step["body"]["value"] for step in perform(topic)["steps"]] == [1, 2]


def test_a_conflict_is_decided_on_anew_with_what_the_cloud_said() -> None:
    topic = Fake(towards(7), problems=[Conflict("moved on")], lands=False)
    assert perform(topic)["changed"]
    assert topic.log == ["read", "begin", "patch 7", "read again", "begin", "patch 7", "read"]


def test_a_world_that_never_rests_ends_in_a_sentence() -> None:
    topic = Fake(towards(7), problems=[Conflict(f"moved on {number}") for number in range(20)], lands=False)
    failed = failure(topic)
    assert "10 times in a row" in str(failed)
    assert "moved on 9" in str(failed)
    assert (failed.result["error_code"], failed.result["changed"]) == ("conflict", False)


def test_what_does_not_hold_is_not_written_for_ever() -> None:
    topic = Fake(towards(7), settles=True, meddle=lambda world: replace(world, value=3))
    failed = failure(topic)
    assert (failed.result["error_code"], failed.result["changed"]) == ("not_holding", True)
    assert topic.log.count("patch 7") == 2


def test_stages_go_on_until_the_last() -> None:
    def decide(world: World) -> Decision:
        return towards(world.value + 1, more_stages=world.value == 0)(world) if world.value < 2 else sync()

    topic = Fake(decide)
    assert len(perform(topic)["steps"]) == 2
    assert [entry for entry in topic.log if entry.startswith("patch")] == ["patch 1", "patch 2"]


def test_one_that_settles_is_looked_at_until_nothing_is_left() -> None:
    topic = Fake(towards(7), settles=True)
    perform(topic)
    assert topic.log == ["read", "begin", "patch 7", "read"]
