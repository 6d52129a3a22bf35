# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The decision with everything that holds whatever was decided: remarks, health, and what a stopped run left to do."""

from __future__ import annotations

from dataclasses import replace

from ..aws.cloud_controller import disagreements
from ..model import Decision, Disruption, Finding, Step, Verdict
from ..owners import finding as owner_finding
from ..platforms import AWS
from ..scope_views import scope_views
from ..serving import Serving, State, softer
from ..waits import behind
from . import dns, effectuate, left_edits, words
from .state import Observed, Wanted, Way

_QUIET = (Verdict.IN_SYNC, Verdict.IN_PROGRESS)


def told(
    decision: Decision, wanted: Wanted, way: Way, observed: Observed, found: tuple[Finding, ...], state: Serving
) -> Decision:
    """`found`: what does not stand in the way. `state`: does its load balancer serve?"""
    remarks = [*found, *decision.findings, *owner_finding(observed.ic, str(decision.target))]
    name = observed.infra.platform
    remarks += disagreements(observed.annotations) if name == AWS else scope_views(name, observed.annotations)
    left = _left_over(observed, decision)
    remarks += words.remarks(wanted, observed, decision)
    effects = (*decision.effects, *dns.by_hand(observed, decision))
    decision = replace(decision, findings=tuple(remarks), effects=effects)
    decision = _in_health(decision, observed, state, bool(left))
    if not decision.changed and decision.after is not None:
        decision = replace(decision, after=decision.before)
    return words.measured(words.agreeing(_after(left, decision, observed)), way, observed)


def _in_health(decision: Decision, observed: Observed, state: Serving, tidies: bool) -> Decision:
    """A failure that this task does nothing about is the task's failure too."""
    findings = softer(state.findings) if decision.changed else state.findings
    quiet = decision.verdict in _QUIET and not decision.changed
    verdict, message = decision.verdict, decision.message
    if quiet and (not state.up or behind(observed.ic)):
        verdict = Verdict.IN_PROGRESS if state.hopeful or tidies else Verdict.BLOCKED
        message = state.says or words.BEHIND
    elif not state.up:
        message = f"{state.says} {message}"
    return replace(
        decision,
        verdict=verdict,
        message=message,
        findings=(*findings, *decision.findings),
        steps=(*decision.steps, *_patience(decision, observed, state)),
    )


def _patience(decision: Decision, observed: Observed, state: Serving) -> tuple[Step, ...]:
    """What others are doing is waited for, where this task does not replace it anyway."""
    replaces = any(step.wait_for is not None and step.wait_for.until == "recreated" for step in decision.steps)
    if decision.verdict in (Verdict.BLOCKED, Verdict.INVALID) or not state.hopeful or replaces:
        return ()
    if state.state in (State.MAKING, State.FAILED, State.GOING, State.DOWN):
        return (effectuate.served(observed),)
    if decision.changed:
        return ()
    if state.state is State.UNAVAILABLE:
        return (effectuate.served(observed),)
    if state.state is State.STALE:
        return (effectuate.readdressed(observed),)
    return (effectuate.admitted(observed),) if behind(observed.ic) else ()


def _left_over(observed: Observed, decision: Decision) -> tuple[Step, ...]:
    """What a run of ours that was stopped did not come to: disarming, and putting edits back (CORE-4)."""
    found: tuple[Step, ...] = ()
    if observed.left_armed:
        why = "a run of ours was stopped before it disarmed auto-delete"
        found = (effectuate.disarm(observed, why, observed.auto_delete or ""),)
    return (*found, *left_edits.steps(observed, decision.steps))


def _after(left: tuple[Step, ...], decision: Decision, observed: Observed) -> Decision:
    """What was left over comes first, and is told at the end too."""
    if not left:
        return decision
    where = str(decision.target)
    stopped = words.left_armed(observed, where)
    return replace(
        decision,
        verdict=Verdict.UPDATE_IN_PLACE if decision.verdict is Verdict.IN_SYNC else decision.verdict,
        message=" ".join((*(finding.what for finding in stopped), decision.message)),
        commands=(*((words.disarm_command(observed.name),) if stopped else ()), *decision.commands),
        disruption=Disruption.worst((decision.disruption, *(step.disruption for step in left))),
        steps=(*left, *decision.steps),
        effects=(*stopped, *left_edits.told(observed), *decision.effects),
    )
