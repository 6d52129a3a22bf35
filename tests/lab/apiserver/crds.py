# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CustomResourceDefinitions: every custom resource has one, and a CRD that a client writes is served at once.

The schema of the preferred version prunes, defaults and validates through the collection's own structural schema; what
that does not know (CEL, oneOf, int-or-string) passes unchecked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import schema

from .api import Cause, Obj, Write
from .errors import invalid_value
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
    kind = described.get("type")
    common: dict[str, Any] = {"default": described.get("default"), "nullable": bool(described.get("nullable"))}
    if described.get(_PRESERVE) or described.get("x-kubernetes-int-or-string"):
        return schema.Node(**common)
    if isinstance(described.get("additionalProperties"), dict):
        return schema.Map(item=node_of(described["additionalProperties"]), **common)
    if kind == "object" and "properties" in described:
        fields = {name: node_of(child) for name, child in described["properties"].items()}
        return schema.Obj(fields=fields, required=tuple(described.get("required", ())), **common)
    if kind == "array":
        item = node_of(described.get("items", {}))
        keys = tuple(described.get("x-kubernetes-list-map-keys", ()))
        return schema.Array(item=item, max_items=described.get("maxItems", 0), keys=keys, **common)
    if kind == "string":
        return schema.Text(
            enum=tuple(described.get("enum", ())),
            min_length=described.get("minLength", 0),
            max_length=described.get("maxLength", 0),
            pattern=described.get("pattern", ""),
            format=described["format"] if described.get("format") in ("duration", "date-time") else "",
            **common,
        )
    if kind == "integer":
        return schema.Number(minimum=described.get("minimum"), maximum=described.get("maximum"), **common)
    return schema.Flag(**common) if kind == "boolean" else schema.Node(**common)


@dataclass(frozen=True)
class CustomSchema:
    """`has_rules`: whether the CRD has CEL rules anywhere; those in `root` are Python functions in their place."""

    root: schema.Node
    has_rules: bool = False


class Schemas:
    """What each custom resource may hold, asked for at every write: a cluster may be upgraded in between."""

    def __init__(self) -> None:
        self._known: dict[str, Callable[[], CustomSchema]] = {}

    def put(self, key: str, schema_of: Callable[[], CustomSchema]) -> None:
        self._known[key] = schema_of

    def drop(self, key: str) -> None:
        self._known.pop(key, None)

    def root(self, key: str) -> schema.Node | None:
        """None where anything is kept."""
        return self._known[key]().root if key in self._known else None

    def causes(self, resource: Resource, old: Obj | None, new: Obj) -> list[Cause]:
        """The structure first; the rules only where nothing in it blocks them; neither of what did not change."""
        known = self._known[resource.key]() if resource.key in self._known else None
        if known is None or not isinstance(known.root, schema.Obj):
            return []
        parts = {name: value for name, value in new.items() if name not in _TYPED}
        found = _changed(schema.structure(known.root, parts, ""), old, new)
        if not any(cause.blocks_rules for cause in found):
            found += _changed(schema.rules(known.root, new, ""), old, new)
        elif known.has_rules:
            found.append(schema.UNCHECKED)
        told = [(cause.field.lstrip(".") or "<nil>", cause) for cause in found]
        told += [(cause.field, cause) for cause in _scale_causes(resource, new)]
        return [{"reason": cause.reason, "message": _told(cause), "field": field} for field, cause in told]


def _told(cause: schema.Cause) -> str:
    return cause.message.replace(f"{cause.field} in body", f"{cause.field.lstrip('.')} in body")


def _changed(causes: Iterable[schema.Cause], old: Obj | None, new: Obj) -> list[schema.Cause]:
    """Ratcheting: a value that was so before may stay."""
    if old is None:
        return list(causes)
    found = []
    for cause in causes:
        parts = re.findall(r"[^.\[\]]+", cause.field)
        place = parts[:-1] if cause.reason == "FieldValueRequired" else parts
        if not place or _at(old, place) != _at(new, place):
            found.append(cause)
    return found


def _at(value: Any, place: Sequence[str]) -> Any:
    for part in place:
        if isinstance(value, list):
            value = value[int(part)] if part.isdigit() and int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _scale_causes(resource: Resource, obj: Obj) -> Iterator[schema.Cause]:
    """Its own look at the replicas, with a path of its own."""
    if not resource.scale or obj.get("spec") is None:
        return
    path, spec = ".spec.replicas", obj["spec"]
    if not isinstance(spec, dict):
        what, wanted = spec, "map[string]interface{}"
    elif not isinstance(spec.get("replicas", 0), int):
        what, wanted = spec["replicas"], "int64"
    else:
        if spec.get("replicas", 0) < 0:
            why = f"Invalid value: {spec['replicas']}: should be a non-negative integer"
            yield schema.Cause(path, "FieldValueInvalid", why)
        return
    kind = {str: "string", list: "[]interface {}", dict: "map[string]interface {}"}.get(type(what), "float64")
    why = f"Invalid value: 0: {path} accessor error: {what} is of the type {kind}, expected {wanted}"
    yield schema.Cause(path, "FieldValueInvalid", why)


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
        cluster.subscribe(self._changed)

    def _changed(self, event: Event) -> None:
        if event.resource != CRDS:
            return
        resource = resource_of(event.obj)
        if event.type == "DELETED":
            self._cluster.schemas.drop(resource.key)
            self._cluster.unregister(resource.key)
            return
        described = _versions(event.obj)[0].get("schema", {}).get("openAPIV3Schema", _OPEN)
        if described != _OPEN:
            known = CustomSchema(node_of(described), "x-kubernetes-validations" in json.dumps(described))
            self._cluster.schemas.put(resource.key, lambda: known)
        self._cluster.register(resource)
