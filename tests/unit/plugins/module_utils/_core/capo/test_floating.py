# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Floating IPs: one load balancer each, none pulled away, no other's ever deleted (CAPO-3, facts: capo §5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    FloatingIp,
    LoadBalancer,
    Network,
    Record,
    Subnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Disruption, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    legacy,
    machines,
    seen,
    tree,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import built, carry_out

DEMO = Identity("default", "demo")
BYO = "198.51.100.99"


def standing(*zones: str, **more: Any) -> tuple[LoadBalancer, ...]:
    """Zone load balancers of ours, complete, without floating IPs."""
    return tuple(
        tree(
            zone_name(zone),
            f"lb-{zone}",
            *(one for one in machines("az1", "az2", "az3") if one.failure_domain == zone),
            vip_subnet_id=f"s{zone[-1]}",
            tags=DEMO.tags(zone),
            **more,
        )
        for zone in zones
    )


def world(*ips: FloatingIp, zones: tuple[str, ...] = ("az1", "az2"), **more: Any) -> CapoObserved:
    return seen(load_balancers=standing(*zones), floating_ips=ips, record=Record(), **more)


def neutron(decision: Decision) -> list[tuple[str, str, Any]]:
    """Verb, name and port of each step on a floating IP."""
    return [
        (step.verb, step.name, (step.body or {}).get("port_id")) for step in decision.steps if step.port == "neutron"
    ]


def test_every_zone_gets_one_made_and_marked_in_a_single_request() -> None:
    decision = decide(want("az1", "az2"), world())
    assert neutron(decision) == [
        ("create", DEMO.description("az1"), "port-of-lb-az1"),
        ("create", DEMO.description("az2"), "port-of-lb-az2"),
    ]
    body = decision.steps[0].body
    assert (body["floating_network_id"], body["description"]) == ("ext", DEMO.description("az1"))


def test_the_port_of_a_load_balancer_that_is_still_to_be_made_is_a_reference() -> None:
    decision = decide(want("az1"), seen())
    port = next(step for step in decision.steps if step.port == "neutron").body["port_id"]
    assert port == {
        "$from": {"resource": "load_balancer", "name": zone_name("az1"), "attribute": "vip_port_id"},
    }


def test_a_cluster_wide_address_goes_to_the_first_zone_only() -> None:
    free = FloatingIp("f", BYO, "", "mine")
    decision = decide(want("az2", "az1", floating_ip=BYO), world(free))
    assert neutron(decision) == [
        ("update", BYO, "port-of-lb-az2"),
        ("create", DEMO.description("az1"), "port-of-lb-az1"),
    ]


def test_it_stays_with_the_zone_that_has_it_when_the_order_changes() -> None:
    used = FloatingIp("f", BYO, "port-of-lb-az1", "mine")
    decision = decide(want("az2", "az1", floating_ip=BYO), world(used))
    assert neutron(decision) == [("create", DEMO.description("az2"), "port-of-lb-az2")]


def test_addresses_by_zone() -> None:
    free = (FloatingIp("f1", "203.0.113.1"), FloatingIp("f2", "203.0.113.2"))
    wish = want("az1", "az2", floating_ip_by_zone={"az2": "203.0.113.1", "az1": "203.0.113.2"})
    assert neutron(decide(wish, world(*free))) == [
        ("update", "203.0.113.2", "port-of-lb-az1"),
        ("update", "203.0.113.1", "port-of-lb-az2"),
    ]


def test_an_address_that_does_not_exist_is_asked_for() -> None:
    decision = decide(want("az1", floating_ip=BYO), world(zones=("az1",)))
    assert decision.steps[0].body["floating_ip_address"] == BYO


def test_one_in_use_elsewhere_is_never_pulled_away() -> None:
    """CAPO moves it from wherever it is (facts: capo §5)."""
    used = FloatingIp("f", BYO, "port-of-a-stranger", "mine")
    decision = decide(want("az1", floating_ip=BYO), world(used, zones=("az1",)))
    assert neutron(decision) == []
    assert "floating_ip_taken" in [finding.code for finding in decision.findings]


def test_one_that_is_there_is_kept_whoever_made_it() -> None:
    used = FloatingIp("f", "203.0.113.8", "port-of-lb-az1", "somebody's")
    assert neutron(decide(want("az1"), world(used, zones=("az1",)))) == []


def test_another_address_swaps_and_only_ours_is_deleted() -> None:
    free = FloatingIp("new", BYO)
    ours = FloatingIp("old", "203.0.113.8", "port-of-lb-az1", DEMO.description("az1"))
    theirs = replace(ours, description="somebody's")
    wish = want("az1", floating_ip=BYO)
    for attached, first in ((ours, "delete"), (theirs, "update")):
        decision = decide(wish, world(attached, free, zones=("az1",)))
        assert [verb for verb, _name, _port in neutron(decision)] == [first, "update"]
        assert decision.disruption is Disruption.BRIEF


@pytest.mark.parametrize(
    ("description", "steps", "disruption"),
    [(DEMO.description("az1"), ["delete"], Disruption.OUTAGE), ("somebody's", [], Disruption.NONE)],
)
def test_switched_off(description: str, steps: list[str], disruption: Disruption) -> None:
    """An adopted load balancer keeps what it had (CAPO-4); what we made goes, and that is told as an outage."""
    used = FloatingIp("f", "203.0.113.8", "port-of-lb-az1", description)
    decision = decide(want("az1", floating_ips=False), world(used, zones=("az1",)))
    assert [verb for verb, _name, _port in neutron(decision)] == steps
    assert decision.disruption is disruption


def test_one_that_a_dead_run_left_is_used_again_before_a_new_one_is_made() -> None:
    left = FloatingIp("f", "203.0.113.8", "", DEMO.description("az1"))
    decision = decide(want("az1"), world(left, zones=("az1",)))
    assert neutron(decision) == [("update", "203.0.113.8", "port-of-lb-az1")]


def test_the_record_finds_one_that_was_not_made_here() -> None:
    left = FloatingIp("f", "203.0.113.8", "", "somebody's")
    entries = [{"availabilityZone": "az1", "id": "gone", "ip": "203.0.113.8"}]
    seen_before = replace(world(left, zones=("az1",)), record=Record("config_map", "r", True, entries=entries))
    assert neutron(decide(want("az1"), seen_before))[0] == ("update", "203.0.113.8", "port-of-lb-az1")


def test_what_serves_nothing_and_was_made_here_goes_but_not_what_somebody_put_to_use() -> None:
    stray = FloatingIp("f", "203.0.113.8", "", DEMO.description("az9"))
    reused = FloatingIp("g", "203.0.113.9", "port-of-a-vm", DEMO.description("az9"))
    attached = FloatingIp("h", "203.0.113.7", "port-of-lb-az1", DEMO.description("az1"))
    decision = decide(want("az1"), world(stray, reused, attached, zones=("az1",)))
    assert neutron(decision) == [("delete", "203.0.113.8", None)]


def test_without_an_external_network_nothing_is_begun() -> None:
    """Safe CAPO 8: what Neutron would refuse half-way is refused before the first write."""
    bare = world(zones=("az1",), cluster=cluster(external_network_id=""))
    for wish in (want("az1", additional_ports=(22,)), want("az1", "az2")):
        decision = decide(wish, bare)
        assert (decision.verdict, decision.steps) == (Verdict.INVALID, ())
        assert [finding.code for finding in decision.errors] == ["external_network_required"]
    assert decide(want("az1", floating_network_id="other"), bare).steps[0].body["floating_network_id"] == "other"
    served = replace(bare, floating_ips=(FloatingIp("f", "203.0.113.8", "port-of-lb-az1", "somebody's"),))
    assert decide(want("az1", additional_ports=(22,)), served).changed


@pytest.mark.parametrize(
    ("networks", "code"),
    [
        (None, None),
        ((Network("ext", "", {"router:external": True}),), None),
        ((Network("ext", "", {"router:external": False}),), "external_network_unknown"),
        ((), "external_network_unknown"),
    ],
)
def test_an_external_network_that_is_none_is_refused_before_the_first_write(networks: Any, code: str | None) -> None:
    decision = decide(want("az1"), world(zones=("az1",), external_networks=networks))
    assert [finding.code for finding in decision.errors] == ([code] if code else [])
    assert bool(decision.steps) is (code is None)


class TestFamilies:
    """Safe CAPO 9: floating IPs are IPv4; each VIP has what fits its own family."""

    SUBNETS = (*seen().subnets[:1], Subnet("s2", "net", "2001:db8::/64"), *seen().subnets[2:])

    def test_only_zones_with_an_ipv4_vip_get_one(self) -> None:
        mixed = world(zones=("az1", "az2", "az3"), subnets=self.SUBNETS)
        made = [name for _verb, name, _port in neutron(decide(want("az1", "az2", "az3"), mixed))]
        assert made == [DEMO.description("az1"), DEMO.description("az3")]

    def test_a_mapping_of_ipv6_only_needs_no_external_network(self) -> None:
        six = tuple(Subnet(f"s{n}", "net", f"2001:db8:{n}::/64") for n in (1, 2))
        decision = decide(want("az1", "az2"), seen(subnets=six, cluster=cluster(external_network_id="")))
        assert not decision.errors
        assert neutron(decision) == []
        assert decision.changed

    def test_an_address_for_the_cluster_goes_to_the_first_zone_that_can_have_it(self) -> None:
        mixed = world(FloatingIp("f", BYO), zones=("az2", "az1"), subnets=self.SUBNETS)
        assert neutron(decide(want("az2", "az1", floating_ip=BYO), mixed)) == [("update", BYO, "port-of-lb-az1")]

    def test_a_second_run_writes_nothing(self) -> None:
        wish = want("az1", "az2", "az3")
        cloud = Cloud(seen(subnets=self.SUBNETS))
        for step in decide(wish, cloud.observed).steps:
            cloud.apply(step)
        assert len(cloud.observed.floating_ips) == 2
        assert decide(wish, cloud.observed).verdict is Verdict.IN_SYNC


def test_the_legacy_address_moves_to_the_first_zone_when_the_legacy_goes() -> None:
    """Facts: capo §11.6: it survives as long as the endpoint needs it, then on the load balancer that inherits."""
    old = legacy(on=machines("az1", "az2"), vip_subnet_id="s3")
    used = FloatingIp("f", BYO, old.vip_port_id, "mine")
    cloud = Cloud(seen(load_balancers=(old,), floating_ips=(used,), endpoint_addresses=(BYO,)))
    wish = want("az1", floating_ip=BYO, legacy="retire")
    first = decide(wish, cloud.observed)
    assert "floating_ip_waits" in [finding.code for finding in first.findings]
    for step in first.steps:
        cloud.apply(step)
    then = decide(replace(wish, traffic_moved=True), cloud.observed)
    moves = [step for step in then.steps if step.port == "neutron"]
    assert [(step.verb, step.disruption) for step in moves] == [("update", Disruption.BRIEF)]
    for step in then.steps:
        cloud.apply(step)
    zone = next(lb for lb in cloud.observed.load_balancers if lb.name == zone_name("az1"))
    assert cloud.observed.floating_ip_on(zone.vip_port_id) == replace(used, port_id=zone.vip_port_id)
    assert [lb.name for lb in cloud.observed.load_balancers] == [zone_name("az1")]


def test_one_of_ours_that_somebody_uses_elsewhere_is_named_and_left() -> None:
    cloud = built(want("az1"))
    (ip,) = cloud.observed.floating_ips
    cloud.observed = replace(cloud.observed, floating_ips=(replace(ip, port_id="somebody's"),))
    decision = carry_out(want("az1"), cloud)
    assert [(step.verb, step.resource) for step in decision.steps if step.port == "neutron"] == [
        ("create", "floating_ip")
    ]
    again = decide(want("az1"), cloud.observed)
    gone = decide(want(state="absent", traffic_moved=True), cloud.observed)
    for told in (decision, again, gone):
        (found,) = [one for one in told.findings if one.code == "floating_ip_elsewhere"]
        assert (found.value, ip.address in found.where, "zone az1" in found.what) == (ip.id, True, True)
    assert ip.id not in [step.uid for step in gone.steps]
