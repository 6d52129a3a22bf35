# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Have clients moved? What can be seen of it: zones that answer, and where the endpoint leads (CAPO-7, CAPO-8).

A person says it (`traffic_moved`), and it is held against this. Where DNS cannot show it, a person's reason stands in
(`traffic_moved_because`); against what it does show, none does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model import Finding, Severity
from .cidrs import leads_to, same_address, version_of_address
from .dns import dns_records
from .floating import asked_address
from .labels import error
from .members import is_online, plan_members
from .ownership import Assignment, by_slot, is_rebuilt
from .site import Site, Slot, known_targets, other_endpoint
from .state import LoadBalancer

NOT_YET = "Run with traffic_moved: false until it is so."


def against(site: Site, assigned: Assignment) -> tuple[Finding, ...]:
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
            reasons[slot.zone] = "its last ONLINE member is not one of the machines that stay"
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
    answers = (host,) if version_of_address(host) is not None else site.observed.endpoint_addresses
    otherwise = "Or say in traffic_moved_because how else you know that clients have moved."
    if answers is None:
        asked = "resolve_endpoint is false" if site.desired.resolve_endpoint is False else "DNS could not be asked"
        why = asked if host else "no endpoint_host is known"
        what = f"{why}, so nobody knows where clients of {host or 'the cluster'} go."
        return error("endpoint_not_asked", where, what, f"Have DNS asked, and run again. {otherwise}", host)
    if not answers:
        what = f"{host} leads nowhere now."
        return error("endpoint_unresolved", where, what, f"Publish the records first. {otherwise}", host)
    lacking = [one for one in publish if not any(leads_to(answer, one) for answer in answers)]
    if not lacking:
        return _own_doubt(site, otherwise)
    zones = ", ".join(f"{one} (zone {publish[one]})" if publish[one] else one for one in lacking)
    what = f"{host} does not lead to {zones}."
    return error("endpoint_lacks_zone", where, what, f"Publish the records first. {otherwise}", lacking)


def _own_doubt(site: Site, otherwise: str) -> Finding | None:
    """An option that names another host says nothing of those who come by the object's own."""
    own, answers = other_endpoint(site.desired, site.observed.cluster), site.observed.own_endpoint_addresses
    if not own or answers:
        return None
    if answers is None:
        what = f"DNS was not asked, or did not say, where the cluster's own endpoint {own} leads."
        return error("endpoint_not_asked", "endpoint_host", what, f"Have DNS asked, and run again. {otherwise}", own)
    what = f"the cluster's own endpoint {own} leads nowhere now."
    return error("endpoint_unresolved", "endpoint_host", what, f"Publish its records first. {otherwise}", own)


def _will_answer(site: Site, slot: Slot, lb: LoadBalancer) -> bool:
    """Does it have an ONLINE member that this plan leaves in place, and not only until another one answers?"""
    listener = lb.listener(site.api_port)
    pool = lb.pool(listener.pool_id) if listener else None
    plan = plan_members(site, slot, site.api_port, pool)
    kept = {one["address"] for one in plan.body} - set(plan.held)
    return pool is not None and any(is_online(one, pool) and one.address in kept for one in pool.members)


def endpoint_needs(site: Site, name: str, lost: Iterable[str]) -> Finding | None:
    """`lost`: the addresses that the load balancer would not have any more."""
    needed = _needed_by_endpoint(site, lost)
    if not needed:
        return None
    what = f"the control plane endpoint still leads to its address {needed}."
    return error("endpoint_needs_it", name, what, "Take that address out of DNS first.", needed)


def _needed_by_endpoint(site: Site, lost: Iterable[str]) -> str:
    """An address that moves along to another load balancer does not count."""
    moving = [asked_address(site, slot.zone) for slot in site.slots]
    for address in lost:
        if any(asked and same_address(address, asked) for asked in moving):
            continue
        if any(leads_to(target, address) for target in known_targets(site.observed)):
            return address
    return ""
