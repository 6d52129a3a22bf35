# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of one cluster's API load balancers, from nothing to nothing, in order (CAPO-3, CAPO-5…10, CORE-3…5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import NewWorld
from .world import HOST, LEGACY, NAMESPACE, RECORD, ZONES, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


def test_check_mode_foretells_without_a_write(world: World) -> None:
    since = world.mark()
    result = world.run(check=True, floating_ips=True)
    assert result["changed"]
    assert result["message"].startswith("3 load balancers would be created; 3 floating IPs would be created;")
    assert not world.writes(since)
    assert [step["name"] for step in result["steps"] if step["resource"] == "load_balancer"] == [
        zone_name(zone) for zone in ZONES
    ]
    assert result["diff"]["before"] == {}
    assert sorted(result["diff"]["after"]) == list(ZONES)
    assert result["diff"]["after"]["az1"]["ports"]["6443"]["members"] == [world.address("az1")]


def test_three_zones_from_nothing(world: World) -> None:
    result = world.converge(floating_ips=True)
    assert result["changed"]
    assert result["planned"]["verdict"] == "update_in_place"
    found = world.load_balancers()
    assert sorted(found) == sorted(zone_name(zone) for zone in ZONES)
    for zone in ZONES:
        lb = found[zone_name(zone)]
        assert (lb.availability_zone, lb.vip_subnet_id) == (zone, world.network.subnets[zone].id)
        assert world.members(zone_name(zone)) == [world.address(zone)]
    counts = {"load_balancers": 3, "listeners": 3, "pools": 3, "health_monitors": 3, "members": 3, "floating_ips": 3}
    assert {kind: world.counts()[kind] for kind in counts} == counts


def test_what_stands_is_returned_and_recorded(world: World) -> None:
    result = world.run(check=True, floating_ips=True)
    entries = result["api_server_load_balancers"]
    assert [entry["availabilityZone"] for entry in entries] == list(ZONES)
    assert result["mirror"]["id"] == entries[0]["id"]
    kept = world.api.get("configmaps", NAMESPACE, RECORD)
    assert json.loads(kept["data"]["apiServerLoadBalancers"]) == entries
    assert kept["metadata"]["ownerReferences"][0]["kind"] == "OpenStackCluster"
    assert "apiServerLoadBalancers" not in world.openstack_cluster()["status"]
    assert result["counts"] == {"zones": 3, "load_balancers": 3, "retiring": 0, "legacy": 0}
    assert result["timings"]["total"] > 0
    assert "SuccessfulCreateLoadBalancer" in world.events()
    assert "SuccessfulCreateFloatingIP" in world.events()


def test_only_zones_that_answer_are_published(world: World) -> None:
    silent = world.run(check=True, floating_ips=True)["dns_records"]
    assert (silent["publish"], len(silent["withhold"])) == ([], 3)
    world.online()
    records = world.run(check=True, floating_ips=True)["dns_records"]
    ips = {ip.floating_ip_address for ip in world.cloud.network.ips()}
    assert records["host"] == HOST
    assert {record["address"] for record in records["publish"]} == ips
    assert {record["type"] for record in records["publish"]} == {"A"}


def test_a_second_run_writes_nothing(world: World) -> None:
    since = world.mark()
    result = world.run(floating_ips=True)
    assert not result["changed"]
    assert (result["verdict"], result["steps"]) == ("in_sync", [])
    assert not world.writes(since)


def test_narrowing_who_may_connect_needs_the_word_for_it(world: World) -> None:
    since = world.mark()
    refused = world.run(floating_ips=True, allowed_cidrs=["192.0.2.5/24"])
    assert refused["failed"]
    assert "allow_disruption: brief" in refused["msg"]
    assert "because clients outside 192.0.2.0/24" in refused["msg"].replace(
        "10.0.1.0/24, 10.0.2.0/24, 10.0.3.0/24, ", ""
    )
    assert not [one for one in world.requests(since) if one.is_write]


def test_ports_and_cidrs_change_in_place(world: World) -> None:
    before = {name: lb.id for name, lb in world.load_balancers().items()}
    wanted: dict[str, Any] = {"additional_ports": [8443], "allowed_cidrs": ["192.0.2.5/24", "198.51.100.7"]}
    result = world.converge(floating_ips=True, allow_disruption="brief", **wanted)
    assert "cidr_rewritten" in {finding["code"] for finding in result["findings"]}
    client = world.cloud.load_balancer
    listeners = {listener.name: listener for listener in client.listeners()}
    assert sorted(listeners) == sorted(f"{zone_name(zone)}-{port}" for zone in ZONES for port in (6443, 8443))
    subnets = [subnet.cidr for subnet in world.network.subnets.values()]
    for listener in listeners.values():
        assert sorted(listener.allowed_cidrs) == sorted(["192.0.2.0/24", "198.51.100.7/32", *subnets])
    assert world.members(zone_name("az2"), 8443) == [world.address("az2")]
    back = world.converge(floating_ips=True, allow_disruption="brief", allowed_cidrs=[])
    assert back["changed"]
    assert not any(listener.allowed_cidrs for listener in client.listeners())
    assert {kind: world.counts()[kind] for kind in ("listeners", "pools", "members")} == dict.fromkeys(
        ("listeners", "pools", "members"), 3
    )
    assert {name: lb.id for name, lb in world.load_balancers().items()} == before


def test_cross_az_members_on_and_off(world: World) -> None:
    everybody = sorted(world.address(zone) for zone in ZONES)
    world.converge(floating_ips=True, allow_cross_az_members=True)
    assert [world.members(zone_name(zone)) for zone in ZONES] == [everybody] * 3
    world.online()
    world.converge(floating_ips=True, allow_disruption="brief")
    assert [world.members(zone_name(zone)) for zone in ZONES] == [[world.address(zone)] for zone in ZONES]


def test_upkeep_follows_a_rollout(world: World) -> None:
    fresh = world.add_machine("cp-9", "az2", host=19)
    world.remove_machine("cp-1")
    # What its monitor says of a machine that is gone; as long as it is ONLINE, it stays beside the new one.
    world.lab.faults.set_members_operating(world.load_balancers()[zone_name("az2")].id, "ERROR")
    drift = world.run(check=True, floating_ips=True, members_only=True)["drift"]
    assert [(entry["lane"], entry["kind"]) for entry in drift] == [("az2", "members")]
    assert drift[0]["have"] == {"stale": [world.address("az2")], "missing": ["cp-9"]}
    since = world.mark()
    result = world.run(floating_ips=True, members_only=True)
    assert result["changed"]
    assert [one.path.rpartition("/")[2] for one in world.requests(since) if one.is_write] == ["members"]
    assert world.members(zone_name("az2")) == [fresh]
    since = world.mark()
    assert not world.run(floating_ips=True, members_only=True)["changed"]
    assert not world.writes(since)


def test_a_zone_goes_only_when_its_traffic_has_moved(world: World) -> None:
    kept = {zone: world.load_balancers()[zone_name(zone)].id for zone in ("az1", "az2")}
    waiting = world.run(("az1", "az2"), floating_ips=True)
    assert waiting["awaiting"] == ["traffic_moved"]
    assert zone_name("az3") in world.load_balancers()
    world.online()
    result = world.converge(("az1", "az2"), floating_ips=True, traffic_moved=True, allow_disruption="brief")
    assert any(step["point_of_no_return"] for step in result["steps"])
    found = world.load_balancers()
    assert {zone: found[zone_name(zone)].id for zone in ("az1", "az2")} == kept
    assert (len(found), world.counts()["floating_ips"]) == (2, 2)


def test_a_zone_is_added_beside_the_others(world: World) -> None:
    kept = {name: lb.id for name, lb in world.load_balancers().items()}
    since = world.mark()
    world.converge(floating_ips=True)
    assert (
        sum(one.is_write for one in world.requests(since)) == 2
    )  # one load balancer with all it holds, one floating IP
    found = world.load_balancers()
    assert len(found) == 3
    assert {name: found[name].id for name in kept} == kept


def test_floating_ips_off_and_on(world: World) -> None:
    refused = world.run(floating_ips=False)
    assert refused["failed"]
    assert world.counts()["floating_ips"] == 3
    world.converge(floating_ips=False, allow_disruption="outage")
    assert world.counts()["floating_ips"] == 0
    world.online()
    records = world.run(check=True, floating_ips=False)["dns_records"]["publish"]
    assert {record["address"] for record in records} == {lb.vip_address for lb in world.load_balancers().values()}
    world.converge(floating_ips=True)
    assert world.counts()["floating_ips"] == 3


def test_disabled_means_one_load_balancer_again(world: World) -> None:
    world.online()
    since = world.mark()
    typo = world.run((), floating_ips=True, traffic_moved=True, allow_disruption="outage")
    assert "state: single" in typo["msg"]
    assert not [one for one in world.requests(since) if one.is_write]
    first = world.load_balancers()[zone_name("az1")].id
    world.converge((), state="single", floating_ips=True, traffic_moved=True, allow_disruption="brief")
    found = world.load_balancers()
    assert {name: lb.id for name, lb in found.items()} == {LEGACY: first}
    assert len(world.members(LEGACY)) == 3


def test_absent_leaves_nothing(world: World) -> None:
    since = world.mark()
    refused = world.run((), state="absent", allow_disruption="outage")
    assert refused["failed"]
    assert "traffic_moved" in refused["msg"]
    assert not [one for one in world.requests(since) if one.is_write]
    result = world.run((), state="absent", traffic_moved=True, allow_disruption="outage")
    assert not result.get("failed"), result["msg"]
    assert result["message"].startswith("1 load balancer was deleted;")
    assert result["message"].endswith("No load balancer of this cluster is left.")
    assert "nobody else uses the lab" in " ".join(step["why"] for step in result["steps"])
    assert result["reasons"] == {"traffic_moved_because": "nobody else uses the lab"}
    assert world.counts() == dict.fromkeys(world.counts(), 0)
    assert not [one for one in world.api.list("configmaps", NAMESPACE)["items"] if one["metadata"]["name"] == RECORD]
    since = world.mark()
    assert not world.run((), state="absent", traffic_moved=True)["changed"]
    assert not world.writes(since)
