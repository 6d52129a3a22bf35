# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of ingress decisions: what a person sees of before, after, verdict and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..aws.in_force import BALANCER
from ..data import Json, dig
from ..model import Decision, Disruption, Finding, Pending, Severity, Verdict
from ..operator import messages, names, revert, router_service
from ..operator.schema import UNCHECKED, Cause
from ..serving import denied
from ..waits import addresses
from . import left_edits, rescue, spec
from .state import Candidate, Observed, Wanted, Way

# A person's names for the operator's fields.
_FIELD = {messages.TYPE: "type", messages.EIPS: "Elastic IPs", messages.FLOATING_IP: "floating IP"}
_SHOWN_ANNOTATIONS = (names.AWS_TYPE, names.AWS_SUBNETS, names.AWS_EIPS)
# The operator's field → the code where only the Service's annotation has a value for it.
_UNMANAGED = {messages.SUBNETS: "unmanaged_subnets", messages.EIPS: "unmanaged_eip_allocations"}


def shown(observed: Observed) -> dict[str, Any]:
    """What a person edits and what the cloud made of it, without the noise (CORE-5)."""
    return state(observed, observed.ic, observed.service)


def predicted(observed: Observed, candidate: Candidate, recreates: bool) -> dict[str, Any]:
    """The same after the steps; the address of a load balancer that is made anew is not known beforehand."""
    settled = candidate.settled
    if recreates or observed.service is None:
        return made_anew(observed, settled.ic)
    shown = state(observed, settled.ic, settled.service)
    return {**shown, "addresses": ["(new)"]} if candidate.moves else shown


def made_anew(observed: Observed, ic: Json) -> dict[str, Any]:
    wanted = router_service.service(observed.profile, observed.infra, ic, None)
    return {**state(observed, ic, wanted), "addresses": ["(new)"]}


def state(observed: Observed, ic: Json, service: Json) -> dict[str, Any]:
    if ic is None:
        return {}
    annotations = dig(service, "metadata", "annotations") or {}
    return {
        "spec": {"endpointPublishingStrategy": dig(ic, "spec", "endpointPublishingStrategy")},
        "annotations": {key: annotations[key] for key in sorted(annotations) if key in _relevant(observed)},
        "addresses": addresses(service) if service is not None else [],
    }


def _relevant(observed: Observed) -> set[str]:
    return {*_SHOWN_ANNOTATIONS, *names.creation_only(observed.profile, observed.infra.platform)} | {
        key for key in names.managed(observed.profile) if "load-balancer" in key
    }


def field(name: str) -> str:
    return _FIELD.get(name, name)


def blocked(found: Sequence[Finding]) -> str:
    return " ".join(str(finding) for finding in found if finding.severity is Severity.ERROR)


def upgrading(observed: Observed) -> tuple[Finding, ...]:
    if not observed.upgrading:
        return ()
    text = "The cluster is being upgraded; the operator of the old and of the new version may differ."
    return (Finding("upgrade_in_progress", Severity.WARNING, "ClusterVersion", text, "Wait for the upgrade to end."),)


def refused(empty: Decision, causes: Sequence[Cause], combined: Json) -> Decision:
    """What the API server would say, and, where one thing more in the same patch would help, that patch (SUB-12)."""
    found = tuple(refusal(cause) for cause in causes)
    text = f"The API server would refuse this. {' '.join(str(finding) for finding in found)}"
    if combined is None:
        return replace(empty, verdict=Verdict.INVALID, findings=found, message=text)
    commands = (revert.command(empty.target.name, combined),)
    return replace(
        empty,
        verdict=Verdict.INVALID,
        findings=found,
        message=f"{text} A patch that it takes, and that the operator can follow, is in combined_patch.",
        commands=commands,
        details={"combined_patch": combined},
    )


def refusal(cause: Cause) -> Finding:
    """One cause as a finding: field, value, rule and a remedy (CORE-7, SUB-12)."""
    remedy = next((text for part, text in _REMEDIES if part in cause.message), "Correct the value.")
    rule = cause.message.replace(f"{cause.field} in body ", "").rstrip(".")
    field = "endpointPublishingStrategy" if cause == UNCHECKED else cause.field
    short = field.rpartition("LoadBalancer.")[2].replace("eipAllocations", "eip_allocations")
    return Finding("refused_by_api", Severity.ERROR, short.rpartition("Strategy.")[2], f"{rule}.", remedy, cause.field)


_REMEDIES = (
    ("some validation rules were not checked", "Correct the other values first; more may be refused then."),
    (
        "eipAllocations are forbidden when the scope is Internal",
        "Clear the Elastic IPs in the same task (ingress_lb_subnets with scope and eip_allocations: []).",
    ),
    ("number of subnets must be equal", "Give subnets and eip_allocations of the same number in the same task."),
    (
        "cannot specify a floating ip",
        "Take floatingIP out of spec first, and effectuate that (lb_effectuate with changes: [floating_ip]).",
    ),
    ("duplicates", "List each one once."),
    ("at least 24 chars", "A subnet id is 'subnet-' and 17 characters."),
    ("should match '^subnet-", "A subnet id is 'subnet-' and 17 characters."),
    ("cannot start with 'subnet-'", "Put ids under ids, Name tags under names."),
    ("cannot contain a comma", "Give each name as its own list item."),
    ("cannot exceed 10", "Give at most 10 subnets, ids and names together."),
    ("must have at most 10", "Give at most 10."),
    ("must specify at least 1", "Give at least one subnet, or state: absent for auto-discovery."),
    ("at least 1 chars", "A subnet name has 1 to 256 characters."),
    ("more than 256", "A subnet name has 1 to 256 characters."),
    ("more than 24 ", "A subnet id is 'subnet-' and 17 characters."),
    ("more than 26 ", "An allocation id is 'eipalloc-' and 17 hexadecimal characters."),
    ("at least 26 chars", "An allocation id is 'eipalloc-' and 17 hexadecimal characters."),
    ("eipalloc", "An allocation id is 'eipalloc-' and 17 hexadecimal characters."),
)


BEHIND = "The operator has not taken up the newest spec yet; what it says is of the one before."
_AGREED = "Spec, Service and load balancer agree with what is wanted."


def message(verdict: Verdict, candidate: Candidate, way: Way, concerned: Sequence[Pending], up: bool) -> str:
    """One or two sentences for the terminal, of what would be. `concerned`: the pending changes that are this run's
    business. `up`: there is a load balancer that something could happen to."""
    listed = "; ".join(_one(entry) for entry in concerned)
    if verdict is Verdict.RECREATE:
        return _recreation(candidate, way, listed, up)
    if verdict is Verdict.UPDATE_IN_PLACE:
        if candidate.cost is not Disruption.NONE:
            return f"Would be applied in place: {candidate.why}."
        calm = " Nothing would be disrupted." if up else ""
        return _sentence(listed) or f"Spec would go back to what is in force.{calm}"
    if verdict is Verdict.ADOPT:
        calm = " Nothing would be disrupted." if up else ""
        return f"Spec would take over what the Service's annotations already say.{calm}"
    beside = "; ".join(_one(entry) for entry in candidate.pending)
    if beside:
        return f"What is wanted is in force. Not in force, and not asked for by this task: {beside}."
    return _AGREED if verdict is Verdict.IN_SYNC else ""


def _recreation(candidate: Candidate, way: Way, listed: str, up: bool) -> str:
    if candidate.settled.recreated or candidate.replaces:
        return f"The patch itself is the outage: {candidate.why}. {_sentence(listed)}".strip()
    if way.effectuate != "report":
        return f"The load balancer would be recreated once for everything pending: {listed}."
    waits = "Would wait" if candidate.patch else "Waiting"
    text = f"{waits} for the load balancer to be recreated: {listed}."
    if candidate.cost is not Disruption.NONE:
        return f"{text} At once, though: {candidate.why}."
    return f"{text} Nothing is disrupted until then." if up else text


def agreeing(decision: Decision, looked: bool = True) -> Decision:
    """That all agrees is not said beside a finding that something is not in force, nor of what nobody looked at."""
    differs = denied(decision.findings)
    if decision.message != _AGREED or (looked and not differs):
        return decision
    rest = f", the load balancer does not. {differs}" if differs else "; the load balancer itself was not looked at."
    return replace(decision, message=f"Spec and Service agree with what is wanted{rest}")


def measured(decision: Decision, way: Way, observed: Observed) -> Decision:
    """On a version that nobody has measured nothing is written, unless the task names just that version."""
    version = observed.profile.version.removeprefix("v")
    minor = ".".join(version.split(".")[:2])
    if observed.profile.known or not decision.changed or way.accept_version in (minor, version):
        return decision
    what = f"OpenShift {version} was never measured, so what a write would lead to is not known."
    remedy = f"Take a release of this collection that knows it, or set accept_version: '{minor}' to go by the rules of "
    remedy += f"{decision.profile}."
    stop = Finding("version_unmeasured", Severity.ERROR, str(decision.target), what, remedy, version)
    kept = tuple(entry for entry in decision.findings if entry.code != stop.code)
    return replace(decision, verdict=Verdict.BLOCKED, steps=(), findings=(stop, *kept), message=str(stop))


def _sentence(text: str) -> str:
    return f"{text}." if text else ""


def _one(entry: Pending) -> str:
    return f"{field(entry.field)} {_value(entry.have)} → {_value(entry.want)}"


def _value(value: Json) -> str:
    if isinstance(value, str):
        return value or "none"
    if not value:
        return "none"
    if hasattr(value, "values"):
        return ", ".join(item for part in value.values() for item in part)
    return ", ".join(value)


def remarks(wanted: Wanted, observed: Observed, decision: Decision) -> list[Finding]:
    """Things a person should know whatever was decided."""
    where, found = str(decision.target), []
    unmanaged = _unmanaged(wanted, observed, where)
    for entry in decision.pending:
        if any(finding.code == _UNMANAGED.get(entry.field) for finding in unmanaged):
            continue
        if entry.latent and entry.field != BALANCER:
            text = f"{_one(entry)} was set earlier and never effectuated."
            found.append(
                Finding("latent_change", Severity.WARNING, where, text, "Effectuate or cancel it.", entry.field)
            )
        if not entry.asked:
            text = f"{_one(entry)} would take effect with any recreation, but this task did not ask for it."
            found.append(
                Finding("foreign_pending", Severity.WARNING, where, text, "Effectuate or cancel it.", entry.field)
            )
    if not observed.profile.known:
        version = observed.profile.version
        text = f"OpenShift {version} was never measured; the rules of {decision.profile} are assumed."
        found.append(Finding("version_unmeasured", Severity.WARNING, where, text, "Check the plan with care."))
    return found + armed(observed, where) + [*left_edits.told(observed), *rescue.told(observed)] + unmanaged


def left_armed(observed: Observed, where: str) -> list[Finding]:
    if not observed.left_armed:
        return []
    text = f"Auto-delete was left armed by a run of ours that was stopped ({observed.auto_delete})."
    remedy = "Any run of ingress_lb_subnets, slb_scope or lb_effectuate that may go on disarms it first."
    return [Finding("left_armed", Severity.WARNING, where, text, remedy)]


def still_armed(name: str, where: str) -> Finding:
    """At the end of the run that armed it."""
    text = "Auto-delete is still armed by this run, which could not take it away: any edit of spec that needs a new "
    text += "load balancer is an outage at once."
    command = disarm_command(name)
    return Finding("left_armed", Severity.WARNING, where, text, f"Take it away: {command}", command)


def disarm_command(name: str) -> str:
    return revert.command(name, spec.arm_patch(""))


def armed(observed: Observed, where: str) -> list[Finding]:
    """Auto-delete stands on the IngressController: by a stopped run of ours, or by somebody (SUB-6)."""
    if observed.left_armed or observed.auto_delete is None:
        return left_armed(observed, where)
    text = "Auto-delete is armed: every creation-only difference takes effect at once, without asking."
    return [Finding("auto_delete_armed", Severity.WARNING, where, text, "Remove the annotation unless it is meant.")]


def _unmanaged(wanted: Wanted, observed: Observed, where: str) -> list[Finding]:
    """An annotation set by hand that spec does not know (SUB-7)."""
    given = router_service.spec_params(observed.ic, observed.type_in_force)
    found = []
    for key, entry, name in (
        (names.AWS_SUBNETS, "subnets", messages.SUBNETS),
        (names.AWS_EIPS, "eipAllocations", messages.EIPS),
    ):
        value = observed.annotations.get(key)
        if value and not given.get(entry) and name not in wanted.asked:
            text = f"{value!r} stands on the Service but not in spec (set by hand, or dropped from spec since)."
            remedy = (
                "A recreation drops it; state: adopted keeps it."
                if observed.profile.subnets
                else "It can be adopted from 4.17 on."
            )
            found.append(Finding(_UNMANAGED[name], Severity.WARNING, where, text, remedy, value))
    return found
