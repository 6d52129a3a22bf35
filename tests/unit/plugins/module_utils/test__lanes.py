# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lanes: order inside, side by side across, and what a failure stops."""

from __future__ import annotations

import threading

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._lanes import carry_out
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Conflict, PortError


def step(name: str, lane: str = "", phase: int = 0, **more: bool) -> Step:
    return Step("octavia", "update", "pool", name, lane=lane, phase=phase, **more)  # type: ignore[arg-type]


def names(done: list[Step]) -> list[str]:
    return [step.name for step in done]


class Doer:
    """Remembers what it did; fails where it is told to."""

    def __init__(self, **problems: Exception) -> None:
        self.seen: list[str] = []
        self.problems = problems

    def __call__(self, one: Step) -> None:
        self.seen.append(one.name)
        if one.name in self.problems:
            raise self.problems[one.name]


def test_phases_and_lanes_keep_their_order() -> None:
    steps = (step("a0", "a"), step("b0", "b"), step("a1", "a"), step("end", "record", 1))
    done: list[Step] = []
    do = Doer()
    carry_out(steps, do, done)
    assert names(done) == ["a0", "b0", "a1", "end"]
    assert do.seen.index("a0") < do.seen.index("a1") < do.seen.index("end")


def test_the_plans_order_is_kept_also_where_phases_are_listed_in_another() -> None:
    do = Doer()
    carry_out((step("late", phase=2), step("soon", phase=1), step("first")), do, [])
    assert do.seen == ["first", "soon", "late"]


def test_lanes_of_a_phase_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=10)
    carry_out([step(name, name) for name in "abc"], lambda _step: meeting.wait() and None, [])


def test_a_lane_that_fails_ends_and_no_later_phase_starts() -> None:
    steps = (step("a0", "a"), step("b0", "b"), step("b1", "b"), step("c0", "c"), step("c1", "c"), step("end", "r", 1))
    done: list[Step] = []
    with pytest.raises(PortError, match="broken"):
        carry_out(steps, Doer(b0=PortError("broken")), done)
    assert names(done) == ["a0", "c0", "c1"]


def test_what_tidies_up_is_done_also_after_a_failure_and_never_hides_it() -> None:
    """SUB-6: auto-delete does not stay behind."""
    steps = (step("arm"), step("wait"), step("restore"), step("disarm", always=True), step("more", always=True))
    done: list[Step] = []
    do = Doer(wait=PortError("broken"), disarm=PortError("also broken"))
    with pytest.raises(PortError, match=r"^broken"):
        carry_out(steps, do, done)
    assert do.seen == ["arm", "wait", "disarm", "more"]
    assert names(done) == ["arm", "more"]


def test_nothing_is_tidied_up_after_a_mistake_of_ours() -> None:
    do = Doer(b=ValueError("a bug"))
    with pytest.raises(ValueError, match="a bug"):
        carry_out((step("a"), step("b"), step("c", always=True)), do, [])
    assert do.seen == ["a", "b"]


def test_what_another_round_cannot_mend_comes_first_and_tells_the_others() -> None:
    do = Doer(a=Conflict("moved on"), b=PortError("broken"), c=PortError("also broken"))
    with pytest.raises(PortError, match="broken") as caught:
        carry_out([step(name, name) for name in "abc"], do, [])
    assert caught.value.details["also"] == ["also broken", "moved on"]


def test_conflicts_alone_stay_conflicts() -> None:
    with pytest.raises(Conflict):
        carry_out((step("a"),), Doer(a=Conflict("moved on")), [])


@pytest.mark.parametrize(("conflicts", "tidied"), [(0, True), (1, True), (4, True), (5, False)])
def test_tidying_up_insists_where_somebody_writes_in_the_same_moment(conflicts: int, tidied: bool) -> None:
    """Else auto-delete would stay armed after a failure because the operator wrote its status just then."""
    left = [Conflict("the object has been modified")] * conflicts

    def do(one: Step) -> None:
        if one.name == "wait":
            raise PortError("broken")
        if one.name == "disarm" and left:
            raise left.pop()

    done: list[Step] = []
    with pytest.raises(PortError, match="broken"):
        carry_out((step("wait"), step("disarm", always=True)), do, done)
    assert (names(done) == ["disarm"]) is tidied
