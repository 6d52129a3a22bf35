# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto with its gaps closed answers as AWS does (facts: lab-kubernetes §5, §6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.moto_server import MotoServer
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster
from botocore.exceptions import ClientError

LISTENERS = [{"Protocol": "TCP", "LoadBalancerPort": 80, "InstancePort": 30080}]


def error_of(call: Any, **arguments: Any) -> tuple[int, str, str]:
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    answer = refused.value.response
    return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"], answer["Error"]["Message"]


@pytest.fixture
def classic(aws: LabCluster) -> Any:
    elb, subnets = aws.clients.elb, list(aws.aws.public.values())
    elb.create_load_balancer(LoadBalancerName="bare", Listeners=LISTENERS, Subnets=subnets)
    yield elb.describe_load_balancers(LoadBalancerNames=["bare"])["LoadBalancerDescriptions"][0]
    elb.delete_load_balancer(LoadBalancerName="bare")


def test_classic_has_a_health_check_a_zone_and_a_hostname_of_its_kind(classic: dict[str, Any]) -> None:
    assert classic["HealthCheck"]["Target"] == "TCP:30080"
    assert classic["CanonicalHostedZoneNameID"].startswith("Z")
    assert classic["DNSName"].endswith(".us-east-1.elb.amazonaws.com")
    assert classic["AvailabilityZones"] == ["us-east-1a", "us-east-1b", "us-east-1c"]


def test_classic_refuses_two_subnets_of_one_zone_and_to_stand_nowhere(aws: LabCluster, classic: Any) -> None:
    elb, network = aws.clients.elb, aws.aws
    double = [network.public["us-east-1a"], network.spare_public["us-east-1a"]]
    status, code, words = error_of(elb.create_load_balancer, LoadBalancerName="x", Listeners=LISTENERS, Subnets=double)
    assert (status, code) == (409, "InvalidConfigurationRequest")
    assert "same AZ" in words
    attach = error_of(elb.attach_load_balancer_to_subnets, LoadBalancerName="bare", Subnets=double[1:])
    assert attach[:2] == (409, "InvalidConfigurationRequest")
    every = list(network.public.values())
    status, code, words = error_of(elb.detach_load_balancer_from_subnets, LoadBalancerName="bare", Subnets=every)
    assert (status, code) == (409, "InvalidConfigurationRequest")
    assert "cannot be attached to zero subnets in VPC" in words


def test_network_refuses_two_subnets_of_one_zone(aws: LabCluster) -> None:
    double = [aws.aws.public["us-east-1a"], aws.aws.spare_public["us-east-1a"]]
    assert error_of(aws.clients.elbv2.create_load_balancer, Name="x", Type="network", Subnets=double) == (
        400,
        "InvalidConfigurationRequest",
        "A load balancer cannot be attached to multiple subnets in the same Availability Zone",
    )


def test_network_takes_elastic_ips_once(aws: LabCluster) -> None:
    elb, ec2, network = aws.clients.elbv2, aws.clients.ec2, aws.aws
    mapping = [{"SubnetId": network.public["us-east-1a"], "AllocationId": network.eips[0]}]
    wanted = {"Type": "network", "SubnetMappings": mapping}
    made = elb.create_load_balancer(Name="eip-1", **wanted)["LoadBalancers"][0]
    assert made["Scheme"] == "internet-facing"
    assert ":loadbalancer/net/eip-1/" in made["LoadBalancerArn"]
    assert made["DNSName"].endswith(".elb.us-east-1.amazonaws.com")
    addresses = made["AvailabilityZones"][0]["LoadBalancerAddresses"]
    assert [address["AllocationId"] for address in addresses] == [network.eips[0]]
    assert error_of(elb.create_load_balancer, Name="eip-2", **wanted)[1] == "ResourceInUse"
    elb.delete_load_balancer(LoadBalancerArn=made["LoadBalancerArn"])
    assert "AssociationId" not in ec2.describe_addresses(AllocationIds=[network.eips[0]])["Addresses"][0]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"AllocationId": "eipalloc-00000000000000000"}, "AllocationIdNotFound"),
        ({"AllocationId": "given", "Scheme": "internal"}, "InvalidConfigurationRequest"),
    ],
)
def test_network_refuses_elastic_ips_it_cannot_use(aws: LabCluster, more: dict[str, str], code: str) -> None:
    scheme = more.get("Scheme", "internet-facing")
    allocation = aws.aws.eips[1] if more["AllocationId"] == "given" else more["AllocationId"]
    mapping = [{"SubnetId": aws.aws.public["us-east-1a"], "AllocationId": allocation}]
    call = aws.clients.elbv2.create_load_balancer
    assert error_of(call, Name="x", Type="network", Scheme=scheme, SubnetMappings=mapping)[1] == code


def test_a_subnet_needs_eight_free_addresses(aws: LabCluster) -> None:
    tiny = aws.clients.ec2.create_subnet(VpcId=aws.aws.vpc_id, CidrBlock="10.0.250.0/28", AvailabilityZone="us-east-1a")
    subnet = tiny["Subnet"]["SubnetId"]
    for _time in range(4):
        aws.clients.ec2.create_network_interface(SubnetId=subnet)
    status, code, words = error_of(aws.clients.elbv2.create_load_balancer, Name="x", Type="network", Subnets=[subnet])
    assert (status, code) == (400, "InvalidSubnet")
    assert f"Not enough IP space available in {subnet}" in words


def test_limits_are_shown_and_enforced(lab: Lab, aws: LabCluster) -> None:
    before = lab.moto.set_limits()
    try:
        lab.moto.set_limits(network_load_balancers=0, classic_load_balancers=0)
        for client, name in ((aws.clients.elb, "classic"), (aws.clients.elbv2, "network")):
            limits = {limit["Name"]: limit["Max"] for limit in client.describe_account_limits()["Limits"]}
            assert limits[f"{name}-load-balancers"] == "0"
        quotas = aws.clients.client("service-quotas")
        quota = quotas.get_service_quota(ServiceCode="elasticloadbalancing", QuotaCode="L-69A177A2")["Quota"]
        assert quota["Value"] == 0
        subnets = list(aws.aws.public.values())
        refused = error_of(aws.clients.elbv2.create_load_balancer, Name="x", Type="network", Subnets=subnets)
        assert refused[1] == "TooManyLoadBalancers"
    finally:
        lab.moto.set_limits(**{key.replace("-", "_"): value for key, value in before.items()})


def test_faults_and_counts(lab: Lab, aws: LabCluster) -> None:
    lab.moto.requests(reset=True)
    lab.moto.add_fault(
        "DescribeSubnets", code="RequestLimitExceeded", message="Request limit exceeded.", status=503, times=1
    )
    refused = error_of(aws.clients.ec2.describe_subnets)
    assert refused == (503, "RequestLimitExceeded", "Request limit exceeded.")
    assert aws.clients.ec2.describe_subnets()["Subnets"]
    seen = lab.moto.requests()
    assert seen["actions"] == {"DescribeSubnets": 2}
    assert seen["writes"] == 0
    lab.moto.clear_faults()


def test_it_ends_with_its_parent_and_says_why_it_did_not_start(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = MotoServer(tmp_path)
    server.spawn()
    process = server._process
    process.stdin.close()  # what the kernel does when the parent dies
    assert process.wait(timeout=30) == 0
    broken = MotoServer(tmp_path / "broken")
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="before it was ready"):
        broken.start()
