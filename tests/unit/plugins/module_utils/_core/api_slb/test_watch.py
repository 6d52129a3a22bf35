# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the radar says of the API's load balancers (API-3, API-7)."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.watch import judged, place_of, slb_of
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Target, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    NOW,
    all_live,
    live,
)

ROW = Decision(Target("Service", "internal-lb", "openshift-kube-apiserver"), Verdict.IN_SYNC, "Serves.")
LIVE = all_live()
ENDS = {place_of(service): ("10.0.0.1",) for service in LIVE.values()}


def told(role: str, endpoints: Any, services: Any = None, row: Decision = ROW) -> tuple[str, list[str]]:
    found = judged(row, LIVE[role], list((services or LIVE).values()), endpoints, NOW)
    return found.verdict.value, [entry.code for entry in found.findings]


def test_all_is_well() -> None:
    assert told("internal", ENDS) == ("in_sync", [])
    assert told("machine_config_server", ENDS) == ("in_sync", [])


def test_one_that_nobody_stands_behind() -> None:
    assert told("internal", {**ENDS, place_of(LIVE["internal"]): ()}) == ("blocked", ["no_endpoints"])


def test_the_only_one() -> None:
    assert told("internal", ENDS, {"internal": LIVE["internal"]}) == ("in_sync", ["api_single_path"])
    assert told("external", {**ENDS, place_of(LIVE["internal"]): ()}) == ("in_sync", ["api_single_path"])


def test_others_and_those_nobody_could_ask_for_are_left_as_they_are() -> None:
    other = {"metadata": {"namespace": "shop", "name": "front"}}
    assert slb_of(other) is None
    assert judged(ROW, other, [], ENDS, NOW) == ROW
    assert told("internal", {}) == ("in_sync", [])
    assert slb_of(live("external")) is not None
