# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the engine ends: failures, lost answers, what must not stay behind, what is still under way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Pending,
    Severity,
    Step,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Conflict,
    OutcomeUnknown,
    PortError,
    Unreachable,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.fake_topic import (
    TARGET,
    Decide,
    Fake,
    Key,
    World,
    failure,
    perform,
    sync,
    towards,
    write,
)


def test_a_failure_tells_the_plan_and_what_was_done_of_it() -> None:
    steps = (write(1), write(2), write(3))
    topic = Fake(
        lambda _world: Decision(TARGET, Verdict.UPDATE_IN_PLACE, "to do", steps=steps),
        problems=[None, Unreachable("It is gone.", "Look.")],
    )
    failed = failure(topic)
    assert str(failed) == "It is gone. Look."
    told = failed.result
    assert (told["error_code"], told["changed"], [step["body"]["value"] for step in told["steps"]]) == (
        "unreachable",
        True,
        [1],
    )
    assert told["findings"][-1]["what"] == "It is gone."


@pytest.mark.parametrize("landed", [True, False])
def test_a_lost_answer_is_a_change_where_it_is_seen_to_be_one(landed: bool) -> None:
    topic = Fake(towards(7), problems=[OutcomeUnknown("No answer.", "Run again.")], lands=landed)
    told = failure(topic).result
    assert (told["error_code"], told["changed"], len(told["steps"])) == ("outcome_unknown", landed, int(landed))
    assert perform(Fake(towards(7), world=topic.world))["changed"] is not landed  # the next run finds it done, or not


def test_a_lost_answer_counts_where_nobody_can_look() -> None:
    class Blind(Fake):
        def read(self, knowing: World | None = None) -> World:
            if self.log:
                raise Unreachable("Gone.")
            return super().read(knowing)

    told = failure(Blind(towards(7), problems=[OutcomeUnknown("No answer.")])).result
    assert (told["changed"], told["message"]) == (True, "What is there now could not be read.")


@pytest.mark.parametrize(("loses", "changed"), [(True, True), (False, False)])
def test_a_conflict_with_ones_own_lost_try_is_a_change(loses: bool, changed: bool) -> None:
    """The write was carried out, its answer was 500, and sending it again met what it had made (Safe CAPO 13)."""
    topic = Fake(towards(7), problems=[Conflict("not as it was")], loses=loses)
    told = perform(topic)
    assert (told["changed"], told["verdict"]) == (changed, "in_sync")
    assert ("found done" in topic.log) is changed
    assert bool(told["steps"]) is changed


def test_what_got_lost_and_is_still_to_do_is_told_once() -> None:
    topic = Fake(towards(7), problems=[Conflict("not as it was")], loses=True, lands=False)
    told = perform(topic)
    assert (told["changed"], len(told["steps"])) == (True, 1)
    assert "found done" not in topic.log


def test_a_failure_before_there_is_a_plan_has_the_same_shape() -> None:
    def unreachable(_world: World) -> Decision:
        raise Unreachable("No connection.", "Check the address.")

    told = failure(Fake(unreachable)).result
    assert (told["changed"], told["error_code"]) == (False, "unreachable")
    assert told["findings"][0]["code"] == "unreachable"


def test_what_must_not_stay_behind_is_tidied_up() -> None:
    steps = (write(1), write(2), replace(write(0), always=True))
    topic = Fake(
        lambda _world: Decision(TARGET, Verdict.RECREATE, "to do", steps=steps), problems=[None, PortError("broken")]
    )
    told = failure(topic).result
    assert [step["body"]["value"] for step in told["steps"]] == [1, 0]
    assert topic.world.value == 0


def armed_for_long() -> tuple[Step, ...]:
    return (write(1, disruption=Disruption.OUTAGE), write(2), write(0, always=True))


@pytest.mark.parametrize("conflicts", [1, 3])
def test_tidying_up_is_tried_again_whoever_writes_in_between(conflicts: int) -> None:
    """Safe ingress 9: what is left armed makes the next edit of anybody an outage."""
    topic = Fake(
        lambda _world: Decision(TARGET, Verdict.RECREATE, "to do", steps=armed_for_long()),
        problems=[None, PortError("broken"), *([Conflict("moved on")] * conflicts)],
        lands=False,
    )
    told = failure(topic).result
    assert (topic.world.value, [step["body"]["value"] for step in told["steps"]]) == (0, [1, 0])


@pytest.mark.parametrize("problem", [PortError("forbidden now"), Conflict("moved on"), Unreachable("gone")])
def test_what_cannot_be_tidied_up_is_said_first_with_its_command(problem: PortError) -> None:
    topic = Fake(
        lambda _world: Decision(TARGET, Verdict.RECREATE, "to do", steps=armed_for_long()),
        problems=[None, Conflict("moved on"), *([problem] * 9)],
        lands=False,
    )
    failed = failure(topic)
    assert str(failed).startswith("Thing t: It is armed. Take it away: disarm t")
    assert failed.result["commands"] == ["disarm t"]
    assert failed.result["findings"][0]["code"] == "left_armed"
    assert "begin" in topic.log
    assert topic.log.count("begin") == 1, "nothing new is begun over it"


def test_nothing_is_tidied_up_after_what_was_never_begun() -> None:
    steps = (write(1), write(0, always=True))
    topic = Fake(
        lambda _world: Decision(TARGET, Verdict.RECREATE, "to do", steps=steps),
        key=Key(lost_after=0),
    )
    failed = failure(topic)
    assert (failed.result["error_code"], failed.result["commands"]) == ("lock_lost", [])


def test_what_was_carried_out_is_told_where_the_end_could_not_be_seen() -> None:
    """Safe ingress 9: a recreation under way is not kept back because the cluster is lost."""
    steps = (write(1, disruption=Disruption.OUTAGE), write(2))
    topic = Fake(
        lambda _world: Decision(TARGET, Verdict.RECREATE, "to do", steps=steps), problems=[None, Unreachable("gone")]
    )
    told = failure(topic).result
    found = next(entry for entry in told["findings"] if entry["code"] == "end_not_seen")
    assert "patch things t: it should be" in found["what"]


def comes_and_goes(times: int) -> Decide:
    """Something is under way at so many looks after the change."""
    looks = iter([True] * times)

    def decide(world: World) -> Decision:
        if world.value != 7:
            return towards(7)(world)
        if not next(looks, False):
            return sync()
        return Decision(TARGET, Verdict.IN_PROGRESS, "It is down.", steps=(Step("kube", "wait", "things", "t"),))

    return decide


@pytest.mark.parametrize("waits", [True, False])
def test_what_is_under_way_at_the_last_look_is_waited_for(waits: bool) -> None:
    topic = Fake(comes_and_goes(1))
    topic.waits = waits
    told = perform(topic)
    assert told["verdict"] == ("in_sync" if waits else "in_progress")
    assert told["changed"]


def test_but_not_for_ever() -> None:
    failed = failure(Fake(comes_and_goes(99)))
    assert failed.result["error_code"] == "not_holding"
    assert "It is down." in str(failed)


def test_a_change_that_this_task_made_is_not_latent() -> None:
    def decide(world: World) -> Decision:
        pending = (Pending("value", 0, 7, latent=world.value == 7),)
        latent = Finding("latent_change", Severity.WARNING, str(TARGET), "set earlier")
        if world.value == 7:
            return sync(pending=pending, findings=(latent,))
        return replace(towards(7)(world), pending=pending)

    told = perform(Fake(decide))
    assert told["pending"][0]["latent"] is False
    assert told["findings"] == []
