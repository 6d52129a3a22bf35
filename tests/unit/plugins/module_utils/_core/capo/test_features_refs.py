# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Capabilities and references as data (facts: capo §3, §4, §11.14)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import site
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import Ref
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import Network, Subnet


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


SUBNETS = (
    Subnet("a", "n", "10.0.0.0/24", {"name": "north", "tags": ["x", "y"], "ip_version": 4, "project_id": "p"}),
    Subnet("b", "n", "10.1.0.0/24", {"name": "south", "tags": ["x"], "ip_version": 4, "project_id": "p"}),
    Subnet("c", "m", "fd00::/64", {"name": "north", "tags": [], "ip_version": 6, "project_id": "q"}),
)


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
