# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that may be killed at any moment, or made by two runs at once, and what must be there in the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .world import World

BRIEF = {"allow_disruption": "brief"}
GONE: dict[str, Any] = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"}


@dataclass(frozen=True)
class Scenario:
    """A change, from a beginning; `kinds` is what must be there at the end, no more and no less."""

    zones: tuple[str, ...]
    wanted: dict[str, Any]
    writes: int  # more than the change takes: the run that is not killed ends the series
    kinds: dict[str, int]
    begin: Callable[[World], object] = field(default=lambda _world: None)
    bare: bool = False  # without a management cluster: the lock is a marker in the cloud

    def options(self, world: World) -> dict[str, Any]:
        return world.options(self.zones, **self.wanted, **(world.bare() if self.bare else {}))

    def run(self, world: World) -> dict[str, Any]:
        given = self.options(world)
        zones = [one["zone"] for one in given.pop("zones")]
        return world.run(zones, **given)

    def ends(self, world: World) -> None:
        """One run more finishes it, the next one finds nothing to do, and nothing is there that should not be."""
        done = self.run(world)
        assert not done.get("failed"), done["msg"]
        self.is_whole(world)

    def is_whole(self, world: World) -> None:
        since = world.mark()
        again = self.run(world)
        assert not again["changed"], again["steps"]
        assert not world.writes(since)
        assert len(world.requests(since)) <= 20
        _deletions_end(world)
        counts = world.counts()
        ports = counts.pop("ports")
        assert counts == self.kinds
        # One VIP port and one of the amphora per load balancer, and nothing else on the network.
        assert ports == 2 * self.kinds["load_balancers"]


def _tree(lbs: int, ports: int, members: int, floating_ips: int) -> dict[str, int]:
    tree = dict.fromkeys(("listeners", "pools", "health_monitors"), lbs * ports)
    return {"load_balancers": lbs, **tree, "members": members, "floating_ips": floating_ips}


def _two_zones(world: World) -> None:
    world.converge(("az1", "az2"), floating_ips=True)
    world.online()


def _deletions_end(world: World) -> None:
    """What a killed run had Octavia delete counts as gone, and is not waited for by the next one."""
    deadline = time.monotonic() + 90
    while any(lb.provisioning_status == "PENDING_DELETE" for lb in world.cloud.load_balancer.load_balancers()):
        assert time.monotonic() < deadline
        time.sleep(0.5)


SCENARIOS = {
    "one": Scenario(("az1",), {"floating_ips": True}, 6, _tree(1, 1, 1, 1)),
    "bare": Scenario(("az1",), {"floating_ips": True}, 6, _tree(1, 1, 1, 1), bare=True),
    "build": Scenario(("az1", "az2"), {"floating_ips": True}, 9, _tree(2, 1, 2, 2)),
    "adopt": Scenario(
        ("az1",),
        {"floating_ips": True, "additional_ports": [8443], "allow_cross_az_members": True},
        17,
        _tree(1, 2, 6, 1),
        lambda world: world.legacy(),
    ),
    "shrink": Scenario(
        ("az1",), {"floating_ips": True, "traffic_moved": True, **BRIEF}, 9, _tree(1, 1, 1, 1), _two_zones
    ),
    "absent": Scenario((), GONE, 9, _tree(0, 0, 0, 0), _two_zones),
}
