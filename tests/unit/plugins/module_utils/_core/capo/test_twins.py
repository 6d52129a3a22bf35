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
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Disruption, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    seen,
    want,
)
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


def health(world: CapoObserved, **by_id: str) -> CapoObserved:
    """With the operating status that members of these load balancers have."""

    def seen_as(lb: LoadBalancer) -> LoadBalancer:
        status = by_id.get(lb.id, "ONLINE")
        members = [tuple(replace(one, operating_status=status) for one in pool.members) for pool in lb.pools]
        return replace(lb, pools=tuple(replace(p, members=m) for p, m in zip(lb.pools, members, strict=True)))

    return replace(world, load_balancers=tuple(map(seen_as, world.load_balancers)))


FIRST_VIP = doubled().load_balancers[0].vip_address
AWAY, BOTH = ("198.51.100.7",), (FIRST_VIP, "10.9.9.9")


@pytest.mark.parametrize(
    ("leads_to", "first", "second", "goes"),
    [
        (AWAY, "ONLINE", "ONLINE", ["second"]),
        ((), "OFFLINE", "OFFLINE", ["second"]),  # nothing is published yet
        (AWAY, "OFFLINE", "ONLINE", ["first"]),
        ((FIRST_VIP,), "ONLINE", "OFFLINE", ["second"]),
        ((FIRST_VIP,), "OFFLINE", "ONLINE", None),
        (("10.9.9.9",), "OFFLINE", "ONLINE", ["first"]),
        (("64:ff9b::10.9.9.9",), "OFFLINE", "ONLINE", ["first"]),
        (("10.9.9.9",), "ONLINE", "OFFLINE", None),
        (BOTH, "ONLINE", "ONLINE", []),
        (None, "ONLINE", "ONLINE", None),
        (None, "OFFLINE", "OFFLINE", None),
    ],
)
def test_one_goes_only_if_it_serves_nobody(leads_to: Any, first: str, second: str, goes: list[str] | None) -> None:
    """None: it is for a person to decide."""
    wish = replace(WISH, traffic_moved_because="")
    world = replace(health(doubled(), first=first, second=second), endpoint_addresses=leads_to)
    decision = decide(wish, world)
    assert (gone(decision), "twin_undecided" in codes(decision)) == (goes or [], goes is None)
    upkeep = decide_members(wish, world)
    assert gone(upkeep) == []
    assert ("twin" in codes(upkeep), "twin_undecided" in codes(upkeep)) == (bool(goes), goes is None)


def test_the_objects_own_name_counts_as_well() -> None:
    world = replace(health(doubled()), endpoint_addresses=AWAY, own_endpoint_addresses=None)
    world = replace(world, cluster=cluster(endpoint_host="api.own.example.com"))
    wish = replace(WISH, traffic_moved_because="")
    assert "twin_undecided" in codes(decide(wish, world))
    assert gone(decide(wish, replace(world, own_endpoint_addresses=AWAY))) == ["second"]
    assert gone(decide(wish, replace(world, own_endpoint_addresses=BOTH[1:]))) == ["first"]


def test_one_that_may_serve_blocks_and_is_looked_after() -> None:
    wish = replace(WISH, traffic_moved_because="")
    cloud = Cloud(doubled(record=True))
    carry_out(wish, cloud)
    blocked = decide(wish, cloud.observed)
    assert (blocked.verdict, blocked.errors[0].code) == (Verdict.BLOCKED, "twin_undecided")
    assert "second" in blocked.message
    crew = (*cloud.observed.machines, replace(cloud.observed.machines[0], name="new", address="10.0.1.99"))
    lanes = {step.lane for step in decide_members(wish, replace(cloud.observed, machines=crew)).steps}
    assert lanes == {"az1", "az1 (twin)"}


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
