# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Allowed CIDRs as Octavia reads them back (CAPO-2, CAPO-3).

Octavia stores `10.0.0.5/8` as `10.0.0.0/8` and `[]` as null (facts: lab-openstack, fidelity table): comparing
anything else would update on every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_address, ip_network

from .state import Machine, OpenStackCluster

# Which bytes of an IPv6 address hold the IPv4 one, by the length of a NAT64 prefix from 32 to 96 (RFC 6052, 2.2). The
# last is also that of ::ffff:0:0/96. Every network may have a prefix of its own, so all of them are looked at.
_EMBEDDED = ((4, 5, 6, 7), (5, 6, 7, 9), (6, 7, 9, 10), (7, 9, 10, 11), (9, 10, 11, 12), (12, 13, 14, 15))


def network_of(text: str) -> IPv4Network | IPv6Network | None:
    """The network a CIDR or a bare address stands for, host bits cut off; None for anything else."""
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def version_of_address(text: str) -> int | None:
    """4 or 6; None for what is no address. Brackets round an IPv6 literal are taken off."""
    try:
        return ip_address(text.removeprefix("[").removesuffix("]")).version
    except ValueError:
        return None


def canonical_address(text: str) -> str:
    """As everybody prints it; what is no address stays as it is."""
    try:
        return str(ip_address(text))
    except ValueError:
        return text


def same_address(one: str, other: str) -> bool:
    """Equal as addresses: fd00::1 is fd00:0::1."""
    return canonical_address(one) == canonical_address(other)


def leads_to(answer: str, address: str) -> bool:
    """Does somebody who is told `answer` by DNS come to `address`? Also through NAT64 and as IPv4-mapped address."""
    if same_address(answer, address):
        return True
    if version_of_address(answer) != 6 or version_of_address(address) != 4:
        return False
    packed, wanted = ip_address(answer).packed, ip_address(address).packed
    places = [at for at in _EMBEDDED if at[-1] == 15 or packed[8] == 0]
    return any(bytes(packed[one] for one in at) == wanted for at in places)


def unfit_for_member(address: str, cluster: OpenStackCluster | None) -> str:
    """Why no machine can be reached at an address, in a clause; empty where one may be. What is no address at all is
    refused elsewhere."""
    if version_of_address(address) is None:
        return ""
    found = ip_address(address)
    kinds = ("is_unspecified", "is_loopback", "is_multicast", "is_link_local", "is_reserved")
    kind = next((one for one in kinds if getattr(found, one)), "")
    if kind:
        return f"it is {kind.removeprefix('is_').replace('_', '-')}"
    networks = [network_of(subnet.cidr) for subnet in (cluster.subnets if cluster else ())]
    versions = {network.version for network in networks if network is not None}
    return "" if not versions or found.version in versions else f"no subnet of the cluster is IPv{found.version}"


def is_inside(address: str, network: IPv4Network | IPv6Network) -> bool:
    """Also for texts that are no address, and for those of the other IP version: they are not."""
    return version_of_address(address) is not None and ip_address(address) in network


def is_host(address: str, network: IPv4Network | IPv6Network) -> bool:
    """Can something have it there? Neutron gives out neither a network's own address nor an IPv4 broadcast address."""
    if not is_inside(address, network) or network.prefixlen >= network.max_prefixlen - 1:
        return is_inside(address, network)
    found = ip_address(address)
    return found != network.network_address and (network.version == 6 or found != network.broadcast_address)


def read_back(texts: Iterable[str]) -> tuple[str, ...]:
    """Canonical, sorted, without duplicates; what is no CIDR is left out."""
    networks = {network for network in map(network_of, texts) if network is not None}
    return tuple(str(one) for one in sorted(networks, key=lambda one: (one.version, one)))


@dataclass(frozen=True)
class CidrPlan:
    """The list for listeners of one IP version, and what became of what was asked for."""

    cidrs: tuple[str, ...]
    rewritten: tuple[tuple[str, str], ...]  # (given, read back as)
    other_version: tuple[str, ...]


def wanted(asked: Sequence[str], cluster: OpenStackCluster | None, version: int) -> CidrPlan:
    """Asked list plus what CAPO adds to a list that is not empty: bastion, cluster subnets, router (facts: capo §6)."""
    if not asked:
        return CidrPlan((), (), ())
    everything = [*asked, *extras(cluster)]
    networks = [(text, network_of(text)) for text in everything]
    fitting = [str(network) for _text, network in networks if network is not None and network.version == version]
    return CidrPlan(
        read_back(fitting),
        tuple((text, str(net)) for text, net in networks if net is not None and "/" in text and text != str(net)),
        tuple(text for text, net in networks[: len(asked)] if net is not None and net.version != version),
    )


@dataclass(frozen=True)
class Source:
    """Somebody of the cluster itself who has to reach the API."""

    what: str
    address: str = ""  # empty: nobody knows it

    def __str__(self) -> str:
        return f"{self.what} {self.address}" if self.address else f"nobody knows {self.what}"


def own_sources(
    cluster: OpenStackCluster | None, machines: Iterable[Machine], version: int, from_outside: bool
) -> tuple[Source, ...]:
    """`from_outside`: nodes come to a floating IP with the address of their router."""
    found = [Source(f"machine {one.name}", one.address) for one in machines if one.address]
    if cluster is None or not cluster.subnets:
        found.append(Source("the subnets of the nodes"))
    if version == 4 and from_outside and not (cluster and cluster.router_ips):
        found.append(Source("the address that the router shows outside"))
    return tuple(one for one in found if not one.address or version_of_address(one.address) == version)


def other_family(asked: Sequence[str], version: int) -> bool:
    """Are there ranges, but none of this IP version?"""
    versions = {network.version for network in map(network_of, asked) if network is not None}
    return bool(versions) and version not in versions


def extras(cluster: OpenStackCluster | None) -> tuple[str, ...]:
    """Sources that must never be locked out. Router addresses count only with a network status."""
    if cluster is None:
        return ()
    subnets = tuple(subnet.cidr for subnet in cluster.subnets if subnet.cidr)
    routers = cluster.router_ips if cluster.network_id or cluster.subnets else ()
    return (*cluster.bastion_ips, *subnets, *routers)


def lets_all_in(allowed: Sequence[str]) -> bool:
    """Nobody of the families in the list is kept out: it is empty, or comes to the whole of them."""
    return not outside(_everybody(allowed), allowed)


def _everybody(allowed: Sequence[str]) -> list[str]:
    versions = {network.version for network in map(network_of, allowed) if network is not None}
    return [{4: "0.0.0.0/0", 6: "::/0"}[version] for version in sorted(versions)]


def narrows(before: Sequence[str], after: Sequence[str]) -> bool:
    """Would somebody who may connect now be kept out? An empty list lets everybody in."""
    return bool(after) and bool(outside(before or _everybody(after), after))


def outside(sources: Iterable[str], allowed: Sequence[str]) -> tuple[str, ...]:
    """Those addresses and ranges that do not lie in the allowed ones as a whole."""
    four = list(collapse_addresses(net for net in map(network_of, allowed) if isinstance(net, IPv4Network)))
    six = list(collapse_addresses(net for net in map(network_of, allowed) if isinstance(net, IPv6Network)))
    return tuple(text for text in sources if not _covered(network_of(text), four, six))


def _covered(
    network: IPv4Network | IPv6Network | None, four: Sequence[IPv4Network], six: Sequence[IPv6Network]
) -> bool:
    if isinstance(network, IPv4Network):
        return any(network.subnet_of(one) for one in four)
    return isinstance(network, IPv6Network) and any(network.subnet_of(one) for one in six)


def shut_out(port: int, have: Sequence[str], want: Sequence[str]) -> str:
    """What a changed list does to clients of a port, in a clause."""
    if lets_all_in(want):
        return f"everybody may connect to port {port}"
    if lets_all_in(have):
        return f"clients outside {', '.join(want)} are shut out of port {port}"
    lost = outside(have, want)
    if lost:
        return f"clients in {', '.join(lost)} are shut out of port {port}"
    return f"more clients may connect to port {port}"
