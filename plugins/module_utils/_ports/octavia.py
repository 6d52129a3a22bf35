# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia, read: a project's load balancers as the core knows them. Reads grow with pools, never with members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from .._core.capo.state import HealthMonitor, Listener, LoadBalancer, Member, Pool, Quota
from .errors import Forbidden
from .openstack_cloud import Body, Cloud, CloudCall

OCTAVIA = "octavia"
LOAD_BALANCERS = "/lbaas/loadbalancers"
# our name of a resource → path, and key of one in a body
RESOURCES: Mapping[str, tuple[str, str]] = {
    "load_balancer": (LOAD_BALANCERS, "loadbalancer"),
    "listener": ("/lbaas/listeners", "listener"),
    "pool": ("/lbaas/pools", "pool"),
    "health_monitor": ("/lbaas/healthmonitors", "healthmonitor"),
}
_FIELDS = (
    "id",
    "name",
    "description",
    "provisioning_status",
    "operating_status",
    "provider",
    "availability_zone",
    "flavor_id",
    "vip_address",
    "vip_port_id",
    "vip_subnet_id",
    "vip_network_id",
    "created_at",
    "tags",
    "admin_state_up",
)
_AT_ONCE = 6


class Octavia:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    @property
    def project(self) -> str:
        return self._cloud.project_id

    def versions(self) -> tuple[str, ...]:
        return self._cloud.versions(OCTAVIA)

    def load_balancers(self, is_wanted: Callable[[LoadBalancer], bool]) -> tuple[tuple[LoadBalancer, ...], int]:
        """Those that are wanted, with all they hold, and how many the project has altogether."""
        found = self._cloud.own_items(OCTAVIA, LOAD_BALANCERS, "loadbalancers", {"fields": _FIELDS})
        listed = [_load_balancer(one) for one in found]
        wanted = [lb for lb in listed if is_wanted(lb)]
        if not wanted:
            return (), len(listed)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            listeners = list(pool.map(self._listeners, wanted))
            bodies = list(pool.map(self._pool_bodies, wanted))
            flat = [body for found in bodies for body in found]
            pools = dict(zip((body["id"] for body in flat), pool.map(self._pool, flat), strict=True))
        whole = [
            _with(lb, heard, [pools[body["id"]] for body in found])
            for lb, heard, found in zip(wanted, listeners, bodies, strict=True)
        ]
        return tuple(whole), len(listed)

    def status(self, load_balancer_id: str, within: float | None = None) -> str:
        """Its provisioning status; DELETED once it is gone. `within`: seconds that are left for asking."""
        path, key = RESOURCES["load_balancer"]
        call = CloudCall(OCTAVIA, "GET", f"{path}/{load_balancer_id}", {"fields": ["provisioning_status"]})
        found = self._cloud.read(call, key, self._cloud.patience.start(within))
        return "DELETED" if found is None else str(found["provisioning_status"])

    def whose(self, load_balancer_id: str) -> str:
        """The project of a load balancer that was not among our own; "" where it is gone."""
        path, key = RESOURCES["load_balancer"]
        call = CloudCall(OCTAVIA, "GET", f"{path}/{load_balancer_id}", {"fields": ["id", "project_id"]})
        try:
            found = self._cloud.read(call, key)
        except Forbidden:
            return "another project's: these credentials may not see it"
        mine = self._cloud.project_id
        return "" if found is None or found["project_id"] == mine else f"of project {found['project_id']}"

    def zones(self) -> dict[str, bool] | None:
        """Availability zones by name, and whether they are enabled; None where the API has none."""
        found = self._cloud.read(CloudCall(OCTAVIA, "GET", "/lbaas/availabilityzones"), "availability_zones")
        return None if found is None else {one["name"]: one["enabled"] for one in found}

    def providers(self) -> tuple[str, ...] | None:
        found = self._cloud.read(CloudCall(OCTAVIA, "GET", "/lbaas/providers"), "providers")
        return None if found is None else tuple(one["name"] for one in found)

    def flavors(self) -> dict[str, str] | None:
        """Enabled flavors, name → id."""
        found = self._cloud.read(CloudCall(OCTAVIA, "GET", "/lbaas/flavors"), "flavors")
        return None if found is None else {one["name"]: one["id"] for one in found if one["enabled"]}

    def quotas(self, load_balancers: int) -> dict[str, Quota]:
        """Only what is limited is counted: by default nothing is."""
        call = CloudCall(OCTAVIA, "GET", f"/lbaas/quotas/{self._cloud.project_id}")
        limits: dict[str, int] = self._cloud.read(call, "quota") or {}
        limited = {name: limits[name] for name in (*RESOURCES, "member") if limits.get(name, -1) >= 0}
        counts = {"load_balancer": load_balancers}
        if limited.keys() & {"pool", "member"}:
            pools = list(self._cloud.own_items(OCTAVIA, "/lbaas/pools", "pools", {"fields": ["id", "members"]}))
            counts |= {"pool": len(pools), "member": sum(len(one["members"]) for one in pools)}
        for name in limited.keys() & {"listener", "health_monitor"}:
            path = RESOURCES[name][0]
            found = self._cloud.own_items(OCTAVIA, path, path.rpartition("/")[2], {"fields": ["id"]})
            counts[name] = sum(1 for _one in found)
        return {name: Quota(limit, counts[name]) for name, limit in limited.items()}

    def _listeners(self, lb: LoadBalancer) -> list[Listener]:
        query = {"load_balancer_id": lb.id}
        return [_listener(one) for one in self._cloud.items(OCTAVIA, "/lbaas/listeners", "listeners", query)]

    def _pool_bodies(self, lb: LoadBalancer) -> list[Body]:
        return list(self._cloud.items(OCTAVIA, "/lbaas/pools", "pools", {"loadbalancer_id": lb.id}))

    def _pool(self, body: Body) -> Pool:
        members: Iterable[Body] = ()
        if body.get("members"):
            members = self._cloud.items(OCTAVIA, f"/lbaas/pools/{body['id']}/members", "members", below=True)
        monitor = None
        if body.get("healthmonitor_id"):
            path, key = RESOURCES["health_monitor"]
            monitor = self._cloud.read(CloudCall(OCTAVIA, "GET", f"{path}/{body['healthmonitor_id']}"), key)
        return Pool(
            id=body["id"],
            name=body["name"],
            protocol=body["protocol"],
            lb_algorithm=body["lb_algorithm"],
            admin_state_up=_is_up(body),
            monitor=_monitor(monitor) if monitor else None,
            members=tuple(map(_member, members)),
            provisioning_status=body["provisioning_status"],
            operating_status=body["operating_status"],
        )


def _with(lb: LoadBalancer, listeners: Iterable[Listener], pools: Iterable[Pool]) -> LoadBalancer:
    return replace(lb, listeners=tuple(listeners), pools=tuple(pools))


def _load_balancer(body: Mapping[str, Any]) -> LoadBalancer:
    texts: dict[str, Any] = {name: body.get(name) or "" for name in _FIELDS if name not in ("tags", "admin_state_up")}
    return LoadBalancer(**texts, tags=tuple(body.get("tags") or ()), admin_state_up=_is_up(body))


def _is_up(body: Mapping[str, Any]) -> bool:
    """Switched off by somebody, or not."""
    return body.get("admin_state_up") is not False


def _listener(body: Mapping[str, Any]) -> Listener:
    return Listener(
        id=body["id"],
        name=body["name"],
        protocol_port=body["protocol_port"],
        protocol=body["protocol"],
        allowed_cidrs=tuple(body.get("allowed_cidrs") or ()),
        pool_id=body.get("default_pool_id") or "",
        timeout_client_data=body.get("timeout_client_data"),
        timeout_member_data=body.get("timeout_member_data"),
        admin_state_up=_is_up(body),
        provisioning_status=body["provisioning_status"],
        operating_status=body["operating_status"],
    )


def _monitor(body: Mapping[str, Any]) -> HealthMonitor:
    numbers = {name: int(body[name]) for name in ("delay", "timeout", "max_retries", "max_retries_down")}
    return HealthMonitor(
        id=body["id"],
        name=body.get("name") or "",
        type=body["type"],
        admin_state_up=_is_up(body),
        provisioning_status=body["provisioning_status"],
        **numbers,
    )


def _member(body: Mapping[str, Any]) -> Member:
    return Member(
        id=body["id"],
        name=body.get("name") or "",
        address=body["address"],
        protocol_port=body["protocol_port"],
        subnet_id=body.get("subnet_id") or "",
        weight=body["weight"],
        backup=bool(body.get("backup")),
        monitor_address=body.get("monitor_address"),
        monitor_port=body.get("monitor_port"),
        admin_state_up=body["admin_state_up"],
        tags=tuple(body.get("tags") or ()),
        provisioning_status=body["provisioning_status"],
        operating_status=body["operating_status"],
    )
