# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a wait is over, as pure functions over what was just read (CORE-10, SUB-10). The clock is the executor's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .aws.cloud_controller import FailureCause
from .data import Json, dig
from .events import moment, trouble
from .operator import messages, predict
from .operator.names import Infra
from .operator.reconcile import sync_status
from .profiles import Profile

NOT_ADMITTED = FailureCause(
    "not_admitted", "The operator does not admit the IngressController.", "Correct what it names, then run again."
)
FROZEN = FailureCause(
    "operator_frozen",
    "The operator cannot write its own status and does nothing more for this IngressController.",
    "Do not delete the Service. Run lb_effectuate with unfreeze: true.",
)

BROKEN = FailureCause(
    "load_balancer_error",
    "its load balancer is in ERROR; Octavia refuses every change of it.",
    "Run again with allow_rebuild to have it deleted and made anew, or ask the cloud's operators to fail it over.",
)
DELETED = FailureCause("load_balancer_gone", "its load balancer was deleted meanwhile.", "Run again: it is made anew.")


@dataclass(frozen=True)
class Look:
    """One look at the cluster: over, failed for good, or still waiting for something named."""

    done: bool
    waiting_for: str = ""
    failure: FailureCause | None = None
    detail: str = ""  # the last condition or event, for the error of a wait that ran out


def admitted(profile: Profile, infra: Infra, ic: Json, service: Json, patient: bool) -> Look:
    """The operator has seen this generation and its conditions speak of it. `patient`: it may still be writing them."""
    if ic is None:
        return Look(False, "the IngressController to be there")
    if _frozen(profile, infra, ic, service):
        return Look(False, "the operator", FROZEN, condition_text(ic, "LoadBalancerProgressing"))
    if behind(ic):
        return Look(False, "the operator to admit the new spec", detail=condition_text(ic, "Admitted"))
    refused = _not_admitted(ic)
    if refused is not None:
        return refused
    detail = condition_text(ic, "LoadBalancerProgressing")
    if patient and profile.progressing_condition and service is not None:
        # Admission is written before the conditions: a stale one must not be taken for the answer.
        mirrored = _mirror(profile, infra, ic, service)
        expected = bool(messages.pending(profile, infra, {**ic, "status": mirrored}, service))
        if (condition(ic, "LoadBalancerProgressing").get("status") == "True") != expected:
            return Look(False, "the operator to update its conditions", detail=detail)
    return Look(True, detail=detail)


def _mirror(profile: Profile, infra: Infra, ic: Json, service: Json) -> Json:
    """Status as the operator writes it of this Service."""
    return sync_status(profile, infra, ic, service, moved=True).ic_status or ic.get("status")


def mirrored(profile: Profile, infra: Infra, ic: Json, service: Json) -> Look:
    """Status tells what is in force: of this spec, and of the Service that is there.

    On any other the operator would admit the next spec, and could freeze.
    """
    look = admitted(profile, infra, ic, service, patient=False)
    if not look.done:
        return look
    if service is None:
        return Look(False, "the operator to make the Service", detail=_of_nothing(ic))
    if service["metadata"].get("deletionTimestamp"):
        return _leaving(service, ())
    due = dig(_mirror(profile, infra, ic, service), "endpointPublishingStrategy")
    if dig(ic, "status", "endpointPublishingStrategy") != due:
        return Look(False, "the operator to tell in status what is in force", detail=look.detail)
    return look


def recreated(
    profile: Profile,
    infra: Infra,
    ic: Json,
    service: Json,
    events: Sequence[Json],
    old_uid: str,
    patient: bool = False,
    record: Json = None,
) -> Look:
    """A new Service with an address, and the operator calls it available. `patient`: its word may be of before."""
    if ic is not None and _frozen(profile, infra, ic, service):
        return Look(False, "the operator", FROZEN, condition_text(ic, "LoadBalancerReady"))
    if service is None:
        return _not_admitted(ic) or Look(False, "the operator to recreate the Service", detail=_of_nothing(ic))
    meta = service["metadata"]
    if old_uid and meta.get("uid") == old_uid:
        if meta.get("deletionTimestamp"):
            return _leaving(service, events)
        detail = condition_text(ic, "LoadBalancerProgressing")
        return Look(False, "the operator to delete the old Service", detail=detail)
    look = ready(service, events)
    return available(ic, service, patient, record) if look.done and ic is not None else look


def _of_nothing(ic: Json) -> str:
    """What the operator says of a missing Service; that the one before was ready is no news."""
    return "" if condition(ic, "LoadBalancerReady").get("status") == "True" else condition_text(ic, "LoadBalancerReady")


def _leaving(service: Json, events: Sequence[Json]) -> Look:
    look = removal(service, events)
    return replace(look, waiting_for=f"the old load balancer to be deprovisioned (finalizers: {held_by(service)})")


def removal(service: Json, events: Sequence[Json]) -> Look:
    """What events say of taking a Service's load balancer away; it is not over as long as somebody asks."""
    found = trouble(events, str(dig(service, "metadata", "uid") or ""), removal=True)
    if found is None:
        return Look(False)
    return Look(False, "", found.cause if found.cause.terminal else None, found.text)


def _not_admitted(ic: Json) -> Look | None:
    if ic is None or behind(ic) or condition(ic, "Admitted").get("status") != "False":
        return None
    return Look(False, "the operator to admit it", NOT_ADMITTED, condition_text(ic, "Admitted"))


def available(ic: Json, service: Json, patient: bool, record: Json = None) -> Look:
    """The operator's own word, of this spec and, as far as can be told, of this Service. `record`: its DNSRecord."""
    if behind(ic):
        return Look(False, "the operator to admit the new spec", detail=condition_text(ic, "Admitted"))
    entry = condition(ic, "Available")
    if entry.get("status") != "True":
        return Look(False, "the operator to call it available", detail=condition_text(ic, "Available"))
    unproven = patient and record is None and of_before(ic, service)
    if unproven or leads_elsewhere(record, service):
        return Look(False, "the operator to look at the new load balancer", detail=condition_text(ic, "Available"))
    return Look(True)


def of_before(ic: Json, service: Json) -> bool:
    """The operator's word is older than the Service, so it may be of the one before; a DNSRecord tells."""
    said = moment(condition(ic, "Available").get("lastTransitionTime"))
    made = moment(dig(service, "metadata", "creationTimestamp"))
    return said is not None and made is not None and said < made


def leads_elsewhere(record: Json, service: Json) -> bool:
    """The operator writes the address of the load balancer into its record as soon as it has seen it."""
    targets = dig(record, "spec", "targets")
    return bool(targets and addresses(service) and not set(targets) & set(addresses(service)))


def behind(ic: Json) -> bool:
    """The operator has not seen the newest spec yet."""
    return bool((dig(ic, "status", "observedGeneration") or 0) < (dig(ic, "metadata", "generation") or 0))


def ready(service: Json, events: Sequence[Json]) -> Look:
    """An address, or a failure that waiting does not mend."""
    if service is None:
        return Look(False, "the Service to be there")
    if addresses(service):
        return Look(True)
    return _unserved(service, events, "the cloud to make the load balancer")


def _unserved(service: Json, events: Sequence[Json], waiting_for: str) -> Look:
    found = trouble(events, service["metadata"].get("uid", ""))
    if found is None:
        return Look(False, waiting_for)
    return Look(False, waiting_for, found.cause if found.cause.terminal else None, found.text)


def readdressed(service: Json, events: Sequence[Json], old: Sequence[str]) -> Look:
    """An in-place change has come through: another address. `events`: only those since the change."""
    if service is None:
        return Look(False, "the Service to be there")
    if addresses(service) and set(addresses(service)) != set(old):
        return Look(True)
    return _unserved(service, events, "the cloud to give the load balancer its new address")


def addresses(service: Json) -> list[str]:
    found = dig(service, "status", "loadBalancer", "ingress") or []
    return [entry.get("hostname") or entry.get("ip") or "" for entry in found]


def held_by(service: Json) -> str:
    return ", ".join(dig(service, "metadata", "finalizers") or ()) or "nothing"


def gone(service: Json, old_uid: str, events: Sequence[Json] = ()) -> Look:
    """The deleted Service has left, its load balancer with it."""
    if service is None or service["metadata"].get("uid") != old_uid:
        return Look(True)
    return _leaving(service, events)


def settled(load_balancer: str, status: str, final: Sequence[str]) -> Look:
    """Octavia is done with it. ERROR ends a wait for anything else: it does not go away by itself."""
    if status in final:
        return Look(True, detail=status)
    failure = {"ERROR": BROKEN, "DELETED": DELETED}.get(status)
    if failure is not None:
        return Look(False, "Octavia", failure, f"load balancer {load_balancer}")
    return Look(False, f"load balancer {load_balancer} to be {' or '.join(final)}", detail=status)


def _frozen(profile: Profile, infra: Infra, ic: Json, service: Json) -> bool:
    return bool(predict.settle(profile, infra, ic, service).frozen)


def condition(ic: Json, kind: str) -> Json:
    return next((entry for entry in dig(ic, "status", "conditions") or () if entry.get("type") == kind), {})


def condition_text(ic: Json, kind: str) -> str:
    entry = condition(ic, kind)
    if not entry:
        return ""
    told = ": ".join(part for part in (entry.get("reason"), entry.get("message")) if part)
    return f"{kind}={entry.get('status', '')}" + (f" ({told})" if told else "")
