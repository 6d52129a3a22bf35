# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired and observed brought together: every reference resolved, every default taken."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Finding, Severity
from . import shipped
from .cidrs import CidrPlan, network_of, wanted
from .desired import DEFAULT_PORT, CapoDesired
from .features import supports
from .names import Identity
from .observed import CapoObserved, LoadBalancer, Machine, Subnet
from .refs import find_networks, find_subnets


@dataclass(frozen=True)
class Place:
    """One entry of the mapping, resolved. The load balancer of a cluster without mapping has no zone."""

    zone: str
    subnet: Subnet

    @property
    def ip_version(self) -> int:
        network = network_of(self.subnet.cidr)
        return network.version if network is not None else 4


@dataclass(frozen=True)
class Site:
    """What every rule looks at. Made once per decision, from valid input."""

    desired: CapoDesired
    observed: CapoObserved
    places: tuple[Place, ...]
    network_id: str

    @property
    def identity(self) -> Identity:
        return self.desired.identity

    @property
    def multi(self) -> bool:
        return bool(self.places)

    @property
    def api_port(self) -> int:
        return api_port(self.desired, self.observed)

    @property
    def ports(self) -> tuple[int, ...]:
        return (self.api_port, *(port for port in self.desired.additional_ports if port != self.api_port))

    @property
    def machines(self) -> tuple[Machine, ...]:
        """Those that are to stay."""
        return tuple(machine for machine in self.observed.machines if not machine.deleting)

    @property
    def managed(self) -> bool | None:
        """Does shipped CAPO run the load balancer with the legacy name? None: unknown."""
        return self.observed.cluster.managed_lb_enabled if self.observed.cluster else None

    def provider(self, lb: LoadBalancer | None) -> str:
        cloud = self.observed.cloud
        return (lb.provider if lb else "") or self.desired.provider or cloud.default_provider

    def can(self, feature: str, lb: LoadBalancer | None) -> bool:
        """By API version and provider, by a 501 seen in this run, by a record that says the list was not taken."""
        provider = self.provider(lb)
        cloud = self.observed.cloud
        if (provider, feature) in cloud.lacking:
            return False
        if feature == "health_monitor":
            return True
        if feature == "allowed_cidrs" and lb is not None and self._refused_before(lb):
            return False
        return supports(feature, cloud.api_versions, provider)

    def _refused_before(self, lb: LoadBalancer) -> bool:
        entry = self.observed.record.entry(load_balancer_id=lb.id)
        return "allowedCIDRs" in entry and entry["allowedCIDRs"] is None

    @property
    def flavor_id(self) -> str:
        return (self.observed.cloud.flavors or {}).get(self.desired.flavor, "") if self.desired.flavor else ""

    def cidrs(self, version: int) -> CidrPlan:
        return wanted(self.desired.allowed_cidrs or (), self.observed.cluster, version)

    def hint(self, zone: str) -> tuple[str, Finding | None]:
        """The availability zone to ask Octavia for, and why it is not asked for where it is not (facts: capo §11.2)."""
        zones = self.observed.cloud.zones
        if not zone or not self.desired.availability_zone_hint:
            return "", None
        if not self.can("availability_zones", None):
            what = "this Octavia or provider takes no availability zone; the mapped subnet alone places the VIP."
            return "", _hint_finding("az_hint_unsupported", Severity.WARNING, zone, what, "")
        if zones is None or zones.get(zone):
            return zone, None
        if not zones:
            what = "Octavia has no availability zones; the mapped subnet alone places the VIP."
            return "", _hint_finding("az_hint_unsupported", Severity.WARNING, zone, what, "")
        known = ", ".join(sorted(zones))
        if zone in zones:
            what, remedy = "this Octavia availability zone is disabled.", "Have it enabled, or map another one."
            return "", _hint_finding("az_disabled", Severity.ERROR, zone, what, remedy)
        what = f"Octavia has no availability zone of this name, only {known}."
        remedy = "Map Octavia's zones and say which Nova zones they serve in zone_aliases, or switch the hint off."
        return "", _hint_finding("unknown_az", Severity.ERROR, zone, what, remedy)


def _hint_finding(code: str, severity: Severity, zone: str, what: str, remedy: str) -> Finding:
    return Finding(code, severity, f"zones[{zone}]", what, remedy, zone)


def api_port(desired: CapoDesired, observed: CapoObserved) -> int:
    """CAPO's order: a valid endpoint's port, the API server port, 6443 (facts: capo §3)."""
    if desired.endpoint_port:
        return desired.endpoint_port
    cluster = observed.cluster
    if cluster is None:
        return DEFAULT_PORT
    return shipped.api_port(
        shipped.Endpoint(cluster.endpoint_host, cluster.endpoint_port or 0), cluster.api_server_port
    )


def survey(desired: CapoDesired, observed: CapoObserved) -> Site:
    """Only for input that `validate` has nothing against."""
    if not desired.zones or desired.state == "absent":
        return Site(desired, observed, (), "")
    places = tuple(Place(entry.zone, find_subnets(entry.subnet, observed.subnets)[0]) for entry in desired.zones)
    network = find_networks(desired.network, observed.networks)[0] if desired.network else None
    return Site(desired, observed, places, network.id if network else places[0].subnet.network_id)
