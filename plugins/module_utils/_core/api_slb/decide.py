# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's load balancers: which there are to be, what that takes, and in which order (API-1 … API-8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..aws.question import AwsQuestion, answered, disrupts
from ..holder import busy
from ..model import Decision, Finding, Question, Severity, Step, Verdict
from ..platforms import AWS, platform
from ..platforms import EXTERNAL as EXTERNAL_SCOPE
from ..platforms import INTERNAL as INTERNAL_SCOPE
from ..service.scope import lb_to_be
from ..serving import denied
from . import clouds, handover, manifests, proof, words
from .addresses import Resolved, resolve
from .names import BY_ROLE, EXTERNAL, INTERNAL, MACHINE_CONFIG_SERVER, SLBS
from .parts import Part, part
from .state import ABSENT, RENDERED, BalancersQuestion, ObservedApi, PathQuestion, ReservedQuestion, WantedApi

_FINE = "The API's load balancers are as they are wanted."


def decide(wanted: WantedApi, observed: ObservedApi, waits: bool = True) -> Decision | Question:
    """Or what has to be asked before there can be one. `waits`: until what is made serves."""
    left = _left_alone(wanted, observed)
    if left is not None:
        return left
    roles = roles_of(wanted, observed)
    known = resolve(wanted, observed, roles)
    if isinstance(known, ReservedQuestion):
        return known
    found = (*busy(observed.holder, str(observed.target)), *_obstacles(wanted, observed, roles), *known.findings)
    if _errors(found):
        return _refused(wanted, observed, roles, found)
    made = [_part(role, roles, wanted, observed, known) for role in BY_ROLE]
    if wanted.state == RENDERED:
        return _rendered(wanted, observed, roles, known, made, found)
    question = _ask_aws(made, observed)
    if question is not None:
        return question
    found += _aws_says(made, observed)
    if _errors(found):
        return _refused(wanted, observed, roles, found)
    told = words.standing(wanted, observed, roles, made, handover.announced(wanted, observed, known, made))
    base = replace(_base(wanted, observed, made, found), standing=told)
    return _ordered(wanted, observed, known, made, base, waits)


def roles_of(wanted: WantedApi, observed: ObservedApi) -> tuple[str, ...]:
    """Those that are to be there. What nobody says is not taken away (API-5)."""
    if wanted.state == ABSENT:
        return ()
    public = wanted.public
    if public is None:
        public = bool(observed.config.public) or observed.service(BY_ROLE[EXTERNAL]) is not None
    config = (MACHINE_CONFIG_SERVER,) if wanted.machine_config_server else ()
    return (*((EXTERNAL,) if public else ()), INTERNAL, *config)


def _errors(found: Sequence[Finding]) -> list[Finding]:
    return [entry for entry in found if entry.severity is Severity.ERROR]


def _left_alone(wanted: WantedApi, observed: ObservedApi) -> Decision | None:
    """API-6"""
    reason = "the task says opt_out" if wanted.opt_out else observed.config.opt_out
    if not reason:
        return None
    there = [slb.name for slb in SLBS if observed.service(slb) is not None]
    what = f"This cluster brings its own API load balancers and is left alone: {reason}."
    if there:
        what += f" Services of ours are there all the same: {', '.join(there)}."
    finding = Finding("api_opted_out", Severity.WARNING if there else Severity.INFO, str(observed.target), what)
    shown = words.before(wanted, observed)
    told = words.standing(wanted, observed, ())
    return Decision(
        observed.target, Verdict.IN_SYNC, what, findings=(finding,), before=shown, after=shown, standing=told
    )


def _obstacles(wanted: WantedApi, observed: ObservedApi, roles: Sequence[str]) -> tuple[Finding, ...]:
    found = []
    bare = [role for role in roles if role not in wanted.annotations and observed.service(BY_ROLE[role]) is None]
    if bare and not clouds.known(observed.platform):
        key = platform(observed.platform).scope_key
        hint = f" There an internal one has {key}." if key else ""
        what = f"How {observed.platform} is told of these load balancers is not known: {', '.join(bare)}.{hint}"
        remedy = "Give annotations for each of them, or say opt_out."
        found.append(Finding("platform_unsupported", Severity.ERROR, "platform", what, remedy, bare))
    unsaid = wanted.public is None and wanted.state != ABSENT
    if unsaid and observed.config.public is None and EXTERNAL not in roles:
        what = (
            "Nobody says whether the API is to be public: no install-config was found (kube-system/cluster-config-v1)."
        )
        found.append(Finding("public_unknown", Severity.ERROR, "public", what, "Say public: true or public: false."))
    if unsaid and observed.config.public is False and EXTERNAL in roles:
        what = "install-config says that the API is internal, and external-lb is there all the same; it is left."
        remedy = "Say public: false to take it away, or public: true."
        found.append(Finding("public_unexpected", Severity.WARNING, "public", what, remedy))
    return tuple(found)


def _refused(wanted: WantedApi, observed: ObservedApi, roles: Sequence[str], found: tuple[Finding, ...]) -> Decision:
    errors = _errors(found)
    verdict = Verdict.INVALID if any(entry.code == "address_unusable" for entry in errors) else Verdict.BLOCKED
    shown = words.before(wanted, observed)
    text = " ".join(str(entry) for entry in errors)
    told = words.standing(wanted, observed, roles)
    return Decision(observed.target, verdict, text, findings=found, before=shown, after=shown, standing=told)


def _part(role: str, roles: Sequence[str], wanted: WantedApi, observed: ObservedApi, known: Resolved) -> Part:
    slb = BY_ROLE[role]
    what = manifests.said(slb, wanted, observed.platform, known.by_role.get(role, ())) if role in roles else None
    patient = wanted.handover is not None and wanted.handover.stage == 1
    return part(slb, observed.services[role], what, observed.endpoints.get(role, ()), patient)


def _base(wanted: WantedApi, observed: ObservedApi, made: Sequence[Part], found: tuple[Finding, ...]) -> Decision:
    """All but the steps."""
    text = " ".join(one.says for one in made if one.says) or denied(found) or _FINE
    return Decision(
        observed.target,
        words.verdict(made),
        text,
        disruption=words.cost(made),
        findings=(*found, *(entry for one in made for entry in one.findings)),
        effects=tuple(entry for one in made for entry in one.effects),
        pending=tuple(entry for one in made for entry in one.pending),
        before=words.before(wanted, observed),
        after=words.after(wanted, observed, made),
    )


def _rendered(
    wanted: WantedApi,
    observed: ObservedApi,
    roles: Sequence[str],
    known: Resolved,
    made: Sequence[Part],
    found: tuple[Finding, ...],
) -> Decision:
    """API-8: nothing is written, and nobody is asked."""
    shown = words.before(wanted, observed)
    told = words.standing(wanted, observed, roles, made, handover.rendered(wanted, observed, known, made))
    text = f"Rendered {len(told['manifests'])} manifests; nothing is written."
    return Decision(observed.target, Verdict.IN_SYNC, text, findings=found, before=shown, after=shown, standing=told)


# -- AWS ---------------------------------------------------------------------------------------------------------------


def _ask_aws(made: Sequence[Part], observed: ObservedApi) -> BalancersQuestion | None:
    """Before a load balancer is made, and whether those that are there are as their Services say (SUB-3, SUB-4)."""
    if observed.platform != AWS or observed.aws_skipped:
        return None
    about = [(one.slb.role, _question(one, observed)) for one in made if one.stays and one.body is not None]
    known = observed.aws or {}
    if all(role in known and (known[role].whole or not question.whole) for role, question in about):
        return None
    return BalancersQuestion(tuple(about))


def _question(one: Part, observed: ObservedApi) -> AwsQuestion:
    scope = INTERNAL_SCOPE if one.slb.internal else EXTERNAL_SCOPE
    whole = one.makes_one and not one.seen.deleted_by_us
    takes = disrupts(Decision(observed.target, one.verdict, "", steps=one.steps))
    return AwsQuestion(observed.infra, lb_to_be(scope, one.body), one.seen.service, whole, takes)


def _aws_says(made: Sequence[Part], observed: ObservedApi) -> tuple[Finding, ...]:
    found: dict[tuple[str, str, str], Finding] = {}
    for one in made:
        answer = (observed.aws or {}).get(one.slb.role)
        if answer is None or not one.stays or one.body is None:
            continue
        for entry in answered(_question(one, observed), answer):
            found.setdefault((entry.code, entry.where, entry.what), entry)
    return tuple(found.values())


# -- order -------------------------------------------------------------------------------------------------------------


def _ordered(
    wanted: WantedApi, observed: ObservedApi, known: Resolved, made: Sequence[Part], base: Decision, waits: bool
) -> Decision | Question:
    """What takes no path away comes first; then, one after the other, what does, each with another path proven."""
    blocked = [one for one in made if one.verdict is Verdict.BLOCKED]
    if blocked:
        return replace(base, verdict=Verdict.BLOCKED, message=" ".join(one.says for one in blocked))
    staying, going = [one for one in made if not one.takes_away], [one for one in made if one.takes_away]
    steps = _together(staying, waits)
    if any(step.writes for step in steps) or (steps and going and waits):
        more = bool(going) or handover.stage_due(wanted, observed)
        return replace(base, steps=steps, more_stages=more, later=words.cost(going))
    if not going:
        return handover.staged(wanted, observed, known, replace(base, steps=steps), made, waits)
    first, others = going[0], going[1:]
    last = proof.last_path(wanted, observed, first, staying, others)
    if isinstance(last, PathQuestion):
        return last
    if last is not None:
        return replace(base.with_findings(last), verdict=Verdict.BLOCKED, message=str(last))
    more = bool(others) or handover.stage_due(wanted, observed)
    return replace(base, steps=_kept_safe(first.steps, waits), more_stages=more, later=words.cost(others))


def _together(made: Sequence[Part], waits: bool) -> tuple[Step, ...]:
    """All writes that come before a wait, then the waits: clouds make load balancers side by side."""
    steps = [_kept_safe(one.steps, waits) for one in made]
    split = [next((number for number, step in enumerate(each) if not step.writes), len(each)) for each in steps]
    first = [step for each, end in zip(steps, split, strict=True) for step in each[:end]]
    return (*first, *(step for each, end in zip(steps, split, strict=True) for step in each[end:]))


def _kept_safe(steps: tuple[Step, ...], waits: bool) -> tuple[Step, ...]:
    """Where nobody waits until the new one serves, its kept manifest is left for the next run to throw away."""
    makes = any((step.verb, step.resource) == ("create", "services") for step in steps)
    return tuple(step for step in steps if waits or not makes or not _forgets(step))


def _forgets(step: Step) -> bool:
    return (step.verb, step.resource) == ("delete", "configmaps")


def proven(observed: ObservedApi) -> tuple[str, ...]:
    """Paths that were connected to; they are tried once more right before one goes."""
    return tuple(at for at, seen in (observed.paths or {}).items() if seen.state == "connected")
