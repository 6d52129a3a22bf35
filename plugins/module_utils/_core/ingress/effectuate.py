# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one effectuation for all pending changes of a load balancer, by the operator or by deletion (CORE-9, SUB-6).

`report`, the default, takes no step. `bridge`, `rolling` and `least_disruptive` will be further entries of WAYS.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..data import Json, canonical, dig
from ..model import Disruption, Pending, Step, Wait
from ..operator import names, revert
from ..waits import addresses
from . import edits, spec
from .state import TRANSACTION_PREFIX, Observed, Way

IC_RESOURCE = "ingresscontrollers.operator.openshift.io"
ONLY_FOR_THIS = "auto-delete is set for this transaction only"
_OUTAGE = "the load balancer is deleted and a new one made: minutes of outage, new addresses"


def ic_patch(observed: Observed, body: Any, why: str, **more: Any) -> Step:
    """A write to the IngressController that goes through only on the object that was looked at."""
    return Step(
        "kube",
        "patch",
        IC_RESOURCE,
        observed.name,
        names.OPERATOR_NAMESPACE,
        body,
        why,
        uid=dig(observed.ic, "metadata", "uid") or "",
        **more,
    )


def disarm(observed: Observed, why: str, value: str, *, always: bool = False) -> Step:
    """Only what carries this value: somebody else's annotation stays."""
    return ic_patch(observed, spec.arm_patch(""), why, expect=spec.arm_patch(value), always=always)


def steps(way: Way, observed: Observed, ic: Json, pending: Sequence[Pending]) -> tuple[Step, ...]:
    """Nothing for `report`, and nothing when nothing is pending. `ic`: as it is once spec is patched."""
    if not pending or observed.service is None:
        return ()
    make = WAYS.get(way.effectuate)
    return with_restored(way, observed, ic, make(observed, ic, pending)) if make is not None else ()


def with_restored(way: Way, observed: Observed, ic: Json, made: Sequence[Step]) -> tuple[Step, ...]:
    """Edits go back as soon as there is a new Service: its load balancer is made with them, and a restricted one stands
    open for no longer than that."""
    back = _restore(way, observed, ic)
    cut = next((number for number, step in enumerate(made) if _ends(step)), len(made))
    return (*made[:cut], replaced(observed), *back, *made[cut:]) if back else tuple(made)


def _ends(step: Step) -> bool:
    return step.wait_for is not None and step.wait_for.until == "recreated"


def transaction(observed: Observed, pending: Sequence[Pending]) -> str:
    """Names what is replaced and why: the same plan has the same id, another one another (CORE-1)."""
    effects = [[entry.field, entry.have, entry.want] for entry in pending]
    text = canonical([dig(observed.service, "metadata", "uid"), effects])
    return TRANSACTION_PREFIX + hashlib.sha256(text.encode()).hexdigest()[:16]


def _by_operator(observed: Observed, ic: Json, pending: Sequence[Pending]) -> tuple[Step, ...]:
    if observed.auto_delete is not None and not observed.left_armed:
        return (recreated(observed),)  # armed before us: the spec patch already did it, and it stays armed
    ours = transaction(observed, pending)
    armed = ic_patch(
        observed,
        spec.arm_patch(ours),
        f"auto-delete makes the operator recreate the Service: {_OUTAGE}",
        disruption=Disruption.OUTAGE,
        # It effectuates whatever spec says then, so it must be the spec that was planned with.
        expect={"metadata": {**spec.arm_patch("")["metadata"], "generation": dig(ic, "metadata", "generation")}},
        point_of_no_return=True,
    )
    return (armed, recreated(observed), disarm(observed, ONLY_FOR_THIS, ours, always=True))


def _by_deletion(observed: Observed, _ic: Json, _pending: Sequence[Pending]) -> tuple[Step, ...]:
    meta = observed.service["metadata"]
    deleted = Step(
        "kube",
        "delete",
        "services",
        meta["name"],
        meta["namespace"],
        why=f"the operator recreates a deleted Service: {_OUTAGE}",
        disruption=Disruption.OUTAGE,
        uid=meta.get("uid", ""),
        point_of_no_return=True,
    )
    return (deleted, recreated(observed))


WAYS: dict[str, Callable[[Observed, Json, Sequence[Pending]], tuple[Step, ...]]] = {
    "operator": _by_operator,
    "delete": _by_deletion,
}


def recreated(observed: Observed) -> Step:
    why = "the new load balancer has an address and the operator calls it available"
    return _wait(observed, why, Wait("recreated", old_uid=_uid(observed)))


def replaced(observed: Observed) -> Step:
    return _wait(observed, "the operator has made a new Service", Wait("replaced", old_uid=_uid(observed)))


def served(observed: Observed) -> Step:
    """Nothing is done here but waiting for what others are doing."""
    why = "the load balancer has an address and the operator calls it available"
    return _wait(observed, why, Wait("served", old_uid=_uid(observed) if observed.going else ""))


def _uid(observed: Observed) -> str:
    return dig(observed.service, "metadata", "uid") or ""


def readdressed(observed: Observed) -> Step:
    """After a change in place that gives the load balancer another address."""
    old = tuple(addresses(observed.service))
    return _wait(observed, "the load balancer has its new address", Wait("readdressed", old_addresses=old))


def _wait(observed: Observed, why: str, wait_for: Wait) -> Step:
    name = names.service_name(observed.name)
    return Step("kube", "wait", "services", name, names.OPERAND_NAMESPACE, why=why, wait_for=wait_for)


def admitted(observed: Observed) -> Step:
    why = "the operator has admitted the new spec and reports on it"
    place = (observed.name, names.OPERATOR_NAMESPACE)
    return Step("kube", "wait", IC_RESOURCE, *place, why=why, wait_for=Wait("admitted"))


def mirrored(observed: Observed) -> Step:
    why = "the operator tells in its status what is in force; on one from before it would freeze at this change"
    place = (observed.name, names.OPERATOR_NAMESPACE)
    return Step("kube", "wait", IC_RESOURCE, *place, why=why, wait_for=Wait("mirrored"))


def _restore(way: Way, observed: Observed, ic: Json) -> tuple[Step, ...]:
    """Onto the Service, then out of the annotation that kept them meanwhile."""
    body = edits.edits(observed, ic).patch if way.restore_edits else None
    if not body:
        return ()
    name = names.service_name(observed.name)
    why = "modifications made by hand are put back onto the new Service"
    back = Step("kube", "patch", "services", name, names.OPERAND_NAMESPACE, body, why)
    return back, ic_patch(observed, spec.edits_patch(None), "what was kept of the old Service is on the new one")


def kept(observed: Observed, made: Sequence[Step]) -> tuple[Step, ...]:
    """Edits to be put back are on the IngressController before the Service goes: a stopped run loses none (CORE-4)."""
    cut = next((number for number, step in enumerate(made) if step.disruption is Disruption.OUTAGE), None)
    back = next((step for step in made[cut or 0 :] if (step.verb, step.resource) == ("patch", "services")), None)
    if cut is None or back is None:
        return tuple(made)
    keep, step = spec.edits_patch(back.body, _uid(observed)), made[cut]
    if keep["metadata"]["annotations"].items() <= (dig(observed.ic, "metadata", "annotations") or {}).items():
        return tuple(made)  # by an earlier round of this run
    if step.verb == "patch":
        return (*made[:cut], replace(step, body=spec.combined(step.body, keep)), *made[cut + 1 :])
    return (*made[:cut], ic_patch(observed, keep, "what is to be put back is kept until then"), *made[cut:])


def commands(observed: Observed, pending: Sequence[Pending], patch: Json) -> tuple[str, ...]:
    """How a person would effectuate what is pending, and how to cancel it."""
    if not pending:
        return ()
    cancel = (revert.command(observed.name, patch),) if patch is not None else ()
    return (revert.delete_command(observed.name), *cancel)
