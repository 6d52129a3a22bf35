# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 after any write and during one, then convergence with no duplicate and no leak (CAPO-11, CORE-4)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import killed_after, killed_in_flight
from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import DONE, RECEIVED

from .conftest import NewWorld
from .world import MODULE, World

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
BRIEF = {"allow_disruption": "brief"}
GONE: dict[str, Any] = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"}


@dataclass(frozen=True)
class Scenario:
    """A change, from a beginning; `kinds` is what must be there at the end, no more and no less."""

    zones: tuple[str, ...]
    options: dict[str, Any]
    writes: int  # more than the change takes: the run that is not killed ends the series
    kinds: dict[str, int]
    begin: Callable[[World], object] = field(default=lambda _world: None)


def _tree(lbs: int, ports: int, members: int, floating_ips: int) -> dict[str, int]:
    tree = dict.fromkeys(("listeners", "pools", "health_monitors"), lbs * ports)
    return {"load_balancers": lbs, **tree, "members": members, "floating_ips": floating_ips}


def _two_zones(world: World) -> None:
    world.converge(("az1", "az2"), floating_ips=True)
    world.online()


SCENARIOS = {
    "build": Scenario(("az1", "az2"), {"floating_ips": True}, 8, _tree(2, 1, 2, 2)),
    "adopt": Scenario(
        ("az1",),
        {"floating_ips": True, "additional_ports": [8443], "allow_cross_az_members": True},
        16,
        _tree(1, 2, 6, 1),
        lambda world: world.legacy(),
    ),
    "shrink": Scenario(
        ("az1",), {"floating_ips": True, "traffic_moved": True, **BRIEF}, 8, _tree(1, 1, 1, 1), _two_zones
    ),
    "absent": Scenario((), GONE, 8, _tree(0, 0, 0, 0), _two_zones),
}


def _killed(world: World, scenario: Scenario, writes: int) -> bool:
    """Was it killed, and not done before?"""
    return killed_after(writes, MODULE, world.kubeconfig, **world.options(scenario.zones, **scenario.options))


def _deletions_end(world: World) -> None:
    """What a killed run had Octavia delete counts as gone, and is not waited for by the next one."""
    deadline = time.monotonic() + 90
    while any(lb.provisioning_status == "PENDING_DELETE" for lb in world.load_balancers().values()):
        assert time.monotonic() < deadline
        time.sleep(0.5)


def _whole(world: World, scenario: Scenario) -> None:
    done = world.run(scenario.zones, **scenario.options)
    assert not done.get("failed"), done["msg"]
    since = world.mark()
    assert not world.run(scenario.zones, **scenario.options)["changed"]
    assert not world.writes(since)
    _deletions_end(world)
    counts = world.counts()
    ports = counts.pop("ports")
    assert counts == scenario.kinds
    # One VIP port and one of the amphora per load balancer, and nothing else on the network.
    assert ports == 2 * scenario.kinds["load_balancers"]


def test_killed_again_and_again(new_world: NewWorld) -> None:
    """A seeded walk through one adoption: every run gets a few writes further than the one before."""
    scenario, draw = SCENARIOS["adopt"], random.Random(20)
    world = new_world()
    scenario.begin(world)
    for writes in (1, draw.randint(2, 4), draw.randint(1, 3)):
        assert _killed(world, scenario, writes)
    _whole(world, scenario)


@pytest.mark.parametrize(("at", "made"), [(RECEIVED, 1), (DONE, 2)])
def test_killed_while_a_write_is_in_flight(new_world: NewWorld, at: str, made: int) -> None:
    """After the lock, two writes make a load balancer each. Octavia has the second one, and its sender is dead."""
    scenario, world = SCENARIOS["build"], new_world()
    options = world.options(scenario.zones, **scenario.options)
    with killed_in_flight(3, MODULE, world.kubeconfig, at=at, **options) as held:
        assert held is not None
        assert len(world.load_balancers()) == made
        held.let_go()
        assert len(world.load_balancers()) == 2
    _whole(world, scenario)


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_after_each_write(new_world: NewWorld, name: str) -> None:
    scenario = SCENARIOS[name]
    for writes in range(1, scenario.writes + 1):
        world = new_world()
        scenario.begin(world)
        survived = not _killed(world, scenario, writes)
        _whole(world, scenario)
        world.run((), **GONE)
        if survived:
            return
    pytest.fail(f"{name} takes more than {scenario.writes} writes")
