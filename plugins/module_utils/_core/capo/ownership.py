# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose load balancer is it, and what is it to this cluster? (CAPO-3, CAPO-4; facts: capo §2, §11)

CAPO looks things up by name alone and takes the first hit. Here a name only makes a candidate; marks, the record
and the maker's description say whose it is, and nothing that may be another cluster's is ever touched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ..model import Finding, Severity
from .cidrs import leads_to, same_address
from .labels import error
from .names import (
    CAPO_MAKER,
    OUR_MAKER,
    Mark,
    capo_description,
    claims,
    collisions,
    mark_of_description,
    mark_of_tags,
    zone_of_tags,
)
from .site import SINGLE, Site, Slot, addresses, known_targets, same_provider, single_slot
from .state import LoadBalancer
from .twins import is_twin, rank

LEGACY_LANE = "legacy"


class Owner(Enum):
    OURS = "ours"  # marked, or in the record: made or adopted by this collection for this cluster
    UNCLAIMED = "unclaimed"  # nothing speaks against it: may be adopted by name, is never deleted
    FOREIGN = "foreign"  # another cluster's, or another project's


def mark_of(lb: LoadBalancer) -> Mark | None:
    """Tags can be changed, a description is what it was made with: the tags count."""
    return mark_of_tags(lb.tags) or mark_of_description(lb.description)


def made_here(lb: LoadBalancer) -> bool:
    """By this collection, for whichever cluster; adopting leaves the description as it is."""
    return lb.description.startswith(OUR_MAKER)


def owner_of(site: Site, lb: LoadBalancer) -> Owner:
    identity = site.identity
    mark = mark_of(lb)
    if mark is not None or made_here(lb):
        return Owner.OURS if identity.owns(mark) else Owner.FOREIGN
    if lb.description.startswith(CAPO_MAKER) and lb.description != capo_description(identity.resource_name):
        return Owner.FOREIGN
    if site.observed.record.entry(load_balancer_id=lb.id):
        return Owner.OURS
    return Owner.UNCLAIMED


def is_proven(site: Site, lb: LoadBalancer) -> bool:
    """Does anything but its name say that it is this cluster's? Anybody may give a load balancer that name."""
    machines = [one.address for one in site.observed.machines if one.address]
    members = [member.address for pool in lb.pools for member in pool.members]
    return (
        owner_of(site, lb) is Owner.OURS
        or lb.description == capo_description(site.identity.resource_name)
        or any(same_address(one, other) for one in members for other in machines)
        or any(leads_to(one, address) for one in known_targets(site.observed) for address in addresses(site, lb))
    )


def _unproven(site: Site, lb: LoadBalancer) -> Finding:
    what = f"load balancer {lb.id} has this name, and nothing else says that it is this cluster's: CAPO did not make "
    what += "it, none of its members is a machine of the cluster, and the endpoint does not lead to it."
    remedy = f"If it is this cluster's, tag it {site.identity.cluster_tag}; else rename it, or say legacy: keep."
    return error("owner_unproven", lb.name, what, remedy, lb.id)


def zone_of(site: Site, lb: LoadBalancer) -> str | None:
    """The zone a load balancer of this cluster serves; None for the single one and for what is not ours at all."""
    zone = zone_of_tags(lb.tags) or site.identity.zone_of_description(lb.description)
    # A single load balancer made out of a zone's keeps its description, but not its zone tag.
    if zone is not None and (lb.name != site.identity.legacy or zone_of_tags(lb.tags)):
        return zone
    if lb.name == site.identity.legacy:
        return None
    recorded = site.observed.record.entry(load_balancer_id=lb.id).get("availabilityZone")
    if recorded:
        return str(recorded)
    named = [*site.desired.zone_names, *([lb.availability_zone] if lb.availability_zone else [])]
    return next((zone for zone in named if lb.name == site.identity.zone(zone)), None)


def differences(site: Site, lb: LoadBalancer, slot: Slot) -> tuple[str, ...]:
    """What only a new load balancer could change: VIP subnet, zone, provider, flavor, address (facts: capo §11.2)."""
    found = []
    if lb.vip_subnet_id != slot.subnet_id:
        found.append(f"its VIP is on subnet {lb.vip_subnet_id or '(none)'}, the mapping says {slot.subnet_id}")
    # No zone at all is no contradiction: the hint was not given or not known when it was made.
    hint = site.hint(slot)[0]
    if hint and lb.availability_zone and lb.availability_zone != hint:
        found.append(f"it is in Octavia zone {lb.availability_zone}, the mapping says {hint}")
    if slot.provider and lb.provider and not same_provider(lb.provider, slot.provider):
        found.append(f"its provider is {lb.provider}, wanted is {slot.provider}")
    flavor = site.flavor_id(slot)
    if flavor and lb.flavor_id != flavor:
        found.append(f"its flavor is {lb.flavor_id or '(default)'}, wanted is {flavor}")
    if slot.fixed_ip and not same_address(lb.vip_address, slot.fixed_ip):
        found.append(f"its VIP is {lb.vip_address}, wanted is {slot.fixed_ip}")
    return tuple(found)


@dataclass(frozen=True)
class Unwanted:
    """A load balancer of this cluster that is not to stay, and why."""

    lb: LoadBalancer
    zone: str
    why: str
    replaced: bool = False  # its zone stays and gets another load balancer
    legacy: bool = False

    @property
    def lane(self) -> str:
        if self.legacy:
            return LEGACY_LANE
        return f"{self.zone} (old)" if self.replaced else self.zone or SINGLE


@dataclass(frozen=True)
class Assignment:
    """The cluster's load balancers by the part they play. `twins` by zone: they play none."""

    current: tuple[tuple[str, LoadBalancer], ...] = ()  # zone → the one to use; "" for the single one
    unwanted: tuple[Unwanted, ...] = ()
    twins: tuple[tuple[str, LoadBalancer], ...] = ()
    legacy: LoadBalancer | None = None  # the single one, where it is not itself current
    legacy_why: str = ""  # why it could not be adopted, where that was asked for
    blocked: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()

    def of(self, zone: str) -> LoadBalancer | None:
        return dict(self.current).get(zone)


def assign(site: Site) -> Assignment:
    """Sorts what was seen. Deterministic: load balancers are taken by id."""
    seen = [lb for lb in site.observed.load_balancers if lb.provisioning_status != "DELETED"]
    lbs = sorted(seen, key=lambda lb: lb.id)
    foreign = _foreign(site, lbs)
    goes = site.desired.state == "absent"
    blocked = [*_name_conflicts(site), *([] if goes else foreign)]
    mine = [lb for lb in lbs if owner_of(site, lb) is not Owner.FOREIGN]
    legacy = _legacy(site, mine, blocked)
    current: list[tuple[str, LoadBalancer]] = []
    twins: list[tuple[str, LoadBalancer]] = []
    mapped = {slot.zone for slot in site.slots}
    unwanted = [
        Unwanted(lb, zone, f"zone {zone} is no longer in the mapping")
        for lb in mine
        if (zone := zone_of(site, lb)) is not None and zone not in mapped
    ]
    for slot in site.slots:
        candidates = [lb for lb in mine if zone_of(site, lb) == slot.zone]
        chosen, left, double = _choose(site, slot, candidates, blocked)
        current += [(slot.zone, chosen)] if chosen else []
        unwanted += left
        twins += [(slot.zone, lb) for lb in double]
    assigned = Assignment(tuple(current), tuple(unwanted), tuple(twins), legacy, blocked=tuple(blocked))
    return _with_legacy(site, replace(assigned, findings=tuple(foreign) if goes else ()))


def by_slot(site: Site, assigned: Assignment) -> list[tuple[Slot, LoadBalancer | None]]:
    """Every load balancer that is to be, with the one that is."""
    found = [(slot, assigned.of(slot.zone)) for slot in site.slots]
    single = assigned.of("")
    return [*found, (single_slot(site, single), single)] if single else found


def _name_conflicts(site: Site) -> list[Finding]:
    """Names that another cluster's CAPO would look up: it would take our load balancer for its own."""
    ours = claims(site.identity.namespace, site.identity.cluster, site.desired.zone_names, single=not site.multi)
    theirs = [
        claim
        for other in site.observed.others
        for claim in claims(other.namespace, other.cluster, other.zones, single=other.managed_lb_enabled is not False)
    ]
    return [
        error(
            "name_collision",
            f"zones[{mine.zone}]" if mine.zone else "cluster",
            f"{mine.name} is also the name that cluster {other.namespace}/{other.cluster} looks up.",
            "Rename the zone in the mapping, or give that cluster another name.",
            mine.name,
        )
        for mine, other in collisions(ours, theirs)
        if site.multi and site.desired.state == "present"
    ]


def _foreign(site: Site, lbs: list[LoadBalancer]) -> list[Finding]:
    """A load balancer under one of our names that says it is another cluster's: in the way of one that is to be made,
    and worth a word when all is to go."""
    wanted = {site.identity.zone(zone) for zone in site.desired.zone_names}
    found = [lb for lb in lbs if owner_of(site, lb) is Owner.FOREIGN]
    if site.desired.state != "absent":
        return [_taken(site, lb) for lb in found if lb.name in wanted]
    namesakes = [lb for lb in found if _is_namesakes(site, lb)]
    return [replace(_taken(site, lb), code="left_alone", severity=Severity.WARNING) for lb in namesakes]


def _is_namesakes(site: Site, lb: LoadBalancer) -> bool:
    """Of another cluster with these names: another management cluster's, or this one's before it was moved."""
    mark = mark_of(lb)
    return mark is not None and replace(site.identity, project="", uid="").owns(mark)


def _taken(site: Site, lb: LoadBalancer) -> Finding:
    mark = mark_of(lb)
    if mark is not None and _is_namesakes(site, lb):
        whose = f"is marked for another cluster of the same name (project {mark.project}, uid {mark.uid})"
        remedy = f"If it is this one after clusterctl move or a restore, say former_uids: [{mark.uid}]."
    else:
        whose = f"is another cluster's: {lb.description or ', '.join(lb.tags)}"
        remedy = "Rename the zone in the mapping."
    what = f"load balancer {lb.id} has this name and {whose}."
    return error("name_taken", lb.name, what, f"{remedy} Nothing of another cluster's is touched.", lb.id)


def _legacy(site: Site, mine: list[LoadBalancer], blocked: list[Finding]) -> LoadBalancer | None:
    found = [lb for lb in mine if lb.name == site.identity.legacy and zone_of(site, lb) is None]
    if len(found) > 1 and (site.multi or any(owner_of(site, lb) is Owner.OURS for lb in found)):
        blocked.append(_several(site.identity.legacy, found))
    touched = site.multi and site.desired.legacy != "keep" and not site.desired.leave_legacy
    if len(found) == 1 and touched and may_change_legacy(site, found[0]) and not is_proven(site, found[0]):
        blocked.append(_unproven(site, found[0]))
    return found[0] if found else None


def _several(name: str, found: list[LoadBalancer]) -> Finding:
    ids = [lb.id for lb in found]
    what = f"{len(ids)} load balancers have this name ({', '.join(ids)}) and nothing says which one is meant."
    return error("name_ambiguous", name, what, "Rename or delete the one that is not the cluster's.", ids)


def _choose(
    site: Site, slot: Slot, candidates: list[LoadBalancer], blocked: list[Finding]
) -> tuple[LoadBalancer | None, list[Unwanted], list[LoadBalancer]]:
    """The one to use for a zone: it fits the mapping; ours before unclaimed, rightly named before others."""
    staying = [lb for lb in candidates if lb.provisioning_status != "PENDING_DELETE"]
    fitting = [lb for lb in staying if not differences(site, lb, slot)]
    ours = [lb for lb in fitting if owner_of(site, lb) is Owner.OURS]
    if len(fitting) > 1 and not ours:
        blocked.append(_several(slot.name, fitting))
    if len(fitting) == 1 and not is_proven(site, fitting[0]):
        blocked.append(_unproven(site, fitting[0]))
    chosen = min(ours or fitting, key=lambda lb: rank(site, slot, lb), default=None)
    twins = [lb for lb in ours if chosen is not None and lb is not chosen and is_twin(site, slot, chosen, lb)]
    left = []
    for lb in candidates:
        if lb is not chosen and lb not in twins:
            why = "; ".join(differences(site, lb, slot)) or f"zone {slot.zone} has another one already"
            left.append(Unwanted(lb, slot.zone, why, replaced=True))
    return chosen, left, twins


def _with_legacy(site: Site, assigned: Assignment) -> Assignment:
    """Adopt the legacy load balancer into the first zone, or say why not (CAPO-4, facts: capo §11.2)."""
    legacy = assigned.legacy
    if not site.multi:
        return _survivor(site, assigned)
    if legacy is None or site.desired.legacy != "adopt" or not may_change_legacy(site, legacy):
        return assigned
    first = site.slots[0]
    if assigned.of(first.zone) is not None:
        return replace(assigned, legacy_why=f"zone {first.zone} has a load balancer of its own already")
    why = differences(site, legacy, first)
    if why:
        return replace(assigned, legacy_why="; ".join(why))
    findings = assigned.findings
    if site.hint(first)[0] and not legacy.availability_zone:
        what = f"the legacy load balancer is in no Octavia zone; only its subnet ties it to {first.zone}."
        findings += (Finding("az_hint_not_set", Severity.WARNING, legacy.name, what, ""),)
    return replace(assigned, current=((first.zone, legacy), *assigned.current), legacy=None, findings=findings)


def unadopt(site: Site, assigned: Assignment) -> Assignment:
    """For a run that renames nothing: what is not adopted yet is still the load balancer of all machines."""
    waiting = next((lb for zone, lb in assigned.current if zone and lb.name == site.identity.legacy), None)
    if waiting is None:
        return assigned
    return replace(assigned, current=tuple(one for one in assigned.current if one[1] is not waiting), legacy=waiting)


def hold_legacy(site: Site, assigned: Assignment) -> tuple[Site, Assignment]:
    """For a run that leaves the old load balancer as it is: the zone that is to adopt it is not built meanwhile."""
    held = unadopt(site, assigned)
    if held is assigned:
        return site, assigned
    waiting = {zone for zone, _lb in assigned.current} - {zone for zone, _lb in held.current}
    what = f"it is to get the load balancer {site.identity.legacy}, which this run leaves as it is."
    remedy = "Run without leave_legacy to have it adopted."
    findings = [Finding("zone_waits", Severity.INFO, f"zones[{zone}]", what, remedy) for zone in sorted(waiting)]
    slots = tuple(slot for slot in site.slots if slot.zone not in waiting)
    without = replace(site, slots=slots, held=tuple(slot for slot in site.slots if slot.zone in waiting))
    return without, replace(held, findings=(*held.findings, *findings))


def may_change_legacy(site: Site, legacy: LoadBalancer) -> bool:
    """Never what a CAPO controller owns or may own: it would make a second one at once (facts: capo §11.4)."""
    return site.managed is False or (site.managed is None and owner_of(site, legacy) is Owner.OURS)


def may_rebuild(site: Site, zone: str, lb: LoadBalancer) -> bool:
    """Without a mapping nothing would say, to a run after a crash, that and where it has to be made again."""
    return site.desired.allow_rebuild and bool(zone) and owner_of(site, lb) is Owner.OURS


def is_rebuilt(site: Site, zone: str, lb: LoadBalancer) -> bool:
    """ERROR ends only with deletion: is it deleted and made again?"""
    return lb.provisioning_status == "ERROR" and may_rebuild(site, zone, lb)


def is_fallback(site: Site, legacy: LoadBalancer) -> bool:
    """S4: the old load balancer serves every machine while it is there. `keep` leaves it to whoever owns it."""
    return site.multi and site.desired.legacy != "keep" and may_change_legacy(site, legacy)


def _survivor(site: Site, assigned: Assignment) -> Assignment:
    """Back to one: the single load balancer, or the first zone's when there is none, is the one that stays."""
    legacy = assigned.legacy
    if legacy is not None and owner_of(site, legacy) is Owner.OURS and site.managed is not True:
        return replace(assigned, current=(("", legacy),), legacy=None)
    ours = [one for one in assigned.unwanted if owner_of(site, one.lb) is Owner.OURS]
    if legacy is not None or site.managed is not False or not ours or site.desired.state != "single":
        return assigned
    order = [entry.get("availabilityZone") for entry in site.observed.record.entries]
    usable = [one for one in ours if one.lb.provisioning_status != "PENDING_DELETE"] or ours
    rank = {zone: place for place, zone in enumerate(order)}
    broken = {one.lb.id: one.lb.provisioning_status == "ERROR" for one in usable}
    stays = min(usable, key=lambda one: (broken[one.lb.id], rank.get(one.zone, len(order)), one.zone, one.lb.id))
    left = tuple(one for one in assigned.unwanted if one is not stays)
    return replace(assigned, current=(("", stays.lb),), unwanted=left)
