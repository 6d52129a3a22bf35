# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service of type LoadBalancer: read, decided on, kept safe, recreated (SCO-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import service_scope, waits
from .._core.model import Decision, Step
from .._core.service_scope import ObservedService, saved_name
from .._ports.kube import Kube
from .._run import Clock, Progress
from .cluster import read_platform
from .waiting import Patience, wait_for


class ServiceTopic:
    def __init__(self, params: Mapping[str, Any], clock: Clock | None = None) -> None:
        self._params = params
        self._kube = Kube.connect(params)
        self._platform = ""
        self._namespace = str(params["service"]["namespace"])
        self._name = str(params["service"]["name"])
        self._patience = Patience(params["wait_timeout"], params["wait_sleep"], clock or Clock())

    def close(self) -> None:
        self._kube.close()

    def observe(self) -> ObservedService:
        if not self._platform:
            self._platform = read_platform(self._kube, self._params)
        return ObservedService(
            self._platform,
            self._namespace,
            self._name,
            self._kube.get("services", self._namespace, self._name),
            self._kube.get("configmaps", self._namespace, saved_name(self._name)),
            str(self._params.get("cluster") or ""),
        )

    def decide(self, observed: ObservedService) -> Decision:
        return service_scope.decide(self._params["scope"], self._params["effectuate"], observed)

    def do(self, step: Step, observed: ObservedService, progress: Progress) -> None:
        if step.verb != "wait":
            self._kube.do(step)
            return
        who = f"{observed.cluster} Service {self._namespace}/{self._name}".lstrip()
        if step.expect["for"] == "gone":
            # Always waited for: the name is free only then.
            uid = step.expect["old_uid"]
            wait_for(lambda _waited: waits.gone(self._service(), uid), self._patience, progress, who)
        elif self._params["wait"]:
            wait_for(lambda _waited: self._look_ready(), self._patience, progress, who)

    def _service(self) -> dict[str, Any] | None:
        return self._kube.get("services", self._namespace, self._name)

    def _look_ready(self) -> waits.Look:
        service = self._service()
        if service is not None and service.get("status", {}).get("loadBalancer", {}).get("ingress"):
            return waits.Look(True)
        selector = f"involvedObject.kind=Service,involvedObject.name={self._name}"
        return waits.ready(service, self._kube.list("events", self._namespace, field_selector=selector))
