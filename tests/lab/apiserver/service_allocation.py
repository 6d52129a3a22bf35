# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses and ports of a Service, out of the pools of its cluster.

The first thing that cannot be had ends the request: a real server never names two at once (facts: lab-kubernetes §9).
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from .api import ApiError, Cause, Obj
from .errors import internal, invalid_value
from .service_addresses import family_of, related_causes
from .service_fields import NO_ADDRESS, allocates_node_ports, has_addresses, has_node_ports, needs_health_check
from .service_fields import node_ports as node_ports_of

NODE_PORTS = range(30000, 32768)
SERVICE_NETWORKS = {"IPv4": "172.30.0.0/16", "IPv6": "fd02::/112"}
_TAKEN = "provided port is already allocated"
_OUT_OF_RANGE = "provided port is not in the valid range. The range of valid ports is 30000-32767"
_FAMILIES = ("IPv4", "IPv6")


@dataclass
class Pools:
    """What is given away already, to other Services and to this one. A dry run takes nothing and looks less closely."""

    families: tuple[str, ...]
    draw: random.Random
    addresses: set[str] = field(default_factory=set)
    ports: set[int] = field(default_factory=set)
    dry_run: bool = False
    strict: bool = False

    def give(self, specs: Iterable[Obj]) -> None:
        for spec in specs:
            self.addresses |= set(spec.get("clusterIPs", ()))
            self.ports |= {*node_ports_of(spec), spec.get("healthCheckNodePort", 0)}

    def take_port(self, number: int) -> str:
        """Why it cannot be had, or nothing. A node port is one for all protocols."""
        if number not in NODE_PORTS and not self.dry_run:
            return _OUT_OF_RANGE
        if number in self.ports:
            return _TAKEN
        self.ports.add(number)
        return ""

    def any_port(self) -> int:
        while (number := self.draw.choice(NODE_PORTS)) in self.ports:
            pass
        self.ports.add(number)
        return number

    def take_address(self, address: str, family: str) -> str:
        network = ipaddress.ip_network(SERVICE_NETWORKS[family])
        found = ipaddress.ip_address(address)
        edges = (network.network_address, network.broadcast_address if family == "IPv4" else None)
        if found not in network or found in edges:
            return "the provided network does not match the current range"
        if address in self.addresses and not self.dry_run:
            return "provided IP is already allocated"
        self.addresses.add(address)
        return ""

    def any_address(self, family: str) -> str:
        network = ipaddress.ip_network(SERVICE_NETWORKS[family])
        while (address := str(network[self.draw.randrange(10, network.num_addresses - 1)])) in self.addresses:
            pass
        self.addresses.add(address)
        return address


def allocate(before: Obj | None, spec: Obj, pools: Pools) -> list[Cause]:
    """Complete `spec` in place; returns the one reason why that was impossible."""
    causes = _families(before, spec, pools) or _addresses(before, spec, pools)
    if causes:
        return causes
    if has_node_ports(spec):
        causes = _new_node_ports(spec, pools) if before is None else _changed_node_ports(before, spec, pools)
    if not causes:
        _health_check(before, spec, pools)
    return causes


def _same(before: Obj | None, spec: Obj, *names: str) -> bool:
    return before is not None and all(before.get(name) == spec.get(name) for name in names)


# -- IP families ------------------------------------------------------------------------------------------------------


def _families(before: Obj | None, spec: Obj, pools: Pools) -> list[Cause]:
    if not has_addresses(spec) or _prefers_dual_as_before(before, spec):
        return []
    free_form = spec.get("clusterIP") == NO_ADDRESS and not spec.get("selector")
    if not spec.get("ipFamilyPolicy"):
        default = "RequireDualStack" if free_form else "SingleStack"
        spec["ipFamilyPolicy"] = (before or {}).get("ipFamilyPolicy") or default
    causes = related_causes(before, spec, pools.strict)
    if causes:
        return causes
    causes = _policy_causes(before, spec) + _inferred_families(spec, pools)
    if causes:
        return causes
    if free_form:
        # Headless and without a selector: any families, whatever the cluster has.
        families = spec.get("ipFamilies") or [pools.families[0]]
        if len(families) < 2 and spec["ipFamilyPolicy"] != "SingleStack":
            families = [*families, _other(families[0])]
        spec["ipFamilies"] = families
        return []
    return _configured_families(spec, pools)


def _prefers_dual_as_before(before: Obj | None, spec: Obj) -> bool:
    same = _same(before, spec, "type", "ipFamilyPolicy", "clusterIP", "clusterIPs", "ipFamilies")
    return same and spec.get("ipFamilyPolicy") == "PreferDualStack"


def _policy_causes(before: Obj | None, spec: Obj) -> list[Cause]:
    where, policy = "spec.ipFamilyPolicy", spec["ipFamilyPolicy"]
    names = (("clusterIPs", "cluster IP", "cluster IPs"), ("ipFamilies", "IP family", "IP families"))
    causes: list[Cause] = []
    for name, one, _several in names if before is not None else ():
        had, have = (before or {}).get(name, []), spec.get(name, [])
        if policy == "SingleStack":
            if _same(before, spec, name) and len(have) > 1:
                spec[name] = have[:1]
        elif 0 < len(have) < len(had):
            causes.append(invalid_value(where, policy, f"must be 'SingleStack' to release the secondary {one}"))
    for name, _one, several in names:
        if policy == "SingleStack" and len(spec.get(name, ())) == 2:
            why = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {several} are specified"
            causes.append(invalid_value(where, policy, why))
    return causes


def _inferred_families(spec: Obj, pools: Pools) -> list[Cause]:
    """From the addresses that were asked for."""
    causes: list[Cause] = []
    for index, address in enumerate(spec.get("clusterIPs", ())):
        if address == NO_ADDRESS:
            break
        if index < len(spec.get("ipFamilies", ())):
            continue
        family = family_of(address)
        if family in pools.families:
            spec["ipFamilies"] = [*spec.get("ipFamilies", ()), family]
        else:
            why = f"{family} is not configured on this cluster"
            causes.append(invalid_value(f"spec.clusterIPs[{index}]", spec["clusterIPs"], why))
    return causes


def _configured_families(spec: Obj, pools: Pools) -> list[Cause]:
    policy, dual = spec["ipFamilyPolicy"], len(pools.families) == 2
    causes: list[Cause] = []
    if policy == "RequireDualStack" and not dual:
        why = "this cluster is not configured for dual-stack services"
        causes.append(invalid_value("spec.ipFamilyPolicy", policy, why))
    for index, family in enumerate(spec.get("ipFamilies", ())):
        if family not in pools.families:
            causes.append(invalid_value(f"spec.ipFamilies[{index}]", family, "not configured on this cluster"))
    if causes:
        return causes
    families = spec.get("ipFamilies") or [pools.families[0]]
    if policy != "SingleStack" and len(families) == 1 and dual:
        families = [*families, _other(families[0])]
    spec["ipFamilies"] = families
    return []


def _other(family: str) -> str:
    return _FAMILIES[1 - _FAMILIES.index(family)]


# -- addresses and ports ----------------------------------------------------------------------------------------------


def _addresses(before: Obj | None, spec: Obj, pools: Pools) -> list[Cause]:
    if not has_addresses(spec) or _prefers_dual_as_before(before, spec):
        return []
    had = (before or {}).get("clusterIPs", [])
    if before is not None and has_addresses(before):
        grown = len(before.get("ipFamilies", ())) == 1 and len(spec["ipFamilies"]) == 2
        if had[:1] == [NO_ADDRESS] or not grown:
            return []
        wanted = range(1, 2)
    else:
        if spec.get("clusterIPs", [])[:1] == [NO_ADDRESS]:
            return []
        wanted = range(len(spec["ipFamilies"]))
    have = list(spec.get("clusterIPs", ()))
    for index in wanted:
        family = spec["ipFamilies"][index]
        if index >= len(have):
            have.append(pools.any_address(family))
        elif why := pools.take_address(have[index], family):
            why = f"failed to allocate IP {have[index]}: {why}"
            return [invalid_value("spec.clusterIPs", have, why)]
    spec["clusterIPs"], spec["clusterIP"] = have, have[0]
    return []


def _port_taken(index: int, number: int, why: str) -> list[Cause]:
    return [invalid_value(f"spec.ports[{index}].nodePort", number, why)]


def _new_node_ports(spec: Obj, pools: Pools) -> list[Cause]:
    """Ports of one number (of two protocols) share a node port."""
    ports, given = spec.get("ports", []), allocates_node_ports(spec)
    by_port: dict[int, int] = {}
    for index, port in enumerate(ports):
        number, node_port = port.get("port", 0), port.get("nodePort", 0)
        if not node_port and not given:
            continue
        if number in by_port:
            if not node_port:
                port["nodePort"] = by_port[number]
            elif node_port != by_port[number] and (why := pools.take_port(node_port)):
                return _port_taken(index, node_port, why)
            continue
        asked = next((p["nodePort"] for p in ports if p.get("port", 0) == number and p.get("nodePort")), 0)
        if asked and (why := pools.take_port(asked)):
            return _port_taken(index, asked, why)
        port["nodePort"] = by_port[number] = asked or pools.any_port()
    return []


def _changed_node_ports(before: Obj, spec: Obj, pools: Pools) -> list[Cause]:
    mine, seen = set(node_ports_of(before)), set[tuple[str, int]]()
    for index, port in enumerate(spec.get("ports", ())):
        number = port.get("nodePort", 0)
        if not number and not allocates_node_ports(spec):
            continue
        if not number:
            number = port["nodePort"] = pools.any_port()
        elif number not in mine and (why := pools.take_port(number)):
            return _port_taken(index, number, why)
        mine.add(number)
        if (port["protocol"], number) in seen:
            raise ApiError(500, "", f"duplicate nodePort: {{{port['protocol']} {number}}}")
        seen.add((port["protocol"], number))
    return []


def _health_check(before: Obj | None, spec: Obj, pools: Pools) -> None:
    """Not a field's error on a real server: a plain 500."""
    if not needs_health_check(spec) or (before is not None and needs_health_check(before)):
        return
    number = spec.get("healthCheckNodePort", 0)
    if not number:
        spec["healthCheckNodePort"] = pools.any_port()
    elif why := pools.take_port(number):
        raise internal(f"failed to allocate requested HealthCheck NodePort {number}: {why}")
