# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an installer leaves in AWS for one cluster: network, addresses, zones, all tagged as OpenShift tags them.

Every availability zone also gets a spare public and a spare private subnet without role or cluster tags: the targets of
migrations. Auto-discovery prefers the tagged ones (facts: aws-ccm §3).
"""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .clients import AwsClients, tag_pairs

ZONE_LETTERS = "abc"
EIPS = 4


@dataclass(frozen=True)
class AwsNetwork:
    """The ids a test or an inventory needs; subnets by availability zone."""

    region: str
    infra_id: str
    vpc_id: str
    public: dict[str, str]
    private: dict[str, str]
    spare_public: dict[str, str]
    spare_private: dict[str, str]
    names: dict[str, str]
    security_group: str
    eips: tuple[str, ...]
    public_zone: str
    private_zone: str

    @property
    def zones(self) -> tuple[str, ...]:
        return tuple(self.public)

    @property
    def cluster_tag(self) -> str:
        return f"kubernetes.io/cluster/{self.infra_id}"


def seed_cluster(clients: AwsClients, infra_id: str, base_domain: str) -> AwsNetwork:
    """Everything for one cluster, in the region of the clients."""
    ec2 = clients.ec2
    owned = {f"kubernetes.io/cluster/{infra_id}": "owned"}
    tags = {"Name": f"{infra_id}-vpc", **owned}
    vpc_id = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=_tagged("vpc", tags))["Vpc"]["VpcId"]
    public_table = _public_route_table(ec2, infra_id, vpc_id, owned)
    plan = _subnet_plan(infra_id, clients.region)
    ids = {name: _subnet(ec2, vpc_id, entry) for name, entry in plan.items()}
    for name, entry in plan.items():
        # The others stay on the VPC's main table, which has no way out: that is what makes them private.
        if entry["public"]:
            ec2.associate_route_table(RouteTableId=public_table, SubnetId=ids[name])
    group = ec2.create_security_group(
        GroupName=f"{infra_id}-node",
        Description="Nodes",
        VpcId=vpc_id,
        TagSpecifications=_tagged("security-group", {"Name": f"{infra_id}-node", **owned}),
    )["GroupId"]
    eips = [
        ec2.allocate_address(Domain="vpc", TagSpecifications=_tagged("elastic-ip", {"Name": f"{infra_id}-eip-{n}"}))[
            "AllocationId"
        ]
        for n in range(EIPS)
    ]

    def of(kind: str) -> dict[str, str]:
        return {entry["zone"]: ids[name] for name, entry in plan.items() if entry["kind"] == kind}

    return AwsNetwork(
        region=clients.region,
        infra_id=infra_id,
        vpc_id=vpc_id,
        public=of("public"),
        private=of("private"),
        spare_public=of("spare_public"),
        spare_private=of("spare_private"),
        names={ids[name]: name for name in plan},
        security_group=group,
        eips=tuple(eips),
        public_zone=_zone(clients, base_domain, None, {}),
        private_zone=_zone(clients, base_domain, vpc_id, {"Name": f"{infra_id}-int", **owned}),
    )


def seed_clusters(clients: AwsClients, wanted: dict[str, str]) -> dict[str, AwsNetwork]:
    """Several at once, `{infra_id: base_domain}`: the calls of different clusters overlap."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        made = pool.map(lambda item: seed_cluster(clients, *item), wanted.items())
        return {network.infra_id: network for network in made}


def _subnet_plan(infra_id: str, region: str) -> dict[str, dict[str, Any]]:
    """Subnet name -> kind, zone, block, tags; 256 addresses each."""
    plan: dict[str, dict[str, Any]] = {}
    cluster = {f"kubernetes.io/cluster/{infra_id}": "owned"}
    kinds = {
        "public": {**cluster, "kubernetes.io/role/elb": "1"},
        "private": {**cluster, "kubernetes.io/role/internal-elb": "1"},
        "spare_public": {},
        "spare_private": {},
    }
    for row, (kind, tags) in enumerate(kinds.items()):
        for column, letter in enumerate(ZONE_LETTERS):
            zone = f"{region}{letter}"
            name = f"{infra_id}-{kind.replace('_', '-')}-{zone}"
            plan[name] = {
                "kind": kind,
                "zone": zone,
                "block": f"10.0.{row * 16 + column}.0/24",
                "public": kind.endswith("public"),
                "tags": {"Name": name, **tags},
            }
    return plan


def _subnet(ec2: Any, vpc_id: str, entry: dict[str, Any]) -> str:
    made = ec2.create_subnet(
        VpcId=vpc_id,
        CidrBlock=entry["block"],
        AvailabilityZone=entry["zone"],
        TagSpecifications=_tagged("subnet", entry["tags"]),
    )
    return str(made["Subnet"]["SubnetId"])


def _public_route_table(ec2: Any, infra_id: str, vpc_id: str, owned: dict[str, str]) -> str:
    tags = {"Name": f"{infra_id}-igw", **owned}
    gateway = ec2.create_internet_gateway(TagSpecifications=_tagged("internet-gateway", tags))
    gateway_id = gateway["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway_id, VpcId=vpc_id)
    tags = {"Name": f"{infra_id}-public", **owned}
    table = ec2.create_route_table(VpcId=vpc_id, TagSpecifications=_tagged("route-table", tags))
    table_id = str(table["RouteTable"]["RouteTableId"])
    ec2.create_route(RouteTableId=table_id, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway_id)
    return table_id


def _zone(clients: AwsClients, domain: str, vpc_id: str | None, tags: dict[str, str]) -> str:
    """The id of a new hosted zone, private to the VPC if one is given."""
    wanted: dict[str, Any] = {"Name": domain, "CallerReference": str(uuid.uuid4())}
    if vpc_id:
        wanted["VPC"] = {"VPCRegion": clients.region, "VPCId": vpc_id}
        wanted["HostedZoneConfig"] = {"PrivateZone": True}
    zone_id = str(clients.route53.create_hosted_zone(**wanted)["HostedZone"]["Id"]).rsplit("/", 1)[-1]
    if tags:
        clients.route53.change_tags_for_resource(ResourceType="hostedzone", ResourceId=zone_id, AddTags=tag_pairs(tags))
    return zone_id


def _tagged(kind: str, tags: dict[str, str]) -> list[dict[str, Any]]:
    return [{"ResourceType": kind, "Tags": tag_pairs(tags)}]
