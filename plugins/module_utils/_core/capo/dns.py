# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS records to publish, one per zone that answers (CAPO-7; facts: capo §11.7). DNS itself stays with the user."""

from __future__ import annotations

from typing import Any

from .cidrs import version_of_address
from .members import online_members
from .observed import LoadBalancer
from .ownership import Holdings
from .site import Site


def public_address(site: Site, lb: LoadBalancer) -> str:
    """What clients are told: the floating IP where there is one, else the VIP."""
    ip = site.observed.floating_ip_on(lb.vip_port_id)
    return ip.address if ip else lb.vip_address


def records(site: Site, held: Holdings) -> dict[str, Any]:
    """`publish`: zones with at least one ONLINE member. `withhold`: the others, and why."""
    publish: list[dict[str, Any]] = []
    withhold: list[dict[str, Any]] = []
    for place in site.places:
        lb = held.of(place.zone)
        if lb is None:
            withhold.append({"zone": place.zone, "reason": "it has no load balancer yet"})
            continue
        address = public_address(site, lb)
        online = online_members(lb, site.api_port)
        entry: dict[str, Any] = {"zone": place.zone, "type": record_type(address), "address": address}
        entry["online_members"] = online
        if lb.provisioning_status == "ACTIVE" and online and address:
            publish.append(entry)
        else:
            withhold.append(entry | {"reason": _reason(lb, address)})
    return {"host": site.desired.endpoint_host, "publish": publish, "withhold": withhold}


def record_type(address: str) -> str:
    return "AAAA" if version_of_address(address) == 6 else "A"


def _reason(lb: LoadBalancer, address: str) -> str:
    if not address:
        return "it has no address yet"
    if lb.provisioning_status != "ACTIVE":
        return f"it is {lb.provisioning_status}"
    return "none of its members is ONLINE"
