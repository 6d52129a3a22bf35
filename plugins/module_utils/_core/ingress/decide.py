# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""desired + observed → decision, for one IngressController's load balancer (CORE-1, CORE-2).

Every prediction is the operator model's: the patch is applied as the API server would, then the operator runs until it
rests. What the model then does to the Service is what the patch costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..aws.question import AwsQuestion, answered, disrupts
from ..data import Json, dig, merge_patch, plain
from ..finalizers import foreign
from ..holder import busy
from ..model import Decision, Disruption, Finding, Pending, Severity, Step, Verdict
from ..operator import messages, names, predict
from ..operator.names import AUTO_DELETE
from ..operator.predict import Settled
from ..operator.revert import revert
from ..platforms import AWS
from ..safety import unasked
from . import aside, differences, effects, effectuate, frozen, rescue, spec, words
from .combine import combined_patch
from .creation import creation
from .health import health, progressing
from .obstacles import obstacles
from .state import Candidate, Observed, Wanted, Way
from .told import told
from .way_back import cost_of, of_stages, way_back


def decide(wanted: Wanted, way: Way, observed: Observed) -> Decision | AwsQuestion:
    """The decision, or what AWS has to be asked before there can be one (SUB-3): what it would refuse blocks."""
    wanted = spec.adopted(wanted, observed)
    decision = planned(wanted, way, observed)
    if observed.infra.platform != AWS or decision.verdict in (Verdict.INVALID, Verdict.BLOCKED):
        return words.agreeing(decision, looked=False)
    outage = disrupts(decision)
    makes_one = outage or decision.verdict is Verdict.RECREATE or (observed.ic is None and bool(decision.steps))
    question = AwsQuestion(observed.infra, spec.lb_to_be(wanted, observed), observed.service, makes_one, outage)
    if observed.aws is None or (makes_one and not observed.aws.whole):
        return question
    found = answered(question, observed.aws)
    if any(finding.severity is Severity.ERROR for finding in found):
        return _blocked(observed, (*_standing_in_the_way(wanted, observed), *found))
    return words.agreeing(replace(decision, findings=(*found, *decision.findings)), observed.aws.looked)


def planned(wanted: Wanted, way: Way, observed: Observed) -> Decision:
    """What the cluster alone says."""
    wanted = spec.adopted(wanted, observed)
    found = _standing_in_the_way(wanted, observed)
    if any(finding.severity is Severity.ERROR for finding in found):
        return _blocked(observed, found)
    if observed.ic is None:
        return words.measured(creation(wanted, observed, _empty(observed), found), way, observed)
    calm = _settled_down(observed)
    now = predict.settle(calm.profile, calm.infra, calm.ic, calm.service)
    state = health(observed, bool(now.frozen))
    decision = _planned(wanted, way, calm, now, state.up)
    return told(replace(decision, before=words.shown(observed)), wanted, way, observed, found, state)


def _empty(observed: Observed) -> Decision:
    return Decision(observed.target, Verdict.BLOCKED, "", profile=observed.profile.name, before=words.shown(observed))


def _standing_in_the_way(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    return (*busy(observed.holder, str(observed.target)), *obstacles(wanted, observed), *words.upgrading(observed))


def _blocked(observed: Observed, found: tuple[Finding, ...]) -> Decision:
    empty = _empty(observed)
    at_work = observed.holder is not None and observed.holder.alive
    where = str(empty.target)
    said = (*found, *(() if at_work else words.armed(observed, where)), *progressing(observed, where))
    return replace(empty, findings=said, message=words.blocked(found))


def _settled_down(observed: Observed) -> Observed:
    """The cluster as it is once what is under way is done: what a killed run of ours left is tidied up (it goes first),
    and a Service that is being deleted is gone."""
    ic = plain(observed.ic)
    if observed.left_armed:
        del ic["metadata"]["annotations"][AUTO_DELETE]
    if observed.marked:
        ic["metadata"].pop("resourceVersion", None)  # tidying up moves it; the uid stays as precondition
    return replace(observed, ic=ic, service=None if observed.going else observed.service)


def _planned(wanted: Wanted, way: Way, observed: Observed, now: Settled, up: bool) -> Decision:
    patch = spec.same_order_kept(observed, spec.spec_patch(wanted, observed))
    after, causes = predict.patched(observed.profile, observed.ic, patch)
    if causes:
        return words.refused(_empty(observed), causes, combined_patch(wanted, observed, patch))
    candidate = _candidate(wanted, way, observed, now, patch, after)
    candidate = _armed_along(wanted, way, observed, now, candidate)
    if not candidate.settled.frozen:
        return rescue.finished(wanted, way, observed, _decision(wanted, way, observed, candidate, up))
    if _lags(observed, now):
        caught_up = replace(observed, ic={**observed.ic, "status": now.ic["status"]})
        decision = _planned(wanted, way, caught_up, now, up)
        return replace(decision, steps=(effectuate.mirrored(observed), *decision.steps)) if decision.steps else decision
    return _in_stages(wanted, way, observed, now, candidate, up)


def _lags(observed: Observed, now: Settled) -> bool:
    """The operator is about to write another status: of a Service that it has just made, say."""
    told, due = (dig(ic, "status", "endpointPublishingStrategy") for ic in (observed.ic, now.ic))
    return not now.frozen and not now.recreated and told != due


def _in_stages(wanted: Wanted, way: Way, observed: Observed, now: Settled, candidate: Candidate, up: bool) -> Decision:
    """SUB-13: after this patch the operator is frozen, or it is already."""
    empty, asked = _empty(observed), way.asks(wanted)
    thaw = frozen.plan(wanted, way, observed, now, candidate.patch)
    if thaw.blocked is not None:
        return frozen.blocked_decision(empty, observed, now, thaw.blocked)
    if thaw.steps:
        return frozen.rescue_decision(empty, wanted, way, observed, now, thaw)
    after, _causes = predict.patched(observed.profile, observed.ic, thaw.patch)
    staged = _candidate(wanted, way, observed, now, thaw.patch, after)
    if not way.whole and not any(entry.asked for entry in staged.pending):
        return frozen.blocked_decision(empty, observed, now, frozen.not_yet(observed, staged.pending))
    decision = _decision(wanted, way, observed, staged, up)
    last = frozen.at_last(wanted, observed, staged.settled.ic)
    stopped = frozen.beyond(way, asked, observed, staged.settled, last)
    if stopped is not None:
        return frozen.blocked_decision(empty, observed, now, stopped)
    if way.effectuate != "report":
        decision = replace(decision, after=words.made_anew(observed, last))
        decision = of_stages(decision, observed, candidate.patch)
    return replace(
        decision,
        pending=frozen.of_all_stages(observed, now, last, asked),
        message=f"{thaw.why} {decision.message}",
        more_stages=True,
        details={"stage": 1, "stages": 2},
    )


def _candidate(
    wanted: Wanted, way: Way, observed: Observed, now: Settled, patch: dict[str, Any], after: Json
) -> Candidate:
    settled = predict.settle(observed.profile, observed.infra, after, observed.service)
    asked = way.asks(wanted)
    before = differences.pending(observed, now.ic, observed.service, asked)
    pending = differences.pending(observed, settled.ic, observed.service, asked)
    old = {(entry.field, repr(entry.want)) for entry in before}
    marked = tuple(replace(entry, latent=(entry.field, repr(entry.want)) in old) for entry in pending)
    # What the operator is about to do anyway is not what the patch costs.
    live = now.service if observed.service is not None else None
    return Candidate(patch, settled, marked, *effects.of_settling(live, settled))


def _armed_along(wanted: Wanted, way: Way, observed: Observed, now: Settled, candidate: Candidate) -> Candidate:
    """Where the type changes in place, anything pending beside it would cost a second load balancer (CORE-9).

    Armed by the very patch, the operator recreates the Service once for all of it, and AWS leaks none.
    """
    asked = [entry for entry in candidate.pending if entry.asked]
    twice = bool(asked) and candidate.replaces and not candidate.settled.recreated
    if not twice or way.effectuate != "operator":
        return candidate
    armed = merge_patch(candidate.patch, spec.arm_patch(effectuate.transaction(observed, asked)))
    after, _causes = predict.patched(observed.profile, observed.ic, armed)
    return _candidate(wanted, way, observed, now, armed, after)


def _decision(wanted: Wanted, way: Way, observed: Observed, candidate: Candidate, up: bool) -> Decision:
    asked = tuple(entry for entry in candidate.pending if entry.asked)
    recreates = candidate.settled.recreated or (way.effectuate != "report" and bool(asked))
    cancel = revert(observed.profile, candidate.settled.ic, list(candidate.settled.changes))
    back, back_cost = way_back(observed, candidate, cancel.patch, recreates)
    base = replace(
        _empty(observed),
        pending=candidate.pending,
        revert_patch=back,
        revert_disruption=back_cost,
        effects=aside.effects_of(way, observed, candidate, recreates),
        after=words.predicted(observed, candidate, recreates),
        findings=foreign(observed.service, str(_empty(observed).target)) if recreates or asked else (),
    )
    stopped = _stopped(way, candidate, asked, str(base.target)) or aside.stops(base)
    if not stopped and asked and way.effectuate == "operator" and not candidate.settled.recreated:
        stopped = differences.unseen(observed, candidate.settled.ic, str(base.target))
    if stopped:
        return replace(base, findings=(*stopped, *base.findings), message=words.blocked(stopped))
    concerned = candidate.pending if way.whole else asked
    verdict = _verdict(wanted, observed, candidate, concerned)
    pending = () if candidate.settled.recreated else candidate.pending
    return replace(
        base,
        verdict=verdict,
        disruption=Disruption.worst([candidate.cost, Disruption.OUTAGE if concerned else Disruption.NONE]),
        steps=effectuate.kept(observed, _steps(way, observed, candidate, asked)),
        pending=pending,
        commands=effectuate.commands(observed, pending, cancel.patch),
        message=words.message(verdict, candidate, way, concerned, up),
    )


def _stopped(way: Way, candidate: Candidate, asked: tuple[Pending, ...], where: str) -> tuple[Finding, ...]:
    """A patch that recreates by itself, because somebody armed auto-delete, is a recreation like any other."""
    recreates = candidate.settled.recreated or (way.effectuate != "report" and (bool(asked) or way.whole))
    foreign = unasked(candidate.pending) if recreates else None
    return () if foreign is None else (foreign.finding(where),)


def _verdict(wanted: Wanted, observed: Observed, candidate: Candidate, concerned: tuple[Pending, ...]) -> Verdict:
    if concerned or candidate.settled.recreated or candidate.replaces:
        return Verdict.RECREATE
    if candidate.patch:
        return Verdict.ADOPT if _adopts(wanted, observed) else Verdict.UPDATE_IN_PLACE
    return Verdict.IN_SYNC


def _adopts(wanted: Wanted, observed: Observed) -> bool:
    """Spec takes over what an annotation already says (SUB-7); spec said nothing of it before."""
    kind = spec.target_type(wanted, observed)
    given = (observed.strategy.get("loadBalancer") or {}).get("providerParameters") or {}
    block = (given.get("aws") or {}).get(names.PARAMS[kind]) or {}
    pairs = ((messages.SUBNETS, names.AWS_SUBNETS, "subnets"), (messages.EIPS, names.AWS_EIPS, "eipAllocations"))
    return any(
        field in wanted.asked and key in observed.annotations and not block.get(entry) for field, key, entry in pairs
    )


def _steps(way: Way, observed: Observed, candidate: Candidate, asked: tuple[Pending, ...]) -> tuple[Step, ...]:
    found: list[Step] = []
    if candidate.patch:
        meta = observed.ic["metadata"]
        back = spec.reverse(candidate.patch, observed.ic)
        undo = effectuate.ic_patch(
            observed, back, "back to the spec from before", disruption=cost_of(observed, candidate, back)
        )
        found.append(
            effectuate.ic_patch(
                observed,
                candidate.patch,
                candidate.why or "spec says what is wanted",
                disruption=candidate.cost,
                resource_version=meta.get("resourceVersion", ""),
                undo=(undo,),
                point_of_no_return=candidate.settled.recreated or candidate.replaces,
            )
        )
        found += _after_patch(way, observed, candidate)
    if asked and not candidate.settled.recreated:
        found += effectuate.steps(way, observed, candidate.settled.ic, asked)
    return tuple(found)


def _after_patch(way: Way, observed: Observed, candidate: Candidate) -> Sequence[Step]:
    if not candidate.settled.recreated:
        return [effectuate.admitted(observed), *([effectuate.readdressed(observed)] if candidate.moves else [])]
    made = [effectuate.recreated(observed)]
    if observed.auto_delete is None:  # else armed before us, and it stays armed
        ours = candidate.patch["metadata"]["annotations"][AUTO_DELETE]
        made.append(effectuate.disarm(observed, effectuate.ONLY_FOR_THIS, ours, always=True))
    return effectuate.with_restored(way, observed, candidate.settled.ic, made)
