# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator at work: one thread per cluster that runs a pass whenever something it looks at has changed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OWNER_LABEL

from ..apiserver.api import Api, ApiError, Obj
from ..cloud.workqueue import WorkQueue
from .config import CLUSTERVERSIONS, DEPLOYMENTS, DNSES, DNSRECORDS, INFRASTRUCTURES, INGRESSCONTROLLERS, INGRESSES
from .passes import Operator, Pace, PassFailed
from .records import Provider

# A change of these concerns every IngressController of the cluster.
_EVERYBODYS = (CLUSTERVERSIONS, INFRASTRUCTURES, DNSES, INGRESSES)
_WATCHED = (INGRESSCONTROLLERS, "services", DEPLOYMENTS, DNSRECORDS, *_EVERYBODYS)
_EVERYBODY = ""
_RETRY_FIRST, _RETRY_MOST = 0.02, 5.0
_WATCH_AGAIN_SECONDS = 0.2

_log = logging.getLogger(__name__)


class OperatorTwin:
    """start() and stop(). Events are not among what it watches, as with the real one: it looks again by itself."""

    def __init__(
        self, api: Api, provider: Provider | None = None, pace: Pace | None = None, *, create_default: bool = False
    ) -> None:
        self.operator = Operator(api, provider, pace)
        self._api = api
        self._create_default = create_default
        self._queue: WorkQueue[str] = WorkQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._unsubscribe: Callable[[], None] = lambda: None

    @property
    def log(self) -> list[str]:
        """The operator's newest error messages."""
        return list(self.operator.log)

    def start(self) -> None:
        subscribe: Callable[..., Any] | None = getattr(self._api, "subscribe", None)
        if subscribe is not None:  # an API in this process tells by itself: no thread that waits
            self._unsubscribe = subscribe(lambda event: self._notice(event.type, event.resource, event.obj))
            self._queue.add(_EVERYBODY)
        else:
            self._spawn(self._watch)
        self._spawn(self._work)

    def stop(self) -> None:
        self._stop.set()
        self._unsubscribe()
        self._queue.close()
        for thread in self._threads:
            thread.join(timeout=10)
        self._threads.clear()

    def _spawn(self, act: Callable[[], None]) -> None:
        thread = threading.Thread(target=act, name=f"ingress-operator-{act.__name__}", daemon=True)
        self._threads.append(thread)
        thread.start()

    # -- noticing -------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                for kind, resource, obj in self._api.watch(_WATCHED, stop=self._stop):
                    self._notice(kind, resource, obj)
            except ApiError as error:
                # A watch may end at any time (410, an injected fault): a new one starts with what is there.
                _log.info("watch ended: %s", error)
            self._stop.wait(_WATCH_AGAIN_SECONDS)

    def _notice(self, kind: str, resource: str, obj: Obj) -> None:
        if resource in _EVERYBODYS:
            self._queue.add(_EVERYBODY)
        elif resource == INGRESSCONTROLLERS:
            self._queue.add(obj["metadata"]["name"])
        elif resource in _WATCHED:
            owner = (obj["metadata"].get("labels") or {}).get(OWNER_LABEL)
            if owner:
                self._queue.add(owner)

    # -- working --------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        if self._create_default:
            self._attempt(_EVERYBODY, self.operator.create_default)
        while (name := self._queue.take()) is not None:
            self._attempt(name, partial(self._sync, name))

    def _sync(self, name: str) -> None:
        if name == _EVERYBODY:
            for one in self.operator.names():
                self._queue.add(one)
            return
        again = self.operator.sync(name)
        self._queue.forget(name)
        if again is not None:
            self._queue.add(name, again)

    def _attempt(self, name: str, act: Callable[[], object]) -> None:
        try:
            act()
        except (ApiError, PassFailed) as problem:
            failures = self._queue.failed(name)
            _log.debug("%s: try %d: %s", name, failures, problem)
            self._queue.add(name, min(_RETRY_FIRST * 2.0 ** min(failures - 1, 20), _RETRY_MOST))
