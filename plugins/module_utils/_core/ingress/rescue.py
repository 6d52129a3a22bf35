# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What spec said before a frozen operator was thawed (SUB-13).

A thaw takes it out of spec, and the last stage puts it back. In between it is kept on the IngressController: a run that
was stopped there is picked up by the next lb_effectuate with unfreeze.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..data import Json, canonical, dig, plain
from ..model import Decision, Finding, Severity, Verdict
from ..operator.subnets import Subnets
from . import effectuate, spec
from .state import CLEAR, LEAVE, RESCUE, Observed, Wanted, Way

_CLEARED = "clear"
_SCOPES = ("Internal", "External")


def note(wanted: Wanted) -> dict[str, Any]:
    """As a patch of the IngressController."""
    said: dict[str, Any] = {"scope": wanted.scope}
    if wanted.eips is not LEAVE:
        said["eips"] = _CLEARED if wanted.eips is CLEAR else plain(wanted.eips)
    if wanted.subnets is not LEAVE:
        kept = wanted.subnets
        said["subnets"] = {"ids": kept.ids, "names": kept.names} if isinstance(kept, Subnets) else _CLEARED
    return {"metadata": {"annotations": {RESCUE: canonical(said)}}}


def noted(ic: Json) -> Wanted | None:
    """None where there is none, or none that can be read: nothing is done on a guess."""
    text = (dig(ic, "metadata", "annotations") or {}).get(RESCUE)
    try:
        said = json.loads(text) if text else None
    except (TypeError, ValueError, RecursionError):
        return None
    if not isinstance(said, Mapping) or said.get("scope") not in _SCOPES:
        return None
    eips, subnets = said.get("eips"), said.get("subnets")
    return Wanted(
        said["scope"],
        eips=CLEAR if eips == _CLEARED else eips if _texts(eips) else LEAVE,
        subnets=CLEAR if subnets == _CLEARED else (_subnets(subnets) or LEAVE),
    )


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _subnets(said: Any) -> Subnets | None:
    if not isinstance(said, Mapping) or not all(_texts(said.get(key)) for key in ("ids", "names")):
        return None
    return Subnets.listed(said)


def finished(wanted: Wanted, way: Way, observed: Observed, decision: Decision) -> Decision:
    """The last stage, or a change by somebody who wants something else: it is not needed any more."""
    text = (dig(observed.ic, "metadata", "annotations") or {}).get(RESCUE)
    if text is None or decision.verdict in (Verdict.BLOCKED, Verdict.INVALID):
        return decision
    memory = noted(observed.ic)
    decided = bool(decision.steps) and (memory is None or bool(wanted.asked & memory.asked))
    if not way.unfreeze and not decided:
        return decision
    seen = {"metadata": {"annotations": {RESCUE: text}}}
    why = "the rescue of the frozen operator is finished"
    step = effectuate.ic_patch(observed, {"metadata": {"annotations": {RESCUE: None}}}, why, expect=seen)
    quiet = decision.verdict is Verdict.IN_SYNC
    verdict = Verdict.UPDATE_IN_PLACE if quiet else decision.verdict
    return replace(decision, verdict=verdict, steps=(*decision.steps, step))


def told(observed: Observed) -> tuple[Finding, ...]:
    """Until spec says again what it said."""
    memory, where = noted(observed.ic), str(observed.target)
    if memory is None:
        if RESCUE not in (dig(observed.ic, "metadata", "annotations") or {}):
            return ()
        what = f"Annotation {RESCUE}, in which a run of ours keeps what spec said, cannot be read."
        return (Finding("rescue_spoilt", Severity.WARNING, where, what, "Set by hand what is meant, and drop it."),)
    if not spec.spec_patch(memory, observed):
        return ()
    what = f"A run of ours that rescued the frozen operator was stopped before spec said again: scope {memory.scope}."
    remedy = "Run lb_effectuate with unfreeze: true, which goes on from there; or set the scope that is meant."
    return (Finding("rescue_left", Severity.WARNING, where, what, remedy, memory.scope),)
