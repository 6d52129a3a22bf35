# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS says of a cluster's network and load balancers, as plain values; and which subnets auto-discovery takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..data import Json, dig, fixed
from ..platforms import INTERNAL
from .cloud_controller import lb_name

Tags = Mapping[str, str]
CLUSTER_TAG_PREFIX = "kubernetes.io/cluster/"
SERVICE_TAG = "kubernetes.io/service-name"
_ROLE_TAGS = {True: "kubernetes.io/role/internal-elb", False: "kubernetes.io/role/elb"}
ORDINARY_ZONE, OUTPOST = "availability-zone", "outpost"
# What a look at AWS consists of; each may be refused on its own.
LOAD_BALANCER, VPC, SUBNETS, ROUTES, ZONES, EIPS, QUOTA, PROTECTION, ENDPOINT_SERVICES = (
    "load balancer",
    "VPC",
    "subnets",
    "routes",
    "zones",
    "Elastic IPs",
    "quota",
    "deletion protection",
    "VPC endpoint services",
)


@dataclass(frozen=True)
class Unanswered:
    """A part of the look that AWS did not answer. Without an essential one no load balancer is taken away."""

    part: str
    what: str
    remedy: str = ""
    essential: bool = True


@dataclass(frozen=True)
class AwsSubnet:
    id: str
    zone: str
    vpc: str
    name: str = ""
    free: int = 0  # addresses
    public: bool | None = False  # its route table leads to an internet gateway; None: not known
    firewall: str = ""  # the endpoint its default route leads to, of a firewall or a gateway load balancer
    zone_type: str = ORDINARY_ZONE  # or local-zone, wavelength-zone, outpost
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
    security_groups: tuple[str, ...] = ()
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
    protected: bool = False  # AWS does not delete `lb` until somebody says so
    endpoint_services: tuple[str, ...] = ()  # VPC endpoint services that use `lb`
    unanswered: tuple[Unanswered, ...] = ()

    def told(self, *parts: str) -> bool:
        """Were all of these answered? What was not told is not missing."""
        return not any(entry.part in parts for entry in self.unanswered)

    def subnet(self, subnet_id: str) -> AwsSubnet | None:
        return next((subnet for subnet in self.subnets if subnet.id == subnet_id), None)

    def named(self, name: str) -> tuple[AwsSubnet, ...]:
        """The cloud controller looks for names in the cluster's VPC only."""
        return tuple(subnet for subnet in self.subnets if subnet.name == name and subnet.vpc == self.vpc)

    def eip(self, allocation: str) -> Eip | None:
        return next((eip for eip in self.eips if eip.id == allocation), None)


@dataclass(frozen=True)
class AwsAnswer:
    """What AWS said when it was asked about a load balancer. Without facts and without a reason: no credentials."""

    facts: AwsFacts | None = None
    unanswered: tuple[Unanswered, ...] = ()
    whole: bool = False  # everything that a new load balancer depends on was asked for
    required: bool = False  # the task wants every check made, or nothing done
    skipped: bool = False  # the task said that AWS is not to be asked
    region: str = ""  # where it was asked
    about: tuple[str, ...] = ()  # the Service it was asked about, as `identity` names it

    @property
    def looked(self) -> bool:
        """AWS showed the load balancer, or that there is none."""
        return self.facts is not None and self.facts.told(LOAD_BALANCER)


SKIPPED = AwsAnswer(whole=True, skipped=True)


@dataclass(frozen=True)
class AwsSurvey:
    """Everything in the region that bears on a cluster's load balancers, described once for all of them."""

    infra_id: str
    balancers: tuple[AwsLoadBalancer, ...] = ()
    subnets: tuple[AwsSubnet, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()

    @property
    def owned(self) -> tuple[AwsLoadBalancer, ...]:
        """Those tagged as the cluster's own; nobody's where the cluster's name is not known."""
        tag = CLUSTER_TAG_PREFIX + self.infra_id
        return tuple(lb for lb in self.balancers if self.infra_id and lb.tags.get(tag) == "owned")

    @property
    def vpc(self) -> str:
        """Where the cluster's tagged subnets are; '' where there are none, or in several."""
        own = CLUSTER_TAG_PREFIX + self.infra_id
        tagged = {subnet.vpc for subnet in self.subnets if self.infra_id and own in subnet.tags}
        return tagged.pop() if len(tagged) == 1 else ""

    def about(self, service: Json) -> AwsFacts:
        """What a comparison of one Service needs of it."""
        lb = load_balancer_of(service, self.balancers)
        return AwsFacts(lb.vpc if lb else self.vpc, self.infra_id, self.subnets, lb=lb, unanswered=self.unanswered)


def hostnames_of(service: Json) -> tuple[str, ...]:
    """As the Service publishes them, in small letters: names have no case."""
    published = dig(service, "status", "loadBalancer", "ingress") or ()
    return tuple(str(entry["hostname"]).lower() for entry in published if entry.get("hostname"))


def identity(service: Json) -> tuple[str, ...]:
    """Of a Service with this very load balancer; what was said of another is not true of it."""
    return (str(dig(service, "metadata", "uid") or ""), *hostnames_of(service)) if service is not None else ()


def load_balancer_of(service: Json, balancers: Sequence[AwsLoadBalancer]) -> AwsLoadBalancer | None:
    """The one behind a Service: with the hostname it publishes, else with the name its uid gives.

    After a type change an old release of the cloud controller leaves one of either kind with the same name; the
    published hostname tells which is in force.
    """
    hostnames, name = hostnames_of(service), lb_name(service["metadata"]["uid"])
    published = [lb for lb in balancers if lb.hostname.lower() in hostnames]
    chosen = published or [lb for lb in balancers if lb.name == name]
    return chosen[0] if chosen else None


def discovered(facts: AwsFacts, scope: str) -> tuple[AwsSubnet, ...]:
    """The subnets the cloud controller takes when none are given: one per zone (facts: aws-ccm §3)."""
    internal = scope == INTERNAL
    own = CLUSTER_TAG_PREFIX + facts.infra_id
    role = _ROLE_TAGS[internal]
    chosen: dict[str, AwsSubnet] = {}
    for subnet in sorted(facts.subnets, key=lambda s: (s.zone, role not in s.tags, own not in s.tags, s.id)):
        foreign = own not in subnet.tags and any(key.startswith(CLUSTER_TAG_PREFIX) for key in subnet.tags)
        here = subnet.vpc == facts.vpc and subnet.zone_type == ORDINARY_ZONE
        if here and not foreign and (internal or subnet.public):
            chosen.setdefault(subnet.zone, subnet)
    return tuple(chosen.values())
