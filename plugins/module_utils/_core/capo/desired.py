# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked for: one API-server load balancer per zone (CAPO-1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..data import Json, fixed
from .names import Identity

STATES = ("present", "absent")
LEGACY = ("adopt", "keep", "retire")
DEFAULT_PORT = 6443


@dataclass(frozen=True)
class Ref:
    """A subnet or network as CAPO's SubnetParam and NetworkParam name it: exactly one of id and filter."""

    id: str = ""
    filter: Json = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "filter", fixed(self.filter))

    def __str__(self) -> str:
        if self.id:
            return self.id
        return " ".join(f"{key}={value}" for key, value in sorted((self.filter or {}).items())) or "(nothing)"


@dataclass(frozen=True)
class ZoneSubnet:
    """One entry of availabilityZoneSubnets."""

    zone: str
    subnet: Ref


@dataclass(frozen=True)
class MonitorSpec:
    """TCP health monitor; zero means the default, as in CAPO (facts: capo §3)."""

    delay: int = 10
    timeout: int = 5
    max_retries: int = 5
    max_retries_down: int = 3


@dataclass(frozen=True)
class CapoDesired:
    """Everything the caller says. Fields follow the module's options."""

    namespace: str
    cluster: str  # the CAPI Cluster's name
    inventory_name: str = ""
    state: str = "present"
    zones: tuple[ZoneSubnet, ...] = ()
    network: Ref | None = None
    endpoint_host: str = ""
    endpoint_port: int | None = None  # else the object's endpoint port, its API server port, 6443
    additional_ports: tuple[int, ...] = ()
    allowed_cidrs: tuple[str, ...] | None = None  # None: leave the listeners' lists alone; (): open to all
    monitor: MonitorSpec = MonitorSpec()
    allow_cross_az_members: bool = False
    zone_aliases: Mapping[str, str] = field(default_factory=dict)  # Nova zone → zone of the mapping
    floating_ips: bool = True
    floating_network_id: str = ""  # else the object's external network
    floating_ip: str = ""  # cluster-wide address the user brought: the first zone takes it
    floating_ip_by_zone: Mapping[str, str] = field(default_factory=dict)
    fixed_ip: str = ""  # VIP address; only with a single zone
    provider: str = ""
    flavor: str = ""  # by name, as in CAPO
    availability_zone_hint: bool = True
    tags: tuple[str, ...] = ()
    legacy: str = "adopt"
    traffic_moved: bool = False
    upkeep: bool = False  # a members-only run is scheduled (CAPO-13)
    allow_rebuild: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "zone_aliases", fixed(self.zone_aliases))
        object.__setattr__(self, "floating_ip_by_zone", fixed(self.floating_ip_by_zone))

    @property
    def identity(self) -> Identity:
        return Identity(self.namespace, self.cluster)

    @property
    def zone_names(self) -> tuple[str, ...]:
        return tuple(entry.zone for entry in self.zones)
