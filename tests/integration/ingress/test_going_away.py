# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What would keep the old load balancer from going, or leave the new one useless, is found first (Safe ingress 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .conftest import NewIngress
from .proofs import codes, finding, pending, prove, refused
from .workplace import Ingress

NOW = {"effectuate": "operator", "allow_disruption": "outage"}


@pytest.fixture
def subject(ingress: NewIngress) -> Ingress:
    return ingress(type="NLB", subnets="public", moto=True)


def arn(subject: Ingress) -> str:
    told = subject.cluster.clients.elbv2.describe_load_balancers()["LoadBalancers"]
    return str(next(lb["LoadBalancerArn"] for lb in told if lb["DNSName"] == subject.address))


@contextmanager
def protected(subject: Ingress) -> Iterator[None]:
    v2, lb, key = subject.cluster.clients.elbv2, arn(subject), "deletion_protection.enabled"
    v2.modify_load_balancer_attributes(LoadBalancerArn=lb, Attributes=[{"Key": key, "Value": "true"}])
    yield
    v2.modify_load_balancer_attributes(LoadBalancerArn=lb, Attributes=[{"Key": key, "Value": "false"}])


@contextmanager
def in_an_endpoint_service(subject: Ingress) -> Iterator[None]:
    ec2 = subject.cluster.clients.ec2
    made = ec2.create_vpc_endpoint_service_configuration(NetworkLoadBalancerArns=[arn(subject)])["ServiceConfiguration"]
    yield
    ec2.delete_vpc_endpoint_service_configurations(ServiceIds=[made["ServiceId"]])


HELD: dict[str, Callable[[Ingress], AbstractContextManager[None]]] = {
    "deletion_protection": protected,
    "endpoint_service": in_an_endpoint_service,
}


@pytest.mark.parametrize("code", HELD)
@pytest.mark.parametrize("way", ["operator", "delete"])
def test_one_that_aws_would_not_delete(subject: Ingress, code: str, way: str) -> None:
    """The Service would hang in deletion; nothing is written. A plan that takes nothing away only tells of it."""
    options = {"scope": "Internal", "effectuate": way, "allow_disruption": "outage"}
    subnets = {"ids": list(subject.cluster.aws.private.values())}
    with HELD[code](subject):
        result = refused(subject, "ingress_lb_subnets", aws=True, subnets=subnets, **options)
        assert codes(result, "error") == [code]
        planned = subject.run("ingress_lb_subnets", aws=True, check=True, subnets=subnets, scope="Internal")
        assert (planned.get("failed"), finding(planned, code)["severity"]) == (None, "warning")
    prove(subject, "ingress_lb_subnets", aws=True, subnets=subnets, **options)


def test_security_groups_that_do_not_come_along(subject: Ingress) -> None:
    """A Network load balancer that is made without any can never get one."""
    group = subject.cluster.aws.security_group
    subject.cluster.clients.elbv2.set_security_groups(LoadBalancerArn=arn(subject), SecurityGroups=[group])
    wanted = {"ids": list(subject.cluster.aws.spare_public.values())}
    result = subject.run("ingress_lb_subnets", aws=True, check=True, subnets=wanted, **NOW)
    assert not result.get("failed"), result.get("msg")
    assert finding(result, "security_groups_lost")["value"] == [group]


def test_source_ranges_that_aws_would_refuse(subject: Ingress) -> None:
    subject.patch_lb(allowedSourceRanges=["192.0.2.0/24", "2001:db8::/32"])
    subject.settle()
    wanted = {"ids": list(subject.cluster.aws.spare_public.values())}
    result = refused(subject, "ingress_lb_subnets", aws=True, subnets=wanted, **NOW)
    assert codes(result, "error") == ["ranges_ipv6"]
    assert finding(result, "ranges_ipv6")["value"] == ["2001:db8::/32"]


@pytest.mark.parametrize(("zone", "severity"), [("us-east-1-bos-1a", "warning"), ("us-east-1-wl1-bos-wlz-1", "error")])
def test_zones_at_the_edge(subject: Ingress, zone: str, severity: str) -> None:
    """Local Zones and Wavelength Zones; the cloud controller skips them only where no subnets are listed."""
    ec2, vpc = subject.cluster.clients.ec2, subject.cluster.aws.vpc_id
    made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.240.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
    try:
        options = {"subnets": {"ids": [made]}, "scope": "Internal"}
        result = subject.run("ingress_lb_subnets", aws=True, check=True, **options, **NOW)
        assert (bool(result.get("failed")), finding(result, "subnet_zone_type")["severity"]) == (
            severity == "error",
            severity,
        )
    finally:
        ec2.delete_subnet(SubnetId=made)


@pytest.mark.parametrize(
    "action",
    [
        "DescribeAccountLimits",
        "DescribeRouteTables",
        "DescribeAvailabilityZones",
        "DescribeLoadBalancerAttributes",
        "DescribeVpcEndpointServiceConfigurations",
    ],
)
def test_required_means_every_check(subject: Ingress, lab: Lab, action: str) -> None:
    """`require`: every check was made, or the task stops. Else it goes on where the missing one is a lesser one."""
    options = {"subnets": {"ids": list(subject.cluster.aws.spare_public.values())}, **NOW}
    lab.moto.add_fault(action, code="AccessDenied", message="No.", status=403)
    try:
        result = refused(subject, "ingress_lb_subnets", aws=True, preflight="require", **options)
        assert codes(result, "error") == ["preflight_unanswered"]
        assert action in result["msg"]
        planned = subject.run("ingress_lb_subnets", aws=True, check=True, **options)
        essential = action == "DescribeRouteTables"
        assert (bool(planned.get("failed")), "preflight_unanswered" in codes(planned)) == (essential, True)
    finally:
        lab.moto.clear_faults()


def test_required_where_the_vpc_is_unknown(subject: Ingress, lab: Lab) -> None:
    """Other credentials than the cluster's, or another region: nothing there is the cluster's."""
    options = {"subnets": {"names": ["anything"]}, "region": "eu-west-1"}
    result = refused(subject, "ingress_lb_subnets", aws=True, preflight="require", **options)
    assert "vpc_unknown" in codes(result, "error")
    planned = subject.run("ingress_lb_subnets", aws=True, check=True, **options)
    assert (planned.get("failed"), finding(planned, "vpc_unknown")["severity"]) == (None, "warning")
    assert "region_differs" in codes(planned)


def test_the_first_of_two_stages_stays_where_it_is(ingress: NewIngress) -> None:
    """Elastic IPs go first, while the load balancer is External; private subnets come with the scope."""
    subject = ingress(type="NLB", subnets="public", eips=3, moto=True)
    private = {"ids": list(subject.cluster.aws.private.values())}
    options = {"subnets": private, "scope": "Internal", "eip_allocations": [], **NOW}
    plan = subject.run("ingress_lb_subnets", aws=True, check=True, **options)
    assert (plan["stages"], pending(plan)) == (2, ["scope", "subnets", "eipAllocations"])
    first = plan["steps"][0]["body"]["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert first == {"providerParameters": {"aws": {"networkLoadBalancer": {"eipAllocations": None}}}}
    prove(subject, "ingress_lb_subnets", aws=True, **options)
    assert (subject.lb["scope"], set(subject.annotations[SUBNETS].split(","))) == ("Internal", set(private["ids"]))


SUBNETS = "service.beta.kubernetes.io/aws-load-balancer-subnets"


def test_records_that_a_person_has_to_change(subject: Ingress) -> None:
    """`dnsManagementPolicy: Unmanaged`: the wildcard record, wherever the load balancer gets another address."""
    wanted: dict[str, Any] = {"scope": "Internal", "check": True}
    assert "dns_unmanaged" not in codes(subject.run("slb_scope", **wanted))
    subject.patch_lb(dnsManagementPolicy="Unmanaged")
    subject.settle()
    record = f"*.{subject.name}.{subject.cluster.spec.base_domain}"
    assert finding(subject.run("slb_scope", **wanted), "dns_unmanaged")["value"] == [record]
    assert "dns_unmanaged" not in codes(subject.run("slb_scope", scope="External", check=True))


def test_a_cluster_without_zones_manages_none(ingress: NewIngress) -> None:
    """There the operator says DNSManaged=False; in place the address changes, too."""
    subject = ingress("4.22", "GCP")
    result = subject.run("slb_scope", scope="Internal", check=True, allow_disruption="brief")
    assert "dns_unmanaged" in codes(result)
