# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which DNS records the endpoint should have, and how they compare with what it leads to (CAPO-7; facts: capo §11.7).

DNS stays with the user: this only says what to publish.
"""

from __future__ import annotations

from typing import Any

from .cidrs import canonical_address, is_inside, leads_to, network_of, same_address, version_of_address
from .floating import asked_address, takes_one
from .members import online_members, switched_off
from .ownership import Assignment, by_slot
from .site import Site, Slot, single_slot
from .state import LoadBalancer

# Nobody outside gets there: RFC 1918, RFC 6598, RFC 4193, RFC 4291.
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10")
Entry = dict[str, Any]


def dns_records(site: Site, assigned: Assignment) -> dict[str, Any]:
    """`publish`: zones with at least one ONLINE member. `withhold`: the others, and why. And how DNS compares."""
    publish: list[Entry] = []
    withhold: list[Entry] = []
    for slot, lb in _clients_use(site, assigned):
        if lb is None:
            withhold.append({"zone": slot.zone, "reason": "it has no load balancer yet"})
            continue
        entry, reason = _entry(site, slot, lb), _reason(site, slot, lb)
        if reason:
            withhold.append(entry | {"reason": reason})
        else:
            publish.append(entry)
    kept = [entry for entry in publish if _is_public(site, entry)] or publish
    reason = "its address is private, and those of other zones are not"
    withhold += [entry | {"reason": reason} for entry in publish if entry not in kept]
    compared = _compared({entry["address"] for entry in kept}, site.observed.endpoint_addresses)
    return {"host": site.desired.endpoint_host, "publish": kept, "withhold": withhold, **compared}


def _clients_use(site: Site, assigned: Assignment) -> list[tuple[Slot, LoadBalancer | None]]:
    """The load balancers that are to stay; one that is not ours among them, where there is to be only one."""
    found = by_slot(site, assigned)
    if not found and site.desired.state == "single" and assigned.legacy is not None:
        return [(single_slot(site, assigned.legacy), assigned.legacy)]
    return found


def _entry(site: Site, slot: Slot, lb: LoadBalancer) -> Entry:
    address = client_address(site, slot, lb)
    online = online_members(lb, site.api_port)
    return {"zone": slot.zone, "type": record_type(address), "address": address, "online_members": online}


def client_address(site: Site, slot: Slot, lb: LoadBalancer) -> str:
    """What clients are told: the floating IP where there is one, or will be once the load balancer goes that has it
    now; else the VIP."""
    ip = site.observed.floating_ip_on(lb.vip_port_id)
    if ip is not None:
        return ip.address
    return _moving_here(site, slot) or lb.vip_address


def _moving_here(site: Site, slot: Slot) -> str:
    asked = asked_address(site, slot.zone) if site.desired.floating_ips and takes_one(slot) else ""
    ports = {lb.vip_port_id for lb in site.observed.load_balancers}
    found = [ip for ip in site.observed.floating_ips if asked and same_address(ip.address, asked)]
    return next((ip.address for ip in found if ip.port_id in ports), "")


def record_type(address: str) -> str:
    return "AAAA" if version_of_address(address) == 6 else "A"


def _reason(site: Site, slot: Slot, lb: LoadBalancer) -> str:
    """Why it is not published; empty where it may be."""
    address = client_address(site, slot, lb)
    if not address:
        return "it has no address yet"
    if lb.provisioning_status != "ACTIVE":
        return f"it is {lb.provisioning_status}"
    off = switched_off(lb, site.api_port)
    if off:
        return f"{off} is switched off (admin_state_up is false)"
    if not online_members(lb, site.api_port):
        return "none of its members is ONLINE"
    if slot.zone and site.desired.floating_ips and takes_one(slot) and same_address(address, lb.vip_address):
        return "it has no floating IP yet"
    return ""


def _is_public(site: Site, entry: Entry) -> bool:
    """A floating IP is there to be reached from outside, whatever it looks like."""
    address = entry["address"]
    if any(same_address(ip.address, address) for ip in site.observed.floating_ips):
        return True
    return not any(is_inside(address, network) for network in map(network_of, _PRIVATE) if network is not None)


def _compared(wanted: set[str], resolved: tuple[str, ...] | None) -> dict[str, list[str] | None]:
    """What the endpoint's name leads to against what should be published; null where nobody was asked."""
    if resolved is None:
        return {"resolved": None, "missing": None, "extra": None}
    want = {canonical_address(one) for one in wanted}
    have = {next((one for one in want if leads_to(answer, one)), canonical_address(answer)) for answer in resolved}
    shown = sorted({canonical_address(answer) for answer in resolved})
    return {"resolved": shown, "missing": sorted(want - have), "extra": sorted(have - want)}
