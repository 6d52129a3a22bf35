# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Capabilities and references as data, and what a cluster comes to (facts: capo §3, §4, §11.14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import site
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    Network,
    Ref,
    Subnet,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    machines,
    seen,
    tree,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    QUIET,
    built,
)

SUBNETS = (
    Subnet("a", "n", "10.0.0.0/24", {"name": "north", "tags": ["x", "y"], "ip_version": 4, "project_id": "p"}),
    Subnet("b", "n", "10.1.0.0/24", {"name": "south", "tags": ["x"], "ip_version": 4, "project_id": "p"}),
    Subnet("c", "m", "fd00::/64", {"name": "north", "tags": [], "ip_version": 6, "project_id": "q"}),
)


@pytest.mark.parametrize(
    ("feature", "versions", "provider", "there"),
    [
        ("allowed_cidrs", ("v2.11",), "amphora", False),
        ("allowed_cidrs", ("v2.12",), "amphora", True),
        ("allowed_cidrs", ("v2.26",), "ovn", False),
        ("allowed_cidrs", ("v2.26", "v2.0"), "amphora", True),
        ("availability_zones", ("v2.13",), "amphora", False),
        ("availability_zones", ("v2.9",), "amphora", False),
        ("availability_zones", ("v2.14",), "amphora", True),
        ("availability_zones", ("v2.14",), "ovn", False),
        ("tags", ("v2.4",), "ovn", False),
        ("tags", ("v2.5",), "ovn", True),
        ("tags", (), "amphora", False),
        ("tags", ("rubbish",), "amphora", False),
    ],
)
def test_supports(feature: str, versions: tuple[str, ...], provider: str, there: bool) -> None:
    assert site.supports(feature, versions, provider) is there


def test_the_amphora_driver_has_two_names() -> None:
    assert site.same_provider("octavia", "amphora")
    assert not site.same_provider("ovn", "amphora")


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        (Ref("b"), ["b"]),
        (Ref("nowhere"), []),
        (Ref(filter={"name": "north"}), ["a", "c"]),
        (Ref(filter={"name": "north", "ipVersion": 6}), ["c"]),
        (Ref(filter={"cidr": "10.1.0.0/24"}), ["b"]),
        (Ref(filter={"projectID": "q"}), ["c"]),
        (Ref(filter={"tags": ["x", "y"]}), ["a"]),
        (Ref(filter={"tagsAny": ["y", "z"]}), ["a"]),
        (Ref(filter={"notTags": ["x", "y"]}), ["b", "c"]),
        (Ref(filter={"notTagsAny": ["x", "y"]}), ["c"]),
        (Ref(filter={"flavour": "mint"}), []),
        (Ref(filter={}), []),
        (Ref(), []),
    ],
)
def test_a_reference_finds_what_neutron_would(ref: Ref, found: list[str]) -> None:
    assert [subnet.id for subnet in site.find_subnets(ref, SUBNETS)] == found


def test_networks_too() -> None:
    networks = (Network("1", "net"), Network("2", "other", {"tags": ["lb"]}))
    assert [one.id for one in site.find_networks(Ref(filter={"name": "net"}), networks)] == ["1"]
    assert [one.id for one in site.find_networks(Ref(filter={"tags": ["lb"]}), networks)] == ["2"]


@pytest.mark.parametrize(("filter_", "strange"), [({"name": "x"}, ()), ({"nmae": "x", "tags": []}, ("nmae",))])
def test_typos_in_a_filter_are_named(filter_: Any, strange: tuple[str, ...]) -> None:
    assert site.unknown_fields(Ref(filter=filter_)) == strange


def test_the_record_remembers_that_cidrs_were_refused() -> None:
    """No run asks again for what it was told once: a no-op run writes nothing (CORE-4)."""
    wish = want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET)
    lacking = replace(seen().cloud, lacking=frozenset({("amphora", "allowed_cidrs")}))
    world = built(wish, cloud=lacking)
    later = replace(world.observed, cloud=replace(lacking, lacking=frozenset()))
    assert not decide(wish, later).changed


@pytest.mark.parametrize(
    ("given", "endpoint", "server", "port"),
    [
        (None, ("h", 443), 7443, 443),
        (None, ("h", None), 7443, 7443),
        (None, ("", 443), None, 6443),
        (8443, ("h", 443), 7443, 8443),
    ],
)
def test_the_api_port_in_capos_order(
    given: int | None, endpoint: tuple[str, int | None], server: int | None, port: int
) -> None:
    """Facts: capo §3: an endpoint counts only with a host."""
    facts = cluster(endpoint_host=endpoint[0], endpoint_port=endpoint[1], api_server_port=server)
    assert site.api_port(want("az1", endpoint_port=given), seen(cluster=facts)) == port
    assert site.api_port(want("az1"), seen(cluster=None)) == 6443


def test_a_site_has_a_slot_per_entry_of_the_mapping() -> None:
    found = site.survey(want("az2", "az1"), seen())
    assert found.slots[0] == site.Slot("az2", zone_name("az2"), "s2", "net", 4, octavia_zone="az2")
    assert (found.first_zone, [slot.lane for slot in found.slots]) == ("az2", ["az2", "az1"])
    assert found.ports == (6443,)


@pytest.mark.parametrize("wish", [want(), want("az1", state="absent"), want("az1", state="single")])
def test_without_a_mapping_or_when_all_goes_there_is_none(wish: CapoDesired) -> None:
    found = site.survey(wish, seen())
    assert (found.slots, found.multi, found.first_zone) == ((), False, "")


def test_the_single_one_stays_where_it_is() -> None:
    found = site.survey(want(), seen())
    slot = site.single_slot(found, tree("x", "id", vip_subnet_id="s9", vip_address="fd00::1"))
    assert slot == site.Slot("", found.identity.legacy, "s9", "net", 6)
    assert (slot.lane, slot.owner) == ("single", "the cluster")


def test_machines_on_their_way_out_do_not_count() -> None:
    crew = machines("az1", "az2")
    found = site.survey(want("az1"), seen(machines=(replace(crew[0], deleting=True), crew[1])))
    assert found.machines == crew[1:]


@pytest.mark.parametrize(
    ("provider", "algorithm"), [("", "ROUND_ROBIN"), ("amphora", "ROUND_ROBIN"), ("ovn", "SOURCE_IP_PORT")]
)
def test_the_pool_algorithm_suits_the_provider(provider: str, algorithm: str) -> None:
    found = site.survey(want("az1", provider=provider), seen())
    assert found.algorithm(found.slots[0]) == algorithm
    assert found.algorithm(tree("x", "id", provider="ovn")) == "SOURCE_IP_PORT"
