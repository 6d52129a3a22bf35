# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every check before AWS is asked to make a load balancer, one row each (SUB-3, GAP-4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    EIPS,
    LOAD_BALANCER,
    ROUTES,
    SUBNETS,
    AwsFacts,
    AwsLoadBalancer,
    AwsQuota,
    AwsSubnet,
    Eip,
    Unanswered,
    discovered,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.preflight import WantedLb, check, resolved
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets

VPC = "vpc-1"
OWN = {"kubernetes.io/cluster/infra": "owned"}
PUBLIC_ROLE, PRIVATE_ROLE = {"kubernetes.io/role/elb": "1"}, {"kubernetes.io/role/internal-elb": "1"}


def subnet(name: str, zone: str, **more: Any) -> AwsSubnet:
    return AwsSubnet(f"subnet-{name}", zone, more.pop("vpc", VPC), name, more.pop("free", 100), **more)


PUB_A, PUB_B = subnet("pub-a", "a", public=True, tags=OWN), subnet("pub-b", "b", public=True, tags=OWN)
PRIV_A, PRIV_B = subnet("priv-a", "a", tags=OWN), subnet("priv-b", "b", tags=OWN)
SECOND_A = subnet("second-a", "a", public=True)
FULL_B = subnet("full-b", "b", public=True, free=7)
ELSEWHERE = subnet("elsewhere", "b", public=True, vpc="vpc-2")
TWINS = (replace(PUB_B, id="subnet-t1", name="twin"), replace(PUB_B, id="subnet-t2", name="twin"))
FREE, BUSY = Eip("eipalloc-1", "192.0.2.1"), Eip("eipalloc-2", "192.0.2.2", "instance i-1")
FACTS = AwsFacts(
    VPC,
    "infra",
    (PUB_A, PUB_B, PRIV_A, PRIV_B, SECOND_A, FULL_B, ELSEWHERE, *TWINS),
    (FREE, BUSY, Eip("eipalloc-3", "192.0.2.3")),
)
OLD = AwsLoadBalancer("a1", "NLB", "h", "External", VPC, (FULL_B.id,), ("b",), eips=(BUSY.id,))


def ids(*subnets: AwsSubnet) -> Subnets:
    return Subnets(tuple(subnet.id for subnet in subnets))


def both(one: Subnets, other: Subnets) -> Subnets:
    return Subnets(one.ids, other.names)


def names(*texts: str) -> Subnets:
    return Subnets(names=texts)


ROWS: dict[str, tuple[WantedLb, list[tuple[str, str, str]]]] = {
    "public subnets for an external one": (WantedLb("NLB", "External", ids(PUB_A, PUB_B)), []),
    "private subnets for an internal one": (WantedLb("Classic", "Internal", names("priv-a", "priv-b")), []),
    "unknown id": (
        WantedLb("NLB", "External", Subnets((PUB_A.id, "subnet-nope"))),
        [("subnet_id_unknown", "subnets.ids[1]", "subnet-nope")],
    ),
    "unknown name": (
        WantedLb("NLB", "External", names("Pub-A")),
        [("subnet_name_unknown", "subnets.names[0]", "Name tag 'Pub-A' (case counts)")],
    ),
    "ambiguous name": (
        WantedLb("NLB", "External", names("twin")),
        [("subnet_name_ambiguous", "subnets.names[0]", "subnet-t1, subnet-t2")],
    ),
    "a name in another VPC is unknown": (
        WantedLb("NLB", "External", names("elsewhere")),
        [("subnet_name_unknown", "subnets.names[0]", "of vpc-1, the cluster's VPC,")],
    ),
    "an id in another VPC": (
        WantedLb("NLB", "External", ids(PUB_A, ELSEWHERE)),
        [("subnet_other_vpc", "subnets.ids[1]", "is in vpc-2; the cluster is in vpc-1")],
    ),
    "two in one zone": (
        WantedLb("NLB", "External", ids(PUB_A, SECOND_A)),
        [("subnets_same_az", "subnets", "are both in a;")],
    ),
    "two in one zone, one by name": (
        WantedLb("Classic", "External", both(ids(PUB_A), names("second-a"))),
        [("subnets_same_az", "subnets", "one subnet per availability zone")],
    ),
    "the same by id and by name": (
        WantedLb("NLB", "External", both(ids(PUB_A, PUB_B), names("pub-a"))),
        [("subnet_twice", "subnets.names[0]", "'subnet-pub-a' and 'pub-a' are one subnet")],
    ),
    "too few addresses": (
        WantedLb("NLB", "External", ids(PUB_A, FULL_B)),
        [("subnet_full", "subnets.ids[1]", "has 7 free addresses; AWS wants 8")],
    ),
    "private for External": (
        WantedLb("NLB", "External", ids(PRIV_A)),
        [("subnet_private", "subnets.ids[0]", "no internet gateway")],
    ),
    "public for Internal is only a warning": (
        WantedLb("NLB", "Internal", ids(PUB_A)),
        [("subnet_public", "subnets.ids[0]", "is public")],
    ),
    "one Elastic IP per subnet": (WantedLb("NLB", "External", ids(PUB_A), ["eipalloc-1"]), []),
    "too few Elastic IPs": (
        WantedLb("NLB", "External", ids(PUB_A, PUB_B), ["eipalloc-1"]),
        [("eip_count", "eip_allocations", "1 Elastic IPs for 2 subnets")],
    ),
    "as many as auto-discovery would take": (WantedLb("NLB", "External", None, ["eipalloc-1", "eipalloc-3"]), []),
    "fewer than auto-discovery would take": (
        WantedLb("NLB", "External", None, ["eipalloc-1"]),
        [("eip_count", "eip_allocations", "auto-discovery would take 2 subnets (a, b)")],
    ),
    "unknown Elastic IP": (
        WantedLb("NLB", "External", ids(PUB_A), ["eipalloc-9"]),
        [("eip_unknown", "eip_allocations[0]", "eipalloc-9")],
    ),
    "busy Elastic IP": (
        WantedLb("NLB", "External", ids(PUB_A), ["eipalloc-2"]),
        [("eip_in_use", "eip_allocations[0]", "(192.0.2.2) is in use by instance i-1")],
    ),
    "Elastic IPs on Classic": (
        WantedLb("Classic", "External", ids(PUB_A), ["eipalloc-1"]),
        [("eip_classic", "eip_allocations", "this one is Classic")],
    ),
    "Elastic IPs on Internal": (
        WantedLb("NLB", "Internal", ids(PRIV_A), ["eipalloc-1"]),
        [("eip_internal", "eip_allocations", "the scope is Internal")],
    ),
    "several at once": (
        WantedLb("Classic", "External", Subnets(("subnet-nope",), ("twin", "priv-b")), ["eipalloc-9"]),
        [
            ("subnet_id_unknown", "subnets.ids[0]", ""),
            ("subnet_name_ambiguous", "subnets.names[0]", ""),
            ("subnet_private", "subnets.names[1]", ""),
            ("eip_classic", "eip_allocations", ""),
            ("eip_count", "eip_allocations", "1 Elastic IPs for 3 subnets"),
            ("eip_unknown", "eip_allocations[0]", ""),
        ],
    ),
}


@pytest.mark.parametrize(("wanted", "expected"), ROWS.values(), ids=ROWS)
def test_check(wanted: WantedLb, expected: list[tuple[str, str, str]]) -> None:
    found = check(wanted, FACTS)
    assert [(f.code, f.where) for f in found] == [(code, where) for code, where, _words in expected]
    for finding, (_code, _where, words) in zip(found, expected, strict=True):
        assert words in finding.what
        assert finding.remedy
        assert finding.severity is (Severity.WARNING if finding.code == "subnet_public" else Severity.ERROR)


def test_what_the_old_one_holds_is_free_once_it_is_gone() -> None:
    """A recreation gives its addresses back first; a bridge does not."""
    wanted = WantedLb("NLB", "External", ids(FULL_B), [BUSY.id])
    facts = replace(FACTS, lb=OLD)
    assert check(wanted, facts) == ()
    assert [f.code for f in check(wanted, facts, bridging=True)] == ["subnet_full", "eip_in_use"]


@pytest.mark.parametrize(
    ("lb", "kind", "bridging", "refused"),
    [
        (OLD, "NLB", False, False),  # recreation takes the place it frees
        (OLD, "NLB", True, True),
        (OLD, "Classic", False, True),  # another kind counts against another quota
        (None, "NLB", False, True),  # a new one
    ],
)
def test_quota(lb: AwsLoadBalancer | None, kind: str, bridging: bool, refused: bool) -> None:
    facts = replace(FACTS, lb=lb, quota=AwsQuota(kind, 20, 20))
    codes = [f.code for f in check(WantedLb(kind, "External", ids(PUB_A)), facts, bridging=bridging)]
    assert codes == (["lb_quota"] if refused else [])
    roomy = replace(facts, quota=AwsQuota(kind, 20, 19))
    assert check(WantedLb(kind, "External", ids(PUB_A)), roomy, bridging=bridging) == ()


def test_auto_discovery_that_finds_nothing() -> None:
    facts = AwsFacts(VPC, "infra", (PRIV_A, PRIV_B))
    assert [f.code for f in check(WantedLb("NLB", "External"), facts)] == ["no_suitable_subnets"]
    assert check(WantedLb("NLB", "Internal"), facts) == ()


def test_without_a_known_vpc_nothing_is_made_up() -> None:
    facts = AwsFacts("", "infra", (PUB_A, replace(PUB_B, vpc="vpc-2")), (FREE,))
    found = check(WantedLb("NLB", "External", both(ids(PUB_A, PUB_B), names("pub-a", "nope"))), facts)
    assert [(f.code, f.severity) for f in found] == [("vpc_unknown", Severity.WARNING)]
    assert [f.code for f in check(WantedLb("NLB", "External", None, ["eipalloc-1"]), facts)] == ["vpc_unknown"]
    (strict,) = check(WantedLb("NLB", "External"), facts, strict=True)
    assert strict.severity is Severity.ERROR


@pytest.mark.parametrize("part", [SUBNETS, ROUTES, EIPS, LOAD_BALANCER])
def test_what_was_not_told_is_not_held_against_it(part: str) -> None:
    """Safe ingress 14: it is told that nobody knows; nothing is made up of it."""
    told = {
        SUBNETS: replace(FACTS, subnets=()),
        ROUTES: replace(FACTS, subnets=(replace(PUB_A, public=None), replace(PUB_B, public=None))),
        EIPS: replace(FACTS, eips=()),
        LOAD_BALANCER: replace(FACTS, quota=AwsQuota("NLB", 1, 1)),
    }[part]
    facts = replace(told, unanswered=(Unanswered(part, "No."),))
    assert check(WantedLb("NLB", "External", ids(PUB_A), (BUSY.id if part == LOAD_BALANCER else FREE.id,)), facts) == ()
    assert check(WantedLb("NLB", "External"), facts) == ()


LOCAL = subnet("bos", "us-east-1-bos-1a", public=True, zone_type="local-zone")
WAVE = subnet("wave", "us-east-1-wl1", public=True, zone_type="wavelength-zone")
RACK = subnet("rack", "c", public=True, zone_type="outpost")
EDGES = replace(FACTS, subnets=(*FACTS.subnets, LOCAL, WAVE, RACK))


@pytest.mark.parametrize(
    ("kind", "subnets", "severities"),
    [
        ("NLB", (PUB_A,), []),
        ("NLB", (LOCAL,), ["warning"]),
        ("NLB", (LOCAL, PUB_A), ["error"]),
        ("Classic", (LOCAL,), ["error"]),
        ("NLB", (WAVE,), ["error"]),
        ("NLB", (WAVE, LOCAL), ["error", "error"]),
        ("Classic", (RACK,), ["error"]),
    ],
)
def test_zones_that_take_no_load_balancer(kind: str, subnets: tuple[AwsSubnet, ...], severities: list[str]) -> None:
    """Safe ingress 14: Local Zones, Wavelength Zones, Outposts."""
    found = check(WantedLb(kind, "External", ids(*subnets)), EDGES)
    assert [(f.code, f.severity.value) for f in found] == [("subnet_zone_type", severity) for severity in severities]


def test_a_way_out_through_a_firewall_is_a_warning() -> None:
    """Safe ingress 14: whether the internet comes in that way is decided elsewhere."""
    behind = subnet("behind", "a", firewall="vpce-1")
    (finding,) = check(WantedLb("NLB", "External", ids(behind)), replace(FACTS, subnets=(behind,)))
    assert (finding.code, finding.severity) == ("subnet_firewalled", Severity.WARNING)
    assert check(WantedLb("NLB", "Internal", ids(behind)), replace(FACTS, subnets=(behind,))) == ()


@pytest.mark.parametrize(
    ("ranges", "dual_stack", "codes"),
    [
        (("192.0.2.0/24",), False, []),
        (("192.0.2.0/24", "2001:db8::/32"), False, ["ranges_ipv6"]),
        (("2001:db8::/32",), True, []),
    ],
)
def test_source_ranges_of_ipv6(ranges: tuple[str, ...], dual_stack: bool, codes: list[str]) -> None:
    """Safe ingress 14"""
    wanted = WantedLb("NLB", "External", ids(PUB_A), (), ranges, dual_stack)
    assert [f.code for f in check(wanted, FACTS)] == codes


def test_resolved() -> None:
    wanted = WantedLb("NLB", "External", both(ids(PUB_A), names("pub-b", "pub-a", "twin", "nope")))
    assert resolved(wanted, FACTS) == (PUB_A, PUB_B)
    assert resolved(WantedLb("NLB", "Internal"), AwsFacts(VPC, "infra", (PRIV_A, PRIV_B))) == (PRIV_A, PRIV_B)


DISCOVERY: dict[str, tuple[str, tuple[AwsSubnet, ...], tuple[str, ...]]] = {
    "external ones skip private subnets": ("External", (PRIV_A, PUB_B), ("subnet-pub-b",)),
    "internal ones take any": ("Internal", (PRIV_A, PUB_B), ("subnet-priv-a", "subnet-pub-b")),
    "the role tag wins": (
        "Internal",
        (PUB_A, subnet("z-role", "a", tags={**OWN, **PRIVATE_ROLE})),
        ("subnet-z-role",),
    ),
    "each scope has its own role": (
        "External",
        (replace(PUB_A, tags={**OWN, **PUBLIC_ROLE}), replace(SECOND_A, id="subnet-0", tags={**OWN, **PRIVATE_ROLE})),
        ("subnet-pub-a",),
    ),
    "then the cluster's tag": ("External", (replace(SECOND_A, id="subnet-0"), PUB_A), ("subnet-pub-a",)),
    "then the smallest id": (
        "External",
        (replace(PUB_A, id="subnet-2"), replace(PUB_A, id="subnet-1")),
        ("subnet-1",),
    ),
    "another cluster's are left alone": (
        "External",
        (replace(PUB_A, tags={"kubernetes.io/cluster/other": "owned"}), replace(PUB_B, tags={})),
        ("subnet-pub-b",),
    ),
    "shared between two clusters counts": (
        "External",
        (replace(PUB_A, tags={**OWN, "kubernetes.io/cluster/other": "shared"}),),
        ("subnet-pub-a",),
    ),
    "no local zones": ("External", (replace(PUB_A, zone_type="local-zone"), PUB_B), ("subnet-pub-b",)),
    "no other VPCs": ("External", (ELSEWHERE, PUB_A), ("subnet-pub-a",)),
}


@pytest.mark.parametrize(("scope", "subnets", "expected"), DISCOVERY.values(), ids=DISCOVERY)
def test_auto_discovery(scope: str, subnets: tuple[AwsSubnet, ...], expected: tuple[str, ...]) -> None:
    """facts: aws-ccm §3."""
    assert tuple(s.id for s in discovered(AwsFacts(VPC, "infra", subnets), scope)) == expected
