# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of one cluster and what happened to them: versioned store, reads and watches."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from . import meta
from .api import Obj
from .errors import bad_request, not_found, unknown_path
from .garbage import Ref
from .resources import Resource
from .selectors import selection
from .watch import Event, History, Key, Listener, follow

# `list` is also a method here.
Selected = tuple[str, list[Obj]]
Referenced = list[tuple[Ref, Obj]]


@dataclass(slots=True)
class Stored:
    """An object as committed (never changed in place) and its JSON once somebody asked for it."""

    obj: Obj
    body: bytes | None = None
    given: frozenset[str] = frozenset()  # which values that a server can allocate came from a client

    def encoded(self) -> bytes:
        if self.body is None:
            self.body = json.dumps(self.obj, separators=(",", ":")).encode()
        return self.body


class State:
    """Every object is kept as it was committed and never changed in place, so readers share it without copying."""

    def __init__(self, resources: Sequence[Resource], history: int) -> None:
        self.lock = threading.RLock()
        self.resources: dict[str, Resource] = {}
        self._objects: dict[str, dict[Key, Stored]] = {}
        self._history = History(history)
        self._version = 1
        self.register(*resources)

    # -- reading ------------------------------------------------------------------------------------------------------

    def register(self, *resources: Resource) -> None:
        """Serve further resources, as an installed CRD would."""
        with self.lock:
            for resource in resources:
                self.resources[resource.key] = resource
                self._objects.setdefault(resource.key, {})

    def unregister(self, key: str) -> None:
        """Serve a resource no more; its objects go with it."""
        with self.lock:
            self.resources.pop(key, None)
            self._objects.pop(key, None)

    def resource(self, key: str) -> Resource:
        if key not in self.resources:
            raise unknown_path()
        return self.resources[key]

    @property
    def resource_version(self) -> str:
        return str(self._version)

    def get(self, resource: str, namespace: str | None, name: str) -> Obj:
        return meta.copy_of(self.stored(resource, namespace, name).obj)

    def stored(self, resource: str, namespace: str | None, name: str) -> Stored:
        """The committed object itself; not to be changed."""
        found = self._objects.get(resource, {}).get((namespace or "", name))
        if found is None:
            raise not_found(self.resource(resource), name)
        return found

    def list(
        self, resource: str, namespace: str | None = None, *, label_selector: str = "", field_selector: str = ""
    ) -> Obj:
        version, items = self.select(resource, namespace, label_selector, field_selector)
        res = self.resource(resource)
        return {
            "apiVersion": res.api_version(),
            "kind": f"{res.kind}List",
            "metadata": {"resourceVersion": version},
            "items": [meta.copy_of(item) for item in items],
        }

    def select(
        self, resource: str, namespace: str | None, label_selector: str = "", field_selector: str = "", back: int = 0
    ) -> Selected:
        """The version of the cluster and the matching committed objects in key order; not to be changed.

        `back` undoes that many of the latest writes to the resource (stale reads).
        """
        matches = selection(self.resource(resource), label_selector, field_selector)
        with self.lock:
            version = str(self._version)
            found = {key: stored.obj for key, stored in self._objects[resource].items()}
            for event in self._history.of(resource)[:back] if back else ():
                found.pop(event.key, None)
                if event.previous is not None:
                    found[event.key] = event.previous
        return version, [obj for key, obj in sorted(found.items()) if namespace in (None, key[0]) and matches(obj)]

    def has(self, resource: str, namespace: str | None, name: str) -> bool:
        return (namespace or "", name) in self._objects.get(resource, {})

    def everything(self) -> Referenced:
        with self.lock:
            return [
                ((res, *key), stored.obj) for res, objects in self._objects.items() for key, stored in objects.items()
            ]

    def earlier(self, resource: str, namespace: str | None, name: str, back: int) -> Obj:
        """The object as it stood `back` writes ago (stale reads); 404 if it did not exist then."""
        key = (namespace or "", name)
        with self.lock:
            past = self._history.of(resource, key)[:back]
        if not past:
            return self.stored(resource, namespace, name).obj
        if past[-1].previous is None:
            raise not_found(self.resource(resource), name)
        return past[-1].previous

    # -- watching -----------------------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` for each write, in order and under the cluster's lock: it must only hand the event on.

        Cheaper than `watch` where one thread serves many clusters. Returns the function that ends it.
        """
        with self.lock:
            return self._history.subscribe(listener)

    def watch(
        self, resources: Sequence[str], *, since: str | None = None, stop: threading.Event, timeout: float | None = None
    ) -> Iterator[tuple[str, str, Obj]]:
        for event in self.events(resources, since, stop, timeout):
            yield event.type, event.resource, meta.copy_of(event.obj)

    def events(
        self,
        resources: Sequence[str],
        since: str | None,
        stop: threading.Event,
        timeout: float | None = None,
        idle: Callable[[], bool] | None = None,
    ) -> Iterator[Event]:
        """Current objects as ADDED when `since` is unset or 0, else what came after it; then what comes."""
        wanted = {self.resource(key).key for key in resources}
        inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        with self.lock:
            if since in (None, "", "0"):
                now = self._version
                past = [
                    Event(now, "ADDED", ref[0], ref[1:], obj, None)
                    for ref, obj in self.everything()
                    if ref[0] in wanted
                ]
            else:
                past = [e for e in self._history.since(_number(str(since)), self._version) if e.resource in wanted]
            unsubscribe = self._history.subscribe(lambda event: inbox.put(event) if event.resource in wanted else None)
        try:
            yield from past
            yield from follow(inbox, stop, timeout, idle)
        finally:
            with self.lock:
                unsubscribe()

    def compact(self) -> None:
        """Forget the history, so that every older watch is 410 Gone."""
        with self.lock:
            self._history.compact()

    # -- committing ---------------------------------------------------------------------------------------------------

    def _commit(
        self, kind: str, res: Resource, key: Key, new: Obj, old: Obj | None, given: frozenset[str] = frozenset()
    ) -> Obj:
        self._version += 1
        new["metadata"] = {**new["metadata"], "resourceVersion": str(self._version)}
        self._objects[res.key][key] = Stored(new, given=given)
        self._history.record(Event(self._version, kind, res.key, key, new, old))
        if "deletionTimestamp" in new["metadata"] or "ownerReferences" in new["metadata"]:
            self._left_garbage()
        return new

    def _remove(self, res: Resource, key: Key, old: Obj, last: Obj | None = None) -> Obj:
        self._version += 1
        final = last or old
        gone = {**final, "metadata": {**final["metadata"], "resourceVersion": str(self._version)}}
        del self._objects[res.key][key]
        self._history.record(Event(self._version, "DELETED", res.key, key, gone, old))
        self._left_garbage()
        return gone

    def _left_garbage(self) -> None:
        """Called after a write that may leave something for the garbage collector."""


def _number(version: str) -> int:
    if not version.isdigit():
        raise bad_request(
            f'resourceVersion: Invalid value: "{version}": strconv.ParseUint: parsing "{version}": invalid syntax'
        )
    return int(version)
