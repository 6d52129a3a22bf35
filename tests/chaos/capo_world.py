# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CAPO cluster with a zone's load balancer beside the legacy one: its objects, and what OpenStack says of it."""

from __future__ import annotations

import json
from typing import Any

from .paper import Key

INFRASTRUCTURE, CAPI = "infrastructure.cluster.x-k8s.io", "cluster.x-k8s.io"
BASE = "k8s-clusterapi-cluster-capi-prod"
LABELS = {f"{CAPI}/cluster-name": "prod", f"{CAPI}/control-plane": ""}
STATUS = {
    "provisioning_status": "ACTIVE",
    "operating_status": "ONLINE",
    "admin_state_up": True,
    "project_id": "project",
}


def _meta(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "namespace": "capi", "uid": f"uid-{name}", "resourceVersion": "7", **more}


def objects() -> dict[Key, Any]:
    ref = {"kind": "OpenStackCluster", "name": "prod"}
    entry = {"id": "lb-az1", "name": f"{BASE}-az1-kubeapi", "availabilityZone": "az1", "ip": "", "tags": []}
    spec = {
        "controlPlaneEndpoint": {"host": "api.example.com", "port": 6443},
        "apiServerLoadBalancer": {
            "enabled": False,
            "allowedCIDRs": ["10.0.0.0/8"],
            "additionalPorts": [8443],
            "monitor": {"delay": 10},
            "network": {"id": "net"},
            "availabilityZoneSubnets": [{"availabilityZone": "az1", "subnet": {"id": "s1"}}],
        },
        "disableAPIServerFloatingIP": True,
        "tags": ["team=a"],
    }
    status = {
        "network": {"id": "net", "name": "lb-net", "subnets": [{"id": "s1", "cidr": "10.0.0.0/24", "name": "one"}]},
        "externalNetwork": {"id": "ext"},
        "router": {"ips": ["192.0.2.9"]},
        "bastion": {"floatingIP": "192.0.2.8"},
        "failureDomains": {"az1": {"controlPlane": True}},
    }
    kind = {"apiVersion": f"{INFRASTRUCTURE}/v1beta2", "kind": "OpenStackCluster"}
    owner = [{"apiVersion": f"{CAPI}/v1beta1", "kind": "Cluster", "name": "other", "uid": "u"}]
    crd = f"openstackclusters.{INFRASTRUCTURE}"
    versions = [{"name": "v1beta1", "served": True, "schema": {"openAPIV3Schema": {"properties": {}}}}]
    found: dict[tuple[str, str], Any] = {
        (f"clusters.{CAPI}", "prod"): {"metadata": _meta("prod"), "spec": {"infrastructureRef": ref, "paused": False}},
        (crd, "prod"): {**kind, "metadata": _meta("prod"), "spec": spec, "status": status},
        (crd, "other"): {**kind, "metadata": _meta("other", ownerReferences=owner), "spec": {}, "status": {}},
        ("configmaps", "prod-api-load-balancers"): {
            "metadata": _meta("prod-api-load-balancers"),
            "data": {"apiServerLoadBalancers": json.dumps([entry]), "apiServerLoadBalancer": json.dumps(entry)},
        },
    }
    for number in range(2):
        name, address = f"cp-{number}", {"type": "InternalIP", "address": f"10.0.0.1{number}"}
        server = {"name": name, "kind": "OpenStackMachine"}
        machine = {"clusterName": "prod", "failureDomain": "az1", "infrastructureRef": server}
        found[f"machines.{CAPI}", name] = {"metadata": _meta(name, labels=LABELS), "spec": machine}
        state = {"ready": True, "addresses": [address], "conditions": [{"type": "Ready", "status": "True"}]}
        found[f"openstackmachines.{INFRASTRUCTURE}", name] = {"metadata": _meta(name, labels=LABELS), "status": state}
    placed: dict[Key, Any] = {(resource, "capi", name): one for (resource, name), one in found.items()}
    meta = {"name": crd, "uid": "uid-crd", "resourceVersion": "1"}
    placed["customresourcedefinitions.apiextensions.k8s.io", "", crd] = {
        "metadata": meta,
        "spec": {"versions": versions},
    }
    return placed


def _balancer(which: str, name: str, description: str) -> dict[str, Any]:
    vip = {"vip_address": "10.0.0.5", "vip_port_id": f"port-{which}", "vip_subnet_id": "s1", "vip_network_id": "net"}
    more = {"provider": "amphora", "created_at": "2026-01-01T00:00:00", "tags": [], "availability_zone": None}
    return {"id": f"lb-{which}", "name": name, "description": description, **vip, **more, **STATUS}


def answers() -> dict[str, Any]:
    """By request; both load balancers hold the same listener and pool."""
    legacy = _balancer("legacy", f"{BASE}-kubeapi", "Created by cluster-api-provider-openstack cluster capi-prod")
    zone = _balancer("az1", f"{BASE}-az1-kubeapi", "")
    listener = {"id": "l", "name": f"{BASE}-az1-kubeapi-6443", "protocol": "TCP", "protocol_port": 6443, **STATUS}
    listener |= {"allowed_cidrs": ["10.0.0.0/8"], "default_pool_id": "p", "timeout_client_data": 50000}
    pool = {"id": "p", "name": f"{BASE}-az1-kubeapi-6443", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", **STATUS}
    pool |= {"members": [{"id": "m"}], "healthmonitor_id": "h"}
    member = {
        "id": "m",
        "name": "cp-0",
        "address": "10.0.0.10",
        "protocol_port": 6443,
        "weight": 1,
        "tags": [],
        **STATUS,
    }
    monitor = {"id": "h", "type": "TCP", "delay": 10, "timeout": 5, "max_retries": 5, "max_retries_down": 3, **STATUS}
    subnet = {"id": "s1", "network_id": "net", "cidr": "10.0.0.0/24", "project_id": "project", "tags": []}
    floating = {"id": "f", "floating_ip_address": "192.0.2.1", "port_id": "port-legacy", "project_id": "project"}
    limits = {"limit": 50, "used": 1, "reserved": 0}
    return {
        "GET /lbaas/loadbalancers": {"loadbalancers": [legacy, zone]},
        "GET /lbaas/loadbalancers/lb-az1": {"loadbalancer": zone},
        "GET /lbaas/loadbalancers/lb-legacy": {"loadbalancer": legacy},
        "GET /lbaas/listeners": {"listeners": [listener]},
        "GET /lbaas/listeners/l": {"listener": listener},
        "GET /lbaas/pools": {"pools": [pool]},
        "GET /lbaas/pools/p": {"pool": pool},
        "GET /lbaas/pools/p/members": {"members": [member]},
        "GET /lbaas/healthmonitors/h": {"healthmonitor": monitor},
        "GET /lbaas/availabilityzones": {"availability_zones": [{"name": "az1", "enabled": True}]},
        "GET /lbaas/quotas/project": {"quota": {"load_balancer": 10, "pool": -1, "member": None}},
        "GET /networks": {"networks": [{"id": "net", "name": "lb-net", "project_id": "project"}]},
        "GET /subnets": {"subnets": [subnet]},
        "GET /floatingips": {"floatingips": [floating]},
        "GET /floatingips/f": {"floatingip": floating},
        "GET /ports": {"ports": []},
        "GET /quotas/project/details.json": {"quota": {"floatingip": limits, "port": limits}},
    }
