# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one waiter: what it says, how often it looks, and how it ends (CORE-10)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import FailureCause
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.waits import Look
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Timeout, WaitFailed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._waiting import WaitOptions, wait_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryClock

BROKEN = FailureCause("subnets_same_az", "Two subnets are in one zone.", "Keep one of them.")


class Waiting:
    """A wait on a clock of its own, with what it told."""

    def __init__(self, timeout: float = 60.0, sleep: float = 5.0) -> None:
        self.time, self.told = MemoryClock(), list[str]()
        self.options = WaitOptions(True, timeout, sleep, self.time.clock())

    def until(self, look: Callable[[float], Look]) -> Look:
        return wait_for(look, self.options, self.told.append, "prod Service a/b")


def done_after(seconds: float, what: str = "the cloud") -> Callable[[float], Look]:
    return lambda waited: Look(waited >= seconds, what)


def test_what_is_there_already_is_not_waited_for() -> None:
    waiting = Waiting()
    assert waiting.until(lambda _waited: Look(True, detail="ready")).detail == "ready"
    assert (waiting.time.pauses, waiting.told) == ([], [])


def test_pauses_are_short_first_and_grow_to_wait_sleep() -> None:
    waiting = Waiting(sleep=2)
    waiting.until(done_after(20))
    pauses = waiting.time.pauses
    assert pauses[0] == 0.2
    assert pauses == sorted(pauses)
    assert pauses[-1] == 2


def test_it_tells_when_the_reason_changes_and_now_and_then() -> None:
    waiting = Waiting()
    waiting.until(lambda waited: Look(waited > 40, "the operator" if waited < 3 else "the cloud"))
    assert [text.partition(" (")[0] for text in waiting.told] == [
        "prod Service a/b: waiting for the operator",
        *["prod Service a/b: waiting for the cloud"] * 3,
    ]


def test_a_cause_that_waiting_cannot_mend_ends_it_at_once() -> None:
    waiting = Waiting()
    with pytest.raises(WaitFailed) as caught:
        waiting.until(lambda _waited: Look(False, "the cloud", BROKEN, "event text"))
    assert str(caught.value) == "prod Service a/b: Two subnets are in one zone. (event text) Keep one of them."
    assert caught.value.details == {"cause": "subnets_same_az", "last": "event text"}
    assert waiting.time.pauses == []


def test_a_wait_that_runs_out_tells_what_was_seen_last() -> None:
    waiting = Waiting(timeout=10)
    with pytest.raises(Timeout) as caught:
        waiting.until(lambda waited: Look(False, "the cloud", detail=f"at {waited:.0f}"))
    assert str(caught.value).startswith("prod Service a/b: waited 10 s for the cloud. Last seen: at 10. Run again")
    assert caught.value.details == {"last": "at 10", "waiting_for": "the cloud"}


def test_it_looks_once_more_at_the_very_end_and_not_after() -> None:
    looks: list[float] = []
    waiting = Waiting(timeout=10, sleep=7)

    def look(waited: float) -> Look:
        looks.append(waited)
        return Look(False, "the cloud")

    with pytest.raises(Timeout):
        waiting.until(look)
    assert looks[-1] == pytest.approx(10)


def test_the_options_of_a_task() -> None:
    clock = Clock()
    options = WaitOptions.by({"wait": False, "wait_timeout": 30, "wait_sleep": 2}, clock)
    assert options == WaitOptions(False, 30, 2, clock)
