# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The served resources as data. A lab may register more per cluster, or leave some out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Resource:
    """One served resource; `versions` lists the preferred (and in-process) version first."""

    group: str
    versions: tuple[str, ...]
    plural: str
    kind: str
    namespaced: bool = True
    status: bool = False
    scale: bool = False
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    custom: bool = False
    generation: bool = False
    create_on_update: bool = False
    unconditional_update: bool = True
    returns_deleted: bool = False
    keeps_status_on_create: bool = False
    free_name: bool = False
    selectable: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def qualified_kind(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def singular(self) -> str:
        return self.kind.lower()

    def api_version(self, version: str | None = None) -> str:
        version = version or self.versions[0]
        return f"{self.group}/{version}" if self.group else version


def custom(
    group: str,
    versions: str | tuple[str, ...],
    plural: str,
    kind: str,
    *,
    namespaced: bool = True,
    status: bool = True,
    scale: bool = False,
    short_names: tuple[str, ...] = (),
) -> Resource:
    """A CRD-backed resource: generation counts spec changes, a PUT must name the resourceVersion."""
    listed = (versions,) if isinstance(versions, str) else versions
    return Resource(
        group,
        listed,
        plural,
        kind,
        namespaced=namespaced,
        status=status,
        scale=scale,
        short_names=short_names,
        custom=True,
        generation=True,
        unconditional_update=False,
    )


_EVENT_FIELDS = (
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
)
_RBAC = "rbac.authorization.k8s.io"
_CONFIG = "config.openshift.io"

BUILTIN: tuple[Resource, ...] = (
    Resource(
        "",
        ("v1",),
        "namespaces",
        "Namespace",
        namespaced=False,
        status=True,
        short_names=("ns",),
        selectable=("status.phase",),
    ),
    Resource(
        "",
        ("v1",),
        "nodes",
        "Node",
        namespaced=False,
        status=True,
        short_names=("no",),
        keeps_status_on_create=True,
        selectable=("spec.unschedulable",),
    ),
    Resource(
        "",
        ("v1",),
        "services",
        "Service",
        status=True,
        short_names=("svc",),
        categories=("all",),
        create_on_update=True,
        returns_deleted=True,
        selectable=("spec.clusterIP", "spec.type"),
    ),
    Resource("", ("v1",), "configmaps", "ConfigMap", short_names=("cm",)),
    Resource(
        "",
        ("v1",),
        "events",
        "Event",
        short_names=("ev",),
        create_on_update=True,
        free_name=True,
        selectable=_EVENT_FIELDS,
    ),
    Resource("", ("v1",), "endpoints", "Endpoints", short_names=("ep",), create_on_update=True),
    Resource("", ("v1",), "secrets", "Secret", selectable=("type",)),
    Resource(
        "",
        ("v1",),
        "pods",
        "Pod",
        status=True,
        short_names=("po",),
        categories=("all",),
        generation=True,
        returns_deleted=True,
        selectable=("spec.nodeName", "status.phase", "spec.serviceAccountName"),
    ),
    Resource("", ("v1",), "serviceaccounts", "ServiceAccount", short_names=("sa",), returns_deleted=True),
    Resource("discovery.k8s.io", ("v1",), "endpointslices", "EndpointSlice", generation=True),
    Resource(
        "apps",
        ("v1",),
        "deployments",
        "Deployment",
        status=True,
        scale=True,
        short_names=("deploy",),
        categories=("all",),
        generation=True,
    ),
    Resource("coordination.k8s.io", ("v1",), "leases", "Lease", create_on_update=True, unconditional_update=False),
    Resource(_RBAC, ("v1",), "roles", "Role", create_on_update=True, free_name=True),
    Resource(_RBAC, ("v1",), "rolebindings", "RoleBinding", create_on_update=True, free_name=True),
    Resource(_RBAC, ("v1",), "clusterroles", "ClusterRole", namespaced=False, create_on_update=True, free_name=True),
    Resource(
        _RBAC,
        ("v1",),
        "clusterrolebindings",
        "ClusterRoleBinding",
        namespaced=False,
        create_on_update=True,
        free_name=True,
    ),
    Resource(
        "apiextensions.k8s.io",
        ("v1",),
        "customresourcedefinitions",
        "CustomResourceDefinition",
        namespaced=False,
        status=True,
        short_names=("crd", "crds"),
        categories=("api-extensions",),
        generation=True,
        unconditional_update=False,
    ),
)

OPENSHIFT: tuple[Resource, ...] = (
    custom("operator.openshift.io", "v1", "ingresscontrollers", "IngressController", scale=True),
    custom("ingress.operator.openshift.io", "v1", "dnsrecords", "DNSRecord"),
    custom(_CONFIG, "v1", "infrastructures", "Infrastructure", namespaced=False),
    custom(_CONFIG, "v1", "clusterversions", "ClusterVersion", namespaced=False),
    custom(_CONFIG, "v1", "ingresses", "Ingress", namespaced=False),
    custom(_CONFIG, "v1", "networks", "Network", namespaced=False, status=False),
    custom(_CONFIG, "v1", "dnses", "DNS", namespaced=False),
    custom(_CONFIG, "v1", "clusteroperators", "ClusterOperator", namespaced=False, short_names=("co",)),
)

_CAPI = ("v1beta2", "v1beta1")

CLUSTER_API: tuple[Resource, ...] = (
    custom("cluster.x-k8s.io", _CAPI, "clusters", "Cluster", short_names=("cl",)),
    custom("cluster.x-k8s.io", _CAPI, "machines", "Machine", short_names=("ma",)),
    custom("infrastructure.cluster.x-k8s.io", _CAPI, "openstackclusters", "OpenStackCluster", short_names=("osc",)),
    custom("infrastructure.cluster.x-k8s.io", _CAPI, "openstackmachines", "OpenStackMachine", short_names=("osm",)),
)

KUBERNETES = BUILTIN
OPENSHIFT_CLUSTER = BUILTIN + OPENSHIFT
MANAGEMENT_CLUSTER = BUILTIN + CLUSTER_API


def with_versions(resources: Iterable[Resource], group: str, versions: tuple[str, ...]) -> tuple[Resource, ...]:
    """The same table with other versions served for one group, e.g. a CAPO that only has v1beta1."""
    return tuple(replace(item, versions=versions) if item.group == group else item for item in resources)
