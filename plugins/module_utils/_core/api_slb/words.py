# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result tells of the API's load balancers: before and after, how they are, what has to be reserved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data import Json, plain
from ..model import Disruption, Verdict
from ..service import kept
from ..waits import addresses
from . import manifests, stages
from .addresses import needed
from .copies import copy_of
from .names import BY_ROLE, SLBS
from .parts import Part
from .readiness import lacking
from .state import ObservedApi, WantedApi

_NEW = "(new)"
_RANKS = (
    Verdict.BLOCKED,
    Verdict.RECREATE,
    Verdict.UPDATE_IN_PLACE,
    Verdict.IN_PROGRESS,
    Verdict.IN_SYNC,
)


def verdict(made: Sequence[Part]) -> Verdict:
    """Of the one that needs most."""
    return min((one.verdict for one in made), key=_RANKS.index)


def cost(made: Sequence[Part]) -> Disruption:
    return Disruption.worst(step.disruption for one in made for step in one.steps)


def before(wanted: WantedApi, observed: ObservedApi) -> dict[str, Any]:
    told = _shown(wanted, observed, {slb.role: observed.service(slb) for slb in SLBS})
    return {**told, "addresses": [one for slb in SLBS for one in addresses(observed.service(slb))]}


def after(wanted: WantedApi, observed: ObservedApi, made: Sequence[Part]) -> dict[str, Any]:
    told = _shown(wanted, observed, {one.slb.role: one.body if one.stays else None for one in made})
    kept_ones = [each for one in made if one.stays for each in addresses(one.seen.service)]
    return {**told, "addresses": [_NEW] if any(one.readdresses for one in made) else kept_ones}


def _shown(wanted: WantedApi, observed: ObservedApi, services: Mapping[str, Json]) -> dict[str, Any]:
    return {
        role: manifests.shown(BY_ROLE[role], observed.platform, service, wanted.annotations.get(role) or ())
        for role, service in services.items()
    }


def standing(
    wanted: WantedApi, observed: ObservedApi, roles: Sequence[str], made: Sequence[Part] = (), handover: Json = None
) -> dict[str, Any]:
    """How things are now, and everything that is needed to make them again without the API (API-8)."""
    return {
        "platform": observed.platform,
        "services": {slb.role: _one(slb.role, observed) for slb in SLBS if observed.service(slb) is not None},
        "addresses_needed": needed(observed, roles),
        "manifests": [_manifest(one) for one in made if one.stays and one.body is not None],
        "direct_records": stages.direct(wanted, observed),
        "handover": handover,
        "objects": copy_of(observed),
    }


def _one(role: str, observed: ObservedApi) -> dict[str, Any]:
    slb, ends = BY_ROLE[role], observed.endpoints.get(role, ())
    missing = lacking(observed.service(slb), ends)
    return {
        "name": slb.name,
        "namespace": slb.namespace,
        "port": slb.port,
        "addresses": addresses(observed.service(slb)),
        "endpoints": list(ends),
        "ready": not missing,
        "lacking": missing,
    }


def _manifest(one: Part) -> Json:
    return plain(one.body) if one.seen.service is None else kept.bare(one.body)
