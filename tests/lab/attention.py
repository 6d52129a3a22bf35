# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a controller of the lab hears of changes and works on them: its threads, started and ended in one place."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from .apiserver.api import Api, ApiError, Obj

Told = Callable[[str, str, Obj], None]
_AGAIN_SECONDS = 0.2

_log = logging.getLogger(__name__)


class Attention:
    """`told` hears of every change of `resources`; `work` runs in a thread until `stop` closes what it takes from."""

    def __init__(self, name: str, api: Api, resources: Sequence[str], told: Told) -> None:
        self._name = name
        self._api = api
        self._resources = resources
        self._told = told
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self, work: Callable[[], None], look_first: Callable[[], None]) -> None:
        """`look_first`: what is there already, for an API that tells of changes only."""
        subscribe: Callable[..., Any] | None = getattr(self._api, "subscribe", None)
        if subscribe is not None:  # an API in this process tells by itself: no thread that waits
            self._unsubscribe = subscribe(lambda event: self._told(event.type, event.resource, event.obj))
            look_first()
        else:
            self._spawn(self._watch)
        self._spawn(work)

    def stop(self, close: Callable[[], None]) -> None:
        self._stop.set()
        self._unsubscribe()
        close()
        for thread in self._threads:
            thread.join(timeout=10)
        self._threads.clear()

    def _spawn(self, act: Callable[[], None]) -> None:
        thread = threading.Thread(target=act, name=f"{self._name}-{act.__name__}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                for kind, resource, obj in self._api.watch(self._resources, stop=self._stop):
                    self._told(kind, resource, obj)
            except ApiError as error:
                # A watch may end at any time (410, an injected fault): a new one starts with what is there.
                _log.info("a watch of %s ended: %s", self._name, error)
            self._stop.wait(_AGAIN_SECONDS)
