# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""For people: what stands, before and after of what a person edits (CORE-5, CAPO-6, CAPO-10)."""

from __future__ import annotations

from typing import Any

from .assembly import Lane
from .cidrs import read_back
from .dns import dns_records
from .floating import Choice
from .members import plan_members
from .ownership import Assignment, by_slot
from .record import entry_now, mirror_of
from .site import Site, Slot
from .state import HealthMonitor, LoadBalancer, Pool
from .trees import monitor_values


def standing(site: Site, assigned: Assignment) -> dict[str, Any]:
    """Returned whatever is decided: what there is, keyed by zone, and what to publish."""
    found = [(slot.zone, lb) for slot, lb in by_slot(site, assigned) if lb is not None]
    first = assigned.of(site.first_zone)
    return {
        "api_server_load_balancers": [entry_now(site, zone, lb) for zone, lb in found if zone],
        "mirror": mirror_of(entry_now(site, site.first_zone, first)) if first else None,
        "mirror_zone": site.first_zone,
        "dns_records": dns_records(site, assigned),
        "counts": {
            "zones": len(site.slots),
            "load_balancers": len(found),
            "retiring": len(assigned.unwanted),
            "legacy": int(assigned.legacy is not None),
        },
    }


# --- before and after, for diff mode: no ids, no noise


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


def seen_now(site: Site, assigned: Assignment) -> dict[str, Any]:
    """Every load balancer of the cluster, by lane."""
    return {slot.lane: seen(site, lb) for slot, lb in by_slot(site, assigned) if lb is not None}


def _port(pool: Pool | None, cidrs: tuple[str, ...]) -> dict[str, Any]:
    members = sorted(member.address for member in pool.members) if pool else []
    return {"allowed_cidrs": list(cidrs), "monitor": _monitor(pool.monitor if pool else None), "members": members}


def _monitor(monitor: HealthMonitor | None) -> dict[str, int] | None:
    if monitor is None:
        return None
    return {key: getattr(monitor, key) for key in ("delay", "timeout", "max_retries", "max_retries_down")}


def meant(
    site: Site, slot: Slot, lb: LoadBalancer | None, choice: Choice, lane: Lane, drained: bool
) -> dict[str, Any] | None:
    """The same once the lane is done. A lane that is stuck changes nothing; `drained`: machines of others are out."""
    if lane.stuck:
        return seen(site, lb) if lb else None
    kept = None if lane.creates else lb
    after = choice.address_after
    ports = {} if kept is None else seen(site, kept)["ports"]
    gone = {step.uid for step in lane.steps if step.verb == "delete"}
    for listener in kept.listeners if kept else ():
        if listener.id in gone:
            del ports[str(listener.protocol_port)]
    for port in site.ports:
        ports[str(port)] = _meant_port(site, slot, kept, port, drained)
    return {
        "name": slot.name,
        "subnet": slot.subnet_id,
        "availability_zone": kept.availability_zone if kept else site.hint(slot)[0],
        "floating_ip": "(new)" if after is None else after,
        "ports": dict(sorted(ports.items(), key=lambda one: int(one[0]))),
    }


def meant_members(site: Site, slot: Slot, lb: LoadBalancer, lane: Lane, drained: bool) -> dict[str, Any]:
    """What a run that only looks after members leaves."""
    shown = seen(site, lb)
    for listener in lb.listeners:
        pool = lb.pool(listener.pool_id)
        port = listener.protocol_port
        if port in site.ports and pool is not None and not lane.stuck:
            shown["ports"][str(port)]["members"] = _members(site, slot, pool, port, drained)
    return shown


def _members(site: Site, slot: Slot, pool: Pool | None, port: int, drained: bool) -> list[str]:
    plan = plan_members(site, slot, port, pool)
    return sorted(one["address"] for one in (plan.body if drained else plan.at_first))


def _meant_port(site: Site, slot: Slot, lb: LoadBalancer | None, port: int, drained: bool) -> dict[str, Any]:
    listener = lb.listener(port) if lb else None
    pool = lb.pool(listener.pool_id) if lb and listener else None
    cidrs = read_back(listener.allowed_cidrs) if listener else ()
    if site.can("allowed_cidrs", lb or slot) and (listener is None or site.desired.allowed_cidrs is not None):
        cidrs = site.cidrs(slot.version).cidrs
    monitored = (pool is not None and pool.monitor is not None) or site.can("health_monitor", lb or slot)
    return {
        "allowed_cidrs": list(cidrs),
        "monitor": monitor_values(site) if monitored else None,
        "members": _members(site, slot, pool, port, drained),
    }
