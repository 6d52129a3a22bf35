# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a decision asks AWS, and what follows from the answer; what could not be asked is told, never taken for good.

A load balancer is not taken away on a guess: where that is planned, AWS has to have answered what the new one stands or
falls with, or the task has to say that it is not to be asked (SUB-3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..data import Json
from ..model import Decision, Disruption, Finding, Question, Severity
from ..operator.names import Infra
from .facts import AwsAnswer, Unanswered
from .going import going
from .in_force import in_force
from .preflight import WantedLb, check

_UNCHECKED = "so subnets, their VPC and zones, Elastic IPs, quota and what is in force were not checked"
_CREDENTIALS = "Give access_key and secret_key, a profile, or what else boto3 looks at"
_OR_SKIP = "or say preflight: skip to go on unchecked"


@dataclass(frozen=True)
class AwsQuestion(Question):
    """What does AWS say of a Service's load balancer, and, with `whole`, of the one that is to be?"""

    infra: Infra
    lb: WantedLb
    service: Json = None
    whole: bool = False
    disrupts: bool = False  # the plan takes the load balancer away
    comes: bool = True  # and the cloud provider makes the new one; False: another controller does


def disrupts(decision: Decision) -> bool:
    """Would carrying it out, now or in a later stage, take a load balancer away?"""
    return Disruption.worst([decision.later, *(step.disruption for step in decision.steps)]) is Disruption.OUTAGE


def answered(question: AwsQuestion, answer: AwsAnswer) -> tuple[Finding, ...]:
    """Everything to be told: what was not asked, what is not in force as the Service says, what AWS would refuse."""
    strict = answer.required or question.disrupts
    told = (*_nobody(question, answer, strict), *region_differs(question.infra, answer.region))
    told += tuple(unanswered(answer.unanswered, answer.required, question.disrupts))
    if answer.facts is None:
        return told
    standing = in_force(question.service, answer.facts) if question.service is not None else ()
    if not question.whole:
        return (*told, *standing)
    leaving = going(question.service, question.lb.kind, answer.facts, question.disrupts)
    coming = check(question.lb, answer.facts, strict=strict) if question.comes else ()
    return (*told, *standing, *leaving, *coming)


def not_asked(skipped: bool) -> Finding:
    """For those who only look."""
    if skipped:
        return Finding(
            "preflight_skipped", Severity.INFO, "AWS", _SKIPPED, "Leave preflight: skip out to have it asked."
        )
    what = f"No AWS credentials were found, {_UNCHECKED}."
    return Finding("aws_not_asked", Severity.WARNING, "AWS", what, f"{_CREDENTIALS}.")


_SKIPPED = f"preflight: skip was said, {_UNCHECKED}."


def _nobody(question: AwsQuestion, answer: AwsAnswer, strict: bool) -> Iterator[Finding]:
    """No facts, and no reason but that nobody was there to ask, or was to be asked."""
    if answer.facts is not None or answer.unanswered:
        return
    if answer.skipped:
        yield not_asked(skipped=True)
        return
    mild = Severity.WARNING if question.whole else Severity.INFO
    severity = Severity.ERROR if strict else mild
    what = f"No AWS credentials were found, {_UNCHECKED}{_why(question, answer)}."
    remedy = f"{_CREDENTIALS}, {_OR_SKIP}." if strict else f"{_CREDENTIALS}."
    yield Finding("aws_not_asked", severity, "AWS", what, remedy)


def _why(question: AwsQuestion, answer: AwsAnswer) -> str:
    if answer.required:
        return ", but preflight: require wants every check made"
    return "; this task would take the load balancer away on a guess" if question.disrupts else ""


def unanswered(parts: Iterable[Unanswered], required: bool, disrupting: bool = False) -> Iterator[Finding]:
    """What was asked and not told. An error where the task may not go on without it."""
    for part in parts:
        stops = required or (disrupting and part.essential)
        severity = Severity.ERROR if stops else Severity.WARNING
        remedy = f"{part.remedy} Or say preflight: skip to go on unchecked.".lstrip() if stops else part.remedy
        what = f"AWS could not be asked ({part.part}): {part.what}"
        yield Finding("preflight_unanswered", severity, "AWS", what, remedy, part.part)


def region_differs(infra: Infra, asked: str) -> Iterator[Finding]:
    """An option beats what the cluster says of itself, but rarely rightly."""
    if asked and infra.region and asked != infra.region:
        what = f"The cluster is in {infra.region}, and AWS was asked in {asked}, as the option region says."
        yield Finding(
            "region_differs", Severity.WARNING, "region", what, "Leave region out: the cluster tells it.", asked
        )
