# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service's class: evidence gathered, its load balancer given to another controller, nothing lost (CLS-1…6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .._core import waits
from .._core.aws.facts import AwsLoadBalancer
from .._core.aws.question import AwsQuestion
from .._core.lb_class import looks
from .._core.lb_class.decide import decide
from .._core.lb_class.owner import owner
from .._core.lb_class.state import REPORT, SIDE_BY_SIDE, ObservedClass, WantedClass, begins, class_of, successor_name
from .._core.lb_class.watched import ClassQuestion
from .._core.model import Decision, Finding, Question, Step, Wait
from .._core.safety import not_in_force
from .._ports.errors import PortError
from .._ports.kube import Kube
from .._ports.reading import Object, Objects
from .._readers.aws import AwsReader
from .._readers.cluster import Given
from .._readers.events import ServiceEvents
from .._readers.lb_class import read_class, read_endpoints, read_evidence
from .._readers.rights import Right
from .._readers.service import SLICES
from .._waiting import WaitOptions
from .service import Looks, PlainTopic

# How long a cloud may still show what its controller says is deleted.
_GRACE = 20.0


class ClassTopic(PlainTopic[ObservedClass]):
    _gives_way = ("create", "patch")
    _always_waited = ("gone", "cleaned")

    def __init__(
        self,
        kube: Kube,
        aws: AwsReader,
        given: Given,
        place: tuple[str, str],
        wanted: WantedClass,
        waiting: WaitOptions,
        unwatched_after: float,
    ) -> None:
        """`place`: namespace and name. `unwatched_after`: seconds until a class that nothing happens to is nobody's."""
        super().__init__(kube, aws, given, place, waiting)
        self._wanted, self._unwatched_after = wanted, unwatched_after
        self._known: ObservedClass | None = None
        self._left: list[str] = []
        self._unproven = ""

    def read(self, knowing: ObservedClass | None = None) -> ObservedClass:
        found = read_class(
            self._kube, self._given, self._place, self._wanted, knowing or self._known, self._waiting.clock
        )
        observed = replace(found, taken=tuple(self._taken), left=tuple(self._left), unproven=self._unproven)
        if knowing is None:
            observed = self._known = replace(observed, aws=self._aws.before_asking, evidence=None)
        return observed

    def decide(self, observed: ObservedClass) -> Decision | Question:
        return decide(self._wanted, observed, self._waiting.asked)

    def ask(self, question: Question, observed: ObservedClass) -> ObservedClass:
        if isinstance(question, ClassQuestion):
            return replace(observed, evidence=read_evidence(self._kube, question))
        if isinstance(question, AwsQuestion):
            return replace(observed, aws=self._aws.answer(question))
        return super().ask(question, observed)

    def missing(self, last: Decision, _observed: ObservedClass) -> tuple[Finding, ...]:
        return not_in_force(last, self._wanted.way != REPORT, self._waiting.asked)

    def _reads(self) -> list[Right]:
        if self._wanted.way != SIDE_BY_SIDE:
            return super()._reads()
        namespace, name = self._place
        second = successor_name(name, self._wanted.suffix)
        return [*super()._reads(), Right("get", "services", namespace, second), Right("list", SLICES, namespace)]

    def _looks(self, step: Step, wait: Wait, observed: ObservedClass) -> Looks:
        place = (step.namespace, step.name)
        events = ServiceEvents(self._kube, *place)
        since = observed.now if begins(self._wanted, observed) else observed.begun

        def told(seen: Object | None) -> Objects:
            if waits.addresses(seen):
                return []
            return looks.concerning(events.all(), class_of(seen), since)

        def ready(waited: float) -> waits.Look:
            seen = self._kube.get("services", *place)
            return looks.taken_up(seen, told(seen), waited, self._unwatched_after)

        def serves(waited: float) -> waits.Look:
            seen = self._kube.get("services", *place)
            behind = read_endpoints(self._kube, *place) if waits.addresses(seen) else None
            return looks.serves(seen, told(seen), behind, waited, self._unwatched_after)

        shared = super()._looks(step, wait, observed)
        return {**shared, "ready": ready, "serves": serves, "cleaned": self._cleaned(step, wait, observed, events)}

    def _cleaned(
        self, step: Step, wait: Wait, observed: ObservedClass, events: ServiceEvents
    ) -> Callable[[float], waits.Look]:
        """First the finalizers go; then the cloud is asked. Where the Service is gone, its return is not held up."""
        begun: list[float] = []  # when the finalizers were first seen gone
        former = observed.manifest if observed.stopped else observed.service
        lb_class = class_of(former)
        who = owner(former, observed.platform, lb_class, self._wanted.known).name or "its controller"

        def look(waited: float) -> waits.Look:
            seen = self._kube.get("services", step.namespace, step.name)
            here = seen is not None and seen["metadata"].get("uid") == wait.old_uid
            held = looks.holders(seen, lb_class, who) if here else []
            removal = waits.removal(seen, events.all()) if held else waits.Look(False)
            let_go = looks.let_go(held, removal)
            if not let_go.done:
                return let_go
            begun.append(waited)
            lb = self._still_there(observed, wait)
            if lb is None:
                return waits.Look(True)
            over = waited - begun[0] >= min(_GRACE, self._waiting.timeout / 2)
            if over and not here:
                self._left.append(lb.name)
                return waits.Look(True)
            cause = looks.left_cause(lb.name) if over else None
            return waits.Look(False, f"the cloud to have removed load balancer {lb.name}", cause, lb.hostname)

        return look

    def _still_there(self, observed: ObservedClass, wait: Wait) -> AwsLoadBalancer | None:
        """What the cloud has of the load balancer that was let go; None also where nobody can be asked."""
        published = [{"hostname": name} for name in wait.old_addresses]
        former = {"metadata": {"uid": wait.old_uid}, "status": {"loadBalancer": {"ingress": published}}}
        try:
            return self._aws.left_of(observed.infra, former)
        except PortError as problem:
            self._unproven = problem.message
            return None
