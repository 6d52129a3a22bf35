# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that moves only when told: operator, garbage collector and cloud take turns until all are at rest.

No threads and a clock that stands still, so what a test or a replay sees is the same every time. The cloud gives every
load balancer an address or a failure event, and holds a deleted Service until it has cleaned up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
    service_name,
)

from ..apiserver.api import Obj
from ..apiserver.store import Cluster
from ..cloud.events import Recorder
from ..cloud.rules import FINALIZER as CLEANUP
from ..cloud.rules import wants_load_balancer
from . import validator
from .config import CLUSTERVERSIONS, DEPLOYMENTS, DNSES, INFRASTRUCTURES, INGRESSCONTROLLERS, INGRESSES, found
from .passes import Operator, Pace, PassFailed
from .records import Provider

CLOUD_FAILURE = "Error syncing load balancer: failed to ensure load balancer: no cloud today"
_MOST_TURNS = 40
_START = datetime(2026, 1, 1, tzinfo=UTC)


class Stepwise:
    """`cloud_fails` and `cloud_holds` (a deleted Service stays) may be set at any time."""

    def __init__(
        self,
        platform: str = "AWS",
        version: str = "4.22",
        *,
        base_domain: str = "lab.invalid",
        zones: Iterable[str] = (),
        provider: Provider | None = None,
        infrastructure: Obj | None = None,
    ) -> None:
        self.cloud_fails = False
        self.cloud_holds = False
        self.cloud_failure = CLOUD_FAILURE
        self.now = _START
        self.cluster = Cluster(
            "stepwise",
            namespaces=(OPERATOR_NAMESPACE, OPERAND_NAMESPACE),
            garbage_collection=False,
            clock=lambda: self.now,
        )
        validator.install(self.cluster)
        dns: Obj = {"baseDomain": base_domain}
        dns |= {key: {"id": zone} for key, zone in zip(("publicZone", "privateZone"), zones, strict=False)}
        for resource, name, parts in (
            (INFRASTRUCTURES, "cluster", {"status": {"platformStatus": {"type": platform, **(infrastructure or {})}}}),
            (CLUSTERVERSIONS, "version", {"status": {"desired": {"version": version}}}),
            (DNSES, "cluster", {"spec": dns}),
            (INGRESSES, "cluster", {"spec": {"domain": f"apps.{base_domain}"}}),
        ):
            self.cluster.seed(resource, {"metadata": {"name": name}, **parts})
        self.operator = Operator(self.cluster, provider, Pace(), clock=lambda: self.now)
        self._recorder = Recorder(self.cluster)

    # -- what a user does and sees ----------------------------------------------------------------------------------

    def create(self, name: str, spec: Obj, annotations: dict[str, str] | None = None) -> None:
        meta = {"name": name, "namespace": OPERATOR_NAMESPACE, "annotations": annotations or {}}
        self.cluster.create(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, {"metadata": meta, "spec": spec})

    def patch(self, name: str, patch: Obj) -> None:
        self.cluster.patch(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, name, patch)

    def patch_service(self, name: str, patch: Obj) -> None:
        self.cluster.patch("services", OPERAND_NAMESPACE, service_name(name), patch)

    def delete_service(self, name: str) -> None:
        self.cluster.delete("services", OPERAND_NAMESPACE, service_name(name))

    def ic(self, name: str) -> Obj | None:
        return found(self.cluster, INGRESSCONTROLLERS, OPERATOR_NAMESPACE, name)

    def service(self, name: str) -> Obj | None:
        return found(self.cluster, "services", OPERAND_NAMESPACE, service_name(name))

    def router_gains_a_replica(self, name: str) -> None:
        """Something moves in status that has nothing to do with the load balancer."""
        router = self.cluster.get(DEPLOYMENTS, OPERAND_NAMESPACE, service_name(name))
        more = {"status": {"availableReplicas": router["status"]["availableReplicas"] + 1}}
        self.cluster.patch(DEPLOYMENTS, OPERAND_NAMESPACE, service_name(name), more, subresource="status")

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    # -- turns ------------------------------------------------------------------------------------------------------

    def rest(self, name: str, *, event_in_time: bool = True) -> None:
        """Until nobody has anything left to do; a late event is one the operator does not come to see."""
        for _turn in range(_MOST_TURNS):
            moved = self._moved(lambda: self.clean_up(name))
            if event_in_time:
                self.provision(name)
            if self.operator_pass(name) or moved:
                continue
            if not self._moved(lambda: self.provision(name)) or not event_in_time:
                return
        raise AssertionError(f"operator and cloud did not come to rest in {_MOST_TURNS} turns")

    def operator_pass(self, name: str) -> bool:
        """Did it write anything? Where it failed is in its log; what it wrote before counts."""

        def act() -> None:
            with contextlib.suppress(PassFailed):
                self.operator.sync(name)

        return self._moved(act)

    def clean_up(self, name: str) -> None:
        """Garbage collector and cloud let a deleted Service go."""
        self.cluster.collect_garbage()
        service = self.service(name)
        if service is not None and service["metadata"].get("deletionTimestamp") and not self.cloud_holds:
            self._finalizers(service, [entry for entry in service["metadata"]["finalizers"] if entry != CLEANUP])

    def provision(self, name: str) -> None:
        """An address, or one failure event per Service."""
        service = self.service(name)
        if service is None or not wants_load_balancer(service) or dig(service, "status", "loadBalancer", "ingress"):
            return
        finalizers = service["metadata"].get("finalizers", [])
        if CLEANUP not in finalizers and not service["metadata"].get("deletionTimestamp"):
            self._finalizers(service, [*finalizers, CLEANUP])
        if self.cloud_fails:
            about = f"involvedObject.uid={service['metadata']['uid']}"
            if not self.cluster.list("events", OPERAND_NAMESPACE, field_selector=about)["items"]:
                self._recorder.warning(service, "SyncLoadBalancerFailed", self.cloud_failure)
            return
        change = {"status": {"loadBalancer": {"ingress": [{"hostname": f"{service['metadata']['uid']}.example.com"}]}}}
        self.cluster.patch("services", OPERAND_NAMESPACE, service_name(name), change, subresource="status")

    def _finalizers(self, service: Obj, finalizers: list[str]) -> None:
        change = {"metadata": {"finalizers": finalizers or None}}
        self.cluster.patch("services", OPERAND_NAMESPACE, service["metadata"]["name"], change)

    def _moved(self, act: Callable[[], None]) -> bool:
        before = self.cluster.resource_version
        act()
        return self.cluster.resource_version != before
