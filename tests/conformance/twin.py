# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded histories on the lab's own servers: the operator twin at work on the API server twin.

Both run in this process and take turns when told to, so that two hundred histories take seconds and the same ones fail
every time. The cloud is the recording's: it gives an address or an event, and holds a Service until it has cleaned up.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
)

from ..lab.apiserver.api import ApiError, Obj
from ..lab.apiserver.store import Cluster
from ..lab.cloud.rules import FINALIZER as CLEANUP
from ..lab.operator import validator
from ..lab.operator.config import (
    CLUSTERVERSIONS,
    DEPLOYMENTS,
    DNSES,
    INFRASTRUCTURES,
    INGRESSCONTROLLERS,
    INGRESSES,
    found,
)
from ..lab.operator.passes import Operator, PassFailed
from .histories import (
    BASE_DOMAIN,
    Refused,
    failure_event,
    replay,
    shown,
)
from .runner import Mismatch, Vector

_MOST_TURNS = 40
# The clock stands still: no grace period ends while a history is replayed.
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


class TwinWorld:
    """One cluster of the lab, driven by hand."""

    def __init__(self, vector: Vector) -> None:
        self.cloud_fails = False
        self._name: str = vector["ic_name"]
        self._service_name = f"router-{self._name}"
        self._events = 0
        self._cluster = Cluster(
            "history", namespaces=(OPERATOR_NAMESPACE, OPERAND_NAMESPACE), garbage_collection=False, clock=lambda: _NOW
        )
        validator.install(self._cluster)
        for resource, obj in _cluster_objects(vector["platform"], vector["version"]):
            self._cluster.seed(resource, obj)
        self._operator = Operator(self._cluster, clock=lambda: _NOW)

    @property
    def exists(self) -> bool:
        return self._ic() is not None

    def act(self, step: Vector, name: str) -> None:
        cluster = self._cluster
        try:
            if step["op"] == "create":
                meta = {"name": name, "namespace": OPERATOR_NAMESPACE, "annotations": step["annotations"]}
                cluster.create(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, {"metadata": meta, "spec": step["spec"]})
            elif step["op"] == "patch_ic":
                cluster.patch(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, name, step["patch"])
            elif step["op"] == "patch_service":
                cluster.patch("services", OPERAND_NAMESPACE, self._service_name, step["patch"])
            elif step["op"] == "delete_service":
                cluster.delete("services", OPERAND_NAMESPACE, self._service_name)
            else:
                self.cloud_fails = step["fails"]
        except ApiError as error:
            raise Refused([f"{cause['field']}: {cause['message']}" for cause in error.causes]) from error

    def settle(self, event_in_time: bool, status_moves: bool) -> None:
        self._take_turns(event_in_time)
        router = found(self._cluster, DEPLOYMENTS, OPERAND_NAMESPACE, self._service_name)
        if status_moves and router is not None:
            more = {"status": {"availableReplicas": router["status"]["availableReplicas"] + 1}}
            self._cluster.patch(DEPLOYMENTS, OPERAND_NAMESPACE, self._service_name, more, subresource="status")
            self._operator_pass()

    def _take_turns(self, event_in_time: bool) -> None:
        for _turn in range(_MOST_TURNS):
            moved = self._clean_up()
            if event_in_time:
                self._provision()
            if self._operator_pass() or moved:
                continue
            if not self._provision() or not event_in_time:
                return
        raise AssertionError(f"operator and cloud did not come to rest in {_MOST_TURNS} turns")

    def _operator_pass(self) -> bool:
        """Did it write anything?"""
        before = self._cluster.resource_version
        with contextlib.suppress(PassFailed):  # it is in its log; what it wrote before it failed counts
            self._operator.sync(self._name)
        return self._cluster.resource_version != before

    def _clean_up(self) -> bool:
        """Garbage collector and cloud let a deleted Service go."""
        before = self._cluster.resource_version
        self._cluster.collect_garbage()
        service = self._service()
        if service is not None and service["metadata"].get("deletionTimestamp"):
            self._finalizers(service, [name for name in service["metadata"]["finalizers"] if name != CLEANUP])
        return self._cluster.resource_version != before

    def _provision(self) -> bool:
        """An address, or one failure event per Service. Did it do anything?"""
        service = self._service()
        if service is None or (service.get("status") or {}).get("loadBalancer", {}).get("ingress"):
            return False
        meta = service["metadata"]
        if CLEANUP not in meta.get("finalizers", ()):
            self._finalizers(service, [*meta.get("finalizers", ()), CLEANUP])
        if not self.cloud_fails:
            change = {"status": {"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}]}}}
            self._cluster.patch("services", OPERAND_NAMESPACE, meta["name"], change, subresource="status")
            return True
        about = f"involvedObject.uid={meta['uid']}"
        if self._cluster.list("events", OPERAND_NAMESPACE, field_selector=about)["items"]:
            return False
        self._events += 1
        event = failure_event(meta["name"], meta["uid"])
        name = f"{meta['name']}.{self._events:016x}"
        self._cluster.create("events", OPERAND_NAMESPACE, {**event, "metadata": {"name": name}})
        return True

    def _finalizers(self, service: Obj, finalizers: list[str]) -> None:
        change = {"metadata": {"finalizers": finalizers or None}}
        self._cluster.patch("services", OPERAND_NAMESPACE, service["metadata"]["name"], change)

    def _service(self) -> Obj | None:
        return found(self._cluster, "services", OPERAND_NAMESPACE, self._service_name)

    def _ic(self) -> Obj | None:
        return found(self._cluster, INGRESSCONTROLLERS, OPERATOR_NAMESPACE, self._name)

    def shown(self) -> dict[str, Any]:
        return shown(self._ic() or {}, self._service())


def _cluster_objects(platform: str, version: str) -> list[tuple[str, Obj]]:
    return [
        (INFRASTRUCTURES, {"metadata": {"name": "cluster"}, "status": {"platformStatus": {"type": platform}}}),
        (CLUSTERVERSIONS, {"metadata": {"name": "version"}, "status": {"desired": {"version": version}}}),
        (DNSES, {"metadata": {"name": "cluster"}, "spec": {"baseDomain": BASE_DOMAIN}}),
        (INGRESSES, {"metadata": {"name": "cluster"}, "spec": {}}),
    ]


def replay_on_twin(vector: Vector) -> list[Mismatch]:
    return replay(vector, TwinWorld)
