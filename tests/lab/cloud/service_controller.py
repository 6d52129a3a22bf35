# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service controller: keeps a load balancer for every Service that wants one (facts: aws-ccm §6).

One per cluster, any cloud. It adds its finalizer before it asks the cloud for anything and removes it only when the
cloud is clean, it says what it does in Events, and it retries with a doubling back-off.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Protocol

from ..apiserver.api import Api, ApiError
from ..attention import Attention
from . import rules
from .events import Recorder
from .faults import DELETE, ENSURE, CloudFaults, Timing
from .rules import FINALIZER, CloudError, ImplementedElsewhere, Service
from .workqueue import WorkQueue

Key = tuple[str, str]

# How often a held operation looks whether it is still held.
HOLD_SECONDS = 0.1

_ALL_HOSTS: Key = ("", "")  # in the queue: not one Service but the nodes behind all of them

_log = logging.getLogger(__name__)


class Cloud(Protocol):
    """What a cloud provider offers the controller."""

    def exists(self, service: Service) -> bool: ...

    def ensure(self, service: Service, nodes: list[str]) -> list[dict[str, str]]: ...

    def update(self, service: Service, nodes: list[str]) -> None: ...

    def delete(self, service: Service) -> None: ...


class SyncFailed(Exception):
    """One attempt failed; the text is the event's."""


class ServiceController:
    """start() and stop(); `faults` and `timing` may be changed while it runs."""

    def __init__(self, api: Api, cloud: Cloud, timing: Timing | None = None, faults: CloudFaults | None = None) -> None:
        self._api = api
        self._cloud = cloud
        self.timing = timing or Timing()
        self.faults = faults or CloudFaults()
        self._events = Recorder(api)
        self._queue: WorkQueue[Key] = WorkQueue()
        self._seen: dict[Key, Service] = {}
        self._served: dict[Key, Service] = {}
        self._ready_at: dict[tuple[str, str], float] = {}
        self._attention = Attention("service-controller", api, ("services", "nodes"), self._told)
        self.faults.on_clear(self._queue.hurry)

    def start(self) -> None:
        self._attention.start(self._work, self._look_around)

    def stop(self) -> None:
        self._attention.stop(self._queue.close)

    # -- noticing ------------------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        for service in self._api.list("services")["items"]:
            self._told("ADDED", "services", service)

    def _told(self, kind: str, resource: str, obj: Service) -> None:
        if resource == "services":
            self._notice(kind, obj)
        elif resource == "nodes" and kind in ("ADDED", "DELETED"):
            self._queue.add(_ALL_HOSTS)

    def _notice(self, kind: str, service: Service) -> None:
        if kind not in ("ADDED", "MODIFIED", "DELETED"):
            return
        key = (service["metadata"]["namespace"], service["metadata"]["name"])
        before = self._seen.get(key)
        if kind == "DELETED":
            self._seen.pop(key, None)
            wanted = key in self._served
        else:
            self._seen[key] = service
            wanted = rules.needs_cleanup(service) or (
                rules.wants_load_balancer(service)
                and (before is None or not rules.wants_load_balancer(before) or rules.needs_update(before, service))
            )
        if wanted:
            self._queue.add(key)

    # -- working -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (key := self._queue.take()) is not None:
            try:
                delay = self._sync(key)
            except ApiError as error:
                _log.info("%s/%s: %s", *key, error)
                delay = self.timing.back_off(self._queue.failed(key))
            if delay is not None:
                self._queue.add(key, delay)

    def _sync(self, key: Key) -> float | None:
        """Seconds until this Service needs another look, None when it is at rest."""
        if key == _ALL_HOSTS:
            return self._update_hosts()
        service = self._read(key)
        former = self._served.get(key)
        try:
            if former is not None and (service is None or service["metadata"]["uid"] != former["metadata"]["uid"]):
                self._clean_up_after(key, former)
            delay = self._step(key, service) if service is not None else None
        except SyncFailed as failure:
            about = service or former or {}
            self._events.warning(about, "SyncLoadBalancerFailed", f"Error syncing load balancer: {failure}")
            return self.timing.back_off(self._queue.failed(key))
        if delay is None:
            self._queue.forget(key)
        return delay

    def _step(self, key: Key, service: Service) -> float | None:
        if rules.needs_cleanup(service):
            delay = self._clean(service)
            if delay is None:
                self._served.pop(key, None)
            return delay
        return self._ensure(key, service) if rules.wants_load_balancer(service) else None

    def _clean_up_after(self, key: Key, former: Service) -> None:
        """A Service that went without its finalizer being ours to remove: somebody else took it off."""
        try:
            self._cloud.delete(former)
        except CloudError as error:
            raise SyncFailed(f"failed to delete load balancer: {error}") from error
        del self._served[key]

    def _ensure(self, key: Key, service: Service) -> float | None:
        name, uid = service["metadata"]["name"], service["metadata"]["uid"]
        if (ENSURE, uid) not in self._ready_at:
            self._events.normal(service, "EnsuringLoadBalancer", "Ensuring load balancer")
            self._set_finalizer(service, present=True)
        if self.faults.holds(ENSURE, name):
            return self._hold(ENSURE, uid)
        nodes = self._nodes()
        if not nodes:
            self._events.warning(service, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer")
        try:
            self._fail_on_demand(ENSURE, name)
            ingress = self._cloud.ensure(service, nodes)
        except ImplementedElsewhere:
            return None
        except CloudError as error:
            raise SyncFailed(f"failed to ensure load balancer: {error}") from error
        self._served[key] = service
        waiting = self._wait_for_cloud(ENSURE, uid, 0.0 if _ingress(service) else self.timing.provision)
        if waiting is None:
            self._events.normal(service, "EnsuredLoadBalancer", "Ensured load balancer")
            self._publish(service, ingress)
        return waiting

    def _clean(self, service: Service) -> float | None:
        name, uid = service["metadata"]["name"], service["metadata"]["uid"]
        try:
            exists = self._cloud.exists(service)
        except CloudError as error:
            raise SyncFailed(f"failed to check if load balancer exists before cleanup: {error}") from error
        if exists:
            if (DELETE, uid) not in self._ready_at:
                self._events.normal(service, "DeletingLoadBalancer", "Deleting load balancer")
            if self.faults.holds(DELETE, name):
                return self._hold(DELETE, uid)
            try:
                self._fail_on_demand(DELETE, name)
                waiting = self._wait_for_cloud(DELETE, uid, self.timing.deprovision)
                if waiting is not None:
                    return waiting
                self._cloud.delete(service)
            except CloudError as error:
                raise SyncFailed(f"failed to delete load balancer: {error}") from error
        self._set_finalizer(service, present=False)
        self._events.normal(service, "DeletedLoadBalancer", "Deleted load balancer")
        if not service["metadata"].get("deletionTimestamp"):
            self._publish(service, [])
        return None

    def _update_hosts(self) -> float | None:
        """Nodes came or went: every load balancer gets the new list."""
        failed = False
        for key in list(self._served):
            service = self._read(key)
            if service is None or rules.needs_cleanup(service) or not rules.wants_load_balancer(service):
                continue
            nodes = self._nodes()
            try:
                self._cloud.update(service, nodes)
            except CloudError as error:
                failed = True
                text = f"Error updating load balancer with new hosts [{' '.join(nodes)}]: {error}"
                self._events.warning(service, "UpdateLoadBalancerFailed", text)
            else:
                self._events.normal(service, "UpdatedLoadBalancer", "Updated load balancer with new hosts")
        if failed:
            return self.timing.back_off(self._queue.failed(_ALL_HOSTS))
        self._queue.forget(_ALL_HOSTS)
        return None

    # -- time and trouble ----------------------------------------------------------------------------------------

    def _wait_for_cloud(self, operation: str, uid: str, seconds: float) -> float | None:
        """A cloud takes its time: how long still, None when it is done."""
        left = self._ready_at.setdefault((operation, uid), time.monotonic() + seconds) - time.monotonic()
        if left > 0:
            return left
        del self._ready_at[operation, uid]
        return None

    def _hold(self, operation: str, uid: str) -> float:
        """A held cloud is never done; look again soon, without another event."""
        self._ready_at.setdefault((operation, uid), 0.0)
        return HOLD_SECONDS

    def _fail_on_demand(self, operation: str, name: str) -> None:
        message = self.faults.take(operation, name)
        if message is not None:
            raise CloudError(message)

    # -- reading and writing -------------------------------------------------------------------------------------

    def _read(self, key: Key) -> Service | None:
        try:
            return self._api.get("services", *key)
        except ApiError as error:
            if error.status != 404:
                raise
            return None

    def _nodes(self) -> list[str]:
        """Instance ids of the nodes traffic may go to."""
        ids = (node.get("spec", {}).get("providerID", "") for node in self._api.list("nodes")["items"])
        return [provider_id.rsplit("/", 1)[-1] for provider_id in ids if provider_id]

    def _set_finalizer(self, service: Service, *, present: bool) -> None:
        """Pinned to the version read, so that a finalizer somebody else adds at the same time is never lost."""
        key = (service["metadata"]["namespace"], service["metadata"]["name"])
        current: Service | None = service
        while current is not None and rules.has_finalizer(current) != present:
            meta = current["metadata"]
            others = [name for name in meta.get("finalizers") or [] if name != FINALIZER]
            change = {"finalizers": [*others, FINALIZER] if present else others}
            try:
                self._patch(current, {"metadata": {**change, "resourceVersion": meta["resourceVersion"]}})
                return
            except ApiError as error:
                if error.status not in (404, 409):
                    verb = "add" if present else "remove"
                    raise SyncFailed(f"failed to {verb} load balancer cleanup finalizer: {error}") from error
            current = self._read(key)

    def _publish(self, service: Service, ingress: list[dict[str, str]]) -> None:
        if _ingress(service) != ingress:
            self._patch(service, {"status": {"loadBalancer": {"ingress": ingress or None}}}, subresource="status")

    def _patch(self, service: Service, change: dict[str, Any], subresource: str | None = None) -> None:
        meta = service["metadata"]
        self._api.patch("services", meta["namespace"], meta["name"], change, subresource=subresource)


def _ingress(service: Service) -> list[dict[str, str]]:
    return ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
