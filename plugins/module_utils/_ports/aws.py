# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's subnets, Elastic IPs and load balancers as AWS tells them, in the core's values (SUB-3, SUB-4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from .._core.aws import facts
from .._core.aws.cloud_controller import lb_name
from .._core.aws.facts import (
    CLUSTER_TAG_PREFIX,
    AwsFacts,
    AwsLoadBalancer,
    AwsQuota,
    AwsSubnet,
    AwsSurvey,
    Eip,
    Unanswered,
)
from .._core.operator.names import CLASSIC, NLB
from . import aws_balancers
from .aws_session import Session, open_session
from .errors import Forbidden, Invalid

_CHUNK = 200  # values of one filter
_EVERYWHERE = "0.0.0.0/0"
_Told = TypeVar("_Told")


@dataclass(frozen=True)
class Route:
    """The way out of a subnet. `public` None: not known."""

    public: bool | None = None
    firewall: str = ""


class Parts:
    """What AWS refuses to tell is left out and named; where nobody answers at all, asking on would be no use."""

    def __init__(self) -> None:
        self.unanswered: tuple[Unanswered, ...] = ()

    def ask(self, part: str, question: Callable[[], _Told], essential: bool = True) -> _Told | None:
        """None where it is refused."""
        try:
            return question()
        except (Forbidden, Invalid) as problem:
            self.unanswered += (Unanswered(part, problem.message, problem.remedy, essential),)
            return None


class Aws:
    """Safe to use from several threads."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def connect(cls, options: Mapping[str, Any], *, cluster_region: str = "") -> Aws | None:
        """None where there are no credentials. Options as in amazon.aws; a region given there beats the cluster's."""
        session = open_session(options, cluster_region)
        return None if session is None else cls(session)

    @property
    def region(self) -> str:
        return self._session.region

    def secrets(self) -> tuple[str, ...]:
        return self._session.secrets()

    def look(
        self,
        infra_id: str,
        *,
        subnet_ids: Sequence[str] = (),
        eips: Sequence[str] = (),
        kind: str = "",
        service: Mapping[str, Any] | None = None,
        vpc: str = "",
    ) -> AwsFacts:
        """Everything a check of one load balancer needs; that of a new one only where its `kind` is given.

        `service` is the Service whose load balancer is looked for. The VPC is the load balancer's, or the one where the
        cluster's tagged subnets or instances are. What AWS refuses to tell is left out and named.
        """
        parts = Parts()
        lb = parts.ask(facts.LOAD_BALANCER, lambda: self.load_balancer(service) if service else None)
        vpc = vpc or (lb.vpc if lb else "") or parts.ask(facts.VPC, lambda: self.cluster_vpc(infra_id)) or ""
        subnets = parts.ask(facts.SUBNETS, lambda: self.subnets(vpc, subnet_ids, parts)) or ()
        found = parts.ask(facts.EIPS, lambda: self.eips(eips)) or ()
        quota = parts.ask(facts.QUOTA, lambda: self.quota(kind) if kind else None, essential=False)
        known = AwsFacts(vpc, infra_id, subnets, found, lb, quota)
        if kind and lb is not None and lb.arn:
            known = self._held(known, lb, parts)
        return replace(known, unanswered=parts.unanswered)

    def _held(self, known: AwsFacts, lb: AwsLoadBalancer, parts: Parts) -> AwsFacts:
        """With what would keep AWS from deleting the load balancer."""
        protected = parts.ask(facts.PROTECTION, lambda: aws_balancers.protected(self._session, lb), essential=False)
        services = parts.ask(
            facts.ENDPOINT_SERVICES, lambda: aws_balancers.endpoint_services(self._session, lb), essential=False
        )
        return replace(known, protected=bool(protected), endpoint_services=services or ())

    def survey(self, infra_id: str) -> AwsSurvey:
        """All load balancers and subnets of the region, in as few requests as AWS's pages allow."""
        parts = Parts()
        balancers = parts.ask(facts.LOAD_BALANCER, lambda: aws_balancers.every(self._session)) or ()
        subnets = parts.ask(facts.SUBNETS, self._every_subnet) or ()
        return AwsSurvey(infra_id, balancers, subnets, parts.unanswered)

    # -- network ------------------------------------------------------------------------------------------------------

    def cluster_vpc(self, infra_id: str) -> str:
        """'' where nothing carries the cluster's tag, or things in several VPCs do."""
        if not infra_id:
            return ""
        tagged = [{"Name": "tag-key", "Values": [CLUSTER_TAG_PREFIX + infra_id]}]
        found = {entry["VpcId"] for entry in self._ec2("describe_subnets", "Subnets", Filters=tagged)}
        if not found:
            # Subnets the cluster was installed into but does not own may carry no tag; its machines always do.
            reservations = self._ec2("describe_instances", "Reservations", Filters=tagged)
            found = {
                instance["VpcId"] for entry in reservations for instance in entry["Instances"] if "VpcId" in instance
            }
        return str(found.pop()) if len(found) == 1 else ""

    def _every_subnet(self) -> tuple[AwsSubnet, ...]:
        return tuple(_subnet(entry, Route(), "") for entry in self._ec2("describe_subnets", "Subnets"))

    def subnets(self, vpc: str, ids: Iterable[str] = (), parts: Parts | None = None) -> tuple[AwsSubnet, ...]:
        """All of the VPC, and those with the given ids wherever they are. Unknown ids are simply not there.

        `parts` takes note where AWS does not tell routes or zones.
        """
        raw = self._ec2("describe_subnets", "Subnets", Filters=_filter("vpc-id", [vpc])) if vpc else []
        known = {entry["SubnetId"] for entry in raw}
        # Filters, not SubnetIds: one unknown id would fail the whole call and hide the others.
        for part in _chunks([wanted for wanted in dict.fromkeys(ids) if wanted not in known]):
            raw += self._ec2("describe_subnets", "Subnets", Filters=_filter("subnet-id", part))
        if not raw:
            return ()
        noted = parts or Parts()
        vpcs = {entry["VpcId"] for entry in raw}
        route = noted.ask(facts.ROUTES, lambda: self._routes(vpcs)) or (lambda _entry: Route())
        types = noted.ask(facts.ZONES, self._zone_types, essential=False) or {}
        found = (_subnet(entry, route(entry), types.get(entry["AvailabilityZone"], "")) for entry in raw)
        return tuple(sorted(found, key=lambda subnet: subnet.id))

    def _zone_types(self) -> dict[str, str]:
        zones = self._ec2("describe_availability_zones", "AvailabilityZones")
        return {zone["ZoneName"]: zone.get("ZoneType") or "" for zone in zones}

    def _routes(self, vpcs: set[str]) -> Callable[[Mapping[str, Any]], Route]:
        """By the subnet's own route table, or else its VPC's main one."""
        by_subnet: dict[str, Route] = {}
        by_vpc: dict[str, Route] = {}
        for table in self._ec2("describe_route_tables", "RouteTables", Filters=_filter("vpc-id", sorted(vpcs))):
            route = _route(table.get("Routes") or ())
            for association in table.get("Associations") or ():
                if association.get("SubnetId"):
                    by_subnet[association["SubnetId"]] = route
                elif association.get("Main"):
                    by_vpc[table["VpcId"]] = route

        def found(entry: Mapping[str, Any]) -> Route:
            return by_subnet.get(entry["SubnetId"], by_vpc.get(entry["VpcId"], Route(public=False)))

        return found

    def eips(self, allocations: Sequence[str]) -> tuple[Eip, ...]:
        """Those that exist."""
        found: list[Eip] = []
        for part in _chunks(list(dict.fromkeys(allocations))):
            found += self._eips(_filter("allocation-id", part))
        return tuple(sorted(found, key=lambda eip: eip.id))

    def eips_named(self, name: str) -> tuple[Eip, ...]:
        """Those whose Name tag is this, or this with something after a dash: there is one per subnet (API-2)."""
        return tuple(sorted(self._eips(_filter("tag:Name", [name, f"{name}-*"])), key=lambda eip: eip.id))

    def _eips(self, filters: list[dict[str, Any]]) -> list[Eip]:
        raw = self._ec2("describe_addresses", "Addresses", Filters=filters)
        return [Eip(entry["AllocationId"], entry.get("PublicIp", ""), _used_by(entry)) for entry in raw]

    # -- load balancers -----------------------------------------------------------------------------------------------

    def load_balancer(self, service: Mapping[str, Any]) -> AwsLoadBalancer | None:
        """The one behind a Service: by the name its uid gives, or by its hostname where another controller named it."""
        names = [lb_name(service["metadata"]["uid"]), *map(aws_balancers.name_in, facts.hostnames_of(service))]
        return facts.load_balancer_of(service, self.load_balancers(names))

    def load_balancers(self, names: Iterable[str]) -> tuple[AwsLoadBalancer, ...]:
        """Of either kind, with their tags; names that AWS does not know are simply not there."""
        return aws_balancers.named(self._session, list(dict.fromkeys(name for name in names if name)))

    def quota(self, kind: str) -> AwsQuota:
        service, limit_name = {CLASSIC: ("elb", "classic-load-balancers"), NLB: ("elbv2", "network-load-balancers")}[
            kind
        ]
        limits = {
            entry["Name"]: entry["Max"] for entry in self._session.pages(service, "describe_account_limits", "Limits")
        }
        if limit_name not in limits:
            raise Invalid(f"AWS names no limit {limit_name} for this account and region.")
        return AwsQuota(kind, int(limits[limit_name]), aws_balancers.count(self._session, kind))

    def _ec2(self, operation: str, key: str, **query: Any) -> list[dict[str, Any]]:
        return list(self._session.pages("ec2", operation, key, **query))


def _filter(name: str, values: Sequence[str]) -> list[dict[str, Any]]:
    return [{"Name": name, "Values": list(values)}]


def _chunks(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[start : start + _CHUNK] for start in range(0, len(values), _CHUNK))


def _route(routes: Iterable[Mapping[str, Any]]) -> Route:
    """Public: to an internet gateway. A default route to an endpoint is one through a firewall."""
    ways = [(str(one.get("DestinationCidrBlock") or ""), str(one.get("GatewayId") or "")) for one in routes]
    endpoints = [gateway for to, gateway in ways if to == _EVERYWHERE and gateway.startswith("vpce-")]
    return Route(any(gateway.startswith("igw-") for _to, gateway in ways), endpoints[0] if endpoints else "")


def _subnet(entry: Mapping[str, Any], route: Route, zone_type: str) -> AwsSubnet:
    tags = {tag["Key"]: tag["Value"] for tag in entry.get("Tags") or ()}
    return AwsSubnet(
        id=entry["SubnetId"],
        zone=entry["AvailabilityZone"],
        vpc=entry["VpcId"],
        name=tags.get("Name", ""),
        free=int(entry.get("AvailableIpAddressCount", 0)),
        public=route.public,
        firewall=route.firewall,
        zone_type=facts.OUTPOST if entry.get("OutpostArn") else zone_type or facts.ORDINARY_ZONE,
        tags=tags,
    )


def _used_by(address: Mapping[str, Any]) -> str:
    interface = address.get("NetworkInterfaceId") or ""
    if address.get("InstanceId"):
        return f"instance {address['InstanceId']}"
    if address.get("NetworkInterfaceOwnerId") == "amazon-elb":
        return f"another load balancer ({interface})"
    if interface:
        return f"network interface {interface}"
    return f"association {address['AssociationId']}" if address.get("AssociationId") else ""
