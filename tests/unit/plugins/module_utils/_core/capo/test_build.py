# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create, update in place, mend (CAPO-3, CAPO-11; facts: capo §3, lab-openstack fidelity table)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import CapoDesired, MonitorSpec
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    CloudFacts,
    LoadBalancer,
    Pool,
    Quota,
    Record,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Severity,
    Verdict,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    machines,
    seen,
    want,
    zone_name,
)

DEMO = Identity("default", "demo")
QUIET: dict[str, Any] = {"floating_ips": False}


def built(wish: CapoDesired, **more: Any) -> Cloud:
    cloud = Cloud(seen(**more))
    for step in decide(wish, cloud.observed).steps:
        cloud.apply(step)
    return cloud


def changed(cloud: Cloud, **change: Any) -> CapoObserved:
    """The one load balancer of the cloud, changed."""
    lb = cloud.observed.load_balancers[0]
    return replace(cloud.observed, load_balancers=(replace(lb, **change),))


def on_octavia(decision: Decision) -> list[tuple[str, str, Any]]:
    return [(step.verb, step.resource, plain(step.body)) for step in decision.steps if step.port == "octavia"]


def test_a_new_zone_is_one_request_with_everything_in_it() -> None:
    wish = want("az1", additional_ports=(8132,), allowed_cidrs=("198.51.100.0/24",), tags=("team=a",), **QUIET)
    decision = decide(wish, seen())
    ((verb, resource, body),) = on_octavia(decision)
    assert (verb, resource) == ("create", "load_balancer")
    name = zone_name("az1")
    assert body | {"listeners": None} == {
        "name": name,
        "description": DEMO.description("az1"),
        "vip_subnet_id": "s1",
        "vip_network_id": "net",
        "availability_zone": "az1",
        "tags": [*DEMO.tags("az1"), "team=a"],
        "listeners": None,
    }
    assert [listener["protocol_port"] for listener in body["listeners"]] == [6443, 8132]
    api = body["listeners"][0]
    assert api["allowed_cidrs"] == ["10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24", "198.51.100.0/24"]
    assert api["default_pool"] == {
        "name": f"{name}-6443",
        "protocol": "TCP",
        "lb_algorithm": "ROUND_ROBIN",
        "tags": ["team=a"],
        "healthmonitor": {
            "name": f"{name}-6443",
            "type": "TCP",
            "delay": 10,
            "timeout": 5,
            "max_retries": 5,
            "max_retries_down": 3,
        },
        "members": [
            {
                "name": f"{name}-6443-cp-az1-0",
                "address": "10.0.1.0",
                "protocol_port": 6443,
                "subnet_id": "n1",
                "tags": ["team=a"],
            }
        ],
    }


def test_zones_are_lanes_of_one_phase_so_that_they_can_be_built_side_by_side() -> None:
    decision = decide(want("az1", "az2", "az3"), seen())
    assert [step.lane for step in decision.steps] == ["az1", "az1", "az2", "az2", "az3", "az3", "record"]
    assert [step.phase for step in decision.steps] == [0, 0, 0, 0, 0, 0, 1]


def test_every_write_below_a_load_balancer_waits_for_it_to_be_active() -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", additional_ports=(22,), monitor=MonitorSpec(delay=9), **QUIET), cloud.observed)
    for step in decision.steps:
        assert step.locks == cloud.observed.load_balancers[0].id


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
def test_a_zone_octavia_would_refuse_stops_its_lane_before_the_first_write(zones: Any, code: str) -> None:
    cloud = CloudFacts(api_versions=("v2.26",), zones={**zones, "az2": True})
    decision = decide(want("az1", "az2", **QUIET), seen(cloud=cloud))
    made = [body["name"] for verb, _resource, body in on_octavia(decision) if verb == "create"]
    assert made == [zone_name("az2")]
    assert code in [finding.code for finding in decision.findings]
    alone = decide(want("az1", **QUIET), seen(cloud=cloud))
    assert (alone.verdict, alone.errors[0].code) == (Verdict.BLOCKED, code)
    assert decide(want("az1", availability_zone_hint=False, **QUIET), seen(cloud=cloud)).changed


def test_ovn_gets_its_own_algorithm_and_neither_hint_nor_cidrs() -> None:
    cloud = CloudFacts(api_versions=("v2.26",), default_provider="ovn", zones={"az1": True})
    decision = decide(want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET), seen(cloud=cloud))
    body = on_octavia(decision)[0][2]
    assert "availability_zone" not in body
    assert "allowed_cidrs" not in body["listeners"][0]
    assert body["listeners"][0]["default_pool"]["lb_algorithm"] == "SOURCE_IP_PORT"
    assert "allowed_cidrs_unsupported" in [finding.code for finding in decision.findings]


@pytest.mark.parametrize("feature", ["allowed_cidrs", "health_monitor"])
def test_what_the_provider_answered_501_to_is_left_out_from_then_on(feature: str) -> None:
    cloud = replace(seen().cloud, lacking=frozenset({("amphora", feature)}))
    wish = want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET)
    world = Cloud(seen(cloud=cloud))
    for step in decide(wish, world.observed).steps:
        world.apply(step)
    lb = world.observed.load_balancers[0]
    assert bool(lb.listeners[0].allowed_cidrs) is (feature != "allowed_cidrs")
    assert (lb.pools[0].monitor is not None) is (feature != "health_monitor")
    assert not decide(wish, world.observed).changed


def test_the_record_remembers_that_cidrs_were_refused() -> None:
    """No run asks again for what it was told once: a no-op run writes nothing (CORE-4)."""
    wish = want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET)
    lacking = replace(seen().cloud, lacking=frozenset({("amphora", "allowed_cidrs")}))
    world = built(wish, cloud=lacking)
    later = replace(world.observed, cloud=replace(lacking, lacking=frozenset()))
    assert not decide(wish, later).changed


@pytest.mark.parametrize(
    ("before", "after", "disruption"),
    [
        (None, ("10.0.0.0/8",), Disruption.BRIEF),
        (("10.0.0.0/8",), (), Disruption.NONE),
        (("10.0.0.0/8",), ("0.0.0.0/0",), Disruption.NONE),
        (("10.0.0.0/8",), ("10.0.0.7/8",), None),
        (("10.0.0.0/8",), None, None),
    ],
)
def test_cidrs_change_in_place_and_narrowing_is_told(before: Any, after: Any, disruption: Disruption | None) -> None:
    cloud = built(want("az1", allowed_cidrs=before, **QUIET))
    decision = decide(want("az1", allowed_cidrs=after, **QUIET), cloud.observed)
    if disruption is None:
        assert not decision.changed
        return
    assert [(verb, resource) for verb, resource, _body in on_octavia(decision)] == [("update", "listener")]
    assert decision.disruption is disruption


def test_a_monitor_changes_in_place_by_what_differs() -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", monitor=MonitorSpec(delay=20, max_retries=4), **QUIET), cloud.observed)
    assert on_octavia(decision) == [("update", "health_monitor", {"delay": 20, "max_retries": 4})]
    assert plain(decision.steps[0].undo[0].body) == {"delay": 10, "max_retries": 5}


def test_a_port_more_is_built_from_the_listener_down() -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", additional_ports=(22,), **QUIET), cloud.observed)
    assert [(verb, resource) for verb, resource, _body in on_octavia(decision)] == [
        ("create", "listener"),
        ("create", "pool"),
        ("create", "health_monitor"),
        ("replace", "members"),
    ]
    assert decision.disruption is Disruption.NONE


def test_a_port_less_goes_with_its_pool_which_octavia_would_leave() -> None:
    cloud = built(want("az1", additional_ports=(22,), **QUIET))
    decision = decide(want("az1", **QUIET), cloud.observed)
    assert [(verb, resource) for verb, resource, _body in on_octavia(decision)] == [
        ("delete", "listener"),
        ("delete", "pool"),
    ]
    assert decision.disruption is Disruption.BRIEF
    assert [step.resource for step in decision.undo if step.port == "octavia"] == [
        "pool",
        "health_monitor",
        "members",
        "listener",
    ]


def test_a_listener_of_somebody_else_on_our_load_balancer_is_left_alone() -> None:
    cloud = built(want("az1", **QUIET))
    lb = cloud.observed.load_balancers[0]
    stranger = replace(lb.listeners[0], id="x", name="metrics", protocol_port=9100, pool_id="")
    decision = decide(want("az1", **QUIET), changed(cloud, listeners=(*lb.listeners, stranger)))
    assert not decision.changed
    assert [finding.code for finding in decision.findings if finding.severity is Severity.INFO] == ["foreign_listener"]


def test_a_pool_without_a_listener_is_used_again() -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", **QUIET), changed(cloud, listeners=()))
    ((verb, resource, body),) = on_octavia(decision)
    assert (verb, resource) == ("create", "listener")
    assert body["default_pool_id"] == cloud.observed.load_balancers[0].pools[0].id


def test_a_listener_that_lost_its_pool_gets_it_back() -> None:
    cloud = built(want("az1", **QUIET))
    lb = cloud.observed.load_balancers[0]
    decision = decide(want("az1", **QUIET), changed(cloud, listeners=(replace(lb.listeners[0], pool_id=""),)))
    assert on_octavia(decision) == [("update", "listener", {"default_pool_id": lb.pools[0].id})]
    assert plain(decision.steps[0].undo[0].body) == {"default_pool_id": None}


def test_nothing_is_deleted_for_a_rebuild_that_octavia_would_refuse() -> None:
    cloud = built(want("az1", **QUIET))
    gone = replace(seen().cloud, zones={"other": True})
    broken = replace(changed(cloud, provisioning_status="ERROR"), cloud=gone)
    decision = decide(want("az1", allow_rebuild=True, **QUIET), broken)
    assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "unknown_az")


def pool_with(lb: LoadBalancer, **change: Any) -> tuple[Pool, ...]:
    return (replace(lb.pools[0], **change),)


@pytest.mark.parametrize(
    ("trouble", "mended_by"),
    [
        ("listener", ("update", "listener")),
        ("pool", ("update", "pool")),
        ("monitor", ("update", "health_monitor")),
    ],
)
def test_an_error_below_an_active_load_balancer_is_mended_by_an_update(trouble: str, mended_by: Any) -> None:
    """Octavia takes an update of the thing itself, and refuses what hangs below it (lab-openstack, faults)."""
    cloud = built(want("az1", **QUIET))
    lb = cloud.observed.load_balancers[0]
    monitor = lb.pools[0].monitor
    assert monitor is not None
    broken = {
        "listener": {"listeners": (replace(lb.listeners[0], provisioning_status="ERROR"),)},
        "pool": {"pools": pool_with(lb, provisioning_status="ERROR")},
        "monitor": {"pools": pool_with(lb, monitor=replace(monitor, provisioning_status="ERROR"))},
    }[trouble]
    decision = decide(want("az1", **QUIET), changed(cloud, **broken))
    assert [(verb, resource) for verb, resource, _body in on_octavia(decision)] == [mended_by]


def test_a_listener_that_ends_tls_is_refused_by_name() -> None:
    cloud = built(want("az1", **QUIET))
    lb = cloud.observed.load_balancers[0]
    decision = decide(want("az1", **QUIET), changed(cloud, listeners=(replace(lb.listeners[0], protocol="HTTP"),)))
    assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "listener_protocol")


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


@pytest.mark.parametrize(("status", "disruption"), [("OFFLINE", Disruption.NONE), ("ONLINE", Disruption.OUTAGE)])
def test_a_rebuild_is_an_outage_only_where_something_still_answers(status: str, disruption: Disruption) -> None:
    cloud = built(want("az1", **QUIET))
    broken = changed(cloud, provisioning_status="ERROR", operating_status=status)
    assert decide(want("az1", allow_rebuild=True, **QUIET), broken).disruption is disruption


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
