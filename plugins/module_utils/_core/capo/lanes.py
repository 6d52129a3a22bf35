# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps on one load balancer: create, adopt, rename, update in place, rebuild (CAPO-3, CAPO-4, CAPO-11)."""

from __future__ import annotations

from dataclasses import replace

from ..data import Json
from ..model import Disruption, Finding, Severity, Step, Verdict
from .assembly import Lane
from .cidrs import leads_to
from .floating import Choice, is_ours
from .labels import error
from .members import is_online, switched_off
from .names import port_name, retiring_name
from .ownership import LEGACY_LANE, Assignment, Owner, Unwanted, is_fallback, may_rebuild, owner_of
from .site import Site, Slot, addresses, ip_version, known_targets, single_slot
from .state import FloatingIp, LoadBalancer
from .steps import (
    await_load_balancer,
    change_floating_ip,
    create,
    create_floating_ip,
    created,
    delete_floating_ip,
    delete_load_balancer,
    update,
)
from .strangers import strangers_stay
from .trees import load_balancer_body, switch_on, update_members, update_tree, wanted_tags
from .twins import may_serve

SERVING = ("ONLINE", "DEGRADED")


def lane_for(site: Site, slot: Slot, lb: LoadBalancer | None, choice: Choice, assigned: Assignment) -> Lane:
    """All that one load balancer needs."""
    lane = Lane(slot.lane)
    old = [one for one in assigned.unwanted if one.zone == slot.zone and one.replaced and one.lb.name == slot.name]
    if choice.finding is not None:
        lane.findings.append(choice.finding)
    if lb is None:
        _make(site, lane, slot, choice, old)
    elif lb.pending:
        lane.stuck = True
        lane.add(await_load_balancer(lb))
    elif lb.provisioning_status == "ERROR":
        _rebuild(site, lane, slot, lb, choice)
    else:
        for one in old:
            if owner_of(site, one.lb) is Owner.OURS and one.lb.provisioning_status == "ACTIVE":
                _step_aside(site, lane, one)
        _update_in_place(site, lane, slot, lb, choice)
    return lane


def _make(site: Site, lane: Lane, slot: Slot, choice: Choice, old: list[Unwanted]) -> None:
    """`old`: load balancers that have the name but do not fit."""
    lane.creates = True
    for one in old:
        if not _step_aside(site, lane, one):
            lane.stuck = True
            return
    _create(site, lane, slot, choice, "")


def _step_aside(site: Site, lane: Lane, one: Unwanted) -> bool:
    """The load balancer that has the name but does not fit gives it up, and goes on serving (make before break)."""
    lb = one.lb
    if lb.pending:
        lane.add(await_load_balancer(lb))
        return False
    if owner_of(site, lb) is not Owner.OURS:
        what = f"load balancer {lb.id} has the zone's name but does not fit ({one.why}), and no mark says it is ours."
        remedy = "Rename or delete it if nobody needs it, or correct the mapping."
        lane.findings.append(error("unfit_and_unclaimed", lb.name, what, remedy, lb.id))
        return False
    if lb.provisioning_status == "ERROR":
        return True  # Octavia takes no update of it, and two of one name are told apart by what fits
    change: dict[str, object] = {"name": retiring_name(lb.name)}
    if site.can("tags", lb):
        change["tags"] = list(wanted_tags(site, one.zone, lb))
    lane.verdict = Verdict.RECREATE
    lane.note("replace", one.why, "another load balancer in its place")
    lane.add(
        update(lb, "load_balancer", lb, change, f"{lb.name} is to be the name of the one that replaces it: {one.why}")
    )
    return True


def _create(site: Site, lane: Lane, slot: Slot, choice: Choice, address: str) -> None:
    unsupported = site.hint(slot)[1]
    lane.findings += [unsupported] if unsupported is not None else []
    body = load_balancer_body(site, slot)
    if address:
        body["vip_address"] = address
    lane.note("load_balancer", None, slot.name)
    lane.add(create("load_balancer", slot.name, body, f"{slot.owner} has no load balancer yet"))
    _give_floating_ip(site, lane, slot, choice, created("load_balancer", slot.name, "vip_port_id"))


def _rebuild(site: Site, lane: Lane, slot: Slot, lb: LoadBalancer, choice: Choice) -> None:
    """ERROR ends only with deletion: Octavia takes no update (facts: lab-openstack, fidelity table)."""
    if not may_rebuild(site, slot.zone, lb):
        lane.stuck = True
        how = "If it is marked as ours and in the mapping, allow_rebuild has it deleted and made again"
        what = "load balancer is in ERROR; Octavia refuses every change of it."
        remedy = f"{how}, or ask the cloud's operators to fail it over."
        lane.findings.append(error("load_balancer_error", lb.name, what, remedy, lb.id))
        return
    others = strangers_stay(site, lb)
    if others is not None:
        lane.stuck = True
        lane.findings.append(others)
        return
    disruption = Disruption.OUTAGE if _may_be_used(site, lb) else Disruption.NONE
    lane.creates = True
    lane.verdict = Verdict.RECREATE
    lane.note("load_balancer", "ERROR", "ACTIVE")
    lane.add(delete_load_balancer(lb, f"{lb.name} is in ERROR and is made again", disruption))
    freed = replace(choice, ip=_freed(choice.ip, lb), detach=_freed(choice.detach, lb))
    again = replace(freed, action="attach") if choice.action == "keep" else freed
    _create(site, lane, slot, again, lb.vip_address if lb.vip_subnet_id == slot.subnet_id else "")


def _may_be_used(site: Site, lb: LoadBalancer) -> bool:
    """ERROR is about Octavia's last change of it: what was built before may serve on, whatever one status says."""
    told = [lb.operating_status, *(one.operating_status for one in lb.listeners)]
    told += [pool.operating_status for pool in lb.pools]
    answering = any(is_online(member, pool) for pool in lb.pools for member in pool.members)
    led_to = any(leads_to(one, address) for one in known_targets(site.observed) for address in addresses(site, lb))
    return answering or led_to or any(status in SERVING for status in told)


def _freed(ip: FloatingIp | None, lb: LoadBalancer) -> FloatingIp | None:
    """A floating IP outlives the load balancer it was on."""
    return replace(ip, port_id="") if ip is not None and ip.port_id == lb.vip_port_id else ip


def _update_in_place(site: Site, lane: Lane, slot: Slot, lb: LoadBalancer, choice: Choice) -> None:
    if lane.verdict is Verdict.UPDATE_IN_PLACE and (lb.name != slot.name or owner_of(site, lb) is not Owner.OURS):
        lane.verdict = Verdict.ADOPT
    change: dict[str, object] = {}
    if lb.name != slot.name:
        change["name"] = slot.name
        lane.note("name", lb.name, slot.name)
    description = site.identity.renewed(lb.description)
    if description != lb.description:
        change["description"] = description
        lane.note("description", lb.description, description)
    tags = wanted_tags(site, slot.zone, lb)
    if site.can("tags", lb) and set(tags) != set(lb.tags):
        change["tags"] = list(tags)
        lane.note("tags", list(lb.tags), list(tags))
    if change:
        what = f"becomes {slot.name}" if "name" in change else "gets its marks and tags"
        why = f"{lb.name} {what}, the load balancer of {slot.owner}"
        lane.add(update(lb, "load_balancer", lb, change, why))
    if not lb.admin_state_up:
        switch_on(lane, lb, "load_balancer", lb)
    update_tree(site, lane, slot, lb)
    _give_floating_ip(site, lane, slot, choice, lb.vip_port_id)


def _give_floating_ip(site: Site, lane: Lane, slot: Slot, choice: Choice, vip_port: Json) -> None:
    if choice.detach is not None:
        last = choice.action == "release"
        lane.note("floating_ip", choice.detach.address, choice.address_after or None)
        lane.add(let_go(site, choice.detach, Disruption.OUTAGE if last else Disruption.BRIEF))
    # Taken back, another one takes its place in the same breath, or none does.
    back = Disruption.BRIEF if choice.detach is not None or choice.action == "move" else Disruption.OUTAGE
    if choice.action == "create":
        lane.note("floating_ip", None, choice.address or "(new)")
        mark = site.identity.description(slot.zone)
        lane.add(create_floating_ip(slot.name, site.external_network, choice.address, mark, vip_port, back))
    elif choice.action == "keep" and choice.ip is not None:
        change = _renewed(site, choice.ip)
        if change:
            lane.note("floating_ip", choice.ip.description, change["description"])
            why = f"the mark of floating IP {choice.ip.address} does not say all that is known now"
            lane.add(change_floating_ip(choice.ip, change, why, Disruption.NONE, Disruption.NONE))
    elif choice.action in ("attach", "swap", "move") and choice.ip is not None:
        lane.note("floating_ip", None, choice.ip.address)
        disruption = Disruption.BRIEF if choice.action == "move" else Disruption.NONE
        why = f"floating IP {choice.ip.address} is to lead to load balancer {slot.name}"
        change = {"port_id": vip_port, **_renewed(site, choice.ip)}
        lane.add(change_floating_ip(choice.ip, change, why, disruption, back))


def _renewed(site: Site, ip: FloatingIp) -> dict[str, Json]:
    """The description, where it is a mark of ours that does not say all that is known now."""
    mark = site.identity.renewed(ip.description)
    return {"description": mark} if mark != ip.description else {}


def let_go(site: Site, ip: FloatingIp, disruption: Disruption) -> Step:
    """Ours is deleted; one that somebody else made is only taken off."""
    if is_ours(site, ip):
        return delete_floating_ip(ip, f"floating IP {ip.address} is given back", disruption)
    why = f"floating IP {ip.address} is taken off; it was not made here and is kept"
    return change_floating_ip(ip, {"port_id": None}, why, disruption, Disruption.NONE)


def fallback_lane(site: Site, assigned: Assignment, going: set[str]) -> list[Lane]:
    """The old load balancer goes on serving every machine until it is retired (S4); `keep` leaves it to its owner."""
    legacy = assigned.legacy
    if legacy is None or not is_fallback(site, legacy) or legacy.id in going:
        return []
    return [members_lane(site, single_slot(site, legacy), legacy, LEGACY_LANE)]


def retiring_lanes(site: Site, assigned: Assignment, going: set[str]) -> list[Lane]:
    """What is not wanted any more gets upkeep like the others as long as it serves (Safe CAPO 4)."""
    return [
        members_lane(site, _place_of(site, one), one.lb, one.lane)
        for one in assigned.unwanted
        if one.lb.id not in going and one.lb.provisioning_status == "ACTIVE" and owner_of(site, one.lb) is Owner.OURS
    ]


def twin_lanes(site: Site, assigned: Assignment, *, remove: bool) -> list[Lane]:
    """A second load balancer of a zone goes where it serves nobody. Else, or in a run that removes nothing, it is named
    and looked after."""
    return [_twin_lane(site, slot, assigned.of(slot.zone), lb, remove) for slot, lb in _twins(site, assigned)]


def _twins(site: Site, assigned: Assignment) -> list[tuple[Slot, LoadBalancer]]:
    return [(slot, lb) for slot in site.slots for zone, lb in assigned.twins if zone == slot.zone]


def _twin_lane(site: Site, slot: Slot, chosen: LoadBalancer | None, lb: LoadBalancer, remove: bool) -> Lane:
    lane = Lane(f"{slot.zone} (twin)")
    serves = may_serve(site, chosen, lb)
    if lb.pending:
        lane.steps += [await_load_balancer(lb)] if remove else []
    elif serves or not remove:
        lane = members_lane(site, slot, lb, lane.name) if lb.provisioning_status == "ACTIVE" else lane
    else:
        lane.note("load_balancer", lb.id, None)
        why = f"zone {slot.zone} has another load balancer, and nobody was told of this one"
        lane.add(delete_load_balancer(lb, why, Disruption.NONE))
    lane.findings.append(_twin_finding(slot, chosen, lb, "" if lb.pending else serves, remove))
    return lane


def _twin_finding(slot: Slot, chosen: LoadBalancer | None, lb: LoadBalancer, serves: str, remove: bool) -> Finding:
    what = f"load balancer {lb.id} ({lb.vip_address}) was made for zone {slot.zone}, too, by a run that was killed"
    if not serves:
        remedy = "It is removed." if remove else "A run in full removes it."
        return Finding("twin", Severity.WARNING, lb.name, f"{what}; nobody was told of it.", remedy, lb.id)
    remedy = (
        f"See whether clients use it or {chosen.id if chosen else 'none'}, and delete the other one by hand. Where "
    )
    remedy += "nobody uses it, have DNS asked, or say in traffic_moved_because how you know."
    severity = Severity.ERROR if remove else Severity.WARNING
    return Finding("twin_undecided", severity, lb.name, f"{what}, and {serves}.", remedy, lb.id)


def _place_of(site: Site, one: Unwanted) -> Slot:
    lb = one.lb
    name = site.identity.zone(one.zone)
    return Slot(one.zone, name, lb.vip_subnet_id, lb.vip_network_id, ip_version(lb.vip_address), provider=lb.provider)


def members_lane(site: Site, slot: Slot, lb: LoadBalancer, name: str = "") -> Lane:
    """Members only, on the ports that are there. `name`: of the lane, for one that is not to stay."""
    lane = Lane(name or slot.lane)
    if lb.provisioning_status != "ACTIVE":
        lane.stuck = True
        what = f"load balancer is {lb.provisioning_status}; its members cannot be changed now."
        severity = Severity.ERROR if lb.provisioning_status == "ERROR" else Severity.WARNING
        lane.findings.append(Finding("members_not_writable", severity, lb.name, what, "Run again when it is ACTIVE."))
        return lane
    for port in site.ports:
        off = switched_off(lb, port)
        if off:
            what = f"{off} is switched off (admin_state_up is false), so nobody is served there."
            remedy = "A run in full switches what is to stay on again."
            lane.note("admin_state_up", False, True, port)
            lane.findings.append(Finding("switched_off", Severity.WARNING, lb.name, what, remedy, port))
        listener = lb.listener(port)
        pool = lb.pool(listener.pool_id) if listener else None
        if pool is not None and pool.provisioning_status != "ERROR":
            update_members(site, lane, slot, lb, pool, port)
        elif not name:
            what = f"port {port} has no working pool; members wait for a run in full."
            where = port_name(slot.name, port)
            lane.findings.append(Finding("port_not_ready", Severity.WARNING, where, what, "Run in full.", port))
    return lane
