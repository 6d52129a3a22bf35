# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One function per verb: from a parsed request to status code and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import bodies, tables
from .api import ApiError, Cause, Obj
from .bodies import encode
from .checks import FieldValidation
from .errors import (
    bad_request,
    internal,
    invalid_options,
    invalid_value,
    method_not_allowed,
    not_supported,
    unknown_path,
)
from .http1 import Request
from .resources import Resource
from .routes import Target
from .store import Cluster

Answer = tuple[int, bytes]
_SCALE_STATUS = {"deployments.apps": "replicas", "ingresscontrollers.operator.openshift.io": "availableReplicas"}
_OPTIONS = {"POST": "CreateOptions", "PUT": "UpdateOptions", "PATCH": "PatchOptions", "DELETE": "DeleteOptions"}
_MODES = ("", "Ignore", "Strict", "Warn")


@dataclass(frozen=True)
class Call:
    """One request to one resource; `warnings` are for its answer's headers."""

    cluster: Cluster
    resource: Resource
    target: Target
    request: Request
    warnings: list[str] = field(default_factory=list)

    @property
    def query(self) -> dict[str, str]:
        return self.request.query

    @property
    def place(self) -> tuple[str, str, str]:
        return self.resource.key, self.target.namespace, self.target.name

    @property
    def subresource(self) -> str | None:
        return self.target.subresource or None

    def dry_run(self, also: Any = None) -> bool:
        """`also`: what a body says of it."""
        value = also if also is not None else [self.query["dryRun"]] if self.query.get("dryRun") else []
        if value not in ([], ["All"]):
            raise self._bad_option(not_supported("dryRun", value, ("All",)))
        return bool(value)

    def fields(self) -> FieldValidation:
        mode = self.query.get("fieldValidation", "")
        if mode not in _MODES:
            raise self._bad_option(not_supported("fieldValidation", mode, _MODES))
        return FieldValidation(mode or "Warn", self.warnings)

    def _bad_option(self, cause: Cause) -> ApiError:
        return invalid_options(_OPTIONS[self.request.method], "meta.k8s.io", cause)


def served(cluster: Cluster, target: Target) -> Resource:
    """The resource a path names, or the 404 of a path that is not routed."""
    resource = cluster.resource(target.resource)
    allowed = {"": True, "status": resource.status, "scale": resource.scale}
    scoped = bool(target.namespace) == resource.namespaced or (resource.namespaced and not target.name)
    if target.version not in resource.versions or not allowed.get(target.subresource, False) or not scoped:
        raise unknown_path()
    return resource


def perform(call: Call, verb: str, stale: int) -> Answer:
    if call.target.subresource == "scale":
        return _scale(call, verb)
    if verb == "get":
        return _get(call, stale)
    if verb == "list":
        return _list(call, stale)
    return _VERBS[verb](call)


def _shown(call: Call, obj: Obj) -> bytes:
    resource, target = call.resource, call.target
    if tables.wants_table(call.request.headers.get("accept", "")) and obj.get("kind") == resource.kind:
        include = call.query.get("includeObject", "Metadata")
        version = obj["metadata"].get("resourceVersion", "")
        return encode(tables.table(resource, [bodies.in_version(resource, obj, target.version)], version, include))
    return encode(bodies.in_version(resource, obj, target.version))


def _get(call: Call, stale: int) -> Answer:
    if stale:
        return 200, _shown(call, call.cluster.earlier(*call.place, stale))
    stored = call.cluster.stored(*call.place)
    preferred = call.target.version == call.resource.versions[0]
    if preferred and not tables.wants_table(call.request.headers.get("accept", "")):
        return 200, stored.encoded()
    return 200, _shown(call, stored.obj)


def _list(call: Call, stale: int) -> Answer:
    query, resource = call.query, call.resource
    version, items = call.cluster.select(
        resource.key,
        call.target.namespace or None,
        query.get("labelSelector", ""),
        query.get("fieldSelector", ""),
        stale,
    )
    # An unstructured list says that there is no more; a typed one says nothing.
    metadata: Obj = {**({"continue": ""} if resource.custom else {}), "resourceVersion": version}
    if query.get("continue"):
        metadata["resourceVersion"], after = bodies.read_token(query["continue"])
        items = [item for item in items if _key(item) > after]
    limit = int(query["limit"]) if query.get("limit", "").isdigit() else 0
    if 0 < limit < len(items):
        if not query.get("labelSelector") and not query.get("fieldSelector"):
            metadata["remainingItemCount"] = len(items) - limit
        items = items[:limit]
        metadata["continue"] = bodies.continue_token(metadata["resourceVersion"], _key(items[-1]))
    if tables.wants_table(call.request.headers.get("accept", "")):
        shown = [bodies.in_version(resource, item, call.target.version) for item in items]
        answer = tables.table(resource, shown, version, query.get("includeObject", "Metadata"))
        answer["metadata"] = metadata
        return 200, encode(answer)
    return 200, _listing(call, metadata, items)


def _listing(call: Call, metadata: Obj, items: list[Obj]) -> bytes:
    listing = {
        "kind": f"{call.resource.kind}List",
        "apiVersion": call.resource.api_version(call.target.version),
        "metadata": metadata,
        "items": [bodies.listed(call.resource, item, call.target.version) for item in items],
    }
    return encode(listing)


def _key(obj: Obj) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _create(call: Call) -> Answer:
    if call.resource.namespaced and not call.target.namespace:
        raise method_not_allowed()
    dry_run, fields = call.dry_run(), call.fields()
    obj = bodies.received(call.resource, call.target, call.request, fields)
    made = call.cluster.create(call.resource.key, call.target.namespace, obj, dry_run=dry_run, fields=fields)
    return 201, _shown(call, made)


def _update(call: Call) -> Answer:
    dry_run, fields = call.dry_run(), call.fields()
    obj = bodies.received(call.resource, call.target, call.request, fields)
    name = call.target.name
    sent = (obj.get("metadata") or {}).get("name", name)
    if sent != name:
        raise bad_request(f"the name of the object ({sent}) does not match the name on the URL ({name})")
    with call.cluster.lock:
        existed = call.cluster.has(*call.place)
        made = call.cluster.replace(*call.place, obj, subresource=call.subresource, dry_run=dry_run, fields=fields)
    return 200 if existed else 201, _shown(call, made)


def _patch(call: Call) -> Answer:
    kind = bodies.patch_kind(call.request, call.resource)
    dry_run, fields = call.dry_run(), call.fields()
    patch = bodies.patch(call.request, kind, fields)
    patched = call.cluster.patch(
        *call.place, patch, subresource=call.subresource, kind=kind, dry_run=dry_run, fields=fields
    )
    return 200, _shown(call, patched)


def _delete_options(call: Call) -> dict[str, Any]:
    options = bodies.delete_options(call.request)
    preconditions = options.get("preconditions") or {}
    policy = options.get("propagationPolicy") or call.query.get("propagationPolicy")
    orphan = options.get("orphanDependents")
    if policy is not None and orphan is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        raise invalid_options("DeleteOptions", "meta.k8s.io", invalid_value("propagationPolicy", policy, why))
    if orphan is not None:
        policy = "Orphan" if orphan else "Background"
    return {
        "uid": preconditions.get("uid"),
        "resource_version": preconditions.get("resourceVersion"),
        "propagation": policy,
        "dry_run": call.dry_run(options.get("dryRun")),
    }


def _delete(call: Call) -> Answer:
    if call.target.subresource:
        raise method_not_allowed()
    gone = call.cluster.delete(*call.place, **_delete_options(call))
    return 200, encode(bodies.in_version(call.resource, gone, call.target.version))


def _delete_collection(call: Call) -> Answer:
    options, query = _delete_options(call), call.query
    selectors = query.get("labelSelector", ""), query.get("fieldSelector", "")
    version, items = call.cluster.select(call.resource.key, call.target.namespace or None, *selectors)
    for item in items:
        try:
            call.cluster.delete(call.resource.key, *_key(item), **options)
        except ApiError as error:
            if error.status != 404:
                raise
    metadata: Obj = {**({"continue": ""} if call.resource.custom else {}), "resourceVersion": version}
    return 200, _listing(call, metadata, items)


def _scale(call: Call, verb: str) -> Answer:
    """The autoscaling/v1 Scale view of spec.replicas."""
    cluster, resource = call.cluster, call.resource
    if verb in ("update", "patch"):
        sent = bodies.decode(call.request)
        replicas = (sent.get("spec") or {}).get("replicas") if isinstance(sent, dict) else None
        if replicas is not None:
            cluster.patch(*call.place, {"spec": {"replicas": replicas}}, dry_run=call.dry_run())
    elif verb != "get":
        raise method_not_allowed()
    obj = cluster.stored(*call.place).obj
    if resource.custom and "replicas" not in obj.get("spec", {}):
        raise internal('the spec replicas field ".spec.replicas" does not exist')
    status: Obj = {"replicas": obj.get("status", {}).get(_SCALE_STATUS.get(resource.key, "replicas"), 0)}
    if obj.get("status", {}).get("selector"):
        status["selector"] = obj["status"]["selector"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    scale = {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: obj["metadata"][key] for key in kept if key in obj["metadata"]},
        "spec": {"replicas": count} if (count := obj.get("spec", {}).get("replicas", 1)) else {},
        "status": status,
    }
    return 200, encode(scale)


_VERBS: dict[str, Callable[[Call], Answer]] = {
    "create": _create,
    "update": _update,
    "patch": _patch,
    "delete": _delete,
    "deletecollection": _delete_collection,
}
