# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that decisions are made of (CORE-1)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    FloatingIp,
    Listener,
    LoadBalancer,
    OpenStackCluster,
    Pool,
    Quota,
    Record,
    Ref,
    ZoneSubnet,
)


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        (Ref("id"), "id"),
        (Ref(filter={"name": "a", "cidr": "10.0.0.0/8"}), "cidr=10.0.0.0/8 name=a"),
        (Ref(), "(nothing)"),
    ],
)
def test_a_reference_reads_as_it_was_given(ref: Ref, text: str) -> None:
    assert str(ref) == text


def test_nobody_changes_a_wish_under_a_plan() -> None:
    aliases = {"nova-a": "az1"}
    wish = CapoDesired("ns", "c", zones=(ZoneSubnet("az1", Ref("s")),), zone_aliases=aliases)
    aliases["nova-b"] = "az2"
    assert dict(wish.zone_aliases) == {"nova-a": "az1"}
    assert (wish.zone_names, wish.identity.resource_name) == (("az1",), "ns-c")


def test_a_udp_listener_beside_the_api_is_none_of_ours() -> None:
    udp, tcp = Listener("u", "u", 6443, "UDP"), Listener("t", "t", 6443, "TCP")
    lb = LoadBalancer("id", "lb", listeners=(udp, tcp))
    assert lb.listener(6443) is tcp
    assert lb.listener(22) is None


def test_pools_that_no_listener_uses_are_loose() -> None:
    used, loose = Pool("p1", "one"), Pool("p2", "two")
    lb = LoadBalancer("id", "lb", listeners=(Listener("l", "l", 6443, pool_id="p1"),), pools=(used, loose))
    assert lb.loose_pools == (loose,)
    assert (lb.pool("p1"), lb.pool("nowhere")) == (used, None)


@pytest.mark.parametrize(("status", "pending"), [("ACTIVE", False), ("ERROR", False), ("PENDING_DELETE", True)])
def test_pending(status: str, pending: bool) -> None:
    assert LoadBalancer("id", "lb", status).pending is pending


@pytest.mark.parametrize(
    ("quota", "free"), [(Quota(5, 2), 3), (Quota(1, 4), 0), (Quota(-1, 9), None), (Quota(None, 9), None)]
)
def test_what_a_quota_leaves(quota: Quota, free: int | None) -> None:
    assert quota.free == free


def test_an_entry_of_the_record_is_found_by_zone_or_by_load_balancer() -> None:
    record = Record(entries=[{"availabilityZone": "az1", "id": "1"}, {"availabilityZone": "az2", "id": "2"}])
    assert record.entry(zone="az2")["id"] == "2"
    assert record.entry(load_balancer_id="1")["availabilityZone"] == "az1"
    assert dict(record.entry(zone="az9")) == {}
    assert dict(record.entry()) == {}


def test_a_floating_ip_is_found_by_its_port_and_none_by_no_port() -> None:
    free, used = FloatingIp("1", "203.0.113.1"), FloatingIp("2", "203.0.113.2", "port")
    observed = CapoObserved(floating_ips=(free, used))
    assert observed.floating_ip_on("port") is used
    assert observed.floating_ip_on("") is None


def test_the_cluster_as_events_and_owner_references_name_it() -> None:
    assert OpenStackCluster("v1beta2", "ns", "c", "u-1").reference == {
        "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2",
        "kind": "OpenStackCluster",
        "name": "c",
        "uid": "u-1",
    }
