# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome as S4's status says it, and the single mirror of the first mapping (CAPO-6; facts: capo §1, §10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..data import canonical, plain
from ..model import Finding, Severity, Step
from .assembly import Lane
from .cidrs import read_back
from .floating import Choice
from .ownership import Assignment, Owner, by_slot, owner_of
from .site import Site, Slot
from .state import CLUSTER_LABEL, INFRASTRUCTURE, LoadBalancer
from .steps import created
from .trees import wanted_tags

LIST_FIELD = "apiServerLoadBalancers"
MAP_MIRROR = "apiServerLoadBalancer"
Entry = dict[str, Any]


def entry(site: Site, slot: Slot, lb: LoadBalancer | None, choice: Choice, lane: Lane) -> Entry:
    """One zone's entry once the lane is done; values that only the cloud knows yet are references."""
    if lb is not None and lane.stuck:
        return entry_now(site, slot.zone, lb)
    address: Any = choice.address_after
    if address is None:
        address = created("floating_ip", site.identity.description(slot.zone), "floating_ip_address")
    kept = None if lane.creates else lb
    tags = wanted_tags(site, slot.zone, kept) if site.can("tags", kept or slot) else (kept.tags if kept else ())
    return {
        "name": slot.name,
        "id": kept.id if kept else created("load_balancer", slot.name),
        "ip": address,
        "internalIP": kept.vip_address if kept else created("load_balancer", slot.name, "vip_address"),
        "availabilityZone": slot.zone,
        "tags": sorted(tags),
        "allowedCIDRs": _allowed(site, slot, kept),
        "loadBalancerNetwork": _network(site, slot.network_id, slot.subnet_id),
    }


def entry_now(site: Site, zone: str, lb: LoadBalancer) -> Entry:
    """As it stands: for a load balancer that this plan leaves alone."""
    attached = site.observed.floating_ip_on(lb.vip_port_id)
    listener = lb.listener(site.api_port)
    cidrs = list(read_back(listener.allowed_cidrs)) if listener else []
    return {
        "name": lb.name,
        "id": lb.id,
        "ip": attached.address if attached else "",
        "internalIP": lb.vip_address,
        "availabilityZone": zone,
        "tags": sorted(lb.tags),
        "allowedCIDRs": cidrs if site.can("allowed_cidrs", lb) else None,
        "loadBalancerNetwork": _network(site, lb.vip_network_id, lb.vip_subnet_id),
    }


def _allowed(site: Site, slot: Slot, lb: LoadBalancer | None) -> list[str] | None:
    """None: the provider cannot (facts: capo §6)."""
    if not site.can("allowed_cidrs", lb or slot):
        return None
    listener = lb.listener(site.api_port) if lb else None
    if listener is not None and site.desired.allowed_cidrs is None:
        return list(read_back(listener.allowed_cidrs))
    return list(site.cidrs(slot.version).cidrs)


def _network(site: Site, network_id: str, subnet_id: str) -> Entry:
    network = next((one for one in site.observed.networks if one.id == network_id), None)
    subnets = [
        {"id": one.id, "name": (one.facts or {}).get("name", ""), "cidr": one.cidr}
        for one in site.observed.subnets
        if one.id == subnet_id
    ]
    return {"id": network_id, "name": network.name if network else "", "subnets": subnets}


def mirror_of(chosen: Entry | None) -> Entry | None:
    """The singleton that older readers know: no zone in it."""
    return {key: value for key, value in chosen.items() if key != "availabilityZone"} if chosen else None


def record_lane(
    site: Site, assigned: Assignment, lanes: Mapping[str, Lane], choices: Mapping[str, Choice], going: set[str]
) -> Lane:
    """What will be true when everything before is done. `lanes` and `choices` by zone, `going`: ids to be deleted."""
    lane = Lane("record")
    if "" in lanes and lanes[""].stuck:
        return lane  # the record says which zone's load balancer is to become the single one; it is not that yet
    planned: dict[str, Entry] = {}
    for slot, lb in by_slot(site, assigned):
        # What could not be worked on is written down only if it is ours already: the record proves ownership.
        if not lanes[slot.zone].stuck or (lb is not None and owner_of(site, lb) is Owner.OURS):
            planned[slot.zone] = entry(site, slot, lb, choices[slot.zone], lanes[slot.zone])
        elif site.observed.record.entry(zone=slot.zone):
            planned[slot.zone] = plain(site.observed.record.entry(zone=slot.zone))
    entries = [one for zone, one in planned.items() if zone]
    entries += [
        entry_now(site, one.zone, one.lb)
        for one in assigned.unwanted
        if one.lb.id not in going and one.zone not in planned and owner_of(site, one.lb) is Owner.OURS
        if one.lb.provisioning_status != "PENDING_DELETE"
    ]
    _write(site, lane, entries, mirror_of(planned.get(site.first_zone)))
    return lane


def forgotten(site: Site) -> Lane:
    """Nothing of ours is left to be told."""
    lane = Lane("record")
    record = site.observed.record
    if record.exists and (record.entries or record.kind == "config_map"):
        _write(site, lane, [], None)
    return lane


def _write(site: Site, lane: Lane, entries: list[Entry], mirror: Entry | None) -> None:
    record = site.observed.record
    step = None
    if record.kind == "config_map":
        step = _config_map(site, entries, mirror)
    elif record.kind == "status":
        strict = site.observed.cluster is None or site.observed.cluster.api_version != "v1beta1"
        if mirror is not None and not mirror["ip"] and strict and record.mirror_field:
            what = "v1beta2 demands an ip that is not empty, and the load balancer has no floating IP; it is left out."
            where = f"status.{record.mirror_field}"
            lane.findings.append(Finding("mirror_not_representable", Severity.INFO, where, what))
            mirror = None
        step = _status(site, entries, mirror)
    lane.steps += [step] if step is not None else []


def _config_map(site: Site, entries: list[Entry], mirror: Entry | None) -> Step | None:
    """Each value becomes a JSON text once its references are resolved."""
    record = site.observed.record
    data = {LIST_FIELD: entries, MAP_MIRROR: mirror}
    before = {LIST_FIELD: plain(record.entries), MAP_MIRROR: plain(record.mirror)}
    if not record.exists:
        whole = {"metadata": _belonging(site), "data": data}
        return _step(site, "configmaps", ("create", whole), ("delete", None)) if entries else None
    if not entries:
        whole = {"metadata": _belonging(site), "data": before}
        return _step(site, "configmaps", ("delete", None), ("create", whole))
    if canonical(data) == canonical(before):
        return None
    return _step(site, "configmaps", ("patch", {"data": data}), ("patch", {"data": before}))


def _belonging(site: Site) -> Entry:
    """The ConfigMap goes when the OpenStackCluster goes."""
    labels = {"app.kubernetes.io/managed-by": "edgeworks.lb_estate", CLUSTER_LABEL: site.identity.cluster}
    cluster = site.observed.cluster
    if cluster is None or not cluster.uid:
        return {"labels": labels}
    return {"labels": labels, "ownerReferences": [cluster.reference]}


def _status(site: Site, entries: list[Entry], mirror: Entry | None) -> Step | None:
    """Null and empty values are dropped: the API server prunes the first, v1beta2 refuses the second."""
    record, cluster = site.observed.record, site.observed.cluster
    version = cluster.api_version if cluster else "v1beta2"
    keep = ("ip",) if version == "v1beta1" else ()  # written there always, empty or not
    status: Entry = {LIST_FIELD: [_lean(one) for one in entries] or None}
    before: Entry = {LIST_FIELD: [_lean(plain(one)) for one in record.entries] or None}
    if record.mirror_field and (mirror or _is_our_mirror(site)):
        status[record.mirror_field] = _lean(mirror, keep) if mirror else None
        before[record.mirror_field] = _lean(plain(record.mirror), keep) if record.mirror else None
    if canonical(status) == canonical(before):
        return None
    resource = f"openstackclusters.{version}.{INFRASTRUCTURE}/status"
    return _step(site, resource, ("patch", {"status": status}), ("patch", {"status": before}))


def _is_our_mirror(site: Site) -> bool:
    """What another writer put there is not cleared (CORE-6)."""
    record = site.observed.record
    return bool(record.mirror) and any(one.get("id") == record.mirror.get("id") for one in record.entries)


def _lean(value: Entry, keep: tuple[str, ...] = ()) -> Entry:
    return {key: item for key, item in value.items() if key in keep or item not in (None, "", [])}


def _step(site: Site, resource: str, forth: tuple[str, Any], back: tuple[str, Any]) -> Step:
    """`forth` and `back`: verb and body."""
    record, cluster = site.observed.record, site.observed.cluster
    namespace = cluster.namespace if cluster else site.identity.namespace
    why = "the record is to say which load balancers the cluster has"
    undo = Step("kube", back[0], resource, record.name, namespace, body=back[1], why=f"take back: {why}")
    step = replace(undo, verb=forth[0], body=forth[1], why=why, undo=(undo,))
    # What exists is guarded by what was read of it.
    return replace(step, uid=record.uid, resource_version=record.resource_version) if record.exists else step
