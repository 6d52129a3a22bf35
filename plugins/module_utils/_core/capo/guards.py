# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is refused as a whole, although the input is valid (CAPO-4, CAPO-11, CAPO-12; facts: capo §9, §11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..model import Finding, Severity, Step
from .assembly import Lane
from .cidrs import other_family, same_address, version_of_address
from .floating import EXTERNAL_NETWORK_REQUIRED, Choice
from .labels import error
from .ownership import Assignment, Owner, by_slot, is_fallback, is_rebuilt, may_change_legacy, owner_of
from .site import Site, Slot
from .state import CapoObserved, LoadBalancer
from .validate import family_missing

FORBIDDEN = "spec: Forbidden: cannot be modified"  # CAPO's webhook, of nearly every field of spec (facts: capo §9)

KEEP = "Say legacy: keep to have the zones' load balancers beside it, as an additional endpoint with a DNS name."
QUOTAS = ("load_balancer", "listener", "pool", "health_monitor", "member", "floating_ip", "port")


def guards(site: Site, assigned: Assignment) -> list[Finding]:
    return [*member_guards(site, assigned), *_legacy_owner(site, assigned), *_ip_endpoint(site)]


def input_faults(site: Site, assigned: Assignment, choices: Mapping[str, Choice]) -> list[Finding]:
    """Wrong input that shows only once it is known what has to be made. Octavia and Neutron would refuse it half-way,
    after other zones were written to."""
    made = [(slot, lb) for slot, lb in by_slot(site, assigned) if lb is None or is_rebuilt(site, slot.zone, lb)]
    hints = [site.hint(slot)[1] for slot, _lb in made]
    return [
        *(finding for finding in hints if finding is not None and finding.severity is Severity.ERROR),
        *_taken_addresses(site, made),
        *_external_network(site, choices),
        *_unallocated(site, choices),
        *_open_listeners(site, assigned),
    ]


def _taken_addresses(site: Site, made: Iterable[tuple[Slot, LoadBalancer | None]]) -> Iterator[Finding]:
    for slot, lb in made:
        if not slot.fixed_ip or (lb is not None and same_address(lb.vip_address, slot.fixed_ip)):
            continue
        ports = [port for address, port in site.observed.taken.items() if same_address(address, slot.fixed_ip)]
        if ports:
            what = f"{slot.fixed_ip} is in use on port {ports[0]}."
            where = f"zones[{slot.zone}].fixed_ip"
            yield error("fixed_ip_taken", where, what, "Give another address, or none.", slot.fixed_ip)


def _external_network(site: Site, choices: Mapping[str, Choice]) -> Iterator[Finding]:
    missing = [one.finding for one in choices.values() if one.finding and one.finding.code == EXTERNAL_NETWORK_REQUIRED]
    if missing:
        yield missing[0]
    known, wanted = site.observed.external_networks, site.external_network
    if known is None or not any(one.action == "create" for one in choices.values()):
        return
    if not any(one.id == wanted and (one.facts or {}).get("router:external", True) for one in known):
        what = f"{wanted} is no external network that these credentials see, so it gives no floating IPs."
        remedy = "Name an external network, or say floating_ips: false."
        yield error("external_network_unknown", "floating_network_id", what, remedy, wanted)


def _unallocated(site: Site, choices: Mapping[str, Choice]) -> Iterator[Finding]:
    """An address of one's choice is an administrator's to make, so one that was brought has to be there."""
    for zone, one in choices.items():
        if one.action == "create" and one.address and not site.observed.cloud.chooses_addresses:
            what = f"floating IP {one.address} is not allocated in project {site.observed.project}."
            remedy = "Have an administrator allocate it there (openstack floating ip create --floating-ip-address …)."
            yield error("floating_ip_not_allocated", f"zones[{zone}]", what, remedy, one.address)


def _open_listeners(site: Site, assigned: Assignment) -> Iterator[Finding]:
    """The single load balancer's family is not the mapping's to say."""
    for slot, _lb in by_slot(site, assigned):
        if not slot.zone and other_family(site.desired.allowed_cidrs or (), slot.version):
            yield family_missing(slot.name, slot.version)


def member_guards(site: Site, assigned: Assignment) -> list[Finding]:
    """Those that also stand before a run that only looks after members."""
    return [*assigned.blocked, *_no_machines(site, assigned)]


def _legacy_owner(site: Site, assigned: Assignment) -> Iterator[Finding]:
    """Never fight a controller: it looks its load balancer up by name and makes a new one when it is gone."""
    if not site.multi or site.desired.legacy == "keep":
        return
    if site.managed:
        paused = site.observed.cluster is not None and site.observed.cluster.paused
        what = (
            f"the CAPO controller runs the load balancer {site.identity.legacy} itself and sets the endpoint to an "
            f"address; its webhook answers any change of that with {FORBIDDEN!r}"
            f"{', and it goes on when the pause ends' if paused else ''}."
        )
        yield error("capo_owns_legacy", "legacy", what, KEEP, site.identity.legacy)
    elif assigned.legacy is not None and not may_change_legacy(site, assigned.legacy):
        what = f"load balancer {assigned.legacy.name} exists and nobody can say whether a CAPO controller runs it."
        remedy = f"Let the OpenStackCluster be read. {KEEP}"
        yield error("legacy_owner_unknown", "legacy", what, remedy, assigned.legacy.id)


def _ip_endpoint(site: Site) -> Iterator[Finding]:
    """Kubeconfigs, certificates and kubelets keep the address, and the host cannot be changed (facts: capo §11.5)."""
    cluster = site.observed.cluster
    if not site.multi or cluster is None or site.desired.legacy == "keep":
        return
    if version_of_address(cluster.endpoint_host) is not None:
        what = f"the cluster's endpoint is the address {cluster.endpoint_host}, which cannot become a DNS name."
        yield error("endpoint_is_ip", "legacy", what, KEEP, cluster.endpoint_host)


def _no_machines(site: Site, assigned: Assignment) -> Iterator[Finding]:
    """An empty list is a sign of wrong credentials or a wrong selector before it is one of an empty cluster."""
    if site.observed.machines or site.desired.empty_pools_because:
        return
    lbs = [lb for _zone, lb in assigned.current]
    lbs += [one.lb for one in assigned.unwanted if owner_of(site, one.lb) is Owner.OURS]
    if assigned.legacy is not None and is_fallback(site, assigned.legacy):
        lbs.append(assigned.legacy)
    members = sum(len(pool.members) for lb in lbs for pool in lb.pools)
    if members:
        what = f"no control-plane machine was found, and {members} members are registered; they are not all removed."
        remedy = "Check machines, the management cluster's context and the cluster's name. If all shall go, say why in "
        yield error("no_machines", "machines", what, f"{remedy}empty_pools_because.", members)


def recorded_elsewhere(observed: CapoObserved) -> list[Finding]:
    """Nothing found is no news where nobody looked: the record would be forgotten, or everything built twice."""
    if not observed.elsewhere:
        return []
    told = ", ".join(f"{one} ({whose})" for one, whose in sorted(observed.elsewhere.items()))
    what = f"the record names load balancers that are there, but not in project {observed.project}: {told}."
    remedy = "Give the credentials of the project that the cluster's load balancers are in."
    return [error("record_elsewhere", "record", what, remedy, sorted(observed.elsewhere))]


def quota_findings(site: Site, lanes: Iterable[Lane]) -> list[Finding]:
    """Counted before the first write: a refusal half-way leaves half a tree (facts: capo §11.11)."""
    need: Counter[str] = Counter()
    lbs = {lb.id: lb for lb in site.observed.load_balancers}
    for lane in lanes:
        for step in lane.steps:
            need += _needs(step)
            if step.verb == "delete" and step.resource == "load_balancer" and lane.creates and step.uid in lbs:
                need.subtract(_holds(lbs[step.uid]))
    short = []
    for name in QUOTAS:
        quota = site.observed.cloud.quotas.get(name)
        free = quota.free if quota else None
        if free is not None and need[name] > free:
            what = f"the plan needs {need[name]} more, and the project's quota leaves {free}."
            short.append(error("quota_short", f"quota {name}", what, "Have the quota raised.", need[name]))
    return short


def _needs(step: Step) -> Counter[str]:
    need: Counter[str] = Counter()
    if step.verb == "replace" and step.resource == "members":
        had = (step.expect or {}).get("members") or ()
        need["member"] = max(len(step.body["members"]) - len(had), 0)
    if step.verb != "create":
        return need
    need[step.resource] += 1
    need["port"] += step.resource == "load_balancer"  # of its VIP
    for listener in step.body.get("listeners") or ():
        pool = listener["default_pool"]
        need.update(listener=1, pool=1, health_monitor=1 if "healthmonitor" in pool else 0, member=len(pool["members"]))
    return need


def _holds(lb: LoadBalancer) -> Counter[str]:
    monitors = sum(pool.monitor is not None for pool in lb.pools)
    members = sum(len(pool.members) for pool in lb.pools)
    return Counter(
        load_balancer=1, port=1, listener=len(lb.listeners), pool=len(lb.pools), health_monitor=monitors, member=members
    )
