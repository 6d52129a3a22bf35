# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classic and v2 load balancers as one kind of value, asked for in AWS's batch sizes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsLoadBalancer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import aws_balancers
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Invalid
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.accounts import (
    Account,
    classic,
    network,
    tags,
)


def account(*, elb: list[dict[str, Any]] | None = None, elbv2: list[dict[str, Any]] | None = None) -> Account:
    """Load balancers with a tag each."""
    old, new = elb or [], elbv2 or []
    return Account(
        {
            ("elb", "LoadBalancerDescriptions"): old,
            ("elbv2", "LoadBalancers"): new,
            ("elb", "TagDescriptions"): [{**entry, "Tags": tags(kind="old")} for entry in old],
            ("elbv2", "TagDescriptions"): [{**entry, "Tags": tags(kind="new")} for entry in new],
        }
    )


@pytest.mark.parametrize(
    ("hostname", "name"),
    [
        ("a1b2-1234567890.us-east-1.elb.amazonaws.com", "a1b2"),
        ("internal-a1b2-1234567890.us-east-1.elb.amazonaws.com", "a1b2"),
        ("a1b2-0f1e2d3c.elb.us-east-1.amazonaws.com", "a1b2"),
        ("with-dashes-0f1e2d3c.elb.cn-north-1.amazonaws.com.cn", "with-dashes"),
        ("apps.example.com", ""),
        ("a1b2-1.elb.example.com", ""),
        ("a1b2-1.s3.amazonaws.com", ""),
        ("", ""),
    ],
)
def test_the_name_in_a_hostname(hostname: str, name: str) -> None:
    assert aws_balancers.name_in(hostname) == name


def test_both_kinds_as_one_value() -> None:
    zones = [
        {
            "SubnetId": "s2",
            "ZoneName": "b",
            "LoadBalancerAddresses": [{"AllocationId": "e2"}, {"IpAddress": "10.0.0.1"}],
        },
        {"SubnetId": "s1", "ZoneName": "a", "LoadBalancerAddresses": [{"AllocationId": "e1"}]},
    ]
    here = account(
        elb=[classic("old", Subnets=["s2", "s1"], AvailabilityZones=["b", "a"], Scheme="internal")],
        elbv2=[network("new", AvailabilityZones=zones, Scheme="internet-facing", State={"Code": "provisioning"})],
    )
    places = {"subnets": ("s1", "s2"), "zones": ("a", "b")}
    assert aws_balancers.every(here) == (  # type: ignore[arg-type]
        AwsLoadBalancer(
            "new",
            "NLB",
            "new-0a.elb.us-east-1.amazonaws.com",
            "External",
            "vpc-1",
            eips=("e1", "e2"),
            arn="arn:new",
            state="provisioning",
            tags={"kind": "new"},
            **places,
        ),
        AwsLoadBalancer(
            "old",
            "Classic",
            "old-1.us-east-1.elb.amazonaws.com",
            "Internal",
            "vpc-1",
            state="active",
            tags={"kind": "old"},
            **places,
        ),
    )


def test_unknown_names_are_simply_not_there() -> None:
    """One of them fails a whole call; the known ones of its batch are still found."""
    here = account(elb=[classic("a"), classic("c")], elbv2=[network("d")])
    found = aws_balancers.named(here, ["a", "b", "c", "d", "e"])  # type: ignore[arg-type]
    assert [(lb.name, lb.kind) for lb in found] == [("a", "Classic"), ("c", "Classic"), ("d", "NLB")]


def test_any_other_refusal_is_one() -> None:
    class Broken(Account):
        def pages(self, *_args: Any, **_query: Any) -> Any:
            raise Invalid("Rate exceeded.", aws_code="ValidationError")

    with pytest.raises(Invalid, match="Rate exceeded"):
        aws_balancers.named(Broken(), ["a", "b"])  # type: ignore[arg-type]


def test_twenty_at_a_time_and_nothing_for_nobody() -> None:
    names = [f"lb{number:02}" for number in range(45)]
    here = account(elb=[classic(name) for name in names])
    assert len(aws_balancers.every(here)) == 45  # type: ignore[arg-type]
    asked = [len(query["LoadBalancerNames"]) for call, query in here.calls if call == "elb:describe_tags"]
    assert asked == [20, 20, 5]
    here.calls.clear()
    assert aws_balancers.named(here, []) == ()  # type: ignore[arg-type]
    assert here.calls == []


@pytest.mark.parametrize(("kind", "number"), [("Classic", 2), ("NLB", 1)])
def test_counting_is_by_kind(kind: str, number: int) -> None:
    application = {**network("web"), "Type": "application"}
    here = account(elb=[classic("a"), classic("b")], elbv2=[network("c"), application])
    assert aws_balancers.count(here, kind) == number  # type: ignore[arg-type]
