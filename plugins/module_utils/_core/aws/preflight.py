# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Would AWS make this load balancer? Asked before anything is touched (SUB-3, GAP-4).

Codes are those of the causes that the cloud controller's events are classified into, where there is one: the same
trouble has the same name before and after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..data import Json
from ..model import Finding, Severity
from ..operator.names import CLASSIC, NLB
from ..operator.subnets import Subnets
from ..platforms import EXTERNAL, INTERNAL
from .facts import (
    EIPS,
    LOAD_BALANCER,
    ORDINARY_ZONE,
    OUTPOST,
    ROUTES,
    SUBNETS,
    AwsFacts,
    AwsSubnet,
    discovered,
)

# AWS asks for this many free addresses in every subnet of a load balancer, at creation and when it grows.
FREE_ADDRESSES = 8
_EIPS = "eip_allocations"


@dataclass(frozen=True)
class WantedLb:
    """The load balancer to be. `subnets` None: auto-discovery."""

    kind: str
    scope: str
    subnets: Subnets | None = None
    eips: Sequence[str] = ()
    source_ranges: Sequence[str] = ()
    dual_stack: bool = False


@dataclass(frozen=True)
class _Entry:
    """One subnet as it was written, and what it was found to be."""

    where: str
    text: str
    found: tuple[AwsSubnet, ...]


def check(wanted: WantedLb, facts: AwsFacts, *, bridging: bool = False, strict: bool = False) -> tuple[Finding, ...]:
    """Everything that speaks against it, at once.

    `bridging`: the old load balancer stays until the new one serves. `strict`: what cannot be checked is an error.
    """
    entries = _entries(wanted, facts)
    return (
        *_nowhere(facts, strict),
        *_unresolved(entries, facts),
        *_placement(entries, facts),
        *_zones(entries, wanted),
        *_rooms(entries, wanted, facts, bridging),
        *_auto_discovery(wanted, facts),
        *_elastic_ips(wanted, facts, bridging),
        *_quota(wanted, facts, bridging),
        *_ranges(wanted),
    )


def resolved(wanted: WantedLb, facts: AwsFacts) -> tuple[AwsSubnet, ...]:
    """The subnets that would be used, each once: the listed ones that are unambiguous, or the discovered ones."""
    if wanted.subnets is None:
        return discovered(facts, wanted.scope)
    found = {entry.found[0].id: entry.found[0] for entry in _entries(wanted, facts) if len(entry.found) == 1}
    return tuple(found.values())


def _entries(wanted: WantedLb, facts: AwsFacts) -> tuple[_Entry, ...]:
    listed = wanted.subnets or Subnets()
    ids = [(f"subnets.ids[{n}]", text, facts.subnet(text)) for n, text in enumerate(listed.ids)]
    names = enumerate(listed.names)
    return (
        *(_Entry(where, text, (found,) if found else ()) for where, text, found in ids),
        *(_Entry(f"subnets.names[{n}]", text, facts.named(text)) for n, text in names),
    )


def _nowhere(facts: AwsFacts, strict: bool) -> Iterator[Finding]:
    """Without the VPC, names mean nothing and ids can be anywhere; that is said rather than guessed around."""
    if not facts.vpc:
        what = "The cluster's VPC is not known: nothing in this account and region carries the cluster's tag."
        remedy = "Subnet names and the VPC were not checked. Are these credentials and this region the cluster's?"
        severity = Severity.ERROR if strict else Severity.WARNING
        yield Finding("vpc_unknown", severity, "subnets", what, remedy)


def _unresolved(entries: Sequence[_Entry], facts: AwsFacts) -> Iterator[Finding]:
    """Unknown and ambiguous ones. The cloud controller stops at the first of them."""
    for entry in entries if facts.told(SUBNETS) else ():
        by_name = entry.where.startswith("subnets.names")
        if by_name and len(entry.found) > 1:
            listed = ", ".join(sorted(subnet.id for subnet in entry.found))
            what = f"{entry.text!r} is the Name tag of {len(entry.found)} subnets of the VPC: {listed}."
            yield _error("subnet_name_ambiguous", entry.where, what, "Give the id of the one you mean.", entry.text)
        elif by_name and not entry.found and facts.vpc:
            what = f"No subnet of {facts.vpc}, the cluster's VPC, has the Name tag {entry.text!r} (case counts)."
            yield _error("subnet_name_unknown", entry.where, what, "Correct the name or give an id.", entry.text)
        elif not by_name and not entry.found:
            what = f"AWS knows no subnet {entry.text} in this account and region."
            yield _error(
                "subnet_id_unknown", entry.where, what, "Correct the id, the region or the account.", entry.text
            )


def _placement(entries: Sequence[_Entry], facts: AwsFacts) -> Iterator[Finding]:
    """Twice the same, in another VPC, two in one zone."""
    by_subnet: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        if len(entry.found) == 1:
            by_subnet[entry.found[0].id].append(entry)
    for subnet_id, same in by_subnet.items():
        if len(same) > 1:
            listed = " and ".join(f"{entry.text!r}" for entry in same)
            what = f"{listed} are one subnet, {subnet_id}; the cloud controller counts entries and finds too few."
            yield _error("subnet_twice", same[1].where, what, "List it once.", subnet_id)
    by_zone: dict[str, list[AwsSubnet]] = defaultdict(list)
    for subnet_id, same in by_subnet.items():
        subnet = same[0].found[0]
        if facts.vpc and subnet.vpc != facts.vpc:
            what = f"{subnet} is in {subnet.vpc}; the cluster is in {facts.vpc}."
            yield _error("subnet_other_vpc", same[0].where, what, "Take subnets of the cluster's VPC.", subnet_id)
        else:
            by_zone[subnet.zone].append(subnet)
    for zone, together in by_zone.items():
        if len(together) > 1:
            listed = " and ".join(str(subnet) for subnet in together)
            what = f"{listed} are both in {zone}; a load balancer takes one subnet per availability zone."
            yield _error("subnets_same_az", "subnets", what, f"Keep one of {zone}.", [s.id for s in together])


_ZONES = {"local-zone": "a Local Zone", "wavelength-zone": "a Wavelength Zone", OUTPOST: "an Outpost"}


def _zones(entries: Sequence[_Entry], wanted: WantedLb) -> Iterator[Finding]:
    """Ordinary zones take every load balancer; some Local Zones take Network ones, but not together with others."""
    subnets = {entry.found[0].id: (entry.where, entry.found[0]) for entry in entries if len(entry.found) == 1}
    types = {subnet.zone_type for _where, subnet in subnets.values()}
    for where, subnet in subnets.values():
        if subnet.zone_type == ORDINARY_ZONE:
            continue
        place = f"{subnet} is in {subnet.zone}, {_ZONES.get(subnet.zone_type, subnet.zone_type)}"
        if types == {"local-zone"} and wanted.kind == NLB:
            what = f"{place}. Not every Local Zone takes a Network load balancer, and OpenShift supports none there."
            remedy = "Take subnets of ordinary availability zones unless that is tried and known."
            yield Finding("subnet_zone_type", Severity.WARNING, where, what, remedy, subnet.id)
            continue
        what = f"{place}, which takes no such load balancer beside ordinary zones or at all."
        yield _error("subnet_zone_type", where, what, "Take subnets of ordinary availability zones.", subnet.id)


def _ranges(wanted: WantedLb) -> Iterator[Finding]:
    """The cloud controller writes every range into IPv4 rules."""
    newer = [text for text in wanted.source_ranges if ":" in text]
    if newer and not wanted.dual_stack:
        what = f"{', '.join(newer)} is IPv6, and the load balancer has IPv4 only: AWS refuses such a rule."
        yield _error("ranges_ipv6", "allowedSourceRanges", what, "Take IPv6 ranges out of the source ranges.", newer)


def _rooms(entries: Sequence[_Entry], wanted: WantedLb, facts: AwsFacts, bridging: bool) -> Iterator[Finding]:
    """Free addresses, and whether the subnet fits the scope."""
    seen: set[str] = set()
    for entry in entries:
        subnet = entry.found[0] if len(entry.found) == 1 else None
        if subnet is None or subnet.id in seen:
            continue
        seen.add(subnet.id)
        # The old load balancer gives its address back before the new one asks, unless both stand side by side.
        given_back = int(facts.lb is not None and subnet.id in facts.lb.subnets and not bridging)
        if subnet.free + given_back < FREE_ADDRESSES:
            what = f"{subnet} has {subnet.free} free addresses; AWS wants {FREE_ADDRESSES} for a load balancer."
            yield _error("subnet_full", entry.where, what, "Free addresses there, or take a larger subnet.", subnet.id)
        if wanted.scope == EXTERNAL and subnet.public is False and subnet.firewall:
            what = f"{subnet} leads out through {subnet.firewall}, a firewall's or a gateway load balancer's endpoint."
            remedy = "See that it lets traffic from the internet through to the load balancer."
            yield Finding("subnet_firewalled", Severity.WARNING, entry.where, what, remedy, subnet.id)
        elif wanted.scope == EXTERNAL and subnet.public is False:
            what = f"{subnet} is private: its route table leads to no internet gateway, and the scope is External."
            remedy = "Take public subnets, or scope Internal."
            yield _error("subnet_private", entry.where, what, remedy, subnet.id)
        if wanted.scope == INTERNAL and subnet.public:
            what = f"{subnet} is public; an Internal load balancer works there, but is rarely meant to be."
            remedy = "Take private subnets unless that is so on purpose."
            yield Finding("subnet_public", Severity.WARNING, entry.where, what, remedy, subnet.id)


def _auto_discovery(wanted: WantedLb, facts: AwsFacts) -> Iterator[Finding]:
    known = facts.vpc and facts.told(SUBNETS, ROUTES)
    if wanted.subnets is not None or discovered(facts, wanted.scope) or not known:
        return
    what = f"No subnets are given, and auto-discovery would find none of {facts.vpc} for scope {wanted.scope}."
    remedy = "List subnets, or tag some with kubernetes.io/role/elb or kubernetes.io/role/internal-elb."
    yield _error("no_suitable_subnets", "subnets", what, remedy)


def _elastic_ips(wanted: WantedLb, facts: AwsFacts, bridging: bool) -> Iterator[Finding]:
    if not wanted.eips:
        return
    if wanted.kind == CLASSIC:
        what = "Elastic IPs are for Network load balancers; this one is Classic."
        yield _error("eip_classic", _EIPS, what, "Leave them out, or change the type to NLB.", list(wanted.eips))
    if wanted.scope == INTERNAL:
        what = "Elastic IPs are public addresses; the scope is Internal."
        yield _error("eip_internal", _EIPS, what, "Leave them out, or take scope External.", list(wanted.eips))
    yield from _eip_count(wanted, facts)
    for number, allocation in enumerate(wanted.eips):
        where, known = f"{_EIPS}[{number}]", facts.eip(allocation)
        if not facts.told(EIPS, LOAD_BALANCER):
            continue
        if known is None:
            what = f"AWS knows no Elastic IP {allocation} in this account and region."
            yield _error("eip_unknown", where, what, "Correct the allocation id.", allocation)
        # The load balancer to be replaced sets its own ones free, but only when it goes first.
        elif known.used_by and (bridging or facts.lb is None or allocation not in facts.lb.eips):
            what = f"{allocation} ({known.address}) is in use by {known.used_by}."
            yield _error("eip_in_use", where, what, "Release it there, or take a free one.", allocation)


def _eip_count(wanted: WantedLb, facts: AwsFacts) -> Iterator[Finding]:
    given = len(wanted.eips)
    if wanted.subnets is not None:
        if given != len(wanted.subnets):
            what = f"{given} Elastic IPs for {len(wanted.subnets)} subnets; each subnet takes exactly one."
            yield _error("eip_count", _EIPS, what, "Give as many Elastic IPs as subnets.", given)
        return
    found = discovered(facts, wanted.scope)
    if found and given != len(found):
        zones = ", ".join(subnet.zone for subnet in found)
        what = f"{given} Elastic IPs, but auto-discovery would take {len(found)} subnets ({zones})."
        yield _error("eip_count", _EIPS, what, f"Give {len(found)} Elastic IPs, or list the subnets.", given)


def _quota(wanted: WantedLb, facts: AwsFacts, bridging: bool) -> Iterator[Finding]:
    """A recreation of the same kind frees its place first; anything else needs one more."""
    quota = facts.quota
    extra = bridging or facts.lb is None or facts.lb.kind != wanted.kind
    extra = extra and facts.told(LOAD_BALANCER)
    if quota is None or quota.kind != wanted.kind or not extra or quota.headroom:
        return
    long = {CLASSIC: "Classic", NLB: "Network"}.get(quota.kind, quota.kind)
    what = (
        f"The account has {quota.used} of {quota.limit} {long} load balancers in this region, and one more is needed."
    )
    yield _error("lb_quota", "type", what, "Raise the quota, or delete unused load balancers.", quota.limit)


def _error(code: str, where: str, what: str, remedy: str, value: Json = None) -> Finding:
    return Finding(code, Severity.ERROR, where, what, remedy, value)
