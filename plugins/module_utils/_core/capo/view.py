# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before and after of what a person edits, for diff mode (CORE-5): no ids, no noise."""

from __future__ import annotations

from typing import Any

from .bodies import monitor_values
from .cidrs import read_back
from .floating import Choice
from .lanes import Berth
from .members import plan_members
from .observed import HealthMonitor, LoadBalancer, Pool
from .site import Site
from .steps import Lane


def seen(site: Site, lb: LoadBalancer) -> dict[str, Any]:
    """A load balancer as it is."""
    ip = site.observed.floating_ip_on(lb.vip_port_id)
    return {
        "name": lb.name,
        "subnet": lb.vip_subnet_id,
        "availability_zone": lb.availability_zone,
        "floating_ip": ip.address if ip else "",
        "ports": {
            str(listener.protocol_port): _port(lb.pool(listener.pool_id), read_back(listener.allowed_cidrs))
            for listener in sorted(lb.listeners, key=lambda one: one.protocol_port)
        },
    }


def _port(pool: Pool | None, cidrs: tuple[str, ...]) -> dict[str, Any]:
    members = sorted(member.address for member in pool.members) if pool else []
    return {"allowed_cidrs": list(cidrs), "monitor": _monitor(pool.monitor if pool else None), "members": members}


def _monitor(monitor: HealthMonitor | None) -> dict[str, int] | None:
    if monitor is None:
        return None
    return {key: getattr(monitor, key) for key in ("delay", "timeout", "max_retries", "max_retries_down")}


def meant(
    site: Site, berth: Berth, lb: LoadBalancer | None, choice: Choice, lane: Lane, drained: bool
) -> dict[str, Any] | None:
    """The same once the lane is done. A lane that is stuck changes nothing; `drained`: machines of others are out."""
    if lane.stuck:
        return seen(site, lb) if lb else None
    kept = None if lane.creates else lb
    after = choice.address_after
    ports = {} if kept is None else seen(site, kept)["ports"]
    for listener in kept.listeners if kept else ():
        gone = {step.uid for step in lane.steps if step.verb == "delete"}
        if listener.id in gone:
            del ports[str(listener.protocol_port)]
    for port in site.ports:
        ports[str(port)] = _meant_port(site, berth, kept, port, drained)
    return {
        "name": berth.name,
        "subnet": berth.subnet_id,
        "availability_zone": kept.availability_zone if kept else site.hint(berth.zone)[0],
        "floating_ip": "(new)" if after is None else after,
        "ports": dict(sorted(ports.items(), key=lambda one: int(one[0]))),
    }


def meant_members(site: Site, berth: Berth, lb: LoadBalancer, lane: Lane, drained: bool) -> dict[str, Any]:
    """What a run that only looks after members leaves."""
    shown = seen(site, lb)
    for listener in lb.listeners:
        pool = lb.pool(listener.pool_id)
        port = listener.protocol_port
        if port in site.ports and pool is not None and not lane.stuck:
            shown["ports"][str(port)]["members"] = _members(site, berth, pool, port, drained)
    return shown


def _members(site: Site, berth: Berth, pool: Pool | None, port: int, drained: bool) -> list[str]:
    plan = plan_members(site, berth.name, port, berth.zone, pool)
    return sorted(one["address"] for one in (plan.body if drained else plan.at_first))


def _meant_port(site: Site, berth: Berth, lb: LoadBalancer | None, port: int, drained: bool) -> dict[str, Any]:
    listener = lb.listener(port) if lb else None
    pool = lb.pool(listener.pool_id) if lb and listener else None
    cidrs = read_back(listener.allowed_cidrs) if listener else ()
    if site.can("allowed_cidrs", lb) and (listener is None or site.desired.allowed_cidrs is not None):
        cidrs = site.cidrs(berth.version).cidrs
    monitored = (pool is not None and pool.monitor is not None) or site.can("health_monitor", lb)
    return {
        "allowed_cidrs": list(cidrs),
        "monitor": monitor_values(site) if monitored else None,
        "members": _members(site, berth, pool, port, drained),
    }
