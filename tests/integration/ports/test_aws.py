# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking AWS (moto) about subnets, Elastic IPs and load balancers (SUB-3, SUB-4), and its refusals as sentences."""

from __future__ import annotations

import socket
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws import in_force, preflight
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsFacts
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.preflight import WantedLb
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws import Aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws_balancers import name_in

from .conftest import Answering, AwsSite

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"


@pytest.fixture(scope="module")
def connected(aws_site: AwsSite) -> Aws:
    """Shared: a new EC2 client costs half a second."""
    port = Aws.connect(aws_site.options)
    assert port is not None
    return port


@pytest.fixture
def aws(connected: Aws, aws_site: AwsSite) -> Iterator[Aws]:
    yield connected
    aws_site.moto.clear_faults()


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


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status", "family", "words"),
    [
        ("RequestExpired", 400, errors.Unauthorized, "have expired"),
        ("AuthFailure", 401, errors.Unauthorized, "does not accept the credentials"),
        ("UnauthorizedOperation", 403, errors.Forbidden, "Allow the IAM action ec2:DescribeSubnets"),
        ("InvalidParameterValue", 400, errors.Invalid, "refused ec2:DescribeSubnets with InvalidParameterValue"),
    ],
)
def test_refusals_name_the_action(
    aws: Aws, aws_site: AwsSite, code: str, status: int, family: type[errors.PortError], words: str
) -> None:
    aws_site.moto.add_fault("DescribeSubnets", code=code, message="No.", status=status)
    with pytest.raises(family, match=words) as caught:
        aws.subnets(aws_site.network.vpc_id)
    assert caught.value.details["action"] == "ec2:DescribeSubnets"


def test_access_denied_on_the_load_balancer_api(aws: Aws, aws_site: AwsSite) -> None:
    aws_site.moto.add_fault("DescribeLoadBalancers", code="AccessDenied", message="No.", status=403)
    with pytest.raises(errors.Forbidden, match="elasticloadbalancing:DescribeLoadBalancers") as caught:
        aws.load_balancer(service())
    assert caught.value.details["rule"]["Action"] == ["elasticloadbalancing:DescribeLoadBalancers"]


def test_throttling_is_waited_out(aws: Aws, aws_site: AwsSite) -> None:
    aws_site.moto.add_fault("DescribeSubnets", code="RequestLimitExceeded", message="Slow.", status=503, times=2)
    assert aws.subnets(aws_site.network.vpc_id)
    assert aws_site.moto.requests()["actions"]["DescribeSubnets"] >= 3


def test_nobody_at_the_endpoint(aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws_session._TRIES", 1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}"
    port = Aws.connect({**aws_site.options, "endpoint_url": endpoint})
    assert port is not None
    with pytest.raises(errors.Unreachable, match=rf"AWS ec2 in us-east-1 cannot be reached.*{endpoint}"):
        port.subnets("vpc-1")


HTML = "<html><body><p>Sign in to the proxy</p></body></html>"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, HTML),
        (403, HTML),
        (200, "<!doctype html><p>Sign in<br>"),
        (200, ""),
        (200, "{}"),
        (403, "<!doctype html><br>"),
    ],
)
def test_what_is_no_answer_of_aws(aws_site: AwsSite, status: int, body: str, answering: Answering) -> None:
    """Safe ingress 14: a proxy's page is neither a crash nor an account without subnets."""
    with answering(status, body) as endpoint:
        port = Aws.connect({**aws_site.options, "endpoint_url": endpoint})
        assert port is not None
        for ask in (lambda: port.subnets("vpc-1"), lambda: port.load_balancer(service())):
            with pytest.raises(errors.Unreachable, match=r"is not AWS: .* Is a proxy in between\?"):
                ask()


# -- connecting --------------------------------------------------------------------------------------------------------


def test_no_credentials_is_no_port(aws_site: AwsSite) -> None:
    assert Aws.connect({"region": "us-east-1"}) is None


def test_credentials_of_the_environment(aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    port = Aws.connect({"endpoint_url": aws_site.moto.endpoint}, cluster_region="eu-west-1")
    assert port is not None
    assert port.region == "eu-west-1"
    assert port.subnets("vpc-unknown") == ()


def test_the_clusters_region_comes_before_the_environments(aws_site: AwsSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Safe ingress 10: an environment is one for many clusters. An option beats both."""
    keys = {"access_key": "AKIA", "secret_key": "secret"}

    def region(cluster_region: str = "", **options: str) -> str:
        port = Aws.connect({**keys, **options}, cluster_region=cluster_region)
        assert port is not None
        return port.region

    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert (region(), region("eu-north-1")) == ("eu-west-3", "eu-north-1")
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert (region(), region("eu-north-1"), region("eu-north-1", region="sa-east-1")) == (
        "eu-west-2",
        "eu-north-1",
        "sa-east-1",
    )


def test_a_silent_metadata_service_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safe ingress 10: whatever the environment says of its patience; nobody answers on most machines."""
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    monkeypatch.setenv("AWS_METADATA_SERVICE_NUM_ATTEMPTS", "60")
    monkeypatch.setenv("AWS_METADATA_SERVICE_TIMEOUT", "60")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint)
        begun = time.monotonic()
        assert Aws.connect({"region": "us-east-1"}) is None
    assert time.monotonic() - begun < 5


def test_what_does_not_lead_to_aws(aws_site: AwsSite) -> None:
    with pytest.raises(errors.Misconfigured, match="Both an AWS profile and access keys"):
        Aws.connect({**aws_site.options, "profile": "prod"})
    with pytest.raises(errors.Misconfigured, match=r"profile.*prod"):
        Aws.connect({"profile": "prod"})
    with pytest.raises(errors.Misconfigured, match="No AWS region is known"):
        Aws.connect({**aws_site.options, "region": ""})
