# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller for the Services of one class, as KEP-1959 wants them: addresses by rule, a finalizer, events.

Its load balancers are no cloud's: what it serves is in `serving`, by uid.
"""

from __future__ import annotations

import itertools
from typing import Any

from ..apiserver.api import Api, ApiError
from ..attention import Attention
from .events import Recorder
from .rules import Service
from .service_controller import HOLD_SECONDS
from .workqueue import WorkQueue

Key = tuple[str, str]
_RETRY_SECONDS = 0.05
_serial = itertools.count(1)


class ClassController:
    """start() and stop(); `holds_cleanup` may be set while it runs: it then takes no finalizer off."""

    def __init__(self, api: Api, lb_class: str, finalizer: str = "") -> None:
        self._api = api
        self.lb_class = lb_class
        self.finalizer = finalizer or f"{lb_class.partition('/')[0]}/load-balancer"
        self.serving: dict[str, str] = {}
        self.holds_cleanup = False
        self._events = Recorder(api, lb_class)
        self._queue: WorkQueue[Key] = WorkQueue()
        self._attention = Attention(f"class {lb_class}", api, ("services",), self._told)

    def start(self) -> None:
        self._attention.start(self._work, self._look_around)

    def stop(self) -> None:
        self._attention.stop(self._queue.close)

    def _look_around(self) -> None:
        for service in self._api.list("services")["items"]:
            self._told("ADDED", "services", service)

    def _told(self, kind: str, resource: str, obj: Service) -> None:
        if resource == "services" and kind in ("ADDED", "MODIFIED"):
            self._queue.add((obj["metadata"]["namespace"], obj["metadata"]["name"]))

    def _work(self) -> None:
        while (key := self._queue.take()) is not None:
            try:
                delay = self._sync(key)
            except ApiError:  # somebody else wrote in the same moment, or it is gone
                delay = _RETRY_SECONDS
            if delay is not None:
                self._queue.add(key, delay)

    def _sync(self, key: Key) -> float | None:
        """Seconds until this Service needs another look, None when it is at rest."""
        try:
            service = self._api.get("services", *key)
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        meta, spec = service["metadata"], service["spec"]
        mine = spec.get("type") == "LoadBalancer" and spec.get("loadBalancerClass") == self.lb_class
        if mine and not meta.get("deletionTimestamp"):
            self._ensure(key, service)
        elif self.finalizer in (meta.get("finalizers") or []):
            return self._clean(key, service)
        return None

    def _ensure(self, key: Key, service: Service) -> None:
        meta = service["metadata"]
        if self.finalizer not in (meta.get("finalizers") or []):
            self._set_finalizers(key, service, [*(meta.get("finalizers") or []), self.finalizer])
        if meta["uid"] not in self.serving:
            self.serving[meta["uid"]] = f"lb{next(_serial)}.edge.example.com"
            self._events.normal(service, "Provisioned", f"Load balancer for class {self.lb_class}")
        address = [{"hostname": self.serving[meta["uid"]]}]
        if (service.get("status") or {}).get("loadBalancer", {}).get("ingress") != address:
            self._api.patch("services", *key, {"status": {"loadBalancer": {"ingress": address}}}, subresource="status")

    def _clean(self, key: Key, service: Service) -> float | None:
        if self.holds_cleanup:
            return HOLD_SECONDS
        meta = service["metadata"]
        self.serving.pop(meta["uid"], None)
        self._set_finalizers(key, service, [name for name in meta["finalizers"] if name != self.finalizer])
        return None

    def _set_finalizers(self, key: Key, service: Service, finalizers: list[str]) -> None:
        change: dict[str, Any] = {"finalizers": finalizers, "resourceVersion": service["metadata"]["resourceVersion"]}
        self._api.patch("services", *key, {"metadata": change})
