# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's load balancers: read, decided on, built, handed over to; with a copy in the cluster's place, rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from .._core import waits
from .._core.api_slb import readiness
from .._core.api_slb.copies import observed_in
from .._core.api_slb.decide import decide, proven
from .._core.api_slb.names import SLBS, target
from .._core.api_slb.paths import CONNECTED
from .._core.api_slb.state import (
    BalancersQuestion,
    ObservedApi,
    PathQuestion,
    Reserved,
    ReservedQuestion,
    WantedApi,
    ZoneQuestion,
)
from .._core.model import Decision, Finding, Question, Step, Wait
from .._core.safety import not_in_force
from .._core.service.kept import kept_name
from .._engine import Lock, Progress, Topic
from .._ports import paths
from .._ports.errors import Conflict
from .._ports.kube import Kube
from .._ports.lease import TargetLock
from .._ports.route53 import Route53
from .._readers.api_slb import read_api, read_endpoints
from .._readers.aws import AwsReader
from .._readers.cluster import Given
from .._readers.events import ServiceEvents
from .._readers.rights import Right, see_rights
from .._readers.service import SLICES
from .._waiting import WaitOptions, wait_for
from .service import looks_at_service, write_service


class ApiSlbTopic(Topic[ObservedApi]):
    def __init__(
        self,
        kube: Kube,
        aws: AwsReader,
        given: Given,
        wanted: WantedApi,
        waiting: WaitOptions,
        dns: Callable[[], Route53],
    ) -> None:
        """`dns`: the way to Route 53, which most tasks never go."""
        self._kube, self._aws, self._given, self._dns = kube, aws, given, dns
        self._wanted, self._waiting = wanted, waiting
        self._known: ObservedApi | None = None
        self.waits = waiting.asked
        self._taken: dict[str, list[str]] = {slb.name: [] for slb in SLBS}

    def read(self, knowing: ObservedApi | None = None) -> ObservedApi:
        """What AWS said counts until something was written; paths are tried anew each time."""
        found = read_api(self._kube, self._given, knowing or self._known, self._waiting.clock)
        services = {role: replace(seen, taken=tuple(self._taken[seen.name])) for role, seen in found.services.items()}
        skipped = self._aws.before_asking is not None
        observed = replace(found, services=services, host=_host(self._kube.host), aws_skipped=skipped)
        if knowing is not None:
            return replace(observed, reserved=knowing.reserved, aws=knowing.aws)
        self._known = observed
        return observed

    def decide(self, observed: ObservedApi) -> Decision | Question:
        return decide(self._wanted, observed, self._waiting.asked)

    def ask(self, question: Question, observed: ObservedApi) -> ObservedApi:
        if isinstance(question, ReservedQuestion):
            eips, named, why_not = self._aws.reserved(question.infra, question.name, question.ids)
            return observed.answered(reserved=Reserved(eips, named, why_not))
        if isinstance(question, BalancersQuestion):
            return observed.answered(aws={role: self._aws.answer(one) for role, one in question.about})
        if isinstance(question, PathQuestion):
            return observed.answered(paths={**(observed.paths or {}), **paths.try_all(question.paths)})
        if isinstance(question, ZoneQuestion):
            zones = {zone: self._dns().records(zone, names) for zone, names in question.zones}
            return observed.answered(zones=zones)
        return super().ask(question, observed)

    def lock(self) -> Lock:
        return TargetLock(self._kube, target(self._given.name), self._waiting.clock)

    def begin(self, decision: Decision, observed: ObservedApi) -> None:
        reads = [
            right
            for slb in SLBS
            for right in (
                Right("get", "services", slb.namespace, slb.name),
                Right("get", "configmaps", slb.namespace, kept_name(slb.name)),
                Right("list", SLICES, slb.namespace),
            )
        ]
        see_rights(self._kube, observed.target, decision.steps, reads)

    def recheck(self, step: Step, _decision: Decision, observed: ObservedApi) -> Step:
        """API-7: a path that answered a while ago has to answer still, right before another one goes."""
        known = proven(observed)
        if step.verb != "delete" or not known:
            return step
        silent = [at for at, seen in paths.try_all(known).items() if seen.state != CONNECTED]
        if silent:
            raise Conflict(f"{', '.join(silent)} answered a moment ago, and does not any more.", "Run again.")
        return step

    def missing(self, last: Decision, _observed: ObservedApi) -> tuple[Finding, ...]:
        return not_in_force(last, True, self._waiting.asked)

    def do(self, step: Step, observed: ObservedApi, progress: Progress) -> None:
        if step.port == "route53":
            self._dns().change(step.name, step.body)
        elif step.wait_for is None:
            write_service(self._kube, step, self._taken.get(step.name, []))
        elif step.wait_for.until == "gone" or self._waiting.asked:
            who = f"{observed.cluster} Service {step.namespace}/{step.name}".lstrip()
            wait_for(self._look(step, step.wait_for), self._waiting, progress, who)

    def _look(self, step: Step, wait: Wait) -> Callable[[float], waits.Look]:
        place = (step.namespace, step.name)
        if wait.until != "served":
            return looks_at_service(self._kube, place, wait)[wait.until]
        events = ServiceEvents(self._kube, *place)

        def served(_waited: float) -> waits.Look:
            seen = self._kube.get("services", *place)
            ends = read_endpoints(self._kube, *place)
            return readiness.served(seen, ends, [] if waits.addresses(seen) else events.all())

        return served


def _host(url: str) -> str:
    """host:port of the server that this run talks to."""
    parts = urlsplit(url)
    if not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{parts.port or 443}"


class NoLock:
    """Of what nobody else can change."""

    def acquire(self) -> None:
        """There is nothing to keep others from."""

    def hold(self, firmly: bool = False) -> None:
        """It cannot be lost."""

    def release(self) -> None:
        """It was never had."""


class CopyTopic(Topic[ObservedApi]):
    """The API is down, or nobody wants to ask it: a copy of its objects stands for it (API-8)."""

    def __init__(self, copy: Mapping[str, Any], given: Given, wanted: WantedApi) -> None:
        self._copy, self._given, self._wanted = copy, given, wanted

    def read(self, _knowing: ObservedApi | None = None) -> ObservedApi:
        return observed_in(self._copy, self._given.name)

    def decide(self, observed: ObservedApi) -> Decision | Question:
        return decide(self._wanted, observed)

    def lock(self) -> Lock:
        return NoLock()

    def do(self, step: Step, _observed: ObservedApi, _progress: Progress) -> None:
        raise TypeError(f"{step.ref}: nothing is done to a copy")
