# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API load balancers per zone on the real Octavia: zones side by side, and what a run costs that has nothing to do."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from ansible_collections.edgeworks.lb_estate.tests.integration.capo.world import ZONES, World
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures import RUNNING_LAB
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.lab import OpenStackLab

from .measurement import Measurement

BUILD_SECONDS = 20
MANY = 30
GONE = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"}


def measure() -> Iterator[Measurement]:
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lab = _lab(stack, place)
        os.environ.update(lab.client_environment())
        server = stack.enter_context(ApiServer())
        single, world = World(lab, server, place), World(lab, server, place)
        for one in (single, world):
            stack.callback(one.close)
            stack.callback(one.run, (), **GONE)
        yield from _side_by_side(lab, single, world)
        yield from _nothing_to_do(world)


def _lab(stack: ExitStack, place: Path) -> OpenStackLab:
    running = os.environ.get(RUNNING_LAB)
    if running:
        return OpenStackLab.attach(running)
    return stack.enter_context(OpenStackLab.start(place / "openstack"))


def _side_by_side(lab: OpenStackLab, single: World, world: World) -> Iterator[Measurement]:
    with lab.faults.delayed("build", BUILD_SECONDS):
        one = _seconds(single, ("az1",))
        three = _seconds(world, ZONES)
    yield Measurement(f"one zone, building takes {BUILD_SECONDS} s", one, "s")
    yield Measurement(f"three zones, building takes {BUILD_SECONDS} s", three, "s")
    yield Measurement("three zones against one", three / one, "times", 1.5)


def _seconds(world: World, zones: tuple[str, ...]) -> float:
    started = time.perf_counter()
    done = world.run(zones, floating_ips=True)
    if done.get("failed"):
        raise RuntimeError(done["msg"])
    return time.perf_counter() - started


def _nothing_to_do(world: World) -> Iterator[Measurement]:
    few, wrote, seconds = _idle(world)
    yield Measurement("writes of a run with nothing to do", wrote, "", 0)
    yield Measurement(f"its reads of OpenStack, {len(ZONES)} members", few, "")
    yield Measurement("its time", seconds, "s")
    for number in range(MANY - len(ZONES)):
        zone = ZONES[number % len(ZONES)]
        world.add_machine(f"more-{number}", zone, host=50 + number)
    world.run(floating_ips=True)
    many, wrote, _seconds_taken = _idle(world)
    yield Measurement(f"writes of a run with nothing to do, {MANY} members", wrote, "", 0)
    yield Measurement(f"its reads of OpenStack, {MANY} members", many, "", few)


def _idle(world: World) -> tuple[int, int, float]:
    """Reads, writes and seconds of a run that finds everything in place."""
    since, started = world.mark(), time.perf_counter()
    done = world.run(floating_ips=True)
    seconds = time.perf_counter() - started
    if done["changed"] or done.get("failed"):
        raise RuntimeError(f"there was something to do: {done['message']}")
    return sum(one.is_read for one in world.requests(since)), len(world.writes(since)), seconds
