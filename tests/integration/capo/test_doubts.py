# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What serves stays where anybody could be wrong: proofs that grow old, other names, twins, words that are not true."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from .conftest import Names, NewWorld
from .world import HOST, LEGACY, NAMESPACE, RECORD, SERVERS, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE = ("az1",)
OTHER = "other.prod.lab.example.com"
BY_DNS: dict[str, Any] = {"resolve_endpoint": None, "traffic_moved_because": None}
QUIET: dict[str, Any] = {"floating_ips": False, "legacy": "retire"}
MOVED: dict[str, Any] = {"traffic_moved": True, "upkeep": True, "allow_disruption": "brief", **QUIET, **BY_DNS}


def _codes(result: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in result["findings"]}


def _vip(world: World, name: str) -> str:
    return str(world.load_balancers()[name].vip_address)


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    """A legacy load balancer that is to retire and a zone beside it, both well; told in order."""
    world = new_world()
    world.legacy("az3")
    world.converge(ONE, **QUIET)
    world.online()
    return world


def test_another_host_does_not_switch_the_objects_own_off(world: World, names: Names) -> None:
    names |= {HOST: [_vip(world, LEGACY)], OTHER: [_vip(world, zone_name("az1"))]}
    refused = world.run(ONE, **MOVED, endpoint_host=OTHER)
    assert (refused["changed"], "endpoint_needs_it" in _codes(refused)) == (False, True)
    names[HOST] = None
    assert "endpoint_not_asked" in _codes(world.run(ONE, **MOVED, endpoint_host=OTHER))
    assert LEGACY in world.load_balancers()


def test_a_machines_new_address_is_not_believed_before_it_answers(world: World) -> None:
    good, wrong = world.address("az1"), "10.77.77.77"
    for told, members, code in (
        ("0.0.0.0", [good], "machine_address_unfit"),
        (wrong, [good, wrong], "last_healthy_stays"),
        (good, [good], ""),
    ):
        status = {"status": {"addresses": [{"type": "InternalIP", "address": told}]}}
        world.api.patch(SERVERS, NAMESPACE, "cp-0", status, subresource="status")
        result = world.run(ONE, members_only=True, **QUIET)
        assert world.members(zone_name("az1")) == members
        assert not code or code in _codes(result)


def test_what_was_true_when_it_was_planned_is_asked_again_before_it_goes(world: World, names: Names) -> None:
    """DNS goes back to the old load balancer while a slow change is under way."""
    new, old = _vip(world, zone_name("az1")), _vip(world, LEGACY)
    names[HOST] = [new]
    since = world.mark()

    def lead_back() -> None:
        while not any(one.method == "PUT" for one in world.requests(since)):
            time.sleep(0.1)
        names[HOST] = [new, old]

    watching = threading.Thread(target=lead_back, daemon=True)
    watching.start()
    with world.lab.faults.delayed("update", 3, zone="az1"):
        result = world.run(ONE, **MOVED, timeout_client_data=1_000_000)
    watching.join(10)
    assert (result["failed"], result["changed"], "endpoint_needs_it" in _codes(result)) == (True, True, True)
    assert result["msg"].startswith("1 part of a load balancer was changed in place.")
    assert LEGACY in world.load_balancers()


def test_of_two_for_one_zone_the_one_that_clients_use_stays(world: World, names: Names) -> None:
    """Nobody has written down which; the second one is empty, as a killed run may leave it."""
    world.api.delete("configmaps", NAMESPACE, RECORD)
    first = world.load_balancers()[zone_name("az1")]
    body = {key: first[key] for key in ("name", "description", "vip_subnet_id", "availability_zone", "tags")}
    client = world.cloud.load_balancer
    made = client.post("/lbaas/loadbalancers", json={"loadbalancer": body}).json()["loadbalancer"]
    second = client.wait_for_load_balancer(made["id"], interval=0.3, wait=60)
    asked: dict[str, Any] = {**QUIET, **BY_DNS}
    for leads_to, members_only in ((None, False), ([second.vip_address], False), (None, True)):
        names[HOST] = leads_to
        plan = world.run(ONE, check=True, **asked, members_only=members_only)
        assert "twin_undecided" in _codes(plan)
        assert not [step for step in plan["steps"] if step["verb"] == "delete"]
    names[HOST] = [first.vip_address]
    done = world.run(ONE, **asked)
    assert "1 load balancer was deleted" in done["message"]
    assert {lb.id for lb in client.load_balancers(name=first.name)} == {first.id}


def test_what_somebody_has_switched_off_is_not_published_and_is_switched_on(world: World) -> None:
    client = world.cloud.load_balancer
    listener = client.find_listener(f"{zone_name('az1')}-6443", ignore_missing=False)
    client.put(f"/lbaas/listeners/{listener.id}", json={"listener": {"admin_state_up": False}})
    client.wait_for_load_balancer(world.load_balancers()[zone_name("az1")].id, interval=0.3, wait=60)
    world.online()
    upkeep = world.run(ONE, check=True, members_only=True, **QUIET)
    assert ("switched_off" in _codes(upkeep), upkeep["dns_records"]["publish"]) == (True, [])
    assert "no_healthy_zone" in _codes(world.run(ONE, check=True, **{**MOVED, "traffic_moved_because": "all is well"}))
    done = world.run(ONE, **QUIET)
    assert done["message"].startswith("1 part of a load balancer was changed in place.")
    assert client.get_listener(listener.id).is_admin_state_up


def test_what_others_put_on_the_old_one_goes_only_by_name(world: World, names: Names) -> None:
    names[HOST] = [_vip(world, zone_name("az1"))]
    world.online()
    legacy = world.load_balancers()[LEGACY]
    client = world.cloud.load_balancer
    body = {"name": "konnectivity", "protocol": "TCP", "protocol_port": 8132, "loadbalancer_id": legacy.id}
    client.post("/lbaas/listeners", json={"listener": body})
    client.wait_for_load_balancer(legacy.id, interval=0.3, wait=60)
    refused = world.run(ONE, **MOVED)
    assert (refused["changed"], _codes(refused) & {"others_use_it"}) == (False, {"others_use_it"})
    assert "konnectivity on port 8132" in refused["msg"]
    done = world.run(ONE, **MOVED, others_may_go=["konnectivity"])
    assert done["message"].startswith("1 load balancer was deleted")
    assert LEGACY not in world.load_balancers()
