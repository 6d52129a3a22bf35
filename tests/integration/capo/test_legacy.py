# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The load balancer that CAPO made: adopted, replaced, kept (CAPO-4, CAPO-8, CAPO-12, CAPO-13), in both API shapes."""

from __future__ import annotations

import pytest

from .conftest import NewWorld
from .world import LEGACY, NAMESPACE, RECORD, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE = ("az1",)


def _codes(result: dict[str, list[dict[str, str]]]) -> set[str]:
    return {finding["code"] for finding in result["findings"]}


def test_one_that_fits_is_renamed_and_keeps_its_addresses(new_world: NewWorld) -> None:
    """v1beta2, with S4's fields in the status."""
    world = new_world(version="v1beta2", status_fields=True)
    legacy = world.legacy(floating_ip=True)
    address = next(world.cloud.network.ips()).floating_ip_address
    world.online()
    adopted = world.converge(("az1",), floating_ips=True, allow_cross_az_members=True)
    assert adopted["planned"]["verdict"] == "adopt"
    found = world.load_balancers()
    assert list(found) == [zone_name("az1")]
    renamed = found[zone_name("az1")]
    assert (renamed.id, renamed.vip_address) == (legacy.id, legacy.vip_address)
    assert [ip.floating_ip_address for ip in world.cloud.network.ips()] == [address]
    client = world.cloud.load_balancer
    names = [one.name for kind in (client.listeners, client.pools, client.health_monitors) for one in kind()]
    assert names == [f"{zone_name('az1')}-6443"] * 3
    assert {kind: world.counts()[kind] for kind in ("listeners", "pools", "members")} == {
        "listeners": 1,
        "pools": 1,
        "members": 3,
    }
    status = world.openstack_cluster()["status"]
    assert [one["id"] for one in status["apiServerLoadBalancers"]] == [legacy.id]
    assert status["apiServerManagedLoadBalancer"]["ip"] == address
    assert status["network"]["id"] == world.network.id
    assert RECORD not in {one["metadata"]["name"] for one in world.api.list("configmaps", NAMESPACE)["items"]}
    assert adopted["api_server_load_balancers"][0]["ip"] == address


def test_one_in_the_wrong_subnet_is_replaced_make_before_break(new_world: NewWorld) -> None:
    """v1beta1, with S4's fields. The old one goes only with traffic moved, upkeep declared and DNS led elsewhere."""
    world = new_world(status_fields=True)
    legacy = world.legacy("az3")
    first = world.run(ONE, floating_ips=False)
    assert not first.get("failed"), first["msg"]
    assert "legacy_does_not_fit" in _codes(first)
    assert sorted(world.load_balancers()) == sorted([LEGACY, zone_name("az1")])
    assert world.members(LEGACY) == sorted(world.address(zone) for zone in ("az1", "az2", "az3"))
    status = world.openstack_cluster()["status"]
    assert status["apiServerLoadBalancer"]["id"] == status["apiServerLoadBalancers"][0]["id"] != legacy.id
    early = world.run(ONE, floating_ips=False, traffic_moved=True, allow_disruption="brief")
    assert "no_healthy_zone" in _codes(early)
    world.online()
    careless = world.run(ONE, floating_ips=False, traffic_moved=True, allow_disruption="brief")
    assert "upkeep_not_declared" in _codes(careless)
    assert LEGACY in world.load_balancers()
    world.converge(ONE, floating_ips=False, traffic_moved=True, upkeep=True, allow_disruption="brief")
    assert LEGACY not in world.load_balancers()
    assert world.counts()["load_balancers"] == 1


@pytest.fixture(scope="module")
def managed(new_world: NewWorld) -> World:
    """CAPO runs the load balancer itself, and has made the endpoint an address as it then does."""
    world = new_world(managed=True, host="198.18.0.9")
    world.legacy()
    return world


def test_a_cluster_without_a_mapping_is_left_as_it_is(managed: World) -> None:
    since = managed.mark()
    result = managed.run((), network=None)
    assert (result["changed"], result["verdict"]) == (False, "in_sync")
    assert not managed.writes(since)


def test_bad_input_is_named_all_at_once_and_told_as_events(managed: World) -> None:
    world = managed
    zones = [
        {"zone": zone, "subnet": {"id": world.network.subnets[subnet].id}}
        for zone, subnet in (("az1", "az1"), ("az1", "az2"), ("az3", "az2"))
    ]
    since = world.mark()
    result = world.run(zones=zones, additional_ports=[0], allowed_cidrs=["nonsense"])
    assert (result["verdict"], result["changed"]) == ("invalid", False)
    assert _codes(result) >= {
        "duplicate_az",
        "duplicate_subnet",
        "endpoint_host_must_be_dns",
        "port_out_of_range",
        "invalid_cidr",
    }
    assert not [one for one in world.requests(since) if one.is_write]
    assert "FailedValidation" in world.events()
    assert "FailedIPAddressValidation" in world.events()


def test_one_that_a_controller_runs_is_never_touched(managed: World) -> None:
    """An endpoint that is an address, as every load balancer of CAPO's own makes it: keep, or nothing."""
    world, legacy = managed, managed.load_balancers()[LEGACY]
    named = {"endpoint_host": "api.prod.lab.example.com", "floating_ips": False}
    since = world.mark()
    refused = world.run(("az1",), **named)
    assert refused["verdict"] == "blocked"
    assert {"capo_owns_legacy", "endpoint_is_ip"} <= _codes(refused)
    assert not [one for one in world.requests(since) if one.is_write]
    assert "LoadBalancersBlocked" in world.events()
    before = legacy.to_dict()
    world.converge(("az1",), legacy="keep", **named)
    after = world.cloud.load_balancer.get_load_balancer(legacy.id).to_dict()
    assert {key: after[key] for key in ("name", "tags", "description")} == {
        key: before[key] for key in ("name", "tags", "description")
    }
    assert sorted(world.load_balancers()) == sorted([LEGACY, zone_name("az1")])
    absent = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"}
    world.run((), **absent)
    assert list(world.load_balancers()) == [LEGACY]


def test_everything_as_arguments_without_a_management_cluster(managed: World) -> None:
    given = {
        "management_cluster": False,
        "cluster": "bare",
        "endpoint_host": "api.bare.lab.example.com",
        "machines": [{"name": "cp-0", "address": managed.address("az1"), "failure_domain": "nova-1"}],
        "zone_aliases": {"nova-1": "az1"},
        "floating_ips": False,
    }
    managed.mark()
    managed.converge(("az1",), **given)
    assert managed.members(zone_name("az1").replace("prod", "bare")) == [managed.address("az1")]
    assert not managed.api.requests.all()
    managed.run((), **given | {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"})
    assert list(managed.load_balancers()) == [LEGACY]
