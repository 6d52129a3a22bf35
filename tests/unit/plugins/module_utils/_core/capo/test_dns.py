# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records to publish, and how they compare with what is there (CAPO-7; facts: capo §11.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.dns import record_type
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    FloatingIp,
    Subnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    HOST,
    cluster,
    legacy,
    machines,
    seen,
    want,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    built,
)

DEMO = Identity("default", "demo")


def members_are(observed: CapoObserved, **states: str) -> CapoObserved:
    lbs = tuple(
        replace(
            lb,
            pools=tuple(
                replace(
                    pool,
                    members=tuple(
                        replace(one, operating_status=states.get(lb.name.split("-")[-2], one.operating_status))
                        for one in pool.members
                    ),
                )
                for pool in lb.pools
            ),
        )
        for lb in observed.load_balancers
    )
    return replace(observed, load_balancers=lbs)


def test_only_zones_that_answer_are_published() -> None:
    cloud = built(want("az1", "az2", "az3"))
    world = members_are(cloud.observed, az2="ERROR")
    dns = plain(decide(want("az1", "az2", "az3"), world).standing["dns_records"])
    assert dns["host"] == HOST
    assert [(one["zone"], one["type"], one["online_members"]) for one in dns["publish"]] == [
        ("az1", "A", 1),
        ("az3", "A", 1),
    ]
    assert [(one["zone"], one["reason"]) for one in dns["withhold"]] == [("az2", "none of its members is ONLINE")]
    addresses = {ip.description: ip.address for ip in cloud.observed.floating_ips}
    assert dns["publish"][0]["address"] == addresses[DEMO.description("az1")]


def test_a_zone_without_machines_or_without_a_load_balancer_is_withheld() -> None:
    cloud = built(want("az1", "az2"), machines=machines("az1"))
    dns = plain(decide(want("az1", "az2", "az3"), cloud.observed).standing["dns_records"])
    assert [one["zone"] for one in dns["publish"]] == ["az1"]
    assert [(one["zone"], one["reason"]) for one in dns["withhold"]] == [
        ("az2", "none of its members is ONLINE"),
        ("az3", "it has no load balancer yet"),
    ]


def test_without_floating_ips_the_vip_is_published_and_a_load_balancer_in_error_is_not() -> None:
    cloud = built(want("az1", floating_ips=False))
    lb = cloud.observed.load_balancers[0]
    wish = want("az1", floating_ips=False)
    assert decide(wish, cloud.observed).standing["dns_records"]["publish"][0]["address"] == lb.vip_address
    broken = replace(cloud.observed, load_balancers=(replace(lb, provisioning_status="ERROR"),))
    assert decide(wish, broken).standing["dns_records"]["withhold"][0]["reason"] == "it is ERROR"


@pytest.mark.parametrize(("address", "kind"), [("192.0.2.1", "A"), ("2001:db8::1", "AAAA")])
def test_record_types(address: str, kind: str) -> None:
    assert record_type(address) == kind


@pytest.mark.parametrize(
    ("resolved", "missing", "extra"),
    [(None, None, None), (("203.0.113.254",), 2, ["203.0.113.254"]), ((), 2, [])],
)
def test_dns_is_compared_with_what_should_be_published(resolved: Any, missing: Any, extra: Any) -> None:
    """null where nobody was asked: nothing is said to be missing on a guess."""
    cloud = built(want("az1", "az2"))
    told = plain(decide(want("az1", "az2"), replace(cloud.observed, endpoint_addresses=resolved)).standing)
    dns = told["dns_records"]
    assert dns["resolved"] == (None if resolved is None else sorted(resolved))
    assert (dns["missing"] and len(dns["missing"]), dns["extra"]) == (missing, extra)


def test_what_leads_to_the_right_place_is_neither_missing_nor_too_much() -> None:
    cloud = built(want("az1", "az2"))
    first, second = (ip.address for ip in cloud.observed.floating_ips)
    seen_in_dns = replace(cloud.observed, endpoint_addresses=(first,))
    dns = plain(decide(want("az1", "az2"), seen_in_dns).standing)["dns_records"]
    assert (dns["missing"], dns["extra"]) == ([second], [])


def zone_ip(cloud: Cloud, zone: str) -> FloatingIp:
    return next(ip for ip in cloud.observed.floating_ips if ip.description == DEMO.description(zone))


def published(decision: Decision) -> tuple[dict[str, str], dict[str, str]]:
    """Addresses to publish, and reasons not to, by zone."""
    dns = plain(decision.standing["dns_records"])
    return (
        {one["zone"]: one["address"] for one in dns["publish"]},
        {one["zone"]: one["reason"] for one in dns["withhold"]},
    )


def test_a_zone_that_waits_for_its_floating_ip_is_withheld() -> None:
    cloud = built(want("az1", "az2"))
    first, second = zone_ip(cloud, "az1"), zone_ip(cloud, "az2")
    bare = replace(cloud.observed, floating_ips=(first,))
    assert second.port_id
    assert published(decide(want("az1", "az2"), bare)) == (
        {"az1": first.address},
        {"az2": "it has no floating IP yet"},
    )


def test_private_addresses_are_not_published_beside_public_ones() -> None:
    """Safe CAPO 14: one zone keeps a floating IP that somebody made, the others have none."""
    wish = want("az1", "az2", floating_ips=False)
    cloud = built(wish)
    first, second = cloud.observed.load_balancers
    assert published(decide(wish, cloud.observed))[0] == {"az1": first.vip_address, "az2": second.vip_address}
    theirs = replace(cloud.observed, floating_ips=(FloatingIp("f", "10.77.0.9", first.vip_port_id, "somebody's"),))
    assert published(decide(wish, theirs)) == (
        {"az1": "10.77.0.9"},
        {"az2": "its address is private, and those of other zones are not"},
    )


def test_an_ipv6_vip_is_published_beside_floating_ips_where_it_can_be_reached() -> None:
    """Safe CAPO 9: floating IPs follow the family of each VIP."""
    wish = want("az1", "az2")
    for cidr, vip, reached in (("2001:db8::/64", "2001:db8::5", True), ("fd00::/64", "fd00::5", False)):
        subnets = (seen().subnets[0], Subnet("s2", "net", cidr))
        cloud = built(wish, subnets=subnets)
        lbs = tuple(
            replace(lb, vip_address=vip) if lb.vip_subnet_id == "s2" else lb for lb in cloud.observed.load_balancers
        )
        publish, withhold = published(decide(wish, replace(cloud.observed, load_balancers=lbs)))
        assert publish == {"az1": zone_ip(cloud, "az1").address} | ({"az2": vip} if reached else {})
        assert bool(withhold) is not reached


def test_an_address_that_moves_along_stays_published() -> None:
    """It is the legacy load balancer's until that one goes, and then the first zone's."""
    old = legacy(on=machines("az1"), vip_subnet_id="s3")
    used = FloatingIp("f", "198.51.100.99", old.vip_port_id, "mine")
    cloud = Cloud(seen(load_balancers=(old,), floating_ips=(used,)))
    wish = want("az1", floating_ip="198.51.100.99", legacy="retire")
    for step in decide(wish, cloud.observed).steps:
        cloud.apply(step)
    assert published(decide(wish, cloud.observed)) == ({"az1": "198.51.100.99"}, {})


def test_spelling_is_no_difference() -> None:
    wish = want("az1", floating_ips=False)
    cloud = built(wish, subnets=(Subnet("s1", "net", "2001:db8::/64"),))
    lb = replace(cloud.observed.load_balancers[0], vip_address="2001:db8::5")
    world = replace(cloud.observed, load_balancers=(lb,), endpoint_addresses=("2001:0db8:0:0::5",))
    dns = plain(decide(wish, world).standing["dns_records"])
    assert (dns["resolved"], dns["missing"], dns["extra"]) == (["2001:db8::5"], [], [])


def test_back_to_one_says_which_record_is_left() -> None:
    cloud = built(want("az1", "az2"))
    assert published(decide(want(), cloud.observed))[0] == {"": zone_ip(cloud, "az1").address}
    capos = seen(load_balancers=(legacy(on=machines("az1")),), cluster=cluster(managed_lb_enabled=True))
    assert published(decide(want(), capos))[0] == {"": legacy().vip_address}
