# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse bad input before anything is changed, all of it at once (CAPO-2, CORE-7; facts: capo §10)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from ..model import Finding, Severity
from .cidrs import network_of, version_of_address
from .names import NAME_LIMIT, port_name, retiring_name
from .site import api_port, find_networks, find_subnets, unknown_fields
from .state import ADOPTED, LEGACY, STATES, CapoDesired, CapoObserved, MonitorSpec, Network, Ref, Subnet

_T = TypeVar("_T", bound=Hashable)
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
LONGEST_TIMEOUT = 31_536_000_000  # milliseconds: Octavia takes a year
MONITOR_RANGES = {"delay": (1, None), "timeout": (1, None), "max_retries": (1, 10), "max_retries_down": (1, 10)}


def validate(desired: CapoDesired, observed: CapoObserved) -> tuple[Finding, ...]:
    """Every rule that is broken. Without a mapping, or when all is to go, only the options' own rules hold."""
    findings = list(_choices(desired))
    if desired.zones and desired.state == "present":
        network = _network(desired, observed)
        findings += _network_rules(desired, network)
        findings += _mapping_rules(desired)
        findings += _subnet_rules(desired, observed, network)
        findings += _endpoint_rules(desired.endpoint_host)
        findings += _address_rules(desired)
        findings += _cloud_rules(desired, observed)
        findings += _name_rules(desired, observed)
        findings += _machine_rules(observed)
    if desired.state == "present":
        findings += _port_rules(desired, api_port(desired, observed))
        findings += _cidr_rules(desired)
        findings += _monitor_rules(desired.monitor)
        findings += _timeout_rules(desired)
    return tuple(findings)


def error(code: str, where: str, what: str, remedy: str, value: object = None) -> Finding:
    return Finding(code, Severity.ERROR, where, what, remedy, value)


def is_dns_name(host: str) -> bool:
    """A name that could be in DNS: labels of letters, digits and hyphens, the last one not a number."""
    labels = host.removesuffix(".").split(".")
    return len(host) <= 253 and all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdigit()


def duplicates(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(value for value, count in Counter(values).items() if count > 1)


def _choices(desired: CapoDesired) -> Iterator[Finding]:
    chosen = (("state", desired.state, STATES), ("legacy", desired.legacy, LEGACY))
    for where, value, choices in (*chosen, ("adopted", desired.adopted, ADOPTED)):
        if value not in choices:
            what = f"{value!r} is none of {', '.join(choices)}."
            yield error("unknown_choice", where, what, "Name one of them.", value)


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


def _mapping_rules(desired: CapoDesired) -> Iterator[Finding]:
    for index, entry in enumerate(desired.zones):
        if not entry.zone:
            yield error("zone_required", f"zones[{index}]", "the availability zone has no name.", "Name it.")
    for zone in duplicates(desired.zone_names):
        yield error(
            "duplicate_az",
            "zones",
            f'duplicate availability zone "{zone}" in availabilityZoneSubnets.',
            "Give each zone one entry.",
            zone,
        )


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


def _endpoint_rules(host: str) -> Iterator[Finding]:
    where = "endpoint_host"
    if not host:
        yield error(
            "endpoint_host_required",
            where,
            "several load balancers need a DNS name as control plane endpoint, and no host is set.",
            "Set it to the name that will have one record per zone.",
        )
    elif version_of_address(host) is not None or not is_dns_name(host):
        yield error(
            "endpoint_host_must_be_dns",
            where,
            f"{host} is not a DNS name; one address cannot stand for several load balancers.",
            "Set a DNS name. A cluster whose own endpoint is an IP gets legacy: keep with an additional name.",
            host,
        )


def _address_rules(desired: CapoDesired) -> Iterator[Finding]:
    given = {"fixed_ip": desired.fixed_ip, "floating_ip": desired.floating_ip}
    given |= {f"floating_ip_by_zone[{zone}]": address for zone, address in desired.floating_ip_by_zone.items()}
    for where, address in given.items():
        if address and version_of_address(address) is None:
            yield error("address_invalid", where, f"{address} is not an IP address.", "Correct it.", address)
    if desired.fixed_ip and len(desired.zones) > 1:
        what = f"{desired.fixed_ip} can be the address of one load balancer only, and there are {len(desired.zones)}."
        yield error("fixed_ip_with_several_zones", "fixed_ip", what, "Leave it out.", desired.fixed_ip)
    for zone in sorted(set(desired.floating_ip_by_zone) - set(desired.zone_names)):
        yield error("unknown_zone", "floating_ip_by_zone", f"zone {zone} is not in the mapping.", "Correct it.", zone)
    brought = [address for address in desired.floating_ip_by_zone.values() if address]
    first = desired.zone_names[0]
    if desired.floating_ip and desired.floating_ip_by_zone.get(first, desired.floating_ip) != desired.floating_ip:
        what = f"{desired.floating_ip} goes to the first zone, {first}, which has another address by zone."
        yield error("duplicate_floating_ip", "floating_ip", what, "Give each zone one address.", desired.floating_ip)
    elif desired.floating_ip and first not in desired.floating_ip_by_zone:
        brought.append(desired.floating_ip)
    for address in duplicates(brought):
        what = f"{address} is given to more than one zone; one load balancer at most takes an address."
        yield error("duplicate_floating_ip", "floating_ip_by_zone", what, "Give each zone its own.", address)


def _cloud_rules(desired: CapoDesired, observed: CapoObserved) -> Iterator[Finding]:
    cloud = observed.cloud
    for where, value, offered in (
        ("provider", desired.provider, cloud.providers),
        ("flavor", desired.flavor, cloud.flavors),
    ):
        if value and offered is not None and value not in offered:
            what = f"Octavia offers no {where} {value!r}, only {', '.join(sorted(offered)) or 'none'}."
            yield error(f"unknown_{where}", where, what, "Name one of those, or leave it out for the default.", value)


def _name_rules(desired: CapoDesired, observed: CapoObserved) -> Iterator[Finding]:
    """Names, and the description that says whose a load balancer is."""
    uid = observed.cluster.uid if observed.cluster else ""
    identity = replace(desired.identity, project=observed.project, uid=uid)
    for zone in desired.zone_names:
        texts = (retiring_name(port_name(identity.zone(zone), 65535)), identity.description(zone))
        length = max(map(len, texts))
        if length > NAME_LIMIT:
            what = f"names and marks of zone {zone} come to {length} characters; Octavia takes {NAME_LIMIT}."
            yield error("name_too_long", f"zones[{zone}]", what, "Use a shorter zone or cluster name.", zone)


def _machine_rules(observed: CapoObserved) -> Iterator[Finding]:
    for machine in observed.machines:
        if machine.address and version_of_address(machine.address) is None:
            where, what = f"machine {machine.name}", f"its address {machine.address!r} is no IP address."
            yield error("address_invalid", where, what, "Give the address of its interface.", machine.address)


def _port_rules(desired: CapoDesired, api: int) -> Iterator[Finding]:
    ports = [("endpoint_port", api), *(("additional_ports", port) for port in desired.additional_ports)]
    for where, port in ports:
        if not 1 <= port <= 65535:
            yield error("port_out_of_range", where, f"{port} is not between 1 and 65535.", "Correct it.", port)
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
