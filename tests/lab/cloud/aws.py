# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS as the cloud controller of one cluster uses it: what it creates, changes in place, refuses and leaks.

The decisions are in `rules`; this file fetches what they need and carries them out (facts: aws-ccm §3-§5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import (
    internal_scheme,
    lb_kind,
    lb_name,
    split_subnets,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.go import quote
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_EIPS,
    AWS_SUBNETS,
    AWS_TAGS,
    CLASSIC,
    NLB,
)
from botocore.exceptions import BotoCoreError, ClientError

from . import rules
from .aws_classic import ClassicBalancers
from .aws_errors import sdk_text
from .aws_network import NetworkBalancers
from .clients import AwsClients
from .rules import CloudError, ImplementedElsewhere, Service
from .seed import AwsNetwork


@dataclass(frozen=True)
class CcmGeneration:
    """What differs between the cloud controllers OpenShift shipped."""

    rejects_type_change: bool
    private_addresses: bool

    @staticmethod
    def of(version: str) -> CcmGeneration:
        major, minor = (int(part) for part in version.split(".")[:2])
        return CcmGeneration(rejects_type_change=(major, minor) >= (4, 22), private_addresses=(major, minor) >= (4, 21))


class AwsCloud:
    """One cluster's view of AWS."""

    def __init__(self, clients: AwsClients, network: AwsNetwork, version: str) -> None:
        self._clients = clients
        self._network = network
        self._generation = CcmGeneration.of(version)
        self._classic = ClassicBalancers(clients, network.vpc_id)
        self._nlb = NetworkBalancers(clients, network.vpc_id)

    def upgrade(self, version: str) -> None:
        """The cloud controller of another OpenShift version takes over."""
        self._generation = CcmGeneration.of(version)

    def exists(self, service: Service) -> bool:
        kind = lb_kind(rules.annotations_of(service))
        if not kind:
            return False
        name = lb_name(service["metadata"]["uid"])
        return (self._nlb if kind == NLB else self._classic).find(name) is not None

    def ensure(self, service: Service, nodes: list[str]) -> list[dict[str, str]]:
        """The ingress entries to publish. Raises CloudError or ImplementedElsewhere."""
        annotations = rules.annotations_of(service)
        kind = lb_kind(annotations)
        if not kind:
            raise ImplementedElsewhere
        refusal = rules.type_change_refusal(service) if self._generation.rejects_type_change else ""
        refusal = refusal or rules.refusal(service)
        if refusal:
            raise CloudError(refusal)
        internal = internal_scheme(annotations)
        subnets = self._subnets(annotations, internal)
        tags = self._tags(service)
        name = lb_name(service["metadata"]["uid"])
        if kind == NLB:
            hostname = self._nlb.ensure(name, service, self._mappings(annotations, subnets), internal, tags, nodes)
        else:
            hostname = self._classic.ensure(name, service, subnets, internal, tags, nodes)
        return [{"hostname": hostname}]

    def update(self, service: Service, nodes: list[str]) -> None:
        """New nodes: a Network one goes through everything again, a Classic one only through its instances."""
        kind = lb_kind(rules.annotations_of(service))
        if kind == NLB:
            self.ensure(service, nodes)
        elif kind == CLASSIC:
            self._classic.update_instances(lb_name(service["metadata"]["uid"]), nodes)

    def delete(self, service: Service) -> None:
        """By the kind the annotation names now: after a type change the other one stays behind (OCPBUGS-16728)."""
        kind = lb_kind(rules.annotations_of(service))
        name = lb_name(service["metadata"]["uid"])
        if kind == NLB:
            self._nlb.delete(name)
        elif kind == CLASSIC:
            self._classic.delete(name)

    def _tags(self, service: Service) -> dict[str, str]:
        meta = service["metadata"]
        return {
            **rules.parse_tags(rules.annotations_of(service).get(AWS_TAGS, "")),
            "kubernetes.io/service-name": f"{meta['namespace']}/{meta['name']}",
            self._network.cluster_tag: "owned",
        }

    def _subnets(self, annotations: rules.Annotations, internal: bool) -> list[str]:
        if AWS_SUBNETS in annotations:
            return self._named_subnets(annotations[AWS_SUBNETS])
        own = next(iter(self._network.private.values()))
        return rules.discover_subnets(self._vpc_subnets(), self._network.cluster_tag, internal=internal, own=own)

    def _named_subnets(self, value: str) -> list[str]:
        given = split_subnets(value)
        ids = [element for element in given if element.startswith("subnet-")]
        names = [element for element in given if element not in ids]
        if not given:
            raise CloudError("unable to resolve empty subnet slice")
        found: list[str] = []
        if ids:
            found += self._describe_subnets(SubnetIds=ids)
        if names:
            vpc = {"Name": "vpc-id", "Values": [self._network.vpc_id]}
            found += self._describe_subnets(Filters=[vpc, {"Name": "tag:Name", "Values": names}])
        rules.check_count(len(given), len(found))
        return found

    def _describe_subnets(self, **query: Any) -> list[str]:
        return [subnet["SubnetId"] for subnet in self._list("describe_subnets", "Subnets", "subnets", **query)]

    def _vpc_subnets(self) -> list[rules.Subnet]:
        vpc = [{"Name": "vpc-id", "Values": [self._network.vpc_id]}]
        tables = self._list("describe_route_tables", "RouteTables", "route tables", Filters=vpc)
        public = _public_subnets(tables)
        return [
            rules.Subnet(
                id=subnet["SubnetId"],
                zone=subnet["AvailabilityZone"],
                public=subnet["SubnetId"] in public,
                tags={tag["Key"]: tag["Value"] for tag in subnet.get("Tags", [])},
            )
            for subnet in self._list("describe_subnets", "Subnets", "subnets", Filters=vpc)
        ]

    def _list(self, method: str, key: str, title: str, **query: Any) -> list[dict[str, Any]]:
        ec2 = self._clients.ec2
        try:
            return list(getattr(ec2, method)(**query)[key])
        except (ClientError, BotoCoreError) as error:
            raise CloudError(f"error listing AWS {title}: {quote(sdk_text(ec2, error))}") from error

    def _mappings(self, annotations: rules.Annotations, subnets: list[str]) -> list[dict[str, str]]:
        """Subnet by subnet in EC2's order: which Elastic IP lands where is not the list's to say."""
        mappings = [{"SubnetId": subnet} for subnet in subnets]
        extras = [(AWS_EIPS, "EIP AllocationIDs", "AllocationId")]
        if self._generation.private_addresses:
            extras.append((rules.PRIVATE_ADDRESSES, "PrivateIPv4Addresses", "PrivateIPv4Address"))
        for key, title, field in extras:
            for mapping, value in zip(
                mappings, rules.split_per_subnet(annotations, key, title, len(subnets)), strict=False
            ):
                mapping[field] = value
        return mappings


def _public_subnets(tables: list[dict[str, Any]]) -> set[str]:
    """Subnets whose own route table leads to an internet gateway (the lab's main tables never do)."""
    public: set[str] = set()
    for table in tables:
        if any(str(route.get("GatewayId", "")).startswith("igw-") for route in table.get("Routes", [])):
            public |= {entry["SubnetId"] for entry in table.get("Associations", []) if entry.get("SubnetId")}
    return public
