# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One function per verb: from a parsed request to status code and JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import bodies, tables
from .api import ApiError, Obj
from .bodies import encode
from .errors import bad_request, method_not_allowed, unknown_path
from .http1 import Request
from .resources import Resource
from .routes import Target
from .store import Cluster

Answer = tuple[int, bytes]
_SCALE_STATUS = {"deployments.apps": "replicas", "ingresscontrollers.operator.openshift.io": "availableReplicas"}


def served(cluster: Cluster, target: Target) -> Resource:
    """The resource a path names, or the 404 of a path that is not routed."""
    resource = cluster.resource(target.resource)
    allowed = {"": True, "status": resource.status, "scale": resource.scale}
    scoped = bool(target.namespace) == resource.namespaced or (resource.namespaced and not target.name)
    if target.version not in resource.versions or not allowed.get(target.subresource, False) or not scoped:
        raise unknown_path()
    return resource


def perform(cluster: Cluster, verb: str, target: Target, request: Request, stale: int) -> Answer:
    resource = served(cluster, target)
    if target.subresource == "scale":
        return _scale(cluster, verb, resource, target, request)
    if verb == "get":
        return _get(cluster, resource, target, request, stale)
    if verb == "list":
        return _list(cluster, resource, target, request, stale)
    return _VERBS[verb](cluster, resource, target, request)


def _dry_run(request: Request) -> bool:
    value = request.query.get("dryRun")
    if value not in (None, "", "All"):
        raise bad_request(f'dryRun: Unsupported value: "{value}": supported values: "All"')
    return value == "All"


def _shown(resource: Resource, target: Target, request: Request, obj: Obj) -> bytes:
    if tables.wants_table(request.headers.get("accept", "")) and obj.get("kind") == resource.kind:
        include = request.query.get("includeObject", "Metadata")
        version = obj["metadata"].get("resourceVersion", "")
        return encode(tables.table(resource, [bodies.in_version(resource, obj, target.version)], version, include))
    return encode(bodies.in_version(resource, obj, target.version))


def _get(cluster: Cluster, resource: Resource, target: Target, request: Request, stale: int) -> Answer:
    if stale:
        return 200, _shown(
            resource, target, request, cluster.earlier(resource.key, target.namespace, target.name, stale)
        )
    stored = cluster.stored(resource.key, target.namespace, target.name)
    if target.version == resource.versions[0] and not tables.wants_table(request.headers.get("accept", "")):
        return 200, stored.encoded()
    return 200, _shown(resource, target, request, stored.obj)


def _list(cluster: Cluster, resource: Resource, target: Target, request: Request, stale: int) -> Answer:
    query = request.query
    version, items = cluster.select(
        resource.key, target.namespace or None, query.get("labelSelector", ""), query.get("fieldSelector", ""), stale
    )
    metadata: Obj = {"resourceVersion": version}
    if query.get("continue"):
        metadata["resourceVersion"], after = bodies.read_token(query["continue"])
        items = [item for item in items if _key(item) > after]
    limit = int(query["limit"]) if query.get("limit", "").isdigit() else 0
    if 0 < limit < len(items):
        metadata["remainingItemCount"] = len(items) - limit
        items = items[:limit]
        metadata["continue"] = bodies.continue_token(metadata["resourceVersion"], _key(items[-1]))
    if tables.wants_table(request.headers.get("accept", "")):
        shown = [bodies.in_version(resource, item, target.version) for item in items]
        answer = tables.table(resource, shown, version, query.get("includeObject", "Metadata"))
        answer["metadata"] = metadata
        return 200, encode(answer)
    listing = {
        "kind": f"{resource.kind}List",
        "apiVersion": resource.api_version(target.version),
        "metadata": metadata,
        "items": [bodies.listed(resource, item, target.version) for item in items],
    }
    return 200, encode(listing)


def _key(obj: Obj) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _create(cluster: Cluster, resource: Resource, target: Target, request: Request) -> Answer:
    if resource.namespaced and not target.namespace:
        raise method_not_allowed()
    obj = bodies.received(resource, target, request)
    made = cluster.create(resource.key, target.namespace, obj, dry_run=_dry_run(request))
    return 201, _shown(resource, target, request, made)


def _update(cluster: Cluster, resource: Resource, target: Target, request: Request) -> Answer:
    obj = bodies.received(resource, target, request)
    sent = (obj.get("metadata") or {}).get("name", target.name)
    if sent != target.name:
        raise bad_request(f"the name of the object ({sent}) does not match the name on the URL ({target.name})")
    with cluster.lock:
        existed = cluster.has(resource.key, target.namespace, target.name)
        made = cluster.replace(
            resource.key,
            target.namespace,
            target.name,
            obj,
            subresource=target.subresource or None,
            dry_run=_dry_run(request),
        )
    return 200 if existed else 201, _shown(resource, target, request, made)


def _patch(cluster: Cluster, resource: Resource, target: Target, request: Request) -> Answer:
    kind = bodies.patch_kind(request)
    patched = cluster.patch(
        resource.key,
        target.namespace,
        target.name,
        bodies.decode(request),
        subresource=target.subresource or None,
        kind=kind,
        dry_run=_dry_run(request),
    )
    return 200, _shown(resource, target, request, patched)


def _delete_options(request: Request) -> dict[str, Any]:
    sent = bodies.decode(request) if request.body else {}
    options: Obj = sent if isinstance(sent, dict) else {}
    preconditions = options.get("preconditions") or {}
    policy = options.get("propagationPolicy") or request.query.get("propagationPolicy")
    if policy is None and options.get("orphanDependents") is not None:
        policy = "Orphan" if options["orphanDependents"] else "Background"
    return {
        "uid": preconditions.get("uid"),
        "resource_version": preconditions.get("resourceVersion"),
        "propagation": policy,
        "dry_run": _dry_run(request) or options.get("dryRun") == ["All"],
    }


def _delete(cluster: Cluster, resource: Resource, target: Target, request: Request) -> Answer:
    if target.subresource:
        raise method_not_allowed()
    gone = cluster.delete(resource.key, target.namespace, target.name, **_delete_options(request))
    return 200, encode(bodies.in_version(resource, gone, target.version))


def _delete_collection(cluster: Cluster, resource: Resource, target: Target, request: Request) -> Answer:
    options, query = _delete_options(request), request.query
    selectors = query.get("labelSelector", ""), query.get("fieldSelector", "")
    version, items = cluster.select(resource.key, target.namespace or None, *selectors)
    for item in items:
        namespace, name = _key(item)
        try:
            cluster.delete(resource.key, namespace, name, **options)
        except ApiError as error:
            if error.status != 404:
                raise
    listing = {
        "kind": f"{resource.kind}List",
        "apiVersion": resource.api_version(target.version),
        "metadata": {"resourceVersion": version},
        "items": [bodies.listed(resource, item, target.version) for item in items],
    }
    return 200, encode(listing)


def _scale(cluster: Cluster, verb: str, resource: Resource, target: Target, request: Request) -> Answer:
    """The autoscaling/v1 Scale view of spec.replicas."""
    where = (resource.key, target.namespace, target.name)
    if verb in ("update", "patch"):
        sent = bodies.decode(request)
        replicas = (sent.get("spec") or {}).get("replicas") if isinstance(sent, dict) else None
        if replicas is not None:
            cluster.patch(*where, {"spec": {"replicas": replicas}}, dry_run=_dry_run(request))
    elif verb != "get":
        raise method_not_allowed()
    obj = cluster.stored(*where).obj
    status: Obj = {"replicas": obj.get("status", {}).get(_SCALE_STATUS.get(resource.key, "replicas"), 0)}
    if obj.get("status", {}).get("selector"):
        status["selector"] = obj["status"]["selector"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    scale = {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: obj["metadata"][key] for key in kept if key in obj["metadata"]},
        "spec": {"replicas": obj.get("spec", {}).get("replicas", 1)},
        "status": status,
    }
    return 200, encode(scale)


_VERBS: dict[str, Callable[[Cluster, Resource, Target, Request], Answer]] = {
    "create": _create,
    "update": _update,
    "patch": _patch,
    "delete": _delete,
    "deletecollection": _delete_collection,
}
