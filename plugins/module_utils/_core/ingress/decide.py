# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""desired + observed → decision, for one IngressController's load balancer (CORE-1, CORE-2).

Every prediction is the operator model's: the patch is applied as the API server would, then the operator runs until it
rests. What the model then does to the Service is what the patch costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..aws.cloud_controller import disagreements
from ..data import Json, dig, merge_patch, plain
from ..model import Decision, Disruption, Finding, Pending, Severity, Step, Target, Verdict
from ..operator import messages, names, predict
from ..operator.diff import annotations_of
from ..operator.names import AUTO_DELETE
from ..operator.predict import Settled
from ..operator.revert import revert
from ..owners import finding as owner_finding
from ..platforms import AWS, platform
from ..safety import unasked
from ..waits import addresses
from . import differences, edits, effectuate, frozen, spec, words
from .creation import creation
from .obstacles import obstacles
from .state import Observed, Wanted, Way


@dataclass(frozen=True)
class Prospect:
    """One candidate change with everything the model says of it."""

    patch: dict[str, Any]
    settled: Settled
    pending: tuple[Pending, ...]
    cost: Disruption
    why: str  # why the patch itself costs that


def decide(wanted: Wanted, way: Way, observed: Observed, preflight: tuple[Finding, ...] = ()) -> Decision:
    """The decision; `preflight` are findings of a look at the cloud, its errors block."""
    target = Target("IngressController", observed.name, names.OPERATOR_NAMESPACE, observed.cluster)
    empty = Decision(target, Verdict.BLOCKED, "", profile=observed.profile.name)
    found = (*obstacles(wanted, observed), *preflight)
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    if errors:
        told = (*found, *words.armed(observed, str(target)))
        return replace(empty, findings=told, message=words.blocked(errors), before=words.shown(observed))
    if observed.ic is None:
        return creation(wanted, observed, empty, found)
    calm = _disarmed(observed)
    now = predict.settle(calm.profile, calm.infra, calm.ic, calm.service)
    decision = _planned(wanted, way, calm, now, empty)
    return _with_remarks(decision, wanted, way, observed, found)


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
    prospect = _prospect(wanted, way, observed, now, patch, after)
    prospect = _armed_along(wanted, way, observed, now, prospect)
    if prospect.settled.frozen:
        return _round_the_frost(wanted, way, observed, now, prospect, empty)
    return _decision(wanted, way, observed, prospect, empty)


def _round_the_frost(
    wanted: Wanted, way: Way, observed: Observed, now: Settled, prospect: Prospect, empty: Decision
) -> Decision:
    """SUB-13: after this patch the operator is frozen, or it is already."""
    rescue = frozen.plan(way, observed, now, prospect.patch)
    if rescue.blocked is not None:
        return frozen.blocked_decision(empty, observed, now, rescue.blocked)
    if rescue.steps:
        return frozen.rescue_decision(empty, way, observed, rescue)
    after, _causes = predict.patched(observed.profile, observed.ic, rescue.patch)
    staged = _prospect(wanted, way, observed, now, rescue.patch, after)
    if not any(entry.asked for entry in staged.pending):
        return frozen.blocked_decision(empty, observed, now, frozen.not_yet(observed, staged.pending))
    decision = _decision(wanted, way, observed, staged, empty)
    if way.effectuate != "report":
        decision = replace(decision, after=frozen.at_last(observed, staged.settled.ic, prospect.patch))
    return replace(
        decision,
        message=f"{rescue.why} {decision.message}",
        details={"stage": 1, "stages": 2, "later": Disruption.NONE.value},
    )


def _prospect(
    wanted: Wanted, way: Way, observed: Observed, now: Settled, patch: dict[str, Any], after: Json
) -> Prospect:
    settled = predict.settle(observed.profile, observed.infra, after, observed.service)
    asked = wanted.asked | way.asked
    before = differences.pending(observed, now.ic, observed.service, asked)
    pending = differences.pending(observed, settled.ic, observed.service, asked)
    old = {(entry.field, repr(entry.want)) for entry in before}
    marked = tuple(replace(entry, latent=(entry.field, repr(entry.want)) in old) for entry in pending)
    cost, why = _cost(observed, settled)
    return Prospect(patch, settled, marked, cost, why)


def _armed_along(wanted: Wanted, way: Way, observed: Observed, now: Settled, prospect: Prospect) -> Prospect:
    """Where the type changes in place, anything pending beside it would cost a second load balancer (CORE-9).

    Armed by the very patch, the operator recreates the Service once for all of it, and AWS leaks none.
    """
    asked = [entry for entry in prospect.pending if entry.asked]
    twice = bool(asked) and prospect.cost is Disruption.OUTAGE and not prospect.settled.recreated
    if not twice or way.effectuate != "operator":
        return prospect
    armed = merge_patch(prospect.patch, spec.arm_patch(effectuate.transaction(observed, asked)))
    after, _causes = predict.patched(observed.profile, observed.ic, armed)
    return _prospect(wanted, way, observed, now, armed, after)


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


def _decision(wanted: Wanted, way: Way, observed: Observed, prospect: Prospect, empty: Decision) -> Decision:
    asked = tuple(entry for entry in prospect.pending if entry.asked)
    foreign = unasked(prospect.pending) if way.effectuate != "report" and (asked or way.whole) else None
    cancel = revert(observed.profile, prospect.settled.ic, list(prospect.settled.changes))
    base = replace(
        empty,
        pending=prospect.pending,
        revert_patch=cancel.patch,
        before=words.shown(observed),
        after=words.predicted(observed, prospect, way),
    )
    if foreign is not None:
        blocked = Finding("unasked_changes", Severity.ERROR, str(empty.target), foreign.message, foreign.remedy)
        return replace(base, findings=(blocked,), message=str(blocked))
    concerned = prospect.pending if way.whole else asked
    verdict = _verdict(wanted, observed, prospect, concerned)
    settled_now = prospect.settled.recreated
    pending = () if settled_now else prospect.pending
    return replace(
        base,
        verdict=verdict,
        disruption=Disruption.worst([prospect.cost, Disruption.OUTAGE if concerned else Disruption.NONE]),
        steps=effectuate.kept(observed, _steps(way, observed, prospect, asked)),
        pending=pending,
        commands=effectuate.commands(observed, pending, cancel.patch),
        message=words.message(verdict, prospect, way, concerned),
    )


def _verdict(wanted: Wanted, observed: Observed, prospect: Prospect, concerned: tuple[Pending, ...]) -> Verdict:
    if concerned or prospect.cost is Disruption.OUTAGE:
        return Verdict.RECREATE
    if prospect.patch:
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


def _steps(way: Way, observed: Observed, prospect: Prospect, asked: tuple[Pending, ...]) -> tuple[Step, ...]:
    found: list[Step] = []
    if prospect.patch:
        meta = observed.ic["metadata"]
        undo = effectuate.ic_patch(observed, spec.reverse(prospect.patch, observed.ic), "back to the spec from before")
        found.append(
            effectuate.ic_patch(
                observed,
                prospect.patch,
                prospect.why or "spec says what is wanted",
                disruption=prospect.cost,
                resource_version=meta.get("resourceVersion", ""),
                undo=(undo,),
                point_of_no_return=prospect.cost is Disruption.OUTAGE,
            )
        )
        found += _after_patch(way, observed, prospect)
    if asked and not prospect.settled.recreated:
        found += effectuate.steps(way, observed, prospect.settled.ic, asked)
    return tuple(found)


def _after_patch(way: Way, observed: Observed, prospect: Prospect) -> Sequence[Step]:
    if not prospect.settled.recreated:
        moved = [effectuate.readdressed(observed)] if prospect.cost is not Disruption.NONE else []
        return [effectuate.admitted(observed), *moved]
    made = [effectuate.recreated(observed)]
    if observed.auto_delete is None:  # else armed before us, and it stays armed
        ours = prospect.patch["metadata"]["annotations"][AUTO_DELETE]
        made.append(effectuate.disarm(observed, effectuate.ONLY_FOR_THIS, ours, always=True))
    return effectuate.with_restored(way, observed, prospect.settled.ic, made)


def _with_remarks(
    decision: Decision, wanted: Wanted, way: Way, observed: Observed, found: tuple[Finding, ...]
) -> Decision:
    """Findings that hold whatever was decided, and the disarming that comes before everything else."""
    remarks = [*found, *decision.findings, *owner_finding(observed.ic, str(decision.target))]
    if observed.infra.platform == AWS:
        remarks += disagreements(observed.annotations)
    remarks += words.remarks(wanted, observed, decision)
    recreates = any(dig(step.expect, "for") == "recreated" for step in decision.steps)
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
