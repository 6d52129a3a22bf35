# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of kube-controller-manager no object can leave without: garbage collector, namespace controller."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from .api import ApiError, Obj
from .meta import FOREGROUND, ORPHAN

if TYPE_CHECKING:
    from .store import Cluster

_LOG = logging.getLogger(__name__)

Ref = tuple[str, str, str]  # resource, namespace, name


class Collector:
    """One thread for all clusters of the process; a cluster wakes it after a write that may leave garbage."""

    def __init__(self) -> None:
        self._due: queue.SimpleQueue[weakref.ref[Cluster]] = queue.SimpleQueue()
        self._started = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self, cluster: Cluster) -> None:
        self._due.put(weakref.ref(cluster))
        if self._thread is None:
            with self._started:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="garbage-collector", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while True:
            cluster = self._due.get()()
            if cluster is not None:
                try:
                    cluster.collect_garbage()
                except Exception:  # a lab's own validator may fail; the other clusters still need the collector
                    _LOG.exception("garbage collection of cluster %s failed", cluster.name)
            del cluster


SHARED = Collector()


def collect(cluster: Cluster) -> None:
    """Run until nothing more can be removed."""
    while _pass(cluster):
        pass


def _pass(cluster: Cluster) -> bool:
    objects = cluster.everything()
    by_uid: dict[str, Ref] = {}
    dependents: dict[str, list[tuple[Ref, Obj]]] = {}
    waiting: set[str] = set()
    for ref, obj in objects:
        meta = obj["metadata"]
        by_uid[meta["uid"]] = ref
        if FOREGROUND in meta.get("finalizers", ()) and "deletionTimestamp" in meta:
            waiting.add(meta["uid"])
        for owner in meta.get("ownerReferences", ()):
            dependents.setdefault(owner["uid"], []).append((ref, obj))
    changed = False
    for ref, obj in objects:
        meta = obj["metadata"]
        if "deletionTimestamp" in meta:
            changed |= _release(cluster, ref, obj, dependents.get(meta["uid"], []))
        elif meta.get("ownerReferences"):
            changed |= _orphaned(cluster, ref, obj, by_uid, waiting, bool(dependents.get(meta["uid"])))
    return changed


def _orphaned(
    cluster: Cluster, ref: Ref, obj: Obj, by_uid: dict[str, Ref], waiting: set[str], has_dependents: bool
) -> bool:
    """Delete an object whose owners are all gone or wait for it; drop references to owners that are gone."""
    owners = obj["metadata"]["ownerReferences"]
    solid = [o for o in owners if o["uid"] in by_uid and o["uid"] not in waiting]
    blocked = [o for o in owners if o["uid"] in waiting]
    if solid:
        gone = [o for o in owners if o["uid"] not in by_uid]
        if not gone and not blocked:
            return False
        return _attempt(cluster, partial(cluster.patch, *ref_args(ref), {"metadata": {"ownerReferences": solid}}))
    if blocked and not any(o.get("blockOwnerDeletion") for o in blocked):
        return False
    policy = "Foreground" if blocked and has_dependents else "Background"
    return _attempt(cluster, partial(cluster.delete, *ref_args(ref), uid=obj["metadata"]["uid"], propagation=policy))


def _release(cluster: Cluster, ref: Ref, obj: Obj, dependents: list[tuple[Ref, Obj]]) -> bool:
    """Take our own finalizers off an object that is being deleted, once their work is done."""
    meta = obj["metadata"]
    finalizers = meta.get("finalizers", ())
    if ref[0] == "namespaces":
        return _drain(cluster, ref, held=bool(finalizers))
    if ORPHAN in finalizers:
        for dependent, dep in dependents:
            kept = [o for o in dep["metadata"]["ownerReferences"] if o["uid"] != meta["uid"]]
            _attempt(
                cluster, partial(cluster.patch, *ref_args(dependent), {"metadata": {"ownerReferences": kept or None}})
            )
        return _without(cluster, ref, obj, ORPHAN)
    if FOREGROUND not in finalizers:
        return False
    blocking = [
        d
        for _r, d in dependents
        for o in d["metadata"]["ownerReferences"]
        if o["uid"] == meta["uid"] and o.get("blockOwnerDeletion")
    ]
    return False if blocking else _without(cluster, ref, obj, FOREGROUND)


def _without(cluster: Cluster, ref: Ref, obj: Obj, finalizer: str) -> bool:
    meta = obj["metadata"]
    left = [item for item in meta["finalizers"] if item != finalizer]
    patch = {"metadata": {"uid": meta["uid"], "resourceVersion": meta["resourceVersion"], "finalizers": left or None}}
    return _attempt(cluster, partial(cluster.patch, *ref_args(ref), patch))


def _drain(cluster: Cluster, ref: Ref, held: bool) -> bool:
    """A namespace goes when everything in it is gone; finalizers inside hold it."""
    inside = [(r, o) for r, o in cluster.everything() if r[1] == ref[2]]
    changed = False
    for inner, obj in inside:
        if "deletionTimestamp" not in obj["metadata"]:
            changed |= _attempt(cluster, partial(cluster.delete, *ref_args(inner), propagation="Background"))
    if inside or held:
        return changed
    cluster.forget_namespace(ref[2])
    return True


def ref_args(ref: Ref) -> tuple[str, str | None, str]:
    return ref[0], ref[1] or None, ref[2]


def _attempt(cluster: Cluster, action: Callable[[], object]) -> bool:
    """Whether the write changed anything: a refused or undone one (a stuck finalizer) must not be tried in a circle."""
    before = cluster.resource_version
    with contextlib.suppress(ApiError):
        action()
    return cluster.resource_version != before
