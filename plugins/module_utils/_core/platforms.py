# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Platforms as data: which annotation makes a load balancer internal, and what changing it costs (SCO-2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

AWS, AZURE, GCP, IBM, POWERVS = "AWS", "Azure", "GCP", "IBMCloud", "PowerVS"
OPENSTACK, ALIBABA = "OpenStack", "AlibabaCloud"
INTERNAL, EXTERNAL = "Internal", "External"

AWS_INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"
AZURE_INTERNAL = "service.beta.kubernetes.io/azure-load-balancer-internal"
GCP_TYPE = "cloud.google.com/load-balancer-type"
GCP_NEWER_TYPE = "networking.gke.io/load-balancer-type"
IBM_IP_TYPE = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type"
OPENSTACK_INTERNAL = "service.beta.kubernetes.io/openstack-internal-load-balancer"
ALIBABA_ADDRESS_TYPE = "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type"


@dataclass(frozen=True)
class Platform:
    """What the ingress operator knows of one platform (facts: ingress-operator §3), and how the cloud reads it."""

    name: str
    scope_key: str = ""
    internal_value: str = ""
    external_value: str = ""  # "" = the annotation is absent on an external load balancer
    scope_in_place: bool = False  # the annotation is applied to the live Service, no recreation
    has_load_balancers: bool = False  # default publishing strategy LoadBalancerService
    # The operator wants exactly `internal_value`. What the cloud's own controller takes for internal besides:
    newer_key: str = ""  # where this one stands, the older one is not read
    other_internal: tuple[str, ...] = ()
    any_case: bool = False
    only_external: tuple[str, ...] = ()  # where given: everything but these is internal

    def scope_annotations(self, scope: str) -> dict[str, str]:
        value = self.internal_value if scope == INTERNAL else self.external_value
        return {self.scope_key: value} if value else {}

    def cleared(self) -> dict[str, None]:
        """Every annotation that says something of the scope, taken away."""
        return dict.fromkeys(key for key in (self.newer_key, self.scope_key) if key)

    def internal_for_cloud(self, annotations: Mapping[str, str]) -> bool:
        if not self.scope_key:
            return False
        key = self.newer_key if self.newer_key in annotations else self.scope_key
        value = annotations.get(key, "")
        if self.only_external:
            return value not in self.only_external
        return (value.lower() if self.any_case else value) in (self.internal_value, *self.other_internal)


_KNOWN = (
    Platform(AWS, AWS_INTERNAL, "true", has_load_balancers=True, only_external=("", "false")),
    Platform(AZURE, AZURE_INTERNAL, "true", scope_in_place=True, has_load_balancers=True, any_case=True),
    Platform(
        GCP,
        GCP_TYPE,
        "Internal",
        scope_in_place=True,
        has_load_balancers=True,
        newer_key=GCP_NEWER_TYPE,
        other_internal=("internal",),
    ),
    *(
        Platform(name, IBM_IP_TYPE, "private", "public", has_load_balancers=True, only_external=("", "public"))
        for name in (IBM, POWERVS)
    ),
    Platform(OPENSTACK, OPENSTACK_INTERNAL, "true"),
    Platform(ALIBABA, ALIBABA_ADDRESS_TYPE, "intranet", "internet", has_load_balancers=True),
    *(Platform(name) for name in ("BareMetal", "Libvirt", "None", "External", "VSphere", "Nutanix")),
)
PLATFORMS = {platform.name: platform for platform in _KNOWN}


def platform(name: str) -> Platform:
    """An unknown platform has no scope annotation, as the operator treats it."""
    return PLATFORMS.get(name, Platform(name))


def any_internal(annotations: dict[str, str]) -> bool:
    """The operator's test of a Service: any platform's internal key and value counts, not just this one's."""
    pairs = {(known.scope_key, known.internal_value) for known in _KNOWN if known.scope_key}
    return any(pair in pairs for pair in annotations.items())
