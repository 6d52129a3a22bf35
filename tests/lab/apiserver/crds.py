# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CustomResourceDefinitions: every custom resource has one, and a CRD that a client writes is served at once.

The schema of the preferred version prunes, defaults and validates through the collection's own structural schema; what
that does not know (booleans, int-or-string, free-form maps, CEL) passes unchecked.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import schema

from .api import Cause, Obj, Write
from .errors import invalid_value, required
from .resources import Resource, custom
from .watch import Event

if TYPE_CHECKING:
    from .store import Cluster

CRDS = "customresourcedefinitions.apiextensions.k8s.io"
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_OPEN: Obj = {"type": "object", _PRESERVE: True}
_TYPED = ("apiVersion", "kind", "metadata")


def definition(resource: Resource) -> Obj:
    """The CRD of a resource the lab registered itself; its schema keeps everything."""
    subresources: Obj = {"status": {}} if resource.status else {}
    if resource.scale:
        subresources["scale"] = {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.availableReplicas",
        }
    names = {"plural": resource.plural, "singular": resource.singular, "kind": resource.kind}
    versions = [
        {
            "name": name,
            "served": True,
            "storage": name == resource.versions[0],
            "schema": {"openAPIV3Schema": _OPEN},
            "subresources": subresources,
        }
        for name in resource.versions
    ]
    return {
        "metadata": {"name": resource.key},
        "spec": {
            "group": resource.group,
            "names": {**names, "listKind": f"{resource.kind}List", "shortNames": list(resource.short_names)},
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "versions": versions,
        },
    }


def _priority(version: str) -> tuple[int, int, int]:
    """Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then anything else."""
    found = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if not found:
        return (0, 0, 0)
    return ({"alpha": 1, "beta": 2, None: 3}[found[2]], int(found[1]), int(found[3] or 0))


def _versions(crd: Obj) -> list[Obj]:
    served = [item for item in crd["spec"].get("versions", ()) if item.get("served")]
    return sorted(served, key=lambda item: _priority(item["name"]), reverse=True)


def resource_of(crd: Obj) -> Resource:
    spec, versions = crd["spec"], _versions(crd)
    subresources = versions[0].get("subresources") or {}
    return custom(
        spec["group"],
        tuple(item["name"] for item in versions),
        spec["names"]["plural"],
        spec["names"]["kind"],
        namespaced=spec.get("scope") != "Cluster",
        status="status" in subresources,
        scale="scale" in subresources,
        short_names=tuple(spec["names"].get("shortNames", ())),
    )


def node_of(described: Obj) -> schema.Node:
    """An openAPIV3Schema as the collection's structural schema."""
    kind, default = described.get("type"), described.get("default")
    if described.get(_PRESERVE) or described.get("additionalProperties") or described.get("x-kubernetes-int-or-string"):
        return schema.Node(default=default)
    if kind == "object" and "properties" in described:
        fields = {name: node_of(child) for name, child in described["properties"].items()}
        return schema.Obj(default=default, fields=fields, required=tuple(described.get("required", ())))
    if kind == "array":
        item = node_of(described.get("items", {}))
        most, nullable = described.get("maxItems", 0), bool(described.get("nullable"))
        return schema.Array(default=default, item=item, max_items=most, nullable=nullable)
    if kind == "string":
        return schema.Text(
            default=default,
            enum=tuple(described.get("enum", ())),
            min_length=described.get("minLength", 0),
            max_length=described.get("maxLength", 0),
            pattern=described.get("pattern", ""),
        )
    if kind == "integer":
        return schema.Number(default=default, minimum=described.get("minimum"), maximum=described.get("maximum"))
    return schema.Node(default=default)


class CrdStrategy:
    """A CRD is accepted and established at once."""

    def prepare(self, write: Write) -> list[Cause]:
        new = write.new
        names = new.get("spec", {}).get("names", {})
        versions = [item.get("name") for item in new.get("spec", {}).get("versions", ()) if item.get("storage")]
        conditions = [{"type": kind, "status": "True"} for kind in ("NamesAccepted", "Established")]
        new["status"] = {"acceptedNames": names, "conditions": conditions, "storedVersions": versions}
        return []


def validate_crd(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    spec = new.get("spec", {})
    causes: list[Cause] = []
    plural, group = spec.get("names", {}).get("plural", ""), spec.get("group", "")
    if new["metadata"].get("name") != f"{plural}.{group}":
        why = 'must be spec.names.plural+"."+spec.group'
        causes.append(invalid_value("metadata.name", new["metadata"].get("name", ""), why))
    if sum(bool(item.get("storage")) for item in spec.get("versions", ())) != 1:
        why = "must have exactly one version marked as storage version"
        causes.append(invalid_value("spec.versions", spec.get("versions", []), why))
    return causes


class Definitions:
    """Follows a cluster's CRDs: what they describe is served, pruned and validated as they say."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._nodes: dict[str, schema.Node] = {}
        cluster.subscribe(self._changed)

    def _changed(self, event: Event) -> None:
        if event.resource != CRDS:
            return
        resource = resource_of(event.obj)
        if event.type == "DELETED":
            self._nodes.pop(resource.key, None)
            self._cluster.unregister(resource.key)
            return
        described = _versions(event.obj)[0].get("schema", {}).get("openAPIV3Schema", _OPEN)
        if resource.key not in self._nodes:
            self._hook(resource.key)
        self._nodes[resource.key] = node_of(described)
        self._cluster.register(resource)

    def _hook(self, key: str) -> None:
        """Put in front of what the lab itself registered: a real server knows the schema before anything else."""
        self._cluster.defaulters.setdefault(key, []).insert(0, partial(self._prune, key))
        self._cluster.validators.setdefault(key, []).insert(0, partial(self._causes, key))

    def _prune(self, key: str, old: Obj | None, new: Obj, subresource: str | None) -> None:
        root = self._nodes.get(key)
        if not isinstance(root, schema.Obj):
            return
        sent = {name: new.pop(name) for name in list(new) if name not in _TYPED}
        pruned: Any = schema.prune(root, sent)
        new.update({name: value for name, value in pruned.items() if name not in _TYPED})

    def _causes(self, key: str, old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
        root = self._nodes.get(key)
        if not isinstance(root, schema.Obj):
            return []
        causes = [required(name) for name in root.required if name not in new]
        for name, node in root.fields.items():
            if name in new and name not in _TYPED:
                found = schema.validate(node, new[name], name)
                causes += [{"reason": c.reason, "message": c.message, "field": c.field} for c in found]
        return causes
