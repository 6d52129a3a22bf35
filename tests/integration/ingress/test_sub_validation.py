# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad values are refused as the API would, all at once, each with field, value, rule and remedy (SUB-1, SUB-12)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task

from .conftest import NewIngress
from .proofs import codes, finding, prove, refused

GOOD = "subnet-0123456789abcdef0"
EIP = "eipalloc-0123456789abcdef0"
# Options, where the finding is, part of what it says, part of its remedy.
BAD: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "short id": ({"subnets": {"ids": ["subnet-123"]}}, "subnets.ids[0]", '"subnet-123"', "17 characters"),
    "long id": ({"subnets": {"ids": [GOOD + "a"]}}, "subnets.ids[0]", "Too long", "17 characters"),
    "other letters": ({"subnets": {"ids": ["subnet-0123456789abcdef_"]}}, "subnets.ids[0]", "should match", "17 char"),
    "id twice": ({"subnets": {"ids": [GOOD, GOOD]}}, "subnets.ids", "duplicates", "once"),
    "name twice": ({"subnets": {"names": ["a", "a"]}}, "subnets.names", "duplicates", "once"),
    "empty name": ({"subnets": {"names": [""]}}, "subnets.names[0]", "at least 1 chars", "1 to 256"),
    "long name": ({"subnets": {"names": ["n" * 257]}}, "subnets.names[0]", "256", "1 to 256"),
    "comma in a name": ({"subnets": {"names": ["a,b"]}}, "subnets.names[0]", '"a,b"', "its own list item"),
    "id as a name": ({"subnets": {"names": [GOOD]}}, "subnets.names[0]", "cannot start with 'subnet-'", "under ids"),
    "none at all": ({"subnets": {"ids": [], "names": []}}, "subnets", "at least 1 subnet", "state: absent"),
    "eleven ids": (
        {"subnets": {"ids": [f"subnet-{number:017x}" for number in range(11)]}},
        "subnets.ids",
        "at most 10",
        "at most 10",
    ),
    "eleven together": (
        {"subnets": {"ids": [f"subnet-{n:017x}" for n in range(6)], "names": list("abcde")}},
        "subnets",
        "cannot exceed 10",
        "together",
    ),
    "short allocation": ({"eip_allocations": ["eipalloc-1"]}, "eip_allocations[0]", '"eipalloc-1"', "17 hexadecimal"),
    "allocation twice": ({"eip_allocations": [EIP, EIP]}, "eip_allocations", "duplicates", "once"),
    "counts differ": (
        {"subnets": {"ids": [GOOD]}, "eip_allocations": [EIP, EIP[:-1] + "1"]},
        "loadBalancer.providerParameters.aws.networkLoadBalancer",
        "number of subnets must be equal",
        "same number in the same task",
    ),
    "Elastic IPs and Internal": (
        {"eip_allocations": [EIP], "scope": "Internal"},
        "loadBalancer",
        "forbidden when the scope is Internal",
        "eip_allocations: []",
    ),
    "Elastic IPs and Classic": ({"eip_allocations": [EIP], "lb_type": "Classic"}, "eip_allocations", "Classic", "NLB"),
    "absent and subnets": ({"state": "absent", "subnets": {"ids": [GOOD]}}, "subnets", "absent", "present"),
    "adopted and subnets": ({"state": "adopted", "subnets": {"ids": [GOOD]}}, "subnets", "adopted", "present"),
    "no time to wait": ({"wait_timeout": 0}, "wait_timeout", "0", "from 1 on"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused_before_any_server_is_asked(case: str) -> None:
    """SUB-1, CORE-7: nothing listens at the address, and nothing needs to."""
    options, where, what, remedy = BAD[case]
    result = run_task("ingress_lb_subnets", "/does/not/exist", **options)
    assert (result["failed"], result["changed"], result["verdict"]) == (True, False, "invalid")
    found = [entry for entry in result["findings"] if entry["where"] == where and what in entry["what"]]
    assert found, result["msg"]
    assert remedy in found[0]["remedy"]
    assert found[0]["what"] in result["msg"]


def test_all_problems_at_once() -> None:
    """SUB-1: also those the API would name only once the others were mended."""
    result = run_task(
        "ingress_lb_subnets",
        "/does/not/exist",
        state="absent",
        subnets={"ids": ["subnet-1", "subnet-1"], "names": ["n" * 257, "a,b", "subnet-x"]},
        eip_allocations=["eipalloc-1"],
        scope="Internal",
        lb_type="Classic",
        wait_sleep=0,
    )
    told = result["msg"]
    for part in ("24 chars", "duplicates", "256 bytes", "comma", "'subnet-'", "26 chars", "Internal", "wait_sleep"):
        assert part in told, part
    for part in ("state: absent", "lb_type is Classic", "must be equal to number of eipAllocations"):
        assert part in told, part
    assert set(codes(result)) == {"bad_option", "refused_by_api"}


def test_what_the_api_takes_is_taken(ingress: NewIngress) -> None:
    """SUB-1: the limits themselves are legal."""
    subject = ingress(type="NLB")
    subnets = {"ids": [f"subnet-{n:017x}" for n in range(9)], "names": ["n" * 256]}
    assert prove(subject, "ingress_lb_subnets", subnets=subnets).applied["verdict"] == "recreate"


def test_what_spec_already_says_counts_too(ingress: NewIngress) -> None:
    """SUB-12: a change the API would refuse over Elastic IPs is refused first, with the combination that works."""
    subject = ingress(type="NLB", subnets="public", eips=3)
    result = refused(subject, "ingress_lb_subnets", subnets={"ids": list(subject.cluster.aws.public.values())[:2]})
    assert "same number in the same task" in finding(result, "refused_by_api")["remedy"]
    result = refused(subject, "slb_scope", scope="Internal")
    assert "eip_allocations: []" in finding(result, "refused_by_api")["remedy"]


def test_elastic_ips_for_a_classic_one_in_force(ingress: NewIngress) -> None:
    """SUB-12: the API has no field for them there and would drop them silently."""
    subject = ingress(type="Classic")
    result = refused(subject, "ingress_lb_subnets", eip_allocations=list(subject.cluster.aws.eips[:3]))
    assert "lb_type: NLB" in finding(result, "eip_classic")["remedy"]


def test_the_domain_of_an_existing_one_never_changes(ingress: NewIngress) -> None:
    """CORE-7, SUB-9"""
    subject = ingress(type="NLB")
    result = refused(subject, "ingress_lb_subnets", domain="elsewhere.example.com", scope="Internal")
    assert "elsewhere.example.com" in finding(result, "domain_fixed")["what"]


def test_the_combined_patch_of_a_refusal_works(ingress: NewIngress) -> None:
    """SUB-12, Safe ingress 16: refused over Elastic IPs, with a patch that API and operator can take."""
    subject = ingress(type="NLB", subnets="public", eips=3)
    fewer = {"ids": list(subject.cluster.aws.spare_public.values())[:2]}
    result = refused(subject, "ingress_lb_subnets", subnets=fewer)
    subject.patch(result["combined_patch"])
    subject.settle()
    assert subject.lb["providerParameters"]["aws"]["networkLoadBalancer"] == {"subnets": fewer}
    assert subject.condition()[0] == "True"


def test_where_only_stages_work_it_is_the_first(ingress: NewIngress) -> None:
    """SUB-13: in one go the operator would freeze."""
    subject = ingress(type="NLB", subnets="public", eips=3)
    result = refused(subject, "slb_scope", scope="Internal")
    subject.patch(result["combined_patch"])
    subject.settle()
    assert subject.lb["scope"] == "External"
    prove(subject, "lb_effectuate", changes=["eip_allocations"], effectuate="operator", allow_disruption="outage")
    prove(subject, "slb_scope", scope="Internal", effectuate="operator", allow_disruption="outage")
