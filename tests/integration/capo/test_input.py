# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked for, of services that would refuse it half-way: families, terms of a zone, what the object says.

(CAPO-2, CAPO-3, Safe CAPO 6, 8, 9, 13, 14)
"""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import NewWorld
from .world import CLUSTERS, LEGACY, NAME, NAMESPACE, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
TWO = ("az1", "az2")
SIX = "2001:db8:77::/64"


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


def _zone(world: World, zone: str, **more: Any) -> dict[str, Any]:
    return {"zone": zone, "subnet": {"id": world.network.subnets[zone].id}, **more}


@pytest.fixture(scope="module")
def six(world: World) -> dict[str, Any]:
    """A third zone of the mapping, on an IPv6 subnet of the same network."""
    made = world.cloud.network.create_subnet(network_id=world.network.id, ip_version=6, cidr=SIX, name="cluster-six")
    return {"zone": "az3", "subnet": {"id": made.id}}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"az2": {"octavia_zone": "az9"}}, "unknown_az"),
        ({"az2": {"octavia_zone": "azoff"}}, "az_disabled"),
        ({"az2": {"fixed_ip": "10.0.1.9"}}, "fixed_ip_not_in_subnet"),
        ({"az2": {"flavor": "huge"}}, "unknown_flavor"),
        ({"floating_network_id": "5d1f4c3e-0000-4000-8000-000000000000"}, "external_network_unknown"),
        ({"tags": ["a,b"]}, "tag_invalid"),
        ({"tags": ["lb-estate/cluster=capi/other"]}, "tag_invalid"),
        ({"cluster": "Prod"}, "name_invalid"),
        ({"endpoint_host": "api_1"}, "bad_option"),
        ({"floating_ip_by_zone": {"az1": "198.51.100.1", "az2": "198.51.100.1"}}, "duplicate_floating_ip"),
        ({"traffic_moved_because": " "}, "reason_missing"),
    ],
)
def test_what_would_be_refused_half_way_is_refused_before_the_first_write(
    world: World, change: dict[str, Any], code: str
) -> None:
    options = {"floating_ips": True, "zones": [_zone(world, zone, **change.get(zone, {})) for zone in TWO]}
    options |= {name: value for name, value in change.items() if name not in TWO}
    if "cluster" in change:
        options |= {"management_cluster": False, "endpoint_host": "api.lab.example.com"}
    since = world.mark()
    for check in (True, False):
        result = world.run(check=check, **options)
        assert (result["verdict"], result["error_code"]) == ("invalid", "invalid"), result["msg"]
        assert code in {finding["code"] for finding in result["findings"]}
    assert not [one for one in world.requests(since) if one.is_write]


def test_a_list_of_one_family_does_not_open_a_vip_of_the_other(world: World, six: dict[str, Any]) -> None:
    zones = [_zone(world, "az1"), six]
    since = world.mark()
    result = world.run(zones=zones, floating_ips=False, allowed_cidrs=["192.0.2.0/24"])
    assert (result["verdict"], result["findings"][0]["code"]) == ("invalid", "cidr_family_missing")
    assert not [one for one in world.requests(since) if one.is_write]


def test_both_families_in_one_mapping(world: World, six: dict[str, Any]) -> None:
    """The zone with an IPv6 VIP has no floating IP, is closed to all but its own ranges, and is published as it is."""
    both: dict[str, Any] = {
        "zones": [_zone(world, "az1"), six],
        "floating_ips": True,
        "allowed_cidrs": ["192.0.2.0/24", "2001:db8:1::/48"],
    }
    result = world.converge(**both)
    assert "cluster_locked_out" in {finding["code"] for finding in result["findings"]}
    found = world.load_balancers()
    assert ":" in found[zone_name("az3")].vip_address
    assert [ip.port_id for ip in world.cloud.network.ips()] == [found[zone_name("az1")].vip_port_id]
    lists = {one.name: one.allowed_cidrs for one in world.cloud.load_balancer.listeners()}
    assert lists[f"{zone_name('az3')}-6443"] == ["2001:db8:1::/48"]
    assert "192.0.2.0/24" in lists[f"{zone_name('az1')}-6443"]
    world.online()
    since = world.mark()
    records = world.run(**both)["dns_records"]["publish"]
    assert [(one["zone"], one["type"]) for one in records] == [("az1", "A"), ("az3", "AAAA")]
    assert not world.writes(since)


def test_a_zone_has_a_label_and_terms_of_its_own(new_world: NewWorld) -> None:
    world = new_world()
    terms = {"octavia_zone": "az2", "flavor": "lab-small", "fixed_ip": world.network.subnets["az1"].address(77)}
    zones = [{**_zone(world, "az1", **terms), "zone": "room-a"}, _zone(world, "az3")]
    world.converge(zones=zones, floating_ips=False, zone_aliases={"az1": "room-a"})
    own, plain = world.load_balancers()[zone_name("room-a")], world.load_balancers()[zone_name("az3")]
    assert (own.availability_zone, own.vip_address) == ("az2", terms["fixed_ip"])
    assert own.flavor_id
    assert (plain.availability_zone, plain.flavor_id) == ("az3", None)
    assert world.members(zone_name("room-a")) == [world.address("az1")]


def test_the_addresses_of_an_endpoint_that_is_kept_stay_with_it(new_world: NewWorld) -> None:
    """apiServerFloatingIP and apiServerFixedIP are the legacy one's; nothing waits for them, and nothing is refused."""
    world = new_world(managed=True, host="198.18.0.9")
    legacy = world.legacy(floating_ip=True)
    address = next(world.cloud.network.ips()).floating_ip_address
    said = {"apiServerFloatingIP": address, "apiServerFixedIP": legacy.vip_address, "disableAPIServerFloatingIP": False}
    world.api.patch(CLUSTERS, NAMESPACE, NAME, {"spec": said})
    result = world.converge(TWO, legacy="keep", endpoint_host="api.prod.lab.example.com")
    codes = {finding["code"] for finding in result["findings"]}
    assert "cluster_address_stays" in codes
    assert not codes & {"floating_ip_waits", "fixed_ip_with_several_zones"}
    ips = {ip.port_id: ip.floating_ip_address for ip in world.cloud.network.ips()}
    found = world.load_balancers()
    assert ips[found[LEGACY].vip_port_id] == address
    assert len(ips) == 3
    world.online()
    since = world.mark()
    again = world.run(TWO, legacy="keep", endpoint_host="api.prod.lab.example.com")
    assert (again["verdict"], len(again["dns_records"]["publish"])) == ("in_sync", 2)
    assert not world.writes(since)
