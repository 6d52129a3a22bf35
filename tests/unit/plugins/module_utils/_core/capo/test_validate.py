# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input is refused before anything is changed, all of it at once (CAPO-2, CORE-7; facts: capo §10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CloudFacts,
    Machine,
    MonitorSpec,
    Network,
    Ref,
    Subnet,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.validate import validate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import seen, want


def codes(desired: CapoDesired, **observed: Any) -> list[str]:
    return [finding.code for finding in validate(desired, seen(**observed))]


def mapped(*entries: tuple[str, Ref], **more: Any) -> CapoDesired:
    return replace(want("az1", **more), zones=tuple(ZoneSubnet(zone, ref) for zone, ref in entries))


def of_zone(**terms: str) -> CapoDesired:
    """Zone az1 with terms of its own."""
    return replace(want("az1"), zones=(ZoneSubnet("az1", Ref("s1"), **terms),))


BY_NAME = Ref(filter={"name": "vip-az1"})

CASES: dict[str, tuple[CapoDesired, list[str]]] = {
    "fine": (want("az1", "az2", "az3", additional_ports=(8132,)), []),
    "no network": (want("az1", network=None), ["network_required"]),
    "network by an empty reference": (want("az1", network=Ref()), ["network_required"]),
    "unknown network": (want("az1", network=Ref("nowhere")), ["network_not_found"]),
    "zone twice": (mapped(("az1", Ref("s1")), ("az1", Ref("s2"))), ["duplicate_az"]),
    "zone without a name": (mapped(("", Ref("s1"))), ["zone_required"]),
    "subnet twice": (mapped(("az1", Ref("s1")), ("az2", Ref("s1"))), ["duplicate_subnet"]),
    "subnet twice once resolved": (mapped(("az1", Ref("s1")), ("az2", BY_NAME)), ["duplicate_subnet"]),
    "subnet of another network": (mapped(("az1", Ref("s9"))), ["subnet_not_in_network"]),
    "unknown subnet": (mapped(("az1", Ref("nope"))), ["subnet_not_found"]),
    "filter of several": (mapped(("az1", Ref(filter={"projectID": "p"}))), ["subnet_ambiguous"]),
    "filter with a typo": (mapped(("az1", Ref(filter={"nmae": "vip-az1"}))), ["unknown_filter_field"]),
    "no host": (want("az1", endpoint_host=""), ["endpoint_host_required"]),
    "IPv4 host": (want("az1", endpoint_host="192.0.2.7"), ["endpoint_host_must_be_dns"]),
    "IPv6 host": (want("az1", endpoint_host="2001:db8::7"), ["endpoint_host_must_be_dns"]),
    "IPv6 host in brackets": (want("az1", endpoint_host="[2001:db8::7]"), ["endpoint_host_must_be_dns"]),
    "host that is no name": (want("az1", endpoint_host="api_1..example"), ["endpoint_host_must_be_dns"]),
    "port zero": (want("az1", additional_ports=(0,)), ["port_out_of_range"]),
    "port too high": (want("az1", endpoint_port=65536), ["port_out_of_range"]),
    "port twice": (want("az1", additional_ports=(22, 22)), ["duplicate_port"]),
    "the API port again": (want("az1", additional_ports=(6443,)), ["duplicate_port"]),
    "bad CIDR": (want("az1", allowed_cidrs=("10.0.0.0/33",)), ["invalid_cidr"]),
    "CIDR with host bits": (want("az1", allowed_cidrs=("10.0.0.5/8",)), []),
    "fixed address outside the subnet": (want("az1", fixed_ip="192.168.9.5"), ["fixed_ip_not_in_subnet"]),
    "fixed address of a zone outside its subnet": (of_zone(fixed_ip="192.168.9.5"), ["fixed_ip_not_in_subnet"]),
    "fixed address of the other family": (of_zone(fixed_ip="2001:db8::1"), ["fixed_ip_not_in_subnet"]),
    "fixed address that is none": (of_zone(fixed_ip="many"), ["address_invalid"]),
    "one fixed address for two zones": (
        replace(
            want("az1", "az2"), zones=tuple(ZoneSubnet(f"az{n}", Ref(f"s{n}"), fixed_ip="192.168.1.5") for n in (1, 2))
        ),
        ["fixed_ip_not_in_subnet", "duplicate_fixed_ip"],
    ),
    "fixed address for two": (want("az1", "az2", fixed_ip="192.168.1.5"), ["fixed_ip_with_several_zones"]),
    "fixed address for one": (want("az1", fixed_ip="192.168.1.5"), []),
    "address that is none": (want("az1", floating_ip="many"), ["address_invalid"]),
    "one address for two zones": (
        want("az1", "az2", floating_ip_by_zone={"az1": "203.0.113.1", "az2": "203.0.113.1"}),
        ["duplicate_floating_ip"],
    ),
    "cluster-wide address given to another zone too": (
        want("az1", "az2", floating_ip="203.0.113.1", floating_ip_by_zone={"az2": "203.0.113.1"}),
        ["duplicate_floating_ip"],
    ),
    "one address for two zones in two spellings": (
        want(
            "az6",
            "az7",
            allowed_cidrs=None,
            floating_ips=False,
            floating_ip_by_zone={"az6": "2001:db8::1", "az7": "2001:db8:0::1"},
        ),
        ["floating_ip_family", "floating_ip_family", "duplicate_floating_ip"],
    ),
    "floating address that is IPv6": (want("az1", floating_ip="2001:db8::1"), ["floating_ip_family"]),
    "floating address for an IPv6 zone": (
        want("az1", "az6", floating_ip_by_zone={"az6": "203.0.113.1"}),
        ["floating_ip_family"],
    ),
    "cluster-wide floating address and IPv6 zones only": (
        want("az6", "az7", floating_ip="203.0.113.1"),
        ["floating_ip_family"],
    ),
    "cluster-wide floating address and one IPv4 zone": (want("az6", "az1", floating_ip="203.0.113.1"), []),
    "IPv4 ranges for an IPv6 zone": (
        want("az1", "az6", allowed_cidrs=("10.0.0.0/8",)),
        ["cidr_family_missing"],
    ),
    "IPv6 ranges for an IPv4 zone": (
        want("az1", "az6", allowed_cidrs=("2001:db8::/32",)),
        ["cidr_family_missing"],
    ),
    "ranges of both families": (want("az1", "az6", allowed_cidrs=("10.0.0.0/8", "2001:db8::/32")), []),
    "no ranges at all, which opens": (want("az1", "az6", allowed_cidrs=()), []),
    "empty cluster": (replace(want("az1"), cluster=""), ["name_invalid"]),
    "two addresses for the first zone": (
        want("az1", floating_ip="203.0.113.1", floating_ip_by_zone={"az1": "203.0.113.2"}),
        ["duplicate_floating_ip"],
    ),
    "address for a zone that is not mapped": (
        want("az1", floating_ip_by_zone={"az7": "203.0.113.1"}),
        ["unknown_zone"],
    ),
    "a zone that may be unhealthy and is not mapped": (
        want("az1", allow_unhealthy_zones=("az1", "az7")),
        ["unknown_zone"],
    ),
    "unknown provider": (want("az1", provider="f5"), ["unknown_provider"]),
    "unknown provider of a zone": (of_zone(provider="f5"), ["unknown_provider"]),
    "unknown flavor of a zone": (of_zone(flavor="huge"), ["unknown_flavor"]),
    "timeout below zero": (want("az1", timeout_client_data=-1), ["timeout_out_of_range"]),
    "timeout above a year": (want("az1", timeout_member_data=31_536_000_001), ["timeout_out_of_range"]),
    "monitor out of range": (want("az1", monitor=MonitorSpec(max_retries=11)), ["monitor_out_of_range"]),
    "unknown choice": (want("az1", legacy="delete"), ["unknown_choice"]),
    "name too long": (mapped(("z" * 240, Ref("s1"))), ["name_too_long"]),
}
SUBNETS = (
    *(Subnet(f"s{n}", "net", f"192.168.{n}.0/24", {"name": f"vip-az{n}", "project_id": "p"}) for n in (1, 2, 3)),
    Subnet("s6", "net", "2001:db8:6::/64"),
    Subnet("s7", "net", "2001:db8:7::/64"),
    Subnet("s9", "other", "192.168.9.0/24"),
)


@pytest.mark.parametrize(("desired", "expected"), CASES.values(), ids=CASES)
def test_each_rule(desired: CapoDesired, expected: list[str]) -> None:
    cloud = replace(seen().cloud, flavors={"small": "f-1"})
    assert codes(desired, subnets=SUBNETS, cloud=cloud) == expected


def test_everything_that_is_wrong_is_told_at_once_with_field_value_and_remedy() -> None:
    desired = mapped(
        ("az1", Ref("s9")),
        ("az1", Ref("s9")),
        endpoint_host="192.0.2.7",
        additional_ports=(70000,),
        allowed_cidrs=("everyone",),
    )
    decision = decide(desired, seen(subnets=SUBNETS))
    assert decision.verdict is Verdict.INVALID
    assert not decision.steps
    assert [finding.code for finding in decision.findings] == [
        "duplicate_az",
        "duplicate_subnet",
        "subnet_not_in_network",
        "subnet_not_in_network",
        "endpoint_host_must_be_dns",
        "port_out_of_range",
        "invalid_cidr",
    ]
    for finding in decision.findings:
        assert finding.severity is Severity.ERROR
        assert finding.where
        assert finding.remedy


def test_texts_are_those_of_the_prototype_where_it_has_any() -> None:
    """Facts: capo §10, machine-readable error texts."""
    twice = validate(mapped(("az1", Ref("s1")), ("az1", Ref("s2"))), seen())[0]
    assert twice.what.startswith('duplicate availability zone "az1" in availabilityZoneSubnets')
    apart = validate(mapped(("az1", Ref("s9"))), seen(subnets=SUBNETS))[0]
    assert apart.what.startswith("subnet s9 does not belong to network net for AZ az1")


def test_a_network_by_filter_must_be_one() -> None:
    two = (Network("net", "lb"), Network("net2", "lb"))
    assert codes(want("az1", network=Ref(filter={"name": "lb"})), networks=two) == ["network_ambiguous"]


def test_without_a_mapping_only_the_options_own_rules_hold() -> None:
    assert codes(want(network=None, endpoint_host="")) == []
    assert codes(want(additional_ports=(0,))) == ["port_out_of_range"]
    assert codes(want("az1", network=None, state="absent")) == []


def test_what_cannot_be_listed_is_not_checked() -> None:
    assert codes(want("az1", provider="f5"), cloud=CloudFacts(providers=None)) == []


def test_a_machine_must_have_an_address_that_is_one() -> None:
    assert codes(want("az1"), machines=(Machine("m", "cp-0.local", "az1"),)) == ["address_invalid"]


def test_two_running_machines_have_two_addresses() -> None:
    """A pool takes an address once. One that is on its way out may have handed its own on."""
    pair = (Machine("a", "10.0.1.1", "az1"), Machine("b", "10.0.1.1", "az1"))
    assert codes(want("az1"), machines=pair) == ["duplicate_machine"]
    assert codes(want("az1"), machines=(replace(pair[0], deleting=True), pair[1])) == []


@pytest.mark.parametrize(
    "field", [{"fixed_ip": "192.168.1.5"}, {"provider": "f5"}, {"flavor": "huge"}, {"fixed_ip": "10.99.0.1"}]
)
def test_what_the_object_says_of_its_own_load_balancer_is_no_reason_to_refuse(field: dict[str, str]) -> None:
    """Safe CAPO 14: most of it cannot be edited, and CAPO itself goes on without it (facts: capo §3, §9)."""
    cloud = replace(seen().cloud, flavors={})
    said = replace(want("az1", "az2", **field), from_object=frozenset(field))
    assert decide(said, seen(cloud=cloud)).verdict is Verdict.UPDATE_IN_PLACE
    asked = replace(said, from_object=frozenset())
    assert decide(asked, seen(cloud=cloud)).verdict is Verdict.INVALID


@pytest.mark.parametrize(("zone", "wrong"), [("az1", False), ("az9", True)])
def test_an_alias_leads_to_a_zone_of_the_mapping(zone: str, wrong: bool) -> None:
    found = [one for one in validate(want("az1", zone_aliases={"nova-1": zone}), seen()) if one.where == "zone_aliases"]
    assert bool(found) is wrong


@pytest.mark.parametrize(("last", "wrong"), [("0", True), ("255", True), ("77", False)])
def test_a_fixed_ip_that_stands_for_the_subnet_is_refused_before_other_zones_are_built(last: str, wrong: bool) -> None:
    """Neutron refuses it when Octavia asks for the port, and Octavia answers 500 (Safe CAPO 8)."""
    wish = want("az1", fixed_ip=f"192.168.1.{last}")
    found = [one.code for one in validate(wish, seen()) if one.code == "fixed_ip_not_in_subnet"]
    assert bool(found) is wrong
