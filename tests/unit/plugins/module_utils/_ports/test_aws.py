# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's subnets, Elastic IPs and load balancers as AWS tells them (SUB-3, SUB-4)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsQuota
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws import Aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import PortError
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.accounts import (
    Account,
    classic,
    network,
    tags,
)

OWNED = tags(**{"kubernetes.io__cluster__prod-x1": "owned"})
SHARED = tags(**{"kubernetes.io__cluster__prod-x1": "shared"})
UID = "0a1b2c3d-0000-0000-0000-000000000000"


def subnet(name: str, vpc: str = "vpc-1", zone: str = "a", **more: Any) -> dict[str, Any]:
    return {"SubnetId": name, "VpcId": vpc, "AvailabilityZone": zone, **more}


def table(*routes: str, vpc: str = "vpc-1", main: bool = False, subnets: tuple[str, ...] = ()) -> dict[str, Any]:
    associations: list[dict[str, Any]] = [{"SubnetId": name} for name in subnets]
    return {
        "VpcId": vpc,
        "Routes": [{"GatewayId": route} for route in routes],
        "Associations": [*associations, *([{"Main": True}] if main else [])],
    }


def account(**tables: list[dict[str, Any]]) -> Account:
    """EC2's tables by the key of the answer."""
    return Account({("ec2", key): entries for key, entries in tables.items()})


def port(here: Account) -> Aws:
    return Aws(here)  # type: ignore[arg-type]


# -- network ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "public"),
    [
        pytest.param([table("igw-1", subnets=("s1",))], True, id="its own table leads out"),
        pytest.param([table("nat-1", subnets=("s1",)), table("igw-1", main=True)], False, id="its own table decides"),
        pytest.param([table("local", "igw-1", main=True)], True, id="the main table of its VPC"),
        pytest.param([table("igw-1", vpc="vpc-2", main=True)], False, id="another VPC's main table"),
        pytest.param([], False, id="no table"),
    ],
)
def test_public_is_a_route_to_an_internet_gateway(tables: list[dict[str, Any]], public: bool) -> None:
    (found,) = port(account(Subnets=[subnet("s1")], RouteTables=tables)).subnets("vpc-1")
    assert found.public is public


def test_a_subnet_as_a_value() -> None:
    entry = subnet("s1", Tags=tags(Name="blue", team="edge"), AvailableIpAddressCount=12)
    zones = [{"ZoneName": "a", "ZoneType": "local-zone"}]
    (found,) = port(account(Subnets=[entry], AvailabilityZones=zones)).subnets("vpc-1")
    assert (found.id, found.zone, found.vpc, found.name, found.free) == ("s1", "a", "vpc-1", "blue", 12)
    assert (found.zone_type, dict(found.tags)) == ("local-zone", {"Name": "blue", "team": "edge"})


def test_those_asked_for_are_found_elsewhere_and_unknown_ones_left_out() -> None:
    here = account(Subnets=[subnet("s1"), subnet("s2", "vpc-2"), subnet("s3", "vpc-3")])
    assert [found.id for found in port(here).subnets("vpc-1", ["s2", "s1", "s9", "s2"])] == ["s1", "s2"]
    asked = [query["Filters"] for call, query in here.calls if call == "ec2:describe_subnets"]
    assert asked == [
        [{"Name": "vpc-id", "Values": ["vpc-1"]}],
        [{"Name": "subnet-id", "Values": ["s2", "s9"]}],
    ]


def test_a_filter_takes_two_hundred_values() -> None:
    here = account()
    assert port(here).subnets("", [f"s{number}" for number in range(450)]) == ()
    assert here.count("ec2:describe_subnets") == 3
    assert here.count("ec2:describe_route_tables") == 0


@pytest.mark.parametrize(
    ("subnets", "machines", "vpc"),
    [
        pytest.param([subnet("s1", Tags=OWNED)], [], "vpc-1", id="a tagged subnet"),
        pytest.param([subnet("s1")], [{"VpcId": "vpc-2", "Tags": OWNED}], "vpc-2", id="its machines"),
        pytest.param([subnet("s1", Tags=OWNED), subnet("s2", "vpc-2", Tags=SHARED)], [], "", id="two VPCs"),
        pytest.param([subnet("s1")], [{"Tags": OWNED}], "", id="a machine that is gone"),
        pytest.param([subnet("s1")], [], "", id="nothing tagged"),
    ],
)
def test_the_vpc_is_where_the_clusters_tag_is(subnets: Any, machines: Any, vpc: str) -> None:
    here = account(Subnets=subnets, Reservations=[{"Instances": machines}])
    assert port(here).cluster_vpc("prod-x1") == vpc


def test_a_cluster_without_a_name_has_no_tag_to_look_for() -> None:
    here = account(Subnets=[subnet("s1", Tags=OWNED)])
    assert port(here).cluster_vpc("") == ""
    assert here.calls == []


@pytest.mark.parametrize(
    ("address", "used_by"),
    [
        ({}, ""),
        ({"InstanceId": "i-1", "NetworkInterfaceId": "eni-1"}, "instance i-1"),
        ({"NetworkInterfaceOwnerId": "amazon-elb", "NetworkInterfaceId": "eni-1"}, "another load balancer (eni-1)"),
        ({"NetworkInterfaceId": "eni-1"}, "network interface eni-1"),
        ({"AssociationId": "eipassoc-1"}, "association eipassoc-1"),
    ],
)
def test_who_uses_an_elastic_ip(address: dict[str, str], used_by: str) -> None:
    here = account(Addresses=[{"AllocationId": "e1", "PublicIp": "192.0.2.1", **address}])
    (found,) = port(here).eips(["e1", "e9", "e1"])
    assert (found.id, found.address, found.used_by) == ("e1", "192.0.2.1", used_by)


def test_elastic_ips_of_a_name_or_of_one_that_begins_with_it() -> None:
    """API-2: there is one per subnet, and a name may say which."""
    name = "prod-x1-rsvd-public-ipv4"
    named = {"e3": f"{name}-us-east-1b", "e1": name, "e2": f"{name}9", "e4": "prod-x2-rsvd-public-ipv4"}
    here = account(Addresses=[{"AllocationId": key, "Tags": tags(Name=value)} for key, value in named.items()])
    assert [eip.id for eip in port(here).eips_named(name)] == ["e1", "e3"]


# -- load balancers ---------------------------------------------------------------------------------------------------


def service(*hostnames: str) -> dict[str, Any]:
    ingress = [{"hostname": name} for name in hostnames]
    return {"metadata": {"uid": UID}, "status": {"loadBalancer": {"ingress": ingress}}}


def balancers(*entries: dict[str, Any], **tagged: str) -> Account:
    marks = tags(**tagged)
    groups = {"elb": "LoadBalancerDescriptions", "elbv2": "LoadBalancers"}
    here = Account()
    for api, key in groups.items():
        mine = [entry for entry in entries if ("Type" in entry) is (api == "elbv2")]
        here.tables |= {(api, key): mine, (api, "TagDescriptions"): [{**entry, "Tags": marks} for entry in mine]}
    return here


OURS = lb_name(UID)


@pytest.mark.parametrize(
    ("known", "hostnames", "kind"),
    [
        pytest.param([network(OURS)], [], "NLB", id="by the name its uid gives"),
        pytest.param([classic(OURS), network(OURS)], [network(OURS)["DNSName"].upper()], "NLB", id="the published one"),
        pytest.param([classic(OURS), network(OURS)], [classic(OURS)["DNSName"]], "Classic", id="of two kinds"),
        pytest.param([network("k8s-shop-front")], [network("k8s-shop-front")["DNSName"]], "NLB", id="another's name"),
        pytest.param([network("other")], ["front.example.com"], "", id="none"),
    ],
)
def test_the_load_balancer_behind_a_service(known: list[Any], hostnames: list[str], kind: str) -> None:
    found = port(balancers(*known)).load_balancer(service(*hostnames))
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize(("value", "number"), [("owned", 2), ("shared", 0)])
def test_only_what_a_cluster_owns_can_be_left_behind(value: str, number: int) -> None:
    here = balancers(classic("a"), network("b"), **{"kubernetes.io__cluster__prod-x1": value})
    assert len(port(here).survey("prod-x1").owned) == number


def test_a_limit_that_aws_does_not_tell_is_no_limit_that_was_kept() -> None:
    here = balancers(classic("a"), network("b"))
    here.tables["elbv2", "Limits"] = [{"Name": "network-load-balancers", "Max": "50"}]
    assert port(here).quota("NLB") == AwsQuota("NLB", 50, 1)
    with pytest.raises(PortError, match="names no limit"):
        port(here).quota("Classic")


def test_a_look_is_at_the_vpc_of_the_load_balancer_and_at_the_quota_only_where_it_is_asked() -> None:
    here = balancers(network(OURS))
    here.tables |= {("ec2", "Subnets"): [subnet("s1"), subnet("s2", "vpc-2", Tags=OWNED)]}
    facts = port(here).look("prod-x1", service=service())
    assert (facts.vpc, [one.id for one in facts.subnets], facts.quota) == ("vpc-1", ["s1"], None)
    assert facts.lb is not None
    assert here.count("elbv2:describe_account_limits") == 0
    assert port(here).look("prod-x1", kind="NLB").vpc == "vpc-2"
    assert here.count("elbv2:describe_account_limits") == 1
