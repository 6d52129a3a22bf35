# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready: the load balancer has an address, and at least one endpoint is behind it (API-3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import waits
from ..data import Json, dig
from ..events import age, moment
from ..model import Finding, Severity
from ..serving import PATIENCE, ready_endpoints
from ..waits import Look
from .names import Slb


def endpoints_of(slices: Iterable[Json]) -> tuple[str, ...]:
    """Ready addresses of a Service's EndpointSlices."""
    found = {str(address) for endpoint in ready_endpoints(slices) for address in endpoint.get("addresses") or ()}
    return tuple(sorted(found))


def lacking(service: Json, endpoints: Sequence[str]) -> str:
    """What it still needs to be ready; '' where it is."""
    if service is None:
        return "it is not there"
    if not waits.addresses(service):
        return "its load balancer has no address"
    return "" if endpoints else "no endpoint is ready behind it"


def served(service: Json, endpoints: Sequence[str], events: Sequence[Json]) -> Look:
    """When a wait for it is over."""
    look = waits.ready(service, events)
    if not look.done or endpoints:
        return look
    return Look(False, "an endpoint to be ready behind it", detail="no EndpointSlice of it has a ready address")


def without_endpoints(slb: Slb, service: Json, now: float | None) -> Finding:
    """Of one that has an address. An error where it had time enough."""
    made = moment(dig(service, "metadata", "creationTimestamp"))
    long = (age(made, now) or 0.0) > PATIENCE
    chosen = ", ".join(f"{key}={value}" for key, value in sorted((dig(service, "spec", "selector") or {}).items()))
    what = f"{slb.name} has an address, and no endpoint is ready behind it: whoever connects there gets no answer."
    remedy = f"See that pods with the labels {chosen} run in {slb.namespace} and are ready, or give other selectors."
    return Finding("no_endpoints", Severity.ERROR if long else Severity.WARNING, str(slb), what, remedy)
