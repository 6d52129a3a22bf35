# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which control-plane machine is a member of which load balancer (CAPO-5, CAPO-13; facts: capo §7, §10).

Members are matched by address and port: after a rename their names are old, and Octavia answers 409 to a second
member with the same address and port (facts: capo §11.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model import Finding, Severity
from .cidrs import is_inside, network_of, same_address
from .names import member_name
from .site import Site, Slot
from .state import LoadBalancer, Machine, Member, OpenStackCluster, Pool, Subnet


def zone_of_machine(machine: Machine, aliases: Mapping[str, str]) -> str:
    """The zone of the mapping that a machine's Nova zone stands for."""
    return aliases.get(machine.failure_domain, machine.failure_domain)


def place(
    machine: Machine, zones: Sequence[str], aliases: Mapping[str, str], cross_az: bool, single: bool
) -> tuple[str, ...]:
    """Zones whose load balancer takes the machine; "" for the single one, the fallback for every machine (S4)."""
    own = zone_of_machine(machine, aliases)
    chosen = [zone for zone in zones if cross_az or (own and zone == own)]
    return (*chosen, "") if single else tuple(chosen)


def machines_for(site: Site, zone: str) -> tuple[Machine, ...]:
    """Also for a zone that is no longer mapped, as long as its load balancer serves."""
    desired = site.desired
    zones = tuple(dict.fromkeys((*desired.zone_names, zone)))
    return tuple(
        machine
        for machine in site.machines
        if zone in place(machine, zones, desired.zone_aliases, desired.allow_cross_az_members, not zone)
    )


def placement_findings(site: Site) -> list[Finding]:
    """Machines without a load balancer, zones without machines, names that do not meet (facts: capo §11.1, §11.7)."""
    desired, zones = site.desired, site.desired.zone_names
    findings = _address_findings(site)
    for machine in site.machines:
        if not place(machine, zones, desired.zone_aliases, desired.allow_cross_az_members, False):
            domain = machine.failure_domain or "(none)"
            what = f"its failure domain {domain} is no zone of the mapping, so no zone's load balancer takes it."
            remedy = "Map the zone, name it in zone_aliases, or allow cross-AZ members."
            where = f"machine {machine.name}"
            findings.append(Finding("machine_unplaced", Severity.WARNING, where, what, remedy, machine.failure_domain))
    served = {zone_of_machine(machine, desired.zone_aliases) for machine in site.machines}
    for zone in zones:
        if zone not in served and not desired.allow_cross_az_members:
            what = "no control-plane machine is in this zone, so its load balancer has no members."
            remedy = "Keep it out of DNS, or allow cross-AZ members; check zone_aliases if the names should meet."
            findings.append(Finding("zone_without_machines", Severity.WARNING, f"zones[{zone}]", what, remedy, zone))
    domains = site.observed.cluster.failure_domains if site.observed.cluster else ()
    known = {desired.zone_aliases.get(domain, domain) for domain in domains}
    for zone in zones:
        if known and zone not in known:
            what = f"no failure domain of the cluster ({', '.join(domains)}) has this name or an alias to it."
            remedy = "Say in zone_aliases which Nova zones this Octavia zone serves."
            findings.append(Finding("zone_names_differ", Severity.WARNING, f"zones[{zone}]", what, remedy, zone))
    return findings


def _address_findings(site: Site) -> list[Finding]:
    findings = []
    for machine in site.observed.machines:
        where, unfit = f"machine {machine.name}", site.unfit(machine)
        if machine.deleting:
            continue
        if not machine.address:
            what = "it has no internal address yet; it is registered once it has one."
            findings.append(Finding("machine_without_address", Severity.INFO, where, what))
        elif unfit:
            what = f"its address {machine.address} is refused, for {unfit}; a member that it has stays as it is."
            remedy = "See why its OpenStackMachine, or the option machines, names that one."
            findings.append(Finding("machine_address_unfit", Severity.WARNING, where, what, remedy, machine.address))
    return findings


WAITS, REFUSED = "waits", "refused"


@dataclass(frozen=True)
class MemberPlan:
    """What one pool's members become, as a batch update takes it: the whole list."""

    body: tuple[dict[str, Any], ...]
    leaving: tuple[dict[str, Any], ...] = ()  # members of machines that still run, to be taken out
    added: tuple[str, ...] = ()  # machine names
    removed_stale: tuple[str, ...] = ()  # addresses of machines that are gone or going
    renamed: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()  # addresses registered by somebody else: kept
    held: tuple[str, ...] = ()  # addresses that are not wanted any more and stay: the last that answer
    holding: str = ""  # WAITS: until another one answers, or they do not any more. REFUSED: for ever
    last_go: bool = False  # the last that answer are taken out, for a reason that a person gave

    @property
    def changed(self) -> bool:
        """Is there anything to do beside taking out machines that still run?"""
        return bool(self.added or self.removed_stale or self.renamed or self.repaired)

    @property
    def at_first(self) -> tuple[dict[str, Any], ...]:
        """Everything new, nobody sent away who still runs."""
        return tuple(sorted((*self.body, *self.leaving), key=_by_address))


def member_body(member: Member, name: str = "") -> dict[str, Any]:
    """A batch update resets what it is not told (weight, backup, …), so everything goes along (CORE-6)."""
    kept: dict[str, Any] = {
        "name": name or member.name,
        "address": member.address,
        "protocol_port": member.protocol_port,
        "weight": member.weight,
        "backup": member.backup,
        "admin_state_up": member.admin_state_up,
    }
    optional = {
        "subnet_id": member.subnet_id,
        "monitor_address": member.monitor_address,
        "monitor_port": member.monitor_port,
        "tags": list(member.tags),
    }
    return kept | {key: value for key, value in optional.items() if value}


@dataclass
class _Sorted:
    """A pool's members by what becomes of them."""

    kept: list[tuple[Member, dict[str, Any]]] = field(default_factory=list)
    leaving: list[Member] = field(default_factory=list)  # their machines run, and belong elsewhere
    stale: list[Member] = field(default_factory=list)  # their machines are gone or going
    renamed: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


def plan_members(site: Site, slot: Slot, port: int, pool: Pool | None) -> MemberPlan:
    """For a load balancer that is this cluster's: a member with the cluster's prefix is ours, whatever its zone was."""
    machines = machines_for(site, slot.zone)
    existing = pool.members if pool else ()
    found = _sorted(site, slot, port, existing, machines)
    new = [
        machine
        for machine in machines
        if machine.address and not any(_is_at(member, machine.address, port) for member in existing)
    ]
    last = _last_that_answer(found, pool, rolled_out=bool(new)) if pool else []
    holding = _holding(site, found, new, last)
    held = [member for member in last if holding]
    body = [body for _member, body in found.kept]
    body += [member_body(member) for member in held] + [_new(site, slot, port, machine) for machine in new]
    return MemberPlan(
        tuple(sorted(body, key=_by_address)),
        tuple(member_body(member) for member in found.leaving if member not in held),
        tuple(machine.name for machine in new),
        tuple(member.address for member in found.stale if member not in held),
        tuple(found.renamed),
        tuple(found.repaired),
        tuple(found.foreign),
        tuple(member.address for member in held),
        holding,
        bool(last) and not holding,
    )


def _sorted(site: Site, slot: Slot, port: int, existing: Iterable[Member], machines: Sequence[Machine]) -> _Sorted:
    prefix = site.identity.prefix
    wanted = {machine.address: machine for machine in machines if machine.address}
    found = _Sorted()
    for member in existing:
        machine = _machine_of(member, port, wanted)
        if machine is not None:
            body = member_body(member, name=member_name(slot.name, port, machine.name))
            found.kept.append((member, body))
            found.renamed += [machine.name] if member.name != body["name"] else []
            found.repaired += [machine.name] if member.provisioning_status == "ERROR" else []
        elif not member.name.startswith(prefix) or _has_no_address_yet(member, port, machines):
            found.kept.append((member, member_body(member)))
            found.foreign += [] if member.name.startswith(prefix) else [member.address]
        elif any(same_address(member.address, one.address) for one in site.machines if one.address):
            found.leaving.append(member)
        else:
            found.stale.append(member)
    return found


def _last_that_answer(found: _Sorted, pool: Pool, rolled_out: bool) -> list[Member]:
    """Members that are not wanted any more, where no other one answers. A machine that runs counts in an empty pool
    whatever is said of its health. `rolled_out`: others come in place of them; what is only announced answers nobody,
    whoever announced it, so those that answer stay until one of the others does."""
    if any(is_online(member, pool) for member, _body in found.kept):
        return []
    answering = [member for member in (*found.leaving, *found.stale) if is_online(member, pool)]
    return answering or (list(found.leaving) if not (found.kept or rolled_out) else [])


def _is_dying(site: Site, member: Member) -> bool:
    """Its machine is still there, and on its way out."""
    leave = [one.address for one in site.observed.machines if one.deleting and one.address]
    return any(same_address(member.address, address) for address in leave)


def _holding(site: Site, found: _Sorted, new: Sequence[Machine], last: Sequence[Member]) -> str:
    """Why the last that answer stay; empty where there are none, or a person has said why they go.

    Others that are to come make it a matter of time. A machine on its way out stops answering by itself.
    """
    if not last or site.desired.empty_pools_because:
        return ""
    return WAITS if new or found.kept or all(_is_dying(site, member) for member in last) else REFUSED


def _by_address(body: Mapping[str, Any]) -> tuple[str, int]:
    return body["address"], body["protocol_port"]


def _is_at(member: Member, address: str, port: int) -> bool:
    return member.protocol_port == port and same_address(member.address, address)


def _machine_of(member: Member, port: int, wanted: Mapping[str, Machine]) -> Machine | None:
    return next((machine for address, machine in wanted.items() if _is_at(member, address, port)), None)


def _has_no_address_yet(member: Member, port: int, machines: Iterable[Machine]) -> bool:
    """A machine whose address is not known right now keeps the member that bears its name, whatever the load balancer
    was called when it was registered."""
    return any(not one.address and member.name.endswith(f"-{port}-{one.name}") for one in machines)


def _new(site: Site, slot: Slot, port: int, machine: Machine) -> dict[str, Any]:
    body: dict[str, Any] = {
        "name": member_name(slot.name, port, machine.name),
        "address": machine.address,
        "protocol_port": port,
    }
    subnet = member_subnet(site.observed.cluster, slot.network_id, machine.address)
    if not subnet and not site.can("bare_members", slot):
        subnet = _subnet_around(machine.address, [*_cluster_subnets(site), *site.observed.subnets])
    if subnet:
        body["subnet_id"] = subnet
    if site.desired.tags and site.can("tags", slot):
        body["tags"] = list(site.desired.tags)
    return body


def member_subnet(cluster: OpenStackCluster | None, network_id: str, address: str) -> str:
    """Named only where the load balancer sits on another network, and then the subnet the machine is really in.

    CAPO names the first cluster subnet instead, which is wrong for machines in several subnets (facts: capo §7).
    """
    if cluster is None or not network_id or cluster.network_id == network_id or not cluster.subnets:
        return ""
    return _subnet_around(address, cluster.subnets) or cluster.subnets[0].id


def _cluster_subnets(site: Site) -> tuple[Subnet, ...]:
    return site.observed.cluster.subnets if site.observed.cluster else ()


def _subnet_around(address: str, subnets: Iterable[Subnet]) -> str:
    for subnet in subnets:
        network = network_of(subnet.cidr)
        if network is not None and is_inside(address, network):
            return subnet.id
    return ""


def is_online(member: Member, pool: Pool) -> bool:
    """Where there is no monitor nobody can tell, so it counts. Below a monitor, NO_MONITOR means not checked yet. What
    somebody has switched off gets no connections, whatever is still said of its health."""
    told = member.operating_status == "ONLINE" or (pool.monitor is None and member.operating_status == "NO_MONITOR")
    return told and not is_drained(member)


def is_drained(member: Member) -> bool:
    return not member.admin_state_up or member.weight == 0


def switched_off(lb: LoadBalancer, port: int) -> str:
    """What of a load balancer, on the way of a port's clients, somebody has switched off; empty where nothing is."""
    listener = lb.listener(port)
    pool = lb.pool(listener.pool_id) if listener else None
    parts = (("the load balancer", lb), (f"its listener on port {port}", listener), (f"the pool of port {port}", pool))
    return next((what for what, part in parts if part is not None and not part.admin_state_up), "")


def online_members(lb: LoadBalancer, port: int) -> int:
    """Members that answer on a port."""
    listener = lb.listener(port)
    pool = lb.pool(listener.pool_id) if listener else None
    if pool is None or switched_off(lb, port):
        return 0
    return sum(is_online(member, pool) for member in pool.members)
