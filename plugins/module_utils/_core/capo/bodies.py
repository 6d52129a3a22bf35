# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of what is created: the whole tree in one request where it is new (CAPO-3; facts: capo §3)."""

from __future__ import annotations

from typing import Any

from .features import PROTOCOL, algorithm
from .members import plan_members
from .names import is_mark, port_name
from .observed import LoadBalancer
from .site import Site


def load_balancer_body(
    site: Site, zone: str, name: str, subnet_id: str, network_id: str, version: int
) -> dict[str, Any]:
    """A fully populated load balancer: listeners, pools, monitors and members in one POST."""
    body: dict[str, Any] = {
        "name": name,
        "description": site.identity.description(zone),
        "vip_subnet_id": subnet_id,
        "vip_network_id": network_id,
        "listeners": [_populated_listener(site, zone, name, port, version) for port in site.ports],
    }
    optional = {
        "tags": list(wanted_tags(site, zone, None)) if site.can("tags", None) else None,
        "provider": site.desired.provider,
        "flavor_id": site.flavor_id,
        "availability_zone": site.hint(zone)[0],
        "vip_address": site.desired.fixed_ip,
    }
    return body | {key: value for key, value in optional.items() if value}


def _populated_listener(site: Site, zone: str, name: str, port: int, version: int) -> dict[str, Any]:
    members = plan_members(site, name, port, zone, None)
    pool = pool_body(site, port_name(name, port), None)
    if site.can("health_monitor", None):
        pool["healthmonitor"] = monitor_body(site, port_name(name, port))
    pool["members"] = [dict(member) for member in members.body]
    return listener_body(site, port_name(name, port), port, None, version) | {"default_pool": pool}


def listener_body(site: Site, name: str, port: int, lb: LoadBalancer | None, version: int) -> dict[str, Any]:
    body: dict[str, Any] = {"name": name, "protocol": PROTOCOL, "protocol_port": port}
    cidrs = site.cidrs(version).cidrs
    if cidrs and site.can("allowed_cidrs", lb):
        body["allowed_cidrs"] = list(cidrs)
    return body | _tags(site, lb)


def pool_body(site: Site, name: str, lb: LoadBalancer | None) -> dict[str, Any]:
    body = {"name": name, "protocol": PROTOCOL, "lb_algorithm": algorithm(site.provider(lb))}
    return body | _tags(site, lb)


def monitor_body(site: Site, name: str) -> dict[str, Any]:
    return {"name": name, "type": PROTOCOL} | monitor_values(site)


def monitor_values(site: Site) -> dict[str, int]:
    spec = site.desired.monitor
    return {
        "delay": spec.delay,
        "timeout": spec.timeout,
        "max_retries": spec.max_retries,
        "max_retries_down": spec.max_retries_down,
    }


def _tags(site: Site, lb: LoadBalancer | None) -> dict[str, Any]:
    return {"tags": list(site.desired.tags)} if site.desired.tags and site.can("tags", lb) else {}


def wanted_tags(site: Site, zone: str, lb: LoadBalancer | None) -> tuple[str, ...]:
    """Our marks and the user's tags; what others put there stays (CORE-6)."""
    marks = site.identity.tags(zone)
    kept = [tag for tag in (lb.tags if lb else ()) if not is_mark(tag) or tag in marks]
    return (*kept, *(tag for tag in (*marks, *site.desired.tags) if tag not in kept))
