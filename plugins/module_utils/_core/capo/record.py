# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome as S4's status says it, and the single mirror of the first mapping (CAPO-6; facts: capo §1, §10)."""

from __future__ import annotations

from typing import Any

from ..data import canonical, plain
from ..model import Finding, Severity, Step
from .bodies import wanted_tags
from .cidrs import read_back
from .floating import Choice
from .lanes import Berth
from .observed import LoadBalancer
from .site import Site
from .steps import Lane, created

CLUSTERS = "openstackclusters.infrastructure.cluster.x-k8s.io"
LIST_FIELD = "apiServerLoadBalancers"
MAP_MIRROR = "apiServerLoadBalancer"


def entry(site: Site, berth: Berth, lb: LoadBalancer | None, choice: Choice, lane: Lane) -> dict[str, Any]:
    """One zone's entry once the lane is done; values that only the cloud knows yet are references."""
    if lb is not None and lane.stuck:
        return entry_now(site, berth, lb)
    address: Any = choice.address_after
    if address is None:
        address = created("floating_ip", site.identity.description(berth.zone), "floating_ip_address")
    kept = None if lane.creates else lb
    tags = wanted_tags(site, berth.zone, kept) if site.can("tags", kept) else (kept.tags if kept else ())
    return {
        "name": berth.name,
        "id": kept.id if kept else created("load_balancer", berth.name),
        "ip": address,
        "internalIP": kept.vip_address if kept else created("load_balancer", berth.name, "vip_address"),
        "availabilityZone": berth.zone,
        "tags": sorted(tags),
        "allowedCIDRs": _allowed(site, berth, kept),
        "loadBalancerNetwork": _network(site, berth),
    }


def entry_now(site: Site, berth: Berth, lb: LoadBalancer) -> dict[str, Any]:
    """As it stands: for a load balancer that this plan leaves alone."""
    attached = site.observed.floating_ip_on(lb.vip_port_id)
    listener = lb.listener(site.api_port)
    cidrs = list(read_back(listener.allowed_cidrs)) if listener else []
    return {
        "name": lb.name,
        "id": lb.id,
        "ip": attached.address if attached else "",
        "internalIP": lb.vip_address,
        "availabilityZone": berth.zone,
        "tags": sorted(lb.tags),
        "allowedCIDRs": cidrs if site.can("allowed_cidrs", lb) else None,
        "loadBalancerNetwork": _network(site, berth),
    }


def _allowed(site: Site, berth: Berth, lb: LoadBalancer | None) -> list[str] | None:
    """None: the provider cannot (facts: capo §6)."""
    if not site.can("allowed_cidrs", lb):
        return None
    listener = lb.listener(site.api_port) if lb else None
    if listener is not None and site.desired.allowed_cidrs is None:
        return list(read_back(listener.allowed_cidrs))
    return list(site.cidrs(berth.version).cidrs)


def _network(site: Site, berth: Berth) -> dict[str, Any]:
    network = next((one for one in site.observed.networks if one.id == berth.network_id), None)
    subnets = [
        {"id": one.id, "name": (one.facts or {}).get("name", ""), "cidr": one.cidr}
        for one in site.observed.subnets
        if one.id == berth.subnet_id
    ]
    return {"id": berth.network_id, "name": network.name if network else "", "subnets": subnets}


def mirror_of(chosen: dict[str, Any] | None) -> dict[str, Any] | None:
    """The singleton that older readers know: no zone in it."""
    return {key: value for key, value in chosen.items() if key != "availabilityZone"} if chosen else None


def record_step(
    site: Site, entries: list[dict[str, Any]], mirror: dict[str, Any] | None
) -> tuple[Step | None, list[Finding]]:
    """The write that keeps the record true, if any."""
    record = site.observed.record
    if record.kind == "none":
        return None, []
    if record.kind == "config_map":
        return _config_map(site, entries, mirror), []
    strict = site.observed.cluster is None or site.observed.cluster.api_version != "v1beta1"
    if mirror is not None and not mirror["ip"] and strict and record.mirror_field:
        what = "v1beta2 demands an ip that is not empty, and the load balancer has no floating IP; it is left out."
        lost = Finding("mirror_not_representable", Severity.INFO, f"status.{record.mirror_field}", what)
        return _status(site, entries, None), [lost]
    return _status(site, entries, mirror), []


def _config_map(site: Site, entries: list[dict[str, Any]], mirror: dict[str, Any] | None) -> Step | None:
    record = site.observed.record
    data = {LIST_FIELD: entries, MAP_MIRROR: mirror}
    before = {LIST_FIELD: plain(record.entries), MAP_MIRROR: plain(record.mirror)}
    if not entries:
        return _step(site, "delete", "configmaps", None, before) if record.exists else None
    if record.exists and canonical(data) == canonical(before):
        return None
    return _step(site, "patch" if record.exists else "create", "configmaps", {"data": data}, before)


def _status(site: Site, entries: list[dict[str, Any]], mirror: dict[str, Any] | None) -> Step | None:
    """Null and empty values are dropped: the API server prunes the first, v1beta2 refuses the second."""
    record = site.observed.record
    status: dict[str, Any] = {LIST_FIELD: [_lean(one) for one in entries] or None}
    before: dict[str, Any] = {LIST_FIELD: [_lean(plain(one)) for one in record.entries] or None}
    if record.mirror_field and (mirror or _is_our_mirror(site)):
        status[record.mirror_field] = _lean(mirror, keep=_kept(site)) if mirror else None
        before[record.mirror_field] = _lean(plain(record.mirror), keep=_kept(site)) if record.mirror else None
    if canonical(status) == canonical(before):
        return None
    return _step(site, "patch", CLUSTERS, {"status": status}, {"status": before})


def _is_our_mirror(site: Site) -> bool:
    """What another writer put there is not cleared (CORE-6)."""
    record = site.observed.record
    return bool(record.mirror) and any(one.get("id") == record.mirror.get("id") for one in record.entries)


def _kept(site: Site) -> tuple[str, ...]:
    """v1beta1 always writes these, empty or not."""
    cluster = site.observed.cluster
    return ("ip",) if cluster is not None and cluster.api_version == "v1beta1" else ()


def _lean(value: dict[str, Any], keep: tuple[str, ...] = ()) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key in keep or item not in (None, "", [])}


def _step(site: Site, verb: str, resource: str, body: Any, before: Any) -> Step:
    record, cluster = site.observed.record, site.observed.cluster
    namespace = cluster.namespace if cluster else site.identity.namespace
    back_body = before if resource == CLUSTERS else {"data": before}
    back = {"create": ("delete", None), "patch": ("patch", back_body), "delete": ("create", back_body)}[verb]
    expect = {"lane": "record", "subresource": "status" if resource == CLUSTERS else ""}
    undo = Step("kube", back[0], resource, record.name, namespace, body=back[1], why="Take back.", expect=expect)
    return Step(
        "kube",
        verb,
        resource,
        record.name,
        namespace,
        body=body,
        why="Write down which load balancers the cluster has.",
        uid=record.uid if verb != "create" else "",
        resource_version=record.resource_version if verb != "create" else "",
        expect=expect,
        undo=(undo,),
    )
