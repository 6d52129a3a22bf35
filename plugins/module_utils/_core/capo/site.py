# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired and observed brought together: every reference resolved, every default taken, what Octavia can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..data import Json
from ..model import Finding, Severity
from .cidrs import CidrPlan, network_of, wanted
from .names import LACKS_TAG, Identity
from .state import DEFAULT_PORT, CapoDesired, CapoObserved, LoadBalancer, Machine, Network, Ref, Subnet

SINGLE = "single"  # the lane of the load balancer without a zone
PROTOCOL = "TCP"
# --- which Octavia can do what (facts: capo §3, §6; lab-openstack, fidelity table)
# feature → first API version that has it
SINCE = {"timeouts": (2, 1), "tags": (2, 5), "flavors": (2, 6), "allowed_cidrs": (2, 12), "availability_zones": (2, 14)}
# provider → features it never has, whatever the API version. Further ones are learned: "health_monitor", "tree" (a load
# balancer with all below it in one request).
WITHOUT = {"ovn": frozenset({"flavors", "allowed_cidrs", "availability_zones", "round_robin", "bare_members"})}
# providers that are one and the same under two names
ALIASES = {"octavia": "amphora"}


def _version(text: str) -> tuple[int, ...]:
    """(2, 12) for "v2.12"; () for what is no version."""
    try:
        return tuple(int(part) for part in text.lstrip("v").split("."))
    except ValueError:
        return ()


def supports(feature: str, versions: Sequence[str], provider: str) -> bool:
    """By the newest version offered. Without any version known, nothing newer than v2.0 is assumed."""
    newest = max(map(_version, versions), default=())
    return newest >= SINCE.get(feature, ()) and feature not in WITHOUT.get(provider, frozenset())


def same_provider(one: str, other: str) -> bool:
    return ALIASES.get(one, one) == ALIASES.get(other, other)


# --- subnets and networks named by id or filter, resolved against what Neutron listed (facts: capo §4, §11.14)
# field of CAPO's filter → field of Neutron's object
FIELDS = {
    "name": "name",
    "description": "description",
    "projectID": "project_id",
    "ipVersion": "ip_version",
    "gatewayIP": "gateway_ip",
    "cidr": "cidr",
    "ipv6AddressMode": "ipv6_address_mode",
    "ipv6RAMode": "ipv6_ra_mode",
}
TAG_RULES: dict[str, Callable[[frozenset[str], frozenset[str]], bool]] = {
    "tags": lambda asked, have: asked <= have,
    "tagsAny": lambda asked, have: bool(asked & have),
    "notTags": lambda asked, have: not asked <= have,
    "notTagsAny": lambda asked, have: not asked & have,
}


def find_subnets(ref: Ref, subnets: Iterable[Subnet]) -> tuple[Subnet, ...]:
    return tuple(one for one in subnets if _is_meant(ref, one.id, {"cidr": one.cidr, **_plain(one.facts)}))


def find_networks(ref: Ref, networks: Iterable[Network]) -> tuple[Network, ...]:
    return tuple(one for one in networks if _is_meant(ref, one.id, {"name": one.name, **_plain(one.facts)}))


def unknown_fields(ref: Ref) -> tuple[str, ...]:
    return tuple(sorted(key for key in ref.filter or {} if key not in FIELDS and key not in TAG_RULES))


def _plain(facts: Json) -> dict[str, Any]:
    return dict(facts or {})


def _is_meant(ref: Ref, found_id: str, facts: Mapping[str, Any]) -> bool:
    if ref.id:
        return ref.id == found_id
    rules = {key: value for key, value in (ref.filter or {}).items() if value not in (None, "", 0, ())}
    if not rules:
        return False
    have = frozenset(facts.get("tags") or ())
    for key, value in rules.items():
        if key in TAG_RULES:
            if not TAG_RULES[key](frozenset(value), have):
                return False
        elif facts.get(FIELDS.get(key, "")) != value:
            return False
    return True


# --- one cluster's site


@dataclass(frozen=True)
class Slot:
    """Where a load balancer is to be: its zone ("" for the single one), its name, its VIP subnet and IP version."""

    zone: str
    name: str
    subnet_id: str
    network_id: str
    version: int

    @property
    def lane(self) -> str:
        return self.zone or SINGLE

    @property
    def owner(self) -> str:
        """Whose load balancer it is, in a sentence."""
        return f"zone {self.zone}" if self.zone else "the cluster"


@dataclass(frozen=True)
class Site:
    """What every rule looks at. Made once per decision, from valid input."""

    desired: CapoDesired
    observed: CapoObserved
    slots: tuple[Slot, ...]  # one per entry of the mapping, in its order
    network_id: str

    @property
    def identity(self) -> Identity:
        cluster = self.observed.cluster
        return replace(self.desired.identity, project=self.observed.project, uid=cluster.uid if cluster else "")

    @property
    def multi(self) -> bool:
        return bool(self.slots)

    @property
    def first_zone(self) -> str:
        """The one that older readers see in the mirror; "" without a mapping."""
        return self.slots[0].zone if self.slots else ""

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
        """Of one that is to be made: as asked for, else Octavia's default, which shows in what was made with it."""
        made = lb.provider if lb else ""
        known = [one.provider for one in self.observed.load_balancers if one.provider]
        return made or self.desired.provider or self.observed.cloud.default_provider or next(iter(known), "")

    def algorithm(self, lb: LoadBalancer | None) -> str:
        return "ROUND_ROBIN" if self.can("round_robin", lb) else "SOURCE_IP_PORT"

    def can(self, feature: str, lb: LoadBalancer | None) -> bool:
        """By API version and provider, by a refusal in this run, by the mark of one in an earlier run."""
        provider = self.provider(lb)
        if (provider, feature) in self.observed.cloud.lacking or self._lacked_before(provider, feature):
            return False
        return supports(feature, self.observed.cloud.api_versions, provider)

    def _lacked_before(self, provider: str, feature: str) -> bool:
        tag = LACKS_TAG + feature
        return any(tag in lb.tags for lb in self.observed.load_balancers if lb.provider == provider)

    def learned(self, lb: LoadBalancer | None) -> tuple[str, ...]:
        """Marks for what this run was refused, so that the next one does not ask for it."""
        provider = self.provider(lb)
        return tuple(sorted(LACKS_TAG + feature for who, feature in self.observed.cloud.lacking if who == provider))

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
    """CAPO's order: the port of an endpoint that has a host too, the API server port, 6443 (facts: capo §3)."""
    cluster = observed.cluster
    endpoint = cluster.endpoint_port if cluster and cluster.endpoint_host else None
    return desired.endpoint_port or endpoint or (cluster.api_server_port if cluster else None) or DEFAULT_PORT


def ip_version(text: str) -> int:
    """Of an address or a CIDR; 4 where that cannot be told."""
    network = network_of(text)
    return network.version if network is not None else 4


def survey(desired: CapoDesired, observed: CapoObserved) -> Site:
    """Only for input that `validate` has nothing against."""
    if not desired.zones or desired.state == "absent":
        return Site(desired, observed, (), "")
    mapped = [(entry.zone, find_subnets(entry.subnet, observed.subnets)[0]) for entry in desired.zones]
    network = find_networks(desired.network, observed.networks)[0] if desired.network else None
    network_id = network.id if network else mapped[0][1].network_id
    slots = [
        Slot(zone, desired.identity.zone(zone), subnet.id, network_id, ip_version(subnet.cidr))
        for zone, subnet in mapped
    ]
    return Site(desired, observed, tuple(slots), network_id)


def single_slot(site: Site, lb: LoadBalancer) -> Slot:
    """The single load balancer stays on the subnet it has."""
    return Slot("", site.identity.legacy, lb.vip_subnet_id, lb.vip_network_id, ip_version(lb.vip_address))
