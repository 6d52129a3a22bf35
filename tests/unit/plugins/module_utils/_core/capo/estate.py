# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small estate to start from: three zones, three machines, one network."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    CloudFacts,
    HealthMonitor,
    Listener,
    LoadBalancer,
    Machine,
    Member,
    Network,
    OpenStackCluster,
    Pool,
    Record,
    Ref,
    Subnet,
    ZoneSubnet,
)

HOST = "api.demo.example.com"
SAID = "clients have hosts files"
LEGACY = "k8s-clusterapi-cluster-default-demo-kubeapi"
CAPO_DESCRIPTION = "Created by cluster-api-provider-openstack cluster default-demo"


def zone_name(zone: str) -> str:
    return f"k8s-clusterapi-cluster-default-demo-{zone}-kubeapi"


def want(*zones: str, **more: Any) -> CapoDesired:
    """Zone azN on subnet sN; without zones, back to one load balancer. Nobody publishes its name, so it is said how
    else one knows that traffic has moved, where that is said; `traffic_moved_because=""` for DNS."""
    mapping = tuple(ZoneSubnet(zone, Ref(f"s{zone[-1]}")) for zone in zones)
    given: dict[str, Any] = {
        "network": Ref("net"),
        "endpoint_host": HOST,
        "upkeep": True,
        "traffic_moved_because": SAID,
    }
    given |= {"state": "present" if zones else "single", **more}
    return CapoDesired("default", "demo", zones=mapping, **given)


def machines(*zones: str) -> tuple[Machine, ...]:
    return tuple(Machine(f"cp-{zone}-{index}", f"10.0.{zone[-1]}.{index}", zone) for index, zone in enumerate(zones))


def cluster(**more: Any) -> OpenStackCluster:
    given: dict[str, Any] = {
        "api_version": "v1beta1",
        "namespace": "default",
        "name": "demo",
        "managed_lb_enabled": False,
        "endpoint_host": HOST,
        "endpoint_port": 6443,
        "network_id": "nodes",
        "subnets": tuple(Subnet(f"n{n}", "nodes", f"10.0.{n}.0/24") for n in (1, 2, 3)),
        "external_network_id": "ext",
        "failure_domains": ("az1", "az2", "az3"),
    }
    return OpenStackCluster(**given | more)


def seen(**more: Any) -> CapoObserved:
    given: dict[str, Any] = {
        "cluster": cluster(),
        "machines": machines("az1", "az2", "az3"),
        "subnets": tuple(Subnet(f"s{n}", "net", f"192.168.{n}.0/24", {"name": f"vip-az{n}"}) for n in (1, 2, 3)),
        "networks": (Network("net", "lb-net"),),
        "cloud": CloudFacts(
            api_versions=("v2.0", "v2.26"),
            providers=("amphora", "octavia"),
            default_provider="amphora",
            zones={"az1": True, "az2": True, "az3": True},
        ),
        "record": Record("config_map", "demo-api-load-balancers"),
    }
    return CapoObserved(**given | more)


def tree(
    name: str,
    lb_id: str,
    *machines: Machine,
    ports: tuple[int, ...] = (6443,),
    status: str = "ONLINE",
    **more: Any,
) -> LoadBalancer:
    """A load balancer with a listener, pool, monitor and the machines as members on each port."""
    listeners, pools = [], []
    for port in ports:
        label = f"{name}-{port}"
        members = tuple(
            Member(f"{lb_id}-m{port}-{one.name}", f"{label}-{one.name}", one.address, port, operating_status=status)
            for one in machines
        )
        monitor = HealthMonitor(f"{lb_id}-h{port}", label, 10, 5, 5, 3)
        pools.append(Pool(f"{lb_id}-p{port}", label, monitor=monitor, members=members))
        listeners.append(Listener(f"{lb_id}-l{port}", label, port, pool_id=f"{lb_id}-p{port}"))
    given: dict[str, Any] = {
        "provider": "amphora",
        "vip_address": "192.168.1.10",
        "vip_port_id": f"port-of-{lb_id}",
        "vip_subnet_id": "s1",
        "vip_network_id": "net",
        "listeners": tuple(listeners),
        "pools": tuple(pools),
    }
    return LoadBalancer(lb_id, name, **given | more)


def legacy(*, on: tuple[Machine, ...] = (), **more: Any) -> LoadBalancer:
    """The single load balancer as CAPO left it."""
    return tree(LEGACY, "legacy", *on, description=CAPO_DESCRIPTION, **more)
