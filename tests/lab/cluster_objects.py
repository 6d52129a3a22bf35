# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects an installed OpenShift cluster has before its operators do anything (facts: lab-kubernetes §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
)

from .cloud.seed import AwsNetwork
from .estate import INGRESSCONTROLLERS, ClusterSpec

Named = tuple[str, dict[str, Any]]

NAMESPACES = (
    OPERATOR_NAMESPACE,
    OPERAND_NAMESPACE,
    "openshift-config",
    "openshift-config-managed",
    "openshift-ingress-canary",
    "openshift-operators",
)
CONFIG = "config.openshift.io"
READER = "lab-reader"


def installed(spec: ClusterSpec, network: AwsNetwork | None, api_url: str) -> Iterator[Named]:
    """Everything but the IngressControllers, as (resource, object with status)."""
    for namespace in NAMESPACES:
        yield "namespaces", {"metadata": {"name": namespace}}
    yield f"infrastructures.{CONFIG}", _infrastructure(spec, api_url)
    yield f"clusterversions.{CONFIG}", _cluster_version(spec)
    yield f"ingresses.{CONFIG}", _named("cluster", spec={"domain": f"apps.{spec.base_domain}"})
    yield f"dnses.{CONFIG}", _dns(spec, network)
    yield f"networks.{CONFIG}", _network()
    yield "deployments.apps", _operator()
    for number in range(spec.nodes):
        yield "nodes", _node(spec, number)
    yield from _reader()


def _operator() -> dict[str, Any]:
    """The operator's own Deployment; the twin is its process."""
    label = {"name": "ingress-operator"}
    pod = {"metadata": {"labels": label}, "spec": {"containers": [{"name": "ingress-operator", "image": "operator"}]}}
    return {
        "metadata": {"name": "ingress-operator", "namespace": OPERATOR_NAMESPACE},
        "spec": {"replicas": 1, "selector": {"matchLabels": label}, "template": pod},
        "status": {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1},
    }


def ingresscontrollers(spec: ClusterSpec, network: AwsNetwork | None) -> Iterator[Named]:
    for ingress in spec.ingress:
        domain = f"apps.{spec.base_domain}" if ingress.name == "default" else f"{ingress.name}.{spec.base_domain}"
        yield (
            INGRESSCONTROLLERS,
            {
                "metadata": {
                    "name": ingress.name,
                    "namespace": OPERATOR_NAMESPACE,
                    "annotations": dict(ingress.annotations),
                },
                "spec": {
                    "domain": domain,
                    "replicas": 2,
                    "endpointPublishingStrategy": ingress.strategy(spec.platform, network),
                },
            },
        )


def _named(name: str, **parts: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, **parts}


def _infrastructure(spec: ClusterSpec, api_url: str) -> dict[str, Any]:
    detail: dict[str, Any] = {}
    if spec.platform == "AWS":
        detail = {"aws": {"region": spec.region}}
        if spec.resource_tags:
            detail["aws"]["resourceTags"] = [{"key": key, "value": text} for key, text in spec.resource_tags.items()]
    elif spec.platform in ("IBMCloud", "GCP"):
        key = {"IBMCloud": "ibmcloud", "GCP": "gcp"}[spec.platform]
        detail = {key: {"region": spec.region} if key == "gcp" else {"location": spec.region}}
    return _named(
        "cluster",
        spec={"platformSpec": {"type": spec.platform}},
        status={
            "infrastructureName": spec.infra_id,
            "controlPlaneTopology": "HighlyAvailable",
            "infrastructureTopology": "HighlyAvailable",
            "apiServerURL": api_url,
            "apiServerInternalURI": f"https://api-int.{spec.base_domain}:6443",
            "platform": spec.platform,
            "platformStatus": {"type": spec.platform, **detail},
        },
    )


def _cluster_version(spec: ClusterSpec) -> dict[str, Any]:
    done = {"state": "Completed", "version": spec.release, "verified": False, "image": "", "startedTime": _LONG_AGO}
    return _named(
        "version",
        spec={"clusterID": "00000000-0000-4000-8000-000000000000", "channel": f"stable-{spec.version}"},
        status={
            "desired": {"version": spec.release, "image": ""},
            "history": [{**done, "completionTime": _LONG_AGO}],
            "observedGeneration": 1,
            "availableUpdates": [],
        },
    )


_LONG_AGO = "2026-01-01T00:00:00Z"


def _dns(spec: ClusterSpec, network: AwsNetwork | None) -> dict[str, Any]:
    zones: dict[str, Any] = {"baseDomain": spec.base_domain}
    if network:
        zones["publicZone"] = {"id": network.public_zone}
        zones["privateZone"] = {"id": network.private_zone}
    return _named("cluster", spec=zones)


def _network() -> dict[str, Any]:
    fields = {
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["172.30.0.0/16"],
        "networkType": "OVNKubernetes",
    }
    return _named("cluster", spec=fields, status=fields)


def _node(spec: ClusterSpec, number: int) -> dict[str, Any]:
    zone = f"{spec.region}{'abc'[number % 3]}"
    address = f"10.0.{16 + number % 3}.{10 + number}"
    return {
        "metadata": {
            "name": f"worker-{number}",
            "labels": {"node-role.kubernetes.io/worker": "", "topology.kubernetes.io/zone": zone},
        },
        "spec": {"providerID": f"{spec.platform.lower()}:///{zone}/i-{number + 1:017x}"},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            "addresses": [{"type": "InternalIP", "address": address}],
        },
    }


def _reader() -> Iterator[Named]:
    """A user who may look at everything and change nothing."""
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]
    rbac = "rbac.authorization.k8s.io"
    yield f"clusterroles.{rbac}", _named(READER, rules=rules)
    yield (
        f"clusterrolebindings.{rbac}",
        _named(
            READER,
            roleRef={"apiGroup": rbac, "kind": "ClusterRole", "name": READER},
            subjects=[{"apiGroup": rbac, "kind": "User", "name": READER}],
        ),
    )
