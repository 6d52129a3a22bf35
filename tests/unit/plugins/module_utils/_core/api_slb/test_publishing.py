# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a stage in Route 53: only what differs, and the way back (API-4)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb import publishing
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.stages import RecordSet
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import ZoneQuestion
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    all_live,
    decided,
    handing_over,
    observed,
    wanted,
)

NAMES = ("api.x.org.", "api-int.x.org.")
WANTED = [{"name": "api.x.org", "type": "A", "data": ["10.0.0.2", "10.0.0.7"], "ttl": 60}]


def entry(kind: str = "A", *values: str, name: str = NAMES[0], ttl: int = 60) -> dict[str, Any]:
    return {"Name": name, "Type": kind, "TTL": ttl, "ResourceRecords": [{"Value": value} for value in values]}


ALIAS = {"Name": NAMES[0], "Type": "A", "AliasTarget": {"DNSName": "lb.example."}}


@pytest.mark.parametrize(
    ("have", "actions"),
    [
        ([], ["UPSERT"]),
        ([entry("A", "10.0.0.7", "10.0.0.2")], []),
        ([entry("A", "10.0.0.7")], ["UPSERT"]),
        ([entry("A", "10.0.0.7", "10.0.0.2", ttl=5)], ["UPSERT"]),
        ([ALIAS], ["UPSERT"]),
        ([entry("CNAME", "lb.example.")], ["DELETE", "UPSERT"]),
        ([entry("TXT", "hands off"), entry("A", "10.0.0.7", "10.0.0.2")], []),
        ([entry("A", "10.0.0.7", "10.0.0.2"), entry("A", "1.1.1.1", name="other.x.org.")], []),
    ],
)
def test_only_what_differs(have: Any, actions: list[str]) -> None:
    made = publishing.changes(NAMES, WANTED, have)
    assert [change["Action"] for change in made] == actions
    back = publishing.inverse(made, have)
    restored = [change["ResourceRecordSet"] for change in back if change["Action"] == "UPSERT"]
    assert all(one in have for one in restored)
    assert len(back) == len(made)


def test_what_is_not_wanted_any_more_goes() -> None:
    (made,) = publishing.changes(NAMES, [], [entry("A", "203.0.113.1")])
    assert made["Action"] == "DELETE"


def test_a_name_in_place_of_addresses() -> None:
    (made,) = publishing.changes(NAMES, [{**WANTED[0], "type": "CNAME", "data": ["lb.example"]}], [])
    assert made["ResourceRecordSet"]["ResourceRecords"] == [{"Value": "lb.example."}]


def test_one_step_a_zone_and_none_where_somebody_else_publishes() -> None:
    due = RecordSet(tuple(WANTED), tuple(WANTED))
    both = handing_over(1, public_zone="ZPUB", private_zone="ZPRIV")
    assert [step.name for step in publishing.steps(both, "x.org", due, {"ZPUB": (), "ZPRIV": ()})] == ["ZPUB", "ZPRIV"]
    assert publishing.steps(handing_over(1), "x.org", due, {}) == ()


def test_the_zones_are_asked_before_and_the_stage_begins_after() -> None:
    handover = handing_over(2, private_zone="ZPRIV")
    seen = observed(services=all_live())
    question = decide(wanted(handover=handover), seen)
    assert question == ZoneQuestion((("ZPRIV", ("api.prod.example.com.", "api-int.prod.example.com.")),))
    found = decided(wanted(handover=handover), seen.answered(zones={"ZPRIV": ()}))
    assert [step.port for step in found.steps] == ["route53", "kube"]
    assert [step.port for step in found.undo] == ["kube", "route53"]
