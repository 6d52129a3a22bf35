# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does an IngressController's load balancer serve? Its Service, its events and the operator's own word (CORE-14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import serving
from ..data import Json, dig
from ..events import age, moment, since
from ..model import Finding, Severity
from ..operator import messages, names
from ..serving import PATIENCE, Seen, Serving, State
from ..waits import addresses, behind, condition, condition_text, leads_elsewhere, of_before
from .differences import pending
from .state import Observed

# The operator notices within moments that a Service is gone; longer than this, something keeps it from making one.
_NOTICE = 120.0
# The operator itself calls a load balancer degraded only after this time without being ready.
_GRACE = 90.0
_SEE_OPERATOR = "Where that lasts for more than a minute, see whether the ingress operator is alive, and its log."
# Conditions that the operator counts as progressing; the first speaks of pending changes.
_PROGRESSING = ("LoadBalancerProgressing", "DeploymentRollingOut")


def health(observed: Observed, frozen: bool = False) -> Serving:
    """`frozen`: the operator does nothing more, and its conditions are of another time."""
    where = str(observed.target)
    seen = Seen(observed.service, observed.events or _told_by_operator(observed), observed.now, where, "Ingress")
    found = serving.serving(seen)
    if found.state is State.DOWN:
        found = _not_made(observed, found, frozen)
    elif found.up and not observed.fits:
        found = serving.changed_in_vain(seen)
    if frozen or observed.ic is None:
        return found
    if found.up:
        found = _operators_word(observed, found)
    told = (*found.findings, *_unread(observed, where), *progressing(observed, where))
    return replace(found, findings=told)


def _told_by_operator(observed: Observed) -> tuple[Json, ...]:
    """Without events, the failure that the operator quotes, if it is of this Service; events live for an hour only."""
    said, meta = condition(observed.ic, "LoadBalancerReady"), dig(observed.service, "metadata") or {}
    begun, made = moment(said.get("lastTransitionTime")), moment(meta.get("creationTimestamp"))
    if said.get("reason") != "SyncLoadBalancerFailed" or (begun or 0.0) < (made or 0.0):
        return ()
    about = {"uid": meta.get("uid"), "kind": "Service"}
    words = {"reason": said["reason"], "message": said.get("message"), "lastTimestamp": said.get("lastTransitionTime")}
    return ({**words, "involvedObject": about},)


def _not_made(observed: Observed, found: Serving, frozen: bool) -> Serving:
    """No Service: the operator makes one at once, unless it cannot or is not there."""
    said = condition(observed.ic, "LoadBalancerReady")
    begun = moment(said.get("lastTransitionTime")) if said.get("reason") == "ServiceNotFound" else None
    refused = condition(observed.ic, "Admitted").get("status") == "False"
    late = (age(begun, observed.now) or 0.0) > _NOTICE
    if not (frozen or late or refused):
        return found
    what = found.findings[0].what + (f" The operator knows it for {since(begun, observed.now)}." if late else "")
    what += f" {condition_text(observed.ic, 'Admitted')}." if refused else ""
    remedy = "It does not come back by itself: see the log of the ingress operator."
    finding = replace(found.findings[0], severity=Severity.ERROR, what=what, remedy=remedy)
    return Serving(State.DOWN, False, (finding,))


def _operators_word(observed: Observed, found: Serving) -> Serving:
    """Available and Degraded. A condition that is not there says nothing."""
    where, said = str(observed.target), condition(observed.ic, "Available")
    worse = _degraded(observed, where)
    if said.get("status", "True") == "True":
        told = (*found.findings, *worse, *_behind(observed, where))
        return _of_before(observed, where, told) or replace(found, findings=told)
    begun = moment(said.get("lastTransitionTime"))
    seconds = age(begun, observed.now)
    ago = since(begun, observed.now)
    what = f"Ingress is down: the operator says so{f', since {ago}' if ago else ''}: "
    what += f"{condition_text(observed.ic, 'Available')}."
    calm = not worse and (seconds is None or seconds < _GRACE)
    finding = Finding(
        "ingress_unavailable",
        Severity.WARNING if calm else Severity.ERROR,
        where,
        what,
        "Mend what it names; the load balancer itself has an address.",
    )
    return Serving(State.UNAVAILABLE, (seconds or 0.0) < PATIENCE, (finding, *worse))


def _of_before(observed: Observed, where: str, told: tuple[Finding, ...]) -> Serving | None:
    """What the operator says is of the load balancer before this one; None where it is not, or cannot be told."""
    service, made = observed.service, moment(dig(observed.service, "metadata", "creationTimestamp"))
    seconds, ago = age(made, observed.now) or 0.0, since(made, observed.now)
    if leads_elsewhere(observed.record, service):
        what = (
            f"The operator's DNSRecord leads to {', '.join(observed.record['spec']['targets'])}, and not to the load "
        )
        what += f"balancer of the Service ({', '.join(addresses(service))}), which was made {ago or 'some time'} ago."
        severity = Severity.WARNING if seconds < _GRACE else Severity.ERROR
        finding = Finding("dns_outdated", severity, where, what, _SEE_OPERATOR)
        return Serving(State.UNAVAILABLE, seconds < PATIENCE, (finding, *told))
    if observed.record is not None or not of_before(observed.ic, service) or seconds > _NOTICE:
        return None
    what = "What the operator says is older than the Service, so it is of the load balancer before."
    return Serving(
        State.UNAVAILABLE, True, (Finding("operator_behind", Severity.WARNING, where, what, _SEE_OPERATOR), *told)
    )


def _degraded(observed: Observed, where: str) -> tuple[Finding, ...]:
    if condition(observed.ic, "Degraded").get("status") != "True":
        return ()
    what = f"The operator calls it degraded: {condition_text(observed.ic, 'Degraded')}."
    return (Finding("ingress_degraded", Severity.WARNING, where, what, "Mend what it names."),)


def _behind(observed: Observed, where: str) -> tuple[Finding, ...]:
    if not behind(observed.ic):
        return ()
    what = "The operator has not taken up the newest spec yet, so its conditions are of the one before."
    return (Finding("operator_behind", Severity.WARNING, where, what, _SEE_OPERATOR),)


def progressing(observed: Observed, where: str) -> Iterator[Finding]:
    """What the operator calls progressing beside the changes that wait for a recreation, in its own words."""
    told = {entry.get("type"): entry for entry in dig(observed.ic, "status", "conditions") or ()}
    if (told.get("Progressing") or {}).get("status", "False") == "False":
        return
    explained = _explained(observed)
    going = [entry for kind in _PROGRESSING if (entry := told.get(kind) or {}).get("status", "False") != "False"]
    for entry in going or ([] if explained else [told["Progressing"]]):
        if not (explained and entry["type"] == _PROGRESSING[0]):
            text = f"The operator is progressing ({entry.get('reason', '')}): {entry.get('message', '')}"
            yield Finding("operator_progressing", Severity.INFO, where, text, "Wait for it, or see the operator's log.")


def _explained(observed: Observed) -> bool:
    """What the operator waits for is among the pending changes that are told anyway."""
    if observed.service is None:
        return False
    place = (observed.ic, observed.service)
    waits_for = {change.field for change in messages.pending(observed.profile, observed.infra, *place)}
    return bool(waits_for) and waits_for <= {entry.field for entry in pending(observed, *place, ())}


def _unread(observed: Observed, where: str) -> tuple[Finding, ...]:
    if observed.events is not None or not observed.silent:
        return ()
    what = f"Events in namespace {names.OPERAND_NAMESPACE} may not be read, so why it does not serve cannot be told."
    return (Finding("events_unread", Severity.INFO, where, what, "Permit list events there."),)
