# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a service is: an endpoint override of the configuration, else the catalog's entry for region and interface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .._core.capo.options import has_user
from .errors import Misconfigured

# our name of a service → the catalog's
SERVICES = {"octavia": "load-balancer", "neutron": "network"}
WHERE = "Check clouds.yaml, the cloud option and the OS_* variables."
_VERSION = re.compile(r"(/v\d+(\.\d+)?)?/*$")


def root_of(config: Any, session: Any, service: str) -> str:
    """Without a version: catalogs and overrides name it or not. `config`: openstacksdk's CloudRegion."""
    kind = SERVICES[service]
    interface, region = config.get_interface(kind) or "public", config.get_region_name(kind)
    from keystoneauth1.exceptions import CatalogException

    found = config.get_endpoint(kind)
    with suppress(CatalogException):
        found = found or session.get_endpoint(
            service_type=kind, interface=interface, region_name=region, skip_discovery=True
        )
    if not found:
        raise _nowhere(kind, interface, region, _entries(session, kind))
    return _VERSION.sub("", str(found))


def see_no_user(config: Mapping[str, Any]) -> None:
    """Addresses of clouds.yaml and OS_* variables: one with a password in it would be shown wherever it is told."""
    addresses = {"auth_url": (config.get("auth") or {}).get("auth_url")}
    addresses |= {key: value for key, value in config.items() if str(key).endswith("endpoint_override")}
    for name, address in addresses.items():
        if has_user(address):
            what = f"{name} has a user or a password in it, which would be shown wherever the address is."
            raise Misconfigured(what, f"Give them as username and password. {WHERE}")


def _entries(session: Any, kind: str) -> list[dict[str, Any]]:
    """All of the catalog's endpoints for a kind of service; none where the way of signing in knows no catalog."""
    get_access = getattr(session.auth, "get_access", None)
    if get_access is None:
        return []
    found = get_access(session).service_catalog.get_endpoints_data(service_type=kind)
    listed = [one for kinds in (found or {}).values() for one in kinds]
    return [{"region": one.region_name, "interface": one.interface} for one in listed]


def _nowhere(kind: str, interface: Any, region: str | None, entries: list[dict[str, Any]]) -> Misconfigured:
    if not entries:
        what = f"The cloud's catalog has no {kind} service."
        name = kind.replace("-", "_")
        remedy = f"Is it there at all? If it is only not in the catalog, set {name}_endpoint_override in clouds.yaml."
        return Misconfigured(what, remedy, service=kind)
    regions = sorted({str(one["region"]) for one in entries})
    if region and region not in regions:
        what = f"The cloud's catalog has no region {region}; {kind} is in {', '.join(regions)}."
        return Misconfigured(what, f"Correct region_name. {WHERE}", service=kind, region=region)
    faces = sorted({str(one["interface"]) for one in entries})
    what = f"The cloud's catalog has no {interface} endpoint for {kind}, only {', '.join(faces)}."
    return Misconfigured(what, f"Correct interface. {WHERE}", service=kind, interface=str(interface))
