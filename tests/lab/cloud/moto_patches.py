# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto, made to answer as AWS does where the lab's scenarios can tell the difference.

Each change here closes one gap found in moto 5.2.5 (facts: lab-kubernetes §5, aws-ccm §3-§4). The refusals carry the
words AWS uses, because the service controller puts them into events and people search for them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import InvalidSubnetIdError
from moto.ec2.models import EC2Backend, ec2_backends
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
from moto.elb import models as classic
from moto.elb.exceptions import ELBClientError as ClassicError
from moto.elb.responses import ELBResponse
from moto.elbv2 import models as v2
from moto.elbv2.exceptions import ELBClientError as V2Error
from moto.elbv2.responses import ELBV2Response
from moto.moto_api._internal import mock_random
from moto.servicequotas.models import ServiceQuotasBackend

# AWS keeps one hosted zone per region and kind for the names of load balancers; one of each is enough here.
CLASSIC_ZONE = "Z35SXDOTRQ7X7K"
NETWORK_ZONE = "Z26RNL4JYFTOTI"
FREE_ADDRESSES_NEEDED = 8

CLASSIC_LIMIT = "classic-load-balancers"
NETWORK_LIMIT = "network-load-balancers"
QUOTA_CODES = {
    CLASSIC_LIMIT: ("L-E9E9831D", "Classic Load Balancers per Region"),
    NETWORK_LIMIT: ("L-69A177A2", "Network Load Balancers per Region"),
}

# moto knows ordinary availability zones only.
EDGE_ZONES = [
    Zone("us-east-1-bos-1a", "us-east-1", "use1-bos1-az1", "local-zone"),
    Zone("us-east-1-wl1-bos-wlz-1", "us-east-1", "use1-wl1-bos-wlz1", "wavelength-zone"),
]

# One account stands for the accounts of a whole estate, so the limits are wide unless a test narrows them.
LIMITS: dict[str, int] = {CLASSIC_LIMIT: 500, NETWORK_LIMIT: 500}


def apply() -> None:
    """Close the gaps. Once per process, before the server answers its first request."""
    _wrap(classic.ELBBackend, "create_load_balancer", _create_classic)
    _wrap(classic.ELBBackend, "attach_load_balancer_to_subnets", _attach_classic)
    _wrap(classic.ELBBackend, "detach_load_balancer_from_subnets", _detach_classic)
    _wrap(v2.ELBv2Backend, "create_load_balancer", _create_network)
    _wrap(v2.ELBv2Backend, "delete_load_balancer", _delete_network)
    _wrap(v2.ELBv2Backend, "set_subnets", _set_network_subnets)
    _wrap(EC2Backend, "describe_subnets", _describe_subnets)
    v2.FakeLoadBalancer.availability_zones = property(_zones_with_addresses)  # type: ignore[assignment]
    ELBResponse.describe_account_limits = _limits_of(CLASSIC_LIMIT)  # type: ignore[attr-defined]
    ELBV2Response.describe_account_limits = _limits_of(NETWORK_LIMIT)  # type: ignore[assignment]
    _wrap(ServiceQuotasBackend, "get_service_quota", _get_quota)
    RegionsAndZonesBackend.zones["us-east-1"] += EDGE_ZONES


def _wrap(owner: type, name: str, around: Callable[..., Any]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def patched(self: Any, *args: Any, **kwargs: Any) -> Any:
        return around(functools.partial(original, self), self, *args, **kwargs)

    setattr(owner, name, patched)


# -- Classic load balancers ---------------------------------------------------------------------------------------


def _create_classic(original: Callable[..., Any], backend: Any, **wanted: Any) -> Any:
    name, subnets = wanted["name"], wanted.get("subnets") or []
    if name not in backend.load_balancers and len(backend.load_balancers) >= LIMITS[CLASSIC_LIMIT]:
        raise ClassicError("TooManyLoadBalancers", "The maximum number of load balancers has been reached.")
    _one_per_zone(
        _subnets(backend, subnets), ClassicError, "ELB cannot be attached to multiple subnets in the same AZ."
    )
    _room_for_load_balancer(backend, subnets, ClassicError)
    balancer = original(**wanted)
    first = balancer.listeners[0]
    balancer.health_check = classic.FakeHealthCheck("5", "10", "2", "30", f"TCP:{first.instance_port}")
    balancer.canonical_hosted_zone_name_id = CLASSIC_ZONE
    prefix = "internal-" if balancer.scheme == "internal" else ""
    serial = mock_random.randint(100000000, 2147483647)
    balancer.dns_name = f"{prefix}{name}-{serial}.{backend.region_name}.elb.amazonaws.com"
    _show_zones(backend, balancer)
    return balancer


def _attach_classic(original: Callable[..., Any], backend: Any, load_balancer_name: str, subnets: list[str]) -> Any:
    balancer = _classic_named(backend, load_balancer_name)
    together = _subnets(backend, dict.fromkeys([*balancer.subnets, *subnets]))
    _one_per_zone(together, ClassicError, "ELB cannot be attached to multiple subnets in the same AZ.")
    if len({subnet.vpc_id for subnet in together}) > 1:
        raise ClassicError("InvalidConfigurationRequest", "All subnets of a load balancer must be in the same VPC.")
    _room_for_load_balancer(backend, [s for s in subnets if s not in balancer.subnets], ClassicError)
    answer = original(load_balancer_name, subnets)
    _show_zones(backend, balancer)
    return answer


def _detach_classic(original: Callable[..., Any], backend: Any, load_balancer_name: str, subnets: list[str]) -> Any:
    balancer = _classic_named(backend, load_balancer_name)
    if not set(balancer.subnets) - set(subnets):
        raise ClassicError(
            "InvalidConfigurationRequest",
            f'Requested configuration change for LoadBalancer "{load_balancer_name}" is invalid because you attempted '
            "to detach all the subnets for this LoadBalancer and a LoadBalancer cannot be attached to zero subnets in "
            "VPC.",
        )
    answer = original(load_balancer_name, subnets)
    _show_zones(backend, balancer)
    return answer


def _classic_named(backend: Any, name: str) -> Any:
    return backend.describe_load_balancers([name])[0]


def _show_zones(backend: Any, balancer: Any) -> None:
    balancer.availability_zones = sorted(s.availability_zone for s in _subnets(backend, balancer.subnets))


# -- Network load balancers ---------------------------------------------------------------------------------------

_SAME_ZONE = "A load balancer cannot be attached to multiple subnets in the same Availability Zone"


def _create_network(original: Callable[..., Any], backend: Any, **wanted: Any) -> Any:
    if wanted.get("loadbalancer_type") != "network":
        return original(**wanted)
    name, region = wanted["name"], backend.region_name
    tags = wanted.pop("tags", None)
    mappings = wanted.get("subnet_mappings") or []
    wanted["scheme"] = wanted.get("scheme") or "internet-facing"
    _refuse_network(backend, name, wanted["scheme"], wanted.get("subnet_ids") or [], mappings)
    balancer = original(**wanted, tags=[])
    backend.load_balancers.pop(balancer.arn)
    balancer.arn = balancer.arn.replace(":loadbalancer/app/", ":loadbalancer/net/")
    backend.load_balancers[balancer.arn] = balancer
    backend.tagging_service.tag_resource(balancer.arn, tags or [])
    balancer.dns_name = f"{name}-{balancer.arn.rsplit('/', 1)[1]}.elb.{region}.amazonaws.com"
    balancer.canonical_hosted_zone_id = NETWORK_ZONE
    balancer.lab_addresses = _take_addresses(backend, mappings)
    return balancer


def _refuse_network(
    backend: Any, name: str, scheme: str, subnet_ids: list[str], mappings: list[dict[str, str]]
) -> None:
    balancers = backend.load_balancers.values()
    if any(balancer.name == name for balancer in balancers):
        raise V2Error("DuplicateLoadBalancerName", "A load balancer with the specified name already exists.")
    if sum(balancer.type == "network" for balancer in balancers) >= LIMITS[NETWORK_LIMIT]:
        raise V2Error("TooManyLoadBalancers", "You've reached the limit on the number of load balancers.")
    ids = [*subnet_ids, *(mapping["SubnetId"] for mapping in mappings)]
    _one_per_zone(_subnets(backend, ids), V2Error, _SAME_ZONE)
    _room_for_load_balancer(backend, ids, V2Error)
    for mapping in mappings:
        allocation = mapping.get("AllocationId")
        if allocation is None:
            continue
        if scheme == "internal":
            raise V2Error(
                "InvalidConfigurationRequest", "Elastic IPs are not supported for load balancers with scheme 'internal'"
            )
        address = _address(backend, allocation)
        if address is None:
            raise V2Error("AllocationIdNotFound", "The specified allocation ID does not exist.")
        if address.association_id:
            raise V2Error("ResourceInUse", "The allocation IDs are not available for use")


def _take_addresses(backend: Any, mappings: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """Mark the Elastic IPs as used, as AWS does; what each subnet got, for DescribeLoadBalancers."""
    taken: dict[str, dict[str, str]] = {}
    for mapping in mappings:
        if "AllocationId" in mapping:
            address = _address(backend, mapping["AllocationId"])
            address.association_id = f"eipassoc-{mock_random.get_random_hex(17)}"
            taken[mapping["SubnetId"]] = {"IpAddress": address.public_ip, "AllocationId": address.allocation_id}
        elif "PrivateIPv4Address" in mapping:
            taken[mapping["SubnetId"]] = {"PrivateIPv4Address": mapping["PrivateIPv4Address"]}
    return taken


def _delete_network(original: Callable[..., Any], backend: Any, arn: str) -> Any:
    """moto deletes what is protected, and what an endpoint service uses."""
    balancer = backend.load_balancers.get(arn)
    if balancer is not None and balancer.attrs.get("deletion_protection.enabled") == "true":
        text = f"Load balancer '{arn}' cannot be deleted because deletion protection is enabled"
        raise V2Error("OperationNotPermitted", text)
    if any(arn in config.network_load_balancer_arns for config in _ec2(backend).configurations.values()):
        text = f"Load balancer '{arn}' cannot be deleted because it is currently associated with another service"
        raise V2Error("ResourceInUse", text)
    for taken in getattr(balancer, "lab_addresses", {}).values():
        address = _address(backend, taken.get("AllocationId", ""))
        if address is not None:
            address.association_id = None
    return original(arn)


def _set_network_subnets(
    original: Callable[..., Any], backend: Any, arn: str, subnets: list[str], subnet_mappings: list[dict[str, Any]]
) -> Any:
    """AWS asks an Application load balancer for two zones; a Network load balancer may stand in one."""
    balancer = backend.load_balancers.get(arn)
    if balancer is None or balancer.type != "network":
        return original(arn, subnets, subnet_mappings)
    ids = [*(subnets or []), *(mapping["SubnetId"] for mapping in subnet_mappings or [])]
    wanted = _subnets(backend, ids)
    _one_per_zone([*balancer.subnets, *(s for s in wanted if s not in balancer.subnets)], V2Error, _SAME_ZONE)
    balancer.subnets = wanted
    return balancer.availability_zones


class _Zone:
    def __init__(self, subnet: Any, addresses: list[dict[str, str]]) -> None:
        self.subnet_id = subnet.id
        self.zone_name = subnet.availability_zone
        self.load_balancer_addresses = addresses


def _zones_with_addresses(balancer: Any) -> list[_Zone]:
    taken = getattr(balancer, "lab_addresses", {})
    return [_Zone(s, [taken[s.id]] if s.id in taken else []) for s in balancer.subnets]


# -- EC2 ----------------------------------------------------------------------------------------------------------


def _describe_subnets(original: Callable[..., Any], backend: Any, subnet_ids: Any = None, filters: Any = None) -> Any:
    """An id given twice is found once, and the error names the one that is missing; moto does neither."""
    wanted = list(dict.fromkeys(subnet_ids or []))
    missing = [subnet_id for subnet_id in wanted if not any(subnet_id in zone for zone in backend.subnets.values())]
    if missing:
        raise InvalidSubnetIdError(missing[0])
    return original(wanted, filters)


# -- shared -------------------------------------------------------------------------------------------------------


def _ec2(backend: Any) -> Any:
    return ec2_backends[backend.account_id][backend.region_name]


def _subnets(backend: Any, ids: Iterable[str]) -> list[Any]:
    return [_ec2(backend).get_subnet(subnet_id) for subnet_id in ids]


def _address(backend: Any, allocation: str) -> Any:
    return next((a for a in _ec2(backend).addresses if a.allocation_id == allocation), None)


def _one_per_zone(subnets: list[Any], error: type[Exception], message: str) -> None:
    zones = [subnet.availability_zone for subnet in subnets]
    if len(zones) != len(set(zones)):
        raise error("InvalidConfigurationRequest", message)


def _room_for_load_balancer(backend: Any, ids: Iterable[str], error: type[Exception]) -> None:
    for subnet in _subnets(backend, ids):
        if subnet.available_ip_address_count < FREE_ADDRESSES_NEEDED:
            raise error(
                "InvalidSubnet",
                f"Not enough IP space available in {subnet.id}. ELB requires at least {FREE_ADDRESSES_NEEDED} free IP "
                "addresses in each subnet.",
            )


def _limits_of(name: str) -> Callable[[Any], ActionResult]:
    def describe_account_limits(_response: Any) -> ActionResult:
        return ActionResult({"Limits": [{"Name": name, "Max": str(LIMITS[name])}]})

    return describe_account_limits


def _get_quota(original: Callable[..., Any], _backend: Any, service_code: str, quota_code: str) -> Any:
    for limit, (code, title) in QUOTA_CODES.items():
        if service_code == "elasticloadbalancing" and quota_code == code:
            return {
                "ServiceCode": service_code,
                "QuotaCode": code,
                "QuotaName": title,
                "Value": float(LIMITS[limit]),
                "Adjustable": True,
                "GlobalQuota": False,
            }
    return original(service_code, quota_code)
