# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One CAPO cluster for a test: its objects on the API server twin, its project in the real OpenStack services."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import openstack
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import Stage
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import REAL, Result, run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.crds import CRDS
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.resources import MANAGEMENT_CLUSTER, with_versions
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.lab import OpenStackLab
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.tenants import Network, Project
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.traffic import Request

MODULE = "capo_multiaz_lb"
NAMESPACE, NAME, HOST = "capi", "prod", "api.prod.lab.example.com"
ZONES = ("az1", "az2", "az3")
LEGACY = f"k8s-clusterapi-cluster-{NAMESPACE}-{NAME}-kubeapi"
INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"
CLUSTERS = f"openstackclusters.{INFRASTRUCTURE}"
MACHINES, SERVERS = "machines.cluster.x-k8s.io", f"openstackmachines.{INFRASTRUCTURE}"
RECORD = f"{NAME}-api-load-balancers"
_NUMBERS = itertools.count(1)
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def zone_name(zone: str) -> str:
    return f"k8s-clusterapi-cluster-{NAMESPACE}-{NAME}-{zone}-kubeapi"


class World:
    def __init__(
        self,
        lab: OpenStackLab,
        server: ApiServer,
        directory: Path,
        *,
        version: str = "v1beta1",
        status_fields: bool = False,
        managed: bool = False,
        host: str = HOST,
    ) -> None:
        self.lab = lab
        self.project: Project = lab.project(f"capo-{next(_NUMBERS)}")
        self.network: Network = lab.network(self.project)
        self.api = Cluster(self.project.name, resources=with_versions(MANAGEMENT_CLUSTER, INFRASTRUCTURE, (version,)))
        self._server = server
        server.add(self.api)
        self.kubeconfig = directory / f"{self.project.name}.kubeconfig"
        self.kubeconfig.write_text(server.kubeconfig(self.api.name), encoding="utf-8")
        self.version = version
        if status_fields:
            self._install_status_fields()
        self._seed(managed, host)
        self.cloud = openstack.connect(cloud=self.project.cloud)

    def close(self) -> None:
        self.cloud.close()
        self._server.remove(self.api.name)

    # -- the management cluster ---------------------------------------------------------------------------------------

    def _install_status_fields(self) -> None:
        """S4's status, in a definition as the proposal has it: a list keyed by availability zone, and the mirror."""
        text = {"type": "string"}
        entry = {"type": "object", "properties": dict.fromkeys(("name", "id", "ip", "internalIP"), text)}
        entry["properties"] |= {
            "availabilityZone": text,
            "tags": {"type": "array", "items": text},
            "allowedCIDRs": {"type": "array", "items": text},
            "loadBalancerNetwork": _OPEN,
        }
        mirror = "apiServerLoadBalancer" if self.version == "v1beta1" else "apiServerManagedLoadBalancer"
        status = {"apiServerLoadBalancers": {"type": "array", "items": entry}, mirror: entry}
        status |= dict.fromkeys(("network", "externalNetwork", "router"), _OPEN)
        domains = _OPEN if self.version == "v1beta1" else {"type": "array", "items": _OPEN}
        properties = {"spec": _OPEN, "status": {"type": "object", "properties": status | {"failureDomains": domains}}}
        schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
        crd = self.api.get(CRDS, None, CLUSTERS)
        versions = [{**one, "schema": schema} for one in crd["spec"]["versions"]]
        self.api.patch(CRDS, None, CLUSTERS, {"spec": {"versions": versions}})

    def _seed(self, managed: bool, host: str) -> None:
        """The main path: no load balancer and no floating IP of CAPO's own, and a DNS name as endpoint."""
        endpoint = {"controlPlaneEndpoint": {"host": host, "port": 6443}}
        if self.version == "v1beta1":
            spec: dict[str, Any] = {**endpoint, "apiServerLoadBalancer": {"enabled": managed}}
            spec["disableAPIServerFloatingIP"] = True
            domains: Any = {zone: {"controlPlane": True} for zone in ZONES}
        else:
            block = {"managedLoadBalancer": {"enabled": managed}, "enableFloatingIP": False}
            spec = {**endpoint, "apiServer": block}
            domains = [{"name": zone, "controlPlane": True} for zone in ZONES]
        subnets = [
            {"id": one.id, "cidr": one.cidr, "name": f"cluster-{zone}"} for zone, one in self.network.subnets.items()
        ]
        status = {
            "network": {"id": self.network.id, "name": "cluster", "subnets": subnets},
            "externalNetwork": {"id": self.network.external_network_id},
            "failureDomains": domains,
        }
        ref = {"kind": "OpenStackCluster", "name": NAME}
        self.api.seed("clusters.cluster.x-k8s.io", {"metadata": _meta(NAME), "spec": {"infrastructureRef": ref}})
        self.api.seed(CLUSTERS, {"metadata": _meta(NAME), "spec": spec, "status": status})
        for number, zone in enumerate(ZONES):
            self.add_machine(f"cp-{number}", zone)

    def add_machine(self, name: str, zone: str, host: int = 0) -> str:
        """Its address."""
        address = self.network.subnets[zone].address(host or 11)
        labels = {"cluster.x-k8s.io/cluster-name": NAME, "cluster.x-k8s.io/control-plane": ""}
        ref = {"kind": "OpenStackMachine", "name": name}
        spec = {"clusterName": NAME, "failureDomain": zone, "infrastructureRef": ref}
        status = {"ready": True, "addresses": [{"type": "InternalIP", "address": address}]}
        self.api.seed(MACHINES, {"metadata": _meta(name, labels), "spec": spec})
        self.api.seed(SERVERS, {"metadata": _meta(name, labels), "spec": {}, "status": status})
        return address

    def remove_machine(self, name: str) -> None:
        for resource in (MACHINES, SERVERS):
            self.api.delete(resource, NAMESPACE, name)

    def openstack_cluster(self) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get(CLUSTERS, NAMESPACE, NAME)
        return found

    def events(self) -> list[str]:
        listed = self.api.list("events", NAMESPACE)["items"]
        return sorted(one["reason"] for one in listed)

    # -- the module ---------------------------------------------------------------------------------------------------

    def options(self, zone_names: Iterable[str] = ZONES, **options: Any) -> dict[str, Any]:
        mapped = [{"zone": zone, "subnet": {"id": self.network.subnets[zone].id}} for zone in zone_names]
        base = {
            "cluster": NAME,
            "namespace": NAMESPACE,
            "cloud": self.project.cloud,
            "zones": mapped,
            "network": {"id": self.network.id},
            # No name server outside the lab is asked; test_proof and the plays of test_role have their own.
            "resolve_endpoint": False,
            "traffic_moved_because": "nobody else uses the lab",
            "wait_sleep": 1,
            "wait_timeout": 120,
        }
        return {**base, **options}

    def bare(self) -> dict[str, Any]:
        """What a task says that has no management cluster to ask."""
        crew = [
            {"name": f"cp-{number}", "address": self.address(zone), "failure_domain": zone}
            for number, zone in enumerate(ZONES)
        ]
        said = {"management_cluster": False, "managed_load_balancer": False, "endpoint_host": HOST, "machines": crew}
        return {**said, "floating_network_id": self.network.external_network_id}

    def run(self, zone_names: Iterable[str] = ZONES, *, check: bool = False, **options: Any) -> Result:
        return run_task(MODULE, self.kubeconfig, check=check, clock=REAL, **self.options(zone_names, **options))

    def stage(self, directory: Path) -> Stage:
        """ansible-playbook on this cluster, beside a host that is none; nobody has published its endpoint yet."""
        variables = {
            "lb_estate_kubeconfig": str(self.kubeconfig),
            "capo_multiaz_cloud": self.project.cloud,
            "capo_multiaz_namespace": NAMESPACE,
        }
        stage = Stage(directory, {NAME: variables, "bystander": {}}, groups={"capo_clusters": [NAME]}, seconds=300)
        stage.publish(HOST, [])
        return stage

    def converge(self, zone_names: Iterable[str] = ZONES, **options: Any) -> Result:
        """A run that must succeed and leave nothing to do."""
        done = self.run(zone_names, **options)
        assert not done.get("failed"), done["msg"]
        again = self.run(zone_names, check=True, **options)
        assert not again["changed"], again["steps"]
        return done

    # -- OpenStack ----------------------------------------------------------------------------------------------------

    def mark(self) -> int:
        self.api.requests.reset()
        return self.lab.mark()

    def requests(self, since: int) -> list[Request]:
        return self.lab.requests(since, project=self.project)

    def writes(self, since: int) -> list[Any]:
        """All writes of clients since the mark, to OpenStack and to the management cluster."""
        return [one for one in self.requests(since) if one.is_write] + self.api.requests.writes()

    def counts(self) -> dict[str, int]:
        return {kind: len(ids) for kind, ids in self.lab.inventory(self.project).items()}

    def load_balancers(self) -> dict[str, Any]:
        return {lb.name: lb for lb in self.cloud.load_balancer.load_balancers()}

    def members(self, lb_name: str, port: int = 6443) -> list[str]:
        client = self.cloud.load_balancer
        pool = client.find_pool(f"{lb_name}-{port}", ignore_missing=False)
        return sorted(member.address for member in client.members(pool))

    def address(self, zone: str) -> str:
        return self.network.subnets[zone].address(11)

    def online(self) -> None:
        """What heartbeats would say of healthy machines."""
        for lb in self.load_balancers().values():
            self.lab.faults.set_members_operating(lb.id, "ONLINE")

    def legacy(self, zone: str = "az1", *, floating_ip: bool = False, availability_zone: str | None = None) -> Any:
        """A load balancer as shipped CAPO leaves it: by its names, with all machines, in no zone."""
        client = self.cloud.load_balancer
        names = {"name": f"{LEGACY}-6443", "protocol": "TCP"}
        monitor = {"name": f"{LEGACY}-6443", "type": "TCP", "delay": 10, "timeout": 5, "max_retries": 5}
        members = [
            {"name": f"{LEGACY}-6443-cp-{number}", "address": self.address(zone), "protocol_port": 6443}
            for number, zone in enumerate(ZONES)
        ]
        pool = {**names, "lb_algorithm": "ROUND_ROBIN", "members": members, "healthmonitor": monitor}
        body = {
            "name": LEGACY,
            "description": f"Created by cluster-api-provider-openstack cluster {NAMESPACE}-{NAME}",
            "vip_subnet_id": self.network.subnets[zone].id,
            "listeners": [{**names, "protocol_port": 6443, "default_pool": pool}],
        }
        if availability_zone:
            body["availability_zone"] = availability_zone
        made = client.post("/lbaas/loadbalancers", json={"loadbalancer": body}).json()["loadbalancer"]
        lb = client.wait_for_load_balancer(made["id"], interval=0.3, wait=120)
        if floating_ip:
            self.cloud.network.create_ip(floating_network_id=self.network.external_network_id, port_id=lb.vip_port_id)
        return lb


def _meta(name: str, labels: dict[str, str] | None = None) -> dict[str, Any]:
    return {"name": name, "namespace": NAMESPACE, **({"labels": labels} if labels else {})}
