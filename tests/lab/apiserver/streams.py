# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches over HTTP: JSON lines in chunks, with selectors, bookmarks and 410 for a version that is forgotten."""

from __future__ import annotations

import threading
import time

from . import bodies, tables
from .api import ApiError, Obj
from .bodies import encode
from .http1 import Connection, Request
from .resources import Resource
from .routes import Target
from .selectors import Match, selection
from .store import Cluster
from .watch import Event

_LONGEST = 1800.0
_BOOKMARK_EVERY = 30.0


class Stream:
    """One watch request."""

    def __init__(
        self, cluster: Cluster, resource: Resource, target: Target, request: Request, conn: Connection
    ) -> None:
        self._cluster, self._resource, self._target, self._conn = cluster, resource, target, conn
        self._query = request.query
        self._table = tables.wants_table(request.headers.get("accept", ""))
        self._bookmarks = request.query.get("allowWatchBookmarks") in ("true", "1")
        self._last_bookmark = time.monotonic()
        label, field = self._query.get("labelSelector", ""), self._query.get("fieldSelector", "")
        self._matches: Match = selection(resource, label, field)

    def run(self, stop: threading.Event) -> None:
        seconds = self._query.get("timeoutSeconds", "")
        timeout = float(seconds) if seconds.isdigit() and int(seconds) else _LONGEST
        since = self._query.get("resourceVersion") or "0"
        self._conn.start_stream()
        try:
            if since == "0" or self._query.get("sendInitialEvents") == "true":
                since = self._initial()
            for event in self._cluster.events([self._resource.key], since, stop, timeout, self._idle):
                self._pass_on(event)
            if self._bookmarks:
                self._bookmark()
        except ApiError as error:
            self._line("ERROR", error.body())
        self._conn.end_stream()

    def _initial(self) -> str:
        version, items = self._cluster.select(self._resource.key, self._target.namespace or None)
        for item in items:
            if self._matches(item):
                self._line("ADDED", self._shown(item))
        if self._query.get("sendInitialEvents") == "true":
            self._bookmark({"k8s.io/initial-events-end": "true"}, version)
        return version

    def _concerns(self, obj: Obj | None) -> bool:
        if obj is None or self._target.namespace not in ("", obj["metadata"].get("namespace", "")):
            return False
        return self._matches(obj)

    def _pass_on(self, event: Event) -> None:
        """An object that starts or stops matching the selector is ADDED or DELETED for this watcher."""
        before, after = self._concerns(event.previous), self._concerns(event.obj)
        if event.type == "DELETED":
            if before:
                self._line("DELETED", self._shown(event.obj))
        elif after:
            self._line("MODIFIED" if before else "ADDED", self._shown(event.obj))
        elif before and event.previous is not None:
            version = event.obj["metadata"]["resourceVersion"]
            last = {**event.previous, "metadata": {**event.previous["metadata"], "resourceVersion": version}}
            self._line("DELETED", self._shown(last))

    def _shown(self, obj: Obj) -> Obj:
        shown = bodies.in_version(self._resource, obj, self._target.version)
        if not self._table:
            return shown
        include = self._query.get("includeObject", "Metadata")
        return tables.table(self._resource, [shown], obj["metadata"]["resourceVersion"], include)

    def _line(self, kind: str, obj: Obj) -> None:
        self._conn.stream(encode({"type": kind, "object": obj}) + b"\n")

    def _bookmark(self, annotations: dict[str, str] | None = None, version: str | None = None) -> None:
        metadata: Obj = {"resourceVersion": version or self._cluster.resource_version, "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        api_version = self._resource.api_version(self._target.version)
        self._line("BOOKMARK", {"kind": self._resource.kind, "apiVersion": api_version, "metadata": metadata})
        self._last_bookmark = time.monotonic()

    def _idle(self) -> bool:
        if self._bookmarks and time.monotonic() - self._last_bookmark > _BOOKMARK_EVERY:
            self._bookmark()
        return not self._conn.is_gone()
