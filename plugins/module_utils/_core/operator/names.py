# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names the operator uses: objects, labels, annotations (facts: ingress-operator §1, §4)."""

from __future__ import annotations

from dataclasses import dataclass

from ..platforms import AZURE_INTERNAL, GCP_TYPE, platform
from ..profiles import Profile

OPERATOR_NAMESPACE = "openshift-ingress-operator"
OPERAND_NAMESPACE = "openshift-ingress"
OWNER_LABEL = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"
POD_LABEL = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"
FINALIZER = "ingresscontroller.operator.openshift.io/finalizer-ingresscontroller"
AUTO_DELETE = "ingress.operator.openshift.io/auto-delete-load-balancer"

CLASSIC, NLB = "Classic", "NLB"
LB_STRATEGY = "LoadBalancerService"
PARAMS = {CLASSIC: "classicLoadBalancer", NLB: "networkLoadBalancer"}

_AWS = "service.beta.kubernetes.io/aws-load-balancer-"
AWS_TYPE = _AWS + "type"
AWS_SUBNETS = _AWS + "subnets"
AWS_EIPS = _AWS + "eip-allocations"
AWS_INTERVAL = _AWS + "healthcheck-interval"
AWS_TIMEOUT = _AWS + "healthcheck-timeout"
AWS_UNHEALTHY = _AWS + "healthcheck-unhealthy-threshold"
AWS_HEALTHY = _AWS + "healthcheck-healthy-threshold"
AWS_IDLE_TIMEOUT = _AWS + "connection-idle-timeout"
AWS_PROXY = _AWS + "proxy-protocol"
AWS_TAGS = _AWS + "additional-resource-tags"
AWS_TARGET_GROUP = _AWS + "target-group-attributes"
GCP_GLOBAL_ACCESS = "networking.gke.io/internal-load-balancer-allow-global-access"
IBM_FEATURES = "service.kubernetes.io/ibm-load-balancer-cloud-provider-enable-features"
LOCAL_WITH_FALLBACK = "traffic-policy.network.alpha.openshift.io/local-with-fallback"
SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
AWS_NLB_VALUE = "nlb"


@dataclass(frozen=True)
class Infra:
    """What the operator reads of the cluster besides the IngressController: Infrastructure, DNS and Ingress config."""

    platform: str
    name: str = ""  # infrastructureName: the tag of everything the cluster owns in its cloud
    region: str = ""
    resource_tags: tuple[tuple[str, str], ...] = ()
    ip_family: str = ""
    base_domain: str = ""
    cluster_hosted_dns: bool = False
    ingress_domain: str = ""
    ingress_lb_type: str = ""  # ingress.config.openshift.io/cluster: the type new IngressControllers get on AWS


def record_name(ingress_controller: str) -> str:
    """Of the wildcard DNSRecord, beside the IngressController."""
    return f"{ingress_controller}-wildcard"


def service_name(ic_name: str) -> str:
    return f"router-{ic_name}"


def managed(profile: Profile) -> frozenset[str]:
    """Applied to the live Service at once, and removed at once when no longer wanted."""
    keys = {AWS_INTERVAL, GCP_GLOBAL_ACCESS, LOCAL_WITH_FALLBACK, AZURE_INTERNAL, GCP_TYPE}
    if profile.idle_timeout:
        keys.add(AWS_IDLE_TIMEOUT)
    if profile.proxy_in_place:
        keys.add(AWS_PROXY)
    if profile.type_in_place:
        keys.add(AWS_TYPE)
    if profile.ibm_protocol:
        keys.add(IBM_FEATURES)
    if profile.tags_in_place:
        keys.add(AWS_TAGS)
    return frozenset(keys)


def creation_only(profile: Profile, platform_name: str) -> frozenset[str]:
    """Take effect only when the Service is recreated; what auto-delete looks at."""
    known = platform(platform_name)
    keys = set() if known.scope_in_place or not known.scope_key else {known.scope_key}
    if platform_name == "AWS":
        if profile.subnets:
            keys |= {AWS_SUBNETS, AWS_EIPS}
        if profile.type_recreates:
            keys.add(AWS_TYPE)
    return frozenset(keys)
