# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every step, taken back: the cloud is as it was before, and what that costs was said (CORE-2, CORE-3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.steps import (
    await_load_balancer,
    create,
    created,
    delete_load_balancer,
    update,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Step,
    Wait,
    as_data,
    from_data,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.changes import (
    SCENARIOS,
    Scenario,
    a_floating_ip_to_move,
    another_machine,
    members_of_others,
    nothing_yet,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    machines,
    tree,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    picture,
    taken_back,
)


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_what_a_decision_did_its_undo_takes_back(scenario: Callable[[], Scenario]) -> None:
    cloud, wish = scenario()
    decision = decide(wish, cloud.observed)
    assert decision.changed
    before, after = taken_back(decision, cloud)
    assert after == before


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_every_reason_reads_well_behind_because(scenario: Callable[[], Scenario]) -> None:
    """Safe CAPO 15: the refusal of a disruption quotes it there, and events make a sentence of it."""
    cloud, wish = scenario()
    decision = decide(wish, cloud.observed)
    for step in (*decision.steps, *decision.undo):
        assert step.why, step.ref
        assert step.why[0].islower() or step.why[0].isdigit(), step.why
        assert step.why[-1] not in ".:;, ", step.why
        assert not step.why.startswith(("make ", "bring ", "put ", "give ", "free ", "write ")), step.why


def test_a_members_only_run_is_taken_back_too() -> None:
    cloud, wish = another_machine()
    before, after = taken_back(decide_members(wish, cloud.observed), cloud)
    assert after == before


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_a_decision_kept_as_json_is_taken_back_as_well(scenario: Callable[[], Scenario]) -> None:
    """CORE-4: journals outlive the process, and read the same."""
    cloud, wish = scenario()
    decision = decide(wish, cloud.observed)
    kept = from_data(Decision, as_data(decision))
    assert kept == decision
    before, after = taken_back(kept, cloud)
    assert after == before


# What an undo costs, by (verb, resource); what is not listed costs nothing.
COSTS: dict[str, dict[tuple[str, str], Disruption]] = {
    "another_port": {("delete", "listener"): Disruption.OUTAGE, ("delete", "pool"): Disruption.OUTAGE},
    "a_port_less": {},
    "a_pool_without_its_listener": {("delete", "listener"): Disruption.OUTAGE},
    "a_listener_without_its_pool": {("update", "listener"): Disruption.OUTAGE},
    "a_listener_whose_pool_is_gone": {("delete", "pool"): Disruption.OUTAGE},
    "another_machine": {("replace", "members"): Disruption.BRIEF},
    "all_machines_replaced": {("replace", "members"): Disruption.BRIEF},
    "a_machine_less": {},
    "members_of_others": {},
    "narrower_cidrs": {},
    "wider_cidrs": {("update", "listener"): Disruption.BRIEF},
    "all_switched_off": {
        ("update", "load_balancer"): Disruption.OUTAGE,
        ("update", "listener"): Disruption.OUTAGE,
        ("update", "pool"): Disruption.OUTAGE,
    },
    "another_monitor": {},
    "no_monitor": {},
    "a_floating_ip_to_make": {("delete", "floating_ip"): Disruption.OUTAGE},
    "a_floating_ip_to_attach": {("update", "floating_ip"): Disruption.OUTAGE},
    "a_floating_ip_to_swap": {("update", "floating_ip"): Disruption.BRIEF},
    "a_floating_ip_to_make_in_place_of_another": {("delete", "floating_ip"): Disruption.BRIEF},
    "others_tags": {},
    "a_rebuild": {
        ("delete", "load_balancer"): Disruption.OUTAGE,
        ("update", "floating_ip"): Disruption.OUTAGE,
    },
    "a_zone_less": {},
}


@pytest.mark.parametrize(("name", "costs"), COSTS.items(), ids=COSTS)
def test_taking_back_says_what_it_costs(name: str, costs: dict[tuple[str, str], Disruption]) -> None:
    cloud, wish = SCENARIOS[name]()
    undo = decide(wish, cloud.observed).undo
    worst: dict[tuple[str, str], Disruption] = {}
    for step in undo:
        place = (step.verb, step.resource)
        worst[place] = Disruption.worst((worst.get(place, Disruption.NONE), step.disruption))
    assert {place: cost for place, cost in worst.items() if cost is not Disruption.NONE} == costs


def test_an_address_that_moved_moves_back_briefly() -> None:
    cloud, wish = a_floating_ip_to_move()
    (move,) = [step for step in decide(wish, cloud.observed).steps if step.port == "neutron"]
    assert (move.disruption, move.undo[0].disruption) == (Disruption.BRIEF, Disruption.BRIEF)
    assert move.undo[0].body == move.expect


def test_new_load_balancers_are_taken_back_with_an_outage() -> None:
    cloud, wish = nothing_yet()
    undo = decide(wish, cloud.observed).undo
    gone = [step for step in undo if step.resource == "load_balancer"]
    assert {step.disruption for step in gone} == {Disruption.OUTAGE}
    assert all(step.locks == step.body["id"] for step in gone)


def test_a_planned_state_is_a_precondition_and_a_lock_is_a_field() -> None:
    lb = tree("lb", "id", *machines("az1"), tags=("x",))
    rename = update(lb, "load_balancer", lb, {"name": "new", "tags": ["y"]}, "Because.")
    assert (rename.uid, rename.locks) == ("id", "id")
    assert rename.expect == {"name": "lb", "tags": ("x",)}
    (back,) = rename.undo
    assert (back.body, back.expect, back.why) == ({"name": "lb", "tags": ("x",)}, None, "take back: Because.")


def test_what_is_made_is_referred_to_until_it_has_an_id() -> None:
    step = create("load_balancer", "lb", {"name": "lb"}, "Because.")
    (gone,) = step.undo
    assert step.locks is None
    assert gone.locks == gone.body["id"] == created("load_balancer", "lb")
    assert gone.body["cascade"] is True


def test_a_deletion_names_what_it_was_planned_for_and_is_final() -> None:
    lb = tree("lb", "id")
    step = delete_load_balancer(lb, "Because.", Disruption.OUTAGE)
    assert (step.uid, step.locks, step.expect) == ("id", "id", {"name": "lb", "vip_address": lb.vip_address})
    assert (step.point_of_no_return, step.undo) == (True, ())


def test_a_wait_writes_nothing() -> None:
    step = await_load_balancer(tree("lb", "id", provisioning_status="PENDING_UPDATE"))
    assert (step.wait_for, step.writes, step.uid) == (Wait("settled"), False, "id")
    assert "PENDING_UPDATE" in step.why


def test_the_picture_sees_what_an_undo_could_miss() -> None:
    """The comparison above can fail: a weight, a delay, a CIDR or an address that differs is told."""
    cloud, _wish = members_of_others()

    def weighed(observed: CapoObserved) -> CapoObserved:
        lb = observed.load_balancers[0]
        pool = lb.pools[0]
        members = tuple(replace(one, weight=9) for one in pool.members)
        return replace(observed, load_balancers=(replace(lb, pools=(replace(pool, members=members),)),))

    before = replace(cloud.observed, load_balancers=cloud.observed.load_balancers[:1])
    assert picture(weighed(before)) != picture(before)


def test_no_step_steers_by_what_it_expects() -> None:
    """`expect` is a piece of the object: lanes, locks and subresources have fields of their own."""
    fields = {"members", "name", "tags", "port_id", "description", "vip_address", "allowed_cidrs", "default_pool_id"}
    fields |= {
        "admin_state_up",
        "delay",
        "timeout",
        "max_retries",
        "max_retries_down",
        "timeout_client_data",
        "timeout_member_data",
    }
    for scenario in SCENARIOS.values():
        cloud, wish = scenario()
        steps: list[Step] = [*decide(wish, cloud.observed).steps]
        undo = [back for step in steps for back in step.undo]
        for step in steps + undo:
            assert set(step.expect or ()) <= fields
            assert step.lane
