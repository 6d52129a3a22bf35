# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS is asked before anything is touched; what it says of the load balancer is what is in force (SUB-3, 4, 8)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.seed import AwsNetwork
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .conftest import At, NewIngress, NewService
from .proofs import codes, finding, prove, refused
from .workplace import Ingress

NOW = {"effectuate": "operator", "allow_disruption": "outage"}
UNKNOWN = "0123456789abcdef0"


@dataclass(frozen=True)
class Surroundings:
    """What a cluster's account also holds."""

    network: AwsNetwork
    elsewhere: str  # a subnet of another VPC
    full: str  # without eight free addresses
    twins: str  # the Name of two subnets
    taken: str  # an Elastic IP somebody else uses

    def ids(self, row: str) -> list[str]:
        return list(getattr(self.network, row).values())


@pytest.fixture(scope="module")
def around(at: At) -> Surroundings:
    cluster = at("AWS", "4.22", moto=True)
    ec2, network = cluster.clients.ec2, cluster.aws
    zone = network.zones[0]
    other = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    elsewhere = ec2.create_subnet(VpcId=other, CidrBlock="10.9.1.0/24", AvailabilityZone=network.zones[1])
    made = [
        ec2.create_subnet(VpcId=network.vpc_id, CidrBlock=block, AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for block in ("10.0.200.0/28", "10.0.201.0/24", "10.0.202.0/24")
    ]
    cards = [ec2.create_network_interface(SubnetId=made[0])["NetworkInterface"] for _time in range(5)]
    ec2.create_tags(Resources=made[1:], Tags=[{"Key": "Name", "Value": "twins"}])
    taken = network.eips[-1]
    ec2.associate_address(AllocationId=taken, NetworkInterfaceId=cards[0]["NetworkInterfaceId"])
    return Surroundings(network, elsewhere["Subnet"]["SubnetId"], made[0], "twins", taken)


@pytest.fixture
def subject(ingress: NewIngress) -> Ingress:
    return ingress(type="NLB", subnets="public", moto=True)


# What is asked for → the codes of what speaks against it.
FAILING: dict[str, tuple[Any, list[str]]] = {
    "unknown id": (lambda _a: {"subnets": {"ids": [f"subnet-{UNKNOWN}"]}}, ["subnet_id_unknown"]),
    "unknown name": (lambda _a: {"subnets": {"names": ["no-such"]}}, ["subnet_name_unknown"]),
    "ambiguous name": (lambda a: {"subnets": {"names": [a.twins]}}, ["subnet_name_ambiguous"]),
    "another VPC": (lambda a: {"subnets": {"ids": [a.elsewhere]}, "scope": "Internal"}, ["subnet_other_vpc"]),
    "one zone": (
        lambda a: {"subnets": {"ids": [a.ids("public")[0], a.ids("spare_public")[0]]}},
        ["subnets_same_az"],
    ),
    "the same by id and by name": (
        lambda a: {"subnets": {"ids": a.ids("public")[:1], "names": [a.network.names[a.ids("public")[0]]]}},
        ["subnet_twice"],
    ),
    "no free addresses": (lambda a: {"subnets": {"ids": [a.full]}, "scope": "Internal"}, ["subnet_full"]),
    "private for External": (lambda a: {"subnets": {"ids": a.ids("private")}}, ["subnet_private"] * 3),
    "fewer Elastic IPs than zones": (
        lambda a: {"state": "absent", "eip_allocations": list(a.network.eips[:2])},
        ["eip_count"],
    ),
    "unknown Elastic IP": (
        lambda a: {"subnets": {"ids": a.ids("public")[:1]}, "eip_allocations": [f"eipalloc-{UNKNOWN}"]},
        ["eip_unknown"],
    ),
    "Elastic IP in use": (
        lambda a: {"subnets": {"ids": a.ids("public")[:1]}, "eip_allocations": [a.taken]},
        ["eip_in_use"],
    ),
    "several at once": (
        lambda a: {"subnets": {"ids": [f"subnet-{UNKNOWN}", a.elsewhere], "names": ["no-such", a.twins]}},
        [
            "subnet_id_unknown",
            "subnet_name_unknown",
            "subnet_name_ambiguous",
            "subnet_other_vpc",
            "subnet_private",
        ],
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_every_failing_check_is_a_finding_and_nothing_was_written(
    subject: Ingress, around: Surroundings, lab: Lab, case: str
) -> None:
    """SUB-3: with a remedy each; no write to the cluster, none to AWS."""
    wanted, expected = FAILING[case]
    lab.moto.requests(reset=True)
    result = refused(subject, "ingress_lb_subnets", aws=True, **wanted(around), **NOW)
    assert codes(result, "error") == expected
    assert all(entry["remedy"] for entry in result["findings"])
    assert lab.moto.requests()["writes"] == 0


@pytest.fixture
def scarce(lab: Lab) -> Iterator[None]:
    """An account that may have no more Network load balancers than it has."""
    before = lab.moto.set_limits()["network-load-balancers"]
    lab.moto.set_limits(network_load_balancers=0)
    yield
    lab.moto.set_limits(network_load_balancers=before)


def test_no_headroom_in_the_quota(ingress: NewIngress, scarce: None) -> None:
    """SUB-3: another type needs one more of that type; the same type frees its place first."""
    subject = ingress(type="Classic", subnets="public", moto=True)
    wanted = {"subnets": {"ids": list(subject.cluster.aws.spare_public.values())}}
    result = refused(subject, "ingress_lb_subnets", aws=True, lb_type="NLB", **wanted, **NOW)
    assert codes(result, "error") == ["lb_quota"]
    assert "0 Network load balancers" in finding(result, "lb_quota")["what"]
    assert not subject.run("ingress_lb_subnets", aws=True, check=True, **wanted, **NOW).get("failed")


@pytest.mark.parametrize("by", ["ids", "names"])
def test_good_subnets_pass(subject: Ingress, by: str) -> None:
    """SUB-3: ids, and names by their Name tag; the Elastic IPs of the load balancer that goes are free for the next."""
    network = subject.cluster.aws
    wanted = list(network.spare_public.values())[:2]
    subnets = {by: wanted if by == "ids" else [network.names[one] for one in wanted]}
    eips = list(network.eips[:2])
    prove(subject, "ingress_lb_subnets", aws=True, subnets=subnets, eip_allocations=eips, **NOW)
    again = {"subnets": {"ids": list(network.public.values())[:2]}, "eip_allocations": eips}
    assert not subject.run("ingress_lb_subnets", aws=True, check=True, **again, **NOW).get("failed")


def test_public_subnets_for_an_internal_one_are_remarked(subject: Ingress) -> None:
    """SUB-3: it works, and is rarely meant."""
    wanted = list(subject.cluster.aws.spare_public.values())
    result = subject.run("ingress_lb_subnets", aws=True, check=True, scope="Internal", subnets={"ids": wanted})
    assert codes(result, "warning") == ["subnet_public"] * 3
    assert not result.get("failed")


def test_auto_discovered_subnets_are_found_by_asking_aws(ingress: NewIngress) -> None:
    """SUB-8: they stand nowhere in the cluster."""
    subject = ingress(type="NLB", moto=True)
    result = subject.run("ingress_lb_subnets", aws=True, check=True)
    found = finding(result, "subnets_auto_discovered")
    assert found["value"] == sorted(subject.cluster.aws.public.values())


@pytest.mark.parametrize(
    ("kind", "why"), [("NLB", "never changes the subnets of a Network"), ("Classic", "events say")]
)
def test_an_annotation_that_is_not_in_force(ingress: NewIngress, kind: str, why: str) -> None:
    """SUB-4, SUB-8: annotations of an NLB are never carried out, all subnets of a Classic one cannot be replaced."""
    subject = ingress(type=kind, subnets="public", moto=True)
    other = list(subject.cluster.aws.spare_public.values())
    subject.annotate(subnets=",".join(other))
    subject.settle()
    result = subject.run("ingress_lb_subnets", aws=True, check=True)
    assert why in finding(result, "subnets_not_in_force")["what"]


def test_a_scope_that_is_not_in_force(ingress: NewIngress) -> None:
    """SUB-4: the cloud controller reads the scheme at creation only."""
    subject = ingress(type="NLB", subnets="public", moto=True)
    subject.annotate(internal="true")
    result = subject.run("ingress_lb_subnets", aws=True, check=True)
    assert "the load balancer is External" in finding(result, "scope_not_in_force")["what"]


def test_skip_does_not_ask(subject: Ingress, lab: Lab) -> None:
    """SUB-3: skippable."""
    lab.moto.requests(reset=True)
    wanted = {"subnets": {"ids": [f"subnet-{UNKNOWN}"]}}
    assert not subject.run("ingress_lb_subnets", aws=True, check=True, preflight="skip", **wanted).get("failed")
    assert lab.moto.requests()["actions"] == {}


@pytest.mark.parametrize("module", ["ingress_lb_subnets", "slb_scope"])
def test_without_credentials_a_plan_says_so(subject: Ingress, no_credentials: None, module: str) -> None:
    """Safe ingress 10: nothing was checked, which is no reason for an empty list of findings."""
    wanted = {
        "ingress_lb_subnets": {"subnets": {"ids": [f"subnet-{UNKNOWN}"]}},
        "slb_scope": {"scope": "Internal"},
    }[module]
    planned = subject.run(module, check=True, preflight="when_possible", **wanted)
    assert not planned.get("failed"), planned.get("msg")
    assert finding(planned, "aws_not_asked")["severity"] == "warning"
    idle = subject.run("slb_scope", check=True, preflight="when_possible", scope="External")
    assert (idle["verdict"], finding(idle, "aws_not_asked")["severity"]) == ("in_sync", "info")


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_a_load_balancer_is_not_taken_away_on_a_guess(subject: Ingress, no_credentials: None, way: str) -> None:
    """Safe ingress 10: without credentials a recreation is refused; `preflight: skip` says that it is meant."""
    options = {"scope": "Internal", "effectuate": way, "allow_disruption": "outage"}
    result = refused(subject, "slb_scope", preflight="when_possible", **options)
    assert codes(result, "error") == ["aws_not_asked"]
    assert "preflight: skip" in result["msg"]
    applied = subject.run("slb_scope", preflight="skip", **options)
    assert not applied.get("failed"), applied.get("msg")
    assert "preflight_skipped" in codes(applied)


def test_a_plain_service_is_not_taken_away_on_a_guess(plain: NewService, no_credentials: None) -> None:
    """Safe ingress 10"""
    subject = plain()
    options = {"scope": "Internal", "effectuate": "delete", "allow_disruption": "outage"}
    result = refused(subject, "slb_scope", preflight="when_possible", **options)
    assert codes(result, "error") == ["aws_not_asked"]


def test_required_without_credentials(subject: Ingress, no_credentials: None) -> None:
    """SUB-3: `require` minds, also where nothing is to be done."""
    for wanted in ({"subnets": {"ids": [f"subnet-{UNKNOWN}"]}}, {}):
        result = refused(subject, "ingress_lb_subnets", preflight="require", **wanted)
        assert "No AWS credentials were found" in result["msg"]


def test_credentials_are_looked_for_once(
    subject: Ingress, no_credentials: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safe ingress 10: a metadata service that does not answer costs a task two seconds, whatever it does then."""
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", endpoint)
        begun = time.monotonic()
        result = subject.run("slb_scope", scope="Internal", preflight="when_possible")
        assert time.monotonic() - begun < 6
    assert result["changed"]
    assert "aws_not_asked" in codes(result)


def test_credentials_aws_does_not_take(subject: Ingress, lab: Lab) -> None:
    """SUB-3, CORE-7: a look that fails is a remark, with `require` an error; each says which IAM action was refused."""
    lab.moto.add_fault("DescribeLoadBalancers", code="AccessDenied", message="not authorized", status=403)
    try:
        wanted = {"subnets": {"ids": list(subject.cluster.aws.spare_public.values())}}
        result = subject.run("ingress_lb_subnets", aws=True, check=True, **wanted)
        assert "elasticloadbalancing:DescribeLoadBalancers" in finding(result, "preflight_unanswered")["what"]
        for options in ({"preflight": "require"}, NOW):
            result = refused(subject, "ingress_lb_subnets", aws=True, **options, **wanted)
            assert "elasticloadbalancing:DescribeLoadBalancers" in result["msg"]
    finally:
        lab.moto.clear_faults()


@pytest.mark.parametrize("module", ["slb_scope", "lb_effectuate"])
def test_the_other_modules_ask_too(ingress: NewIngress, module: str) -> None:
    """SUB-3: whoever makes a new load balancer; here it would be External in private subnets."""
    subject = ingress(type="NLB", subnets="private", scope="Internal", moto=True)
    options: dict[str, Any] = {"scope": "External"}
    if module == "lb_effectuate":
        subject.patch_lb(scope="External")
        subject.settle()
        options = {"changes": ["scope"]}
    result = refused(subject, module, aws=True, **options, **NOW)
    assert codes(result, "error") == ["subnet_private"] * 3
