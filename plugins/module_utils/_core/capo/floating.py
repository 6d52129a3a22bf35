# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which floating IP a load balancer gets (CAPO-3; facts: capo §5, §10, §11.6).

At most one load balancer takes an address, an address in use elsewhere is never pulled away, and only a floating IP
that this collection made is ever deleted: its description says so, written in the same request that made it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Finding, Severity
from .cidrs import same_address
from .labels import error
from .ownership import Assignment, Owner, by_slot, is_rebuilt, owner_of, zone_of
from .site import Site, Slot
from .state import FloatingIp, LoadBalancer

EXTERNAL_NETWORK_REQUIRED = "external_network_required"


@dataclass(frozen=True)
class Choice:
    """What becomes of one load balancer's floating IP."""

    action: str  # keep, none, attach, swap, create, move, wait, release
    ip: FloatingIp | None = None  # the one to use, where it exists
    detach: FloatingIp | None = None  # the one to take off first
    address: str = ""  # to ask for when creating
    finding: Finding | None = None

    @property
    def address_after(self) -> str | None:
        """The address once this is done; None while only Neutron knows it."""
        if self.action == "create":
            return self.address or None
        return self.ip.address if self.ip and self.action in ("keep", "attach", "swap", "move") else ""


def takes_one(slot: Slot) -> bool:
    """Floating IPs are IPv4; an IPv6 VIP is reached as it is."""
    return slot.version == 4


def is_ours(site: Site, ip: FloatingIp) -> bool:
    return site.identity.zone_of_description(ip.description) is not None


def asked_address(site: Site, zone: str) -> str:
    """The address the user brought for a zone; the cluster-wide one goes to one zone only."""
    by_zone: str = site.desired.floating_ip_by_zone.get(zone, "")
    address = site.desired.floating_ip
    if by_zone or not address:
        return by_zone
    given = any(same_address(address, one) for one in site.desired.floating_ip_by_zone.values())
    return address if not given and zone == _zone_of_address(site, address) else ""


def _zone_of_address(site: Site, address: str) -> str:
    """The first zone, but an address stays with the zone that has it, or had it when a run died (the record tells)."""
    mapped = [slot.zone for slot in (*site.held, *site.slots) if takes_one(slot)]
    if not mapped:
        return ""
    ports = {ip.port_id for ip in site.observed.floating_ips if ip.port_id and same_address(ip.address, address)}
    having = [lb for lb in site.observed.load_balancers if lb.vip_port_id in ports]
    if ports and not having and "floating_ip" in site.desired.from_object:
        return ""  # CAPO itself put it on something else, a machine for example
    holders = [zone_of(site, lb) for lb in having]
    recorded = [one.get("availabilityZone") for one in site.observed.record.entries if one.get("ip") == address]
    return next((zone for zone in [*holders, *recorded] if zone in mapped), mapped[0])


@dataclass(frozen=True)
class _Ports:
    """VIP ports of this cluster's load balancers that are not to stay, and of those that go in this plan."""

    old: set[str]
    leaving: set[str]


def choose(site: Site, assigned: Assignment, leaving: Iterable[LoadBalancer]) -> dict[str, Choice]:
    """By zone, in the mapping's order. `leaving`: load balancers that this very plan deletes."""
    leaving_ports = {lb.vip_port_id for lb in leaving if lb.vip_port_id}
    old = [one.lb for one in assigned.unwanted if owner_of(site, one.lb) is Owner.OURS]
    old += [assigned.legacy] if assigned.legacy and site.desired.legacy != "keep" else []
    old_ports = {lb.vip_port_id for lb in old if lb.vip_port_id}
    claimed: set[str] = set()
    choices: dict[str, Choice] = {}
    wanted = by_slot(site, assigned)
    for slot, lb in sorted(wanted, key=lambda one: not asked_address(site, one[0].zone)):
        choice = _choose(site, slot, lb, _Ports(old_ports, leaving_ports), claimed)
        choices[slot.zone] = choice
        claimed |= {choice.ip.id} if choice.ip else set()
    return {slot.zone: choices[slot.zone] for slot, _lb in wanted}


def _choose(site: Site, slot: Slot, lb: LoadBalancer | None, ports: _Ports, claimed: set[str]) -> Choice:
    attached, zone = site.observed.floating_ip_on(lb.vip_port_id) if lb else None, slot.zone
    if not takes_one(slot):
        return Choice("none")
    if not site.desired.floating_ips:
        leaves = lb is not None and is_rebuilt(site, zone, lb)
        return _without(site, attached, leaves)
    address = asked_address(site, zone)
    if attached and (not address or same_address(attached.address, address)):
        return Choice("keep", attached)
    if address:
        return _brought(site, zone, address, attached, ports)
    if not zone:
        return Choice("none")  # the single load balancer of a cluster without mapping gets nothing new
    found = _left_over(site, zone, claimed)
    return Choice("attach", found) if found else _new(site, zone)


def _without(site: Site, attached: FloatingIp | None, leaves: bool) -> Choice:
    """Switched off: ours goes; one that somebody else made stays where it is (CAPO-4: adoption keeps it).

    `leaves`: the load balancer is made again, which takes it off anyway.
    """
    if attached is not None and is_ours(site, attached):
        return Choice("release", detach=attached)
    if attached is None or leaves:
        return Choice("none")
    what = f"floating IP {attached.address} was not made by this collection and stays on the load balancer."
    kept = Finding("floating_ip_kept", Severity.WARNING, f"floating IP {attached.address}", what, "Detach it by hand.")
    return Choice("keep", attached, finding=kept)


def _brought(site: Site, zone: str, address: str, attached: FloatingIp | None, ports: _Ports) -> Choice:
    """An address the user named: used as it is, moved only from a load balancer that is on its way out."""
    found = next((ip for ip in site.observed.floating_ips if same_address(ip.address, address)), None)
    if found is None:
        return _new(site, zone, address, attached)
    if not found.port_id:
        return Choice("swap" if attached else "attach", found, attached)
    if found.port_id in ports.leaving:
        return Choice("move", found, attached)
    if found.port_id in ports.old:
        what = f"{address} still serves the load balancer that zone {zone} replaces; it moves once that one goes."
        waiting = Finding("floating_ip_waits", Severity.WARNING, f"zones[{zone}]", what, "", address)
        return _for_now(attached, waiting)
    what = f"{address} is in use on port {found.port_id}, which no load balancer that goes has."
    remedy = "Take it off there, or name another address."
    return _for_now(attached, error("floating_ip_taken", f"zones[{zone}]", what, remedy, address))


def _for_now(attached: FloatingIp | None, finding: Finding) -> Choice:
    """The wanted one cannot be had yet: what is there stays."""
    return Choice("keep" if attached else "wait", attached, finding=finding)


def _left_over(site: Site, zone: str, claimed: set[str]) -> FloatingIp | None:
    """One that a run which died, or a load balancer that was rebuilt, left behind for this zone."""
    recorded = site.observed.record.entry(zone=zone).get("ip")
    free = [ip for ip in site.observed.floating_ips if not ip.port_id and ip.id not in claimed]
    free = [ip for ip in free if not _promised(site, ip)]
    by_record = [ip for ip in free if recorded and same_address(ip.address, str(recorded))]
    by_mark = [ip for ip in free if site.identity.zone_of_description(ip.description) == zone]
    return next(iter(sorted(by_record, key=_by_id) + sorted(by_mark, key=_by_id)), None)


def _promised(site: Site, ip: FloatingIp) -> bool:
    """The user gave this address to some zone by name."""
    given = [asked_address(site, slot.zone) for slot in (*site.held, *site.slots)]
    return any(address and same_address(ip.address, address) for address in given)


def _by_id(ip: FloatingIp) -> str:
    return ip.id


def _new(site: Site, zone: str, address: str = "", detach: FloatingIp | None = None) -> Choice:
    if site.external_network:
        return Choice("create", detach=detach, address=address)
    what = "a floating IP is wanted and no external network is known to take it from."
    remedy = "Set floating_network_id, or floating_ips: false."
    return _for_now(detach, error(EXTERNAL_NETWORK_REQUIRED, f"zones[{zone}]", what, remedy))


def elsewhere(site: Site) -> list[Finding]:
    """Floating IPs we made that somebody has put on a port of his own: they stay, and another one is made."""
    ports = {lb.vip_port_id for lb in site.observed.load_balancers}
    return [
        Finding(
            "floating_ip_elsewhere",
            Severity.WARNING,
            f"floating IP {ip.address}",
            f"it was made here for {_whose(site, ip)} and is on port {ip.port_id}, which is no load balancer's of this "
            "cluster; it is left there.",
            "Take it off there and run again; if it is to stay, take this collection's mark out of its description.",
            ip.id,
        )
        for ip in sorted(site.observed.floating_ips, key=_by_id)
        if is_ours(site, ip) and ip.port_id and ip.port_id not in ports
    ]


def _whose(site: Site, ip: FloatingIp) -> str:
    zone = site.identity.zone_of_description(ip.description)
    return f"zone {zone}" if zone else "the cluster"


def stray(site: Site, choices: Iterable[Choice]) -> tuple[FloatingIp, ...]:
    """Floating IPs we made that are on no port and wanted by no zone: left by a run that died between two deletions."""
    used = {choice.ip.id for choice in choices if choice.ip}
    ours = [ip for ip in site.observed.floating_ips if is_ours(site, ip) and not ip.port_id]
    return tuple(sorted((ip for ip in ours if ip.id not in used and not _promised(site, ip)), key=_by_id))
