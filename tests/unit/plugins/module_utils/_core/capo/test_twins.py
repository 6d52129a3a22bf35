# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two for one zone: which one stays does not depend on who looks, and the other one goes where nobody knows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    FloatingIp,
    LoadBalancer,
    Record,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Disruption
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import seen, want
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    QUIET,
    built,
    carry_out,
    codes,
)

WISH = want("az1", **QUIET)
OLD, NEW = "2026-01-01T10:00:00", "2026-01-01T10:00:07"


def doubled(record: bool = False, **twin: Any) -> CapoObserved:
    """One that stands since OLD, and a second one; nobody wrote down anything unless told."""
    world = built(WISH).observed
    first = replace(world.load_balancers[0], id="first", created_at=OLD)
    second = replace(first, id="second", vip_port_id="port-2", vip_address="10.9.9.9", **{"created_at": NEW, **twin})
    known = replace(world.record, entries=()) if not record else world.record
    entries = tuple({**entry, "id": "first"} for entry in known.entries)
    return replace(world, load_balancers=(first, second), record=replace(known, entries=entries))


def gone(decision: Decision) -> list[str]:
    return [step.uid for step in decision.steps if step.verb == "delete" and step.resource == "load_balancer"]


def test_the_younger_one_goes_and_nobody_notices() -> None:
    decision = decide(WISH, doubled())
    assert (gone(decision), decision.disruption) == (["second"], Disruption.NONE)
    assert "twin" in codes(decision)
    assert "awaiting_traffic_moved" not in codes(decision)
    older = decide(WISH, doubled(created_at="2026-01-01T09:00:00"))
    assert gone(older) == ["first"]


def test_one_that_is_still_being_made_is_waited_for_first() -> None:
    decision = decide(WISH, doubled(provisioning_status="PENDING_CREATE"))
    assert [(step.verb, step.uid) for step in decision.steps if step.port == "octavia"] == [("wait", "second")]


def test_the_record_and_a_floating_ip_count_more_than_age() -> None:
    assert gone(decide(WISH, doubled(record=True, created_at="2020-01-01T00:00:00"))) == ["second"]
    world = doubled()
    reached = replace(world, floating_ips=(FloatingIp("f", "203.0.113.9", "port-2"),))
    assert gone(decide(want("az1"), reached)) == ["first"]
    led_to = replace(world, endpoint_addresses=("10.9.9.9",))
    assert gone(decide(WISH, led_to)) == ["first"]


@pytest.mark.parametrize(
    "twin",
    [
        {"created_at": OLD},
        {"description": "by hand"},
        {"provisioning_status": "PENDING_DELETE"},
        {"name": "k8s-clusterapi-cluster-default-demo-az1-kubeapi-retiring"},
        {"vip_subnet_id": "s2"},
    ],
    ids=lambda twin: next(iter(twin)),
)
def test_what_may_serve_somebody_does_not_go_by_itself(twin: dict[str, str]) -> None:
    """Made in the same second, and nobody knows which was told of; or not made here, or not for the zone as it is."""
    assert gone(decide(WISH, doubled(**twin))) == []


def test_both_known_to_others_stay() -> None:
    world = doubled()
    ips = (
        FloatingIp("f", "203.0.113.9", "port-2"),
        FloatingIp("g", "203.0.113.8", world.load_balancers[0].vip_port_id),
    )
    assert gone(decide(want("az1"), replace(world, floating_ips=ips))) == []


def test_a_broken_one_is_not_the_reason_to_remove_the_other() -> None:
    world = doubled()
    broken = tuple(replace(lb, provisioning_status="ERROR") if lb.id == "first" else lb for lb in world.load_balancers)
    assert gone(decide(WISH, replace(world, load_balancers=broken))) == []


def test_it_ends_with_one() -> None:
    cloud = Cloud(doubled())
    carry_out(WISH, cloud)
    assert [lb.id for lb in cloud.observed.load_balancers] == ["first"]
    assert not decide(WISH, cloud.observed).changed


def test_when_all_goes_both_go() -> None:
    world: tuple[LoadBalancer, ...] = doubled().load_balancers
    decision = decide(want(state="absent", traffic_moved=True), seen(load_balancers=world))
    assert sorted(gone(decision)) == ["first", "second"]


@pytest.mark.parametrize("judge", [decide, decide_members])
def test_a_dead_lock_is_taken_away(judge: Any) -> None:
    world = replace(built(WISH).observed, dead_locks=("p1",))
    (step,) = judge(WISH, world).steps
    assert (step.port, step.verb, step.resource, step.uid) == ("neutron", "delete", "lock", "p1")
    bare = seen(record=Record(), dead_locks=("p1",))
    assert [one.uid for one in decide(want(state="absent"), bare).steps] == ["p1"]
