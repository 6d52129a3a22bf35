# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IngressControllers, Services and Events as the tests of the operator model are given them."""

from __future__ import annotations

from typing import Any

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
TYPE, SUBNETS, EIPS, INTERNAL = (PREFIX + part for part in ("type", "subnets", "eip-allocations", "internal"))
INTERVAL, TIMEOUT = PREFIX + "healthcheck-interval", PREFIX + "healthcheck-timeout"
UNHEALTHY, HEALTHY = PREFIX + "healthcheck-unhealthy-threshold", PREFIX + "healthcheck-healthy-threshold"
IDLE, PROXY, TAGS = (
    PREFIX + part for part in ("connection-idle-timeout", "proxy-protocol", "additional-resource-tags")
)
TARGET_GROUP = PREFIX + "target-group-attributes"
SPEAKS_PROXY = "preserve_client_ip.enabled=false,proxy_protocol_v2.enabled=true"
SPEAKS_TCP = "preserve_client_ip.enabled=true,proxy_protocol_v2.enabled=false"
FALLBACK = "traffic-policy.network.alpha.openshift.io/local-with-fallback"
SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
AZURE_INTERNAL = "service.beta.kubernetes.io/azure-load-balancer-internal"
GCP_TYPE = "cloud.google.com/load-balancer-type"
GCP_GLOBAL = "networking.gke.io/internal-load-balancer-allow-global-access"
IBM_IP_TYPE = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type"
IBM_FEATURES = "service.kubernetes.io/ibm-load-balancer-cloud-provider-enable-features"
OPENSTACK_INTERNAL = "service.beta.kubernetes.io/openstack-internal-load-balancer"
AUTO_DELETE = "ingress.operator.openshift.io/auto-delete-load-balancer"
OWNER = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"

PARAMS = {"Classic": "classicLoadBalancer", "NLB": "networkLoadBalancer"}
A, B, C = (f"subnet-0{letter * 16}" for letter in "abc")
EIP1, EIP2 = (f"eipalloc-0{digit * 16}" for digit in "12")


def lb(scope: str = "External", **more: Any) -> dict[str, Any]:
    """A publishing strategy of type LoadBalancerService."""
    return {
        "type": "LoadBalancerService",
        "loadBalancer": {"scope": scope, "dnsManagementPolicy": "Managed", **more},
    }


def aws(kind: str, scope: str = "External", **params: Any) -> dict[str, Any]:
    """A publishing strategy with parameters of one AWS type."""
    return lb(scope, providerParameters={"type": "AWS", "aws": {"type": kind, PARAMS[kind]: params}})


def provider(name: str, scope: str = "External", **params: Any) -> dict[str, Any]:
    """A publishing strategy with the parameters of GCP, IBM or OpenStack."""
    return lb(scope, providerParameters={"type": name, name.lower(): params})


def ic(spec: Any = None, status: Any = None, *, name: str = "default", **metadata: Any) -> dict[str, Any]:
    """An admitted IngressController. Status is as spec unless given."""
    return {
        "metadata": {"name": name, "namespace": "openshift-ingress-operator", "generation": 2, **metadata},
        "spec": {} if spec is None else {"endpointPublishingStrategy": spec},
        "status": {
            "endpointPublishingStrategy": spec if status is None else status,
            "observedGeneration": 2,
            "conditions": [{"type": "Admitted", "status": "True", "reason": "Valid", "message": ""}],
        },
    }


def service(annotations: dict[str, str] | None = None, *, owner: str = "default", **spec: Any) -> dict[str, Any]:
    """The Service of an IngressController, with an address."""
    return {
        "metadata": {
            "name": f"router-{owner}",
            "namespace": "openshift-ingress",
            "uid": "uid-1",
            "labels": {OWNER: owner},
            "annotations": annotations or {},
        },
        "spec": {"type": "LoadBalancer", **spec},
        "status": {"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}]}},
    }
