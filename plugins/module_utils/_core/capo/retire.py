# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which load balancers go, and what must be so before they may (CAPO-8, CAPO-12, CAPO-13; facts: capo §11.5–11.10).

Nothing is deleted on a guess: traffic must be said to have moved, every zone must answer, and the endpoint's name must
lead to every zone that is published and to nothing that is deleted. Non-first zones go first, so the mirrored one goes
last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Disruption, Finding, Severity
from .assembly import Lane
from .floating import Choice, stray
from .labels import error
from .lanes import let_go
from .ownership import Assignment, Owner, Unwanted, owner_of
from .proof import against, endpoint_needs
from .site import Site, addresses
from .steps import await_load_balancer, delete_floating_ip, delete_load_balancer
from .strangers import strangers_go, strangers_stay


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
    proof = against(site, assigned)
    if any(one.severity is Severity.ERROR for one in proof):
        return Retirement(blocked=proof)
    reasons = [(one, _reason(site, one)) for one in candidates]
    going = tuple(one for one, reason in reasons if reason is None)
    stay = [reason for _one, reason in reasons if reason is not None]
    return Retirement(going=going, findings=(*proof, *stay, *strangers_go(site, [one.lb for one in going])))


def _awaiting(site: Site, one: Unwanted) -> Finding:
    what = f"it is no longer wanted ({one.why}) and stays until its clients have moved."
    remedy = f"Take {', '.join(addresses(site, one.lb)) or 'its addresses'} out of DNS, then set traffic_moved: true."
    return Finding("awaiting_traffic_moved", Severity.WARNING, one.lb.name, what, remedy, one.lb.id)


def _reason(site: Site, one: Unwanted) -> Finding | None:
    """Why it must not go although traffic is said to have moved. The first reason is enough."""
    needed = endpoint_needs(site, one.lb.name, addresses(site, one.lb))
    if needed is not None:
        return needed
    if one.legacy and not site.desired.upkeep:
        what = "nobody would register new control-plane machines: shipped CAPO does not know the zones' load balancers."
        remedy = "Schedule playbooks/capo_members.yml and say upkeep: true."
        return error("upkeep_not_declared", one.lb.name, what, remedy)
    return strangers_stay(site, one.lb)


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
