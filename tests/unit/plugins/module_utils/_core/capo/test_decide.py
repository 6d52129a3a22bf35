# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-4, CAPO-11: whatever the start and wherever a run dies, a re-run converges, once, and leaks nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Severity,
    Verdict,
    as_data,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud, shape
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    legacy,
    machines,
    seen,
    want,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import built, taken_back
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.worlds import (
    damage,
    some_wish,
    some_world,
)

SEEDS = range(60)


@pytest.mark.parametrize("zones", [(), ("az1",)])
def test_a_mapping_that_is_missing_changes_nothing(zones: tuple[str, ...]) -> None:
    """Safe CAPO 5: `zones: []` by a typo is no wish to go back to one load balancer; that is `state: single`."""
    cloud = built(want("az1", "az2"))
    typo = want(state="present", traffic_moved=True, allow_rebuild=True)
    decision = decide(typo, cloud.observed)
    assert (decision.verdict, decision.errors[0].code, decision.steps) == (Verdict.BLOCKED, "mapping_missing", ())
    assert "state: single" in decision.errors[0].remedy
    assert not decide_members(typo, cloud.observed).changed
    assert decide(want(*zones, state="single"), cloud.observed).changed


def test_a_cluster_that_never_had_zones_is_left_alone() -> None:
    decision = decide(want(state="present"), seen(load_balancers=(legacy(on=machines("az1")),)))
    assert (decision.verdict, decision.steps) == (Verdict.IN_SYNC, ())


def settle(wish: CapoDesired, cloud: Cloud) -> Decision:
    """Runs until there is nothing to wait for any more; every run must leave nothing for the same run again."""
    for _round in range(4):
        decision = decide(wish, cloud.observed)
        for step in decision.steps:
            cloud.apply(step)
        again = decide(wish, cloud.observed)
        if not (any(step.verb == "wait" for step in decision.steps) or waits_for_health(decision)):
            assert not again.changed, f"a second run writes: {[step.ref for step in again.steps]}"
            return again
    raise AssertionError("still waiting after four rounds")


def waits_for_health(decision: Decision) -> bool:
    """Until what it has registered answers; in the cloud of these tests that is at once."""
    return decision.changed and any(finding.code == "last_healthy_stays" for finding in decision.findings)


def start(seed: int) -> tuple[Cloud, CapoDesired]:
    """An earlier wish carried out, damaged, and a new wish; traffic is said to have moved where that is allowed."""
    dice = Random(seed)
    cloud = some_world(dice)
    settle(some_wish(dice), cloud)
    cloud.observed = damage(dice, cloud.observed)
    wish = some_wish(dice)
    if dice.random() < 0.5:
        settle(wish, cloud)
        cloud.observed = damage(dice, cloud.observed)
        wish = replace(wish, traffic_moved=True)
    if dice.random() < 0.15:
        wish = replace(wish, state="absent", traffic_moved=True)
    return cloud, wish


@pytest.mark.parametrize("seed", SEEDS)
def test_a_second_run_writes_nothing(seed: int) -> None:
    cloud, wish = start(seed)
    final = settle(wish, cloud)
    if final.verdict is Verdict.IN_SYNC:
        assert as_data(final)["before"] == as_data(final)["after"]
        assert not final.steps
        assert not [finding for finding in final.findings if finding.severity is Severity.ERROR]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_killed_after_any_write_is_finished_by_the_next(seed: int) -> None:
    cloud, wish = start(seed)
    whole = cloud.copy()
    settle(wish, whole)
    steps = decide(wish, cloud.observed).steps
    for died_after in range(1, len(steps)):
        broken = cloud.copy()
        for step in steps[:died_after]:
            broken.apply(step)
        settle(wish, broken)
        assert shape(broken.observed) == shape(whole.observed), f"killed after {steps[died_after - 1].ref}"


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_of_a_phase_may_run_in_any_order(seed: int) -> None:
    """Zones are built side by side, so no lane may lean on another of its phase."""
    cloud, wish = start(seed)
    decision = decide(wish, cloud.observed)
    forward, backward = cloud.copy(), cloud.copy()
    for phase in sorted({step.phase for step in decision.steps}):
        now = [step for step in decision.steps if step.phase == phase]
        lanes = list(dict.fromkeys(step.lane for step in now))
        for lane, other in zip(lanes, reversed(lanes), strict=True):
            for step in now:
                if step.lane == lane:
                    forward.apply(step)
            for step in now:
                if step.lane == other:
                    backward.apply(step)
    assert shape(forward.observed) == shape(backward.observed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_input_gives_the_same_decision(seed: int) -> None:
    """CORE-1: also when the cloud lists things in another order."""
    cloud, wish = start(seed)
    found = cloud.observed
    shuffled = replace(
        found,
        load_balancers=tuple(reversed(found.load_balancers)),
        floating_ips=tuple(reversed(found.floating_ips)),
    )
    assert decide(wish, found).fingerprint == decide(wish, shuffled).fingerprint


@pytest.mark.parametrize("seed", SEEDS)
def test_undo_takes_every_step_back_until_the_point_of_no_return(seed: int) -> None:
    """CORE-2."""
    cloud, wish = start(seed)
    before, after = taken_back(decide(wish, cloud.observed), cloud)
    assert after == before


@pytest.mark.parametrize("seed", SEEDS)
def test_undo_runs_in_lanes_too_and_says_what_it_costs(seed: int) -> None:
    """What serves is not taken away without a word; what was done last is taken back first, phase by phase."""
    cloud, wish = start(seed)
    undo = decide(wish, cloud.observed).undo
    assert [step.phase for step in undo] == sorted(step.phase for step in undo)
    for step in undo:
        assert step.lane
        if step.verb == "delete" and step.resource in ("load_balancer", "listener", "pool", "floating_ip"):
            assert step.disruption is not Disruption.NONE


@pytest.mark.parametrize("seed", SEEDS)
def test_members_only_runs_touch_members_only(seed: int) -> None:
    """CAPO-13: cheap, idempotent, and nothing but members."""
    cloud, wish = start(seed)
    wish = replace(wish, state="present")
    decision = decide_members(wish, cloud.observed)
    assert {(step.verb, step.resource) for step in decision.steps} <= {("replace", "members")}
    for step in decision.steps:
        cloud.apply(step)
    again = decide_members(wish, cloud.observed)
    if waits_for_health(decision):
        for step in again.steps:
            cloud.apply(step)
        again = decide_members(wish, cloud.observed)
    assert not again.changed
