# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses reserved beforehand (API-2, API-8)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.addresses import (
    Resolved,
    needed,
    resolve,
    version_of,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.config import ApiConfig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import (
    Reserved,
    ReservedQuestion,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import Eip
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    ADDRESSES,
    INFRA_ID,
    live,
    observed,
    wanted,
)

ALL = ("external", "internal", "machine_config_server")
EIPS = (Eip("eipalloc-1", "203.0.113.1"), Eip("eipalloc-2", "203.0.113.2"))


def resolved(*args: Any) -> Resolved:
    found = resolve(*args)
    assert isinstance(found, Resolved)
    return found


def codes(found: Resolved) -> list[str]:
    return [entry.code for entry in found.findings]


def test_given_ones_are_taken_and_the_internal_ones_share_theirs() -> None:
    for platform in ("Azure", "GCP"):
        found = resolved(wanted(platform), observed(platform), ALL)
        private = ADDRESSES[platform]["private"]
        assert found.by_role == {
            "external": ADDRESSES[platform]["public"],
            "internal": private,
            "machine_config_server": private,
        }
        assert found.findings == ()


def test_on_aws_each_load_balancer_has_its_own() -> None:
    found = resolved(wanted("AWS"), observed("AWS"), ALL)
    assert found.by_role["machine_config_server"] == ("10.0.0.5", "10.0.1.5")
    assert codes(found) == ["address_race", "address_race"]


@pytest.mark.parametrize(("role", "name"), [("external", "public"), ("internal", "private")])
def test_without_one_the_reserved_name_is_told(role: str, name: str) -> None:
    (found,) = resolved(wanted("GCP", addresses={}), observed("GCP"), (role,)).findings
    assert found.code == "address_needed"
    assert f"{INFRA_ID}-rsvd-{name}-ipv4" in found.remedy
    assert "gcloud compute addresses" in found.remedy


def test_a_live_service_keeps_its_own() -> None:
    seen = observed("Azure", {"internal": live("internal")})
    assert resolved(wanted(addresses={}), seen, ("internal",)) == Resolved({})


def asking(**more: Any) -> Any:
    """Of a cluster on AWS that may be asked."""
    return observed("AWS", **more).answered(aws_skipped=False)


def test_elastic_ips_are_looked_for_by_name() -> None:
    question = resolve(wanted("AWS", addresses={}), asking(), ("external",))
    assert isinstance(question, ReservedQuestion)
    assert question.name == f"{INFRA_ID}-rsvd-public-ipv4"
    answer = Reserved(EIPS, ("eipalloc-1", "eipalloc-2"))
    found = resolved(wanted("AWS", addresses={}), asking(reserved=answer), ("external",))
    assert found.by_role == {"external": ("eipalloc-1", "eipalloc-2")}


def test_no_elastic_ip_of_that_name_and_nobody_to_ask() -> None:
    (none,) = resolved(wanted("AWS", addresses={}), asking(reserved=Reserved()), ("external",)).findings
    assert (none.code, "none was found" in none.what) == ("address_needed", True)
    silent = asking(reserved=Reserved(why_not="there are no credentials."))
    (unasked,) = resolved(wanted("AWS", addresses={}), silent, ("external",)).findings
    assert "there are no credentials" in unasked.what


def test_elastic_ips_that_are_there_are_asked_for_their_addresses_only_for_dns() -> None:
    from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
        handing_over,
    )

    seen = asking(services={"external": live("external", "AWS")})
    assert resolve(wanted("AWS", addresses={}), seen, ("external",)) == Resolved({})
    question = resolve(wanted("AWS", addresses={}, handover=handing_over(1)), seen, ("external",))
    assert isinstance(question, ReservedQuestion)
    assert question.ids == ADDRESSES["AWS"]["public"]


@pytest.mark.parametrize(
    ("more", "version", "code"),
    [
        ({"addresses": {}}, "4.22.3", "address_unreserved"),
        ({}, "4.20.1", "private_addresses_unread"),
        ({}, "", "private_addresses_unread"),
        ({"aws_internal": "unchecked"}, "4.20.1", "address_race"),
        ({}, "4.21.0", "address_race"),
    ],
)
def test_private_addresses_on_aws_are_refused_unless_told_otherwise(more: Any, version: str, code: str) -> None:
    """API-2"""
    (found,) = resolved(wanted("AWS", **more), observed("AWS", version=version), ("internal",)).findings
    assert found.code == code
    assert found.remedy


def test_told_otherwise_aws_chooses() -> None:
    found = resolved(wanted("AWS", aws_internal="dynamic"), observed("AWS", version="4.16"), ("internal",))
    assert found == Resolved({})


def test_those_that_are_in_force_need_no_new_ones() -> None:
    seen = observed("AWS", {"internal": live("internal", "AWS")})
    assert resolved(wanted("AWS", addresses={}), seen, ("internal",)) == Resolved({})
    assert resolved(wanted("AWS"), seen, ("internal",)).findings == ()


@pytest.mark.parametrize(
    ("platform", "addresses", "wrong"),
    [
        ("Azure", {"public": ("eipalloc-0123456789abcdef0",)}, ["eipalloc-0123456789abcdef0"]),
        ("AWS", {"public": ("203.0.113.7",)}, ["203.0.113.7"]),
        ("GCP", {"public": ("34.0.0.7", "2001:db8::1")}, ["34.0.0.7, 2001:db8::1"]),
        ("Azure", {"public": ("20.0.0.7", "20.0.0.8")}, ["20.0.0.7, 20.0.0.8"]),
        ("Azure", {"public": ("20.0.0.7", "2001:db8::1")}, []),
    ],
)
def test_what_a_platform_does_not_take(platform: str, addresses: Any, wrong: list[str]) -> None:
    found = resolved(wanted(platform, addresses=addresses), observed(platform), ("external",)).findings
    assert [entry.value for entry in found if entry.code == "address_unusable"] == wrong


def test_no_ipv6_for_a_private_load_balancer_on_aws() -> None:
    found = resolved(wanted("AWS", addresses={"private": ("fd00::4",)}), observed("AWS"), ("internal",))
    assert "address_unusable" in codes(found)


def test_what_has_to_be_reserved() -> None:
    """API-8: derived from the cluster's own configuration; on GCP the shared one says what for."""
    gcp = needed(observed("GCP"), ALL)
    assert [(entry["name"], entry["for"], entry["purpose"]) for entry in gcp] == [
        (f"{INFRA_ID}-rsvd-public-ipv4", ["external"], ""),
        (f"{INFRA_ID}-rsvd-private-ipv4", ["internal", "machine_config_server"], "SHARED_LOADBALANCER_VIP"),
    ]
    both = observed(config=ApiConfig(INFRA_ID, "prod.example.com", True, (4, 6)))
    assert [entry["family"] for entry in needed(both, ("internal",))] == ["ipv4", "ipv6"]
    assert [entry["count"] for entry in needed(observed("AWS"), ALL)] == ["one per subnet"] * 3


@pytest.mark.parametrize(("text", "version"), [("10.0.0.1", 4), ("fd00::1", 6), ("api", 0), ("", 0)])
def test_families(text: str, version: int) -> None:
    assert version_of(text) == version


def test_one_that_works_with_addresses_of_its_own_is_not_made_anew() -> None:
    """Only what a task says is changed, whatever is reserved."""
    service = live("external", "AWS")
    del service["metadata"]["annotations"]["service.beta.kubernetes.io/aws-load-balancer-eip-allocations"]
    assert resolve(wanted("AWS", addresses={}), asking(services={"external": service}), ("external",)) == Resolved({})
