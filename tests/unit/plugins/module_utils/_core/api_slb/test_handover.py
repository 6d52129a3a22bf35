# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage begins when its gate holds, and not before (API-4)."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import STAGE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import PathQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    CONNECTED,
    SILENT,
    all_live,
    codes,
    decided,
    handing_over,
    observed,
    wanted,
    writes,
)

OWN = {"20.0.0.7:6443": CONNECTED, "10.0.0.7:6443": CONNECTED, "10.0.0.2:6443": CONNECTED}


def at(stage: int, **more: Any) -> Any:
    services = all_live()
    if stage:
        services["internal"]["metadata"]["annotations"][STAGE] = str(stage)
    return observed(services=services, **{"paths": OWN, **more})


def to(stage: int, **more: Any) -> Any:
    return wanted(handover=handing_over(stage), **more)


def told(found: Any) -> Any:
    return found.standing["handover"]


def test_the_first_stage_builds_and_does_not_wait_for_what_cannot_be_there_yet() -> None:
    first = decided(to(1), observed())
    assert ([step.verb for step in first.steps if step.writes], first.more_stages) == (["create"] * 3, True)
    begun = decided(to(1), observed(services=all_live(), endpoints={}))
    assert [step.verb for step in begun.steps] == ["patch"]
    assert told(begun)["records"]["private"][0]["data"] == ("10.0.0.2", "10.0.0.7")


def test_a_stage_that_is_in_force_is_idle() -> None:
    for stage in (1, 2, 3):
        found = decided(to(stage), at(stage))
        assert (found.verdict, found.steps, told(found)["holds"]) == (Verdict.IN_SYNC, (), True)


def test_the_second_stage_waits_for_every_service() -> None:
    services = all_live()
    for service in services.values():
        service["metadata"]["creationTimestamp"] = "2027-01-15T07:59:00Z"
    found = decided(to(2), observed(services=services, endpoints={}))
    assert (writes(found), len(found.steps), found.more_stages) == ([], 3, True)
    assert decided(to(2), at(1)).steps[0].body == {"metadata": {"annotations": {STAGE: "2"}}}


def test_the_bootstrap_address_stays_until_all_is_ready() -> None:
    """API-4"""
    old = decided(to(3), at(2, endpoints={}))
    assert (old.verdict, old.steps) == (Verdict.BLOCKED, ())
    assert "no_endpoints" in codes(old)


def test_the_bootstrap_address_stays_until_another_path_answers() -> None:
    """API-7"""
    assert isinstance(decide(to(3), at(2, paths=None)), PathQuestion)
    silent = {**OWN, "20.0.0.7:6443": SILENT, "10.0.0.7:6443": SILENT}
    found = decided(to(3), at(2, paths=silent))
    assert (found.verdict, codes(found), told(found)["holds"]) == (Verdict.BLOCKED, ["stage_not_due"], False)
    assert "Without the bootstrap address" in found.message
    vouched = decided(to(3, vouched_paths=("internal-lb",)), at(2, paths=silent))
    assert (writes(vouched), told(vouched)["holds"]) == ([("patch", "services", "internal-lb")], True)
    assert told(vouched)["zones"]["private"].count("10.0.0.2") == 0


def test_back_a_stage() -> None:
    """API-4"""
    assert told(decided(to(2), at(3)))["records"]["private"][0]["data"] == ("10.0.0.2", "10.0.0.7")
    assert decided(to(1), at(2)).steps[0].undo[0].body == {"metadata": {"annotations": {STAGE: "2"}}}
    assert codes(decided(to(1), at(3))) == ["stage_not_due"]
    assert codes(decided(to(1), at(2, paths={**OWN, "10.0.0.2:6443": SILENT}))) == ["stage_not_due"]


def test_what_a_stage_lacks_is_told_at_once() -> None:
    found = decided(wanted(handover=handing_over(1, bootstrap=()), addresses={}), at(0))
    assert "bootstrap_addresses" in found.message


def test_rendered_gives_the_records_of_any_stage() -> None:
    """API-8"""
    found = decided(to(3, state="rendered"), observed())
    assert told(found)["records"]["public"] == (
        {"name": "api.prod.example.com", "type": "A", "data": ("20.0.0.7",), "ttl": 60},
    )


def test_a_stage_that_is_in_force_is_not_proven_again() -> None:
    """Or a run every night would need the same words as the first one."""
    assert decided(to(3), at(3, paths=None)).verdict is Verdict.IN_SYNC


def test_where_nobody_waits_the_gate_says_what_is_missing() -> None:
    services = all_live()
    for service in services.values():
        service["metadata"]["creationTimestamp"] = "2027-01-15T07:59:00Z"
    found = decided(to(2), observed(services=services, endpoints={}), waits=False)
    assert (found.verdict, "stage_not_due" in codes(found), found.steps) == (Verdict.BLOCKED, True, ())
