# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The decision: desired + observed → verdict, steps, records to publish (CORE-1, CORE-2, CAPO-3 to CAPO-13)."""

from __future__ import annotations

from ..model import Decision, Disruption, Finding, Severity, Verdict
from .assembly import Assembly, Lane, refuse
from .floating import choose
from .give_back import give_back_lane, given_back, is_given_back, unproven
from .guards import guards, member_guards, quota_findings
from .lanes import fallback_lane, lane_for, members_lane
from .members import placement_findings
from .ownership import LEGACY_LANE, Assignment, Owner, Unwanted, assign, by_slot, owner_of, unadopt
from .record import forgotten, record_lane
from .report import meant, meant_members, seen, seen_now, standing
from .retire import Retirement, plan_retirement, retirement_lanes, stray_lane, unclaimed
from .site import SINGLE, Site, survey
from .state import CapoDesired, CapoObserved
from .twins import lock_lane, twin_lanes
from .validate import error, validate


def decide(desired: CapoDesired, observed: CapoObserved) -> Decision:
    """Everything a cluster's API load balancers need."""
    broken = validate(desired, observed)
    if broken:
        return refuse(desired, Verdict.INVALID, broken)
    site = survey(desired, observed)
    assigned = assign(site)
    if desired.state == "absent":
        return _absent(site, assigned)
    retirement = plan_retirement(site, assigned)
    refusals = [*guards(site, assigned), *retirement.blocked]
    if refusals:
        return refuse(desired, Verdict.BLOCKED, refusals, standing(site, assigned))
    return _present(site, assigned, retirement)


def decide_members(desired: CapoDesired, observed: CapoObserved) -> Decision:
    """Upkeep: members of load balancers that exist, and nothing else (CAPO-13)."""
    broken = validate(desired, observed)
    if broken:
        return refuse(desired, Verdict.INVALID, broken)
    site = survey(desired, observed)
    assigned = assign(site)
    refusals = member_guards(site, assigned)
    if refusals:
        return refuse(desired, Verdict.BLOCKED, refusals, standing(site, assigned))
    work = Assembly(findings=placement_findings(site) if site.multi else [])
    assigned = unadopt(site, assigned)
    there = [(slot, lb) for slot, lb in by_slot(site, assigned) if lb is not None]
    lanes = [members_lane(site, slot, lb) for slot, lb in there]
    work.phases.append([*lanes, *fallback_lane(site, assigned, set()), lock_lane(site)])
    drained = work.drain(wait=any(lane.stuck for lane in lanes) or len(lanes) < len(site.slots))
    what = "it has no load balancer of its own, so its machines are registered with no zone's."
    work.findings += [
        Finding("zone_without_load_balancer", Severity.WARNING, f"zones[{slot.zone}]", what, "Run in full.")
        for slot in site.slots
        if assigned.of(slot.zone) is None
    ]
    after = {
        slot.lane: meant_members(site, slot, lb, lane, drained) for (slot, lb), lane in zip(there, lanes, strict=True)
    }
    return work.decision(site.desired, seen_now(site, assigned), after, standing(site, assigned))


def _present(site: Site, assigned: Assignment, retirement: Retirement) -> Decision:
    choices = choose(site, assigned, [one.lb for one in retirement.going])
    wanted = by_slot(site, assigned)
    lanes = {slot.zone: lane_for(site, slot, lb, choices[slot.zone], assigned) for slot, lb in wanted}
    going = {one.lb.id for one in retirement.going}
    work = Assembly(awaiting=retirement.awaiting)
    work.findings = [*assigned.findings, *retirement.findings, *unclaimed(site, assigned), *_remarks(site, assigned)]
    beside = [*fallback_lane(site, assigned, going), *twin_lanes(assigned.twins), lock_lane(site)]
    work.phases = [[*lanes.values(), *beside]]
    drained = work.drain(wait=any(lane.stuck for lane in lanes.values()))
    last = retirement_lanes(site, retirement.going, choices.values(), Disruption.BRIEF)
    work.phases += _with_last([*last, stray_lane(site, choices.values())], LEGACY_LANE)
    short = quota_findings(site, work.lanes)
    if short:
        return refuse(site.desired, Verdict.BLOCKED, short, standing(site, assigned))
    if site.multi or assigned.current or assigned.unwanted or site.observed.record.entries:
        work.phases.append([record_lane(site, assigned, lanes, choices, going)])
    after = {
        slot.lane: shown
        for slot, lb in wanted
        if (shown := meant(site, slot, lb, choices[slot.zone], lanes[slot.zone], drained)) is not None
    }
    return work.decision(site.desired, seen_now(site, assigned), after, standing(site, assigned))


def _with_last(lanes: list[Lane], last: str) -> list[list[Lane]]:
    """Two phases: one lane goes after all the others."""
    return [[lane for lane in lanes if lane.name != last], [lane for lane in lanes if lane.name == last]]


def _remarks(site: Site, assigned: Assignment) -> list[Finding]:
    """What a person should know although nothing follows from it."""
    if not site.multi:
        return []
    found = placement_findings(site)
    if assigned.legacy is not None and assigned.legacy_why and site.desired.legacy == "adopt":
        what = f"it cannot become the first zone's load balancer: {assigned.legacy_why}. It is replaced instead."
        found.append(Finding("legacy_does_not_fit", Severity.WARNING, assigned.legacy.name, what))
    if site.desired.allowed_cidrs:
        found += _cidr_remarks(site, assigned)
    cluster = site.observed.cluster
    if cluster and cluster.endpoint_host and cluster.endpoint_host != site.desired.endpoint_host:
        what = f"the cluster's own endpoint is {cluster.endpoint_host}; these load balancers serve another name."
        found.append(Finding("endpoint_differs", Severity.INFO, "endpoint_host", what))
    return found


def _cidr_remarks(site: Site, assigned: Assignment) -> list[Finding]:
    where = "allowed_cidrs"
    found = [
        Finding("cidr_rewritten", Severity.INFO, where, f"Octavia keeps {given} as {became}.", "", given)
        for given, became in site.cidrs(site.slots[0].version).rewritten
    ]
    for slot in site.slots:
        other = site.cidrs(slot.version).other_version
        if other:
            what = f"zone {slot.zone} has an IPv{slot.version} VIP; {', '.join(other)} cannot apply to it."
            found.append(Finding("cidr_other_version", Severity.WARNING, where, what, "", list(other)))
        if not site.can("allowed_cidrs", assigned.of(slot.zone)):
            what = f"this Octavia or its provider takes none; zone {slot.zone} stays open to everybody."
            found.append(Finding("allowed_cidrs_unsupported", Severity.WARNING, where, what, "", slot.zone))
    return found


def _absent(site: Site, assigned: Assignment) -> Decision:
    """Before a cluster is deleted: shipped CAPO knows none of these load balancers and would leave them (CAPO-13)."""
    why = "all is to go"
    ours = [Unwanted(one.lb, one.zone, why) for one in assigned.unwanted if owner_of(site, one.lb) is Owner.OURS]
    ours += [Unwanted(lb, "", why) for _zone, lb in assigned.current]
    strange = unproven(site, [one.lb for one in ours])
    if strange:
        return refuse(site.desired, Verdict.BLOCKED, strange, standing(site, assigned))
    going = [one for one in ours if not is_given_back(site, one.lb)]
    cluster = site.observed.cluster
    if going and not (site.desired.traffic_moved or (cluster is not None and cluster.deleting)):
        what = f"{len(going)} load balancers would go and the cluster is not being deleted."
        refusal = error("absent_needs_traffic_moved", "state", what, "Say traffic_moved: true when nobody needs them.")
        return refuse(site.desired, Verdict.BLOCKED, [refusal], standing(site, assigned))
    work = Assembly(findings=[*assigned.findings, *unclaimed(site, assigned)])
    lanes = retirement_lanes(site, going, (), Disruption.OUTAGE)
    lanes += [give_back_lane(site, one) for one in ours if one not in going]
    work.phases = _with_last([*lanes, stray_lane(site, ()), lock_lane(site)], _mirrored_zone(site))
    if not any(lane.stuck for lane in lanes):
        work.phases.append([forgotten(site)])
    before = {one.lane: seen(site, one.lb) for one in ours}
    after = {one.lane: given_back(site, one.lb) for one in ours if one not in going}
    return work.decision(site.desired, before, after, standing(site, assigned))


def _mirrored_zone(site: Site) -> str:
    """The zone that older readers know goes last (facts: capo §11.10)."""
    recorded = [str(one.get("availabilityZone", "")) for one in site.observed.record.entries]
    return next(iter([*site.desired.zone_names, *recorded]), SINGLE)
