# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked before anything is taken away: the cluster for who watches the class, the server whether it keeps it,
and AWS whether it lets the old load balancer go (CLS-4, CLS-6, SUB-3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..aws import lb_controller
from ..aws.question import AwsQuestion, answered
from ..model import Decision, Finding, Question, Severity
from ..platforms import AWS
from ..service.obstacles import blocked
from ..service.scope import lb_to_be, scope_of
from . import beside
from .owner import has_provider
from .state import REPORT, SIDE_BY_SIDE, TYPE_FLIP, ObservedClass, WantedClass, begins
from .told import owner_with
from .watched import NO_CLASS, ClassQuestion, kept_by_server, watched


def question(wanted: WantedClass, observed: ObservedClass) -> ClassQuestion:
    rehearsed = beside.body(observed.service, f"{observed.name[:50]}-rehearsed", wanted.lb_class)
    after = owner_with(wanted, observed, wanted.lb_class)
    taker = lb_controller.CLASS if after.name == lb_controller.NAME else wanted.lb_class
    return ClassQuestion(wanted.lb_class, f"{observed.namespace}/{observed.name}", rehearsed, taker)


def judged(wanted: WantedClass, observed: ObservedClass) -> Iterator[Finding]:
    seen, where = observed.evidence, str(observed.target)
    if seen is None:
        return
    yield from kept_by_server(seen, where, gentle=wanted.way in (TYPE_FLIP, REPORT))
    yield from watched(seen, where, wanted.known, wanted.allow_unwatched)
    after = owner_with(wanted, observed, wanted.lb_class)
    if wanted.lb_class is None and not after.name and not (seen.serving and not has_provider(observed.platform)):
        severity = Severity.WARNING if wanted.allow_unwatched == NO_CLASS else Severity.ERROR
        what = f"Without a class nobody would make its load balancer: {after.why}."
        remedy = f"Correct that first, or say allow_unwatched: {NO_CLASS}."
        yield Finding("class_unwatched", severity, where, what, remedy, NO_CLASS)


def asked_of_aws(decision: Decision, wanted: WantedClass, observed: ObservedClass) -> Decision | Question:
    goes = any(step.point_of_no_return for step in decision.steps)
    comes = wanted.lb_class is None and begins(wanted, observed)
    if observed.platform != AWS or (wanted.way == SIDE_BY_SIDE and not goes and not comes):
        return decision
    lb = lb_to_be(scope_of(observed), observed.service)
    question = AwsQuestion(observed.infra, lb, observed.service, True, goes, comes)
    if observed.aws is None or not observed.aws.whole:
        return question
    found = answered(question, observed.aws)
    if wrong(found):
        return blocked(observed, (*found, *decision.findings))
    return replace(decision, findings=(*found, *decision.findings))


def wrong(found: tuple[Finding, ...]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in found)
