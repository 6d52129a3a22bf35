# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's subnets, Elastic IPs and load balancers as AWS tells them, in the core's values (SUB-3, SUB-4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._core.aws.cloud_controller import lb_name
from .._core.aws.facts import CLUSTER_TAG_PREFIX, AwsFacts, AwsLoadBalancer, AwsQuota, AwsSubnet, Eip
from .._core.operator.names import CLASSIC, NLB
from . import aws_balancers
from .aws_session import Session, open_session

_CHUNK = 200  # values of one filter
_ORDINARY_ZONE = "availability-zone"


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
        """Everything a check of one load balancer needs; the quota only where `kind` is given.

        `service` is the Service whose load balancer is looked for. The VPC is the load balancer's, or the one where the
        cluster's tagged subnets or instances are.
        """
        lb = self.load_balancer(service) if service else None
        vpc = vpc or (lb.vpc if lb else "") or self.cluster_vpc(infra_id)
        return AwsFacts(
            vpc=vpc,
            infra_id=infra_id,
            subnets=self.subnets(vpc, subnet_ids),
            eips=self.eips(eips),
            lb=lb,
            quota=self.quota(kind) if kind else None,
        )

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

    def subnets(self, vpc: str, ids: Iterable[str] = ()) -> tuple[AwsSubnet, ...]:
        """All of the VPC, and those with the given ids wherever they are. Unknown ids are simply not there."""
        raw = self._ec2("describe_subnets", "Subnets", Filters=_filter("vpc-id", [vpc])) if vpc else []
        known = {entry["SubnetId"] for entry in raw}
        # Filters, not SubnetIds: one unknown id would fail the whole call and hide the others.
        for part in _chunks([wanted for wanted in dict.fromkeys(ids) if wanted not in known]):
            raw += self._ec2("describe_subnets", "Subnets", Filters=_filter("subnet-id", part))
        if not raw:
            return ()
        public = self._public_test({entry["VpcId"] for entry in raw})
        types = self._zone_types()
        found = (_subnet(entry, public(entry), types.get(entry["AvailabilityZone"], _ORDINARY_ZONE)) for entry in raw)
        return tuple(sorted(found, key=lambda subnet: subnet.id))

    def _zone_types(self) -> dict[str, str]:
        zones = self._ec2("describe_availability_zones", "AvailabilityZones")
        return {zone["ZoneName"]: zone.get("ZoneType") or _ORDINARY_ZONE for zone in zones}

    def _public_test(self, vpcs: set[str]) -> Any:
        """Public: the subnet's route table, or else its VPC's main one, has a route to an internet gateway."""
        by_subnet: dict[str, bool] = {}
        by_vpc: dict[str, bool] = {}
        for table in self._ec2("describe_route_tables", "RouteTables", Filters=_filter("vpc-id", sorted(vpcs))):
            leads_out = any(str(route.get("GatewayId") or "").startswith("igw-") for route in table.get("Routes") or ())
            for association in table.get("Associations") or ():
                if association.get("SubnetId"):
                    by_subnet[association["SubnetId"]] = leads_out
                elif association.get("Main"):
                    by_vpc[table["VpcId"]] = leads_out

        def public(entry: Mapping[str, Any]) -> bool:
            return by_subnet.get(entry["SubnetId"], by_vpc.get(entry["VpcId"], False))

        return public

    def eips(self, allocations: Sequence[str]) -> tuple[Eip, ...]:
        """Those that exist."""
        found: list[Eip] = []
        for part in _chunks(list(dict.fromkeys(allocations))):
            raw = self._ec2("describe_addresses", "Addresses", Filters=_filter("allocation-id", part))
            found += (Eip(entry["AllocationId"], entry.get("PublicIp", ""), _used_by(entry)) for entry in raw)
        return tuple(sorted(found, key=lambda eip: eip.id))

    # -- load balancers -----------------------------------------------------------------------------------------------

    def load_balancer(self, service: Mapping[str, Any]) -> AwsLoadBalancer | None:
        """The one behind a Service: by the name its uid gives, or by its published hostname (other controllers' names).

        After a type change an old release of the cloud controller leaves one of either kind with the same name; the
        published hostname tells which is in force.
        """
        ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
        hostnames = [str(entry["hostname"]) for entry in ingress if entry.get("hostname")]
        names = [lb_name(service["metadata"]["uid"]), *map(aws_balancers.name_in, hostnames)]
        found = self.load_balancers(names)
        published = [lb for lb in found if lb.hostname.lower() in {hostname.lower() for hostname in hostnames}]
        chosen = published or [lb for lb in found if lb.name == names[0]]
        return chosen[0] if chosen else None

    def load_balancers(self, names: Iterable[str]) -> tuple[AwsLoadBalancer, ...]:
        """Of either kind, with their tags; names that AWS does not know are simply not there."""
        return aws_balancers.named(self._session, list(dict.fromkeys(name for name in names if name)))

    def cluster_load_balancers(self, infra_id: str) -> tuple[AwsLoadBalancer, ...]:
        """All that carry the cluster's tag with the value `owned` (leak detection)."""
        tag = CLUSTER_TAG_PREFIX + infra_id
        return tuple(lb for lb in aws_balancers.every(self._session) if lb.tags.get(tag) == "owned")

    def quota(self, kind: str) -> AwsQuota | None:
        """None for a kind AWS gives no limit for."""
        service, limit_name = {CLASSIC: ("elb", "classic-load-balancers"), NLB: ("elbv2", "network-load-balancers")}[
            kind
        ]
        limits = {
            entry["Name"]: entry["Max"] for entry in self._session.pages(service, "describe_account_limits", "Limits")
        }
        if limit_name not in limits:
            return None
        return AwsQuota(kind, int(limits[limit_name]), aws_balancers.count(self._session, kind))

    def _ec2(self, operation: str, key: str, **query: Any) -> list[dict[str, Any]]:
        return list(self._session.pages("ec2", operation, key, **query))


def _filter(name: str, values: Sequence[str]) -> list[dict[str, Any]]:
    return [{"Name": name, "Values": list(values)}]


def _chunks(values: Sequence[str]) -> Iterable[Sequence[str]]:
    return (values[start : start + _CHUNK] for start in range(0, len(values), _CHUNK))


def _subnet(entry: Mapping[str, Any], public: bool, zone_type: str) -> AwsSubnet:
    tags = {tag["Key"]: tag["Value"] for tag in entry.get("Tags") or ()}
    return AwsSubnet(
        id=entry["SubnetId"],
        zone=entry["AvailabilityZone"],
        vpc=entry["VpcId"],
        name=tags.get("Name", ""),
        free=int(entry.get("AvailableIpAddressCount", 0)),
        public=public,
        zone_type=zone_type,
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
