# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an installer leaves in AWS for one cluster: network, addresses, zones, all tagged as OpenShift tags them.

Every availability zone also gets a spare public and a spare private subnet without role or cluster tags: the targets of
migrations. Auto-discovery prefers the tagged ones (facts: aws-ccm §3).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ZONE_LETTERS = "abc"
EIPS = 4
VPC_BLOCK = "10.0.0.0/16"


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
        return cluster_tag(self.infra_id)

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> AwsNetwork:
        return AwsNetwork(**{**data, "eips": tuple(data["eips"])})


@dataclass(frozen=True)
class PlannedSubnet:
    kind: str
    zone: str
    block: str
    tags: Mapping[str, str]

    @property
    def public(self) -> bool:
        return self.kind.endswith("public")


def cluster_tag(infra_id: str) -> str:
    return f"kubernetes.io/cluster/{infra_id}"


def planned_subnets(infra_id: str, region: str) -> Iterator[PlannedSubnet]:
    """Four in each zone, 256 addresses each."""
    owned = {cluster_tag(infra_id): "owned"}
    kinds = {
        "public": {**owned, "kubernetes.io/role/elb": "1"},
        "private": {**owned, "kubernetes.io/role/internal-elb": "1"},
        "spare_public": {},
        "spare_private": {},
    }
    for row, (kind, tags) in enumerate(kinds.items()):
        for column, letter in enumerate(ZONE_LETTERS):
            zone = f"{region}{letter}"
            name = f"{infra_id}-{kind.replace('_', '-')}-{zone}"
            yield PlannedSubnet(kind, zone, f"10.0.{row * 16 + column}.0/24", {"Name": name, **tags})


def imagined(infra_id: str, region: str) -> AwsNetwork:
    """A network with ids like real ones and no AWS that knows it, for load balancers by rule."""
    subnets: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for planned in planned_subnets(infra_id, region):
        subnet_id = f"subnet-{_digits(planned.tags['Name'])}"
        subnets.setdefault(planned.kind, {})[planned.zone] = subnet_id
        names[subnet_id] = planned.tags["Name"]
    return AwsNetwork(
        region=region,
        infra_id=infra_id,
        vpc_id=f"vpc-{_digits(infra_id)}",
        names=names,
        security_group=f"sg-{_digits(infra_id)}",
        eips=tuple(f"eipalloc-{_digits(f'{infra_id}-eip-{number}')}" for number in range(EIPS)),
        public_zone="",
        private_zone="",
        **subnets,
    )


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:17]
