# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of OpenStack for one cluster: what is ours or may be, and what it takes to make more (CAPO-11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    CloudFacts,
    Machine,
    OpenStackCluster,
    Quota,
    Record,
    Ref,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.neutron import Neutron
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.octavia import Octavia
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_steps import Answers
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.capo_cloud import CapoCloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import TableCloud

DEMO = Identity("default", "demo")
WISH = CapoDesired("default", "demo", zones=(ZoneSubnet("az1", Ref("s1")),), network=Ref("net"), floating_ips=False)
FORBIDDEN = CloudAnswer(403, {"faultstring": "Policy does not allow this request"})
QUOTAS = "GET /lbaas/quotas/project"


def lb(name: str, **more: Any) -> dict[str, Any]:
    status = {"provisioning_status": "ACTIVE", "operating_status": "ONLINE"}
    return {"id": f"id of {name}", "name": name, "vip_port_id": f"port of {name}", **status, **more}


def world(*lbs: dict[str, Any], table: Mapping[str, Any] | None = None) -> TableCloud:
    subnet = {"id": "s1", "network_id": "net", "cidr": "10.0.0.0/24"}
    whole = {
        "GET /lbaas/loadbalancers": {"loadbalancers": list(lbs)},
        "GET /lbaas/listeners": {"listeners": []},
        "GET /lbaas/pools": {"pools": []},
        "GET /networks": {"networks": [{"id": "net", "name": "lb-net"}]},
        "GET /subnets": {"subnets": [subnet]},
        "GET /floatingips": {"floatingips": []},
        "GET /lbaas/availabilityzones": {"availability_zones": [{"name": "az1", "enabled": True}]},
        QUOTAS: {"quota": {"load_balancer": 5}},
    }
    return TableCloud({**whole, **(table or {})})


def reader(cloud: TableCloud, resolved: tuple[str, ...] | None = ()) -> CapoCloud:
    return CapoCloud(Octavia(cloud), Neutron(cloud, Answers()), lambda _host: resolved)


def read(cloud: TableCloud, wish: CapoDesired = WISH, known: CapoObserved | None = None, **more: Any) -> CapoObserved:
    asked: dict[str, Any] = {"quotas": True, "endpoint": False} | more
    return reader(cloud).read(wish, known or CapoObserved(), **asked)


def test_what_is_known_already_stays_and_the_rest_is_read() -> None:
    known = CapoObserved(machines=(Machine("m"),), cloud=CloudFacts(lacking=frozenset({("ovn", "allowed_cidrs")})))
    found = read(world(), known=known)
    assert (found.machines, found.cloud.lacking) == (known.machines, known.cloud.lacking)
    assert ([one.id for one in found.networks], [one.id for one in found.subnets]) == (["net"], ["s1"])
    assert (found.cloud.api_versions, found.cloud.zones) == (("v2.0", "v2.26"), {"az1": True})
    assert found.endpoint_addresses is None


@pytest.mark.parametrize(
    ("found", "ours"),
    [
        (lb(DEMO.zone("az1")), True),
        (lb(DEMO.legacy), True),
        (lb(f"{DEMO.zone('az1')}-retiring"), True),
        (lb(DEMO.zone("az9"), availability_zone="az9"), True),
        (lb("any", tags=[DEMO.cluster_tag]), True),
        (lb("any", description=DEMO.description("az7")), True),
        (lb("recorded"), True),
        (lb(DEMO.zone("recorded-zone")), True),
        (lb(DEMO.zone("az9")), False),
        (lb(Identity("default", "other").legacy), False),
    ],
)
def test_ours_by_name_mark_or_record_and_nothing_else(found: dict[str, Any], ours: bool) -> None:
    record = Record("config_map", entries=[{"id": "id of recorded", "availabilityZone": "recorded-zone"}])
    seen = read(world(found), known=CapoObserved(record=record))
    assert [one.name for one in seen.load_balancers] == ([found["name"]] if ours else [])


@pytest.mark.parametrize(
    ("wish", "quotas", "asked"),
    [
        (WISH, True, True),
        (WISH, False, False),
        (replace(WISH, state="absent"), True, False),
        (replace(WISH, zones=()), True, False),
    ],
)
def test_quotas_are_asked_for_only_where_something_may_be_made(wish: CapoDesired, quotas: bool, asked: bool) -> None:
    cloud = world()
    found = read(cloud, wish, quotas=quotas)
    assert (QUOTAS in cloud.asked()) is asked
    assert found.cloud.quotas == ({"load_balancer": Quota(5, 0)} if asked else {})


def test_a_run_that_finds_everything_in_place_does_not_ask() -> None:
    cloud = world(lb(DEMO.zone("az1")))
    assert read(cloud).cloud.quotas == {}
    assert QUOTAS not in cloud.asked()


@pytest.mark.parametrize("attached", [True, False])
def test_nor_for_floating_ips_where_every_zone_has_one(attached: bool) -> None:
    name = DEMO.zone("az1")
    ip = {"id": "f", "floating_ip_address": "203.0.113.1", "port_id": f"port of {name}" if attached else None}
    cloud = world(lb(name), table={"GET /floatingips": {"floatingips": [ip]}})
    read(cloud, replace(WISH, floating_ips=True))
    assert ("GET /quotas/project/details.json" in cloud.asked()) is not attached


@pytest.mark.parametrize(
    ("there", "fixed_ip", "taken"), [(False, "10.0.0.9", {"10.0.0.9": "p"}), (False, "", {}), (True, "10.0.0.9", {})]
)
def test_an_address_is_looked_for_only_where_a_vip_is_to_get_it(
    there: bool, fixed_ip: str, taken: dict[str, str]
) -> None:
    """Safe CAPO 8: Octavia would refuse it after other zones were begun."""
    ports = {"ports": [{"id": "p", "fixed_ips": [{"ip_address": "10.0.0.9"}]}]}
    cloud = world(*([lb(DEMO.zone("az1"))] if there else []), table={"GET /ports": ports})
    wish = replace(WISH, zones=(replace(WISH.zones[0], fixed_ip=fixed_ip),))
    assert read(cloud, wish).taken == taken
    assert ("GET /ports" in cloud.asked()) is bool(taken)


@pytest.mark.parametrize(("cidr", "asked"), [("10.0.0.0/24", True), ("2001:db8::/64", False)])
def test_the_external_network_is_looked_at_where_an_ipv4_vip_wants_a_floating_ip(cidr: str, asked: bool) -> None:
    """Safe CAPO 9: an IPv6 VIP takes none, so nobody asks for quotas either."""
    subnets = {"subnets": [{"id": "s1", "network_id": "net", "cidr": cidr}]}
    networks = {"networks": [{"id": "net", "name": "lb-net"}, {"id": "ext", "router:external": True}]}
    cloud = world(lb(DEMO.zone("az1")), table={"GET /subnets": subnets, "GET /networks": networks})
    found = read(cloud, replace(WISH, floating_ips=True, floating_network_id="ext"))
    assert (found.external_networks is not None) is asked
    assert ("GET /quotas/project/details.json" in cloud.asked()) is asked


def test_what_policy_keeps_from_us_is_unknown_and_no_failure() -> None:
    offers = [f"GET /lbaas/{one}" for one in ("availabilityzones", "providers", "flavors")]
    table = dict.fromkeys([*offers, QUOTAS], FORBIDDEN)
    found = read(world(table=table), replace(WISH, provider="amphora", flavor="big"))
    assert (found.cloud.zones, found.cloud.providers, found.cloud.flavors, found.cloud.quotas) == (None, None, None, {})


def test_capabilities_are_asked_for_once_per_task_and_only_those_that_matter() -> None:
    cloud = world()
    once = reader(cloud)
    for _time in range(2):
        once.read(WISH, CapoObserved(), quotas=False, endpoint=False)
    assert cloud.asked().count("GET /lbaas/availabilityzones") == 1
    assert "GET /lbaas/flavors" not in cloud.asked()


@pytest.mark.parametrize("state", ["present", "absent"])
def test_networks_and_subnets_matter_only_for_a_mapping(state: str) -> None:
    cloud = world()
    found = read(cloud, replace(WISH, state=state))
    assert ("GET /networks" in cloud.asked()) is (state == "present")
    assert bool(found.subnets) is (state == "present")


@pytest.mark.parametrize(
    ("host", "endpoint", "addresses"),
    [
        ("api.example.com", True, ("203.0.113.1",)),
        ("api.example.com", False, None),
        ("203.0.113.7", True, None),
        ("", True, None),
    ],
)
def test_the_endpoints_name_is_looked_up_where_it_is_one_and_asked_for(
    host: str, endpoint: bool, addresses: tuple[str, ...] | None
) -> None:
    once = reader(world(), ("203.0.113.1",))
    wish = replace(WISH, endpoint_host=host)
    assert once.read(wish, CapoObserved(), quotas=False, endpoint=endpoint).endpoint_addresses == addresses


OTHERS = {"loadbalancer": {"id": "x", "project_id": "other"}}


@pytest.mark.parametrize(
    ("answer", "elsewhere"),
    [
        (CloudAnswer(404), {}),
        (FORBIDDEN, {"x": "another project's: these credentials may not see it"}),
        (OTHERS, {"x": "of project other"}),
    ],
)
def test_what_the_record_names_and_nobody_shows_is_asked_for(answer: Any, elsewhere: dict[str, str]) -> None:
    record = Record("config_map", "r", True, entries=[{"id": "x", "availabilityZone": "az1"}])
    cloud = world(table={"GET /lbaas/loadbalancers/x": answer})
    assert read(cloud, known=CapoObserved(record=record)).elsewhere == elsewhere


def test_what_the_record_names_and_is_there_costs_no_request() -> None:
    record = Record("config_map", "r", True, entries=[{"id": "id of mine", "availabilityZone": "az1"}])
    cloud = world(lb("mine"))
    assert not read(cloud, known=CapoObserved(record=record)).elsewhere
    assert not [one for one in cloud.asked() if one.startswith("GET /lbaas/loadbalancers/")]


@pytest.mark.parametrize(
    ("own", "addresses"),
    [
        ("api.own.example.com", ("203.0.113.1",)),
        ("API.example.com.", None),
        ("203.0.113.7", None),
        ("", None),
    ],
)
def test_so_is_the_objects_own_where_that_is_another(own: str, addresses: tuple[str, ...] | None) -> None:
    once, wish = reader(world(), ("203.0.113.1",)), replace(WISH, endpoint_host="api.example.com")
    known = CapoObserved(cluster=OpenStackCluster(endpoint_host=own))
    assert once.read(wish, known, quotas=False, endpoint=True).own_endpoint_addresses == addresses
    assert once.read(wish, known, quotas=False, endpoint=False).own_endpoint_addresses is None


@pytest.mark.parametrize(
    ("names", "status", "resolve", "asked"),
    [
        (("az1", "az1"), "ACTIVE", None, True),
        (("az1", "az1"), "ACTIVE", False, False),
        (("az1", "az1"), "PENDING_DELETE", None, False),
        (("az1", "az2"), "ACTIVE", None, False),
    ],
)
def test_two_for_one_zone_are_told_apart_by_where_clients_are_led(
    names: tuple[str, str], status: str, resolve: bool | None, asked: bool
) -> None:
    zones = (*WISH.zones, ZoneSubnet("az2", Ref("s2")))
    wish = replace(WISH, zones=zones, endpoint_host="api.example.com", resolve_endpoint=resolve)
    first, second = lb(DEMO.zone(names[0])), lb(DEMO.zone(names[1]), id="second", provisioning_status=status)
    found = reader(world(first, second), ("203.0.113.1",)).read(wish, CapoObserved(), quotas=False, endpoint=False)
    assert (found.endpoint_addresses is not None) is asked
