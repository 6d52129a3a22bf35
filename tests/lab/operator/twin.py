# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator at work: one thread per cluster that runs a pass whenever something it looks at has changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OWNER_LABEL

from ..apiserver.api import Api, ApiError, Obj
from ..attention import Attention
from ..cloud.workqueue import WorkQueue
from .config import CLUSTERVERSIONS, DEPLOYMENTS, DNSES, DNSRECORDS, INFRASTRUCTURES, INGRESSCONTROLLERS, INGRESSES
from .passes import Operator, Pace, PassFailed
from .records import Provider

# A change of these concerns every IngressController of the cluster.
_EVERYBODYS = (CLUSTERVERSIONS, INFRASTRUCTURES, DNSES, INGRESSES)
_WATCHED = (INGRESSCONTROLLERS, "services", DEPLOYMENTS, DNSRECORDS, *_EVERYBODYS)
_EVERYBODY = ""
_RETRY_FIRST, _RETRY_MOST = 0.02, 5.0

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
        self._attention = Attention("ingress-operator", api, _WATCHED, self._notice)

    @property
    def log(self) -> list[str]:
        """The operator's newest error messages."""
        return list(self.operator.log)

    @contextmanager
    def slow(self, seconds: float) -> Iterator[None]:
        """It takes this long before each of its writes."""
        usual = self.operator.pace
        self.operator.pace = replace(usual, before_writing=seconds)
        try:
            yield
        finally:
            self.operator.pace = usual

    def start(self) -> None:
        self._attention.start(self._work, lambda: self._queue.add(_EVERYBODY))

    def stop(self) -> None:
        self._attention.stop(self._queue.close)

    # -- noticing -------------------------------------------------------------------------------------------------

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
