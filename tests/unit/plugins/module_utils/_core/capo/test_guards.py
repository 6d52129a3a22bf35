# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is refused as a whole although the input is valid (CAPO-4, CAPO-11, CAPO-12; facts: capo §9, §11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    Quota,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    legacy,
    machines,
    seen,
    want,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    QUIET,
    built,
    changed,
)

CREW = machines("az1", "az2", "az3")


def with_legacy(**more: Any) -> CapoObserved:
    facts = more.pop("cluster", cluster())
    return seen(load_balancers=(legacy(on=CREW, **more),), cluster=facts)


@pytest.mark.parametrize("mode", ["adopt", "retire"])
@pytest.mark.parametrize("paused", [False, True])
def test_what_a_capo_controller_owns_is_never_touched(mode: str, paused: bool) -> None:
    """Pausing does not help: it goes on afterwards and makes a second one (facts: capo §11.4)."""
    facts = cluster(managed_lb_enabled=True, paused=paused)
    decision = decide(want("az1", legacy=mode, traffic_moved=True), with_legacy(cluster=facts))
    assert decision.verdict is Verdict.BLOCKED
    assert not decision.steps
    assert decision.findings[0].code == "capo_owns_legacy"
    assert "legacy: keep" in decision.findings[0].remedy


@pytest.mark.parametrize("mode", ["adopt", "retire"])
def test_a_cluster_whose_endpoint_is_an_address_is_not_eligible_otherwise(mode: str) -> None:
    facts = cluster(endpoint_host="203.0.113.5")
    decision = decide(want("az1", legacy=mode), with_legacy(cluster=facts))
    assert (decision.verdict, decision.findings[0].code) == (Verdict.BLOCKED, "endpoint_is_ip")


def test_nobody_knows_the_owner_without_the_object() -> None:
    blind = replace(with_legacy(), cluster=None)
    decision = decide(want("az1", floating_ips=False), blind)
    assert (decision.verdict, decision.findings[0].code) == (Verdict.BLOCKED, "legacy_owner_unknown")
    assert decide(want("az1", floating_ips=False, legacy="keep"), blind).verdict is Verdict.UPDATE_IN_PLACE


def test_an_empty_machine_list_is_refused_rather_than_believed() -> None:
    cloud = built(want("az1"))
    blind = replace(cloud.observed, machines=())
    for decision in (decide(want("az1"), blind), decide_members(want("az1"), blind)):
        assert decision.verdict is Verdict.BLOCKED
        assert decision.findings[0].code == "no_machines"


@pytest.mark.parametrize(
    ("taken", "code"),
    [({}, None), ({"192.168.1.77": "port-9"}, "fixed_ip_taken"), ({"192.168.1.78": "port-9"}, None)],
)
def test_a_vip_address_in_use_is_known_before_the_first_write(taken: dict[str, str], code: str | None) -> None:
    """Safe CAPO 8: Octavia would answer 409 after the other zones were begun."""
    wish = want("az1", "az2", **QUIET)
    wish = replace(wish, zones=(replace(wish.zones[0], fixed_ip="192.168.1.77"), wish.zones[1]))
    decision = decide(wish, seen(taken=taken))
    assert [finding.code for finding in decision.errors] == ([code] if code else [])
    assert decision.verdict is (Verdict.INVALID if code else Verdict.UPDATE_IN_PLACE)


def test_its_own_address_is_not_taken_from_a_load_balancer_that_is_made_again() -> None:
    wish = want("az1", fixed_ip="192.168.1.77", allow_rebuild=True, **QUIET)
    broken = changed(built(wish), provisioning_status="ERROR")
    assert decide(wish, replace(broken, taken={"192.168.1.77": "its own"})).verdict is Verdict.RECREATE


def test_wrong_input_is_told_together_with_what_stands_in_the_way() -> None:
    """And apart from it: the verdict says that the input is to be corrected."""
    world = replace(
        with_legacy(cluster=cluster(managed_lb_enabled=True)), cloud=replace(seen().cloud, zones={"x": True})
    )
    decision = decide(want("az1", **QUIET), world)
    assert decision.verdict is Verdict.INVALID
    assert [finding.code for finding in decision.errors] == ["unknown_az", "capo_owns_legacy"]


@pytest.mark.parametrize(
    ("quota", "short"),
    [
        ({"load_balancer": Quota(1, 0)}, ["quota load_balancer"]),
        ({"load_balancer": Quota(2, 0), "floating_ip": Quota(5, 4)}, ["quota floating_ip"]),
        ({"load_balancer": Quota(2, 1), "listener": Quota(3, 0)}, ["quota load_balancer", "quota listener"]),
        ({"member": Quota(1, 0)}, ["quota member"]),
        ({"load_balancer": Quota(-1, 9), "pool": Quota(None, 9)}, []),
        ({"load_balancer": Quota(2, 0), "listener": Quota(4, 0), "pool": Quota(4, 0)}, []),
    ],
)
def test_a_quota_that_does_not_reach_is_known_before_the_first_write(quota: Any, short: list[str]) -> None:
    """Facts: capo §11.11; Octavia would answer 403 half-way."""
    cloud = replace(seen().cloud, quotas=quota)
    decision = decide(want("az1", "az2", additional_ports=(22,)), seen(cloud=cloud))
    assert [finding.where for finding in decision.errors] == short
    assert bool(decision.steps) is not bool(short)


def test_a_rebuild_needs_no_quota_of_its_own() -> None:
    cloud = built(want("az1", **QUIET))
    full = {"load_balancer": Quota(1, 1), "listener": Quota(1, 1), "member": Quota(1, 1)}
    broken = replace(changed(cloud, provisioning_status="ERROR"), cloud=replace(seen().cloud, quotas=full))
    assert decide(want("az1", allow_rebuild=True, **QUIET), broken).verdict is Verdict.RECREATE


@pytest.mark.parametrize("state", ["present", "single", "absent"])
def test_what_the_record_names_in_another_project_is_not_gone(state: str) -> None:
    known = replace(built(want("az1")).observed, load_balancers=(), elsewhere={"lb-1": "of project other"})
    wish = want("az1", state=state, traffic_moved=True)
    for decision in (decide(wish, known), decide_members(wish, known)):
        assert (decision.verdict, decision.findings[0].code) == (Verdict.BLOCKED, "record_elsewhere")
        assert "lb-1 (of project other)" in decision.findings[0].what
        assert not decision.steps


@pytest.mark.parametrize(("admin", "blocked"), [(False, True), (True, False)])
def test_an_address_that_is_not_allocated_is_refused_before_the_first_write(admin: bool, blocked: bool) -> None:
    known = seen()
    known = replace(known, cloud=replace(known.cloud, chooses_addresses=admin))
    decision = decide(want("az1", floating_ip_by_zone={"az1": "203.0.113.77"}), known)
    assert ("floating_ip_not_allocated" in [one.code for one in decision.findings]) is blocked
    assert bool(decision.steps) is not blocked


@pytest.mark.parametrize(("limit", "short"), [(2, True), (3, False), (-1, False)])
def test_ports_are_counted_as_well(limit: int, short: bool) -> None:
    """Every VIP is a port of the project's."""
    known = seen()
    known = replace(known, cloud=replace(known.cloud, quotas={"port": Quota(limit, 0)}))
    decision = decide(want("az1", "az2", "az3", floating_ips=False), known)
    assert ([one.where for one in decision.findings if one.code == "quota_short"] == ["quota port"]) is short
