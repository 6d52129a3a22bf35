# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of everything a decision rests on, small enough to keep: with the API down it renders the same (API-8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..aws.facts import Eip
from ..data import Json, dig
from ..operator.names import Infra
from ..service import kept
from ..shape import Misshapen, sane
from .config import ApiConfig
from .names import SLBS
from .state import ObservedApi, Reserved, observed_service

SCHEMA = "edgeworks.lb_estate/api_slb/1"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "platform": str,
    "region": str,
    "infra_id": str,
    "domain": str,
    "public": (bool, type(None)),
    "families": list,
    "version": str,
    "services": dict,
    "endpoints": dict,
    "eips": dict,
}


def copy_of(observed: ObservedApi) -> dict[str, Any]:
    config = observed.config
    services = {slb.role: observed.service(slb) for slb in SLBS if observed.service(slb) is not None}
    return {
        "schema": SCHEMA,
        "platform": observed.platform,
        "region": observed.infra.region,
        "infra_id": config.infra_id,
        "domain": config.domain,
        "public": config.public,
        "families": list(config.families),
        "version": observed.version,
        "services": {role: _kept(service) for role, service in services.items()},
        "endpoints": {role: list(found) for role, found in observed.endpoints.items()},
        "eips": {eip.id: eip.address for eip in (observed.reserved or Reserved()).eips},
    }


def _kept(service: Json) -> dict[str, Any]:
    """With its address, which the manifest alone does not say."""
    ingress = dig(service, "status", "loadBalancer", "ingress") or ()
    return {**kept.bare(service), "status": {"loadBalancer": {"ingress": [dict(entry) for entry in ingress]}}}


def problems(copy: Json) -> list[str]:
    """Why this is none that `copy_of` has made; all at once."""
    if not isinstance(copy, Mapping):
        return ["it is no mapping"]
    if copy.get("schema") != SCHEMA:
        return [f"its schema is {copy.get('schema')!r}, not {SCHEMA!r}"]
    found = [f"{key} is missing" for key in _TYPES if key not in copy]
    found += [
        f"{key} is of the wrong type" for key, kind in _TYPES.items() if key in copy and not isinstance(copy[key], kind)
    ]
    if not found:
        found += [
            f"endpoints.{role} is no list" for role, ends in copy["endpoints"].items() if not isinstance(ends, list)
        ]
    return found or [text for slb in SLBS for text in _spoilt(copy["services"].get(slb.role), slb.role)]


def _spoilt(service: Json, role: str) -> list[str]:
    if service is None:
        return []
    try:
        sane("services", service)
    except Misshapen as problem:
        return [f"services.{role}: {problem}"]
    return []


def observed_in(copy: Mapping[str, Any], cluster: str = "") -> ObservedApi:
    """As if it had just been read."""
    infra = Infra(copy["platform"], name=copy["infra_id"], region=copy["region"])
    families = tuple(int(family) for family in copy["families"] if str(family) in ("4", "6"))
    config = ApiConfig(copy["infra_id"], copy["domain"], copy["public"], families or (4,))
    services = {
        slb.role: observed_service(slb, infra, service=copy["services"].get(slb.role), cluster=cluster) for slb in SLBS
    }
    ends = {str(role): tuple(map(str, found or ())) for role, found in copy["endpoints"].items()}
    eips = tuple(Eip(str(key), str(value)) for key, value in copy["eips"].items())
    return ObservedApi(
        infra, config, services, ends, copy["version"], cluster, reserved=Reserved(eips), aws_skipped=True
    )
