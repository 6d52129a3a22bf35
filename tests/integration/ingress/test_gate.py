# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gate stands before the write that disrupts, the spec patch included (CORE-3; issue item 3)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import NewIngress, NewService
from .proofs import finding, prove, refused
from .workplace import Ingress

LEVELS = ("none", "brief", "outage")


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


def stopped(subject: Any, module: str, needs: str, **options: Any) -> None:
    """Refused with every lesser allowance, and nothing has moved."""
    uid, address = subject.uid, subject.address
    for allowed in LEVELS[: LEVELS.index(needs)]:
        result = refused(subject, module, allow_disruption=allowed, **options)
        found = finding(result, "disruption_not_allowed")
        assert f"disruption {needs!r}" in found["what"]
        assert found["remedy"] == f"Allow it with allow_disruption: {needs} (now: {allowed})."
        assert result["disruption"] == needs
    assert (subject.uid, subject.address) == (uid, address)


@pytest.mark.parametrize("version", ["4.16", "4.18", "4.21"])
def test_a_type_change_up_to_4_21_is_the_outage_itself(ingress: NewIngress, version: str) -> None:
    """CORE-3: no effectuation is asked for, and still the patch would be the outage."""
    subject = ingress(version, type="Classic", moto=True)
    stopped(subject, "ingress_lb_subnets", "outage", lb_type="NLB")
    address = subject.address
    proven = prove(subject, "ingress_lb_subnets", lb_type="NLB", allow_disruption="outage")
    assert "The patch itself is the outage" in proven.checked["message"]
    assert proven.applied["steps"][0]["point_of_no_return"]
    assert subject.address != address


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_a_type_change_from_4_22_on_waits(ingress: NewIngress, version: str) -> None:
    """CORE-3: the same request on a newer operator disrupts nothing."""
    subject = ingress(version, type="Classic")
    result = prove(subject, "ingress_lb_subnets", lb_type="NLB").applied
    assert (result["verdict"], result["changed"]) == ("recreate", True)


@pytest.mark.parametrize("version", ["4.18", "4.22"])
@pytest.mark.parametrize("change", ["subnets", "scope"])
def test_an_armed_auto_delete_makes_the_patch_the_outage(ingress: NewIngress, version: str, change: str) -> None:
    """CORE-3: armed by somebody, for whatever reason; only its presence counts."""
    subject = ingress(version, type="NLB", subnets="public")
    subject.arm("false")
    uid = subject.uid
    module, options = (
        ("ingress_lb_subnets", {"subnets": {"ids": ids(subject, "spare_public")}})
        if change == "subnets"
        else ("slb_scope", {"scope": "Internal"})
    )
    stopped(subject, module, "outage", **options)
    prove(subject, module, allow_disruption="outage", **options)
    assert subject.uid != uid


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_in_place_the_patch_changes_the_address(ingress: NewIngress, platform: str) -> None:
    """CORE-3, SCO-2: brief, and not without a word."""
    subject = ingress("4.22", platform)
    stopped(subject, "slb_scope", "brief", scope="Internal")
    address = subject.address
    prove(subject, "slb_scope", scope="Internal", allow_disruption="brief")
    assert subject.address != address


@pytest.mark.parametrize("way", ["operator", "delete"])
def test_the_step_that_recreates_needs_the_allowance(ingress: NewIngress, way: str) -> None:
    """CORE-3: refused before the first write, not between the patch and the deletion."""
    subject = ingress(type="NLB", subnets="public")
    before = subject.ic()["spec"]
    stopped(subject, "ingress_lb_subnets", "outage", subnets={"ids": ids(subject, "spare_public")}, effectuate=way)
    assert subject.ic()["spec"] == before


def test_effectuation_of_what_is_pending_needs_it_too(ingress: NewIngress) -> None:
    """CORE-3: lb_effectuate"""
    subject = ingress(type="NLB")
    subject.patch_lb(scope="Internal")
    subject.settle()
    stopped(subject, "lb_effectuate", "outage", changes=["scope"], effectuate="delete")


@pytest.mark.parametrize(("platform", "needs"), [("AWS", "outage"), ("IBMCloud", "outage"), ("Azure", "brief")])
def test_a_plain_service(plain: NewService, platform: str, needs: str) -> None:
    """CORE-3, SCO-7"""
    subject = plain(platform)
    stopped(subject, "slb_scope", needs, scope="Internal", effectuate="delete")
    assert subject.saved() is None


def test_adoption_and_cancelling_need_no_allowance(ingress: NewIngress) -> None:
    """CORE-3, SUB-7, SCO-4: what disrupts nothing is not held up."""
    subject = ingress(type="NLB")
    subject.annotate(subnets=",".join(ids(subject, "public")))
    subject.settle()
    assert prove(subject, "ingress_lb_subnets", state="adopted").applied["disruption"] == "none"
    prove(subject, "slb_scope", scope="Internal")
    assert prove(subject, "slb_scope", scope="External").applied["disruption"] == "none"
