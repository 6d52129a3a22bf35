# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happened in a cluster, in order: the history behind watches, stale reads and the garbage collector."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .api import Obj
from .errors import expired

# How long an idle watcher sleeps before it looks at its stop flag again.
IDLE_SECONDS = 0.5

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Event:
    """One committed write; `obj` is the state after it (before it, for DELETED), `previous` the one before."""

    version: int
    type: str
    resource: str
    key: Key
    obj: Obj
    previous: Obj | None


Listener = Callable[[Event], None]


class History:
    """A bounded log of events with subscribers; the owning cluster's lock guards it."""

    def __init__(self, limit: int) -> None:
        self._events: deque[Event] = deque(maxlen=limit)
        self._listeners: list[Listener] = []
        self.forgotten = 0

    def record(self, event: Event) -> None:
        if len(self._events) == self._events.maxlen:
            self.forgotten = self._events[0].version
        self._events.append(event)
        for listener in tuple(self._listeners):
            listener(event)

    def since(self, version: int, newest: int) -> list[Event]:
        if version < self.forgotten:
            raise expired(version, self.forgotten)
        if not self._events or version >= newest:
            return []
        return [event for event in self._events if event.version > version]

    def of(self, resource: str, key: Key | None = None) -> list[Event]:
        """Newest first."""
        return [e for e in reversed(self._events) if e.resource == resource and key in (None, e.key)]

    def compact(self) -> None:
        """Forget everything: every watch from an older version gets 410 Gone."""
        if self._events:
            self.forgotten = self._events[-1].version
            self._events.clear()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe


def follow(
    events: queue.SimpleQueue[Event],
    stop: threading.Event,
    timeout: float | None,
    idle: Callable[[], bool] | None = None,
) -> Iterator[Event]:
    """Events as they come until `stop`, the timeout, or `idle()` (asked while nothing happens) says it is over."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while not stop.is_set():
        left = IDLE_SECONDS if deadline is None else min(IDLE_SECONDS, deadline - time.monotonic())
        if left <= 0:
            return
        try:
            event = events.get(timeout=left)
        except queue.Empty:
            if idle is not None and not idle():
                return
            continue
        yield event
