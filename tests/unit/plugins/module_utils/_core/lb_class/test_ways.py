# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each way costs, keeps and loses, of this very Service (CLS-3)."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.ways import Way, ways
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    observed,
    service,
)


def told(**more: object) -> dict[str, Way]:
    return {way.name: way for way in ways(observed(service(**more)))}


def test_allocations_go_with_the_object() -> None:
    found = told(healthCheckNodePort=31000)
    assert {"clusterIP 10.96.0.9", "nodePorts 30443", "uid"} <= set(found["type_flip"].keeps)
    assert "healthCheckNodePort 31000, where it is still free" in found["type_flip"].keeps
    assert "clusterIP 10.96.0.9, where it is still free" in found["recreate"].keeps
    assert {"clusterIP 10.96.0.9", "nodePorts 30443", "uid"} <= set(found["side_by_side"].loses)


def test_addresses_are_lost_whatever_way() -> None:
    assert all("the addresses old.example.com" in way.loses for way in told().values())


def test_what_two_cannot_share() -> None:
    found = told(loadBalancerIP="192.0.2.7", annotations={AWS_EIPS: "eipalloc-1"})
    lost = " ".join(found["side_by_side"].loses)
    assert "spec.loadBalancerIP 192.0.2.7" in lost
    assert f"{AWS_EIPS} eipalloc-1" in lost
    assert "share" not in " ".join(found["type_flip"].loses)


def test_source_ranges_are_kept_by_all() -> None:
    assert all(
        "source ranges 10.0.0.0/8" in way.keeps for way in told(loadBalancerSourceRanges=["10.0.0.0/8"]).values()
    )


def test_every_way_says_what_it_costs_and_what_takes_it_back() -> None:
    found = [way.shown for way in ways(observed(None))]
    assert [(way["way"], way["disruption"], way["later"]) for way in found] == [
        ("type_flip", "outage", "none"),
        ("recreate", "outage", "none"),
        ("side_by_side", "none", "brief"),
    ]
    assert all(way["undo"] for way in found)
