# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result tells: what is, not what was planned; and what makes a task fail at its end (CORE-14, CORE-8)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Severity,
    Step,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Conflict,
    Locked,
    Timeout,
    Unreachable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Gate
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.fake_topic import (
    TARGET,
    Decide,
    Fake,
    Key,
    World,
    sync,
    towards,
    write,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.test__engine import failure, perform


def test_after_a_success_nothing_is_left_over_from_the_plan() -> None:
    def decide(world: World) -> Decision:
        before = {"value": world.value}
        if world.value == 7:
            return sync(before=before)
        old = Finding("not_yet", Severity.WARNING, str(TARGET), "is 0.")
        done = Finding("noticed", Severity.INFO, str(TARGET), "Users notice it.")
        more = {"findings": (old,), "effects": (done,), "revert_patch": {"value": 0}, "commands": ("set 7",)}
        step = write(7, disruption=Disruption.BRIEF)
        return Decision(
            TARGET, Verdict.RECREATE, "would be set", Disruption.BRIEF, steps=(step,), before=before, **more
        )

    plan = perform(Fake(decide), Gate(check_mode=True, allowed=Disruption.BRIEF))
    told = perform(Fake(decide))
    assert (told["verdict"], told["message"], told["commands"]) == ("in_sync", "as wanted", [])
    assert [finding["code"] for finding in told["findings"]] == ["noticed"]  # what the steps did besides stays true
    assert (told["disruption"], told["revert_patch"]) == ("brief", {"value": 0})
    assert told["planned"] == {
        "verdict": "recreate",
        "disruption": "brief",
        "fingerprint": plan["fingerprint"],
    }
    assert told["fingerprint"] == plan["fingerprint"]
    assert plan["planned"] == told["planned"]


def test_a_failed_task_tells_what_is_there_now() -> None:
    """Its commands are not those of the plan: half of that is done."""

    def decide(world: World) -> Decision:
        told = {"before": {"value": world.value}, "commands": (f"from {world.value}",)}
        steps = (write(1), write(2)) if world.value == 0 else (write(2),)
        return Decision(TARGET, Verdict.RECREATE, f"is {world.value}", steps=steps, revert_patch={"value": 0}, **told)

    topic = Fake(decide, problems=[None, Timeout("It takes too long.")], lands=False)
    told = failure(topic).result
    assert (told["before"], told["after"], told["message"]) == ({"value": 0}, {"value": 1}, "is 1")
    assert (told["commands"], len(told["steps"]), told["revert_patch"]) == (["from 1"], 1, {"value": 0})
    assert told["findings"][-1]["code"] == "timeout"


def test_what_can_no_longer_be_looked_at_is_not_made_up() -> None:
    steps = (write(1), write(2))
    plan = Decision(TARGET, Verdict.RECREATE, "to do", steps=steps, before={"value": 0}, commands=("delete it",))
    told = failure(Fake(lambda _world: plan, problems=[None, Unreachable("It is gone.")])).result
    assert (told["after"], told["commands"], told["message"]) == (None, [], "What is there now could not be read.")


def test_a_failure_before_the_first_write_reads_nothing_again() -> None:
    topic = Fake(towards(7), key=Key(Locked("ann has it.")))
    assert failure(topic).result["steps"] == []
    assert topic.log == ["read", "begin"]


def test_a_wait_alone_needs_neither_lock_nor_rights() -> None:
    wait = Step("kube", "wait", "things", "t", why="it comes")
    rounds = iter([Decision(TARGET, Verdict.IN_PROGRESS, "being made", steps=(wait,)), sync()])
    topic = Fake(lambda _world: next(rounds))
    told = perform(topic)
    assert (told["changed"], told["verdict"], told["message"]) == (False, "in_sync", "as wanted")
    assert (topic.log, topic.key.log) == (["read", "wait", "read"], [])


BROKEN = Finding("broken", Severity.ERROR, str(TARGET), "It is broken.", "Mend it.")


@pytest.mark.parametrize("check_mode", [True, False])
def test_an_error_that_holds_at_the_end_is_the_tasks(check_mode: bool) -> None:
    """A task that does nothing about a failure is no all-clear."""
    topic = Fake(lambda _world: Decision(TARGET, Verdict.IN_PROGRESS, "down", findings=(BROKEN,)))
    failed = failure(topic, Gate(check_mode))
    assert (str(failed), failed.result["error_code"]) == ("Thing t: It is broken. Mend it.", "broken")


def test_one_that_the_task_did_something_about_is_not() -> None:
    def decide(world: World) -> Decision:
        mild = replace(BROKEN, severity=Severity.WARNING)
        found = (mild,) if world.value == 0 else (BROKEN,)
        return replace(towards(7)(world), findings=found)

    assert perform(Fake(decide))["changed"]


def test_what_was_asked_for_and_is_not_there_fails_the_task() -> None:
    topic = Fake(towards(7))
    topic.lacks = (Finding("not_in_force", Severity.ERROR, str(TARGET), "Not in force: value."),)
    failed = failure(topic)
    assert (failed.result["error_code"], failed.result["changed"]) == ("not_in_force", True)
    topic = Fake(towards(7))
    topic.lacks = (Finding("not_in_force", Severity.WARNING, str(TARGET), "Not in force yet."),)
    assert [entry["code"] for entry in perform(topic)["findings"]] == ["not_in_force"]


def test_a_fingerprint_holds_for_every_round() -> None:
    """CORE-8: after a conflict only what was reviewed is gone on with."""

    def rounds(then: int) -> Decide:
        def decide(world: World) -> Decision:
            steps = (write(1), write(2)) if world.value == 0 else (write(then),)
            done = world.value == then
            return sync() if done else Decision(TARGET, Verdict.UPDATE_IN_PLACE, "to do", steps=steps)

        return decide

    reviewed = perform(Fake(rounds(2)), Gate(check_mode=True))["fingerprint"]
    same = Fake(rounds(2), problems=[None, Conflict("moved on")], lands=False)
    assert perform(same, Gate(fingerprint=reviewed))["changed"]
    other = Fake(rounds(3), problems=[None, Conflict("moved on")], lands=False)
    failed = failure(other, Gate(fingerprint=reviewed))
    assert (failed.result["error_code"], failed.result["changed"]) == ("stale_plan", True)
    assert "not part of the reviewed plan" in str(failed)
    assert "patch 3" not in other.log
