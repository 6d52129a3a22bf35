# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the OpenStackCluster says of its own load balancer, taken as far as it can be had (facts: capo §3, §5, §9).

Most of its fields cannot be edited, so nothing of them is a reason to refuse: CAPO itself goes on without a provider
or flavor that Octavia does not have, and its addresses may be in use by what it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..model import Finding, Severity
from .state import CapoDesired, CapoObserved

ADDRESSES = ("floating_ip", "fixed_ip")


def as_far_as_possible(desired: CapoDesired, observed: CapoObserved) -> tuple[CapoDesired, tuple[Finding, ...]]:
    """The wish without what cannot be had, and remarks on it. What an option says is never left out."""
    found: list[Finding] = []
    cloud = observed.cloud
    for field, offered in (("provider", cloud.providers), ("flavor", cloud.flavors)):
        value = getattr(desired, field)
        if value and field in desired.from_object and offered is not None and value not in offered:
            found.append(_not_offered(field, value, offered))
            desired = _without(desired, field)
    if desired.legacy == "keep" and desired.state == "present":
        for field in ADDRESSES:
            address = getattr(desired, field)
            if address and field in desired.from_object:
                what = f"{address} is the cluster's own address and stays where it is: the legacy endpoint is kept."
                found.append(Finding("cluster_address_stays", Severity.INFO, field, what, "", address))
                desired = _without(desired, field)
    return desired, tuple(found)


def _without(desired: CapoDesired, field: str) -> CapoDesired:
    nothing: dict[str, Any] = {field: ""}
    return replace(desired, **nothing)


def _not_offered(kind: str, value: str, offered: Iterable[str]) -> Finding:
    what = f"Octavia offers no {kind} {value!r}, only {', '.join(sorted(offered)) or 'none'}; the default is taken."
    remedy = f"Name one with the option {kind}."
    return Finding(f"unknown_{kind}", Severity.WARNING, f"OpenStackCluster {kind}", what, remedy, value)
