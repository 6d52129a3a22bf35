# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What OpenStack says of one CAPO cluster's load balancers. The number of reads does not grow with members."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from .._core.capo.cidrs import version_of_address
from .._core.capo.names import retiring_name
from .._core.capo.site import external_network, find_subnets, ip_version, other_endpoint
from .._core.capo.state import CapoDesired, CapoObserved, CloudFacts, LoadBalancer, Quota, Ref
from .._ports.errors import Forbidden
from .._ports.neutron import Neutron
from .._ports.octavia import Octavia

Resolve = Callable[[str], "tuple[str, ...] | None"]  # a host's addresses; None where nobody could be asked
_Read = TypeVar("_Read")


class CapoCloud:
    def __init__(self, octavia: Octavia, neutron: Neutron, resolve: Resolve) -> None:
        self._octavia, self._neutron, self._resolve = octavia, neutron, resolve
        self._facts: CloudFacts | None = None

    def read(self, desired: CapoDesired, known: CapoObserved, *, quotas: bool, endpoint: bool) -> CapoObserved:
        """`known`: what the management cluster, the options and this run's refusals say already. `quotas`: may
        something be made? `endpoint`: is the endpoint's name looked up?"""
        lbs, count = self._octavia.load_balancers(_is_meant(desired, known))
        asked = endpoint or (desired.resolve_endpoint is None and _is_double(lbs))
        mapped = bool(desired.zones) and desired.state == "present"
        networks = self._neutron.networks(desired.network) if mapped else ()
        subnets = self._neutron.subnets([one.subnet for one in desired.zones], networks) if mapped else ()
        observed = replace(
            known,
            project=self._octavia.project,
            load_balancers=lbs,
            networks=networks,
            subnets=subnets,
            floating_ips=self._neutron.floating_ips(),
            endpoint_addresses=self._endpoint(desired.endpoint_host) if asked else None,
            own_endpoint_addresses=self._endpoint(other_endpoint(desired, known.cluster)) if asked else None,
            elsewhere=self._elsewhere(known, lbs),
        )
        limits: dict[str, Quota] = {}
        if quotas and mapped:
            observed, limits = self._before_making(desired, observed, count)
        can = replace(self._can(desired), quotas=limits, lacking=known.cloud.lacking)
        return replace(observed, cloud=replace(can, default_provider=known.cloud.default_provider))

    def _elsewhere(self, known: CapoObserved, lbs: tuple[LoadBalancer, ...]) -> dict[str, str]:
        """What the record names and the project does not have is asked for one by one: gone, or somebody else's?"""
        missing = {str(entry.get("id") or "") for entry in known.record.entries} - {lb.id for lb in lbs} - {""}
        found = {one: self._octavia.whose(one) for one in sorted(missing)}
        return {one: whose for one, whose in found.items() if whose}

    def _can(self, desired: CapoDesired) -> CloudFacts:
        """Asked once per task: these do not change while it runs."""
        if self._facts is None:
            self._facts = CloudFacts(
                api_versions=self._octavia.versions(),
                providers=_if_allowed(self._octavia.providers) if desired.providers else None,
                zones=_if_allowed(self._octavia.zones) if desired.zones else None,
                flavors=_if_allowed(self._octavia.flavors) if desired.flavors else None,
                chooses_addresses=self._neutron.chooses_addresses(),
            )
        return self._facts

    def _before_making(
        self, desired: CapoDesired, observed: CapoObserved, count: int
    ) -> tuple[CapoObserved, dict[str, Quota]]:
        """What would be refused half-way. Only where something is to be made: a run that finds everything in place
        does not ask."""
        active = [lb for lb in observed.load_balancers if lb.provisioning_status == "ACTIVE"]
        names = {lb.name for lb in active}
        missing = [one for one in desired.zones if desired.identity.zone(one.zone) not in names]
        served = sum(observed.floating_ip_on(lb.vip_port_id) is not None for lb in active)
        takes = desired.floating_ips and served < _ipv4(desired, observed)
        quotas: dict[str, Quota] = {}
        if missing or takes:
            quotas |= _if_allowed(self._neutron.quotas) or {}
        if missing:
            quotas |= _if_allowed(lambda: self._octavia.quotas(count)) or {}
            fixed = [address for one in missing if (address := one.fixed_ip or desired.fixed_ip)]
            observed = replace(observed, taken=self._neutron.ports_at(observed.networks, fixed) if fixed else {})
        if takes and (network := external_network(desired, observed.cluster)):
            observed = replace(observed, external_networks=self._neutron.networks(Ref(network)))
        return observed, quotas

    def _endpoint(self, host: str) -> tuple[str, ...] | None:
        return self._resolve(host) if host and version_of_address(host) is None else None


def _is_double(lbs: Iterable[LoadBalancer]) -> bool:
    """Are there two of one name? Which of them clients use is asked before one of them goes."""
    names = [lb.name for lb in lbs if lb.provisioning_status != "PENDING_DELETE"]
    return len(set(names)) < len(names)


def _ipv4(desired: CapoDesired, observed: CapoObserved) -> int:
    """Zones whose VIP takes a floating IP."""
    mapped = [find_subnets(one.subnet, observed.subnets) for one in desired.zones]
    return sum(ip_version(subnets[0].cidr) == 4 for subnets in mapped if subnets)


def _if_allowed(read: Callable[[], _Read]) -> _Read | None:
    """None where the cloud's policy keeps it from this user: then Octavia's own refusal is the word."""
    try:
        return read()
    except Forbidden:
        return None


def _is_meant(desired: CapoDesired, known: CapoObserved) -> Callable[[LoadBalancer], bool]:
    """Ours by mark, by record or by exact name; other clusters' load balancers are not read into."""
    identity = desired.identity
    recorded = [str(entry.get("availabilityZone")) for entry in known.record.entries]
    ids = {entry.get("id") for entry in known.record.entries}
    zoned = [identity.zone(zone) for zone in (*desired.zone_names, *recorded)]
    names = {identity.legacy, *zoned, *map(retiring_name, zoned)}

    def is_meant(lb: LoadBalancer) -> bool:
        return (
            lb.name in names
            or lb.id in ids
            or identity.cluster_tag in lb.tags
            or identity.zone_of_description(lb.description) is not None
            or bool(lb.availability_zone and lb.name == identity.zone(lb.availability_zone))
        )

    return is_meant
