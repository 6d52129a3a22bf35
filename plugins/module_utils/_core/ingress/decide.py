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

from ..aws.cloud_controller import disagreements
from ..aws.question import AwsQuestion, answered, disrupts
from ..data import Json, merge_patch, plain
from ..holder import busy
from ..model import Decision, Disruption, Finding, Pending, Severity, Step, Verdict
from ..operator import messages, names, predict
from ..operator.diff import annotations_of
from ..operator.names import AUTO_DELETE
from ..operator.predict import Settled
from ..operator.revert import revert
from ..owners import finding as owner_finding
from ..platforms import AWS, platform
from ..safety import unasked
from ..scope_views import scope_views
from ..waits import addresses
from . import differences, dns, edits, effectuate, frozen, spec, words
from .creation import creation
from .obstacles import obstacles
from .state import Candidate, Observed, Wanted, Way


def decide(wanted: Wanted, way: Way, observed: Observed) -> Decision | AwsQuestion:
    """The decision, or what AWS has to be asked before there can be one (SUB-3): what it would refuse blocks."""
    decision = planned(wanted, way, observed)
    if observed.infra.platform != AWS or decision.verdict in (Verdict.INVALID, Verdict.BLOCKED):
        return decision
    outage = disrupts(decision)
    makes_one = outage or decision.verdict is Verdict.RECREATE or (observed.ic is None and bool(decision.steps))
    question = AwsQuestion(observed.infra, spec.lb_to_be(wanted, observed), observed.service, makes_one, outage)
    if observed.aws is None or (makes_one and not observed.aws.whole):
        return question
    found = answered(question, observed.aws)
    if any(finding.severity is Severity.ERROR for finding in found):
        return _blocked(_empty(observed), observed, (*_standing_in_the_way(wanted, observed), *found))
    return replace(decision, findings=(*found, *decision.findings))


def planned(wanted: Wanted, way: Way, observed: Observed) -> Decision:
    """What the cluster alone says."""
    empty = _empty(observed)
    found = _standing_in_the_way(wanted, observed)
    if any(finding.severity is Severity.ERROR for finding in found):
        return _blocked(empty, observed, found)
    if observed.ic is None:
        return creation(wanted, observed, empty, found)
    calm = _disarmed(observed)
    now = predict.settle(calm.profile, calm.infra, calm.ic, calm.service)
    decision = _planned(wanted, way, calm, now, empty)
    return _with_remarks(decision, wanted, way, observed, found)


def _empty(observed: Observed) -> Decision:
    return Decision(observed.target, Verdict.BLOCKED, "", profile=observed.profile.name)


def _standing_in_the_way(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    return (*busy(observed.holder, str(observed.target)), *obstacles(wanted, observed), *words.upgrading(observed))


def _blocked(empty: Decision, observed: Observed, found: tuple[Finding, ...]) -> Decision:
    at_work = observed.holder is not None and observed.holder.alive
    told = found if at_work else (*found, *words.armed(observed, str(empty.target)))
    return replace(empty, findings=told, message=words.blocked(found), before=words.shown(observed))


def _disarmed(observed: Observed) -> Observed:
    """The cluster as it is once the annotation that a killed run of ours left is gone (it goes first)."""
    if not observed.left_armed and observed.left_edits is None:
        return observed
    ic = plain(observed.ic)
    if observed.left_armed:
        del ic["metadata"]["annotations"][AUTO_DELETE]
    ic["metadata"].pop("resourceVersion", None)  # tidying up moves it; the uid stays as precondition
    return replace(observed, ic=ic)


def _planned(wanted: Wanted, way: Way, observed: Observed, now: Settled, empty: Decision) -> Decision:
    patch = spec.same_order_kept(observed, spec.spec_patch(wanted, observed))
    after, causes = predict.patched(observed.profile, observed.ic, patch)
    if causes:
        return replace(
            empty,
            verdict=Verdict.INVALID,
            findings=tuple(words.refusal(cause) for cause in causes),
            message=words.invalid(causes),
            before=words.shown(observed),
        )
    candidate = _candidate(wanted, way, observed, now, patch, after)
    candidate = _armed_along(wanted, way, observed, now, candidate)
    if candidate.settled.frozen:
        return _in_stages(wanted, way, observed, now, candidate, empty)
    return _decision(wanted, way, observed, candidate, empty)


def _in_stages(
    wanted: Wanted, way: Way, observed: Observed, now: Settled, candidate: Candidate, empty: Decision
) -> Decision:
    """SUB-13: after this patch the operator is frozen, or it is already."""
    asked = wanted.asked | way.asked
    rescue = frozen.plan(way, observed, now, candidate.patch, asked)
    if rescue.blocked is not None:
        return frozen.blocked_decision(empty, observed, now, rescue.blocked)
    if rescue.steps:
        return frozen.rescue_decision(empty, wanted, way, observed, now, rescue)
    after, _causes = predict.patched(observed.profile, observed.ic, rescue.patch)
    staged = _candidate(wanted, way, observed, now, rescue.patch, after)
    if not any(entry.asked for entry in staged.pending):
        return frozen.blocked_decision(empty, observed, now, frozen.not_yet(observed, staged.pending))
    decision = _decision(wanted, way, observed, staged, empty)
    last = frozen.at_last(wanted, observed, staged.settled.ic)
    if way.effectuate != "report":
        decision = replace(decision, after=words.made_anew(observed, last))
    return replace(
        decision,
        pending=frozen.of_all_stages(observed, now, last, asked),
        message=f"{rescue.why} {decision.message}",
        more_stages=True,
        details={"stage": 1, "stages": 2},
    )


def _candidate(
    wanted: Wanted, way: Way, observed: Observed, now: Settled, patch: dict[str, Any], after: Json
) -> Candidate:
    settled = predict.settle(observed.profile, observed.infra, after, observed.service)
    asked = wanted.asked | way.asked
    before = differences.pending(observed, now.ic, observed.service, asked)
    pending = differences.pending(observed, settled.ic, observed.service, asked)
    old = {(entry.field, repr(entry.want)) for entry in before}
    marked = tuple(replace(entry, latent=(entry.field, repr(entry.want)) in old) for entry in pending)
    cost, why = _cost(observed, settled)
    return Candidate(patch, settled, marked, cost, why)


def _armed_along(wanted: Wanted, way: Way, observed: Observed, now: Settled, candidate: Candidate) -> Candidate:
    """Where the type changes in place, anything pending beside it would cost a second load balancer (CORE-9).

    Armed by the very patch, the operator recreates the Service once for all of it, and AWS leaks none.
    """
    asked = [entry for entry in candidate.pending if entry.asked]
    twice = bool(asked) and candidate.cost is Disruption.OUTAGE and not candidate.settled.recreated
    if not twice or way.effectuate != "operator":
        return candidate
    armed = merge_patch(candidate.patch, spec.arm_patch(effectuate.transaction(observed, asked)))
    after, _causes = predict.patched(observed.profile, observed.ic, armed)
    return _candidate(wanted, way, observed, now, armed, after)


def _cost(observed: Observed, settled: Settled) -> tuple[Disruption, str]:
    """What the patch itself does to the live load balancer (CORE-3)."""
    if observed.service is None:
        return Disruption.NONE, ""
    if settled.recreated:
        return Disruption.OUTAGE, "auto-delete is armed, so the operator recreates the load balancer at this patch"
    have, then = annotations_of(observed.service), annotations_of(settled.service)
    if observed.profile.type_in_place and have.get(names.AWS_TYPE) != then.get(names.AWS_TYPE):
        version = observed.profile.version
        return (
            Disruption.OUTAGE,
            f"OpenShift {version} applies a type change at once: AWS makes a new load balancer and leaks the old one",
        )
    key = platform(observed.infra.platform).scope_key
    if key and platform(observed.infra.platform).scope_in_place and have.get(key) != then.get(key):
        return Disruption.BRIEF, f"on {observed.infra.platform} the scope changes in place and the address with it"
    return Disruption.NONE, ""


def _decision(wanted: Wanted, way: Way, observed: Observed, candidate: Candidate, empty: Decision) -> Decision:
    asked = tuple(entry for entry in candidate.pending if entry.asked)
    foreign = unasked(candidate.pending) if way.effectuate != "report" and (asked or way.whole) else None
    cancel = revert(observed.profile, candidate.settled.ic, list(candidate.settled.changes))
    base = replace(
        empty,
        pending=candidate.pending,
        revert_patch=cancel.patch,
        before=words.shown(observed),
        after=words.predicted(observed, candidate, way),
    )
    if foreign is not None:
        blocked = Finding("unasked_changes", Severity.ERROR, str(empty.target), foreign.message, foreign.remedy)
        return replace(base, findings=(blocked,), message=str(blocked))
    concerned = candidate.pending if way.whole else asked
    verdict = _verdict(wanted, observed, candidate, concerned)
    settled_now = candidate.settled.recreated
    pending = () if settled_now else candidate.pending
    return replace(
        base,
        verdict=verdict,
        disruption=Disruption.worst([candidate.cost, Disruption.OUTAGE if concerned else Disruption.NONE]),
        steps=effectuate.kept(observed, _steps(way, observed, candidate, asked)),
        pending=pending,
        commands=effectuate.commands(observed, pending, cancel.patch),
        message=words.message(verdict, candidate, way, concerned),
    )


def _verdict(wanted: Wanted, observed: Observed, candidate: Candidate, concerned: tuple[Pending, ...]) -> Verdict:
    if concerned or candidate.cost is Disruption.OUTAGE:
        return Verdict.RECREATE
    if candidate.patch:
        return Verdict.ADOPT if _adopts(wanted, observed) else Verdict.UPDATE_IN_PLACE
    service = observed.service
    if service is None or service["metadata"].get("deletionTimestamp") or not addresses(service):
        return Verdict.IN_PROGRESS
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
            observed, back, "back to the spec from before", disruption=_cost_of_undo(observed, candidate, back)
        )
        found.append(
            effectuate.ic_patch(
                observed,
                candidate.patch,
                candidate.why or "spec says what is wanted",
                disruption=candidate.cost,
                resource_version=meta.get("resourceVersion", ""),
                undo=(undo,),
                point_of_no_return=candidate.cost is Disruption.OUTAGE,
            )
        )
        found += _after_patch(way, observed, candidate)
    if asked and not candidate.settled.recreated:
        found += effectuate.steps(way, observed, candidate.settled.ic, asked)
    return tuple(found)


def _cost_of_undo(observed: Observed, candidate: Candidate, back: Json) -> Disruption:
    """What the same patch backwards does to the load balancer that this one leaves."""
    reached = replace(observed, ic=candidate.settled.ic, service=candidate.settled.service)
    after, _causes = predict.patched(observed.profile, reached.ic, back)
    return _cost(reached, predict.settle(observed.profile, observed.infra, after, reached.service))[0]


def _after_patch(way: Way, observed: Observed, candidate: Candidate) -> Sequence[Step]:
    if not candidate.settled.recreated:
        moved = [effectuate.readdressed(observed)] if candidate.cost is not Disruption.NONE else []
        return [effectuate.admitted(observed), *moved]
    made = [effectuate.recreated(observed)]
    if observed.auto_delete is None:  # else armed before us, and it stays armed
        ours = candidate.patch["metadata"]["annotations"][AUTO_DELETE]
        made.append(effectuate.disarm(observed, effectuate.ONLY_FOR_THIS, ours, always=True))
    return effectuate.with_restored(way, observed, candidate.settled.ic, made)


def _with_remarks(
    decision: Decision, wanted: Wanted, way: Way, observed: Observed, found: tuple[Finding, ...]
) -> Decision:
    """Findings that hold whatever was decided, and the disarming that comes before everything else."""
    remarks = [*found, *decision.findings, *owner_finding(observed.ic, str(decision.target))]
    name = observed.infra.platform
    remarks += disagreements(observed.annotations) if name == AWS else scope_views(name, observed.annotations)
    remarks += [*words.remarks(wanted, observed, decision), *dns.by_hand(observed, decision)]
    recreates = any(step.wait_for is not None and step.wait_for.until == "recreated" for step in decision.steps)
    if recreates or any(entry.asked for entry in decision.pending):
        remarks += edits.lost(observed, observed.ic, way.restore_edits)
    decision = replace(decision, findings=tuple(remarks))
    first = _left_over(observed)
    if not first:
        return decision
    verdict = Verdict.UPDATE_IN_PLACE if decision.verdict is Verdict.IN_SYNC else decision.verdict
    return replace(decision, verdict=verdict, steps=(*first, *decision.steps))


def _left_over(observed: Observed) -> tuple[Step, ...]:
    """What a run of ours that was stopped did not come to: disarming, and putting edits back (CORE-4)."""
    found: tuple[Step, ...] = ()
    if observed.left_armed:
        why = "a run of ours was stopped before it disarmed auto-delete"
        found = (effectuate.disarm(observed, why, observed.auto_delete or ""),)
    service = observed.service
    if observed.left_edits is not None and service is not None and not service["metadata"].get("deletionTimestamp"):
        found += effectuate.put_back(observed, observed.left_edits)
    return found
