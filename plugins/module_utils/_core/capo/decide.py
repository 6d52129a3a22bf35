# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The decision: desired + observed → verdict, steps, records to publish (CORE-1, CORE-2, CAPO-3 to CAPO-13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..model import Decision, Disruption, Finding, Severity, Verdict
from .assembly import Assembly, Lane, refuse
from .floating import Choice, choose, elsewhere
from .give_back import addresses_lost, give_back_lane, given_back, is_given_back, unproven
from .guards import guards, input_faults, member_guards, quota_findings, recorded_elsewhere
from .labels import error
from .lanes import fallback_lane, lane_for, members_lane, retiring_lanes, twin_lanes
from .members import placement_findings
from .message import counted
from .ownership import LEGACY_LANE, Assignment, Owner, Unwanted, assign, by_slot, hold_legacy, owner_of, unadopt
from .proof import doubtful, endpoint_needs
from .record import forgotten, record_lane
from .remarks import worth_knowing
from .report import meant, meant_members, seen, seen_now, standing
from .retire import Retirement, plan_retirement, retirement_lanes, stray_lane, unclaimed
from .site import SINGLE, Site, survey
from .state import CapoDesired, CapoObserved
from .strangers import strangers_go, strangers_stay
from .terms import as_far_as_possible
from .twins import lock_lane
from .validate import validate


def decide(desired: CapoDesired, observed: CapoObserved) -> Decision:
    """Everything a cluster's API load balancers need."""
    desired, remarks = as_far_as_possible(desired, observed)
    broken = validate(desired, observed)
    if broken:
        return refuse(desired, Verdict.INVALID, broken)
    elsewhere = recorded_elsewhere(observed)
    if elsewhere:
        return refuse(desired, Verdict.BLOCKED, elsewhere)
    site = survey(desired, observed)
    assigned = assign(site)
    if desired.state == "absent":
        return _absent(site, assigned)
    if desired.state == "present" and not desired.zones:
        return _unmapped(site, assigned)
    if desired.leave_legacy:
        site, assigned = hold_legacy(site, assigned)
    retirement = plan_retirement(site, assigned)
    choices = choose(site, assigned, [one.lb for one in retirement.going])
    wrong = input_faults(site, assigned, choices)
    refusals = [*wrong, *guards(site, assigned), *retirement.blocked]
    if refusals:
        return refuse(desired, Verdict.INVALID if wrong else Verdict.BLOCKED, refusals, standing(site, assigned))
    return _present(site, assigned, retirement, choices, remarks)


def decide_members(desired: CapoDesired, observed: CapoObserved) -> Decision:
    """Upkeep: members of load balancers that exist, and nothing else (CAPO-13)."""
    desired, _remarks_on_the_rest = as_far_as_possible(desired, observed)
    broken = validate(desired, observed)
    if broken:
        return refuse(desired, Verdict.INVALID, broken)
    elsewhere = recorded_elsewhere(observed)
    if elsewhere:
        return refuse(desired, Verdict.BLOCKED, elsewhere)
    site = survey(desired, observed)
    assigned = assign(site)
    refusals = member_guards(site, assigned)
    if refusals:
        return refuse(desired, Verdict.BLOCKED, refusals, standing(site, assigned))
    work = Assembly(findings=placement_findings(site) if site.multi else [])
    assigned = unadopt(site, assigned)
    there = [(slot, lb) for slot, lb in by_slot(site, assigned) if lb is not None]
    lanes = [members_lane(site, slot, lb) for slot, lb in there]
    beside = [*retiring_lanes(site, assigned, set()), *fallback_lane(site, assigned, set())]
    beside += [*twin_lanes(site, assigned, remove=False), lock_lane(site)]
    work.phases.append([*lanes, *beside])
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
    settled = f"The members of {counted(len(there), 'load balancer')} are as wanted."
    return work.decision(site.desired, seen_now(site, assigned), after, standing(site, assigned), settled)


def _unmapped(site: Site, assigned: Assignment) -> Decision:
    """A mapping that is missing is a typo before it is a wish: going back to one load balancer has its own word."""
    left = [one.lb.name for one in assigned.unwanted if owner_of(site, one.lb) is Owner.OURS]
    if left:
        what = f"no zone is mapped, and load balancers of zones are there: {', '.join(left)}. Nothing is changed."
        remedy = "Map the zones; to go back to one load balancer, say state: single."
        refusal = error("mapping_missing", "zones", what, remedy, left)
        return refuse(site.desired, Verdict.BLOCKED, [refusal], standing(site, assigned))
    now = seen_now(site, assigned)
    settled = "No zone is mapped, and no load balancer of a zone is there: nothing is looked after."
    return Assembly().decision(site.desired, now, now, standing(site, assigned), settled)


def _present(
    site: Site,
    assigned: Assignment,
    retirement: Retirement,
    choices: Mapping[str, Choice],
    remarks: Iterable[Finding],
) -> Decision:
    wanted = by_slot(site, assigned)
    lanes = {slot.zone: lane_for(site, slot, lb, choices[slot.zone], assigned) for slot, lb in wanted}
    going = {one.lb.id for one in retirement.going}
    work = Assembly(awaiting=retirement.awaiting)
    work.findings = [*assigned.findings, *retirement.findings, *unclaimed(site, assigned)]
    work.findings += [*remarks, *worth_knowing(site, assigned), *elsewhere(site)]
    beside = [*fallback_lane(site, assigned, going), *twin_lanes(site, assigned, remove=True), lock_lane(site)]
    # What steps aside in a lane of the first phase is looked after when that is done.
    work.phases = [[*lanes.values(), *beside], retiring_lanes(site, assigned, going)]
    drained = work.drain(wait=bool(site.held) or any(lane.stuck for lane in lanes.values()))
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
    if site.multi:
        settled = f"{counted(len(site.slots), 'load balancer')}, one per zone: as wanted."
    else:
        settled = "No zone has a load balancer of its own."
    return work.decision(site.desired, seen_now(site, assigned), after, standing(site, assigned), settled)


def _with_last(lanes: list[Lane], last: str) -> list[list[Lane]]:
    """Two phases: one lane goes after all the others."""
    return [[lane for lane in lanes if lane.name != last], [lane for lane in lanes if lane.name == last]]


def _absent(site: Site, assigned: Assignment) -> Decision:
    """Before a cluster is deleted: shipped CAPO knows none of these load balancers and would leave them (CAPO-13)."""
    why = "all is to go"
    ours = [Unwanted(one.lb, one.zone, why) for one in assigned.unwanted if owner_of(site, one.lb) is Owner.OURS]
    ours += [Unwanted(lb, "", why) for _zone, lb in assigned.current]
    strange = unproven(site, [one.lb for one in ours])
    if strange:
        return refuse(site.desired, Verdict.BLOCKED, strange, standing(site, assigned))
    going = [one for one in ours if not is_given_back(site, one.lb)]
    others = [finding for one in going if (finding := strangers_stay(site, one.lb)) is not None]
    if others:
        return refuse(site.desired, Verdict.BLOCKED, others, standing(site, assigned))
    leaving = [one for one in ours if one in going or addresses_lost(site, one.lb)]
    deleting = site.observed.cluster is not None and site.observed.cluster.deleting
    if leaving and not (site.desired.traffic_moved or deleting):
        which = f"{counted(len(leaving), 'load balancer')} would go or lose the floating IP"
        what = f"{which}, and the cluster is not being deleted."
        refusal = error("absent_needs_traffic_moved", "state", what, "Say traffic_moved: true when nobody needs them.")
        return refuse(site.desired, Verdict.BLOCKED, [refusal], standing(site, assigned))
    doubts = [] if deleting or not leaving else _still_used(site, leaving)
    if any(one.severity is Severity.ERROR for one in doubts):
        return refuse(site.desired, Verdict.BLOCKED, doubts, standing(site, assigned))
    work = Assembly(findings=[*assigned.findings, *doubts, *unclaimed(site, assigned)])
    work.findings += [*strangers_go(site, [one.lb for one in going]), *elsewhere(site)]
    lanes = retirement_lanes(site, going, (), Disruption.OUTAGE)
    lanes += [give_back_lane(site, one) for one in ours if one not in going]
    work.phases = _with_last([*lanes, stray_lane(site, ()), lock_lane(site)], _mirrored_zone(site))
    if not any(lane.stuck for lane in lanes):
        work.phases.append([forgotten(site)])
    before = {one.lane: seen(site, one.lb) for one in ours}
    after = {one.lane: given_back(site, one.lb) for one in ours if one not in going}
    return work.decision(site.desired, before, after, standing(site, assigned), _all_gone(site, ours))


def _all_gone(site: Site, ours: Iterable[Unwanted]) -> str:
    others = sorted({lb.name for lb in site.observed.load_balancers} - {one.lb.name for one in ours})
    if not others:
        return "No load balancer of this cluster is left."
    return f"No load balancer that was made here is left; these were made by others and stay: {', '.join(others)}."


def _still_used(site: Site, leaving: Iterable[Unwanted]) -> list[Finding]:
    """Does the endpoint of a cluster that lives still lead here, or does nobody know?"""
    lost = [(one.lb.name, addresses_lost(site, one.lb)) for one in leaving]
    needed = [finding for name, gone in lost if (finding := endpoint_needs(site, name, gone)) is not None]
    doubt = doubtful(site, {})
    return [*needed, *([doubt] if doubt is not None else [])]


def _mirrored_zone(site: Site) -> str:
    """The zone that older readers know goes last (facts: capo §11.10)."""
    recorded = [str(one.get("availabilityZone", "")) for one in site.observed.record.entries]
    return next(iter([*site.desired.zone_names, *recorded]), SINGLE)
