# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS said, as values; and the subnets that auto-discovery takes (facts: aws-ccm §3)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    AwsFacts,
    AwsQuota,
    AwsSubnet,
    Eip,
    discovered,
)

OWN, FOREIGN = "kubernetes.io/cluster/prod-x1", "kubernetes.io/cluster/other"
ELB, INTERNAL_ELB = "kubernetes.io/role/elb", "kubernetes.io/role/internal-elb"


def subnet(subnet_id: str, zone: str = "a", *tags: str, public: bool = True, **more: Any) -> AwsSubnet:
    return AwsSubnet(subnet_id, zone, more.pop("vpc", "vpc-1"), public=public, tags=dict.fromkeys(tags, "1"), **more)


def taken(scope: str, *subnets: AwsSubnet) -> list[str]:
    return [one.id for one in discovered(AwsFacts("vpc-1", "prod-x1", subnets), scope)]


@pytest.mark.parametrize(
    ("scope", "subnets", "expected"),
    [
        pytest.param("External", [subnet("s1"), subnet("s2", "b")], ["s1", "s2"], id="one per zone"),
        pytest.param("External", [subnet("s2"), subnet("s1")], ["s1"], id="of two in a zone the lower id"),
        pytest.param("External", [subnet("s1"), subnet("s2", "a", OWN)], ["s2"], id="one tagged for the cluster first"),
        pytest.param("External", [subnet("s1", "a", OWN), subnet("s2", "a", ELB)], ["s2"], id="its role before that"),
        pytest.param(
            "Internal", [subnet("s1", "a", ELB), subnet("s2", "a", INTERNAL_ELB)], ["s2"], id="the scope's role"
        ),
        pytest.param(
            "External", [subnet("s1", "a", ELB), subnet("s2", "a", INTERNAL_ELB)], ["s1"], id="the other role"
        ),
        pytest.param("External", [subnet("s1", public=False)], [], id="private is none for External"),
        pytest.param("Internal", [subnet("s1", public=False)], ["s1"], id="private is one for Internal"),
        pytest.param("External", [subnet("s1", "a", FOREIGN)], [], id="another cluster's"),
        pytest.param("External", [subnet("s1", "a", FOREIGN, OWN)], ["s1"], id="shared"),
        pytest.param("External", [subnet("s1", vpc="vpc-2")], [], id="another VPC"),
        pytest.param("External", [subnet("s1", zone_type="local-zone")], [], id="a local zone"),
    ],
)
def test_the_subnets_that_are_taken_where_none_are_given(
    scope: str, subnets: list[AwsSubnet], expected: list[str]
) -> None:
    assert taken(scope, *subnets) == expected


def test_names_are_looked_for_in_the_clusters_vpc_only_and_ids_anywhere() -> None:
    here, there = subnet("s1", name="blue"), subnet("s2", vpc="vpc-2", name="blue")
    facts = AwsFacts("vpc-1", subnets=(here, there), eips=(Eip("e1", "192.0.2.1"),))
    assert facts.named("blue") == (here,)
    assert (facts.subnet("s2"), facts.subnet("s3")) == (there, None)
    assert (facts.eip("e1"), facts.eip("e2")) == (Eip("e1", "192.0.2.1"), None)


@pytest.mark.parametrize(("used", "headroom"), [(0, 20), (19, 1), (20, 0), (25, 0)])
def test_headroom_is_never_negative(used: int, headroom: int) -> None:
    assert AwsQuota("NLB", 20, used).headroom == headroom


def test_a_subnet_is_called_by_both_its_names_and_its_tags_stay() -> None:
    tags = {"Name": "blue"}
    one = AwsSubnet("s1", "a", "vpc-1", name="blue", tags=tags)
    tags["Name"] = "red"
    assert (str(one), one.tags["Name"]) == ("s1 (blue)", "blue")
    assert str(subnet("s2")) == "s2"
