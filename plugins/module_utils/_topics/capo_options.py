# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of capo_multiaz_lb, over what the OpenStackCluster itself asks for, as desired state (CAPO-1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.capo.state import CapoDesired, Machine, MonitorSpec, Ref, ZoneSubnet

# options that are fields of CapoDesired as they are
_PLAIN = (
    "endpoint_host",
    "endpoint_port",
    "allow_cross_az_members",
    "zone_aliases",
    "floating_ips",
    "floating_network_id",
    "floating_ip",
    "floating_ip_by_zone",
    "fixed_ip",
    "provider",
    "flavor",
    "availability_zone_hint",
    "timeout_client_data",
    "timeout_member_data",
    "legacy",
    "leave_legacy",
    "traffic_moved",
    "traffic_moved_because",
    "resolve_endpoint",
    "empty_pools_because",
    "upkeep",
    "allow_rebuild",
    "adopted",
    "state",
)
_LISTS = ("additional_ports", "allowed_cidrs", "tags", "allow_unhealthy_zones", "others_may_go", "former_uids")


def desired_state(options: Mapping[str, Any], wishes: Mapping[str, Any]) -> CapoDesired:
    """An option that is given counts, also an empty list; one that is left out is the object's to say."""
    given: dict[str, Any] = {name: options[name] for name in _PLAIN if options.get(name) is not None}
    given |= {name: tuple(options[name]) for name in _LISTS if options.get(name) is not None}
    if options.get("zones") is not None:
        given["zones"] = tuple(_zone(one) for one in options["zones"])
    if options.get("network") is not None:
        given["network"] = _ref(options["network"])
    if options.get("monitor") is not None:
        chosen = {name: value for name, value in options["monitor"].items() if value}
        given["monitor"] = MonitorSpec(**chosen)
    said = frozenset(wishes) - set(given)
    return CapoDesired(options["namespace"], options["cluster"], **{**wishes, **given}, from_object=said)


def _zone(given: Mapping[str, Any]) -> ZoneSubnet:
    more = {name: given[name] for name in ("octavia_zone", "provider", "flavor", "fixed_ip") if given.get(name)}
    return ZoneSubnet(given["zone"], _ref(given["subnet"]), **more)


def _ref(given: Mapping[str, Any]) -> Ref:
    return Ref(given.get("id") or "", given.get("filter") or None)


def machines_given(options: Mapping[str, Any]) -> tuple[Machine, ...] | None:
    """The machines that the task itself lists; None: they are read."""
    if options.get("machines") is None:
        return None
    listed = [
        Machine(
            one["name"], one.get("address") or "", one.get("failure_domain") or "", deleting=bool(one.get("deleting"))
        )
        for one in options["machines"]
    ]
    return tuple(sorted(listed, key=lambda one: one.name))
