# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clouds without a server behind them: addresses by rule (Azure, GCP, IBM Cloud, OpenStack; AWS without moto).

Where scope is changed in place the frontend is another one and so is its address; elsewhere a load balancer keeps what
it was created with until the Service is recreated (facts: ingress-operator §3).
"""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import platforms
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws import cloud_controller as ccm

from . import rules
from .rules import Service

# Networks that stand for nobody: 198.18.0.0/15 is set aside for tests.
_PUBLIC = ipaddress.IPv4Address("198.18.0.0")
_PRIVATE = ipaddress.IPv4Address("10.128.0.0")
_serial = itertools.count(1)


@dataclass(frozen=True)
class _Frontend:
    internal: bool
    address: dict[str, str]

    def fits(self, internal: bool, wished: str | None) -> bool:
        """Another scope or another reserved address is another frontend."""
        return self.internal == internal and wished in (None, "", self.address.get("ip"))


def _gcp(annotations: rules.Annotations) -> bool:
    """The newer annotation counts wherever it stands, whatever it says; two spellings are internal."""
    newer, older = "networking.gke.io/load-balancer-type", "cloud.google.com/load-balancer-type"
    return annotations.get(newer if newer in annotations else older) in ("Internal", "internal")


def _ibm(annotations: rules.Annotations) -> bool:
    return annotations.get("service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type", "") not in ("", "public")


# As each cloud's own controller reads it, not as the ingress operator does.
_READINGS: dict[str, Callable[[rules.Annotations], bool]] = {
    "AWS": lambda notes: notes.get("service.beta.kubernetes.io/aws-load-balancer-internal", "") not in ("", "false"),
    "Azure": lambda notes: notes.get("service.beta.kubernetes.io/azure-load-balancer-internal", "").lower() == "true",
    "GCP": _gcp,
    "IBMCloud": _ibm,
    "PowerVS": _ibm,
    "OpenStack": lambda notes: notes.get("service.beta.kubernetes.io/openstack-internal-load-balancer") == "true",
    "AlibabaCloud": lambda notes: (
        notes.get("service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type") == "intranet"
    ),
}


class RuleCloud:
    """One cluster's cloud of the given platform."""

    def __init__(self, platform: str, region: str = "us-east-1") -> None:
        self._platform = platforms.platform(platform)
        self._region = region
        self._frontends: dict[str, _Frontend] = {}

    def exists(self, service: Service) -> bool:
        return service["metadata"]["uid"] in self._frontends

    def ensure(self, service: Service, nodes: list[str]) -> list[dict[str, str]]:
        uid = service["metadata"]["uid"]
        internal = self._wants_internal(service)
        frontend = self._frontends.get(uid)
        wished = service["spec"].get("loadBalancerIP")
        if frontend is None or (self._platform.scope_in_place and not frontend.fits(internal, wished)):
            frontend = _Frontend(internal, self._address(service, internal))
            self._frontends[uid] = frontend
        return [dict(frontend.address)]

    def update(self, service: Service, nodes: list[str]) -> None:
        """There is nothing behind these addresses."""

    def delete(self, service: Service) -> None:
        self._frontends.pop(service["metadata"]["uid"], None)

    def _wants_internal(self, service: Service) -> bool:
        return _READINGS.get(self._platform.name, lambda _annotations: False)(rules.annotations_of(service))

    def _address(self, service: Service, internal: bool) -> dict[str, str]:
        serial = next(_serial)
        if self._platform.name == platforms.AWS:
            name = ccm.lb_name(service["metadata"]["uid"])
            return {"hostname": f"{name}-{serial}.{self._region}.elb.amazonaws.com"}
        wished = service["spec"].get("loadBalancerIP")
        return {"ip": wished or str((_PRIVATE if internal else _PUBLIC) + serial)}
