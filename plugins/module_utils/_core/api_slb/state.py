# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wanted of the API's load balancers, and what was found of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..aws.facts import AwsAnswer, Eip
from ..aws.question import AwsQuestion
from ..data import Json, fixed
from ..holder import Holder
from ..model import Question, Target
from ..operator.names import Infra
from ..service.state import ObservedService
from .config import ApiConfig
from .names import SLBS, Slb, target

FIXED, UNCHECKED, DYNAMIC = "fixed", "unchecked", "dynamic"
PRESENT, ABSENT, RENDERED = "present", "absent", "rendered"


@dataclass(frozen=True)
class Handover:
    """The stage whose DNS records are wanted, and what they need besides the load balancers."""

    stage: int
    bootstrap: tuple[str, ...] = ()
    domain: str = ""
    ttl: int = 60
    public_zone: str = ""  # hosted zones in Route 53 that the records are published to; '': by somebody else
    private_zone: str = ""


@dataclass(frozen=True)
class WantedApi:
    """`public` None: as install-config says. What the task does not say of a Service is left as it is."""

    state: str = PRESENT
    public: bool | None = None
    machine_config_server: bool = True
    opt_out: bool = False
    addresses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # public, private, machine_config_server
    subnets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the same; AWS
    annotations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by role
    selectors: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by role
    aws_internal: str = FIXED
    other_paths: tuple[str, ...] = ()
    vouched_paths: tuple[str, ...] = ()
    handover: Handover | None = None

    def __post_init__(self) -> None:
        for name in ("addresses", "subnets", "annotations", "selectors"):
            object.__setattr__(self, name, fixed(getattr(self, name)))

    @classmethod
    def by(cls, options: Mapping[str, Any]) -> WantedApi:
        given = options.get("handover")
        handover = given and Handover(
            given["stage"],
            tuple(given.get("bootstrap_addresses") or ()),
            given.get("domain") or "",
            given["ttl"],
            given.get("public_zone") or "",
            given.get("private_zone") or "",
        )
        return cls(
            options["state"],
            options.get("public"),
            options["machine_config_server"],
            options["opt_out"],
            _said(options.get("addresses")),
            _said(options.get("subnets")),
            _said(options.get("annotations")),
            _said(options.get("selectors")),
            options["aws_internal_addresses"],
            tuple(options["other_paths"]),
            tuple(options["vouched_paths"]),
            handover or None,
        )

    def subnets_of(self, slb: Slb) -> tuple[str, ...]:
        """Both internal ones are in the same subnets, unless told otherwise."""
        found = self.subnets.get(slb.addresses)
        return found or (self.subnets.get("private") or () if slb.internal else ())


def _said(given: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (given or {}).items() if value}


@dataclass(frozen=True)
class Reserved:
    """Elastic IPs found by name or by id. `why_not`: AWS could not be asked."""

    eips: tuple[Eip, ...] = ()
    by_name: tuple[str, ...] = ()  # ids of those that carry the reserved name
    why_not: str = ""


@dataclass(frozen=True)
class PathSeen:
    """What came of connecting to host:port. `state`: connected, refused, silent or unresolved."""

    state: str
    detail: str = ""
    peers: tuple[str, ...] = ()  # all addresses that the host has


@dataclass(frozen=True)
class ObservedApi:
    """Services by role. What is None was not asked yet."""

    infra: Infra
    config: ApiConfig
    services: Mapping[str, ObservedService]
    endpoints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by role: ready addresses
    version: str = ""  # OpenShift's; '' where the cluster tells none
    cluster: str = ""
    holder: Holder | None = None
    host: str = ""  # host:port of the connection that this was read over
    reserved: Reserved | None = None
    aws: Mapping[str, AwsAnswer] | None = None
    aws_skipped: bool = False
    paths: Mapping[str, PathSeen] | None = None
    zones: Mapping[str, tuple[Json, ...]] | None = None  # by hosted zone: its records of our names

    @property
    def platform(self) -> str:
        return self.infra.platform

    @property
    def target(self) -> Target:
        return target(self.cluster)

    def service(self, slb: Slb) -> Json:
        return self.services[slb.role].service

    def answered(self, **more: Any) -> ObservedApi:
        return replace(self, **more)


@dataclass(frozen=True)
class ReservedQuestion(Question):
    """Which Elastic IPs carry this name, and what addresses have these?"""

    infra: Infra
    name: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class BalancersQuestion(Question):
    """What does AWS say of each load balancer, by role?"""

    about: tuple[tuple[str, AwsQuestion], ...]


@dataclass(frozen=True)
class PathQuestion(Question):
    """Does anything answer at these, host:port each?"""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class ZoneQuestion(Question):
    """What do these hosted zones have under these names?"""

    zones: tuple[tuple[str, tuple[str, ...]], ...]


def observed_service(slb: Slb, infra: Infra, **more: Any) -> ObservedService:
    return ObservedService(infra, slb.namespace, slb.name, **more)


def nothing_observed(infra: Infra) -> dict[str, ObservedService]:
    return {slb.role: observed_service(slb, infra) for slb in SLBS}
