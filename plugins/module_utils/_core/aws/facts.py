# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS says of a cluster's network and load balancers, as plain values; and which subnets auto-discovery takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..data import fixed
from ..model import Finding
from ..platforms import INTERNAL

Tags = Mapping[str, str]
CLUSTER_TAG_PREFIX = "kubernetes.io/cluster/"
SERVICE_TAG = "kubernetes.io/service-name"
_ROLE_TAGS = {True: "kubernetes.io/role/internal-elb", False: "kubernetes.io/role/elb"}
_ORDINARY_ZONE = "availability-zone"


@dataclass(frozen=True)
class AwsSubnet:
    id: str
    zone: str
    vpc: str
    name: str = ""
    free: int = 0  # addresses
    public: bool = False  # its route table leads to an internet gateway
    zone_type: str = _ORDINARY_ZONE  # or local-zone, wavelength-zone
    tags: Tags = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", fixed(self.tags))

    def __str__(self) -> str:
        return f"{self.id} ({self.name})" if self.name else self.id


@dataclass(frozen=True)
class AwsLoadBalancer:
    """One that exists. `kind` is Classic or NLB (another v2 type as AWS writes it), `scope` Internal or External."""

    name: str
    kind: str
    hostname: str
    scope: str
    vpc: str
    subnets: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    eips: tuple[str, ...] = ()
    arn: str = ""
    state: str = ""
    tags: Tags = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", fixed(self.tags))


@dataclass(frozen=True)
class Eip:
    """An Elastic IP that exists; `used_by` is empty while it is free."""

    id: str
    address: str = ""
    used_by: str = ""


@dataclass(frozen=True)
class AwsQuota:
    """Load balancers of one kind in the account's region."""

    kind: str
    limit: int
    used: int

    @property
    def headroom(self) -> int:
        return max(0, self.limit - self.used)


@dataclass(frozen=True)
class AwsFacts:
    """`subnets`: all of the cluster's VPC, and those asked for that are elsewhere. `quota`: of the wanted kind."""

    vpc: str = ""
    infra_id: str = ""
    subnets: tuple[AwsSubnet, ...] = ()
    eips: tuple[Eip, ...] = ()
    lb: AwsLoadBalancer | None = None
    quota: AwsQuota | None = None

    def subnet(self, subnet_id: str) -> AwsSubnet | None:
        return next((subnet for subnet in self.subnets if subnet.id == subnet_id), None)

    def named(self, name: str) -> tuple[AwsSubnet, ...]:
        """The cloud controller looks for names in the cluster's VPC only."""
        return tuple(subnet for subnet in self.subnets if subnet.name == name and subnet.vpc == self.vpc)

    def eip(self, allocation: str) -> Eip | None:
        return next((eip for eip in self.eips if eip.id == allocation), None)


@dataclass(frozen=True)
class AwsAnswer:
    """What AWS said when it was asked about a load balancer. Neither facts nor finding: nobody was there to ask."""

    facts: AwsFacts | None = None
    unanswered: Finding | None = None
    whole: bool = False  # everything that a new load balancer depends on was asked for


NOT_ASKED = AwsAnswer(whole=True)  # and nobody is to be


def discovered(facts: AwsFacts, scope: str) -> tuple[AwsSubnet, ...]:
    """The subnets the cloud controller takes when none are given: one per zone (facts: aws-ccm §3)."""
    internal = scope == INTERNAL
    own = CLUSTER_TAG_PREFIX + facts.infra_id
    role = _ROLE_TAGS[internal]
    chosen: dict[str, AwsSubnet] = {}
    for subnet in sorted(facts.subnets, key=lambda s: (s.zone, role not in s.tags, own not in s.tags, s.id)):
        foreign = own not in subnet.tags and any(key.startswith(CLUSTER_TAG_PREFIX) for key in subnet.tags)
        here = subnet.vpc == facts.vpc and subnet.zone_type == _ORDINARY_ZONE
        if here and not foreign and (internal or subnet.public):
            chosen.setdefault(subnet.zone, subnet)
    return tuple(chosen.values())
