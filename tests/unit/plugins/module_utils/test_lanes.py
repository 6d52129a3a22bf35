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

STEPS = tuple(Step("octavia", "update", "pool", str(number)) for number in range(6))


def names(done: list[Step]) -> list[str]:
    return [step.name for step in done]


def test_phases_and_lanes_keep_their_order() -> None:
    done: list[Step] = []
    seen: list[str] = []
    carry_out([{"a": [0, 2], "b": [1]}, {"record": [3]}], STEPS, lambda step: seen.append(step.name), done)
    assert names(done) == ["0", "1", "2", "3"]
    assert seen.index("0") < seen.index("2") < seen.index("3")


def test_lanes_of_a_phase_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=10)
    carry_out([{"a": [0], "b": [1], "c": [2]}], STEPS, lambda _step: meeting.wait() and None, [])


def test_a_lane_that_fails_ends_and_no_later_phase_starts() -> None:
    done: list[Step] = []

    def do(step: Step) -> None:
        if step.name == "1":
            raise PortError("broken")

    with pytest.raises(PortError, match="broken"):
        carry_out([{"a": [0], "b": [1, 2], "c": [3, 4]}, {"record": [5]}], STEPS, do, done)
    assert names(done) == ["0", "3", "4"]


def test_what_another_round_cannot_mend_comes_first_and_tells_the_others() -> None:
    problems = {"0": Conflict("moved on"), "1": PortError("broken"), "2": PortError("also broken")}

    def do(step: Step) -> None:
        raise problems[step.name]

    with pytest.raises(PortError, match="broken") as caught:
        carry_out([{"a": [0], "b": [1], "c": [2]}], STEPS, do, [])
    assert caught.value.details["also"] == ["also broken", "moved on"]


def test_conflicts_alone_stay_conflicts() -> None:
    def do(_step: Step) -> None:
        raise Conflict("moved on")

    with pytest.raises(Conflict):
        carry_out([{"a": [0]}], STEPS, do, [])
