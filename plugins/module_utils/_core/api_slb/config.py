# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Infrastructure and install-config say of a cluster's API: its name, who is to reach it, who balances it (S2)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..data import Json, dig
from .names import OPT_OUT

_USER_MANAGED = "UserManaged"


@dataclass(frozen=True)
class ApiConfig:
    """`public` None: nobody says. `opt_out`: why the cluster's own load balancers are left to its people."""

    infra_id: str = ""
    domain: str = ""
    public: bool | None = None
    families: tuple[int, ...] = (4,)
    opt_out: str = ""


def config_of(infrastructure: Json, install_config: Json) -> ApiConfig:
    """Either may be None: not read, or not there."""
    return ApiConfig(
        infra_id=str(dig(infrastructure, "status", "infrastructureName") or ""),
        domain=_domain(infrastructure, install_config),
        public=_public(install_config),
        families=_families(install_config),
        opt_out=_opt_out(infrastructure, install_config),
    )


def _domain(infrastructure: Json, install_config: Json) -> str:
    """Of https://api.prod.example.com:6443 it is prod.example.com."""
    for key, prefix in (("apiServerURL", "api."), ("apiServerInternalURI", "api-int.")):
        host = str(dig(infrastructure, "status", key) or "").partition("//")[2].partition(":")[0]
        if host.startswith(prefix):
            return host.removeprefix(prefix)
    name, base = dig(install_config, "metadata", "name"), dig(install_config, "baseDomain")
    return f"{name}.{base}" if name and base else ""


def _public(install_config: Json) -> bool | None:
    publish = dig(install_config, "publish")
    if publish == "Mixed":
        publish = dig(install_config, "operatorPublishingStrategy", "apiserver") or "External"
    if publish is None and install_config is not None:
        publish = "External"  # the installer's default
    return {"External": True, "Internal": False}.get(str(publish))


def _families(install_config: Json) -> tuple[int, ...]:
    """Of the machines' networks, which is where load balancers have their addresses."""
    networks = dig(install_config, "networking", "machineNetwork")
    found = set(_versions(networks if isinstance(networks, (list, tuple)) else ()))
    return tuple(sorted(found)) or (4,)


def _versions(networks: Json) -> Iterator[int]:
    for entry in networks:
        try:
            yield ipaddress.ip_network(str(dig(entry, "cidr")), strict=False).version
        except ValueError:
            continue


def _opt_out(infrastructure: Json, install_config: Json) -> str:
    """API-6"""
    mark = (dig(infrastructure, "metadata", "annotations") or {}).get(OPT_OUT)
    if mark is not None:
        return f"Infrastructure cluster carries the annotation {OPT_OUT}" + (f": {mark}" if mark else "")
    status = dig(infrastructure, "status", "platformStatus")
    for where, holder in (("Infrastructure", status), ("install-config", dig(install_config, "platform"))):
        parts = holder.values() if isinstance(holder, Mapping) else ()
        if any(dig(part, "loadBalancer", "type") == _USER_MANAGED for part in parts):
            return f"{where} says that its API load balancers are {_USER_MANAGED}"
    return ""
