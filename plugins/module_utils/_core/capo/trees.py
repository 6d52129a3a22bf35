# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners, pools, monitors and members: made in one request with a new load balancer, updated in place below one
that exists (CAPO-3, CAPO-5, CAPO-11; facts: capo §3).

Everything is found by its place in the tree, never by name, so a rename that stopped half-way simply goes on.
"""

from __future__ import annotations

from typing import Any

from ..model import Disruption, Finding, Severity
from .assembly import Lane
from .cidrs import narrows, read_back, shut_out
from .labels import error
from .members import REFUSED, WAITS, MemberPlan, is_drained, member_body, plan_members
from .names import CLUSTER_TAG, FORMER_NAME_TAG, NAME_LIMIT, PROJECT_TAG, UID_TAG, ZONE_TAG, port_name
from .ownership import Owner, owner_of
from .site import PROTOCOL, Site, Slot
from .state import HealthMonitor, Listener, LoadBalancer, Pool
from .steps import create, created, delete_listener, delete_pool, first_members, replace_members, update

PASSED_THROUGH = ("TCP", "HTTPS")  # listener protocols that hand TLS to the API server untouched
TIMEOUTS = ("timeout_client_data", "timeout_member_data")


# --- bodies of what is made


def load_balancer_body(site: Site, slot: Slot) -> dict[str, Any]:
    """A fully populated load balancer: listeners, pools, monitors and members in one POST, where the provider takes
    that. Where it does not, they are made one by one once it stands."""
    body: dict[str, Any] = {
        "name": slot.name,
        "description": site.identity.description(slot.zone),
        "vip_subnet_id": slot.subnet_id,
        "vip_network_id": slot.network_id,
    }
    whole = [_populated_listener(site, slot, port) for port in site.ports] if site.can("tree", slot) else None
    optional = {
        "listeners": whole,
        "tags": list(wanted_tags(site, slot.zone, None)) if site.can("tags", slot) else None,
        "provider": slot.provider,
        "flavor_id": site.flavor_id(slot),
        "availability_zone": site.hint(slot)[0],
        "vip_address": slot.fixed_ip or slot.wished_ip,
    }
    return body | {key: value for key, value in optional.items() if value}


def _populated_listener(site: Site, slot: Slot, port: int) -> dict[str, Any]:
    name = port_name(slot.name, port)
    pool = _pool_body(site, name, slot)
    if site.can("health_monitor", slot):
        pool["healthmonitor"] = _monitor_body(site, name)
    pool["members"] = list(plan_members(site, slot, port, None).body)
    return _listener_body(site, slot, port, slot) | {"default_pool": pool}


def _listener_body(site: Site, slot: Slot, port: int, of: LoadBalancer | Slot) -> dict[str, Any]:
    body: dict[str, Any] = {"name": port_name(slot.name, port), "protocol": PROTOCOL, "protocol_port": port}
    cidrs = site.cidrs(slot.version).cidrs
    if cidrs and site.can("allowed_cidrs", of):
        body["allowed_cidrs"] = list(cidrs)
    return body | wanted_timeouts(site, of) | _tags(site, of)


def wanted_timeouts(site: Site, of: LoadBalancer | Slot) -> dict[str, int]:
    if not site.can("timeouts", of):
        return {}
    wanted = {name: getattr(site.desired, name) for name in TIMEOUTS}
    return {name: value for name, value in wanted.items() if value is not None}


def _pool_body(site: Site, name: str, of: LoadBalancer | Slot) -> dict[str, Any]:
    return {"name": name, "protocol": PROTOCOL, "lb_algorithm": site.algorithm(of)} | _tags(site, of)


def _monitor_body(site: Site, name: str) -> dict[str, Any]:
    return {"name": name, "type": PROTOCOL} | monitor_values(site)


def monitor_values(site: Site) -> dict[str, int]:
    spec = site.desired.monitor
    return {
        "delay": spec.delay,
        "timeout": spec.timeout,
        "max_retries": spec.max_retries,
        "max_retries_down": spec.max_retries_down,
    }


def _tags(site: Site, of: LoadBalancer | Slot) -> dict[str, Any]:
    return {"tags": list(site.desired.tags)} if site.desired.tags and site.can("tags", of) else {}


def wanted_tags(site: Site, zone: str, lb: LoadBalancer | None) -> tuple[str, ...]:
    """Our marks and the user's tags; what others put there stays (CORE-6), and so does what is not known this time."""
    marks = (*site.identity.tags(zone), *_former_name(site, zone, lb), *site.learned(zone, lb))
    renewed: tuple[str, ...] = (CLUSTER_TAG, ZONE_TAG)
    renewed += (PROJECT_TAG,) if site.identity.project else ()
    renewed += (UID_TAG,) if site.identity.uid else ()
    kept = [tag for tag in (lb.tags if lb else ()) if not tag.startswith(renewed) or tag in marks]
    return (*kept, *(tag for tag in (*marks, *site.desired.tags) if tag not in kept))


def _former_name(site: Site, zone: str, lb: LoadBalancer | None) -> tuple[str, ...]:
    """Of one that is being adopted under another name: it gets it back when all goes."""
    name = site.identity.zone(zone) if zone else site.identity.legacy
    if lb is None or lb.name == name or owner_of(site, lb) is Owner.OURS:
        return ()
    tag = FORMER_NAME_TAG + lb.name
    return (tag,) if len(tag) <= NAME_LIMIT else ()


# --- what is there, brought in line


def update_tree(site: Site, lane: Lane, slot: Slot, lb: LoadBalancer) -> None:
    """Each port in turn: listener, pool, monitor, members. Then what is no longer wanted."""
    _say_what_is_missing(site, lane, lb)
    used = {pool.id for port in site.ports if (pool := _update_port(site, lane, slot, lb, port)) is not None}
    _drop_ports(site, lane, lb)
    for pool in lb.loose_pools:
        # Deleting a listener leaves its pool: a run that died in between left one.
        if pool.id not in used and pool.name.startswith(site.identity.prefix):
            lane.note("pool", pool.name, None)
            lane.add(delete_pool(lb, pool, f"no listener uses pool {pool.name} any more"))


def _say_what_is_missing(site: Site, lane: Lane, lb: LoadBalancer) -> None:
    """Monitors and allowed CIDRs are told of where they are looked at."""
    provider = site.provider(lb) or "default"
    asked = [name for name in TIMEOUTS if getattr(site.desired, name) is not None]
    if asked and not site.can("timeouts", lb):
        what = f"provider {provider} takes no timeouts; its own cut connections that are silent for longer."
        lane.findings.append(Finding("timeouts_unsupported", Severity.WARNING, lb.name, what))
    if not site.can("round_robin", lb):
        what = f"provider {provider} has no ROUND_ROBIN; connections are spread by {site.algorithm(lb)}."
        lane.findings.append(Finding("algorithm_unsupported", Severity.INFO, lb.name, what))


def _update_port(site: Site, lane: Lane, slot: Slot, lb: LoadBalancer, port: int) -> Pool | None:
    """The pool that the port uses, where there is one already."""
    name = port_name(slot.name, port)
    listener = lb.listener(port)
    if listener is not None and listener.protocol not in PASSED_THROUGH:
        what = f"its listener on port {port} speaks {listener.protocol}; the API needs TCP, and that cannot be changed."
        remedy = "Delete the listener; it is then made anew."
        lane.findings.append(error("listener_protocol", lb.name, what, remedy, port))
        return None
    pool = lb.pool(listener.pool_id) if listener else None
    loose = None if pool else _loose_pool(site, lb, port)
    if listener is None:
        body = _listener_body(site, slot, port, lb) | {"loadbalancer_id": lb.id}
        body |= {"default_pool_id": loose.id} if loose else {}
        lane.note("listener", None, name, port)
        lane.add(create("listener", name, body, f"port {port} is not listened on yet", lb))
    else:
        _update_listener(site, lane, slot, lb, listener, loose)
    pool = pool or loose
    _update_pool(site, lane, lb, listener, pool, name)
    _update_monitor(site, lane, lb, pool, name)
    update_members(site, lane, slot, lb, pool, port)
    return pool


def _loose_pool(site: Site, lb: LoadBalancer, port: int) -> Pool | None:
    """A pool of ours that lost its listener, or never got one."""
    return next((pool for pool in lb.loose_pools if _is_ours(site, pool.name, port)), None)


def _is_ours(site: Site, name: str, port: int) -> bool:
    """On a load balancer that is this cluster's: under any of the names it has or had."""
    return name.startswith(site.identity.prefix) and name.endswith(f"-{port}")


def _update_listener(
    site: Site, lane: Lane, slot: Slot, lb: LoadBalancer, listener: Listener, loose: Pool | None
) -> None:
    change: dict[str, Any] = {}
    forth = back = Disruption.NONE
    port = listener.protocol_port
    name = port_name(slot.name, port)
    why: list[str] = []
    if listener.name != name or listener.provisioning_status == "ERROR":
        change["name"] = name
        why.append(_named_or_mended("listener", listener, name))
        lane.note("listener", f"{listener.name} {listener.provisioning_status}", f"{name} ACTIVE", port)
    if site.desired.allowed_cidrs is not None and site.can("allowed_cidrs", lb):
        want, have = site.cidrs(slot.version).cidrs, read_back(listener.allowed_cidrs)
        if want != have:
            change["allowed_cidrs"] = list(want)
            why.append(shut_out(port, have, want))
            lane.note("allowed_cidrs", list(have), list(want), port)
            forth = Disruption.BRIEF if narrows(have, want) else Disruption.NONE
            back = Disruption.BRIEF if narrows(want, have) else Disruption.NONE
    for name, value in wanted_timeouts(site, lb).items():
        if getattr(listener, name) != value:
            change[name] = value
            why.append(f"{name} of the listener on port {port} becomes {value} ms")
            lane.note(name, getattr(listener, name), value, port)
    if loose is not None:
        change["default_pool_id"] = loose.id
        why.append(f"the listener on port {port} has lost its pool {loose.name}")
        back = Disruption.OUTAGE
    if change:
        lane.add(update(lb, "listener", listener, change, "; ".join(why), forth, back))
    if not listener.admin_state_up:
        switch_on(lane, lb, "listener", listener)


def switch_on(lane: Lane, lb: LoadBalancer, kind: str, target: LoadBalancer | Listener | Pool | HealthMonitor) -> None:
    """On its own: it is the one change that clients notice at once, and taking it back shuts them out."""
    lane.note("admin_state_up", False, True)
    why = f"{kind.replace('_', ' ')} {target.name} is switched off, and nobody is served through it"
    back = Disruption.NONE if kind == "health_monitor" else Disruption.OUTAGE
    lane.add(update(lb, kind, target, {"admin_state_up": True}, why, back=back))


def _named_or_mended(kind: str, target: Listener | Pool | HealthMonitor, name: str) -> str:
    """Octavia takes an update of what is in ERROR, and that mends it."""
    if target.provisioning_status == "ERROR":
        return f"{kind} {target.name} is in ERROR, and an update mends it"
    return f"{kind} {target.name} gets the name {name}"


def _update_pool(
    site: Site, lane: Lane, lb: LoadBalancer, listener: Listener | None, pool: Pool | None, name: str
) -> None:
    if pool is None:
        body = _pool_body(site, name, lb) | {"listener_id": listener.id if listener else created("listener", name)}
        lane.note("pool", None, name)
        lane.add(create("pool", name, body, f"listener {name} has no pool yet", lb))
    elif pool.name != name or pool.provisioning_status == "ERROR":
        # Octavia refuses members and monitors of a pool in ERROR, but takes an update of the pool itself.
        lane.note("pool", f"{pool.name} {pool.provisioning_status}", f"{name} ACTIVE")
        lane.add(update(lb, "pool", pool, {"name": name}, _named_or_mended("pool", pool, name)))
    if pool is not None and not pool.admin_state_up:
        switch_on(lane, lb, "pool", pool)


def _update_monitor(site: Site, lane: Lane, lb: LoadBalancer, pool: Pool | None, name: str) -> None:
    monitor = pool.monitor if pool else None
    if monitor is None:
        if not site.can("health_monitor", lb):
            what = "the provider has no health monitors; members are never taken out when they fail."
            lane.findings.append(Finding("monitor_unsupported", Severity.WARNING, lb.name, what))
            return
        body = _monitor_body(site, name) | {"pool_id": pool.id if pool else created("pool", name)}
        lane.note("health_monitor", None, name)
        lane.add(create("health_monitor", name, body, f"pool {name} has no monitor yet", lb))
        return
    change: dict[str, Any] = {
        key: value for key, value in monitor_values(site).items() if getattr(monitor, key) != value
    }
    why = [f"monitor {monitor.name} has another {', '.join(sorted(change))}"] if change else []
    if monitor.name != name or monitor.provisioning_status == "ERROR":
        change["name"] = name
        why.append(_named_or_mended("monitor", monitor, name))
    if change:
        lane.note("health_monitor", {key: getattr(monitor, key) for key in change}, change)
        lane.add(update(lb, "health_monitor", monitor, change, "; ".join(why)))
    if not monitor.admin_state_up:
        switch_on(lane, lb, "health_monitor", monitor)


def update_members(site: Site, lane: Lane, slot: Slot, lb: LoadBalancer, pool: Pool | None, port: int) -> None:
    plan = plan_members(site, slot, port, pool)
    name = port_name(slot.name, port)
    for address in plan.foreign:
        what = f"member {address} of pool {name} was registered by somebody else; it is kept."
        lane.findings.append(Finding("foreign_member", Severity.WARNING, slot.name, what, "", address))
    for member in pool.members if pool else ():
        if is_drained(member):
            what = f"member {member.address} of pool {name} is switched off or has weight 0; it is left so."
            remedy = "Switch it on by hand when its machine is to serve."
            lane.findings.append(Finding("member_drained", Severity.WARNING, slot.name, what, remedy, member.address))
    if plan.added or plan.leaving or plan.removed_stale:
        gone = [*(one["address"] for one in plan.leaving), *plan.removed_stale]
        lane.note("members", {"stale": gone, "missing": list(plan.added)}, [one["address"] for one in plan.body], port)
    if pool is None:
        if plan.changed:
            lane.add(first_members(lb, name, plan.at_first, _why(name, plan)))
        return
    have = [member_body(one) for one in pool.members]
    last = plan.last_go and bool(plan.removed_stale)
    if plan.changed:
        why = _why(name, plan) + (_nobody_answers(site) if last else "")
        cost = Disruption.OUTAGE if last else Disruption.NONE
        lane.add(replace_members(lb, pool, have, plan.at_first, why, cost))
    if plan.leaving:
        _take_out(site, lane, lb, pool, plan)
    _tell_last(lane, slot, plan, name)


def _why(name: str, plan: MemberPlan) -> str:
    counts = {"added": plan.added, "removed": plan.removed_stale, "renamed": plan.renamed, "mended": plan.repaired}
    return f"pool {name} has other members: " + ", ".join(f"{len(of)} {verb}" for verb, of in counts.items() if of)


def _take_out(site: Site, lane: Lane, lb: LoadBalancer, pool: Pool, plan: MemberPlan) -> None:
    """Machines that still run leave only when every zone's load balancer stands: nobody is left without one."""
    before = plan.at_first if plan.changed else [member_body(one) for one in pool.members]
    gone = ", ".join(one["address"] for one in plan.leaving)
    why = f"running machines of other zones leave pool {pool.name}: {gone}"
    why += _nobody_answers(site) if plan.last_go else ""
    disruption = Disruption.OUTAGE if plan.last_go else Disruption.BRIEF
    lane.later.append(replace_members(lb, pool, before, plan.body, why, disruption))


def _nobody_answers(site: Site) -> str:
    """With the reason that a person gave: it is read again in the event and in the result."""
    return f", and nobody answers there any more (said: {site.desired.empty_pools_because})"


def _tell_last(lane: Lane, slot: Slot, plan: MemberPlan, name: str) -> None:
    """Safe CAPO 4: the last that answer are never taken out as if that were nothing."""
    listed = ", ".join(plan.held)
    if plan.holding == WAITS:
        what = f"{listed} should leave pool {name} and is the last that answers; it stays until another one does."
        lane.findings.append(Finding("last_healthy_stays", Severity.WARNING, slot.name, what, "", list(plan.held)))
    elif plan.holding == REFUSED:
        what = f"{listed} would leave pool {name}, and nobody would answer there any more."
        remedy = "See whether all machines were read. If they shall go, say why in empty_pools_because."
        lane.findings.append(error("last_healthy_member", slot.name, what, remedy, list(plan.held)))
    elif plan.last_go:
        what = f"pool {name} loses the last members that answer; whoever still comes to its address gets none."
        lane.findings.append(Finding("zone_empties", Severity.WARNING, slot.name, what, "Take it out of DNS first."))


def _drop_ports(site: Site, lane: Lane, lb: LoadBalancer) -> None:
    for listener in lb.listeners:
        port = listener.protocol_port
        if port in site.ports:
            continue
        if not _is_ours(site, listener.name, port):
            what = f"listener {listener.name} on port {port} is none of ours; it is left alone."
            lane.findings.append(Finding("foreign_listener", Severity.INFO, lb.name, what, "", port))
            continue
        pool = lb.pool(listener.pool_id)
        goes = pool is not None and all(one is listener or one.pool_id != pool.id for one in lb.listeners)
        endpoint = site.observed.cluster.endpoint_port if site.observed.cluster else None
        disruption = Disruption.OUTAGE if port == endpoint else Disruption.BRIEF
        why = f"port {port} is no longer wanted, and its clients are shut out"
        lane.note("listener", listener.name, None, port)
        back = created("pool", pool.name) if pool and goes else listener.pool_id
        lane.add(delete_listener(lb, listener, back, why, disruption))
        if pool is not None and goes:
            lane.add(delete_pool(lb, pool, why))
