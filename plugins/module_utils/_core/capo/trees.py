# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners, pools, monitors and members of a load balancer that exists (CAPO-3, CAPO-5, CAPO-11).

Everything is found by its place in the tree, never by name, so a rename that stopped half-way simply goes on.
"""

from __future__ import annotations

from typing import Any

from ..model import Disruption, Finding, Severity
from .bodies import listener_body, monitor_body, monitor_values, pool_body
from .cidrs import narrows, read_back
from .members import MemberPlan, plan_members
from .names import port_name
from .observed import Listener, LoadBalancer, Pool
from .site import Site
from .steps import (
    Anchor,
    Lane,
    create,
    created,
    delete_listener,
    delete_pool,
    drain_members,
    member_body,
    replace_members,
    update,
)
from .validate import error

PASSED_THROUGH = ("TCP", "HTTPS")  # listener protocols that hand TLS to the API server untouched


def tend_tree(site: Site, lane: Lane, anchor: Anchor, lb: LoadBalancer, zone: str, version: int) -> None:
    """Each port in turn: listener, pool, monitor, members. Then what is no longer wanted."""
    spoken_for: set[str] = set()
    for port in site.ports:
        tend_port(site, lane, anchor, lb, zone, port, version, spoken_for)
    _drop_ports(site, lane, anchor, lb)
    _drop_loose_pools(site, lane, anchor, lb, spoken_for)


def tend_port(
    site: Site, lane: Lane, anchor: Anchor, lb: LoadBalancer, zone: str, port: int, version: int, spoken_for: set[str]
) -> None:
    name = port_name(anchor.name, port)
    listener = lb.listener(port)
    if listener is not None and listener.protocol not in PASSED_THROUGH:
        what = f"its listener on port {port} speaks {listener.protocol}; the API needs TCP, and that cannot be changed."
        remedy = "Delete the listener; it is then made anew."
        lane.findings.append(error("listener_protocol", lb.name, what, remedy, port))
        return
    pool = lb.pool(listener.pool_id) if listener else None
    loose = None if pool else _loose_pool(site, lb, port)
    if loose is not None:
        spoken_for.add(loose.id)
    if listener is None:
        body = listener_body(site, name, port, lb, version) | {"loadbalancer_id": lb.id}
        body |= {"default_pool_id": loose.id} if loose else {}
        lane.note("listener", None, name, port)
        lane.add(create(anchor, "listener", name, body, f"Port {port} is not listened on yet."))
    else:
        _tend_listener(site, lane, anchor, lb, listener, loose, name, version)
    pool = pool or loose
    _tend_pool(site, lane, anchor, lb, listener, pool, name)
    _tend_monitor(site, lane, anchor, lb, pool, name)
    tend_members(site, lane, anchor, pool, zone, port)


def _loose_pool(site: Site, lb: LoadBalancer, port: int) -> Pool | None:
    """A pool of ours that lost its listener, or never got one."""
    return next((pool for pool in lb.loose_pools if _is_ours(site, pool.name, port)), None)


def _is_ours(site: Site, name: str, port: int) -> bool:
    """On a load balancer that is this cluster's: under any of the names it has or had."""
    return name.startswith(site.identity.prefix) and name.endswith(f"-{port}")


def _tend_listener(
    site: Site,
    lane: Lane,
    anchor: Anchor,
    lb: LoadBalancer,
    listener: Listener,
    loose: Pool | None,
    name: str,
    version: int,
) -> None:
    change: dict[str, Any] = {}
    disruption = Disruption.NONE
    port = listener.protocol_port
    if listener.name != name or listener.provisioning_status == "ERROR":
        change["name"] = name
        lane.note("listener", f"{listener.name} {listener.provisioning_status}", f"{name} ACTIVE", port)
    if loose is not None:
        change["default_pool_id"] = loose.id
    if site.desired.allowed_cidrs is not None and site.can("allowed_cidrs", lb):
        want, have = site.cidrs(version).cidrs, read_back(listener.allowed_cidrs)
        if want != have:
            change["allowed_cidrs"] = list(want)
            lane.note("allowed_cidrs", list(have), list(want), port)
            disruption = Disruption.BRIEF if narrows(have, want) else Disruption.NONE
    if change:
        why = f"Bring the listener on port {port} in line."
        lane.add(update(anchor, "listener", listener, change, why, disruption))


def _tend_pool(
    site: Site, lane: Lane, anchor: Anchor, lb: LoadBalancer, listener: Listener | None, pool: Pool | None, name: str
) -> None:
    if pool is None:
        body = pool_body(site, name, lb) | {"listener_id": listener.id if listener else created("listener", name)}
        lane.note("pool", None, name)
        lane.add(create(anchor, "pool", name, body, f"Listener {name} has no pool yet."))
    elif pool.name != name or pool.provisioning_status == "ERROR":
        # Octavia refuses members and monitors of a pool in ERROR, but takes an update of the pool itself.
        lane.note("pool", f"{pool.name} {pool.provisioning_status}", f"{name} ACTIVE")
        lane.add(update(anchor, "pool", pool, {"name": name}, f"Bring pool {pool.name} in line."))


def _tend_monitor(site: Site, lane: Lane, anchor: Anchor, lb: LoadBalancer, pool: Pool | None, name: str) -> None:
    monitor = pool.monitor if pool else None
    if monitor is None:
        if not site.can("health_monitor", lb):
            what = "the provider has no health monitors; members are never taken out when they fail."
            lane.findings.append(Finding("monitor_unsupported", Severity.WARNING, lb.name, what))
            return
        body = monitor_body(site, name) | {"pool_id": pool.id if pool else created("pool", name)}
        lane.note("health_monitor", None, name)
        lane.add(create(anchor, "health_monitor", name, body, f"Pool {name} has no monitor yet."))
        return
    change: dict[str, Any] = {
        key: value for key, value in monitor_values(site).items() if getattr(monitor, key) != value
    }
    if monitor.name != name or monitor.provisioning_status == "ERROR":
        change["name"] = name
    if change:
        lane.note("health_monitor", {key: getattr(monitor, key) for key in change}, change)
        lane.add(update(anchor, "health_monitor", monitor, change, f"Bring monitor {monitor.name} in line."))


def tend_members(site: Site, lane: Lane, anchor: Anchor, pool: Pool | None, zone: str, port: int) -> None:
    plan = plan_members(site, anchor.name, port, zone, pool)
    name = port_name(anchor.name, port)
    for address in plan.foreign:
        what = f"member {address} of pool {name} was registered by somebody else; it is kept."
        lane.findings.append(Finding("foreign_member", Severity.WARNING, anchor.name, what, "", address))
    if plan.added or plan.leaving or plan.removed_stale:
        gone = [*(one["address"] for one in plan.leaving), *plan.removed_stale]
        lane.note("members", {"stale": gone, "missing": list(plan.added)}, [one["address"] for one in plan.body], port)
    if plan.changed:
        lane.add(replace_members(anchor, pool, name, plan.at_first, _why(name, plan)))
    if plan.leaving and pool is not None:
        _take_out(lane, anchor, pool, plan, name)


def _why(name: str, plan: MemberPlan) -> str:
    counts = {"add": plan.added, "remove": plan.removed_stale, "rename": plan.renamed, "repair": plan.repaired}
    return f"Members of pool {name} to " + ", to ".join(f"{verb}: {len(of)}" for verb, of in counts.items() if of) + "."


def _take_out(lane: Lane, anchor: Anchor, pool: Pool, plan: MemberPlan, name: str) -> None:
    """Machines that still run leave only when every zone's load balancer stands: nobody is left without one."""
    disruption = Disruption.BRIEF
    if not plan.body:
        disruption = Disruption.OUTAGE
        what = "it loses its last members; whoever still comes to its address gets no answer."
        lane.findings.append(Finding("zone_empties", Severity.WARNING, anchor.name, what, "Take it out of DNS first."))
    before = plan.at_first if plan.changed else [member_body(one) for one in pool.members]
    why = f"Take {len(plan.leaving)} running machine(s) of other zones out of pool {name}."
    lane.later.append(drain_members(anchor, pool, before, plan.body, why, disruption))


def _drop_ports(site: Site, lane: Lane, anchor: Anchor, lb: LoadBalancer) -> None:
    for listener in lb.listeners:
        port = listener.protocol_port
        if port in site.ports:
            continue
        if not _is_ours(site, listener.name, port):
            what = f"listener {listener.name} on port {port} is none of ours; it is left alone."
            lane.findings.append(Finding("foreign_listener", Severity.INFO, lb.name, what, "", port))
            continue
        pool = lb.pool(listener.pool_id)
        endpoint = site.observed.cluster.endpoint_port if site.observed.cluster else None
        disruption = Disruption.OUTAGE if port == endpoint else Disruption.BRIEF
        why = f"Port {port} is no longer wanted."
        lane.note("listener", listener.name, None, port)
        lane.add(delete_listener(anchor, listener, pool, why, disruption))
        if pool is not None and not any(one.pool_id == pool.id for one in lb.listeners if one is not listener):
            lane.add(delete_pool(anchor, pool, why))


def _drop_loose_pools(site: Site, lane: Lane, anchor: Anchor, lb: LoadBalancer, spoken_for: set[str]) -> None:
    """Deleting a listener leaves its pool: a run that died in between left one."""
    for pool in lb.loose_pools:
        if pool.id not in spoken_for and pool.name.startswith(site.identity.prefix):
            lane.note("pool", pool.name, None)
            lane.add(delete_pool(anchor, pool, f"No listener uses pool {pool.name} any more."))
