# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service of type LoadBalancer: read, decided on, kept safe, recreated (SCO-7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._core import waits
from .._core.model import Decision, Finding, Step, Verdict
from .._core.service import scope as service_scope
from .._core.service.scope import ObservedService, saved_name
from .._ports.errors import Invalid
from .._ports.kube import Kube
from .._run import Clock, Progress
from . import aws_look
from .cluster import Site, read_site
from .events import ServiceEvents
from .waiting import WaitOptions, wait_for


class ServiceTopic:
    def __init__(self, params: Mapping[str, Any], clock: Clock | None = None) -> None:
        self._params = params
        self._kube = Kube.connect(params)
        self._aws = aws_look.AwsLook(params)
        self._found: list[Finding] = []
        self._site: Site | None = None
        self._namespace = str(params["service"]["namespace"])
        self._name = str(params["service"]["name"])
        self._patience = WaitOptions(params["wait_timeout"], params["wait_sleep"], clock or Clock())

    def close(self) -> None:
        self._kube.close()

    def observe(self) -> ObservedService:
        if self._site is None:
            self._site = read_site(self._kube, self._params)
        return ObservedService(
            self._site.platform,
            self._namespace,
            self._name,
            self._kube.get("services", self._namespace, self._name),
            self._kube.get("configmaps", self._namespace, saved_name(self._name)),
            str(self._params.get("cluster") or ""),
        )

    def decide(self, observed: ObservedService) -> Decision:
        scope, effectuate = self._params["scope"], self._params["effectuate"]
        decision = service_scope.decide(scope, effectuate, observed)
        more = self._look_at_aws(scope, observed, decision)
        decision = service_scope.decide(scope, effectuate, observed, more) if more else decision
        return decision.with_findings(*self._found)

    def _look_at_aws(self, scope: str, observed: ObservedService, decision: Decision) -> tuple[Finding, ...]:
        """SUB-3: before a Service goes, it is known whether AWS would make the next one."""
        if self._site is None or observed.service is None or decision.verdict is Verdict.BLOCKED:
            return ()
        return self._aws.plain(scope, observed.service, self._site, decision.verdict is Verdict.RECREATE)

    def do(self, step: Step, observed: ObservedService, progress: Progress) -> None:
        if step.verb != "wait":
            self._write(step, observed)
            return
        who = f"{observed.cluster} Service {self._namespace}/{self._name}".lstrip()
        if step.expect["for"] == "gone":
            # Always waited for: the name is free only then.
            uid = step.expect["old_uid"]
            wait_for(lambda _waited: waits.gone(self._service(), uid), self._patience, progress, who)
        elif self._params["wait"]:
            look = self._look_ready if step.expect["for"] == "ready" else self._look_readdressed(step.expect["old"])
            wait_for(look, self._patience, progress, who)

    def _write(self, step: Step, observed: ObservedService) -> None:
        try:
            self._kube.do(step)
        except Invalid as problem:
            causes = problem.details.get("causes") or ()
            body = service_scope.without_taken(step.body, causes) if step.verb == "create" else None
            if body is None:
                raise
            # The Service has to come back, even where its old cluster IP cannot.
            self._kube.do(replace(step, body=body))
            self._found.append(service_scope.taken(observed, causes))

    def _service(self) -> dict[str, Any] | None:
        return self._kube.get("services", self._namespace, self._name)

    def _look_ready(self, _waited: float) -> waits.Look:
        service = self._service()
        return waits.ready(service, [] if waits.addresses(service) else self._events().all())

    def _look_readdressed(self, old: Sequence[str]) -> Callable[[float], waits.Look]:
        events = self._events()
        return lambda _waited: waits.readdressed(self._service(), events.since_first_look(), old)

    def _events(self) -> ServiceEvents:
        return ServiceEvents(self._kube, self._namespace, self._name)
