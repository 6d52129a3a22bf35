# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a decision on a class tells: the state, who owns the load balancer before and after, and its health (CLS-4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..data import Json, dig
from ..events import age
from ..model import Decision, Finding, Severity, Verdict
from ..owners import finding as owner_finding
from ..serving import PATIENCE, Seen, Serving, serving
from ..waits import addresses
from . import beside, looks
from .owner import Owner, orphaned_annotations, owner
from .state import REPORT, ObservedClass, WantedClass, class_of
from .ways import ways


def base(observed: ObservedClass, message: str) -> Decision:
    listed = [*addresses(observed.service), *(addresses(observed.successor) if observed.ours_beside else [])]
    state = {"classes": classes(observed), "addresses": listed}
    return Decision(
        observed.target,
        Verdict.IN_SYNC,
        message,
        findings=owner_finding(observed.service, str(observed.target)),
        before=state,
        after=state,
    )


def classes(observed: ObservedClass, gone: bool = False) -> dict[str, str]:
    """Class by Service; one that is going away is not told as being there."""
    found = [] if gone or observed.service is None or observed.going else [observed.service]
    found += [observed.successor] if observed.ours_beside else []
    return {str(dig(item, "metadata", "name")): class_of(item) or "" for item in found}


def called(lb_class: str | None) -> str:
    return f"class {lb_class}" if lb_class else "no class"


def owner_with(wanted: WantedClass, observed: ObservedClass, lb_class: str | None) -> Owner:
    service = observed.service if observed.service is not None else observed.manifest
    return owner(service, observed.platform, lb_class, wanted.known)


def told(decision: Decision, wanted: WantedClass, observed: ObservedClass) -> Decision:
    former = observed.manifest if observed.stopped else observed.service
    before = owner_with(wanted, observed, class_of(former)) if former is not None else None
    after = owner_with(wanted, observed, wanted.lb_class)
    seen = observed.evidence
    standing = {
        "owner": {"before": str(before) if before else "", "after": str(after)},
        "ways": [way.shown for way in ways(observed)] if decision.pending or wanted.way == REPORT else [],
        "handover": beside.handover(observed) if observed.ours_beside else {},
        "evidence": list(seen.strong or seen.hints) if seen is not None else [],
    }
    return replace(decision, standing=standing)


def effects(wanted: WantedClass, observed: ObservedClass) -> tuple[Finding, ...]:
    before, after = (owner_with(wanted, observed, one) for one in (observed.lb_class, wanted.lb_class))
    unread = orphaned_annotations(observed.service, before, after)
    if not unread:
        return ()
    what = f"{before.name} reads {', '.join(unread)}; {after.name or 'nobody'} does not."
    remedy = "Set what the new controller has for the same purpose."
    return (Finding("annotations_unread", Severity.WARNING, str(observed.target), what, remedy, unread),)


def health(observed: ObservedClass) -> Serving:
    """As any Service's; where a class has neither address nor event, that nobody watches it is said, too."""
    thing = f"Service {observed.namespace}/{observed.name}"
    events = looks.concerning(observed.events or (), observed.lb_class, observed.begun)
    found = serving(Seen(observed.service, events, observed.now, str(observed.target), thing))
    touched = looks.taken_up(observed.service, events, PATIENCE, 0.0)
    if found.up or observed.service is None or observed.events is None or touched.failure is not looks.UNWATCHED:
        return found
    severity = Severity.WARNING if found.hopeful else Severity.ERROR
    what = f"{looks.UNWATCHED.what} Its class is {observed.lb_class}."
    unwatched = Finding("class_unwatched", severity, str(observed.target), what, looks.UNWATCHED.remedy)
    return replace(found, findings=(*found.findings, unwatched))


def left(observed: ObservedClass) -> Iterator[Finding]:
    for name in observed.left:
        cause = looks.left_cause(name)
        remedy = "See that nothing uses it, then delete it: it costs money and holds quota."
        yield Finding("lb_left_behind", Severity.WARNING, str(observed.target), cause.what, remedy, name)
    if observed.unproven:
        what = "The finalizer is gone; whether the cloud has removed the load balancer could not be asked: "
        remedy = "Look there, or run lb_info: it names load balancers that nothing uses."
        yield Finding("cleanup_unproven", Severity.WARNING, str(observed.target), what + observed.unproven, remedy)


def stuck(wanted: WantedClass, observed: ObservedClass, manifest: Json) -> tuple[Finding, ...]:
    """Finalizers that hold the load balancer of a Service that a run of ours has flipped (CLS-5)."""
    former = class_of(manifest)
    held = looks.holders(observed.service, former, owner_with(wanted, observed, former).name or "its controller")
    return holding(str(observed.target), held, age(observed.begun, observed.now) or 0.0)


def holding(where: str, held: Sequence[tuple[str, str]], seconds: float | None) -> tuple[Finding, ...]:
    """Each finalizer with who takes it off. `seconds`: for how long already; None: nobody knows."""
    severity = Severity.ERROR if (seconds or 0.0) > PATIENCE else Severity.WARNING
    ago = "" if seconds is None else f", for {seconds:.0f} s"
    remedy = "See that controller's log. Take it off by hand only once the cloud has no such load balancer."
    return tuple(
        Finding(
            "finalizer_stuck",
            severity,
            where,
            f"The finalizer {name} still holds the old load balancer{ago}; {who} takes it off.",
            remedy,
            name,
        )
        for name, who in held
    )
