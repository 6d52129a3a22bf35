# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine with a fake topic: rounds, questions, refusals, conflicts, tidying, lost answers, stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Pending,
    Question,
    Severity,
    Step,
    Target,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import (
    Failed,
    Gate,
    Progress,
    Result,
    Topic,
    run,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Conflict,
    OutcomeUnknown,
    PortError,
    Unreachable,
)

TARGET = Target("Thing", "t")
Decide = Callable[["World"], "Decision | Question"]


@dataclass(frozen=True)
class World:
    """A thing with a number that is to become another."""

    value: int = 0
    asked: bool = False


@dataclass(frozen=True)
class HowManyQuestion(Question):
    pass


def write(value: int, **more: Any) -> Step:
    return Step("kube", "patch", "things", "t", body={"value": value}, why="it should be", **more)


def sync(message: str = "as wanted", **more: Any) -> Decision:
    return Decision(TARGET, Verdict.IN_SYNC, message, **more)


def towards(wanted: int, **more: Any) -> Decide:
    """Writes until the world has the value."""

    def decide(world: World) -> Decision:
        before = {"value": world.value}
        if world.value == wanted:
            return sync(before=before, standing={"now": world.value})
        step = write(wanted, disruption=more.get("disruption", Disruption.NONE))
        return Decision(
            TARGET,
            Verdict.UPDATE_IN_PLACE,
            "to do",
            steps=(step,),
            before=before,
            standing={"now": world.value},
            **more,
        )

    return decide


@dataclass
class Fake(Topic[World]):
    """`problems`: raised by the next writes, before or after the world takes them."""

    decider: Decide
    problems: list[Exception | None] = field(default_factory=list)
    lands: bool = True
    settles: bool = False
    world: World = field(default_factory=World)
    log: list[str] = field(default_factory=list)
    meddle: Callable[[World], World] = lambda world: world

    def read(self, knowing: World | None = None) -> World:
        self.log.append("read" if knowing is None else "read again")
        return replace(self.world, asked=bool(knowing and knowing.asked))

    def decide(self, observed: World) -> Decision | Question:
        return self.decider(observed)

    def ask(self, question: Question, observed: World) -> World:
        self.log.append("ask")
        return replace(observed, asked=True)

    def begin(self, decision: Decision, observed: World) -> None:
        self.log.append("begin")

    def recheck(self, decision: Decision, observed: World) -> None:
        self.log.append("recheck")

    def do(self, step: Step, observed: World, progress: Progress) -> None:
        self.log.append(f"{step.verb} {step.body['value']}" if step.body else step.verb)
        progress(f"doing {step.verb}")
        problem = self.problems.pop(0) if self.problems else None
        if problem is None or self.lands:
            self.world = self.meddle(replace(self.world, value=step.body["value"])) if step.body else self.world
        if problem is not None:
            raise problem

    def refused(self, decision: Decision) -> None:
        self.log.append("refused")

    def report(self, last: Decision) -> Result:
        return {"reported": last.message}


def perform(topic: Fake, gate: Gate | None = None) -> Result:
    return run(topic, gate or Gate(allowed=Disruption.OUTAGE), lambda _text: None)


def failure(topic: Fake, gate: Gate | None = None) -> Failed:
    with pytest.raises(Failed) as caught:
        perform(topic, gate)
    return caught.value


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


def test_a_lost_answer_is_no_claim_that_something_changed() -> None:
    topic = Fake(towards(7), problems=[OutcomeUnknown("No answer.", "Run again.")])
    told = failure(topic).result
    assert (told["error_code"], told["changed"]) == ("outcome_unknown", False)
    assert perform(Fake(towards(7), world=topic.world))["changed"] is False  # the next run finds it done


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
