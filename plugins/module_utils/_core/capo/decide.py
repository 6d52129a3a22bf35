# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The decision: desired + observed → verdict, steps, records to publish (CORE-1, CORE-2, CAPO-3 to CAPO-13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data import plain
from ..model import Decision, Disruption, Finding, Severity, Verdict
from .assembly import Assembly, refuse
from .desired import CapoDesired
from .dns import records
from .floating import Choice, choose, stray
from .guards import guards, member_guards, quota_findings
from .lanes import SINGLE, Berth, berth_for, lane_for, single_berth
from .members import placement_findings
from .names import port_name
from .observed import CapoObserved, LoadBalancer
from .ownership import Holdings, Owner, hold, is_fallback, may_rebuild, owner_of, unadopt
from .record import entry, entry_now, mirror_of, record_step
from .retire import LEGACY_LANE, Leaver, Retirement, plan_retirement, retirement_lanes, unclaimed
from .site import Site, survey
from .steps import Anchor, Lane, delete_floating_ip
from .trees import tend_members
from .validate import error, validate
from .view import meant, meant_members, seen

NONE = Choice("none")


def decide(desired: CapoDesired, observed: CapoObserved) -> Decision:
    """Everything a cluster's API load balancers need."""
    broken = validate(desired, observed)
    if broken:
        return refuse(desired, Verdict.INVALID, broken)
    site = survey(desired, observed)
    held = hold(site)
    if desired.state == "absent":
        return _absent(site, held)
    retirement = plan_retirement(site, held, _missing(site, held))
    refusals = [*guards(site, held), *retirement.blocked]
    if refusals:
        return refuse(desired, Verdict.BLOCKED, refusals, _report(site, held))
    return _present(site, held, retirement)


def decide_members(desired: CapoDesired, observed: CapoObserved) -> Decision:
    """Upkeep: members of load balancers that exist, and nothing else (CAPO-13)."""
    broken = validate(desired, observed)
    if broken:
        return refuse(desired, Verdict.INVALID, broken)
    site = survey(desired, observed)
    held = hold(site)
    refusals = member_guards(site, held)
    if refusals:
        return refuse(desired, Verdict.BLOCKED, refusals, _report(site, held))
    work = Assembly(findings=placement_findings(site) if site.multi else [])
    held = unadopt(site, held)
    berths = [(berth, lb) for berth, lb in _berths(site, held) if lb is not None]
    lanes = [_members_lane(site, berth, lb) for berth, lb in berths]
    work.phases.append([*lanes, *_fallback(site, held, Retirement())])
    drained = work.drain(wait=any(lane.stuck for lane in lanes) or len(lanes) < len(site.places))
    what = "it has no load balancer of its own, so its machines are registered with no zone's."
    work.findings += [
        Finding("zone_without_load_balancer", Severity.WARNING, f"zones[{place.zone}]", what, "Run in full.")
        for place in site.places
        if held.of(place.zone) is None
    ]
    after = {
        berth.lane: meant_members(site, berth, lb, lane, drained)
        for (berth, lb), lane in zip(berths, lanes, strict=True)
    }
    return work.decision(site.desired, _standing(site, held), after, _report(site, held))


def _missing(site: Site, held: Holdings) -> list[str]:
    """Zones whose load balancer this plan would have to make: nothing can have moved there yet."""
    missing = []
    for place in site.places:
        lb = held.of(place.zone)
        if lb is None or (lb.provisioning_status == "ERROR" and may_rebuild(site, place.zone, lb)):
            missing.append(place.zone)
    return missing


def _berths(site: Site, held: Holdings) -> list[tuple[Berth, LoadBalancer | None]]:
    """Every load balancer that is to be, with the one that is."""
    berths = [(berth_for(site, place), held.of(place.zone)) for place in site.places]
    single = held.of("")
    return [*berths, (single_berth(site, single), single)] if single else berths


def _present(site: Site, held: Holdings, retirement: Retirement) -> Decision:
    choices = choose(site, held, [one.lb for one in retirement.going])
    lanes: dict[str, Lane] = {}
    for berth, lb in _berths(site, held):
        old = tuple(one for one in held.retiring if one.zone == berth.zone and one.replaced)
        lanes[berth.zone] = lane_for(site, berth, lb, choices.get(berth.zone, NONE), old)
    work = Assembly(awaiting=retirement.awaiting)
    work.findings = [*held.findings, *retirement.findings, *unclaimed(site, held), *_remarks(site, held)]
    going = retirement_lanes(site, retirement.going, choices.values(), Disruption.BRIEF)
    work.phases = [[*lanes.values(), *_fallback(site, held, retirement)]]
    drained = work.drain(wait=any(lane.stuck for lane in lanes.values()))
    work.phases += [
        [*(lane for lane in going if lane.name != LEGACY_LANE), *_strays(site, list(choices.values()))],
        [lane for lane in going if lane.name == LEGACY_LANE],
    ]
    short = quota_findings(site, work.lanes)
    if short:
        return refuse(site.desired, Verdict.BLOCKED, short, _report(site, held))
    if site.multi or held.current or held.retiring or site.observed.record.entries:
        work.phases.append(_record(site, held, lanes, choices, retirement, work))
    before = _standing(site, held)
    after = {
        berth.lane: shown
        for berth, lb in _berths(site, held)
        if (shown := meant(site, berth, lb, choices.get(berth.zone, NONE), lanes[berth.zone], drained)) is not None
    }
    return work.decision(site.desired, before, after, _report(site, held))


def _fallback(site: Site, held: Holdings, retirement: Retirement) -> list[Lane]:
    """The old load balancer goes on serving every machine until it is retired (S4); `keep` leaves it to its owner."""
    legacy = held.legacy
    going = {one.lb.id for one in retirement.going}
    if legacy is None or not is_fallback(site, legacy) or legacy.id in going:
        return []
    berth = Berth("", site.identity.legacy, legacy.vip_subnet_id, legacy.vip_network_id, 4)
    return [_members_lane(site, berth, legacy, LEGACY_LANE)]


def _members_lane(site: Site, berth: Berth, lb: LoadBalancer, name: str = "") -> Lane:
    """Members only, on the ports that are there."""
    lane = Lane(name or berth.lane)
    if lb.provisioning_status != "ACTIVE":
        lane.stuck = True
        what = f"load balancer is {lb.provisioning_status}; its members cannot be changed now."
        severity = Severity.ERROR if lb.provisioning_status == "ERROR" else Severity.WARNING
        lane.findings.append(Finding("members_not_writable", severity, lb.name, what, "Run again when it is ACTIVE."))
        return lane
    anchor = Anchor(lane.name, berth.name, lb.id)
    for port in site.ports:
        listener = lb.listener(port)
        pool = lb.pool(listener.pool_id) if listener else None
        if pool is not None and pool.provisioning_status != "ERROR":
            tend_members(site, lane, anchor, pool, berth.zone, port)
        elif name != LEGACY_LANE:
            what = f"port {port} has no working pool; members wait for a run in full."
            where = port_name(berth.name, port)
            lane.findings.append(Finding("port_not_ready", Severity.WARNING, where, what, "Run in full.", port))
    return lane


def _strays(site: Site, choices: Sequence[Choice]) -> list[Lane]:
    lane = Lane("floating-ips")
    for ip in stray(site, choices):
        lane.note("floating_ip", ip.address, None)
        why = f"Floating IP {ip.address} was made here and serves nothing."
        lane.add(delete_floating_ip(lane.name, ip, why, Disruption.NONE))
    return [lane]


def _record(
    site: Site,
    held: Holdings,
    lanes: dict[str, Lane],
    choices: dict[str, Choice],
    retirement: Retirement,
    work: Assembly,
) -> list[Lane]:
    """What will be true when everything before is done."""
    if "" in lanes and lanes[""].stuck:
        return []  # the record says which zone's load balancer is to become the single one; it is not that yet
    planned: dict[str, dict[str, Any]] = {}
    for berth, lb in _berths(site, held):
        lane = lanes[berth.zone]
        # What could not be worked on is written down only if it is ours already: the record proves ownership.
        if not lane.stuck or (lb is not None and owner_of(site, lb) is Owner.OURS):
            planned[berth.zone] = entry(site, berth, lb, choices.get(berth.zone, NONE), lane)
        elif site.observed.record.entry(zone=berth.zone):
            planned[berth.zone] = plain(site.observed.record.entry(zone=berth.zone))
    entries = [one for zone, one in planned.items() if zone]
    going = {one.lb.id for one in retirement.going}
    entries += [
        entry_now(site, _berth_now(one.zone, one.lb), one.lb)
        for one in held.retiring
        if one.lb.id not in going and one.zone not in planned and owner_of(site, one.lb) is Owner.OURS
        if one.lb.provisioning_status != "PENDING_DELETE"
    ]
    first = site.places[0].zone if site.places else ""
    step, findings = record_step(site, entries, mirror_of(planned.get(first)))
    work.findings += findings
    lane = Lane("record")
    if step is not None:
        lane.add(step)
    return [lane]


def _berth_now(zone: str, lb: LoadBalancer) -> Berth:
    return Berth(zone, lb.name, lb.vip_subnet_id, lb.vip_network_id, 4)


def _remarks(site: Site, held: Holdings) -> list[Finding]:
    """What a person should know although nothing follows from it."""
    if not site.multi:
        return []
    found = placement_findings(site)
    if held.legacy is not None and held.legacy_why and site.desired.legacy == "adopt":
        what = f"it cannot become the first zone's load balancer: {held.legacy_why}. It is replaced instead."
        found.append(Finding("legacy_does_not_fit", Severity.WARNING, held.legacy.name, what))
    if site.desired.allowed_cidrs:
        found += _cidr_remarks(site, held)
    cluster = site.observed.cluster
    if cluster and cluster.endpoint_host and cluster.endpoint_host != site.desired.endpoint_host:
        what = f"the cluster's own endpoint is {cluster.endpoint_host}; these load balancers serve another name."
        found.append(Finding("endpoint_differs", Severity.INFO, "endpoint_host", what))
    return found


def _cidr_remarks(site: Site, held: Holdings) -> list[Finding]:
    where = "allowed_cidrs"
    found = [
        Finding("cidr_rewritten", Severity.INFO, where, f"Octavia keeps {given} as {became}.", "", given)
        for given, became in site.cidrs(site.places[0].ip_version).rewritten
    ]
    for place in site.places:
        other = site.cidrs(place.ip_version).other_version
        if other:
            what = f"zone {place.zone} has an IPv{place.ip_version} VIP; {', '.join(other)} cannot apply to it."
            found.append(Finding("cidr_other_version", Severity.WARNING, where, what, "", list(other)))
        if not site.can("allowed_cidrs", held.of(place.zone)):
            what = f"this Octavia or its provider takes none; zone {place.zone} stays open to everybody."
            found.append(Finding("allowed_cidrs_unsupported", Severity.WARNING, where, what, "", place.zone))
    return found


def _standing(site: Site, held: Holdings) -> dict[str, Any]:
    return {berth.lane: seen(site, lb) for berth, lb in _berths(site, held) if lb is not None}


def _report(site: Site, held: Holdings) -> dict[str, Any]:
    """Returned whatever is decided: what stands, keyed by zone, and what to publish (CAPO-6, CAPO-7, CAPO-10)."""
    standing = [(berth, lb) for berth, lb in _berths(site, held) if lb is not None]
    entries = [entry_now(site, berth, lb) for berth, lb in standing if berth.zone]
    first = site.places[0].zone if site.places else ""
    mirrored = next((entry_now(site, berth, lb) for berth, lb in standing if berth.zone == first), None)
    return {
        "api_server_load_balancers": entries,
        "mirror": mirror_of(mirrored),
        "mirror_zone": first,
        "dns": records(site, held),
        "counts": {
            "zones": len(site.places),
            "load_balancers": len(standing),
            "retiring": len(held.retiring),
            "legacy": int(held.legacy is not None),
        },
    }


def _absent(site: Site, held: Holdings) -> Decision:
    """Before a cluster is deleted: shipped CAPO knows none of these load balancers and would leave them (CAPO-13)."""
    ours = [Leaver(one.lb, one.zone, "all is to go") for one in held.retiring if owner_of(site, one.lb) is Owner.OURS]
    ours += [Leaver(lb, SINGLE, "all is to go") for _zone, lb in held.current]
    cluster = site.observed.cluster
    if ours and not (site.desired.traffic_moved or (cluster is not None and cluster.deleting)):
        what = f"{len(ours)} load balancers would go and the cluster is not being deleted."
        refusal = error("absent_needs_traffic_moved", "state", what, "Say traffic_moved: true when nobody needs them.")
        return refuse(site.desired, Verdict.BLOCKED, [refusal], _report(site, held))
    work = Assembly(findings=unclaimed(site, held))
    lanes = retirement_lanes(site, ours, (), Disruption.OUTAGE)
    last = _mirrored_zone(site)
    work.phases = [
        [*(lane for lane in lanes if lane.name != last), *_strays(site, ())],
        [lane for lane in lanes if lane.name == last],
        [] if any(lane.stuck for lane in lanes) else _forget(site),
    ]
    before = {one.lane: seen(site, one.lb) for one in ours}
    return work.decision(site.desired, before, {}, _report(site, held))


def _mirrored_zone(site: Site) -> str:
    """The zone that older readers know goes last (facts: capo §11.10)."""
    recorded = [str(one.get("availabilityZone", "")) for one in site.observed.record.entries]
    return next(iter([*site.desired.zone_names, *recorded]), SINGLE)


def _forget(site: Site) -> list[Lane]:
    lane = Lane("record")
    if site.observed.record.exists and (site.observed.record.entries or site.observed.record.kind == "config_map"):
        step, _findings = record_step(site, [], None)
        lane.steps += [step] if step else []
    return [lane]
