# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds and wishes, one for every kind of change that a decision may make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    FloatingIp,
    LoadBalancer,
    Machine,
    Member,
    MonitorSpec,
    Record,
    Ref,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
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
    carry_out,
)

DEMO = Identity("default", "demo")
CREW = machines("az1", "az2", "az3")
ZONES = ("az1", "az2", "az3")
OURS, BYO = DEMO.description("az1"), "198.51.100.99"
Scenario = tuple[Cloud, CapoDesired]


def altered(cloud: Cloud, **more: Any) -> Cloud:
    cloud.observed = replace(cloud.observed, **more)
    return cloud


def with_lb(cloud: Cloud, change: Callable[[LoadBalancer], LoadBalancer]) -> Cloud:
    """The first load balancer as something has left it."""
    first, *others = cloud.observed.load_balancers
    return altered(cloud, load_balancers=(change(first), *others))


def with_ips(cloud: Cloud, *ips: FloatingIp) -> Cloud:
    return altered(cloud, floating_ips=ips)


def on_first(cloud: Cloud, ip_id: str, address: str, description: str = "") -> FloatingIp:
    return FloatingIp(ip_id, address, cloud.observed.load_balancers[0].vip_port_id, description)


def nothing_yet() -> Scenario:
    return Cloud(seen()), want(*ZONES)


def legacy_to_adopt() -> Scenario:
    return Cloud(seen(load_balancers=(legacy(on=CREW, ports=(6443, 22)),))), want(*ZONES)


def legacy_to_replace() -> Scenario:
    return Cloud(seen(load_balancers=(legacy(on=CREW, vip_subnet_id="s3"),))), want("az1", "az2", legacy="retire")


def another_subnet() -> Scenario:
    wish = replace(want("az1", "az2"), zones=(ZoneSubnet("az1", Ref("s3")), ZoneSubnet("az2", Ref("s2"))))
    return built(want("az1", "az2")), wish


def another_port() -> Scenario:
    return built(want("az1", **QUIET)), want("az1", additional_ports=(22,), **QUIET)


def a_port_less() -> Scenario:
    wish = want("az1", additional_ports=(22, 8132), allowed_cidrs=("10.0.0.0/8",), tags=("t",), **QUIET)
    return built(wish), replace(wish, additional_ports=(8132,))


def a_port_less_of_a_shared_pool() -> Scenario:
    def share(lb: LoadBalancer) -> LoadBalancer:
        first, second = lb.listeners
        return replace(lb, listeners=(first, replace(second, pool_id=first.pool_id)), pools=lb.pools[:1])

    return with_lb(built(want("az1", additional_ports=(22,), **QUIET)), share), want("az1", **QUIET)


def a_pool_nobody_uses() -> Scenario:
    def leave(lb: LoadBalancer) -> LoadBalancer:
        return replace(lb, listeners=lb.listeners[:1])

    return with_lb(built(want("az1", additional_ports=(22,), **QUIET)), leave), want("az1", **QUIET)


def a_pool_without_its_listener() -> Scenario:
    return with_lb(built(want("az1", **QUIET)), lambda lb: replace(lb, listeners=())), want("az1", **QUIET)


def a_listener_without_its_pool() -> Scenario:
    def forget(lb: LoadBalancer) -> LoadBalancer:
        return replace(lb, listeners=(replace(lb.listeners[0], pool_id=""),))

    return with_lb(built(want("az1", **QUIET)), forget), want("az1", **QUIET)


def a_listener_whose_pool_is_gone() -> Scenario:
    def lose(lb: LoadBalancer) -> LoadBalancer:
        return replace(lb, listeners=(replace(lb.listeners[0], pool_id=""),), pools=())

    return with_lb(built(want("az1", **QUIET)), lose), want("az1", **QUIET)


def another_machine() -> Scenario:
    crew = (*CREW, Machine("new", "10.0.1.77", "az1"))
    return altered(built(want("az1", **QUIET)), machines=crew), want("az1", **QUIET)


def all_machines_replaced() -> Scenario:
    crew = (Machine("new", "10.0.1.77", "az1"),)
    return altered(built(want("az1", **QUIET), machines=machines("az1")), machines=crew), want("az1", **QUIET)


def a_machine_less() -> Scenario:
    two = machines("az1", "az1")
    return altered(built(want("az1", **QUIET), machines=two), machines=two[:1]), want("az1", **QUIET)


def members_of_others() -> Scenario:
    cloud = built(want("az1", "az2", allow_cross_az_members=True, **QUIET))
    strange = Member("x", "by-hand", "10.9.9.9", 6443, weight=5, backup=True, tags=("t",))

    def join(lb: LoadBalancer) -> LoadBalancer:
        return replace(lb, pools=tuple(replace(pool, members=(*pool.members, strange)) for pool in lb.pools))

    return with_lb(cloud, join), want("az1", "az2", **QUIET)


def narrower_cidrs() -> Scenario:
    return built(want("az1", **QUIET)), want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET)


def wider_cidrs() -> Scenario:
    return built(want("az1", allowed_cidrs=("10.0.0.0/8",), **QUIET)), want("az1", allowed_cidrs=(), **QUIET)


def other_timeouts() -> Scenario:
    return built(want("az1", **QUIET)), want("az1", timeout_client_data=7, timeout_member_data=8, **QUIET)


def all_switched_off() -> Scenario:
    def off(lb: LoadBalancer) -> LoadBalancer:
        (pool,), (listener,) = lb.pools, lb.listeners
        monitor = replace(pool.monitor, admin_state_up=False) if pool.monitor else None
        pool, listener = replace(pool, monitor=monitor, admin_state_up=False), replace(listener, admin_state_up=False)
        return replace(lb, pools=(pool,), listeners=(listener,), admin_state_up=False)

    return with_lb(built(want("az1", **QUIET)), off), want("az1", **QUIET)


def another_monitor() -> Scenario:
    return built(want("az1", **QUIET)), want("az1", monitor=MonitorSpec(delay=20, max_retries=4), **QUIET)


def no_monitor() -> Scenario:
    def unwatched(lb: LoadBalancer) -> LoadBalancer:
        return replace(lb, pools=(replace(lb.pools[0], monitor=None),))

    return with_lb(built(want("az1", **QUIET)), unwatched), want("az1", **QUIET)


def a_floating_ip_to_make() -> Scenario:
    return built(want("az1", **QUIET)), want("az1")


def a_floating_ip_to_attach() -> Scenario:
    return with_ips(built(want("az1", **QUIET)), FloatingIp("byo", BYO)), want("az1", floating_ip=BYO)


def a_floating_ip_to_swap() -> Scenario:
    cloud = built(want("az1", **QUIET))
    return with_ips(cloud, on_first(cloud, "old", "203.0.113.8"), FloatingIp("byo", BYO)), want("az1", floating_ip=BYO)


def a_floating_ip_to_make_in_place_of_another() -> Scenario:
    cloud = built(want("az1", **QUIET))
    return with_ips(cloud, on_first(cloud, "old", "203.0.113.8")), want("az1", floating_ip=BYO)


def a_floating_ip_of_ours_to_release() -> Scenario:
    cloud = built(want("az1", **QUIET))
    return with_ips(cloud, on_first(cloud, "ours", "203.0.113.8", OURS)), want("az1", additional_ports=(22,), **QUIET)


def a_floating_ip_to_move() -> Scenario:
    old = legacy(on=CREW, vip_subnet_id="s3")
    used = FloatingIp("f", BYO, old.vip_port_id, "mine")
    cloud = Cloud(seen(load_balancers=(old,), floating_ips=(used,), endpoint_addresses=(BYO,)))
    wish = want("az1", floating_ip=BYO, legacy="retire")
    carry_out(wish, cloud)
    return cloud, replace(wish, traffic_moved=True)


def others_tags() -> Scenario:
    return with_lb(built(want("az1", **QUIET)), lambda lb: replace(lb, tags=("bill=42",))), want("az1", **QUIET)


def a_rebuild() -> Scenario:
    broken = with_lb(built(want("az1")), lambda lb: replace(lb, provisioning_status="ERROR"))
    return broken, want("az1", allow_rebuild=True)


def a_zone_less() -> Scenario:
    return built(want("az1", "az2")), want("az1", traffic_moved=True)


def everything_gone() -> Scenario:
    return built(want("az1")), want("az1", state="absent", traffic_moved=True)


def an_adopted_one_given_back() -> Scenario:
    cloud = Cloud(seen(load_balancers=(legacy(on=CREW, ports=(6443, 22), tags=("theirs",)),)))
    wish = want("az1", additional_ports=(22,), allow_cross_az_members=True, **QUIET)
    carry_out(wish, cloud)
    return cloud, replace(wish, state="absent")


def another_uid() -> Scenario:
    cloud = built(want("az1"), project="p", cluster=cluster(uid="old"))
    return altered(cloud, cluster=cluster(uid="new")), want("az1", former_uids=("old",))


def back_to_one() -> Scenario:
    return built(want("az1", "az2")), want()


def a_record_in_status(version: str, field: str) -> Scenario:
    record = Record("status", "demo", exists=True, uid="u", resource_version="7", mirror_field=field)
    facts = cluster(api_version=version)
    return built(want("az1"), record=record, cluster=facts), want("az1", "az2", tags=("t",))


def a_first_record_in_status() -> Scenario:
    record = Record("status", "demo", exists=True, uid="u", mirror_field="apiServerLoadBalancer")
    return Cloud(seen(record=record)), want("az1")


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    maker.__name__: maker
    for maker in (
        nothing_yet,
        legacy_to_adopt,
        legacy_to_replace,
        another_subnet,
        another_port,
        a_port_less,
        a_port_less_of_a_shared_pool,
        a_pool_nobody_uses,
        a_pool_without_its_listener,
        a_listener_without_its_pool,
        a_listener_whose_pool_is_gone,
        another_machine,
        all_machines_replaced,
        a_machine_less,
        members_of_others,
        narrower_cidrs,
        wider_cidrs,
        other_timeouts,
        all_switched_off,
        another_monitor,
        no_monitor,
        a_floating_ip_to_make,
        a_floating_ip_to_attach,
        a_floating_ip_to_swap,
        a_floating_ip_to_make_in_place_of_another,
        a_floating_ip_of_ours_to_release,
        a_floating_ip_to_move,
        others_tags,
        a_rebuild,
        a_zone_less,
        everything_gone,
        an_adopted_one_given_back,
        another_uid,
        back_to_one,
        a_first_record_in_status,
    )
}
SCENARIOS["a_record_in_v1beta1"] = lambda: a_record_in_status("v1beta1", "apiServerLoadBalancer")
SCENARIOS["a_record_in_v1beta2"] = lambda: a_record_in_status("v1beta2", "apiServerManagedLoadBalancer")
