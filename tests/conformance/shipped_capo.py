# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the released CAPO controller and its webhook behave, for the vectors that tell of them (facts: capo §3–§9).

Nothing here is what we do, and no module runs it: shipped CAPO keeps host bits in CIDRs, takes the last API version
listed for the current one, names the first cluster subnet for every member, and never cleans up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.guards import FORBIDDEN
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.site import supports

Lookup = Callable[[str], "str | None"]  # host → first address, None where it does not resolve
REQUEUE_SECONDS = 15
DELETE_ORDER = ("disassociate-fip", "delete-fip-unless-byo", "delete-lb-cascade")


@dataclass(frozen=True)
class Endpoint:
    """spec.controlPlaneEndpoint; valid when both parts are set."""

    host: str = ""
    port: int = 0

    @property
    def valid(self) -> bool:
        return bool(self.host and self.port)


@dataclass(frozen=True)
class Outcome:
    """A value, or the error that stands in its place."""

    value: str | None = None
    error: str = ""


@dataclass(frozen=True)
class EndpointSources:
    """What the controller looks at when it sets the endpoint."""

    lb_enabled: bool = False
    status_ip: str = ""
    status_internal_ip: str = ""
    endpoint: Endpoint = Endpoint()
    floating_ip_enabled: bool = True
    external_network_enabled: bool = True
    floating_ip: str = ""
    fixed_ip: str = ""


def endpoint_host(seen: EndpointSources) -> Outcome:
    """With a managed load balancer always an address, whatever a user had set (facts: capo §9)."""
    if seen.lb_enabled:
        return Outcome(seen.status_ip or seen.status_internal_ip)
    if seen.endpoint.valid:
        return Outcome(seen.endpoint.host)
    if seen.floating_ip_enabled and seen.external_network_enabled:
        return Outcome(seen.floating_ip or "(allocated floating IP)")
    if seen.fixed_ip:
        return Outcome(seen.fixed_ip)
    return Outcome(error="unable to determine control plane endpoint")


def floating_ip_address(status_ip: str, floating_ip: str, endpoint: Endpoint, lookup: Lookup) -> Outcome:
    """The address asked for; None means one is allocated."""
    if status_ip or floating_ip:
        return Outcome(status_ip or floating_ip)
    return _looked_up(endpoint, lookup) if endpoint.valid else Outcome()


def vip_address(
    status_internal_ip: str, fixed_ip: str, floating_ip_enabled: bool, endpoint: Endpoint, lookup: Lookup
) -> Outcome:
    """The VIP asked for; the endpoint's host counts only where the VIP is the endpoint."""
    if status_internal_ip or fixed_ip:
        return Outcome(status_internal_ip or fixed_ip)
    return _looked_up(endpoint, lookup) if endpoint.valid and not floating_ip_enabled else Outcome()


def _looked_up(endpoint: Endpoint, lookup: Lookup) -> Outcome:
    address = lookup(endpoint.host)
    return Outcome(address) if address else Outcome(error=f"lookup host: {endpoint.host}")


@dataclass(frozen=True)
class CidrList:
    canonical: tuple[str, ...]
    dropped: tuple[str, ...]  # each with a warning event FailedIPAddressValidation


def allowed_cidrs(
    spec: Sequence[str], bastion: Sequence[str], subnets: Sequence[str] | None, routers: Sequence[str]
) -> CidrList:
    """IPv4 only, host bits kept, sorted as text. `subnets` None: no network status, and then no routers either."""
    if not spec:
        return CidrList((), ())
    everything = [*spec, *bastion, *(subnets or ()), *(routers if subnets is not None else ())]
    kept, dropped = set(), []
    for text in everything:
        if _is(IPv4Address, text):
            kept.add(f"{text}/32")
        elif "/" in text and _is(_network, text):
            kept.add(text)
        else:
            dropped.append(text)
    return CidrList(tuple(sorted(kept)), tuple(dropped))


def _network(text: str) -> IPv4Network:
    return IPv4Network(text, strict=False)


def _is(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def allowed_cidrs_supported(versions: Sequence[str], provider: str) -> bool:
    """The last version listed counts as the current one."""
    return supports("allowed_cidrs", versions[-1:], provider)


@dataclass(frozen=True)
class CreateSources:
    """What the controller looks at when it makes the load balancer. Subnets are ids."""

    exists: bool = False
    network_known: bool = True
    lb_status_known: bool = True
    cluster_subnets: Sequence[str] = ()
    primary_subnet: str = ""
    lb_network: str = ""
    lb_subnets: Sequence[str] = ()
    provider: str = ""
    providers: Sequence[str] = ()
    flavor: str = ""
    flavors: Mapping[str, str] | None = None  # enabled ones only: name → id


@dataclass(frozen=True)
class Creation:
    action: str = "none"
    vip_subnet: str = ""
    vip_network: str = ""
    provider: str = ""
    flavor_id: str = ""
    events: tuple[str, ...] = ()  # warnings; none of them is fatal
    error: str = ""


def create(seen: CreateSources) -> Creation:
    """Looked up by name alone: what has the name is taken as it is."""
    if seen.exists:
        return Creation()
    if not seen.network_known:
        return Creation(error="network is not yet available in OpenStackCluster.Status")
    if not seen.lb_status_known:
        return Creation(error="apiserver loadbalancer network is not yet available in OpenStackCluster.Status")
    subnet = next(iter(seen.lb_subnets), "")
    if not seen.lb_network and not subnet:
        subnet = seen.primary_subnet or next(iter(seen.cluster_subnets), "")
    provider = seen.provider if seen.provider in seen.providers else ""
    flavor = (seen.flavors or {}).get(seen.flavor, "")
    missing = [("OctaviaProviderNotFound", seen.provider, provider), ("OctaviaFlavorNotFound", seen.flavor, flavor)]
    events = tuple(reason for reason, asked, found in missing if asked and not found)
    return Creation("create", subnet, seen.lb_network, provider, flavor, events)


def wait_for_active(name: str, lb_id: str, statuses: Sequence[str]) -> str:
    """The error after some five minutes of polling; "" when it became ACTIVE. ERROR is polled like the rest."""
    if "ACTIVE" in statuses:
        return ""
    about = f'load balancer "{name}" with id {lb_id}'
    return f"{about} is not active after timeout: timed out waiting for the condition"


@dataclass(frozen=True)
class MemberPlan:
    actions: tuple[str, ...] = ()
    subnet_id: str | None = None
    error: str = ""


# what must be in the cluster's status or spec before a member is made → the error without it, in this order
MEMBER_NEEDS = {
    "network": "network is not yet available in openStackCluster.Status",
    "subnets": "network.Subnets are not yet available in openStackCluster.Status",
    "lb_status": "network.APIServerLoadBalancer is not yet available in openStackCluster.Status",
    "lb_status_network": "apiServerManagedLoadBalancer.LoadBalancerNetwork is not yet available "
    "in openStackCluster.Status",
    "endpoint": "ControlPlaneEndpoint is not yet set in openStackCluster.Spec",
    "pool": "load balancer pool does not exist yet",
}


def member(
    existing_address: str | None, address: str, same_network: bool, subnets: Sequence[str], missing: Sequence[str] = ()
) -> MemberPlan:
    """Looked up by name; only the address is compared."""
    lacking = next((text for need, text in MEMBER_NEEDS.items() if need in missing), "")
    if lacking:
        return MemberPlan(error=lacking)
    if existing_address == address:
        return MemberPlan()
    actions = ("create",) if existing_address is None else ("delete", "create")
    return MemberPlan(actions, None if same_network else next(iter(subnets), None))


def deletes_floating_ip(attached: str, floating_ip: str) -> bool:
    """All but the one named in the spec: one found through DNS counts as its own and is deleted (facts: capo §5)."""
    return attached != floating_ip


def delete(provisioning_status: str | None) -> str:
    """none, requeue, delete-cascade. The name must be gone before the controller is done."""
    if provisioning_status is None:
        return "none"
    return "requeue" if provisioning_status == "PENDING_DELETE" else "delete-cascade"


# --- what the webhook lets anybody change on a live OpenStackCluster (facts: capo §9)
#
# Everything in spec is immutable but this. In particular a mapping, a port or the endpoint's host cannot be edited in,
# which is why our topology lives in the inventory and not in the object.


@dataclass(frozen=True)
class Edit:
    """One change to spec, by its path in the v1beta2 shape, with the circumstances that matter."""

    path: str
    unset_before: bool = False
    floating_ip_enabled: bool = True
    matches_status: bool = False  # floatingIP: it is the load balancer's own address
    same_object: bool = False  # network, subnets: from filter to the id of the same thing
    removed: bool = False
    was_enabled: bool = False  # bastion


Rule = Callable[[Edit], bool]


def _always(_edit: Edit) -> bool:
    return True


def _first_time_without_floating_ip(edit: Edit) -> bool:
    return edit.unset_before and not edit.floating_ip_enabled


# path or its beginning → when a change of it is let through
RULES: Mapping[str, Rule] = {
    "identityRef": _always,
    "bastion": _always,
    "controlPlaneEndpoint": lambda edit: edit.unset_before,
    "managedSecurityGroups": lambda edit: not edit.removed,
    "managedSubnets.dnsNameservers": _always,
    "managedLoadBalancer.allowedCIDRs": _always,
    "managedLoadBalancer.monitor": _always,
    "controlPlaneAvailabilityZones": _always,
    "controlPlaneOmitAvailabilityZone": _always,
    "primarySubnet": _always,
    "floatingIP": lambda edit: edit.matches_status,
    "fixedIP": _first_time_without_floating_ip,
    "port": _first_time_without_floating_ip,
    "network": lambda edit: edit.same_object,
    "subnets": lambda edit: edit.same_object,
}


def refusal(edit: Edit) -> str | None:
    """The webhook's error, or None where the edit goes through."""
    path = re.sub(r"\[\d*\]", "", edit.path).removeprefix("spec.").removeprefix("apiServer.")
    if path == "bastion" and edit.removed and edit.was_enabled:
        return "spec.bastion: Forbidden: cannot be removed before disabling it"
    rule = next((rule for start, rule in RULES.items() if path == start or path.startswith(f"{start}.")), None)
    return None if rule is not None and rule(edit) else FORBIDDEN
