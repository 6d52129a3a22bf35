# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps on one load balancer: create, adopt, rename, update in place, rebuild (CAPO-3, CAPO-4, CAPO-11)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..model import Disruption, Severity, Step, Verdict
from .bodies import load_balancer_body, wanted_tags
from .cidrs import network_of
from .floating import Choice, external_network, is_ours
from .names import retiring_name
from .observed import FloatingIp, LoadBalancer
from .ownership import Owner, Retiring, may_rebuild, owner_of
from .site import Place, Site
from .steps import (
    Anchor,
    Lane,
    associate,
    await_load_balancer,
    create,
    create_floating_ip,
    created,
    delete_floating_ip,
    delete_load_balancer,
    update,
)
from .trees import tend_tree
from .validate import error

SERVING = ("ONLINE", "DEGRADED")
SINGLE = "single"  # the lane of the load balancer without a zone


@dataclass(frozen=True)
class Berth:
    """Where a load balancer is to be: its zone, its name and its VIP subnet."""

    zone: str
    name: str
    subnet_id: str
    network_id: str
    version: int

    @property
    def lane(self) -> str:
        return self.zone or SINGLE


def berth_for(site: Site, place: Place) -> Berth:
    name = site.identity.zone(place.zone)
    return Berth(place.zone, name, place.subnet.id, site.network_id, place.ip_version)


def single_berth(site: Site, lb: LoadBalancer) -> Berth:
    """The single load balancer stays on the subnet it has."""
    network = network_of(lb.vip_address)
    version = network.version if network is not None else 4
    return Berth("", site.identity.legacy, lb.vip_subnet_id, lb.vip_network_id, version)


def lane_for(site: Site, berth: Berth, lb: LoadBalancer | None, choice: Choice, old: tuple[Retiring, ...]) -> Lane:
    """All that one load balancer needs. `old`: others of the same zone that are on their way out."""
    lane = Lane(berth.lane)
    if choice.finding is not None:
        lane.findings.append(choice.finding)
    if lb is None:
        _make(site, lane, berth, choice, old)
    elif lb.pending:
        lane.stuck = True
        lane.add(await_load_balancer(lane.name, lb))
    elif lb.provisioning_status == "ERROR":
        _rebuild(site, lane, berth, lb, choice)
    else:
        for one in old:
            ours = owner_of(site, one.lb) is Owner.OURS
            if one.lb.name == berth.name and ours and one.lb.provisioning_status == "ACTIVE":
                _step_aside(site, lane, one)
        _tend(site, lane, berth, lb, choice)
    return lane


def _make(site: Site, lane: Lane, berth: Berth, choice: Choice, old: tuple[Retiring, ...]) -> None:
    lane.creates = True
    if not _zone_is_there(site, lane, berth):
        return
    for one in old:
        if one.lb.name == berth.name and not _step_aside(site, lane, one):
            lane.stuck = True
            return
    _create(site, lane, berth, choice, "")


def _step_aside(site: Site, lane: Lane, one: Retiring) -> bool:
    """The load balancer that has the name but does not fit gives it up, and goes on serving (make before break)."""
    lb = one.lb
    if lb.pending:
        lane.add(await_load_balancer(lane.name, lb))
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
    lane.add(update(Anchor(lane.name, lb.name, lb.id), "load_balancer", lb, change, f"Free the name: {one.why}."))
    return True


def _zone_is_there(site: Site, lane: Lane, berth: Berth) -> bool:
    """Octavia refuses a zone it does not have: better known before anything is moved or deleted."""
    finding = site.hint(berth.zone)[1]
    if finding is not None:
        lane.findings.append(finding)
        lane.stuck = finding.severity is Severity.ERROR
    return not lane.stuck


def _create(site: Site, lane: Lane, berth: Berth, choice: Choice, address: str) -> None:
    body = load_balancer_body(site, berth.zone, berth.name, berth.subnet_id, berth.network_id, berth.version)
    if address:
        body["vip_address"] = address
    anchor = Anchor(lane.name, berth.name)
    where = f"zone {berth.zone}" if berth.zone else "the cluster"
    lane.note("load_balancer", None, berth.name)
    lane.add(create(anchor, "load_balancer", berth.name, body, f"{where} has no load balancer yet."))
    _give_floating_ip(site, lane, anchor, berth, choice, created("load_balancer", berth.name, "vip_port_id"))


def _rebuild(site: Site, lane: Lane, berth: Berth, lb: LoadBalancer, choice: Choice) -> None:
    """ERROR ends only with deletion: Octavia takes no update (facts: lab-openstack, fidelity table)."""
    if not may_rebuild(site, berth.zone, lb):
        lane.stuck = True
        how = "If it is marked as ours and in the mapping, allow_rebuild has it deleted and made again"
        what = "load balancer is in ERROR; Octavia refuses every change of it."
        remedy = f"{how}, or ask the cloud's operators to fail it over."
        lane.findings.append(error("load_balancer_error", lb.name, what, remedy, lb.id))
        return
    if not _zone_is_there(site, lane, berth):
        return
    serving = [lb.operating_status, *(listener.operating_status for listener in lb.listeners)]
    disruption = Disruption.OUTAGE if any(status in SERVING for status in serving) else Disruption.NONE
    lane.creates = True
    lane.verdict = Verdict.RECREATE
    lane.note("load_balancer", "ERROR", "ACTIVE")
    lane.add(delete_load_balancer(lane.name, lb, f"{lb.name} is in ERROR and is made again.", disruption))
    freed = replace(choice, ip=_freed(choice.ip, lb), detach=_freed(choice.detach, lb))
    again = replace(freed, action="attach") if choice.action == "keep" else freed
    _create(site, lane, berth, again, lb.vip_address if lb.vip_subnet_id == berth.subnet_id else "")


def _freed(ip: FloatingIp | None, lb: LoadBalancer) -> FloatingIp | None:
    """A floating IP outlives the load balancer it was on."""
    return replace(ip, port_id="") if ip is not None and ip.port_id == lb.vip_port_id else ip


def _tend(site: Site, lane: Lane, berth: Berth, lb: LoadBalancer, choice: Choice) -> None:
    anchor = Anchor(lane.name, berth.name, lb.id)
    if lane.verdict is Verdict.UPDATE_IN_PLACE and (lb.name != berth.name or owner_of(site, lb) is not Owner.OURS):
        lane.verdict = Verdict.ADOPT
    change: dict[str, object] = {}
    if lb.name != berth.name:
        change["name"] = berth.name
        lane.note("name", lb.name, berth.name)
    tags = wanted_tags(site, berth.zone, lb)
    if site.can("tags", lb) and set(tags) != set(lb.tags):
        change["tags"] = list(tags)
        lane.note("tags", list(lb.tags), list(tags))
    if change:
        where = f"zone {berth.zone}" if berth.zone else "the cluster"
        lane.add(update(anchor, "load_balancer", lb, change, f"Make {lb.name} the load balancer of {where}."))
    tend_tree(site, lane, anchor, lb, berth.zone, berth.version)
    _give_floating_ip(site, lane, anchor, berth, choice, lb.vip_port_id)


def _give_floating_ip(site: Site, lane: Lane, anchor: Anchor, berth: Berth, choice: Choice, vip_port: object) -> None:
    if choice.detach is not None:
        last = choice.action == "release"
        lane.note("floating_ip", choice.detach.address, choice.address_after or None)
        lane.add(let_go(site, lane.name, choice.detach, Disruption.OUTAGE if last else Disruption.BRIEF))
    if choice.action == "create":
        lane.note("floating_ip", None, choice.address or "(new)")
        description = site.identity.description(berth.zone)
        lane.add(create_floating_ip(anchor, external_network(site), choice.address, description, vip_port))
    elif choice.action in ("attach", "swap", "move") and choice.ip is not None:
        lane.note("floating_ip", None, choice.ip.address)
        disruption = Disruption.BRIEF if choice.action == "move" else Disruption.NONE
        why = f"Put floating IP {choice.ip.address} on load balancer {berth.name}."
        lane.add(associate(lane.name, choice.ip, vip_port, why, disruption))


def let_go(site: Site, lane: str, ip: FloatingIp, disruption: Disruption) -> Step:
    """Ours is deleted; one that somebody else made is only taken off."""
    if is_ours(site, ip):
        return delete_floating_ip(lane, ip, f"Give floating IP {ip.address} back.", disruption)
    why = f"Take floating IP {ip.address} off; it was not made here and is kept."
    return associate(lane, ip, None, why, disruption)
