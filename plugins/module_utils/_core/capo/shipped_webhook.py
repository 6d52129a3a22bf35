# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What CAPO's webhook lets anybody change on a live OpenStackCluster, as data (facts: capo §9).

Everything in spec is immutable but this. In particular a mapping, a port or the endpoint's host cannot be edited in,
which is why our topology lives in the inventory and not in the object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

FORBIDDEN = "spec: Forbidden: cannot be modified"


@dataclass(frozen=True)
class Edit:
    """One change to spec, by its path in the v1beta2 shape, with the circumstances that matter."""

    path: str
    unset_before: bool = False
    floating_ip_enabled: bool = True
    matches_status: bool = False  # floatingIP: it is the load balancer's own address
    same_object: bool = False  # network, subnets: from filter to the id of the same thing
    removed: bool = False
    was_enabled: bool = False  # bastion


Rule = Callable[[Edit], bool]


def _always(_edit: Edit) -> bool:
    return True


def _first_time_without_floating_ip(edit: Edit) -> bool:
    return edit.unset_before and not edit.floating_ip_enabled


# path or its beginning → when a change of it is let through
RULES: Mapping[str, Rule] = {
    "identityRef": _always,
    "bastion": _always,
    "controlPlaneEndpoint": lambda edit: edit.unset_before,
    "managedSecurityGroups": lambda edit: not edit.removed,
    "managedSubnets.dnsNameservers": _always,
    "managedLoadBalancer.allowedCIDRs": _always,
    "managedLoadBalancer.monitor": _always,
    "controlPlaneAvailabilityZones": _always,
    "controlPlaneOmitAvailabilityZone": _always,
    "primarySubnet": _always,
    "floatingIP": lambda edit: edit.matches_status,
    "fixedIP": _first_time_without_floating_ip,
    "port": _first_time_without_floating_ip,
    "network": lambda edit: edit.same_object,
    "subnets": lambda edit: edit.same_object,
}


def refusal(edit: Edit) -> str | None:
    """The webhook's error, or None where the edit goes through."""
    path = re.sub(r"\[\d*\]", "", edit.path).removeprefix("spec.").removeprefix("apiServer.")
    if path == "bastion" and edit.removed and edit.was_enabled:
        return "spec.bastion: Forbidden: cannot be removed before disabling it"
    rule = next((rule for start, rule in RULES.items() if path == start or path.startswith(f"{start}.")), None)
    return None if rule is not None and rule(edit) else FORBIDDEN
