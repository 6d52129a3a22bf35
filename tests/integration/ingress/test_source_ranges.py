# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A restricted load balancer is never opened to the world by a recreation, unless for a moment (Safe ingress 11)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import SOURCE_RANGES

from .conftest import NewIngress
from .proofs import codes, finding, prove, refused
from .workplace import Ingress

RANGES = ["10.0.0.0/8"]
FIELD: dict[str, Any] = {"spec": {"loadBalancerSourceRanges": RANGES}}
ANNOTATION: dict[str, Any] = {"metadata": {"annotations": {SOURCE_RANGES: "10.0.0.0/8"}}}
OUTAGE = {"allow_disruption": "outage"}


def restricted(subject: Ingress) -> bool:
    found = subject.live()
    annotations = found["metadata"].get("annotations") or {}
    return found["spec"].get("loadBalancerSourceRanges") == RANGES or SOURCE_RANGES in annotations


@pytest.mark.parametrize("edit", [FIELD, ANNOTATION])
@pytest.mark.parametrize("way", ["operator", "delete"])
def test_blocked_where_only_the_service_has_them(ingress: NewIngress, way: str, edit: dict[str, Any]) -> None:
    subject = ingress(type="NLB")
    subject.patch_service(edit)
    uid = subject.uid
    result = refused(subject, "slb_scope", scope="Internal", effectuate=way, **OUTAGE)
    assert "open to the world" in finding(result, "source_ranges_lost")["what"]
    assert (subject.uid, restricted(subject)) == (uid, True)


@pytest.mark.parametrize("version", ["4.16", "4.22"])
def test_and_where_auto_delete_is_armed_by_somebody(ingress: NewIngress, version: str) -> None:
    subject = ingress(version, type="NLB")
    subject.patch_service(FIELD)
    subject.arm("theirs")
    assert "source_ranges_lost" in codes(refused(subject, "slb_scope", scope="Internal", **OUTAGE), "error")


@pytest.mark.parametrize("edit", [FIELD, ANNOTATION])
@pytest.mark.parametrize("way", ["operator", "delete"])
def test_restored_before_the_new_one_serves(ingress: NewIngress, way: str, edit: dict[str, Any]) -> None:
    """The ranges are back before the cloud is asked for an address: it is held until then."""
    subject = ingress(type="NLB")
    subject.patch_service(edit)
    uid = subject.uid
    options = {"scope": "Internal", "effectuate": way, "restore_edits": True, **OUTAGE}
    subject.cluster.cloud_faults.hold_ensure(subject.service_name)
    result = subject.run("slb_scope", wait_timeout=2, **options)
    assert result["error_code"] == "timeout"
    assert "up to wait_sleep seconds" in finding(result, "source_ranges_open")["what"]
    assert (subject.uid != uid, restricted(subject), subject.address) == (True, True, "")
    subject.cluster.cloud_faults.clear()
    subject.settle()


def test_in_spec_they_come_along(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    subject.patch_lb(allowedSourceRanges=RANGES)
    subject.settle()
    prove(subject, "slb_scope", scope="Internal", effectuate="delete", **OUTAGE)
    assert restricted(subject)


def test_ranges_taken_out_of_spec_are_still_on_the_service(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    subject.patch_lb(allowedSourceRanges=RANGES)
    subject.wait_for(lambda: restricted(subject), "the ranges")
    subject.patch_lb(allowedSourceRanges=None)
    subject.wait_for(
        lambda: "loadBalancerSourceRanges" in subject.condition()[2].lower() or subject.condition()[0] == "True",
        "the operator to say so",
    )
    result = refused(subject, "slb_scope", scope="Internal", effectuate="delete", **OUTAGE)
    assert "source_ranges_lost" in codes(result, "error")


def test_a_report_only_warns(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    subject.patch_service(FIELD)
    result = prove(subject, "slb_scope", scope="Internal").applied
    assert finding(result, "source_ranges_lost")["severity"] == "warning"
