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
from .cidrs import CidrPlan, is_host, network_of, same_address, unfit_for_member, version_of_address, wanted
from .names import LACKS_TAG, Identity
from .state import (
    DEFAULT_PORT,
    CapoDesired,
    CapoObserved,
    LoadBalancer,
    Machine,
    Network,
    OpenStackCluster,
    Ref,
    Subnet,
    ZoneSubnet,
)

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
    """Where a load balancer is to be: its zone ("" for the single one), its name, its VIP subnet and IP version, and
    what only a new one could get."""

    zone: str
    name: str
    subnet_id: str
    network_id: str
    version: int
    octavia_zone: str = ""
    provider: str = ""
    flavor: str = ""
    fixed_ip: str = ""  # the VIP must have it
    wished_ip: str = ""  # a new VIP gets it; one that is there keeps what it has

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
    held: tuple[Slot, ...] = ()  # of the mapping too, but not worked on in this run

    @property
    def identity(self) -> Identity:
        return identity_of(self.desired, self.observed)

    @property
    def multi(self) -> bool:
        """One load balancer per zone? There may be no slot all the same, where the only one is held."""
        return bool(self.desired.zones) and self.desired.state == "present"

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
        """Those that are to stay; without an address where nobody could be reached at the one that is told."""
        staying = [machine for machine in self.observed.machines if not machine.deleting]
        return tuple(replace(one, address="") if self.unfit(one) else one for one in staying)

    def unfit(self, machine: Machine) -> str:
        """Why its address is not taken; empty where it is, or there is none."""
        return unfit_for_member(machine.address, self.observed.cluster)

    @property
    def managed(self) -> bool | None:
        """Does shipped CAPO run the load balancer with the legacy name? None: unknown."""
        return self.observed.cluster.managed_lb_enabled if self.observed.cluster else None

    @property
    def external_network(self) -> str:
        return external_network(self.desired, self.observed.cluster)

    def provider(self, of: LoadBalancer | Slot) -> str:
        """Of one that is to be made: as asked for, else Octavia's default, which shows in what was made with it."""
        known = [one.provider for one in self.observed.load_balancers if one.provider]
        by_default = self.observed.cloud.default_provider or next(iter(known), "")
        return of.provider or self.desired.provider or by_default

    def algorithm(self, of: LoadBalancer | Slot) -> str:
        return "ROUND_ROBIN" if self.can("round_robin", of) else "SOURCE_IP_PORT"

    def can(self, feature: str, of: LoadBalancer | Slot) -> bool:
        """By API version and provider, by a refusal in this run, by the mark of one in an earlier run."""
        provider = self.provider(of)
        if (provider, feature) in self.observed.cloud.lacking or self._lacked_before(provider, feature):
            return False
        return supports(feature, self.observed.cloud.api_versions, provider)

    def _lacked_before(self, provider: str, feature: str) -> bool:
        tag = LACKS_TAG + feature
        return any(tag in lb.tags for lb in self.observed.load_balancers if lb.provider == provider)

    def learned(self, zone: str, lb: LoadBalancer | None) -> tuple[str, ...]:
        """Marks for what this run was refused, so that the next one does not ask for it."""
        of = lb or next((slot for slot in self.slots if slot.zone == zone), None)
        provider = self.provider(of) if of else ""
        return tuple(sorted(LACKS_TAG + feature for who, feature in self.observed.cloud.lacking if who == provider))

    def flavor_id(self, slot: Slot) -> str:
        return (self.observed.cloud.flavors or {}).get(slot.flavor, "") if slot.flavor else ""

    def cidrs(self, version: int) -> CidrPlan:
        return wanted(self.desired.allowed_cidrs or (), self.observed.cluster, version)

    def hint(self, slot: Slot) -> tuple[str, Finding | None]:
        """The availability zone to ask Octavia for, and why it is not asked for where it is not (facts: capo §11.2)."""
        zones, name = self.observed.cloud.zones, slot.octavia_zone
        if not name or not self.desired.availability_zone_hint:
            return "", None
        if not self.can("availability_zones", slot):
            what = "this Octavia or provider takes no availability zone; the mapped subnet alone places the VIP."
            return "", _hint_finding("az_hint_unsupported", Severity.WARNING, slot, what, "")
        if zones is None or zones.get(name):
            return name, None
        if not zones:
            what = "Octavia has no availability zones; the mapped subnet alone places the VIP."
            return "", _hint_finding("az_hint_unsupported", Severity.WARNING, slot, what, "")
        if name in zones:
            what, remedy = f"Octavia's availability zone {name} is disabled.", "Have it enabled, or map another one."
            return "", _hint_finding("az_disabled", Severity.ERROR, slot, what, remedy)
        what = f"Octavia has no availability zone {name}, only {', '.join(sorted(zones))}."
        remedy = "Say the one that is meant in the zone's octavia_zone, or switch availability_zone_hint off."
        return "", _hint_finding("unknown_az", Severity.ERROR, slot, what, remedy)


def _hint_finding(code: str, severity: Severity, slot: Slot, what: str, remedy: str) -> Finding:
    return Finding(code, severity, f"zones[{slot.zone}]", what, remedy, slot.octavia_zone)


def identity_of(desired: CapoDesired, observed: CapoObserved) -> Identity:
    """With the project and the uid that marks name."""
    uid = observed.cluster.uid if observed.cluster else ""
    return replace(desired.identity, project=observed.project, uid=uid)


def external_network(desired: CapoDesired, cluster: OpenStackCluster | None) -> str:
    """The id of the network that floating IPs come from."""
    return desired.floating_network_id or (cluster.external_network_id if cluster else "")


def api_port(desired: CapoDesired, observed: CapoObserved) -> int:
    """CAPO's order: the port of an endpoint that has a host too, the API server port, 6443 (facts: capo §3)."""
    cluster = observed.cluster
    endpoint = cluster.endpoint_port if cluster and cluster.endpoint_host else None
    return desired.endpoint_port or endpoint or (cluster.api_server_port if cluster else None) or DEFAULT_PORT


def other_endpoint(desired: CapoDesired, cluster: OpenStackCluster | None) -> str:
    """The object's own endpoint, where that is another name than the one that is asked for: its nodes go there."""
    own = cluster.endpoint_host if cluster else ""
    same = own.rstrip(".").lower() == desired.endpoint_host.rstrip(".").lower()
    return "" if same or version_of_address(own) is not None else own


def known_targets(observed: CapoObserved) -> tuple[str, ...]:
    """All that clients of the endpoint, by whichever name, are led to, as far as anybody was asked."""
    own = observed.cluster.endpoint_host if observed.cluster else ""
    asked = [*(observed.endpoint_addresses or ()), *(observed.own_endpoint_addresses or ())]
    return tuple(one for one in (*asked, own) if one)


def addresses(site: Site, lb: LoadBalancer) -> tuple[str, ...]:
    """VIP and floating IP of a load balancer."""
    ip = site.observed.floating_ip_on(lb.vip_port_id)
    return tuple(address for address in (lb.vip_address, ip.address if ip else "") if address)


def ip_version(text: str) -> int:
    """Of an address or a CIDR; 4 where that cannot be told."""
    network = network_of(text)
    return network.version if network is not None else 4


def survey(desired: CapoDesired, observed: CapoObserved) -> Site:
    """Only for input that `validate` has nothing against."""
    if not desired.zones or desired.state != "present":
        return Site(desired, observed, (), "")
    mapped = [(entry, find_subnets(entry.subnet, observed.subnets)[0]) for entry in desired.zones]
    network = find_networks(desired.network, observed.networks)[0] if desired.network else None
    network_id = network.id if network else mapped[0][1].network_id
    slots = [_slot(desired, observed, entry, subnet, network_id) for entry, subnet in mapped]
    return Site(desired, observed, tuple(slots), network_id)


def _slot(desired: CapoDesired, observed: CapoObserved, entry: ZoneSubnet, subnet: Subnet, network_id: str) -> Slot:
    wish = desired.fixed_ip if "fixed_ip" in desired.from_object else ""
    return Slot(
        entry.zone,
        desired.identity.zone(entry.zone),
        subnet.id,
        network_id,
        ip_version(subnet.cidr),
        octavia_zone=entry.octavia_zone or entry.zone,
        provider=entry.provider or desired.provider,
        flavor=entry.flavor or desired.flavor,
        fixed_ip=entry.fixed_ip or ("" if wish else desired.fixed_ip),
        wished_ip=wish if wish and _is_free(wish, subnet, observed) else "",
    )


def _is_free(address: str, subnet: Subnet, observed: CapoObserved) -> bool:
    """Does it lie in the subnet, on no load balancer and no port that was seen?"""
    network = network_of(subnet.cidr)
    used = [lb.vip_address for lb in observed.load_balancers] + list(observed.taken)
    inside = network is not None and is_host(address, network)
    return inside and not any(same_address(address, one) for one in used if one)


def single_slot(site: Site, lb: LoadBalancer) -> Slot:
    """The single load balancer stays on the subnet it has."""
    return Slot("", site.identity.legacy, lb.vip_subnet_id, lb.vip_network_id, ip_version(lb.vip_address))
