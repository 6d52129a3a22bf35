# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Platforms as data: which annotation makes a load balancer internal, and what changing it costs (SCO-2)."""

from __future__ import annotations

from dataclasses import dataclass

AWS, AZURE, GCP, IBM, POWERVS = "AWS", "Azure", "GCP", "IBMCloud", "PowerVS"
OPENSTACK, ALIBABA = "OpenStack", "AlibabaCloud"
INTERNAL, EXTERNAL = "Internal", "External"

AWS_INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"
AZURE_INTERNAL = "service.beta.kubernetes.io/azure-load-balancer-internal"
GCP_TYPE = "cloud.google.com/load-balancer-type"
IBM_IP_TYPE = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type"
OPENSTACK_INTERNAL = "service.beta.kubernetes.io/openstack-internal-load-balancer"
ALIBABA_ADDRESS_TYPE = "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type"


@dataclass(frozen=True)
class Platform:
    """What the ingress operator knows of one platform (facts: ingress-operator §3)."""

    name: str
    scope_key: str = ""
    internal_value: str = ""
    external_value: str = ""  # "" = the annotation is absent on an external load balancer
    scope_in_place: bool = False  # the annotation is applied to the live Service, no recreation
    has_load_balancers: bool = False  # default publishing strategy LoadBalancerService

    def scope_annotations(self, scope: str) -> dict[str, str]:
        value = self.internal_value if scope == INTERNAL else self.external_value
        return {self.scope_key: value} if value else {}


_KNOWN = (
    Platform(AWS, AWS_INTERNAL, "true", has_load_balancers=True),
    Platform(AZURE, AZURE_INTERNAL, "true", scope_in_place=True, has_load_balancers=True),
    Platform(GCP, GCP_TYPE, "Internal", scope_in_place=True, has_load_balancers=True),
    Platform(IBM, IBM_IP_TYPE, "private", "public", has_load_balancers=True),
    Platform(POWERVS, IBM_IP_TYPE, "private", "public", has_load_balancers=True),
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
