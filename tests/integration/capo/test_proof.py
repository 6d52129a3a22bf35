# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing that serves is deleted or emptied on somebody's word alone (CAPO-8, CAPO-12, CAPO-13, Safe CAPO 1 and 4)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Names, NewWorld
from .world import HOST, LEGACY, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
TWO = ("az1", "az2")
BY_DNS: dict[str, Any] = {"resolve_endpoint": None, "traffic_moved_because": None}
MOVED = {"traffic_moved": True, "upkeep": True, "allow_disruption": "brief", "floating_ips": False, **BY_DNS}
WHY = "the rack is empty and stays so"


def _codes(result: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in result["findings"]}


def _refused(world: World, *zones: str, **options: Any) -> set[str]:
    """The codes of a run that fails and writes nothing to OpenStack, foretold by check mode in the same words."""
    since = world.mark()
    foretold = world.run(zones, check=True, **options)
    result = world.run(zones, **options)
    assert result["failed"]
    assert not [one for one in world.requests(since) if one.is_write]
    assert (foretold["msg"], _codes(foretold)) == (result["msg"], _codes(result))
    return _codes(result)


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    """A legacy load balancer that does not fit, and two zones beside it; told in order."""
    world = new_world()
    world.legacy("az3")
    world.converge(TWO, floating_ips=False)
    return world


def _vip(world: World, name: str) -> str:
    return str(world.load_balancers()[name].vip_address)


def test_the_legacy_one_goes_only_when_clients_no_longer_need_it(world: World, names: Names) -> None:
    zones = [_vip(world, zone_name(zone)) for zone in TWO]
    assert "no_healthy_zone" in _refused(world, *TWO, **MOVED)
    world.online()
    for leads_to, code in (
        (None, "endpoint_not_asked"),
        ([], "endpoint_unresolved"),
        (zones[:1], "endpoint_lacks_zone"),
        ([*zones, _vip(world, LEGACY)], "endpoint_needs_it"),
    ):
        names[HOST] = leads_to
        assert code in _refused(world, *TWO, **MOVED)
    names[HOST] = zones
    assert "endpoint_not_asked" in _refused(world, *TWO, **MOVED | {"resolve_endpoint": False})
    assert LEGACY in world.load_balancers()


def test_every_zone_answers_or_is_named(world: World, names: Names) -> None:
    names[HOST] = [_vip(world, zone_name(zone)) for zone in TWO]
    world.lab.faults.set_members_operating(world.load_balancers()[zone_name("az2")].id, "ERROR")
    assert "zone_not_healthy" in _refused(world, *TWO, **MOVED)
    named = world.run(TWO, check=True, **MOVED, allow_unhealthy_zones=["az2"])
    assert "1 load balancer would be deleted" in named["message"]
    assert LEGACY in world.load_balancers()
    world.online()
    done = world.converge(TWO, **MOVED)
    assert done["message"].startswith("1 load balancer was deleted")
    assert LEGACY not in world.load_balancers()


def test_the_last_member_that_answers_stays_without_a_reason(world: World) -> None:
    world.remove_machine("cp-1")
    upkeep = {"members_only": True, "floating_ips": False}
    assert "last_healthy_member" in _refused(world, *TWO, **upkeep)
    assert "last_healthy_member" in _refused(world, *TWO, **upkeep, allow_disruption="outage")
    assert "no_machines" in _refused(world, *TWO, **upkeep, machines=[])
    outage = world.run(TWO, **upkeep, empty_pools_because=WHY)
    assert "allow_disruption: outage" in outage["msg"]
    assert world.members(zone_name("az2")) == [world.address("az2")]
    done = world.run(TWO, **upkeep, empty_pools_because=WHY, allow_disruption="outage")
    assert (done["disruption"], done["reasons"]["empty_pools_because"]) == ("outage", WHY)
    assert world.members(zone_name("az2")) == []
    told = [one["message"] for one in world.api.list("events", "capi")["items"]]
    assert any(WHY in message for message in told)


def test_what_retires_is_looked_after_as_long_as_it_serves(world: World) -> None:
    world.run(("az1",), floating_ips=False)
    fresh = world.add_machine("cp-8", "az2", host=18)
    drift = world.run(("az1",), check=True, floating_ips=False, members_only=True)["drift"]
    assert [(entry["lane"], entry["have"]["missing"]) for entry in drift] == [("az2", ["cp-8"])]
    world.run(("az1",), floating_ips=False, members_only=True)
    assert world.members(zone_name("az2")) == [fresh]


def test_absent_too_asks_where_clients_are(world: World, names: Names) -> None:
    gone: dict[str, Any] = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage", **BY_DNS}
    for leads_to, code in (
        (None, "endpoint_not_asked"),
        ([], "endpoint_unresolved"),
        ([_vip(world, zone_name("az1"))], "endpoint_needs_it"),
    ):
        names[HOST] = leads_to
        assert code in _refused(world, **gone)
    names[HOST] = ["198.51.100.7"]
    done = world.run((), **gone)
    assert done["message"].endswith("No load balancer of this cluster is left.")
    assert world.counts()["load_balancers"] == 0
