# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan has to tell before the first write, and what a success has not to tell any more (CORE-7, CORE-13)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig

from .conftest import NewIngress, NewService
from .proofs import codes, finding
from .test_conflicts import NOW, ids
from .workplace import Subject

HOLD = "x.example.com/hold"


def held(subject: Subject) -> None:
    subject.patch_service({"metadata": {"finalizers": [HOLD, *(dig(subject.live(), "metadata", "finalizers") or ())]}})


@pytest.mark.parametrize("way", ["report", "operator", "delete"])
def test_a_finalizer_of_somebody_else_is_in_the_plan(ingress: NewIngress, way: str) -> None:
    subject = ingress(type="NLB", subnets="public")
    assert "foreign_finalizer" not in codes(
        subject.run("slb_scope", check=True, scope="Internal", effectuate=way, **NOW)
    )
    held(subject)
    checked = subject.run("slb_scope", check=True, scope="Internal", effectuate=way, **NOW)
    assert list(finding(checked, "foreign_finalizer")["value"]) == [HOLD]
    assert "foreign_finalizer" not in codes(subject.run("slb_scope", check=True, scope="External"))
    subject.patch_service({"metadata": {"finalizers": None}})


def test_and_in_that_of_a_plain_service(plain: NewService) -> None:
    subject = plain("AWS")
    held(subject)
    checked = subject.run("slb_scope", check=True, scope="Internal", effectuate="delete", **NOW)
    assert list(finding(checked, "foreign_finalizer")["value"]) == [HOLD]
    subject.patch_service({"metadata": {"finalizers": None}})


def test_a_success_has_nothing_of_the_plan_that_is_over(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    subject.patch_service({"spec": {"loadBalancerSourceRanges": ["10.1.0.0/16"]}})
    options = {"scope": "Internal", "effectuate": "delete", "restore_edits": True, **NOW}
    assert "source_ranges_open" in codes(subject.run("slb_scope", check=True, **options))
    result = subject.run("slb_scope", **options)
    assert not result.get("failed"), result["msg"]
    assert "source_ranges_open" not in codes(result)
    assert finding(result, "taken_care_of")["value"] == "source_ranges_open"


def test_a_plain_service_just_recreated_was_not_so_already(plain: NewService) -> None:
    subject = plain("AWS")
    result = subject.run("slb_scope", scope="Internal", effectuate="delete", **NOW)
    assert result["message"] == "The load balancer is Internal, as wanted."


@pytest.mark.parametrize("option", ["wait_timeout", "wait_sleep"])
@pytest.mark.parametrize("number", [10**400, -(10**400)], ids=["large", "small"])
def test_a_number_that_cannot_be_meant(ingress: NewIngress, option: str, number: Any) -> None:
    subject = ingress(type="NLB")
    result = subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")}, **{option: number})
    assert (result["failed"], result["error_code"], finding(result, "bad_option")["where"]) == (True, "invalid", option)
    assert subject.writes() == []
