# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds a cluster's network inside the moto process: through the API it takes three dozen calls."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from moto.core.base_backend import BaseBackend
from moto.ec2.models import EC2Backend, ec2_backends
from moto.route53.models import Route53Backend, route53_backends

from .clients import tag_pairs
from .seed import EIPS, VPC_BLOCK, AwsNetwork, cluster_tag, planned_subnets

ACCOUNT = "123456789012"  # moto's own, for every client without an account of its own


def seed(region: str, infra_id: str, base_domain: str) -> dict[str, Any]:
    """The ids of everything made, as AwsNetwork has them."""
    ec2: EC2Backend = ec2_backends[ACCOUNT][region]
    owned = {cluster_tag(infra_id): "owned"}
    vpc_id = ec2.create_vpc(VPC_BLOCK).id
    ec2.create_tags([vpc_id], {"Name": f"{infra_id}-vpc", **owned})
    by_kind: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    table = _public_table(ec2, infra_id, vpc_id, owned)
    for planned in planned_subnets(infra_id, region):
        subnet_id = ec2.create_subnet(vpc_id, planned.block, availability_zone=planned.zone).id
        ec2.create_tags([subnet_id], dict(planned.tags))
        by_kind.setdefault(planned.kind, {})[planned.zone] = subnet_id
        names[subnet_id] = planned.tags["Name"]
        # The others stay on the VPC's main table, which has no way out: that is what makes them private.
        if planned.public:
            ec2.associate_route_table(table, subnet_id=subnet_id)
    group = ec2.create_security_group(f"{infra_id}-node", "Nodes", vpc_id).id
    ec2.create_tags([group], {"Name": f"{infra_id}-node", **owned})
    network = AwsNetwork(
        region=region,
        infra_id=infra_id,
        vpc_id=vpc_id,
        names=names,
        security_group=group,
        eips=tuple(_eip(ec2, f"{infra_id}-eip-{number}") for number in range(EIPS)),
        public_zone=_zone(base_domain, "", region, {}),
        private_zone=_zone(base_domain, vpc_id, region, {"Name": f"{infra_id}-int", **owned}),
        **by_kind,
    )
    return asdict(network)


def _public_table(ec2: EC2Backend, infra_id: str, vpc_id: str, owned: dict[str, str]) -> str:
    gateway = ec2.create_internet_gateway().id
    ec2.create_tags([gateway], {"Name": f"{infra_id}-igw", **owned})
    ec2.attach_internet_gateway(gateway, vpc_id)
    table = str(ec2.create_route_table(vpc_id).id)
    ec2.create_tags([table], {"Name": f"{infra_id}-public", **owned})
    ec2.create_route(table, "0.0.0.0/0", gateway_id=gateway)
    return table


def _eip(ec2: EC2Backend, name: str) -> str:
    allocation = str(ec2.allocate_address("vpc").allocation_id)
    ec2.create_tags([allocation], {"Name": name})
    return allocation


def _zone(domain: str, vpc_id: str, region: str, tags: dict[str, str]) -> str:
    """A hosted zone, private to the VPC if one is given. Route 53 knows no regions."""
    backend: BaseBackend = route53_backends[ACCOUNT]["aws"]
    assert isinstance(backend, Route53Backend)
    place = {"vpcid": vpc_id, "vpcregion": region} if vpc_id else {}
    made = backend.create_hosted_zone(f"{domain}.", private_zone=bool(vpc_id), **place)
    zone_id = str(made.id).rsplit("/", 1)[-1]
    if tags:
        backend.change_tags_for_resource("hostedzone", zone_id, tag_pairs(tags), [])
    return zone_id
