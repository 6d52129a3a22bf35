# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client learns before its first request: versions, groups, resources, and which queries are understood."""

from __future__ import annotations

from collections.abc import Iterable

from .api import Obj
from .resources import Resource
from .store import Cluster

VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
REVIEWS = Resource(
    "authorization.k8s.io", ("v1",), "selfsubjectaccessreviews", "SelfSubjectAccessReview", namespaced=False
)
OPENAPI_V2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_NEEDS_FIELD_VALIDATION = [{"name": "fieldValidation", "in": "query"}, {"name": "dryRun", "in": "query"}]


def _served(cluster: Cluster) -> Iterable[Resource]:
    return [*cluster.resources.values(), REVIEWS]


def version(cluster: Cluster) -> Obj:
    major, minor = cluster.version.lstrip("v").split(".")[:2]
    return {
        "major": major,
        "minor": minor,
        "gitVersion": cluster.version,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": "linux/amd64",
    }


def openapi_v2(cluster: Cluster) -> Obj:
    return {"swagger": "2.0", "info": {"title": "Kubernetes", "version": cluster.version}, "paths": {}}


def _groups(cluster: Cluster) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for resource in _served(cluster):
        versions = groups.setdefault(resource.group, [])
        versions += [item for item in resource.versions if item not in versions]
    return groups


def _group(name: str, versions: list[str]) -> Obj:
    listed = [{"groupVersion": f"{name}/{item}", "version": item} for item in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resource_entry(resource: Resource) -> list[Obj]:
    entry: Obj = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": ["create"] if resource is REVIEWS else VERBS,
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    below: Obj = {"singularName": "", "namespaced": resource.namespaced, "verbs": ["get", "patch", "update"]}
    entries = [entry]
    if resource.status:
        entries.append({"name": f"{resource.plural}/status", "kind": resource.kind, **below})
    if resource.scale:
        scale = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
        entries.append({"name": f"{resource.plural}/scale", **scale, **below})
    return entries


def answer(cluster: Cluster, prefix: str, path: str) -> Obj | None:
    """The document at a discovery path, or None if there is none there."""
    parts = [part for part in path.split("/") if part]
    groups = _groups(cluster)
    match parts:
        case ["api"]:
            return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
        case ["apis"]:
            listed = [_group(name, versions) for name, versions in groups.items() if name]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}
        case ["apis", group] if group in groups:
            return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, groups[group])}
        case ["api", "v1"]:
            return _resources(cluster, "", "v1")
        case ["apis", group, item] if item in groups.get(group, ()):
            return _resources(cluster, group, item)
        case ["openapi", "v3"]:
            names = ["api/v1", *(f"apis/{g}/{v}" for g, versions in groups.items() if g for v in versions)]
            return {"paths": {name: {"serverRelativeURL": f"{prefix}/openapi/v3/{name}"} for name in names}}
        case ["openapi", "v3", "api", "v1"]:
            return _openapi(cluster, "", "v1")
        case ["openapi", "v3", "apis", group, item] if item in groups.get(group, ()):
            return _openapi(cluster, group, item)
    return None


def _resources(cluster: Cluster, group: str, item: str) -> Obj:
    chosen = [r for r in _served(cluster) if r.group == group and item in r.versions]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{item}" if group else item,
        "resources": [entry for resource in chosen for entry in _resource_entry(resource)],
    }


def _openapi(cluster: Cluster, group: str, item: str) -> Obj:
    """Just enough for kubectl to see that the server takes fieldValidation and dryRun; no schemas."""
    root = f"/apis/{group}/{item}" if group else f"/api/{item}"
    paths: Obj = {}
    for resource in _served(cluster):
        if resource.group != group or item not in resource.versions:
            continue
        middle = "/namespaces/{namespace}" if resource.namespaced else ""
        kind = {"group": group, "version": item, "kind": resource.kind}
        operation = {"x-kubernetes-group-version-kind": kind, "parameters": _NEEDS_FIELD_VALIDATION}
        paths[f"{root}{middle}/{resource.plural}/{{name}}"] = {"patch": operation}
    return {"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": cluster.version}, "paths": paths}
