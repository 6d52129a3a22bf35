# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStackCluster, Machine and OpenStackMachine objects in either API version as one shape (facts: capo §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any

from ..data import Json, dig
from .cidrs import network_of, version_of_address
from .state import Machine, MonitorSpec, OpenStackCluster, Record, Ref, Subnet, ZoneSubnet

PAUSED = "cluster.x-k8s.io/paused"
# API version → where things stand
PATHS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "v1beta1": {
        "load_balancer": ("spec", "apiServerLoadBalancer"),
        "floating_ip": ("spec", "apiServerFloatingIP"),
        "fixed_ip": ("spec", "apiServerFixedIP"),
        "port": ("spec", "apiServerPort"),
        "mirror": ("status", "apiServerLoadBalancer"),
    },
    "v1beta2": {
        "load_balancer": ("spec", "apiServer", "managedLoadBalancer"),
        "floating_ip": ("spec", "apiServer", "floatingIP"),
        "fixed_ip": ("spec", "apiServer", "fixedIP"),
        "port": ("spec", "apiServer", "port"),
        "mirror": ("status", "apiServerManagedLoadBalancer"),
    },
}


def version_of(cluster: Json) -> str:
    """v1beta1 or v1beta2; anything newer is read as the newest shape known."""
    version = str(cluster.get("apiVersion", "")).rpartition("/")[2]
    return version if version in PATHS else "v1beta2"


def read_cluster(cluster: Json, paused: bool = False) -> OpenStackCluster:
    """`paused` is the owning Cluster's spec.paused; the object's own annotation counts as well."""
    paths = PATHS[version_of(cluster)]
    meta = cluster.get("metadata") or {}
    bastion = dig(cluster, "status", "bastion") or {}
    return OpenStackCluster(
        api_version=version_of(cluster),
        namespace=meta.get("namespace", ""),
        name=meta.get("name", ""),
        uid=meta.get("uid", ""),
        resource_version=meta.get("resourceVersion", ""),
        generation=meta.get("generation", 0),
        paused=paused or PAUSED in (meta.get("annotations") or {}),
        deleting=bool(meta.get("deletionTimestamp")),
        managed_lb_enabled=_enabled(dig(cluster, *paths["load_balancer"])),
        endpoint_host=dig(cluster, "spec", "controlPlaneEndpoint", "host") or "",
        endpoint_port=dig(cluster, "spec", "controlPlaneEndpoint", "port") or None,
        api_server_port=dig(cluster, *paths["port"]) or None,
        network_id=dig(cluster, "status", "network", "id") or "",
        subnets=_subnets(dig(cluster, "status", "network")),
        router_ips=tuple(dig(cluster, "status", "router", "ips") or ()),
        bastion_ips=tuple(bastion[key] for key in ("floatingIP", "ip") if bastion.get(key)),
        external_network_id=dig(cluster, "status", "externalNetwork", "id") or "",
        failure_domains=_failure_domains(dig(cluster, "status", "failureDomains")),
    )


def _enabled(load_balancer: Json) -> bool:
    """A block that is there is enabled unless it says otherwise; none at all means no managed load balancer."""
    return load_balancer is not None and load_balancer.get("enabled") is not False


def _subnets(network: Json) -> tuple[Subnet, ...]:
    network = network or {}
    return tuple(
        Subnet(one.get("id", ""), network.get("id", ""), one.get("cidr", ""), {"name": one.get("name", "")})
        for one in network.get("subnets") or ()
    )


def _failure_domains(domains: Json) -> tuple[str, ...]:
    """A map by name up to v1beta1, a list of named entries from v1beta2 on."""
    if isinstance(domains, Mapping):
        return tuple(sorted(domains))
    listed = domains if isinstance(domains, (list, tuple)) else ()
    return tuple(sorted(str(one["name"]) for one in listed if isinstance(one, Mapping) and one.get("name")))


def read_wishes(cluster: Json) -> dict[str, Any]:
    """The CapoDesired fields that the object itself names; a module's own arguments go over them."""
    paths = PATHS[version_of(cluster)]
    block = dig(cluster, *paths["load_balancer"]) or {}
    wishes: dict[str, Any] = {
        "endpoint_host": dig(cluster, "spec", "controlPlaneEndpoint", "host"),
        "endpoint_port": dig(cluster, "spec", "controlPlaneEndpoint", "port"),
        "floating_ip": dig(cluster, *paths["floating_ip"]),
        "fixed_ip": dig(cluster, *paths["fixed_ip"]),
        "floating_ips": _floating_ips(cluster),
        "tags": _tuple(dig(cluster, "spec", "tags")),
        "network": _ref(block.get("network")),
        "additional_ports": _tuple(block.get("additionalPorts")),
        "allowed_cidrs": _tuple(block.get("allowedCIDRs")),
        "provider": block.get("provider"),
        "flavor": block.get("flavor"),
        "monitor": read_monitor(block.get("monitor")),
        "allow_cross_az_members": block.get("allowCrossAZLoadBalancerMembers"),
        "zones": _tuple(_zone(entry) for entry in block.get("availabilityZoneSubnets") or ()) or None,
    }
    return {key: value for key, value in wishes.items() if value is not None and value != ""}


def _floating_ips(cluster: Json) -> bool | None:
    """The switch is inverted between the versions."""
    if version_of(cluster) == "v1beta1":
        disabled = dig(cluster, "spec", "disableAPIServerFloatingIP")
        return None if disabled is None else not disabled
    enabled: bool | None = dig(cluster, "spec", "apiServer", "enableFloatingIP")
    return enabled


def _tuple(values: Iterable[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


def _ref(param: Json) -> Ref | None:
    return None if param is None else Ref(param.get("id") or "", param.get("filter"))


def _zone(entry: Json) -> ZoneSubnet:
    return ZoneSubnet(entry.get("availabilityZone", ""), _ref(entry.get("subnet") or {}) or Ref())


def read_monitor(block: Json) -> MonitorSpec | None:
    """Zero and absent mean the default (facts: capo §3)."""
    if block is None:
        return None
    default = MonitorSpec()
    return MonitorSpec(
        block.get("delay") or default.delay,
        block.get("timeout") or default.timeout,
        block.get("maxRetries") or default.max_retries,
        block.get("maxRetriesDown") or default.max_retries_down,
    )


def read_machines(
    machines: Iterable[Json], openstack_machines: Iterable[Json], facts: OpenStackCluster | None
) -> tuple[Machine, ...]:
    """Control-plane Machines joined with their OpenStackMachines, by name of the latter."""
    infra = {one["metadata"]["name"]: one for one in openstack_machines}
    found = []
    for machine in machines:
        name = dig(machine, "spec", "infrastructureRef", "name") or machine["metadata"]["name"]
        server = infra.get(name, {})
        deleting = dig(machine, "metadata", "deletionTimestamp") or dig(server, "metadata", "deletionTimestamp")
        found.append(
            Machine(
                name=name,
                address=_address(dig(server, "status", "addresses") or (), facts),
                failure_domain=dig(machine, "spec", "failureDomain") or "",
                ready=_ready(server),
                deleting=bool(deleting),
            )
        )
    return tuple(sorted(found, key=lambda one: one.name))


def _address(addresses: Iterable[Json], facts: OpenStackCluster | None) -> str:
    """The first internal address that lies in a cluster subnet, else the first internal one (facts: capo §7). One that
    is no address is none: the machine waits for one like a machine that starts."""
    listed = [str(one["address"]) for one in addresses if one.get("type") == "InternalIP"]
    internal = [text for text in listed if version_of_address(text) is not None]
    networks = [network_of(subnet.cidr) for subnet in (facts.subnets if facts else ())]
    for text in internal:
        if any(network is not None and ip_address(text) in network for network in networks):
            return text
    return internal[0] if internal else ""


def _ready(server: Json) -> bool:
    """status.ready in v1beta1, the Ready condition in v1beta2."""
    status = server.get("status") or {}
    if "ready" in status:
        return bool(status["ready"])
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in status.get("conditions") or ())


def read_entries(listed: Json) -> tuple[Json, ...]:
    """The entries of a record that say something; what somebody has spoilt is as good as none, and written anew."""
    if not isinstance(listed, (list, tuple)):
        return ()
    return tuple(one for one in listed if isinstance(one, Mapping) and all(_is_text(one.get(key)) for key in _TEXTS))


_TEXTS = ("id", "name", "availabilityZone")


def _is_text(value: Json) -> bool:
    return value is None or isinstance(value, str)


def read_record(cluster: Json, has_list: bool) -> Record:
    """The status as record, for a CRD whose schema has apiServerLoadBalancers (no shipped one has)."""
    if not has_list:
        return Record()
    facts = read_cluster(cluster)
    mirror = PATHS[facts.api_version]["mirror"]
    return Record(
        kind="status",
        name=facts.name,
        exists=True,
        uid=facts.uid,
        resource_version=facts.resource_version,
        entries=read_entries(dig(cluster, "status", "apiServerLoadBalancers")),
        mirror=dig(cluster, *mirror),
        # A controller that runs a load balancer of its own writes this field itself (CORE-6).
        mirror_field="" if facts.managed_lb_enabled else mirror[-1],
    )
