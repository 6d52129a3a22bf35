# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking AWS (moto) about subnets, Elastic IPs and load balancers (SUB-3, SUB-4), and its refusals as sentences."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws import in_force, preflight
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsFacts
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.going import going
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.preflight import WantedLb
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws import Aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws_balancers import name_in

from .conftest import AwsSite

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"


def service(name: str = "router-default", **annotations: str) -> dict[str, Any]:
    keys = {PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}
    meta = {"name": name, "namespace": "openshift-ingress", "uid": str(uuid.uuid4()), "annotations": keys}
    return {"metadata": meta, "spec": {"type": "LoadBalancer", "ports": [{"port": 443, "nodePort": 30443}]}}


# -- network -----------------------------------------------------------------------------------------------------------


def test_subnets_of_the_vpc_with_zone_name_room_and_publicity(aws: Aws, aws_site: AwsSite) -> None:
    network = aws_site.network
    found = {subnet.id: subnet for subnet in aws.subnets(network.vpc_id)}
    assert {subnet_id: subnet.name for subnet_id, subnet in found.items()} == network.names
    assert {s.id for s in found.values() if s.public} == {*network.public.values(), *network.spare_public.values()}
    assert all(subnet.free > 200 and subnet.vpc == network.vpc_id for subnet in found.values())
    assert {zone: found[subnet_id].zone for zone, subnet_id in network.private.items()} == {z: z for z in network.zones}
    assert found[network.public["us-east-1a"]].tags["kubernetes.io/role/elb"] == "1"


def test_subnets_by_id_elsewhere_are_found_and_unknown_ones_left_out(aws: Aws, aws_site: AwsSite) -> None:
    ec2 = aws_site.clients.ec2
    other = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    stray = ec2.create_subnet(VpcId=other, CidrBlock="10.9.0.0/24")["Subnet"]["SubnetId"]
    found = aws.subnets(aws_site.network.vpc_id, [stray, "subnet-00000000000000000"])
    assert {subnet.vpc for subnet in found if subnet.id == stray} == {other}
    assert "subnet-00000000000000000" not in {subnet.id for subnet in found}


def test_a_main_route_table_counts_for_subnets_without_their_own(aws: Aws, aws_site: AwsSite) -> None:
    ec2 = aws_site.clients.ec2
    vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.8.0.0/24")["Subnet"]["SubnetId"]
    assert [found.public for found in aws.subnets(vpc)] == [False]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    tables = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["RouteTables"]
    ec2.create_route(RouteTableId=tables[0]["RouteTableId"], DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    assert [(found.id, found.public) for found in aws.subnets(vpc)] == [(subnet, True)]


def test_the_vpc_of_a_cluster(aws: Aws, aws_site: AwsSite) -> None:
    assert aws.cluster_vpc(aws_site.network.infra_id) == aws_site.network.vpc_id
    assert aws.cluster_vpc("no-such-cluster") == ""
    assert aws.cluster_vpc("") == ""


def test_elastic_ips(aws: Aws, aws_site: AwsSite) -> None:
    first = aws_site.network.eips[0]
    found = aws.eips([first, first, "eipalloc-00000000000000000"])
    assert [(eip.id, eip.used_by) for eip in found] == [(first, "")]
    assert found[0].address


# -- load balancers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "marker"), [("Classic", {}), ("NLB", {"type": "nlb"})])
def test_the_load_balancer_behind_a_service(aws: Aws, aws_site: AwsSite, kind: str, marker: dict[str, str]) -> None:
    network = aws_site.network
    made = aws_site.provisioned(service(internal="true", **marker))
    lb = aws.load_balancer(made)
    assert lb is not None
    assert (lb.kind, lb.scope, lb.vpc) == (kind, "Internal", network.vpc_id)
    assert set(lb.subnets) == set(network.private.values())
    assert lb.zones == network.zones
    assert lb.tags["kubernetes.io/service-name"] == "openshift-ingress/router-default"
    assert lb.hostname == made["status"]["loadBalancer"]["ingress"][0]["hostname"]
    assert name_in(lb.hostname) == lb.name


def test_a_service_without_load_balancer(aws: Aws) -> None:
    assert aws.load_balancer(service()) is None


def test_elastic_ips_of_a_network_load_balancer(aws: Aws, aws_site: AwsSite) -> None:
    network = aws_site.network
    subnets = list(network.spare_public.values())[:2]
    made = service("with-eips", type="nlb", subnets=",".join(subnets), eip_allocations=",".join(network.eips[2:4]))
    lb = aws.load_balancer(aws_site.provisioned(made))
    assert lb is not None
    assert set(lb.eips) == set(network.eips[2:4])
    assert all(eip.used_by for eip in aws.eips(network.eips[2:4]))
    facts = aws.look(network.infra_id, subnet_ids=subnets, eips=network.eips[2:4], service=made)
    wanted = WantedLb("NLB", "External", Subnets(tuple(subnets)), network.eips[2:4])
    assert preflight.check(wanted, facts) == (), "the load balancer to be replaced gives its own addresses back"
    assert {f.code for f in preflight.check(wanted, facts, bridging=True)} == {"eip_in_use"}


def test_of_two_kinds_with_one_name_the_published_one_is_in_force_and_the_other_leaked(
    aws: Aws, aws_site: AwsSite
) -> None:
    """OCPBUGS-16728: a type change up to 4.21 leaves the old load balancer behind."""
    svc = service("flipped")
    aws_site.provisioned(svc)
    svc["metadata"]["annotations"] = {PREFIX + "type": "nlb"}
    flipped = aws_site.provisioned(svc)
    lb = aws.load_balancer(flipped)
    assert lb is not None
    assert lb.kind == "NLB"
    owned = [lb for lb in aws.survey(aws_site.network.infra_id).owned if lb.name == lb_name_of(svc)]
    assert [lb.kind for lb in owned] == ["Classic", "NLB"]
    findings = in_force.leaked(owned, [flipped])
    assert [(f.code, f.value) for f in findings] == [("lb_leaked", lb_name_of(svc))]
    assert f"aws elb delete-load-balancer --load-balancer-name {lb_name_of(svc)}" in findings[0].remedy


def lb_name_of(svc: dict[str, Any]) -> str:
    return ("a" + svc["metadata"]["uid"].replace("-", ""))[:32]


def test_names_are_asked_in_batches_around_unknown_ones(aws: Aws, aws_site: AwsSite) -> None:
    made = [service(f"batch-{n}") for n in range(3)]
    for svc in made:
        aws_site.provisioned(svc)
    unknown = [f"unknown-{n}" for n in range(22)]
    aws_site.moto.requests(reset=True)
    found = aws.load_balancers([*unknown[:10], *map(lb_name_of, made), *unknown[10:]])
    assert [lb.name for lb in found] == sorted(map(lb_name_of, made))
    assert aws_site.moto.requests()["actions"]["DescribeTags"] == 1


def test_owned_load_balancers_of_a_cluster_only(aws: Aws, aws_site: AwsSite) -> None:
    svc = service("mine")
    aws_site.provisioned(svc)
    survey = aws.survey(aws_site.network.infra_id)
    assert lb_name_of(svc) in [lb.name for lb in survey.owned]
    assert (aws.survey("other-infra").owned, aws.survey("").owned) == ((), ())
    gone = in_force.leaked(survey.owned, [])
    assert lb_name_of(svc) in {finding.value for finding in gone}


@pytest.mark.parametrize(("kind", "limit"), [("Classic", "classic_load_balancers"), ("NLB", "network_load_balancers")])
def test_quota(aws: Aws, aws_site: AwsSite, kind: str, limit: str) -> None:
    aws_site.provisioned(service(f"quota-{kind.lower()}", **({"type": "nlb"} if kind == "NLB" else {})))
    before = aws.quota(kind)
    assert before is not None
    assert 0 < before.used < before.limit == 500
    aws_site.moto.set_limits(**{limit: before.used})
    try:
        facts = aws.look(aws_site.network.infra_id, kind=kind)
        assert [f.code for f in preflight.check(WantedLb(kind, "External"), facts)] == ["lb_quota"]
    finally:
        aws_site.moto.set_limits(**{limit: 500})


def test_a_look_has_everything_for_the_check(aws: Aws, aws_site: AwsSite) -> None:
    network = aws_site.network
    names = [network.names[subnet] for subnet in network.spare_public.values()]
    made = aws_site.provisioned(service("looked-at", type="nlb"))
    facts = aws.look(network.infra_id, eips=network.eips[:1], kind="NLB", service=made)
    assert isinstance(facts, AwsFacts)
    assert (facts.vpc, facts.lb is not None, facts.quota is not None) == (network.vpc_id, True, True)
    wrong = WantedLb("NLB", "External", Subnets(names=(*names, "nowhere")), network.eips[:1])
    assert {f.code for f in preflight.check(wrong, facts)} == {"subnet_name_unknown", "eip_count"}
    assert preflight.check(WantedLb("NLB", "External", Subnets(names=tuple(names))), facts) == ()
    info = in_force.in_force(made, facts)
    assert [(f.code, f.value) for f in info] == [("subnets_auto_discovered", tuple(sorted(network.public.values())))]


def nlb(aws_site: AwsSite, name: str) -> tuple[dict[str, Any], str]:
    """A Service with its Network load balancer, and the arn of that."""
    made = aws_site.provisioned(service(name, type="nlb"))
    told = aws_site.clients.elbv2.describe_load_balancers(Names=[lb_name_of(made)])
    return made, str(told["LoadBalancers"][0]["LoadBalancerArn"])


def test_what_keeps_a_load_balancer_from_going(aws: Aws, aws_site: AwsSite) -> None:
    """Safe ingress 14: deletion protection, and VPC endpoint services that use it; AWS then does not delete it."""
    made, arn = nlb(aws_site, "held")
    infra, v2, ec2 = aws_site.network.infra_id, aws_site.clients.elbv2, aws_site.clients.ec2
    free = aws.look(infra, kind="NLB", service=made)
    assert (free.protected, free.endpoint_services, free.unanswered) == (False, (), ())
    protection = [{"Key": "deletion_protection.enabled", "Value": "true"}]
    v2.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=protection)
    told = ec2.create_vpc_endpoint_service_configuration(NetworkLoadBalancerArns=[arn])["ServiceConfiguration"]
    held = aws.look(infra, kind="NLB", service=made)
    assert (held.protected, held.endpoint_services) == (True, (told["ServiceId"],))
    assert {f.code for f in going(made, "NLB", held, now=True)} == {"deletion_protection", "endpoint_service"}
    assert not aws.look(infra, service=made).protected, "only where it has to go"
    with pytest.raises(v2.exceptions.OperationNotPermittedException):
        v2.delete_load_balancer(LoadBalancerArn=arn)
    v2.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=[{**protection[0], "Value": "false"}])
    with pytest.raises(v2.exceptions.ResourceInUseException):
        v2.delete_load_balancer(LoadBalancerArn=arn)
    ec2.delete_vpc_endpoint_service_configurations(ServiceIds=[told["ServiceId"]])
    v2.delete_load_balancer(LoadBalancerArn=arn)


@pytest.mark.parametrize(
    ("action", "part"),
    [
        ("DescribeLoadBalancerAttributes", "deletion protection"),
        ("DescribeVpcEndpointServiceConfigurations", "VPC endpoint services"),
    ],
)
def test_the_new_questions_may_be_refused(aws: Aws, aws_site: AwsSite, action: str, part: str) -> None:
    """Safe ingress 14: an IAM policy of before lacks them; that is told, and `require` minds."""
    made, _arn = nlb(aws_site, f"asked-{part[:3].lower()}")
    aws_site.moto.add_fault(action, code="AccessDenied", message="No.", status=403)
    facts = aws.look(aws_site.network.infra_id, kind="NLB", service=made)
    assert [(entry.part, entry.essential) for entry in facts.unanswered] == [(part, False)]


def test_zones_of_other_kinds_and_ways_through_a_firewall(aws: Aws, aws_site: AwsSite) -> None:
    """Safe ingress 14"""
    ec2, vpc = aws_site.clients.ec2, aws_site.network.vpc_id
    made = {
        zone: ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{210 + n}.0/24", AvailabilityZone=zone)["Subnet"][
            "SubnetId"
        ]
        for n, zone in enumerate(("us-east-1-bos-1a", "us-east-1-wl1-bos-wlz-1", "us-east-1b"))
    }
    endpoint = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName="com.amazonaws.vpce.firewall")["VpcEndpoint"]
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    gateway = endpoint["VpcEndpointId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    ec2.associate_route_table(RouteTableId=table, SubnetId=made["us-east-1b"])
    found = {subnet.id: subnet for subnet in aws.subnets(vpc)}
    assert [found[made[zone]].zone_type for zone in made] == ["local-zone", "wavelength-zone", "availability-zone"]
    behind = found[made["us-east-1b"]]
    assert (behind.public, behind.firewall) == (False, gateway)
    ec2.disassociate_route_table(
        AssociationId=ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Associations"][0][
            "RouteTableAssociationId"
        ]
    )
    for subnet in made.values():
        ec2.delete_subnet(SubnetId=subnet)


def test_a_survey_asks_once_for_all(aws: Aws, aws_site: AwsSite) -> None:
    """Safe ingress 10: every load balancer and its tags, every subnet; more Services cost no more requests."""
    made = [aws_site.provisioned(service(f"surveyed-{n}", type="nlb")) for n in range(3)]
    aws_site.moto.requests(reset=True)
    survey = aws.survey(aws_site.network.infra_id)
    found = [survey.about(one) for one in made]
    asked = aws_site.moto.requests()["actions"]
    assert (asked["DescribeLoadBalancers"], asked["DescribeSubnets"]) == (2, 1)
    assert set(asked) == {"DescribeLoadBalancers", "DescribeSubnets", "DescribeTags"}
    assert asked["DescribeTags"] <= 2 + len(survey.balancers) // 20
    assert {facts.lb.name if facts.lb else "" for facts in found} == set(map(lb_name_of, made))
    assert {facts.vpc for facts in found} == {aws_site.network.vpc_id}
    assert survey.about(service("never-made")).vpc == aws_site.network.vpc_id


@pytest.mark.parametrize(
    ("action", "part", "essential"),
    [
        ("DescribeRouteTables", "routes", True),
        ("DescribeAvailabilityZones", "zones", False),
        ("DescribeAccountLimits", "quota", False),
        ("DescribeAddresses", "Elastic IPs", True),
    ],
)
def test_what_aws_refuses_to_tell_is_named_and_the_rest_is_told(
    aws: Aws, aws_site: AwsSite, action: str, part: str, essential: bool
) -> None:
    """Safe ingress 10, 14: one missing right hides one part of the look."""
    network = aws_site.network
    aws_site.moto.add_fault(action, code="UnauthorizedOperation", message="No.", status=403)
    facts = aws.look(network.infra_id, eips=network.eips[:1], kind="NLB")
    assert [(entry.part, entry.essential) for entry in facts.unanswered] == [(part, essential)]
    assert action in facts.unanswered[0].remedy
    assert (facts.vpc, bool(facts.subnets)) == (network.vpc_id, True)
    assert {subnet.public for subnet in facts.subnets} == ({None} if part == "routes" else {True, False})
    subnets = Subnets(tuple(network.public.values())[:1])
    assert preflight.check(WantedLb("NLB", "External", subnets, network.eips[:1]), facts) == ()
