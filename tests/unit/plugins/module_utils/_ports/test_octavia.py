# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia, read: whole trees of what is wanted, and no request more than that takes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    HealthMonitor,
    Listener,
    Member,
    Pool,
    Quota,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Forbidden
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.octavia import Octavia
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import TableCloud

STATUS = {"provisioning_status": "ACTIVE", "operating_status": "ONLINE"}
MONITOR = {"id": "h", "name": "mon", "type": "TCP", "delay": 10, "timeout": 5, "max_retries": 5, "max_retries_down": 3}


def lb(number: int, name: str = "ours") -> dict[str, Any]:
    return {"id": f"lb-{number}", "name": name, "flavor_id": None, "tags": ["t"], "vip_address": "10.0.0.1", **STATUS}


def member(number: int) -> dict[str, Any]:
    given = {"address": f"10.0.0.{number}", "protocol_port": 6443, "weight": 1, "admin_state_up": True}
    return {"id": f"m-{number}", "name": None, "monitor_port": None, **given, **STATUS}


def world(members: int = 2) -> TableCloud:
    pool = {"id": "p", "name": "pool", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "healthmonitor_id": "h"}
    empty = {**pool, "id": "e", "healthmonitor_id": None, "members": []}
    listener = {"id": "l", "name": "li", "protocol": "TCP", "protocol_port": 6443, "default_pool_id": "p"}
    return TableCloud(
        {
            "GET /lbaas/loadbalancers": {"loadbalancers": [lb(1), lb(2, "theirs")]},
            "GET /lbaas/listeners": {"listeners": [{**listener, "allowed_cidrs": None, **STATUS}]},
            "GET /lbaas/pools": {"pools": [{**pool, "members": [{"id": "m"}], **STATUS}, {**empty, **STATUS}]},
            "GET /lbaas/pools/p/members": {"members": [member(number) for number in range(1, members + 1)]},
            "GET /lbaas/healthmonitors/h": {
                "healthmonitor": {"id": "h", "name": "mon", "type": "TCP"} | MONITOR | STATUS
            },
        }
    )


def test_what_is_wanted_is_read_with_all_it_holds() -> None:
    (found,), count = Octavia(world()).load_balancers(lambda one: one.name == "ours")
    assert count == 2
    assert (found.id, found.flavor_id, found.description, found.tags) == ("lb-1", "", "", ("t",))
    assert found.listeners == (Listener("l", "li", 6443, pool_id="p", operating_status="ONLINE"),)
    used, empty = found.pools
    assert used.monitor == HealthMonitor("h", "mon", 10, 5, 5, 3)
    assert used.members[0] == Member("m-1", "", "10.0.0.1", 6443, operating_status="ONLINE")
    assert empty == Pool("e", "pool", operating_status="ONLINE")


def test_reads_do_not_grow_with_members_and_others_are_not_read_into() -> None:
    few, many = world(2), world(40)
    for cloud in (few, many):
        Octavia(cloud).load_balancers(lambda one: one.name == "ours")
    assert len(few.calls) == len(many.calls) == 5
    assert {call.query["load_balancer_id"] for call in few.calls if str(call) == "GET /lbaas/listeners"} == {"lb-1"}


def test_nothing_wanted_costs_one_request() -> None:
    cloud = world()
    assert Octavia(cloud).load_balancers(lambda _one: False) == ((), 2)
    assert cloud.asked() == ["GET /lbaas/loadbalancers"]


def test_a_long_list_comes_in_pages() -> None:
    def page(call: CloudCall) -> dict[str, Any]:
        more = [{"rel": "next", "href": "…"}]
        if "marker" not in (call.query or {}):
            return {"loadbalancers": [lb(1), lb(2)], "loadbalancers_links": more}
        return {"loadbalancers": [lb(3)]} if call.query["marker"] == "lb-2" else {}

    assert Octavia(TableCloud({"GET /lbaas/loadbalancers": page})).load_balancers(lambda _one: False)[1] == 3


@pytest.mark.parametrize(
    ("table", "status"),
    [({"GET /lbaas/loadbalancers/1": {"loadbalancer": {"provisioning_status": "ERROR"}}}, "ERROR"), ({}, "DELETED")],
)
def test_the_status_of_one(table: dict[str, Any], status: str) -> None:
    assert Octavia(TableCloud(table)).status("1") == status


def test_what_the_cloud_offers() -> None:
    zones = [{"name": "az1", "enabled": True}, {"name": "az2", "enabled": False}]
    flavors = [{"name": "big", "id": "1", "enabled": True}, {"name": "old", "id": "2", "enabled": False}]
    octavia = Octavia(
        TableCloud(
            {
                "GET /lbaas/availabilityzones": {"availability_zones": zones},
                "GET /lbaas/providers": {"providers": [{"name": "amphora"}]},
                "GET /lbaas/flavors": {"flavors": flavors},
            }
        )
    )
    assert octavia.versions() == ("v2.0", "v2.26")
    assert octavia.zones() == {"az1": True, "az2": False}
    assert octavia.providers() == ("amphora",)
    assert octavia.flavors() == {"big": "1"}


def test_an_api_too_old_to_say_says_nothing() -> None:
    octavia = Octavia(TableCloud({}))
    assert (octavia.zones(), octavia.providers(), octavia.flavors()) == (None, None, None)


def test_a_policy_that_forbids_is_told_as_such() -> None:
    forbidden = CloudAnswer(403, {"faultstring": "Policy does not allow this request"})
    with pytest.raises(Forbidden):
        Octavia(TableCloud({"GET /lbaas/flavors": forbidden})).flavors()


def test_only_what_is_limited_is_counted() -> None:
    pools = [{"id": "1", "members": [{"id": "a"}, {"id": "b"}]}, {"id": "2", "members": []}]
    limits = {"load_balancer": 5, "listener": 10, "pool": -1, "health_monitor": None, "member": 50}
    cloud = TableCloud(
        {
            "GET /lbaas/quotas/project": {"quota": limits},
            "GET /lbaas/pools": {"pools": pools},
            "GET /lbaas/listeners": {"listeners": [{"id": "1"}, {"id": "2"}, {"id": "3"}]},
        }
    )
    assert Octavia(cloud).quotas(4) == {"load_balancer": Quota(5, 4), "listener": Quota(10, 3), "member": Quota(50, 2)}


def test_without_limits_nothing_is_counted() -> None:
    cloud = TableCloud({"GET /lbaas/quotas/project": {"quota": {"load_balancer": -1}}})
    assert Octavia(cloud).quotas(4) == {}
    assert len(cloud.calls) == 1
