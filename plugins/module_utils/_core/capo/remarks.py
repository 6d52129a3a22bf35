# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person should know although nothing follows from it (CORE-7; facts: capo §6, §11)."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Finding, Severity
from .cidrs import lets_all_in, outside, own_sources
from .members import placement_findings
from .ownership import Assignment
from .site import Site, Slot


def worth_knowing(site: Site, assigned: Assignment) -> list[Finding]:
    """What a person should know although nothing follows from it."""
    if not site.multi:
        return _what_stays(site, assigned)
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


def _what_stays(site: Site, assigned: Assignment) -> list[Finding]:
    """Where there is to be one load balancer again: which, and where it is reached."""
    stays = assigned.of("") or assigned.legacy
    if stays is None or not assigned.unwanted:
        return []
    ip = site.observed.floating_ip_on(stays.vip_port_id)
    reached = f"VIP {stays.vip_address}" + (f", floating IP {ip.address}" if ip else "")
    what = f"it stays as the one load balancer of the cluster, with its addresses: {reached}."
    return [Finding("single_stays", Severity.INFO, stays.name, what, "Lead DNS there.", stays.id)]


def _cidr_remarks(site: Site, assigned: Assignment) -> list[Finding]:
    where, closed = "allowed_cidrs", []
    found = [
        Finding("cidr_rewritten", Severity.INFO, where, f"Octavia keeps {given} as {became}.", "", given)
        for given, became in site.cidrs(4).rewritten
    ]
    for slot in site.slots:
        other = site.cidrs(slot.version).other_version
        if other:
            what = f"zone {slot.zone} has an IPv{slot.version} VIP; {', '.join(other)} cannot apply to it."
            found.append(Finding("cidr_other_version", Severity.WARNING, where, what, "", list(other)))
        if not site.can("allowed_cidrs", assigned.of(slot.zone) or slot):
            what = f"this Octavia or its provider takes none; zone {slot.zone} stays open to everybody."
            found.append(Finding("allowed_cidrs_unsupported", Severity.WARNING, where, what, "", slot.zone))
        else:
            closed.append(slot)
    return [*found, *_locked_out(site, closed)]


def _locked_out(site: Site, closed: Sequence[Slot]) -> list[Finding]:
    """Nodes, router and bastion are let in by themselves where they are known (facts: capo §6)."""
    out = {}
    for slot in closed:
        if lets_all_in(site.cidrs(slot.version).cidrs):
            continue
        for source in own_sources(site.observed.cluster, site.machines, slot.version, site.desired.floating_ips):
            if not source.address or outside([source.address], site.cidrs(slot.version).cidrs):
                out[str(source)] = slot.zone
    if not out:
        return []
    what = f"the list may shut the cluster itself out: {'; '.join(out)}."
    remedy = "Add those addresses to the list."
    return [Finding("cluster_locked_out", Severity.WARNING, "allowed_cidrs", what, remedy, sorted(out))]
