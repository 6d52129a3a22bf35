# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A load balancer that lets in only some is not opened to the world by a recreation (Safe ingress 11)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Wanted, Way
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_decide import verbs

MOVE = Wanted(subnets=Subnets((A,)))
FIELD = {"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}}
ANNOTATION = {"metadata": {"annotations": {names.SOURCE_RANGES: "10.0.0.0/8,192.0.2.0/24"}}}
WORLD = {"spec": {"loadBalancerSourceRanges": ["0.0.0.0/0", "10.0.0.0/8"]}}


def spec(**lb: Any) -> dict[str, Any]:
    made = strategy("NLB")
    made["loadBalancer"] |= lb
    return made


@pytest.mark.parametrize("edits", [FIELD, ANNOTATION])
@pytest.mark.parametrize("way", ["operator", "delete"])
def test_ranges_that_only_the_service_has_block_a_recreation(edits: dict[str, Any], way: str) -> None:
    decision = planned(MOVE, Way(way), cluster(spec=spec(), edits=edits))
    assert (decision.verdict.value, decision.steps) == ("blocked", ())
    (finding,) = decision.errors
    assert (finding.code, "10.0.0.0/8" in finding.what, "open to the world" in finding.what) == (
        "source_ranges_lost",
        True,
        True,
    )
    assert "allowedSourceRanges" in finding.remedy
    assert "restore_edits: true" in finding.remedy


def test_so_does_an_armed_auto_delete() -> None:
    decision = planned(MOVE, Way(), cluster(spec=spec(), edits=FIELD, armed="yes"))
    assert [finding.code for finding in decision.errors] == ["source_ranges_lost"]


def test_ranges_taken_out_of_spec_long_ago_are_still_on_the_service() -> None:
    """Facts §6: the operator never takes them off; a recreation does."""
    observed = after_patch(cluster(spec=spec(allowedSourceRanges=["10.0.0.0/8"])), lb_patch(allowedSourceRanges=None))
    assert observed.service["spec"]["loadBalancerSourceRanges"] == ["10.0.0.0/8"]
    assert planned(MOVE, Way("delete"), observed).verdict.value == "blocked"


@pytest.mark.parametrize(
    ("observed", "way"),
    [
        pytest.param(cluster(spec=spec(allowedSourceRanges=["10.0.0.0/8"])), Way("delete"), id="in spec"),
        pytest.param(cluster(spec=spec(), edits=WORLD), Way("delete"), id="open anyway"),
        pytest.param(cluster(spec=spec()), Way("delete"), id="no ranges"),
    ],
)
def test_others_go_on(observed: Any, way: Way) -> None:
    decision = planned(MOVE, way, observed)
    assert decision.verdict.value == "recreate"
    assert not {"source_ranges_lost", "source_ranges_open"} & {finding.code for finding in decision.remarks}


@pytest.mark.parametrize("edits", [FIELD, ANNOTATION])
def test_restored_they_stand_open_for_a_moment_and_that_is_said(edits: dict[str, Any]) -> None:
    """Put back as soon as there is a new Service, before its address is waited for."""
    decision = planned(MOVE, Way("delete", restore_edits=True), cluster(spec=spec(), edits=edits))
    order = verbs(decision)
    assert order.index("wait replaced") < order.index("patch services") < order.index("wait recreated")
    (finding,) = [entry for entry in decision.effects if entry.code == "source_ranges_open"]
    assert "up to wait_sleep seconds" in finding.what


def test_a_report_warns_whoever_deletes_it_later() -> None:
    decision = planned(MOVE, Way(), cluster(spec=spec(), edits=FIELD))
    assert decision.verdict.value == "recreate"
    (finding,) = [entry for entry in decision.effects if entry.code == "source_ranges_lost"]
    assert finding.severity.value == "warning"


def test_a_release_without_the_field_can_only_restore_them() -> None:
    decision = planned(Wanted(scope="Internal"), Way("delete"), cluster("4.11", edits=FIELD))
    assert decision.errors[0].remedy == "Set restore_edits: true."
