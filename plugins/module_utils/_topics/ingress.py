# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An IngressController's load balancer: what three modules read, decide and do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._core import waits
from .._core.aws.question import AwsQuestion
from .._core.data import canonical, dig
from .._core.ingress import decide as deciding
from .._core.ingress import words
from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import CLEAR, LEAVE, Observed, Wanted, Way
from .._core.model import Decision, Disruption, Finding, Question, Step, Target, Verdict, Wait
from .._core.operator import names
from .._core.operator.subnets import Subnets
from .._core.safety import not_in_force
from .._engine import Lock, Progress, Topic
from .._ports.errors import Conflict
from .._ports.kube import Kube
from .._ports.lease import TargetLock
from .._readers.aws import AwsReader
from .._readers.cluster import Given, confirmed
from .._readers.events import ServiceEvents
from .._readers.ingress import read_ingress
from .._readers.rights import OPERATOR_SEEN, Right, see_operator_alive, see_rights
from .._waiting import WaitOptions, wait_for

# How long the operator may take from admission to its conditions before its word is taken as it is.
_CONDITIONS_GRACE = 20.0
# Waited for in any case: a recreation as far as the new Service, as until then the next step has no object, and a
# status on which the next change would freeze the operator.
_ALWAYS = ("recreated", "replaced", "mirrored")
Chosen = Callable[[Observed], tuple[Wanted, Way]]


class IngressTopic(Topic[Observed]):
    """`chosen` may depend on what is found (an effectuation of what is pending), so it is asked for each time."""

    def __init__(
        self, kube: Kube, aws: AwsReader, given: Given, name: str, chosen: Chosen, waiting: WaitOptions
    ) -> None:
        self._kube, self._aws, self._given, self._name = kube, aws, given, name
        self._chosen, self._waiting = chosen, waiting
        self.waits = waiting.asked
        self._known: Observed | None = None

    def read(self, knowing: Observed | None = None) -> Observed:
        observed = read_ingress(self._kube, self._given, self._name, knowing or self._known, self._waiting.clock)
        if knowing is None:
            observed = self._known = replace(observed, aws=self._aws.before_asking)
        return observed

    def decide(self, observed: Observed) -> Decision | Question:
        return deciding.decide(*self._chosen(observed), observed)

    def ask(self, question: Question, observed: Observed) -> Observed:
        if not isinstance(question, AwsQuestion):
            return super().ask(question, observed)
        return replace(observed, aws=self._aws.answer(question))

    def lock(self) -> Lock:
        return TargetLock(self._kube, self._target, self._waiting.clock)

    @property
    def _target(self) -> Target:
        return Target("IngressController", self._name, names.OPERATOR_NAMESPACE)

    def confirm(self, observed: Observed) -> Observed:
        """A wrong version or platform would let a disruption through as harmless: before a write both are read."""
        if not (self._given.platform or self._given.version):
            return observed
        self._given, self._known = confirmed(self._kube, self._given), None
        return self.read()

    def begin(self, decision: Decision, observed: Observed) -> None:
        service = (names.OPERAND_NAMESPACE, names.service_name(observed.name))
        reads = [Right("get", IC_RESOURCE, names.OPERATOR_NAMESPACE, observed.name), Right("get", "services", *service)]
        outage = any(step.disruption is Disruption.OUTAGE for step in decision.steps)
        see_rights(self._kube, observed.target, decision.steps, [*reads, *([OPERATOR_SEEN] if outage else [])])
        if outage:
            see_operator_alive(self._kube)

    def recheck(self, step: Step, decision: Decision, observed: Observed) -> Step:
        """Is what would take effect still what was planned? Auto-delete is level-triggered, so look again."""
        fresh = self.read(observed)
        now = deciding.planned(*self._chosen(fresh), fresh)
        disrupting = [one for one in decision.steps if one.disruption is not Disruption.NONE]
        # Where spec would have to be told again, somebody has taken it back: a recreation would bring nothing of it.
        other = _effects(now) != _effects(decision) or not _told(now.steps) <= _told(disrupting)
        if other or now.verdict is Verdict.BLOCKED:
            raise Conflict("What a recreation would effectuate has changed since it was planned.", "Decide again.")
        if (step.verb, step.resource) == ("delete", "services") and fresh.service is not None:
            return replace(step, resource_version=fresh.service["metadata"]["resourceVersion"])
        return step

    def missing(self, last: Decision, observed: Observed) -> tuple[Finding, ...]:
        _wanted, way = self._chosen(observed)
        return not_in_force(last, way.effectuate != "report", self._waiting.asked)

    def left_behind(self, owed: Sequence[Step]) -> tuple[Finding, ...]:
        return (words.still_armed(self._name, str(self._target)),) if owed else ()

    def do(self, step: Step, observed: Observed, progress: Progress) -> None:
        if step.wait_for is None:
            self._kube.do(step)
        elif step.wait_for.until in _ALWAYS or self._waiting.asked:
            who = f"{observed.cluster} IngressController {self._name}".lstrip()
            with self._kube.within(self._waiting.timeout):
                wait_for(self._look(step.wait_for, observed), self._waiting, progress, who)

    def _look(self, wait: Wait, observed: Observed) -> Callable[[float], waits.Look]:
        events = ServiceEvents(self._kube, names.OPERAND_NAMESPACE, names.service_name(self._name))

        def admitted(waited: float) -> waits.Look:
            seen = self.read(observed)
            return waits.admitted(seen.profile, seen.infra, seen.ic, seen.service, waited < _CONDITIONS_GRACE)

        def mirrored(_waited: float) -> waits.Look:
            seen = self.read(observed)
            return waits.mirrored(seen.profile, seen.infra, seen.ic, seen.service)

        def served(waited: float, enough: bool = False) -> waits.Look:
            seen = self.read(observed)
            if enough and seen.service is not None and seen.service["metadata"]["uid"] != wait.old_uid:
                return waits.Look(True)  # the old one is gone for good; the address is not waited for
            patient = waited < _CONDITIONS_GRACE
            of_it = (seen.ic, seen.service, seen.events or (), wait.old_uid, patient, seen.record)
            return waits.recreated(seen.profile, seen.infra, *of_it)

        def readdressed(_waited: float) -> waits.Look:
            seen = self.read(observed)
            look = waits.readdressed(seen.service, events.since_first_look(), wait.old_addresses)
            return waits.available(seen.ic, seen.service, False) if look.done else look

        looks: dict[str, Callable[[float], waits.Look]] = {
            "admitted": admitted,
            "mirrored": mirrored,
            "replaced": lambda waited: served(waited, enough=True),
            "recreated": lambda waited: served(waited, enough=not self._waiting.asked),
            "served": served,
            "readdressed": readdressed,
        }
        return looks[wait.until]


def _effects(decision: Decision) -> set[str]:
    return {f"{entry.field}={canonical(entry.want)}" for entry in decision.pending}


def _told(steps: Iterable[Step]) -> set[str]:
    """What these steps write into spec."""
    return {canonical(step.body["spec"]) for step in steps if step.resource == IC_RESOURCE and dig(step.body, "spec")}


def way(options: Mapping[str, Any], **more: Any) -> Way:
    accepted = options.get("accept_version") or ""
    return Way(options["effectuate"], restore_edits=options["restore_edits"], accept_version=accepted, **more)


def subnets_wanted(options: Mapping[str, Any]) -> Wanted:
    """The options of ingress_lb_subnets as wanted state."""
    state, given, eips = options["state"], options.get("subnets"), options.get("eip_allocations")
    create = None
    if options.get("domain"):
        create = {"domain": options["domain"], **({"replicas": options["replicas"]} if options.get("replicas") else {})}
    listed = LEAVE if given is None else Subnets.listed(given)
    return Wanted(
        scope=options.get("scope") or "",
        lb_type=options.get("lb_type") or "",
        subnets=CLEAR if state == "absent" else listed,
        eips=LEAVE if eips is None else (list(eips) or CLEAR),
        adopt=state == "adopted",
        create=create,
    )
