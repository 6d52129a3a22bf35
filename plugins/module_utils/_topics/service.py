# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service of type LoadBalancer: read, decided on, kept safe, recreated (SCO-7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from .._core import waits
from .._core.aws.question import AwsQuestion
from .._core.model import Decision, Finding, Question, Step, Target, Wait
from .._core.safety import not_in_force
from .._core.service import kept, scope
from .._core.service.kept import kept_name
from .._core.service.state import ObservedService
from .._engine import Lock, Progress, Topic
from .._ports.errors import Invalid, Misconfigured
from .._ports.kube import Kube
from .._ports.lease import TargetLock
from .._ports.reading import Object
from .._readers.aws import AwsReader
from .._readers.cluster import Given, told_platform
from .._readers.events import ServiceEvents
from .._readers.rights import Right, see_rights
from .._readers.service import read_service
from .._waiting import WaitOptions, wait_for

Seen = TypeVar("Seen", bound=ObservedService)
Looks = dict[str, Callable[[float], waits.Look]]


class PlainTopic(Topic[Seen]):
    """What every topic of a plain Service has in common: its lock, its rights, its writes and its waits."""

    _gives_way: tuple[str, ...] = ("create",)  # writes that go on without a value that another Service got meanwhile
    _always_waited: tuple[str, ...] = ("gone",)  # the name is free only then

    def __init__(self, kube: Kube, aws: AwsReader, given: Given, place: tuple[str, str], waiting: WaitOptions) -> None:
        """`place`: namespace and name."""
        self._kube, self._aws, self._given, self._place = kube, aws, given, place
        self._waiting = waiting
        self.waits = waiting.asked
        self._taken: list[str] = []

    def lock(self) -> Lock:
        namespace, name = self._place
        return TargetLock(self._kube, Target("Service", name, namespace, self._given.name), self._waiting.clock)

    def confirm(self, observed: Seen) -> Seen:
        """A cluster that tells its platform is believed more than the task."""
        if not self._given.platform or not (said := told_platform(self._kube)) or said == self._given.platform:
            return observed
        raise Misconfigured(
            f"platform: {self._given.platform} was given, and the cluster says {said}.", "Correct it or leave it out."
        )

    def begin(self, decision: Decision, observed: Seen) -> None:
        see_rights(self._kube, observed.target, decision.steps, self._reads())

    def _reads(self) -> list[Right]:
        namespace, name = self._place
        return [Right("get", "services", namespace, name), Right("get", "configmaps", namespace, kept_name(name))]

    def do(self, step: Step, observed: Seen, progress: Progress) -> None:
        if step.wait_for is None:
            self._write(step)
        elif step.wait_for.until in self._always_waited or self._waiting.asked:
            who = f"{observed.cluster} {observed.target}".lstrip()
            with self._kube.within(self._waiting.timeout):
                wait_for(self._looks(step, step.wait_for, observed)[step.wait_for.until], self._waiting, progress, who)

    def _write(self, step: Step) -> None:
        write_service(self._kube, step, self._taken, self._gives_way)

    def _looks(self, step: Step, wait: Wait, _observed: Seen) -> Looks:
        return looks_at_service(self._kube, (step.namespace, step.name), wait)


class ServiceTopic(PlainTopic[ObservedService]):
    def __init__(
        self,
        kube: Kube,
        aws: AwsReader,
        given: Given,
        place: tuple[str, str],
        wanted: tuple[str, str],
        waiting: WaitOptions,
    ) -> None:
        """`place`: namespace and name. `wanted`: scope, and how it is effectuated."""
        super().__init__(kube, aws, given, place, waiting)
        self._wanted = wanted
        self._known: ObservedService | None = None

    def read(self, knowing: ObservedService | None = None) -> ObservedService:
        found = read_service(self._kube, self._given, *self._place, knowing or self._known, self._waiting.clock)
        observed = replace(found, taken=tuple(self._taken))
        if knowing is None:
            observed = self._known = replace(observed, aws=self._aws.before_asking)
        return observed

    def decide(self, observed: ObservedService) -> Decision | Question:
        return scope.decide(*self._wanted, observed, self._waiting.asked)

    def ask(self, question: Question, observed: ObservedService) -> ObservedService:
        if not isinstance(question, AwsQuestion):
            return super().ask(question, observed)
        return replace(observed, aws=self._aws.answer(question))

    def missing(self, last: Decision, _observed: ObservedService) -> tuple[Finding, ...]:
        return not_in_force(last, self._wanted[1] != "report", self._waiting.asked)


def write_service(kube: Kube, step: Step, taken: list[str], gives_way: tuple[str, ...] = ("create",)) -> None:
    """A Service has to come back, even where its old cluster IP or node ports cannot; those are added to `taken`.

    A server names one allocation failure at a time, so each try is without one more; that comes to an end.
    """
    while True:
        try:
            kube.do(step)
            return
        except Invalid as problem:
            causes = problem.details.get("causes") or ()
            smaller = kept.without_taken(step.body, causes) if step.verb in gives_way else None
            if smaller is None:
                raise
            body, lost = smaller
            taken += lost
            step = replace(step, body=body)


def looks_at_service(kube: Kube, place: tuple[str, str], wait: Wait) -> Looks:
    """Every kind of wait for one Service, as what one look at the cluster is; `place`: namespace and name."""
    events = ServiceEvents(kube, *place)

    def service() -> Object | None:
        return kube.get("services", *place)

    def ready(_waited: float) -> waits.Look:
        seen = service()
        return waits.ready(seen, [] if waits.addresses(seen) else events.all())

    def readdressed(_waited: float) -> waits.Look:
        return waits.readdressed(service(), events.since_first_look(), wait.old_addresses)

    def gone(_waited: float) -> waits.Look:
        seen = service()
        return waits.gone(seen, wait.old_uid, [] if seen is None else events.all())

    return {"ready": ready, "readdressed": readdressed, "gone": gone}
