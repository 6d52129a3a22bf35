# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which load balancers go, and what must be so before they may (CAPO-8, CAPO-12, CAPO-13; facts: capo §11.5–11.10).

Nothing is deleted on a guess: traffic must be said to have moved, every zone must answer, and the endpoint's name must
lead to every zone that is published and to nothing that is deleted. Non-first zones go first, so the mirrored one goes
last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Disruption, Finding, Severity
from .assembly import Lane
from .cidrs import same_address, version_of_address
from .dns import dns_records
from .floating import Choice, asked_address, stray
from .labels import error
from .lanes import let_go
from .members import is_online, plan_members
from .ownership import Assignment, Owner, Unwanted, by_slot, is_rebuilt, owner_of
from .site import Site, Slot
from .state import LoadBalancer
from .steps import await_load_balancer, delete_floating_ip, delete_load_balancer

NOT_YET = "Run with traffic_moved: false until it is so."


@dataclass(frozen=True)
class Retirement:
    """Who goes with this plan, and why others may not yet."""

    going: tuple[Unwanted, ...] = ()  # deleted by this plan
    findings: tuple[Finding, ...] = ()
    awaiting: tuple[str, ...] = ()  # what the caller has to say before the rest can happen
    blocked: tuple[Finding, ...] = ()  # the whole decision is refused


def _candidates(site: Site, assigned: Assignment) -> tuple[Unwanted, ...]:
    found = [
        one
        for one in assigned.unwanted
        if owner_of(site, one.lb) is Owner.OURS and one.lb.provisioning_status != "PENDING_DELETE"
    ]
    legacy_goes = site.desired.legacy == "retire" or (site.desired.legacy == "adopt" and assigned.legacy_why)
    if site.multi and assigned.legacy is not None and legacy_goes and not site.desired.leave_legacy:
        found.append(Unwanted(assigned.legacy, "", assigned.legacy_why or "it is to be retired", legacy=True))
    return tuple(found)


def unclaimed(site: Site, assigned: Assignment) -> list[Finding]:
    """Load balancers with names of ours that nothing proves to be ours: reported, never deleted."""
    return [
        Finding(
            "left_alone",
            Severity.WARNING,
            one.lb.name,
            f"load balancer {one.lb.id} is not wanted ({one.why}), but no mark or record says it is ours.",
            "Delete it by hand if nobody needs it.",
            one.lb.id,
        )
        for one in assigned.unwanted
        if (site.multi or site.desired.state == "absent") and owner_of(site, one.lb) is not Owner.OURS
    ]


def plan_retirement(site: Site, assigned: Assignment) -> Retirement:
    candidates = _candidates(site, assigned)
    if not candidates:
        return Retirement()
    if not site.desired.traffic_moved:
        findings = tuple(_awaiting(site, one) for one in candidates)
        return Retirement(findings=findings, awaiting=("traffic_moved",))
    proof = _proof(site, assigned)
    if any(one.severity is Severity.ERROR for one in proof):
        return Retirement(blocked=proof)
    reasons = [(one, _reason(site, one)) for one in candidates]
    return Retirement(
        going=tuple(one for one, reason in reasons if reason is None),
        findings=(*proof, *(reason for _one, reason in reasons if reason is not None)),
    )


def _proof(site: Site, assigned: Assignment) -> tuple[Finding, ...]:
    """What speaks against it that traffic has moved: to what does not exist, does not answer, or is not in DNS.

    Refused as a whole: mending first and deleting in the next run with the same input would be two changes (CORE-4).
    """
    missing = _missing(site, assigned)
    if missing:
        what = f"traffic is said to have moved, but the load balancers of {', '.join(missing)} do not exist yet."
        return (error("traffic_moved_too_early", "traffic_moved", what, NOT_YET, missing),)
    records = dns_records(site, assigned)
    unready = _unready(site, assigned, records)
    if unready is not None:
        return (unready,)
    doubt = doubtful(site, {one["address"]: one["zone"] for one in records["publish"]})
    return (doubt,) if doubt is not None else ()


def _missing(site: Site, assigned: Assignment) -> list[str]:
    """Zones whose load balancer this plan would have to make: nothing can have moved there yet."""
    current = [(slot.zone, assigned.of(slot.zone)) for slot in site.slots]
    return sorted(zone for zone, lb in current if lb is None or is_rebuilt(site, zone, lb))


def _unready(site: Site, assigned: Assignment, records: Mapping[str, Any]) -> Finding | None:
    """Every zone answers, and may be published; one that does not has to be named."""
    reasons = {one["zone"]: one["reason"] for one in records["withhold"]}
    for slot, lb in by_slot(site, assigned):
        if lb is not None and slot.zone not in reasons and not _will_answer(site, slot, lb):
            reasons[slot.zone] = "this run takes out its last ONLINE member"
    if len(reasons) >= len(records["publish"]) + len(records["withhold"]):
        what = "traffic is said to have moved, but no load balancer that stays has an ONLINE member."
        return error("no_healthy_zone", "traffic_moved", what, NOT_YET)
    unnamed = {zone: why for zone, why in reasons.items() if zone not in site.desired.allow_unhealthy_zones}
    if not unnamed:
        return None
    listed = "; ".join(f"zone {zone}: {why}" for zone, why in sorted(unnamed.items()))
    what = f"traffic is said to have moved, but not every zone can have it. {listed}."
    remedy = f"{NOT_YET} A zone that is to stay without: name it in allow_unhealthy_zones."
    return error("zone_not_healthy", "traffic_moved", what, remedy, sorted(unnamed))


def doubtful(site: Site, publish: Mapping[str, str]) -> Finding | None:
    """Why nobody can tell from DNS that clients use only what stays; a warning where a person has said how else.

    `publish`: addresses that the endpoint should lead to, and their zones.
    """
    found = _doubt(site, publish)
    because = site.desired.traffic_moved_because
    if found is None or not because:
        return found
    what = f"{found.what} It goes all the same, for it was said: {because}"
    return Finding("traffic_moved_unproven", Severity.WARNING, found.where, what, "", because)


def _doubt(site: Site, publish: Mapping[str, str]) -> Finding | None:
    host, where = site.desired.endpoint_host, "traffic_moved"
    leads_to = (host,) if version_of_address(host) is not None else site.observed.endpoint_addresses
    otherwise = "Or say in traffic_moved_because how else you know that clients have moved."
    if leads_to is None:
        asked = "resolve_endpoint is false" if site.desired.resolve_endpoint is False else "DNS could not be asked"
        why = asked if host else "no endpoint_host is known"
        what = f"{why}, so nobody knows where clients of {host or 'the cluster'} go."
        return error("endpoint_not_asked", where, what, f"Have DNS asked, and run again. {otherwise}", host)
    if not leads_to:
        what = f"{host} leads nowhere now."
        return error("endpoint_unresolved", where, what, f"Publish the records first. {otherwise}", host)
    lacking = [one for one in publish if not any(same_address(one, other) for other in leads_to)]
    if not lacking:
        return None
    zones = ", ".join(f"{one} (zone {publish[one]})" if publish[one] else one for one in lacking)
    what = f"{host} does not lead to {zones}."
    return error("endpoint_lacks_zone", where, what, f"Publish the records first. {otherwise}", lacking)


def _will_answer(site: Site, slot: Slot, lb: LoadBalancer) -> bool:
    """Does it have an ONLINE member that this plan leaves in place?"""
    listener = lb.listener(site.api_port)
    pool = lb.pool(listener.pool_id) if listener else None
    kept = {one["address"] for one in plan_members(site, slot, site.api_port, pool).body}
    return pool is not None and any(is_online(one, pool) and one.address in kept for one in pool.members)


def addresses(site: Site, lb: LoadBalancer) -> tuple[str, ...]:
    """VIP and floating IP of a load balancer."""
    ip = site.observed.floating_ip_on(lb.vip_port_id)
    return tuple(address for address in (lb.vip_address, ip.address if ip else "") if address)


def _awaiting(site: Site, one: Unwanted) -> Finding:
    what = f"it is no longer wanted ({one.why}) and stays until its clients have moved."
    remedy = f"Take {', '.join(addresses(site, one.lb)) or 'its addresses'} out of DNS, then set traffic_moved: true."
    return Finding("awaiting_traffic_moved", Severity.WARNING, one.lb.name, what, remedy, one.lb.id)


def _reason(site: Site, one: Unwanted) -> Finding | None:
    """Why it must not go although traffic is said to have moved. The first reason is enough."""
    needed = endpoint_needs(site, one)
    if needed is not None:
        return needed
    if one.legacy and not site.desired.upkeep:
        what = "nobody would register new control-plane machines: shipped CAPO does not know the zones' load balancers."
        remedy = "Schedule playbooks/capo_members.yml and say upkeep: true."
        return error("upkeep_not_declared", one.lb.name, what, remedy)
    return None


def endpoint_needs(site: Site, one: Unwanted) -> Finding | None:
    needed = _needed_by_endpoint(site, one)
    if not needed:
        return None
    what = f"the control plane endpoint still leads to its address {needed}."
    return error("endpoint_needs_it", one.lb.name, what, "Take that address out of DNS first.", needed)


def _needed_by_endpoint(site: Site, one: Unwanted) -> str:
    """An address that moves along to another load balancer does not count."""
    cluster = site.observed.cluster
    endpoint = [*(site.observed.endpoint_addresses or ()), *([cluster.endpoint_host] if cluster else [])]
    moving = [asked_address(site, slot.zone) for slot in site.slots]
    for address in addresses(site, one.lb):
        if any(asked and same_address(address, asked) for asked in moving):
            continue
        if any(same_address(address, target) for target in endpoint if target):
            return address
    return ""


def retirement_lanes(
    site: Site, going: Iterable[Unwanted], choices: Iterable[Choice], disruption: Disruption
) -> list[Lane]:
    """Floating IP first, then the load balancer with all it holds (facts: capo §9)."""
    moved = {choice.ip.id for choice in choices if choice.action == "move" and choice.ip}
    lanes = []
    for one in going:
        lane = Lane(one.lane)
        lanes.append(lane)
        lane.note("load_balancer", one.lb.name, None)
        if one.lb.pending:
            lane.stuck = True
            lane.add(await_load_balancer(one.lb))
            continue
        ip = site.observed.floating_ip_on(one.lb.vip_port_id)
        if ip is not None and ip.id not in moved:
            lane.add(let_go(site, ip, disruption))
        why = f"{one.lb.name} is not wanted any more: {one.why}"
        because = site.desired.traffic_moved_because
        why += f" (traffic has moved, said: {because})" if because else ""
        lane.add(delete_load_balancer(one.lb, why, disruption))
    return lanes


def stray_lane(site: Site, choices: Iterable[Choice]) -> Lane:
    lane = Lane("floating-ips")
    for ip in stray(site, choices):
        lane.note("floating_ip", ip.address, None)
        why = f"floating IP {ip.address} was made here and serves nothing"
        lane.add(delete_floating_ip(ip, why, Disruption.NONE))
    return lane
