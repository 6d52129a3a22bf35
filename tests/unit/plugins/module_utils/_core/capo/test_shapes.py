# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both API versions of an OpenStackCluster come out as one shape (facts: capo §1)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo import shapes
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    Machine,
    MonitorSpec,
    OpenStackCluster,
    Ref,
    Subnet,
    ZoneSubnet,
)

BLOCK: dict[str, Any] = {
    "enabled": False,
    "additionalPorts": [8132],
    "allowedCIDRs": ["10.0.0.0/8"],
    "provider": "amphora",
    "network": {"id": "net"},
    "monitor": {"delay": 20, "timeout": 0},
    "availabilityZoneSubnets": [
        {"availabilityZone": "az1", "subnet": {"id": "s1"}},
        {"availabilityZone": "az2", "subnet": {"filter": {"name": "vip-az2"}}},
    ],
    "allowCrossAZLoadBalancerMembers": True,
}
ENDPOINT = {"host": "api.example.com", "port": 443}
STATUS: dict[str, Any] = {
    "network": {"id": "nodes", "name": "n", "subnets": [{"id": "n1", "name": "sn", "cidr": "10.0.0.0/24"}]},
    "externalNetwork": {"id": "ext"},
    "router": {"ips": ["203.0.113.1"]},
    "bastion": {"floatingIP": "203.0.113.2", "ip": "10.0.0.9"},
}


def old(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
        "metadata": {"name": "demo", "namespace": "team", "uid": "u", "resourceVersion": "7", "generation": 3},
        "spec": {
            "controlPlaneEndpoint": ENDPOINT,
            "apiServerLoadBalancer": BLOCK,
            "apiServerFloatingIP": "198.51.100.9",
            "apiServerPort": 7443,
            "disableAPIServerFloatingIP": True,
            "tags": ["t"],
            **spec,
        },
        "status": {**STATUS, "failureDomains": {"az2": {"controlPlane": True}, "az1": {"controlPlane": True}}},
    }


def new(**api_server: Any) -> dict[str, Any]:
    shared = {key: value for key, value in old().items() if key == "metadata"}
    server = {"managedLoadBalancer": BLOCK, "floatingIP": "198.51.100.9", "port": 7443, "enableFloatingIP": False}
    return shared | {
        "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2",
        "spec": {"controlPlaneEndpoint": ENDPOINT, "apiServer": {**server, **api_server}, "tags": ["t"]},
        "status": {**STATUS, "failureDomains": [{"name": "az2"}, {"name": "az1"}]},
    }


@pytest.mark.parametrize(("cluster", "version"), [(old(), "v1beta1"), (new(), "v1beta2")])
def test_facts_are_the_same_from_both(cluster: dict[str, Any], version: str) -> None:
    assert shapes.read_cluster(cluster) == OpenStackCluster(
        api_version=version,
        namespace="team",
        name="demo",
        uid="u",
        resource_version="7",
        generation=3,
        managed_lb_enabled=False,
        endpoint_host="api.example.com",
        endpoint_port=443,
        api_server_port=7443,
        network_id="nodes",
        subnets=(Subnet("n1", "nodes", "10.0.0.0/24", {"name": "sn"}),),
        router_ips=("203.0.113.1",),
        bastion_ips=("203.0.113.2", "10.0.0.9"),
        external_network_id="ext",
        failure_domains=("az1", "az2"),
    )


@pytest.mark.parametrize("cluster", [old(), new()])
def test_wishes_are_the_same_from_both(cluster: dict[str, Any]) -> None:
    assert shapes.read_wishes(cluster) == {
        "endpoint_host": "api.example.com",
        "endpoint_port": 443,
        "floating_ip": "198.51.100.9",
        "floating_ips": False,
        "tags": ("t",),
        "network": Ref("net"),
        "additional_ports": (8132,),
        "allowed_cidrs": ("10.0.0.0/8",),
        "provider": "amphora",
        "monitor": MonitorSpec(delay=20),
        "allow_cross_az_members": True,
        "zones": (ZoneSubnet("az1", Ref("s1")), ZoneSubnet("az2", Ref(filter={"name": "vip-az2"}))),
    }


def test_what_an_object_does_not_say_is_no_wish() -> None:
    bare = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "metadata": {"name": "x"}, "spec": {}}
    assert shapes.read_wishes(bare) == {}
    assert shapes.read_cluster(bare) == OpenStackCluster(api_version="v1beta1", name="x", managed_lb_enabled=False)


@pytest.mark.parametrize(
    ("block", "managed"), [(None, False), ({}, True), ({"enabled": True}, True), ({"enabled": False}, False)]
)
def test_a_managed_load_balancer_is_on_unless_it_is_switched_off(block: Any, managed: bool) -> None:
    assert shapes.read_cluster(old(apiServerLoadBalancer=block)).managed_lb_enabled is managed
    assert shapes.read_cluster(new(managedLoadBalancer=block)).managed_lb_enabled is managed


@pytest.mark.parametrize(
    ("annotations", "owner_paused", "paused"),
    [({}, False, False), ({shapes.PAUSED: ""}, False, True), ({}, True, True)],
)
def test_paused_by_annotation_or_by_the_owning_cluster(
    annotations: dict[str, str], owner_paused: bool, paused: bool
) -> None:
    cluster = old()
    cluster["metadata"] = cluster["metadata"] | {"annotations": annotations}
    assert shapes.read_cluster(cluster, owner_paused).paused is paused


def test_a_newer_version_is_read_as_the_newest_known() -> None:
    assert shapes.version_of(new() | {"apiVersion": "infrastructure.cluster.x-k8s.io/v1"}) == "v1beta2"


def machine(name: str, zone: str | None, **meta: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {"infrastructureRef": {"name": f"{name}-os"}}
    return {"metadata": {"name": name, **meta}, "spec": spec | ({"failureDomain": zone} if zone else {})}


def server(name: str, *addresses: str, **status: Any) -> dict[str, Any]:
    listed = [{"type": "InternalIP", "address": one} for one in addresses]
    listed.append({"type": "ExternalIP", "address": "203.0.113.50"})
    return {"metadata": {"name": f"{name}-os"}, "status": {"addresses": listed, **status}}


def test_machines_are_joined_with_their_servers() -> None:
    facts = shapes.read_cluster(old())
    read = shapes.read_machines(
        [machine("b", "az2", deletionTimestamp="now"), machine("a", None), machine("c", "az3")],
        [
            server("a", "172.16.0.1", "10.0.0.4", ready=True),
            server("b", "10.0.0.5", conditions=[{"type": "Ready", "status": "True"}]),
        ],
        facts,
    )
    assert read == (
        Machine("a-os", "10.0.0.4", "", ready=True),
        Machine("b-os", "10.0.0.5", "az2", ready=True, deleting=True),
        Machine("c-os", "", "az3", ready=False),
    )


def test_without_a_matching_subnet_the_first_internal_address_counts() -> None:
    read = shapes.read_machines([machine("a", "z")], [server("a", "172.16.0.1", "172.16.0.2", ready=True)], None)
    assert read[0].address == "172.16.0.1"


def test_the_status_is_the_record_only_where_the_crd_has_the_list() -> None:
    cluster = old()
    cluster["status"] = cluster["status"] | {
        "apiServerLoadBalancers": [{"availabilityZone": "az1", "id": "lb"}],
        "apiServerLoadBalancer": {"id": "lb"},
    }
    assert shapes.read_record(cluster, has_list=False).kind == "none"
    record = shapes.read_record(cluster, has_list=True)
    assert (record.kind, record.mirror_field, record.resource_version) == ("status", "apiServerLoadBalancer", "7")
    assert record.entry(zone="az1")["id"] == "lb"
    assert record.entry(load_balancer_id="lb")["availabilityZone"] == "az1"
    assert not record.entry(zone="az2")


def test_a_mirror_that_capo_writes_itself_is_not_ours_to_write() -> None:
    cluster = old(apiServerLoadBalancer={"enabled": True})
    assert shapes.read_record(cluster, has_list=True).mirror_field == ""


@pytest.mark.parametrize("text", ["pending", "", "10.0.0.300", "fe80::%"])
def test_an_address_that_is_none_is_waited_for(text: str) -> None:
    machine = {"metadata": {"name": "cp-0"}, "spec": {}}
    listed = [{"type": "InternalIP", "address": text}]
    server = {"metadata": {"name": "cp-0"}, "status": {"addresses": listed}}
    facts = OpenStackCluster(subnets=(Subnet("s", "n", "10.0.0.0/24"),))
    (found,) = shapes.read_machines([machine], [server], facts)
    assert found.address == ""
    listed.append({"type": "InternalIP", "address": "10.0.0.7"})
    (found,) = shapes.read_machines([machine], [server], facts)
    assert found.address == "10.0.0.7"


@pytest.mark.parametrize("listed", [None, 7, "x", {"a": 1}, [1, 2], [None], [{"id": 7}], [{"availabilityZone": []}]])
def test_a_record_that_somebody_has_spoilt_says_nothing(listed: Any) -> None:
    assert shapes.read_entries(listed) == ()


@pytest.mark.parametrize("domains", [7, "az1", ["az1"], [{"name": None}]])
def test_failure_domains_that_are_none(domains: Any) -> None:
    assert shapes.read_cluster({"metadata": {}, "status": {"failureDomains": domains}}).failure_domains == ()
