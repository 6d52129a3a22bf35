# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides how a Service gets another class: wanted + observed → decision, or what has to be asked first (CLS-1…6)."""

from __future__ import annotations

from dataclasses import replace

from ..data import Json, dig
from ..holder import busy
from ..model import Decision, Disruption, Finding, Pending, Question, Severity, Step, Verdict
from ..service import kept
from ..service.obstacles import blocked
from ..service.scope import in_health, tidying
from ..waits import addresses
from . import beside, flip
from .asked import asked_of_aws, judged, question, wrong
from .obstacles import obstacles
from .state import (
    RECREATE,
    REPORT,
    SIDE_BY_SIDE,
    TYPE_FLIP,
    ObservedClass,
    WantedClass,
    begins,
    class_of,
    is_retired,
    serves,
    stands_beside,
    successor_name,
)
from .told import base, called, classes, effects, health, left, stuck, told
from .ways import ways

FIELD = "loadBalancerClass"
_NEW = ["(new)"]


def decide(wanted: WantedClass, observed: ObservedClass, waits: bool = True) -> Decision | Question:
    """Before anything is taken away: somebody watches the new class, the server keeps it, and AWS lets the old go."""
    decision = planned(wanted, observed, waits)
    if decision.verdict in (Verdict.BLOCKED, Verdict.IN_SYNC):
        return decision
    retires = any(step.verb == "delete" and step.resource == "services" for step in decision.steps)
    if begins(wanted, observed):
        if observed.evidence is None or observed.evidence.lb_class != wanted.lb_class:
            return question(wanted, observed)
        found = tuple(judged(wanted, observed))
        if wrong(found):
            return blocked(observed, (*found, *decision.findings))
        decision = replace(decision, findings=(*found, *decision.findings))
    elif not retires:
        return decision
    return asked_of_aws(decision, wanted, observed)


def planned(wanted: WantedClass, observed: ObservedClass, waits: bool = True) -> Decision:
    """What the Service alone says, and the one beside it."""
    found = (*busy(observed.holder, str(observed.target)), *obstacles(wanted, observed))
    if found:
        return blocked(observed, found)
    decision = told(_decided(wanted, observed), wanted, observed)
    second_counts = observed.flipped or stands_beside(wanted, observed)
    if not second_counts and (observed.service is not None or decision.changed):
        decision = in_health(decision, observed, health(observed))
    decision = replace(decision, steps=(*decision.steps, *tidying(decision, observed, waits)))
    return decision.with_findings(*kept.taken(observed), *left(observed))


def _decided(wanted: WantedClass, observed: ObservedClass) -> Decision:
    if observed.deleted_by_us:
        return _stopped(wanted, observed)
    if observed.flipped:
        return _flipped(wanted, observed)
    if stands_beside(wanted, observed):
        return _two(wanted, observed)
    return _fresh(wanted, observed)


def _fresh(wanted: WantedClass, observed: ObservedClass) -> Decision:
    """Nothing was begun, or everything is done."""
    if observed.service is None:
        return base(observed, f"It is retired; {successor_name(observed.name, wanted.suffix)} stands for it.")
    have, want = observed.lb_class, wanted.lb_class
    start = base(observed, f"It has {called(have)} already.")
    if have == want:
        return start
    text = f"A class cannot change while the type is LoadBalancer ({called(have)} → {called(want)})."
    pending = (Pending(FIELD, have, want),)
    start = replace(start, effects=effects(wanted, observed), commands=flip.commands(observed, want))
    if wanted.way == SIDE_BY_SIDE:
        name = successor_name(observed.name, wanted.suffix)
        steps = beside.create(observed, wanted.suffix, want)
        message = f"{text} A second Service {name} would be made beside it; nothing is disrupted."
        after = {"classes": {observed.name: have or "", name: want or ""}, "addresses": _NEW}
        return replace(start, verdict=Verdict.UPDATE_IN_PLACE, message=message, steps=steps, after=after)
    outage = replace(start, verdict=Verdict.RECREATE, disruption=Disruption.OUTAGE, pending=pending)
    if wanted.way == REPORT:
        listed = ", ".join(way.name for way in ways(observed))
        return replace(outage, message=f"{text} Choose a way: {listed}; ways tells what each keeps and loses.")
    steps = flip.steps(observed, want) if wanted.way == TYPE_FLIP else _recreation(observed, want)
    message = f"{text} By {wanted.way}, its load balancer would go and the new one come: minutes of outage."
    after = {"classes": {observed.name: want or ""}, "addresses": _NEW}
    return replace(outage, message=message, steps=steps, after=after)


def _recreation(observed: ObservedClass, lb_class: str | None) -> tuple[Step, ...]:
    first = (kept.kept_first(observed, flip.record(observed, RECREATE)), kept.outage(observed))
    return (*first, *_back(observed, kept.bare(observed.service), lb_class))


def _back(observed: ObservedClass, manifest: Json, lb_class: str | None) -> tuple[Step, ...]:
    body = {**manifest, "spec": {key: value for key, value in manifest["spec"].items() if key != FIELD}}
    if lb_class is not None:
        body["spec"][FIELD] = lb_class
    return kept.brought_back(observed, body, f"the same Service with {called(lb_class)}", (flip.cleaned(observed),))


def _stopped(wanted: WantedClass, observed: ObservedClass) -> Decision:
    """A run was stopped after it had deleted the Service."""
    retiring = observed.record.get("way") == SIDE_BY_SIDE
    if retiring and wanted.moved_because and is_retired(wanted, observed):
        start = base(observed, "A run was stopped while it retired the Service; the rest would be done.")
        after = {"classes": classes(observed, gone=True), "addresses": addresses(observed.successor)}
        return replace(start, verdict=Verdict.UPDATE_IN_PLACE, steps=beside.retired(observed), after=after)
    spoilt = kept.spoilt_of(observed)
    again = (kept.keeping(observed, flip.record(observed, wanted.way)),) if observed.going and spoilt else ()
    manifest = kept.bare(observed.service) if again else kept.manifest_kept(observed)
    # Beside the second one, the first comes back as it was.
    lb_class = class_of(manifest) if wanted.way == SIDE_BY_SIDE else wanted.lb_class
    text = "A run was stopped after it had deleted the Service; its kept manifest brings it back."
    return replace(
        base(observed, text),
        verdict=Verdict.RECREATE,
        effects=(Finding("restored", Severity.WARNING, str(observed.target), text),),
        steps=(*again, *_back(observed, manifest, lb_class)),
        after={"classes": {**classes(observed), observed.name: lb_class or ""}, "addresses": _NEW},
        more_stages=wanted.way == SIDE_BY_SIDE and lb_class != wanted.lb_class,
    )


def _flipped(wanted: WantedClass, observed: ObservedClass) -> Decision:
    """A run was stopped between the two changes of type: it is brought to its end, with the class asked for now."""
    manifest = kept.manifest_kept(observed)
    text = "A run was stopped after it had taken the load balancer away; the Service would be given the next one."
    return replace(
        base(observed, text),
        verdict=Verdict.RECREATE,
        effects=(Finding("restored", Severity.WARNING, str(observed.target), text),),
        findings=stuck(wanted, observed, manifest),
        steps=flip.rest(observed, manifest, wanted.lb_class),
        after={"classes": {**classes(observed), observed.name: wanted.lb_class or ""}, "addresses": _NEW},
    )


def _two(wanted: WantedClass, observed: ObservedClass) -> Decision:
    """The second Service is there."""
    start = base(observed, "")
    second = str(dig(observed.successor, "metadata", "name"))
    if observed.service is None:
        return replace(start, message=f"It is retired; {second} stands for it.")
    if not serves(observed):
        text = f"Service {second} does not serve yet: it needs an address and a ready endpoint."
        return replace(start, verdict=Verdict.IN_PROGRESS, message=text, steps=(beside.served(observed),))
    if wanted.moved_because:
        text = f"Service {second} serves; {observed.name} would be retired, as traffic has moved."
        after = {"classes": classes(observed, gone=True), "addresses": addresses(observed.successor)}
        steps = beside.retire(observed, wanted.moved_because)
        return replace(
            start,
            verdict=Verdict.UPDATE_IN_PLACE,
            disruption=Disruption.BRIEF,
            message=text,
            steps=steps,
            after=after,
        )
    move = f"{', '.join(addresses(observed.service)) or 'no address'} → {', '.join(addresses(observed.successor))}"
    text = f"Both serve. Move traffic to {second} ({move}), then say traffic_moved and traffic_moved_because."
    # The manifest of a retirement that was never begun is not needed.
    forget = kept.forgotten(observed) if observed.kept is not None else ()
    return replace(start, verdict=Verdict.IN_PROGRESS, message=text, steps=forget)
