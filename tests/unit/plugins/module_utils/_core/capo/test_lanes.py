# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One load balancer each: made, adopted by its marks, waited for, rebuilt (CAPO-3, CAPO-4, CAPO-11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    CloudFacts,
    Member,
    Record,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Verdict,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    machines,
    seen,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    QUIET,
    built,
    carry_out,
    changed,
    codes,
    on_octavia,
)

DEMO = Identity("default", "demo")


@pytest.mark.parametrize(
    ("zones", "versions", "hint", "code"),
    [
        ({"az1": True}, ("v2.14",), "az1", None),
        (None, ("v2.14",), "az1", None),
        ({}, ("v2.14",), None, "az_hint_unsupported"),
        ({"az1": True}, ("v2.13",), None, "az_hint_unsupported"),
    ],
)
def test_the_zone_hint_is_sent_where_it_can_be(
    zones: Any, versions: tuple[str, ...], hint: str | None, code: str | None
) -> None:
    decision = decide(want("az1", **QUIET), seen(cloud=CloudFacts(api_versions=versions, zones=zones)))
    assert on_octavia(decision)[0][2].get("availability_zone") == hint
    assert (code is None) or code in [finding.code for finding in decision.findings]


@pytest.mark.parametrize(("zones", "code"), [({"other": True}, "unknown_az"), ({"az1": False}, "az_disabled")])
def test_a_zone_octavia_would_refuse_is_refused_before_the_first_write(zones: Any, code: str) -> None:
    """Safe CAPO 8: it is wrong in the input, so no other zone is begun either."""
    cloud = CloudFacts(api_versions=("v2.26",), zones={**zones, "az2": True})
    for wish in (want("az1", "az2", **QUIET), want("az1", **QUIET)):
        decision = decide(wish, seen(cloud=cloud))
        assert (decision.verdict, decision.errors[0].code, decision.steps) == (Verdict.INVALID, code, ())
    assert decide(want("az1", availability_zone_hint=False, **QUIET), seen(cloud=cloud)).changed


@pytest.mark.parametrize("zones", [{"other": True}, {"az1": False}])
def test_a_zone_that_octavia_lost_later_does_not_stop_the_upkeep_of_its_load_balancer(zones: Any) -> None:
    cloud = built(want("az1", **QUIET))
    later = replace(cloud.observed, cloud=replace(seen().cloud, zones=zones))
    assert decide(want("az1", additional_ports=(22,), **QUIET), later).changed


def test_nothing_is_deleted_for_a_rebuild_that_octavia_would_refuse() -> None:
    cloud = built(want("az1", **QUIET))
    gone = replace(seen().cloud, zones={"other": True})
    broken = replace(changed(cloud, provisioning_status="ERROR"), cloud=gone)
    decision = decide(want("az1", allow_rebuild=True, **QUIET), broken)
    assert (decision.verdict, decision.errors[0].code) == (Verdict.INVALID, "unknown_az")


OWN = {"octavia_zone": "room-7", "provider": "octavia", "flavor": "small", "fixed_ip": "192.168.1.77"}


def own(**more: str) -> CapoDesired:
    """Zone az1 with terms of its own, zone az2 on the cluster's."""
    wish = want("az1", "az2", provider="amphora", **QUIET)
    return replace(wish, zones=(replace(wish.zones[0], **more), wish.zones[1]))


def test_a_zone_has_its_own_octavia_zone_provider_flavor_and_address() -> None:
    cloud = replace(seen().cloud, zones={"room-7": True, "az2": True}, flavors={"small": "f-1"})
    first, second = (body for verb, _resource, body in on_octavia(decide(own(**OWN), seen(cloud=cloud))))
    assert (first["availability_zone"], first["provider"], first["flavor_id"]) == ("room-7", "octavia", "f-1")
    assert (first["vip_address"], first["name"]) == ("192.168.1.77", zone_name("az1"))
    assert (second["availability_zone"], second["provider"]) == ("az2", "amphora")
    assert not {"flavor_id", "vip_address"} & set(second)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"octavia_zone": "room-7"}, "it is in Octavia zone az1, the mapping says room-7"),
        ({"provider": "f5"}, "its provider is amphora, wanted is f5"),
        ({"flavor": "small"}, "its flavor is (default), wanted is f-1"),
        ({"fixed_ip": "192.168.1.78"}, "its VIP is 10.9.0.6, wanted is 192.168.1.78"),
    ],
)
def test_another_term_of_one_zone_replaces_that_one_only(terms: dict[str, str], why: str) -> None:
    offered = {"zones": {"az1": True, "az2": True, "room-7": True}, "providers": ("amphora", "f5")}
    facts = replace(seen().cloud, flavors={"small": "f-1"}, **offered)
    cloud = built(own(), cloud=facts)
    decision = decide(own(**terms), cloud.observed)
    assert decision.verdict is Verdict.RECREATE
    assert [entry["have"] for entry in decision.details["drift"] if entry["kind"] == "replace"] == [why]
    assert {step.lane for step in decision.steps} == {"az1", "record"}


def test_a_feature_that_one_zones_provider_lacks_is_left_out_there_only() -> None:
    cloud = replace(seen().cloud, lacking=frozenset({("octavia", "allowed_cidrs")}))
    wish = replace(own(provider="octavia"), allowed_cidrs=("10.0.0.0/8",))
    first, second = (body for _verb, _resource, body in on_octavia(decide(wish, seen(cloud=cloud))))
    assert "allowed_cidrs" not in first["listeners"][0]
    assert "10.0.0.0/8" in second["listeners"][0]["allowed_cidrs"]


@pytest.mark.parametrize("status", ["PENDING_CREATE", "PENDING_UPDATE", "PENDING_DELETE"])
def test_a_pending_load_balancer_is_waited_for_and_looked_at_again(status: str) -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", additional_ports=(22,), **QUIET), changed(cloud, provisioning_status=status))
    assert decision.verdict is Verdict.IN_PROGRESS
    (wait,) = decision.steps
    assert (wait.verb, wait.uid) == ("wait", cloud.observed.load_balancers[0].id)
    assert wait.wait_for == Wait("settled")
    assert not decision.changed


def test_a_load_balancer_in_error_is_refused_until_a_rebuild_is_allowed() -> None:
    cloud = built(want("az1"))
    broken = changed(cloud, provisioning_status="ERROR")
    refused = decide(want("az1"), broken)
    assert (refused.verdict, refused.errors[0].code) == (Verdict.BLOCKED, "load_balancer_error")
    assert "allow_rebuild" in refused.errors[0].remedy
    decision = decide(want("az1", allow_rebuild=True), broken)
    assert decision.verdict is Verdict.RECREATE
    assert [(step.verb, step.resource) for step in decision.steps] == [
        ("delete", "load_balancer"),
        ("create", "load_balancer"),
        ("update", "floating_ip"),
        ("patch", "configmaps"),
    ]
    assert decision.steps[1].body["vip_address"] == cloud.observed.load_balancers[0].vip_address


@pytest.mark.parametrize(
    ("told", "member", "leads_to", "disruption"),
    [
        ("OFFLINE", "OFFLINE", None, Disruption.NONE),
        ("OFFLINE", "ERROR", ("198.51.100.7",), Disruption.NONE),
        ("ONLINE", "OFFLINE", None, Disruption.OUTAGE),
        ("DEGRADED", "OFFLINE", None, Disruption.OUTAGE),
        ("ERROR", "ONLINE", None, Disruption.OUTAGE),
        ("OFFLINE", "OFFLINE", ("VIP",), Disruption.OUTAGE),
    ],
)
def test_a_rebuild_is_an_outage_only_where_something_may_still_answer(
    told: str, member: str, leads_to: tuple[str, ...] | None, disruption: Disruption
) -> None:
    cloud = built(want("az1", **QUIET))
    (lb,) = cloud.observed.load_balancers
    members = tuple(replace(one, operating_status=member) for one in lb.pools[0].members)
    broken = changed(
        cloud, provisioning_status="ERROR", operating_status=told, pools=(replace(lb.pools[0], members=members),)
    )
    answers = leads_to and tuple(lb.vip_address if one == "VIP" else one for one in leads_to)
    world = replace(broken, endpoint_addresses=answers)
    assert decide(want("az1", allow_rebuild=True, **QUIET), world).disruption is disruption


def test_one_zone_in_error_does_not_keep_the_others_from_their_upkeep() -> None:
    cloud = built(want("az1", "az2", **QUIET))
    lbs = tuple(
        replace(lb, provisioning_status="ERROR") if lb.name == zone_name("az1") else lb
        for lb in cloud.observed.load_balancers
    )
    world = replace(cloud.observed, load_balancers=lbs, machines=machines("az1", "az2", "az2"))
    for decision in (decide(want("az1", "az2", **QUIET), world), decide_members(want("az1", "az2", **QUIET), world)):
        assert decision.verdict is Verdict.UPDATE_IN_PLACE
        assert not decision.errors
        assert [(step.resource, step.lane) for step in decision.steps if step.port == "octavia"] == [("members", "az2")]


def test_others_tags_survive_and_ours_are_put_back() -> None:
    """CORE-6."""
    cloud = built(want("az1", tags=("team=a",), **QUIET))
    decision = decide(want("az1", tags=("team=a",), **QUIET), changed(cloud, tags=("bill=42",)))
    body = on_octavia(decision)[0][2]
    assert body == {"tags": ["bill=42", *DEMO.tags("az1"), "team=a"]}


def test_an_old_octavia_without_tags_still_works() -> None:
    cloud = CloudFacts(api_versions=("v2.4",))
    wish = want("az1", tags=("team=a",), **QUIET)
    world = built(wish, cloud=cloud, record=Record("config_map", "r"))
    assert world.observed.load_balancers[0].tags == ()
    assert not decide(wish, world.observed).changed
    gone = decide(replace(wish, state="absent", traffic_moved=True), world.observed)
    assert [step.verb for step in gone.steps if step.resource == "load_balancer"] == ["delete"]


@pytest.mark.parametrize("status", ["ERROR", "PENDING_UPDATE"])
def test_upkeep_says_which_members_cannot_be_changed_now(status: str) -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide_members(want("az1", **QUIET), changed(cloud, provisioning_status=status))
    assert not decision.changed
    assert "members_not_writable" in codes(decision)


def test_upkeep_leaves_a_port_that_is_not_there_yet_to_a_run_in_full() -> None:
    cloud = built(want("az1", **QUIET), machines=machines("az1"))
    decision = decide_members(want("az1", additional_ports=(22,), **QUIET), cloud.observed)
    assert (decision.changed, codes(decision)[-1]) == (False, "port_not_ready")


def off(world: CapoObserved, kind: str) -> CapoObserved:
    """Of the first load balancer, one thing that somebody has switched off."""
    first, *others = world.load_balancers
    pool = first.pools[0]
    changed = {
        "load_balancer": lambda: replace(first, admin_state_up=False),
        "listener": lambda: replace(first, listeners=(replace(first.listeners[0], admin_state_up=False),)),
        "pool": lambda: replace(first, pools=(replace(pool, admin_state_up=False),)),
        "member": lambda: replace(first, pools=(replace(pool, members=tuple(map(drained, pool.members))),)),
        "weight": lambda: replace(
            first, pools=(replace(pool, members=tuple(replace(one, weight=0) for one in pool.members)),)
        ),
    }
    return replace(world, load_balancers=(changed[kind](), *others))


def drained(member: Member) -> Member:
    return replace(member, admin_state_up=False)


@pytest.mark.parametrize("kind", ["load_balancer", "listener", "pool"])
def test_what_somebody_has_switched_off_is_no_way_in_and_is_switched_on(kind: str) -> None:
    wish = want("az1", "az2", **QUIET)
    cloud = built(wish)
    cloud.observed = off(cloud.observed, kind)
    decision = decide(wish, cloud.observed)
    assert on_octavia(decision) == [("update", kind, {"admin_state_up": True})]
    assert [entry["kind"] for entry in decision.details["drift"]] == ["admin_state_up"]
    (withheld,) = plain(decision.standing)["dns_records"]["withhold"]
    assert (withheld["zone"], "switched off" in withheld["reason"]) == ("az1", True)
    upkeep = decide_members(wish, cloud.observed)
    assert (upkeep.changed, codes(upkeep)[1:]) == (False, ["switched_off"])
    assert [entry["kind"] for entry in upkeep.details["drift"]] == ["admin_state_up"]
    moved = decide(want("az1", traffic_moved=True, **QUIET), cloud.observed)
    assert moved.errors[0].code == "no_healthy_zone"
    carry_out(wish, cloud)
    assert not decide(wish, cloud.observed).changed


@pytest.mark.parametrize("kind", ["member", "weight"])
@pytest.mark.parametrize("judge", [decide, decide_members])
def test_a_member_that_somebody_drains_is_left_so_and_answers_nobody(kind: str, judge: Any) -> None:
    wish = want("az1", "az2", **QUIET)
    world = off(built(wish).observed, kind)
    decision = judge(wish, world)
    assert (decision.changed, codes(decision)[1:]) == (False, ["member_drained"])
    (withheld,) = plain(decision.standing)["dns_records"]["withhold"]
    assert withheld["reason"] == "none of its members is ONLINE"
    assert decide(want("az1", traffic_moved=True, **QUIET), world).errors[0].code == "no_healthy_zone"
