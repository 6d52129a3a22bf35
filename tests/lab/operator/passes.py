# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One pass of the operator over one IngressController: read the cluster, ask the model, write what it says.

Nothing is decided here. A pass is synchronous, so a replay can drive it step by step; `twin` runs passes in a thread.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import admission, status
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    FINALIZER,
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
    service_name,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.reconcile import (
    Outcome,
    admit,
    ensure_service,
    sync_status,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.router_service import wanted

from ..apiserver.api import Api, ApiError, Obj
from . import health, objects
from .config import (
    CLUSTEROPERATORS,
    CLUSTERVERSIONS,
    DEPLOYMENTS,
    INGRESSCONTROLLERS,
    Config,
    found,
    operator_version,
    read,
)
from .records import Provider, ProviderError, Records, failed

_log = logging.getLogger(__name__)
_LOG_LINES = 500


@dataclass(frozen=True)
class Pace:
    """Seconds. `speed` scales every wait of the operator: 0.02 makes the 90 s before Degraded 1.8 s."""

    speed: float = 1.0
    look_again: float = 5.0  # at what is not ready yet, since the operator does not watch events
    least: float = 0.25
    before_writing: float = 0.0  # of a busy operator: what it has read is old by the time it writes

    @property
    def seconds(self) -> float:
        return max(self.look_again * self.speed, self.least)


class PassFailed(Exception):
    """The pass ended early; the operator says so in its log and tries again."""


class Operator:
    """The ingress operator of one cluster. `log` holds its newest error messages, oldest first."""

    def __init__(
        self,
        api: Api,
        provider: Provider | None = None,
        pace: Pace | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._api = api
        self.records = Records(api, provider)
        self.pace = pace or Pace()
        self._clock = clock
        self.log: deque[str] = deque(maxlen=_LOG_LINES)

    def names(self) -> list[str]:
        listed = self._api.list(INGRESSCONTROLLERS, OPERATOR_NAMESPACE)["items"]
        return [ic["metadata"]["name"] for ic in listed]

    def create_default(self) -> None:
        """What the operator of a new cluster does first, unless an installer brought its own."""
        if found(self._api, INGRESSCONTROLLERS, OPERATOR_NAMESPACE, health.DEFAULT_IC) is None:
            new = {"metadata": {"name": health.DEFAULT_IC, "namespace": OPERATOR_NAMESPACE}, "spec": {}}
            self._api.create(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, new)

    def sync(self, name: str) -> float | None:
        """One pass: seconds until it has to be looked at again by itself, None at rest. Raises PassFailed."""
        try:
            try:
                ic = found(self._api, INGRESSCONTROLLERS, OPERATOR_NAMESPACE, name)
                return self._pass(ic) if ic is not None else None
            finally:
                self._report()  # a failed pass, too, may have written status
        except (ApiError, ProviderError, PassFailed) as problem:
            self.log.append(f"{name}: {problem}")
            _log.info("%s: %s", name, problem)
            raise PassFailed(str(problem)) from problem

    def _pass(self, ic: Obj) -> float | None:
        if ic["metadata"].get("deletionTimestamp"):
            return self._finalize(ic)
        config = read(self._api)
        if admission.needs_admission(config.profile, ic):
            outcome = admit(config.profile, config.infra, ic, self._now())
            self._write_status(ic, outcome)
            return 0.0
        ic = self._with_finalizer(ic)
        deployment = self._ensure_deployment(ic)
        owner = objects.reference(deployment)
        record, service, problem = None, None, ""
        try:
            service = self._ensure_service(config, ic, owner)
            record = self.records.ensure(ic, service, config.zones)
        except PassFailed as failure:
            problem = str(failure)  # status is synced all the same, as if there were no Service
        self._ensure_internal_service(ic, owner)
        around = health.Surroundings(deployment, record, config.zones)
        again = self._sync_status(config, ic, service, around)
        if problem:
            raise PassFailed(problem)
        return again

    # -- the load balancer's Service ------------------------------------------------------------------------------

    def _ensure_service(self, config: Config, ic: Obj, owner: Obj) -> Obj | None:
        name = service_name(ic["metadata"]["name"])
        current = found(self._api, "services", OPERAND_NAMESPACE, name)
        outcome = ensure_service(config.profile, config.infra, ic, current)
        doing = "update"
        try:
            if outcome.error:
                raise PassFailed(outcome.error)
            if outcome.delete or outcome.create is not None or outcome.update is not None:
                self._hesitate()
            if outcome.delete and current is not None:
                doing = "delete"
                self._delete_once(current)
                current = None
            if outcome.create is not None:
                doing = "create"
                meta = {**outcome.create["metadata"], "ownerReferences": [owner]}
                current = self._api.create("services", OPERAND_NAMESPACE, {**outcome.create, "metadata": meta})
            elif outcome.update is not None:
                current = self._api.replace("services", OPERAND_NAMESPACE, name, outcome.update)
        except (ApiError, PassFailed) as problem:
            about = f"failed to ensure load balancer service for {ic['metadata']['name']}"
            what = f"failed to {doing} load balancer service {OPERAND_NAMESPACE}/{name}: {problem}"
            raise PassFailed(f"{about}: {what if isinstance(problem, ApiError) else problem}") from problem
        return current

    def _delete_once(self, service: Obj) -> None:
        """Asking again would put the foreground finalizer back that the garbage collector has just removed."""
        meta = service["metadata"]
        if not meta.get("deletionTimestamp"):
            self._api.delete("services", OPERAND_NAMESPACE, meta["name"], uid=meta["uid"], propagation="Foreground")

    # -- what stands around it ------------------------------------------------------------------------------------

    def _with_finalizer(self, ic: Obj) -> Obj:
        meta = ic["metadata"]
        had = meta.get("finalizers") or []
        if FINALIZER in had:
            return ic
        change = {"finalizers": [*had, FINALIZER], "resourceVersion": meta["resourceVersion"]}
        return self._api.patch(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, meta["name"], {"metadata": change})

    def _ensure_deployment(self, ic: Obj) -> Obj:
        desired = objects.deployment(ic)
        name = desired["metadata"]["name"]
        current = found(self._api, DEPLOYMENTS, OPERAND_NAMESPACE, name)
        if current is None:
            current = self._api.create(DEPLOYMENTS, OPERAND_NAMESPACE, desired)
        elif current["spec"].get("replicas") != desired["spec"]["replicas"]:
            change = {"spec": {"replicas": desired["spec"]["replicas"]}}
            current = self._api.patch(DEPLOYMENTS, OPERAND_NAMESPACE, name, change)
        elif current.get("status"):
            return current
        rolled_out = {"status": objects.rolled_out(current)}
        return self._api.patch(DEPLOYMENTS, OPERAND_NAMESPACE, name, rolled_out, subresource="status")

    def _ensure_internal_service(self, ic: Obj, owner: Obj) -> None:
        name = objects.internal_service_name(ic["metadata"]["name"])
        if found(self._api, "services", OPERAND_NAMESPACE, name) is None:
            self._api.create("services", OPERAND_NAMESPACE, objects.internal_service(ic, owner))

    def _finalize(self, ic: Obj) -> float | None:
        """Record first (its alias needs the load balancer), then the router: its Services go with it."""
        meta = ic["metadata"]
        name = service_name(meta["name"])
        if not self.records.delete(meta["name"]):
            return self.pace.seconds
        router = found(self._api, DEPLOYMENTS, OPERAND_NAMESPACE, name)
        if router is not None:
            if not router["metadata"].get("deletionTimestamp"):
                self._api.delete(DEPLOYMENTS, OPERAND_NAMESPACE, name)
            if found(self._api, DEPLOYMENTS, OPERAND_NAMESPACE, name) is not None:
                return self.pace.seconds
        left = [entry for entry in meta.get("finalizers") or () if entry != FINALIZER]
        change = {"finalizers": left or None, "resourceVersion": meta["resourceVersion"]}
        self._api.patch(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, meta["name"], {"metadata": change})
        return None

    # -- status ---------------------------------------------------------------------------------------------------

    def _sync_status(self, config: Config, ic: Obj, service: Obj | None, around: health.Surroundings) -> float | None:
        now, before = self._now(), ic.get("status") or {}
        outcome = sync_status(config.profile, config.infra, ic, service, self._events(service), now, moved=True)
        if outcome.error:
            raise PassFailed(outcome.error)
        whole = health.completed(config.profile, before, outcome.ic_status, around, now, self.pace.speed)
        if health.moved(before, whole.ic_status) or not status.same(before, whole.ic_status):
            self._write_status(ic, Outcome(ic_status=whole.ic_status))
        waits = [whole.again_in] if whole.again_in is not None else []
        if failed(around.record) or (wanted(ic) and not _address(service)):
            waits.append(self.pace.seconds)
        return min(waits, default=None)

    def _write_status(self, ic: Obj, outcome: Outcome) -> None:
        if outcome.error:
            raise PassFailed(outcome.error)
        self._hesitate()
        changed = {**ic, "status": outcome.ic_status}
        self._api.replace(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, ic["metadata"]["name"], changed, subresource="status")

    def _events(self, service: Obj | None) -> list[Obj]:
        """Failed syncs count only while there is no address."""
        if service is None or _address(service):
            return []
        about = f"involvedObject.uid={service['metadata']['uid']}"
        return list(self._api.list("events", OPERAND_NAMESPACE, field_selector=about)["items"])

    def _report(self) -> None:
        """ClusterOperator `ingress`: the sum of all IngressControllers."""
        ics = self._api.list(INGRESSCONTROLLERS, OPERATOR_NAMESPACE)["items"]
        current = found(self._api, CLUSTEROPERATORS, None, "ingress")
        if current is None:
            current = self._api.create(CLUSTEROPERATORS, None, {"metadata": {"name": "ingress"}, "spec": {}})
        before = current.get("status") or {}
        conditions = status.merged(before.get("conditions") or (), health.cluster_operator(ics), self._now())
        after = {**before, "conditions": conditions}
        if health.all_available(ics):
            version = operator_version(found(self._api, CLUSTERVERSIONS, None, "version"))
            after["versions"] = [{"name": "operator", "version": version}]
        if after != before:
            self._api.replace(CLUSTEROPERATORS, None, "ingress", {**current, "status": after}, subresource="status")

    def _hesitate(self) -> None:
        if self.pace.before_writing:
            time.sleep(self.pace.before_writing)

    def _now(self) -> str:
        return self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")


def _address(service: Obj | None) -> bool:
    return bool(dig(service, "status", "loadBalancer", "ingress"))
