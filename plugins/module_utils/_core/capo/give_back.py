# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All goes: what was made here is deleted, what was adopted is given back under its old name (CAPO-13, CAPO-14)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..model import Disruption, Finding, Severity
from .assembly import Lane
from .floating import is_ours
from .labels import error
from .lanes import let_go
from .members import member_body
from .names import capo_description, former_name, is_mark, port_name
from .ownership import Unwanted, made_here, mark_of
from .report import seen
from .site import Site, addresses
from .state import FloatingIp, LoadBalancer, Pool
from .steps import await_load_balancer, replace_members, update


def is_given_back(site: Site, lb: LoadBalancer) -> bool:
    return site.desired.adopted == "give_back" and not made_here(lb)


def addresses_lost(site: Site, lb: LoadBalancer) -> tuple[str, ...]:
    """When all goes: all that it has, but of one that is given back only a floating IP that was made here."""
    if not is_given_back(site, lb):
        return addresses(site, lb)
    ip = _our_floating_ip(site, lb)
    return (ip.address,) if ip is not None else ()


def unproven(site: Site, lbs: Iterable[LoadBalancer]) -> list[Finding]:
    """Marked for an OpenStackCluster that the management cluster does not have: it may be another one's."""
    if site.identity.uid or site.observed.record.kind == "none":
        return []
    marked = [(lb, mark.uid) for lb in lbs if (mark := mark_of(lb)) and mark.uid]
    return [
        error(
            "cluster_not_there",
            lb.name,
            f"load balancer {lb.id} is marked for an OpenStackCluster with uid {uid}, and this management cluster has "
            "none of that name.",
            f"Check the context. If the cluster is gone for good, say former_uids: [{uid}].",
            uid,
        )
        for lb, uid in marked
        if uid not in site.desired.former_uids
    ]


def give_back_lane(site: Site, one: Unwanted) -> Lane:
    """Names and marks only: who is served stays so, and what CAPO looks up by name is there again."""
    lb, lane = one.lb, Lane(one.lane)
    if lb.pending:
        lane.stuck = True
        lane.add(await_load_balancer(lb))
        return lane
    if lb.provisioning_status == "ERROR":
        lane.stuck = True
        what = "it was adopted and is to be given back, but is in ERROR; Octavia refuses every change of it."
        remedy = "Have it failed over, or say adopted: delete."
        lane.findings.append(error("load_balancer_error", lb.name, what, remedy, lb.id))
        return lane
    name = _old_name(site, lb)
    what = f"it was adopted, not made here: it stays, as {name}."
    lane.findings.append(
        Finding("given_back", Severity.INFO, lb.name, what, "Say adopted: delete to have it deleted.", lb.id)
    )
    ip = _our_floating_ip(site, lb)
    if ip is not None:
        lane.note("floating_ip", ip.address, None)
        lane.add(let_go(site, ip, Disruption.OUTAGE))
    _rename(lane, lb, name)
    return lane


def given_back(site: Site, lb: LoadBalancer) -> dict[str, Any]:
    """For diff mode: the same afterwards."""
    shown = {**seen(site, lb), "name": _old_name(site, lb)}
    return shown | ({"floating_ip": ""} if _our_floating_ip(site, lb) else {})


def _our_floating_ip(site: Site, lb: LoadBalancer) -> FloatingIp | None:
    ip = site.observed.floating_ip_on(lb.vip_port_id)
    return ip if ip is not None and is_ours(site, ip) else None


def _old_name(site: Site, lb: LoadBalancer) -> str:
    """As it was written down; CAPO's own are called by one name only; any other was adopted under the name it has."""
    capos = lb.description == capo_description(site.identity.resource_name)
    return former_name(lb.tags) or (site.identity.legacy if capos else lb.name)


def _rename(lane: Lane, lb: LoadBalancer, name: str) -> None:
    """The load balancer last: as long as it has its marks, the next run finds it and goes on."""
    why = f"{lb.name} was adopted, and is given back as {name}"
    for listener in lb.listeners:
        pool = lb.pool(listener.pool_id)
        was, becomes = port_name(lb.name, listener.protocol_port), port_name(name, listener.protocol_port)
        below = [("listener", listener), ("pool", pool), ("health_monitor", pool.monitor if pool else None)]
        for kind, target in below:
            if target is not None and target.name == was != becomes:
                lane.add(update(lb, kind, target, {"name": becomes}, why))
        if pool is not None and was != becomes:
            _rename_members(lane, lb, pool, was, becomes)
    kept = [tag for tag in lb.tags if not is_mark(tag)]
    change: dict[str, object] = {"name": name} if name != lb.name else {}
    change |= {"tags": kept} if kept != list(lb.tags) else {}
    if change:
        lane.note("load_balancer", lb.name, name)
        lane.add(update(lb, "load_balancer", lb, change, why))


def _rename_members(lane: Lane, lb: LoadBalancer, pool: Pool, was: str, becomes: str) -> None:
    """CAPO takes a machine out by its member's name."""
    have = [member_body(one) for one in pool.members]
    named = [one | {"name": one["name"].replace(f"{was}-", f"{becomes}-", 1)} for one in have]
    if named != have:
        lane.add(replace_members(lb, pool, have, named, f"the members of {lb.name} get their old names back"))
