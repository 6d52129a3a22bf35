# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 after any write and during one, then convergence with no duplicate and no leak (CAPO-11, CAPO-14, CORE-4).

A write that is in flight outlives its sender: it may land before the next run looks, in the middle of it, or after it.
"""

from __future__ import annotations

import itertools
import random
import threading

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import HeldWrite, killed_after, killed_in_flight
from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import DONE, RECEIVED

from .conftest import NewWorld
from .scenarios import GONE, SCENARIOS, Scenario
from .world import MODULE, World

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
#: When a held write lands, seen from the run that comes next.
BEFORE, DURING, AFTER = "before", "during", "after"
LANDINGS = ((RECEIVED, BEFORE), (RECEIVED, DURING), (RECEIVED, AFTER), (DONE, BEFORE))
#: The lock is the first write, the load balancer the second.
MAKES = 2


def _killed(world: World, scenario: Scenario, writes: int) -> bool:
    """Was it killed, and not done before?"""
    return killed_after(writes, MODULE, world.kubeconfig, **scenario.options(world))


def _next_run(world: World, scenario: Scenario, held: HeldWrite, landing: str, draw: random.Random) -> None:
    if landing == BEFORE:
        held.let_go()
        return
    later = threading.Timer(draw.uniform(0.2, 3.0) if landing == DURING else 0, held.let_go)
    if landing == DURING:
        later.start()
    done = scenario.run(world)
    assert not done.get("failed"), done["msg"]
    if landing == AFTER:
        later.start()
    later.join()


def _lands(world: World, scenario: Scenario, write: int, at: str, landing: str) -> bool:
    """Killed while this write is in flight; False when the run had succeeded before it."""
    draw = random.Random(f"{write} {at} {landing}")
    with killed_in_flight(write, MODULE, world.kubeconfig, at=at, **scenario.options(world)) as held:
        if held is None:
            return False
        _next_run(world, scenario, held, landing, draw)
    scenario.ends(world)
    return True


def test_killed_again_and_again(new_world: NewWorld) -> None:
    """A seeded walk through one adoption: every run gets a few writes further than the one before."""
    scenario, draw = SCENARIOS["adopt"], random.Random(20)
    world = new_world()
    scenario.begin(world)
    for writes in (1, draw.randint(2, 4), draw.randint(1, 3)):
        assert _killed(world, scenario, writes)
    scenario.ends(world)


@pytest.mark.parametrize("name", ["one", "bare"])
@pytest.mark.parametrize("landing", [DURING, AFTER])
def test_a_load_balancer_that_lands_late_is_not_the_second_one(new_world: NewWorld, name: str, landing: str) -> None:
    world = new_world()
    assert _lands(world, SCENARIOS[name], MAKES, RECEIVED, landing)


def test_killed_while_a_write_is_in_flight(new_world: NewWorld) -> None:
    """One of all moments, by today's seed; the whole loop is for `-m long`."""
    draw = random.Random(14)
    scenario = SCENARIOS[draw.choice(["adopt", "shrink", "absent"])]
    at, landing = draw.choice(LANDINGS)
    world = new_world()
    scenario.begin(world)
    assert _lands(world, scenario, draw.randint(1, 5), at, landing)


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_after_each_write(new_world: NewWorld, name: str) -> None:
    scenario = SCENARIOS[name]
    for writes in range(1, scenario.writes + 1):
        world = new_world()
        scenario.begin(world)
        survived = not _killed(world, scenario, writes)
        scenario.ends(world)
        world.run((), **GONE)
        if survived:
            return
    pytest.fail(f"{name} takes more than {scenario.writes} writes")


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(("at", "landing"), LANDINGS)
def test_killed_during_each_write(new_world: NewWorld, name: str, at: str, landing: str) -> None:
    scenario = SCENARIOS[name]
    for write in itertools.count(1):
        assert write <= scenario.writes, f"{name} takes more than {scenario.writes} writes"
        world = new_world()
        scenario.begin(world)
        if not _lands(world, scenario, write, at, landing):
            return
        world.run((), **GONE)
