# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others have put on a load balancer goes with it only by name (CORE-6, CAPO-8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    Listener,
    LoadBalancer,
    Member,
    Pool,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    LEGACY,
    legacy,
    machines,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import QUIET, built, codes

CREW = machines("az1", "az2", "az3")
Put = Callable[[LoadBalancer], LoadBalancer]


def a_listener(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, listeners=(*lb.listeners, Listener("x", "konnectivity", 8132)))


def a_listener_with_a_pool(lb: LoadBalancer) -> LoadBalancer:
    pool = Pool("xp", "konnectivity", members=(Member("xm", "agent", "10.9.9.9", 8132),))
    listener = Listener("x", "konnectivity", 8132, pool_id="xp")
    return replace(lb, listeners=(*lb.listeners, listener), pools=(*lb.pools, pool))


def a_pool(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, pools=(*lb.pools, Pool("xp", "spare")))


def a_member(lb: LoadBalancer) -> LoadBalancer:
    first, *others = lb.pools
    strange = Member("xm", "by-hand", "10.9.9.9", 6443, operating_status="ONLINE")
    return replace(lb, pools=(replace(first, members=(*first.members, strange)), *others))


def a_machine_under_another_name(lb: LoadBalancer) -> LoadBalancer:
    """Somebody registered it by hand; it is a machine of the cluster all the same."""
    pools = [replace(pool, members=tuple(replace(one, name="m") for one in pool.members)) for pool in lb.pools]
    return replace(lb, pools=tuple(pools))


def strange(world: CapoObserved, name: str, put: Put) -> CapoObserved:
    return replace(world, load_balancers=tuple(put(lb) if lb.name == name else lb for lb in world.load_balancers))


def retiring() -> tuple[CapoObserved, CapoDesired, str]:
    old = legacy(on=CREW, vip_subnet_id="s3", vip_address="192.168.3.10")
    wish = want("az1", legacy="retire", **QUIET)
    return built(wish, load_balancers=(old,)).observed, replace(wish, traffic_moved=True), LEGACY


def shrinking() -> tuple[CapoObserved, CapoDesired, str]:
    return built(want("az1", "az2", **QUIET)).observed, want("az1", traffic_moved=True, **QUIET), zone_name("az2")


def leaving() -> tuple[CapoObserved, CapoDesired, str]:
    return built(want("az1", **QUIET)).observed, want(state="absent", traffic_moved=True), zone_name("az1")


def rebuilding() -> tuple[CapoObserved, CapoDesired, str]:
    world = built(want("az1", **QUIET)).observed
    broken = tuple(replace(lb, provisioning_status="ERROR") for lb in world.load_balancers)
    return replace(world, load_balancers=broken), want("az1", allow_rebuild=True, **QUIET), zone_name("az1")


def doubled() -> tuple[CapoObserved, CapoDesired, str]:
    world = built(want("az1", **QUIET)).observed
    (first,) = world.load_balancers
    second = replace(first, id="second", vip_address="10.9.9.9", vip_port_id="p2", created_at="9")
    return replace(world, load_balancers=(first, second)), want("az1", **QUIET), zone_name("az1")


SITUATIONS = [retiring, shrinking, leaving, rebuilding]


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize(
    ("put", "name"),
    [
        (a_listener, "konnectivity"),
        (a_listener_with_a_pool, "konnectivity"),
        (a_pool, "spare"),
        (a_member, "10.9.9.9"),
    ],
)
def test_it_stays_until_each_piece_is_named(situation: Any, put: Put, name: str) -> None:
    world, wish, where = situation()
    assert "delete" in [step.verb for step in decide(wish, world).steps]
    world = strange(world, where, put)
    refused = decide(wish, world)
    assert (refused.verdict, [one.code for one in refused.errors]) == (Verdict.BLOCKED, ["others_use_it"])
    assert refused.errors[0].value == (name,)
    assert name in refused.message
    other = decide(replace(wish, others_may_go=("another",)), world)
    assert other.verdict is Verdict.BLOCKED
    named = decide(replace(wish, others_may_go=(name,)), world)
    assert "delete" in [step.verb for step in named.steps]


@pytest.mark.parametrize("situation", [retiring, shrinking, leaving])
def test_what_goes_by_name_is_told(situation: Any) -> None:
    world, wish, where = situation()
    told = decide(replace(wish, others_may_go=("konnectivity",)), strange(world, where, a_listener))
    (found,) = [one for one in told.findings if one.code == "others_go"]
    assert (found.severity, found.value) == (Severity.WARNING, "konnectivity")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_clusters_own_machines_are_nobody_elses(situation: Any) -> None:
    world, wish, where = situation()
    decision = decide(wish, strange(world, where, a_machine_under_another_name))
    assert "delete" in [step.verb for step in decision.steps]


def test_a_twin_that_others_use_is_for_a_person_to_decide() -> None:
    world, wish, _where = doubled()
    assert "delete" in [step.verb for step in decide(wish, world).steps]
    first, second = world.load_balancers
    decision = decide(wish, replace(world, load_balancers=(first, a_listener(second))))
    assert "twin_undecided" in codes(decision)
    assert "delete" not in [step.verb for step in decision.steps]


def test_given_back_it_keeps_what_others_put_there() -> None:
    old = legacy(on=CREW)
    wish = want("az1", **QUIET)
    world = strange(built(wish, load_balancers=(old,)).observed, zone_name("az1"), a_listener)
    assert "others_use_it" not in codes(decide(want(state="absent", traffic_moved=True), world))
    deleted = decide(want(state="absent", traffic_moved=True, adopted="delete"), world)
    assert [one.code for one in deleted.errors] == ["others_use_it"]
