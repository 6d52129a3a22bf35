# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Allowed CIDRs as Octavia reads them back (CAPO-2, CAPO-3; facts: capo §6, lab-openstack fidelity table)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import cidrs
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    Machine,
    OpenStackCluster,
    Subnet,
)

CLUSTER = OpenStackCluster(
    network_id="net",
    subnets=(Subnet("n1", "net", "10.6.0.0/24"),),
    router_ips=("203.0.113.1",),
    bastion_ips=("203.0.113.2", "10.6.0.9"),
)


@pytest.mark.parametrize(
    ("given", "back"),
    [
        ((), ()),
        (("10.0.0.5/8",), ("10.0.0.0/8",)),
        (("192.0.2.1",), ("192.0.2.1/32",)),
        (("192.0.2.1", "192.0.2.1/32"), ("192.0.2.1/32",)),
        (("10.0.0.0/8", "9.0.0.0/8"), ("9.0.0.0/8", "10.0.0.0/8")),
        (("2001:DB8::1/32",), ("2001:db8::/32",)),
        (("nonsense",), ()),
    ],
)
def test_read_back(given: tuple[str, ...], back: tuple[str, ...]) -> None:
    assert cidrs.read_back(given) == back
    assert cidrs.read_back(back) == back


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ("192.0.2.33", True),
        ("192.0.2.34", False),
        ("::ffff:192.0.2.33", True),
        ("64:ff9b::192.0.2.33", True),
        ("64:ff9b::192.0.2.34", False),
        # RFC 6052, section 2.4
        ("2001:db8:c000:221::", True),
        ("2001:db8:1c0:2:21::", True),
        ("2001:db8:122:c000:2:2100::", True),
        ("2001:db8:122:3c0:0:221::", True),
        ("2001:db8:122:344:c0:2:2100::", True),
        ("2001:db8:122:344::192.0.2.33", True),
        ("2001:db8:122:344:1c0:2:2100::", False),
        ("api.example.com", False),
    ],
)
def test_an_answer_that_leads_to_an_ipv4_address(answer: str, there: bool) -> None:
    assert cidrs.leads_to(answer, "192.0.2.33") is there


def test_an_ipv6_address_is_reached_as_itself_only() -> None:
    assert cidrs.leads_to("fd00:0::1", "fd00::1")
    assert not cidrs.leads_to("fd00::2", "fd00::1")


def test_an_empty_list_stays_empty_so_that_everybody_may_connect() -> None:
    assert cidrs.wanted((), CLUSTER, 4).cidrs == ()


def test_a_list_gets_bastion_cluster_subnets_and_router_added() -> None:
    found = cidrs.wanted(("198.51.100.0/24",), CLUSTER, 4)
    expected = ("10.6.0.0/24", "10.6.0.9/32", "198.51.100.0/24", "203.0.113.1/32", "203.0.113.2/32")
    assert found.cidrs == expected


def test_the_routers_addresses_count_only_with_a_network_status() -> None:
    bare = OpenStackCluster(router_ips=("203.0.113.1",))
    assert cidrs.wanted(("198.51.100.0/24",), bare, 4).cidrs == ("198.51.100.0/24",)


def test_what_was_rewritten_or_is_of_the_other_version_is_told() -> None:
    found = cidrs.wanted(("10.1.2.3/16", "2001:db8::/64"), None, 4)
    assert found.cidrs == ("10.1.0.0/16",)
    assert found.rewritten == (("10.1.2.3/16", "10.1.0.0/16"),)
    assert found.other_version == ("2001:db8::/64",)
    assert cidrs.wanted(("10.1.2.3/16", "2001:db8::/64"), None, 6).cidrs == ("2001:db8::/64",)


@pytest.mark.parametrize(
    ("have", "want", "narrower"),
    [
        ((), (), False),
        ((), ("10.0.0.0/8",), True),
        (("10.0.0.0/8",), (), False),
        (("10.1.0.0/16",), ("10.0.0.0/8",), False),
        (("10.0.0.0/8",), ("10.1.0.0/16",), True),
        (("10.0.0.0/8",), ("10.0.0.0/9", "10.128.0.0/9"), False),
        (("2001:db8::/32",), ("10.0.0.0/8",), True),
        (("2001:db8::/48",), ("2001:db8::/32",), False),
        # all there are, however that is written
        ((), ("0.0.0.0/0",), False),
        ((), ("0.0.0.0/0", "10.0.0.0/8"), False),
        ((), ("0.0.0.0/1", "128.0.0.0/1"), False),
        ((), ("::/0",), False),
        (("10.0.0.0/8",), ("0.0.0.0/0",), False),
        (("0.0.0.0/0",), ("0.0.0.0/1", "128.0.0.0/1"), False),
        (("0.0.0.0/0",), ("10.0.0.0/8",), True),
        (("0.0.0.0/0",), ("0.0.0.0/1",), True),
    ],
)
def test_narrowing_keeps_somebody_out(have: tuple[str, ...], want: tuple[str, ...], narrower: bool) -> None:
    assert cidrs.narrows(have, want) is narrower


@pytest.mark.parametrize(
    ("asked", "version", "missing"),
    [
        ((), 4, False),
        ((), 6, False),
        (("10.0.0.0/8",), 4, False),
        (("10.0.0.0/8",), 6, True),
        (("2001:db8::/32",), 4, True),
        (("10.0.0.0/8", "2001:db8::1"), 6, False),
    ],
)
def test_a_list_without_a_range_of_the_family_would_be_an_open_door(
    asked: tuple[str, ...], version: int, missing: bool
) -> None:
    assert cidrs.other_family(asked, version) is missing


MACHINES = (Machine("a", "10.6.0.4"), Machine("b", "172.16.0.4"), Machine("c", "2001:db8::4"), Machine("d"))


@pytest.mark.parametrize(
    ("cluster", "version", "outside", "sources"),
    [
        (CLUSTER, 4, True, ["machine a 10.6.0.4", "machine b 172.16.0.4"]),
        (CLUSTER, 6, True, ["machine c 2001:db8::4"]),
        (
            None,
            4,
            True,
            [
                "machine a 10.6.0.4",
                "machine b 172.16.0.4",
                "nobody knows the subnets of the nodes",
                "nobody knows the address that the router shows outside",
            ],
        ),
        (None, 6, True, ["machine c 2001:db8::4", "nobody knows the subnets of the nodes"]),
        (OpenStackCluster(subnets=CLUSTER.subnets), 6, True, ["machine c 2001:db8::4"]),
    ],
)
def test_who_of_the_cluster_itself_has_to_reach_the_api(
    cluster: OpenStackCluster | None, version: int, outside: bool, sources: list[str]
) -> None:
    assert [str(one) for one in cidrs.own_sources(cluster, MACHINES, version, outside)] == sources


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10.0.0.1", "10.0.0.1", True),
        ("fd00:0::1", "fd00::1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("api", "api", True),
        ("api", "10.0.0.1", False),
    ],
)
def test_same_address(one: str, other: str, same: bool) -> None:
    assert cidrs.same_address(one, other) is same


@pytest.mark.parametrize(
    ("address", "network", "usable"),
    [
        ("10.0.3.0", "10.0.3.0/24", False),
        ("10.0.3.255", "10.0.3.0/24", False),
        ("10.0.3.1", "10.0.3.0/24", True),
        ("10.0.4.1", "10.0.3.0/24", False),
        ("10.0.3.0", "10.0.3.0/31", True),
        ("10.0.3.0", "10.0.3.0/32", True),
        ("2001:db8::", "2001:db8::/64", False),
        ("2001:db8::ffff:ffff:ffff:ffff", "2001:db8::/64", True),
    ],
)
def test_what_something_can_have_in_a_subnet(address: str, network: str, usable: bool) -> None:
    found = cidrs.network_of(network)
    assert found is not None
    assert cidrs.is_host(address, found) is usable
