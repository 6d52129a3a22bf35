# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""type_flip: two patches with a wait between them, and everything back that the type takes along (CLS-1, CLS-3)."""

from __future__ import annotations

import json

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import flip
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service import kept
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    OTHER,
    flipped,
    observed,
    service,
)

RICH = {
    "loadBalancerSourceRanges": ["10.0.0.0/8"],
    "externalTrafficPolicy": "Local",
    "healthCheckNodePort": 31000,
    "allocateLoadBalancerNodePorts": True,
}


@pytest.mark.parametrize(("ports", "kind"), [([{"port": 1, "nodePort": 2}], "NodePort"), ([{"port": 1}], "ClusterIP")])
def test_the_type_in_between_keeps_node_ports_and_makes_none(ports: list[dict[str, int]], kind: str) -> None:
    assert flip.through(service(ports=ports)) == kind


def test_source_ranges_go_and_come_with_the_type() -> None:
    """The API forbids them on any other type, in the field and in the annotation."""
    found = service(OTHER, annotations={flip.RANGES: "10.0.0.0/8"}, **RICH)
    assert flip.away_patch(found) == {
        "spec": {"type": "NodePort", "loadBalancerSourceRanges": None},
        "metadata": {"annotations": {flip.RANGES: None}},
    }
    back = {"type": "LoadBalancer", "loadBalancerClass": CLASS, **RICH}
    assert flip.back_patch(kept.bare(found), CLASS) == {
        "spec": back,
        "metadata": {"annotations": {flip.RANGES: "10.0.0.0/8"}},
    }


def test_no_class_is_just_left_out() -> None:
    assert flip.back_patch(service(OTHER), None) == {"spec": {"type": "LoadBalancer"}}
    assert flip.away_patch(service()) == {"spec": {"type": "NodePort"}}


def test_the_steps_and_their_way_back() -> None:
    keep, away, cleaned, back, ready = flip.steps(observed(service(OTHER)), CLASS)
    assert json.loads(keep.body["data"]["addresses"]) == ["old.example.com"]
    assert keep.body["data"]["way"] == "type_flip"
    assert (away.resource_version, away.uid, away.point_of_no_return) == ("7", "u1", True)
    assert (away.disruption.value, back.disruption.value) == ("outage", "none")
    assert cleaned.wait_for is not None
    assert (cleaned.wait_for.old_uid, cleaned.wait_for.old_addresses) == ("u1", ("old.example.com",))
    assert (back.uid, back.expect) == ("u1", {"spec": {"type": "NodePort"}})
    assert [step.body["spec"].get("loadBalancerClass") for step in back.undo] == [None, OTHER]
    assert ready.wait_for is not None


def test_a_run_that_picks_it_up_writes_the_same() -> None:
    found = service(OTHER, **RICH)
    planned = flip.steps(observed(found), CLASS)[2:]
    stopped = flipped(found)
    assert flip.rest(stopped, kept.manifest_kept(stopped), CLASS) == planned


def test_commands_for_a_person() -> None:
    first, second = flip.commands(observed(service()), CLASS)
    assert first == """oc -n shop patch svc/front --type merge -p '{"spec": {"type": "NodePort"}}'"""
    assert CLASS in second
