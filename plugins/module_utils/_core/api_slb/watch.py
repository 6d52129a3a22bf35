# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The radar's look at the API's load balancers: one that nobody stands behind, and the last one (API-3, API-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..data import Json, dig
from ..model import Decision, Finding, Severity, Verdict
from .names import SLBS, Slb
from .readiness import lacking, without_endpoints

Place = tuple[str, str]
Endpoints = Mapping[Place, Sequence[str]]


def place_of(service: Json) -> Place:
    return str(dig(service, "metadata", "namespace") or ""), str(dig(service, "metadata", "name") or "")


def slb_of(service: Json) -> Slb | None:
    """None where it is another Service."""
    return next((slb for slb in SLBS if (slb.namespace, slb.name) == place_of(service)), None)


def judged(row: Decision, service: Json, services: Sequence[Json], endpoints: Endpoints, now: float | None) -> Decision:
    """`endpoints`: of those that could be asked for."""
    slb, place = slb_of(service), place_of(service)
    if slb is None or place not in endpoints:
        return row
    found = _last(slb, service, services, endpoints)
    if lacking(service, endpoints[place]) != lacking(service, ()) or row.verdict is not Verdict.IN_SYNC:
        return row.with_findings(*found)
    bare = without_endpoints(slb, service, now)
    verdict = Verdict.BLOCKED if bare.severity is Severity.ERROR else Verdict.IN_PROGRESS
    return replace(row.with_findings(bare), verdict=verdict, message=bare.what)


def _last(slb: Slb, service: Json, services: Sequence[Json], endpoints: Endpoints) -> tuple[Finding, ...]:
    ready = [
        place_of(one)
        for one in services
        if (found := slb_of(one)) is not None
        and found.serves_api
        and not lacking(one, endpoints.get(place_of(one), ()))
    ]
    if ready != [place_of(service)]:
        return ()
    what = f"{slb.name} is the only load balancer of this cluster's own that leads to the API."
    remedy = "It is not taken away by api_slb unless another path is proven."
    return (Finding("api_single_path", Severity.INFO, str(slb), what, remedy),)
