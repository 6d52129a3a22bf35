# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Estates as data: which clusters, which ingress load balancers, what somebody did to them afterwards.

A test makes its own `ClusterSpec`; `demo` is what `python -m tests.lab up` brings up.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_SUBNETS,
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
)

from .cloud.seed import AwsNetwork

INGRESSCONTROLLERS = "ingresscontrollers.operator.openshift.io"


@dataclass(frozen=True)
class IngressSpec:
    """One IngressController. `subnets` names a row of the network (`public`, `spare_private`, …), `eips` a number."""

    name: str = "default"
    scope: str = "External"
    type: str = ""  # AWS: Classic or NLB; empty: no provider parameters
    subnets: str = ""
    eips: int = 0
    annotations: Mapping[str, str] = field(default_factory=dict)

    def strategy(self, platform: str, network: AwsNetwork | None) -> dict[str, Any]:
        balancer: dict[str, Any] = {"scope": self.scope, "dnsManagementPolicy": "Managed"}
        if platform == "AWS" and self.type:
            balancer["providerParameters"] = {"type": "AWS", "aws": self._aws(network)}
        return {"type": "LoadBalancerService", "loadBalancer": balancer}

    def _aws(self, network: AwsNetwork | None) -> dict[str, Any]:
        parameters: dict[str, Any] = {}
        if self.subnets and network:
            parameters["subnets"] = {"ids": list(getattr(network, self.subnets).values())}
        if self.eips and network:
            parameters["eipAllocations"] = list(network.eips[: self.eips])
        key = "networkLoadBalancer" if self.type == "NLB" else "classicLoadBalancer"
        return {"type": self.type, key: parameters} if parameters else {"type": self.type}


@dataclass(frozen=True)
class Edit:
    """A merge patch somebody made once the cluster was at rest."""

    resource: str
    namespace: str
    name: str
    patch: Mapping[str, Any]


Edits = Callable[[AwsNetwork | None], list[Edit]]


@dataclass(frozen=True)
class ClusterSpec:
    """One cluster as installed, and the edits made to it since."""

    name: str
    platform: str = "AWS"
    version: str = "4.22"
    region: str = "us-east-1"
    ingress: tuple[IngressSpec, ...] = (IngressSpec(),)
    nodes: int = 3
    operator: bool = True  # False: a bare cluster without the ingress operator's twin
    moto: bool = True  # False, on AWS: load balancers by rule in a network nobody knows, for tests that ask no AWS
    edits: Edits | None = None
    resource_tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def infra_id(self) -> str:
        """As an installer makes it, the name and five characters, but the same every time."""
        return f"{self.name}-{zlib.crc32(self.name.encode()):08x}"[: len(self.name) + 6]

    @property
    def base_domain(self) -> str:
        return f"{self.name}.lab.example.com"

    @property
    def release(self) -> str:
        """A full version where only the minor one was given."""
        return self.version if self.version.count(".") >= 2 else f"{self.version}.3"

    @property
    def kubernetes(self) -> str:
        """OpenShift 4.N carries Kubernetes 1.(N+13); 5.N goes on after 4.23."""
        major, minor = (int(part) for part in self.version.split(".")[:2])
        return f"v1.{minor + 13 if major == 4 else minor + 37}.4"


def _went_private(network: AwsNetwork | None) -> list[Edit]:
    """Somebody set the scope months ago and nobody deleted the Service: it will happen at the next recreation."""
    patch = {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"scope": "Internal"}}}}
    return [Edit(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, "default", patch)]


def _annotated_by_hand(network: AwsNetwork | None) -> list[Edit]:
    """From the years before the subnets field: the annotation, straight on the Service."""
    if network is None:
        return []
    subnets = ",".join(list(network.public.values())[:2])
    patch = {"metadata": {"annotations": {AWS_SUBNETS: subnets}}}
    return [Edit("services", OPERAND_NAMESPACE, "router-default", patch)]


_CLASSIC, _NLB = IngressSpec(type="Classic"), IngressSpec(type="NLB")

DEMO: tuple[ClusterSpec, ...] = (
    ClusterSpec("aws-416-classic", version="4.16", ingress=(IngressSpec(),)),
    ClusterSpec("aws-419-nlb", version="4.19", ingress=(_NLB,)),
    ClusterSpec(
        "aws-421-classic",
        version="4.21",
        ingress=(_CLASSIC, IngressSpec("partners", scope="Internal", type="NLB", subnets="private")),
    ),
    ClusterSpec("aws-421-nlb", version="4.21", ingress=(_NLB,)),
    ClusterSpec("aws-422-classic", ingress=(_CLASSIC,)),
    ClusterSpec("aws-422-nlb", ingress=(_NLB, IngressSpec("fixed-ips", type="NLB", subnets="spare_public", eips=3))),
    ClusterSpec("aws-423-nlb", version="4.23", ingress=(_NLB, IngressSpec("internal", "Internal", "Classic"))),
    ClusterSpec("azure-421", platform="Azure", version="4.21"),
    ClusterSpec("gcp-422", platform="GCP"),
    ClusterSpec("ibm-422", platform="IBMCloud"),
    ClusterSpec("aws-latent", ingress=(_CLASSIC,), edits=_went_private),
    ClusterSpec("aws-unmanaged", version="4.21", ingress=(_CLASSIC,), edits=_annotated_by_hand),
)

ESTATES: dict[str, tuple[ClusterSpec, ...]] = {
    "demo": DEMO,
    "aws": (ClusterSpec("aws-one", ingress=(_NLB,)),),
    "gcp": (ClusterSpec("gcp-one", platform="GCP"),),  # without AWS there is no moto: up in a second
}
