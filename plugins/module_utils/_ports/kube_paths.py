# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where resources live in the API, as data: no discovery, so a no-op run costs only its own reads.

A resource is named by its plural and group, `ingresscontrollers.operator.openshift.io`; one that is not in the table,
or in another version, as kubectl takes it: `openstackclusters.v1beta2.infrastructure.cluster.x-k8s.io`. `/status` at
the end names the subresource.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

_CONFIG = "config.openshift.io"
# Group → version → plurals.
_KNOWN: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "v1"): ("services", "configmaps", "events", "endpoints", "nodes", "namespaces", "secrets", "pods"),
    ("apps", "v1"): ("deployments",),
    ("discovery.k8s.io", "v1"): ("endpointslices",),
    ("coordination.k8s.io", "v1"): ("leases",),
    ("apiextensions.k8s.io", "v1"): ("customresourcedefinitions",),
    ("operator.openshift.io", "v1"): ("ingresscontrollers",),
    ("ingress.operator.openshift.io", "v1"): ("dnsrecords",),
    (_CONFIG, "v1"): ("infrastructures", "clusterversions", "ingresses", "dnses", "networks", "clusteroperators"),
}
_VERSIONED = re.compile(
    r"^(?P<plural>[a-z0-9-]+)\.(?P<version>v\d+(?:(?:alpha|beta)\d+)?)(?:\.(?P<group>[a-z0-9.-]+))?$"
)


@dataclass(frozen=True)
class Resource:
    """One kind of object as the API serves it."""

    group: str
    version: str
    plural: str
    subresource: str = ""

    @property
    def key(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def rbac(self) -> str:
        return f"{self.plural}/{self.subresource}" if self.subresource else self.plural

    def path(self, namespace: str = "", name: str = "") -> str:
        """Without a namespace: a cluster-scoped object, or a list over all namespaces."""
        parts = ["apis", self.group, self.version] if self.group else ["api", self.version]
        if namespace:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name:
            parts.append(name)
        if self.subresource:
            parts.append(self.subresource)
        return "/" + "/".join(quote(part, safe="") for part in parts)


_TABLE = {
    found.key: found
    for (group, version), plurals in _KNOWN.items()
    for found in (Resource(group, version, plural) for plural in plurals)
}


def resource(name: str) -> Resource:
    """ValueError where the name says no version and the table has none."""
    kind, _slash, subresource = name.partition("/")
    if kind in _TABLE:
        known = _TABLE[kind]
        return Resource(known.group, known.version, known.plural, subresource)
    match = _VERSIONED.match(kind)
    if not match:
        raise ValueError(f"{name!r} is no known resource; name it in full, plural.version.group")
    return Resource(match["group"] or "", match["version"], match["plural"], subresource)
