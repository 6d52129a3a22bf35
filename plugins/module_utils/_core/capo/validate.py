# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse bad input before anything is changed, all of it at once (CAPO-2, CORE-7; facts: capo §10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Finding
from .cidrs import (
    is_host,
    is_inside,
    network_of,
    other_family,
    same_address,
    unfit_for_member,
    version_of_address,
)
from .labels import cluster_rules, duplicates, endpoint_rules, error, reason_rules, tag_rules, zone_rules
from .site import api_port, find_networks, find_subnets, identity_of, ip_version, unknown_fields
from .state import ADOPTED, LEGACY, PORTS, STATES, CapoDesired, CapoObserved, MonitorSpec, Network, Ref, Subnet

LONGEST_TIMEOUT = 31_536_000_000  # milliseconds: Octavia takes a year
MONITOR_RANGES = {"delay": (1, None), "timeout": (1, None), "max_retries": (1, 10), "max_retries_down": (1, 10)}


def validate(desired: CapoDesired, observed: CapoObserved) -> tuple[Finding, ...]:
    """Every rule that is broken. Without a mapping, or when all is to go, only the options' own rules hold."""
    findings = [*_choices(desired), *cluster_rules(desired), *reason_rules(desired)]
    if desired.zones and desired.state == "present":
        network = _network(desired, observed)
        subnets = _mapped(desired, observed)
        findings += _network_rules(desired, network)
        findings += zone_rules(desired, identity_of(desired, observed))
        findings += _subnet_rules(desired, observed, network)
        findings += endpoint_rules(desired.endpoint_host)
        findings += _unhealthy_rules(desired)
        findings += _alias_rules(desired)
        findings += _fixed_ip_rules(desired, subnets)
        findings += _floating_ip_rules(desired, subnets)
        findings += _family_rules(desired, subnets)
        findings += _cloud_rules(desired, observed)
        findings += _machine_rules(observed)
    if desired.state != "absent":
        findings += _port_rules(desired, api_port(desired, observed))
        findings += _cidr_rules(desired)
        findings += _monitor_rules(desired.monitor)
        findings += tag_rules(desired)
        findings += _timeout_rules(desired)
    return tuple(findings)


def _choices(desired: CapoDesired) -> Iterator[Finding]:
    chosen = (("state", desired.state, STATES), ("legacy", desired.legacy, LEGACY))
    for where, value, choices in (*chosen, ("adopted", desired.adopted, ADOPTED)):
        if value not in choices:
            what = f"{value!r} is none of {', '.join(choices)}."
            yield error("unknown_choice", where, what, "Name one of them.", value)


def _unhealthy_rules(desired: CapoDesired) -> Iterator[Finding]:
    for zone in sorted(set(desired.allow_unhealthy_zones) - set(desired.zone_names)):
        yield error("unknown_zone", "allow_unhealthy_zones", f"zone {zone} is not in the mapping.", "Correct it.", zone)


def _alias_rules(desired: CapoDesired) -> Iterator[Finding]:
    for alias, zone in sorted(desired.zone_aliases.items()):
        if zone not in desired.zone_names:
            what = f"{alias} is to be zone {zone}, which is not in the mapping."
            yield error("unknown_zone", "zone_aliases", what, "Correct it, or map the zone.", zone)


def _network(desired: CapoDesired, observed: CapoObserved) -> tuple[Network, ...] | None:
    """None: nothing was named."""
    if desired.network is None or not (desired.network.id or desired.network.filter):
        return None
    return find_networks(desired.network, observed.networks)


def _network_rules(desired: CapoDesired, networks: tuple[Network, ...] | None) -> Iterator[Finding]:
    if networks is None:
        yield error(
            "network_required",
            "network",
            "a mapping of zones to subnets needs the load balancer network, and none is given.",
            "Set network to the network that holds the mapped subnets.",
        )
    elif len(networks) != 1:
        yield _not_one("network", "network", desired.network or Ref(), [one.id for one in networks])


def _not_one(kind: str, where: str, ref: Ref, found: list[str]) -> Finding:
    strange = unknown_fields(ref)
    if strange:
        what = f"the filter has fields that Neutron does not know: {', '.join(strange)}."
        return error("unknown_filter_field", where, what, "Take them out.", strange)
    if not found:
        what = f"no {kind} matches {ref}."
        return error(f"{kind}_not_found", where, what, "Correct it, or check the credentials' project.", str(ref))
    what = f"{ref} matches {len(found)} {kind}s: {', '.join(sorted(found))}."
    return error(f"{kind}_ambiguous", where, what, "Name one by id.", sorted(found))


def _mapped(desired: CapoDesired, observed: CapoObserved) -> dict[str, Subnet]:
    """Zones by the subnet that is meant, where it is one."""
    found = {entry.zone: find_subnets(entry.subnet, observed.subnets) for entry in desired.zones}
    return {zone: subnets[0] for zone, subnets in found.items() if len(subnets) == 1}


def _subnet_rules(
    desired: CapoDesired, observed: CapoObserved, networks: tuple[Network, ...] | None
) -> Iterator[Finding]:
    """Duplicates count after resolution: two filters may mean one subnet."""
    resolved: list[tuple[str, Subnet]] = []
    trouble: list[Finding] = []
    for entry in desired.zones:
        found = find_subnets(entry.subnet, observed.subnets)
        if len(found) == 1:
            resolved.append((entry.zone, found[0]))
        else:
            trouble.append(_not_one("subnet", f"zones[{entry.zone}]", entry.subnet, [one.id for one in found]))
    for subnet_id in duplicates(subnet.id for _zone, subnet in resolved):
        users = ", ".join(zone for zone, subnet in resolved if subnet.id == subnet_id)
        what = f"subnet {subnet_id} is mapped more than once (zones {users})."
        yield error("duplicate_subnet", "zones", what, "Give each zone a subnet of its own.", subnet_id)
    if networks is not None and len(networks) == 1:
        for zone, subnet in resolved:
            if subnet.network_id != networks[0].id:
                what = f"subnet {subnet.id} does not belong to network {networks[0].id} for AZ {zone}."
                remedy = "Map a subnet of the load balancer network, or name the network it is in."
                yield error("subnet_not_in_network", f"zones[{zone}]", what, remedy, subnet.id)
    yield from trouble


def _is_address(where: str, address: str) -> Finding | None:
    if version_of_address(address) is not None:
        return None
    return error("address_invalid", where, f"{address} is not an IP address.", "Correct it.", address)


def _fixed_ip_rules(desired: CapoDesired, subnets: Mapping[str, Subnet]) -> Iterator[Finding]:
    """What the object says of the cluster's own address is no order to a zone: it is taken where it can be had."""
    given = {entry.zone: entry.fixed_ip for entry in desired.zones if entry.fixed_ip}
    if desired.fixed_ip and "fixed_ip" not in desired.from_object:
        if len(desired.zones) > 1:
            count = len(desired.zones)
            what = f"{desired.fixed_ip} can be the address of one load balancer only, and there are {count}."
            remedy = "Say it as the fixed_ip of one zone."
            yield error("fixed_ip_with_several_zones", "fixed_ip", what, remedy, desired.fixed_ip)
        else:
            given.setdefault(desired.zones[0].zone, desired.fixed_ip)
    for zone, address in given.items():
        where = f"zones[{zone}].fixed_ip"
        wrong = _is_address(where, address)
        network = network_of(subnets[zone].cidr) if zone in subnets else None
        if wrong is not None:
            yield wrong
        elif network is not None and not is_inside(address, network):
            what = f"{address} does not lie in {network}, the subnet of zone {zone}."
            yield error("fixed_ip_not_in_subnet", where, what, "Give an address of that subnet, or none.", address)
        elif network is not None and not is_host(address, network):
            what = f"{address} stands for {network} itself, the subnet of zone {zone}; nothing can have it."
            yield error("fixed_ip_not_in_subnet", where, what, "Give another address of that subnet, or none.", address)
    yield from _twice("duplicate_fixed_ip", "fixed_ip", given)


def _twice(code: str, where: str, given: Mapping[str, str]) -> Iterator[Finding]:
    """One address for several zones, in whatever spelling."""
    zones = list(given)
    for number, zone in enumerate(zones):
        others = [other for other in zones[:number] if same_address(given[other], given[zone])]
        if others:
            what = f"{given[zone]} is given to zone {zone} and to zone {others[0]}; one load balancer has an address."
            yield error(code, where, what, "Give each zone its own.", given[zone])


def _floating_ip_rules(desired: CapoDesired, subnets: Mapping[str, Subnet]) -> Iterator[Finding]:
    """The object's own address is taken where it can be had, like its fixed one."""
    given = {zone: address for zone, address in desired.floating_ip_by_zone.items() if address}
    for zone in sorted(set(given) - set(desired.zone_names)):
        yield error("unknown_zone", "floating_ip_by_zone", f"zone {zone} is not in the mapping.", "Correct it.", zone)
    for zone, address in given.items():
        yield from _floating_ip_rule(f"floating_ip_by_zone[{zone}]", address, [zone], subnets)
    if desired.floating_ip and "floating_ip" not in desired.from_object:
        yield from _floating_ip_rule("floating_ip", desired.floating_ip, desired.zone_names, subnets)
        first = _first_ipv4(desired, subnets)
        if not same_address(given.get(first, desired.floating_ip), desired.floating_ip):
            what = f"{desired.floating_ip} goes to the first zone, {first}, which has another address by zone."
            remedy = "Give each zone one address."
            yield error("duplicate_floating_ip", "floating_ip", what, remedy, desired.floating_ip)
        given.setdefault(first, desired.floating_ip)
    yield from _twice("duplicate_floating_ip", "floating_ip_by_zone", given)


def _first_ipv4(desired: CapoDesired, subnets: Mapping[str, Subnet]) -> str:
    """The zone that the cluster-wide address is for."""
    fitting = [zone for zone in desired.zone_names if zone not in subnets or ip_version(subnets[zone].cidr) == 4]
    return next(iter(fitting), desired.zone_names[0])


def _floating_ip_rule(
    where: str, address: str, zones: Sequence[str], subnets: Mapping[str, Subnet]
) -> Iterator[Finding]:
    """Neutron's floating IPs are IPv4, and so is what they lead to."""
    wrong = _is_address(where, address)
    six = [zone for zone in zones if zone in subnets and ip_version(subnets[zone].cidr) == 6]
    if wrong is not None:
        yield wrong
    elif version_of_address(address) == 6:
        what = f"{address} is IPv6, and floating IPs are IPv4."
        yield error("floating_ip_family", where, what, "Leave it out: an IPv6 VIP is reached as it is.", address)
    elif six and len(six) == len(zones):
        what = f"{address} has no IPv4 VIP to lead to: {', '.join(six)} has an IPv6 subnet."
        yield error("floating_ip_family", where, what, "Leave it out: an IPv6 VIP is reached as it is.", address)


def _family_rules(desired: CapoDesired, subnets: Mapping[str, Subnet]) -> Iterator[Finding]:
    """A list without a range of the VIP's family would be an empty list there, and that lets everybody in."""
    for zone, subnet in subnets.items():
        version = ip_version(subnet.cidr)
        if other_family(desired.allowed_cidrs or (), version):
            yield family_missing(f"zone {zone}", version)


def family_missing(whose: str, version: int) -> Finding:
    nobody = {4: "127.0.0.1/32", 6: "::1/128"}[version]
    what = f"{whose} has an IPv{version} VIP and the list has no IPv{version} range, which would open it to everybody."
    remedy = f"Add the IPv{version} ranges that may connect; {nobody} lets in nobody but the cluster itself."
    return error("cidr_family_missing", "allowed_cidrs", what, remedy, version)


def _cloud_rules(desired: CapoDesired, observed: CapoObserved) -> Iterator[Finding]:
    cloud = observed.cloud
    for kind, named, offered in (
        ("provider", desired.providers, cloud.providers),
        ("flavor", desired.flavors, cloud.flavors),
    ):
        for where, value in named.items():
            if offered is not None and value not in offered:
                what = f"Octavia offers no {kind} {value!r}, only {', '.join(sorted(offered)) or 'none'}."
                remedy = "Name one of those, or leave it out for the default."
                yield error(f"unknown_{kind}", where, what, remedy, value)


def _machine_rules(observed: CapoObserved) -> Iterator[Finding]:
    running = [machine for machine in observed.machines if not machine.deleting]
    for machine in observed.machines:
        if machine.address and version_of_address(machine.address) is None:
            where, what = f"machine {machine.name}", f"its address {machine.address!r} is no IP address."
            yield error("address_invalid", where, what, "Give the address of its interface.", machine.address)
    fit = [one.address for one in running if one.address and not unfit_for_member(one.address, observed.cluster)]
    for address in duplicates(fit):
        names = ", ".join(machine.name for machine in running if machine.address == address)
        what = f"{names} have one address, {address}; a pool takes it once."
        yield error("duplicate_machine", "machines", what, "Give each machine its own address.", address)


def _port_rules(desired: CapoDesired, api: int) -> Iterator[Finding]:
    ports = [("endpoint_port", api), *(("additional_ports", port) for port in desired.additional_ports)]
    for where, port in ports:
        if port not in PORTS:
            yield error(
                "port_out_of_range", where, f"{port} is not between {PORTS[0]} and {PORTS[-1]}.", "Correct it.", port
            )
    for port in duplicates(port for _where, port in ports):
        what = f"port {port} is listed more than once; a load balancer listens on a port once."
        yield error("duplicate_port", "additional_ports", what, "List it once; the API port comes by itself.", port)


def _cidr_rules(desired: CapoDesired) -> Iterator[Finding]:
    for text in desired.allowed_cidrs or ():
        if network_of(text) is None:
            what = f"{text!r} is neither an address nor a CIDR."
            yield error("invalid_cidr", "allowed_cidrs", what, "Correct it.", text)


def _monitor_rules(monitor: MonitorSpec) -> Iterator[Finding]:
    for name, (low, high) in MONITOR_RANGES.items():
        value = getattr(monitor, name)
        if value < low or (high is not None and value > high):
            bounds = f"at least {low}" if high is None else f"between {low} and {high}"
            yield error("monitor_out_of_range", f"monitor.{name}", f"{value} is not {bounds}.", "Correct it.", value)


def _timeout_rules(desired: CapoDesired) -> Iterator[Finding]:
    for name in ("timeout_client_data", "timeout_member_data"):
        value = getattr(desired, name)
        if value is not None and not 0 <= value <= LONGEST_TIMEOUT:
            what = f"{value} is not between 0 and {LONGEST_TIMEOUT} milliseconds."
            yield error("timeout_out_of_range", name, what, "Correct it.", value)
