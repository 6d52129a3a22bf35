# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything below a load balancer: made in one request, changed in place, mended.

(CAPO-3, CAPO-5, CAPO-11; facts: capo §3, lab-openstack fidelity table)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CloudFacts,
    LoadBalancer,
    Machine,
    MonitorSpec,
    Pool,
    Subnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Severity,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    seen,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    QUIET,
    built,
    carry_out,
    changed,
    on_octavia,
)

DEMO = Identity("default", "demo")


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


def test_every_write_below_a_load_balancer_waits_for_it_to_be_active() -> None:
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", additional_ports=(22,), monitor=MonitorSpec(delay=9), **QUIET), cloud.observed)
    for step in decision.steps:
        assert step.locks == cloud.observed.load_balancers[0].id


def test_ovn_gets_its_own_algorithm_and_neither_hint_nor_cidrs() -> None:
    cloud = CloudFacts(api_versions=("v2.26",), default_provider="ovn", zones={"az1": True})
    decision = decide(want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET), seen(cloud=cloud))
    body = on_octavia(decision)[0][2]
    assert "availability_zone" not in body
    assert "allowed_cidrs" not in body["listeners"][0]
    assert body["listeners"][0]["default_pool"]["lb_algorithm"] == "SOURCE_IP_PORT"
    assert "allowed_cidrs_unsupported" in [finding.code for finding in decision.findings]


def test_ovn_members_always_name_the_subnet_that_the_machine_is_in() -> None:
    """Also on the load balancers' own network, where others find it by themselves."""
    facts = cluster(network_id="net", subnets=(Subnet("near", "net", "10.0.1.0/24"),))
    for name, subnet in (("ovn", "near"), ("amphora", None)):
        cloud = CloudFacts(api_versions=("v2.26",), default_provider=name)
        decision = decide(want("az1", **QUIET), seen(cloud=cloud, cluster=facts))
        (member,) = on_octavia(decision)[0][2]["listeners"][0]["default_pool"]["members"]
        assert member.get("subnet_id") == subnet
    bare = seen(cloud=CloudFacts(default_provider="ovn"), cluster=None, machines=(Machine("m", "192.168.1.7", "az1"),))
    (member,) = on_octavia(decide(want("az1", **QUIET), bare))[0][2]["listeners"][0]["default_pool"]["members"]
    assert member["subnet_id"] == "s1"


def test_without_whole_trees_the_parts_follow_once_it_stands() -> None:
    cloud = replace(seen().cloud, lacking=frozenset({("amphora", "tree")}))
    world = Cloud(seen(cloud=cloud))
    wish = want("az1", **QUIET)
    first = decide(wish, world.observed)
    assert "listeners" not in first.steps[0].body
    carry_out(wish, world)
    second = decide(wish, world.observed)
    assert [(verb, resource) for verb, resource, _body in on_octavia(second)] == [
        ("create", "listener"),
        ("create", "pool"),
        ("create", "health_monitor"),
        ("replace", "members"),
    ]
    carry_out(wish, world)
    assert not decide(wish, world.observed).changed


TIMEOUTS: dict[str, Any] = {"timeout_client_data": 3_600_000, "timeout_member_data": 1_800_000}


def test_timeouts_are_set_when_made_and_changed_in_place() -> None:
    made = on_octavia(decide(want("az1", **TIMEOUTS, **QUIET), seen()))[0][2]["listeners"][0]
    assert {name: made[name] for name in TIMEOUTS} == TIMEOUTS
    assert "timeout_client_data" not in on_octavia(decide(want("az1", **QUIET), seen()))[0][2]["listeners"][0]
    cloud = built(want("az1", **QUIET))
    decision = decide(want("az1", **TIMEOUTS, **QUIET), cloud.observed)
    assert on_octavia(decision) == [("update", "listener", TIMEOUTS)]
    assert decision.disruption is Disruption.NONE
    carry_out(want("az1", **TIMEOUTS, **QUIET), cloud)
    assert not decide(want("az1", **TIMEOUTS, **QUIET), cloud.observed).changed
    assert not decide(want("az1", **QUIET), cloud.observed).changed


def test_a_provider_without_timeouts_or_round_robin_is_told_of() -> None:
    lacking = frozenset({("amphora", "timeouts"), ("amphora", "round_robin")})
    world = built(want("az1", **TIMEOUTS, **QUIET), cloud=replace(seen().cloud, lacking=lacking))
    decision = decide(want("az1", **TIMEOUTS, **QUIET), world.observed)
    assert {"timeouts_unsupported", "algorithm_unsupported"} <= {finding.code for finding in decision.findings}
    assert not decision.changed


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


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (None, ("10.0.0.0/8",), "clients outside 10.0.0.0/8 are shut out of port 6443"),
        (("10.0.0.0/8",), ("10.0.0.0/9",), "clients in 10.0.0.0/8 are shut out of port 6443"),
        (("10.0.0.0/8",), (), "everybody may connect to port 6443"),
        (("10.0.0.0/8",), ("10.0.0.0/7",), "more clients may connect to port 6443"),
        (("10.0.0.0/8",), ("0.0.0.0/0",), "everybody may connect to port 6443"),
        ((), ("0.0.0.0/0",), "everybody may connect to port 6443"),
        (("0.0.0.0/0",), ("10.0.0.0/8",), "clients outside 10.0.0.0/8 are shut out of port 6443"),
    ],
)
def test_a_change_says_who_is_shut_out(before: Any, after: Any, why: str) -> None:
    """Safe CAPO 6."""
    facts = cluster(subnets=())
    cloud = built(want("az1", allowed_cidrs=before, **QUIET), cluster=facts)
    (step,) = decide(want("az1", allowed_cidrs=after, **QUIET), cloud.observed).steps[:1]
    assert step.why == why
    assert step.disruption is (Disruption.BRIEF if "shut out" in why else Disruption.NONE)


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
