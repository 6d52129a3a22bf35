# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backoff with jitter inside a deadline."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience


class Hand:
    """A clock set by hand: sleeping moves it."""

    def __init__(self, draw: float, **seconds: float) -> None:
        self.now = 100.0
        self.slept: list[float] = []
        self.tries = Patience(clock=lambda: self.now, sleep=self._sleep, draw=lambda: draw, **seconds).start()  # type: ignore[arg-type]

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_pauses_grow_to_a_ceiling() -> None:
    hand = Hand(1.0, total=60, first_pause=0.5, longest_pause=4)
    assert all(hand.tries.pause() for _time in range(6))
    assert hand.slept == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


def test_jitter_takes_up_to_half() -> None:
    hand = Hand(0.0, first_pause=1.0)
    assert hand.tries.pause()
    assert hand.slept == [0.5]


def test_what_the_server_asked_for_is_a_minimum() -> None:
    hand = Hand(0.5, first_pause=0.2)
    assert hand.tries.pause(asked=9)
    assert hand.slept == [9.1]


def test_no_sleep_past_the_deadline() -> None:
    hand = Hand(1.0, total=10)
    assert not hand.tries.pause(asked=11)
    assert hand.slept == []
    assert hand.tries.pause(asked=5)
    assert not hand.tries.pause(asked=5)
    assert hand.tries.left < 5


def test_a_shorter_limit_for_getting_in_touch() -> None:
    hand = Hand(1.0, total=60, first_pause=2.0)
    assert hand.tries.pause(within=3)
    assert not hand.tries.pause(within=3)
    assert hand.tries.pause()
