# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifications that a stopped run was to put back: kept on the IngressController with the Service they are of (SCO-6).

They go onto another Service only, through the same rules as when they were taken, gated by what they do there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..data import dig, merge_patch
from ..model import Finding, Severity, Step
from ..operator import names
from ..operator.subnets import lb_type
from . import effects, effectuate, spec
from .edit_rules import annotation_refused, field_refused, label_refused
from .edits import names_in
from .state import EDITS, Observed


@dataclass(frozen=True)
class LeftEdits:
    """`uid`: the Service they were taken from. `refused`: parts that no rule lets through. `spoilt`: not readable."""

    uid: str = ""
    patch: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    spoilt: str = ""


def left_edits(observed: Observed) -> LeftEdits | None:
    """None where a run of ours left none."""
    text = (dig(observed.ic, "metadata", "annotations") or {}).get(EDITS)
    if text is None:
        return None
    try:
        said = json.loads(text)
    except (TypeError, ValueError, RecursionError) as problem:
        return LeftEdits(spoilt=f"it is no JSON: {problem}")
    uid, patch = dig(said, "uid"), dig(said, "edits")
    if not isinstance(uid, str) or not uid or not isinstance(patch, Mapping):
        return LeftEdits(spoilt="it does not say of which Service it is")
    return _judged(observed, uid, patch)


def _judged(observed: Observed, uid: str, patch: Mapping[str, Any]) -> LeftEdits:
    kind, place = lb_type(observed.annotations), observed.infra.platform
    rules: dict[tuple[str, ...], Callable[[Any, Any], str]] = {
        ("metadata", "annotations"): lambda key, item: annotation_refused(key, item, observed.profile, place, kind),
        ("metadata", "labels"): label_refused,
        ("spec",): lambda key, item: field_refused(key, item, place),
    }
    good: dict[str, Any] = {}
    bad = dict.fromkeys(_elsewhere(patch), "it is not one that is put back")
    for path, refused in rules.items():
        found = dig(patch, *path)
        for key, item in (found if isinstance(found, Mapping) else {}).items():
            why = refused(key, item)
            if why:
                bad[str(key)] = why
                continue
            inside = good
            for part in path:
                inside = inside.setdefault(part, {})
            inside[key] = item
    return LeftEdits(uid, good, bad)


def _elsewhere(patch: Mapping[str, Any]) -> list[str]:
    outer = [str(key) for key in patch if key not in ("metadata", "spec")]
    meta = patch.get("metadata")
    meta = meta if isinstance(meta, Mapping) else {}
    return outer + [f"metadata.{key}" for key in meta if key not in ("annotations", "labels")]


def _forget(observed: Observed, why: str) -> Step:
    """Only what was looked at: another run may keep others by now."""
    text = (dig(observed.ic, "metadata", "annotations") or {}).get(EDITS)
    seen = {"metadata": {"annotations": {EDITS: text}}}
    return effectuate.ic_patch(observed, spec.edits_patch(None), why, expect=seen)


def steps(observed: Observed, planned: Sequence[Step] = ()) -> tuple[Step, ...]:
    """Onto the new Service, then out of the annotation; not while there is no new one. `planned`: what comes after."""
    found, service = left_edits(observed), observed.service
    if found is None or found.spoilt or service is None or observed.going:
        return ()
    if service["metadata"].get("uid") == found.uid:
        # A recreation that keeps them anew does not need them forgotten first.
        again = any((step.verb, step.resource) == ("patch", "services") for step in planned)
        return () if again else (_forget(observed, "the Service they were taken from still stands, and has them"),)
    done = _forget(observed, "what was kept of the old Service is on the new one")
    return (_put_back(observed, found), done) if found.patch else (done,)


def _put_back(observed: Observed, found: LeftEdits) -> Step:
    meta = observed.service["metadata"]
    cost, notice = effects.cost(effects.effects(observed.service, merge_patch(observed.service, found.patch)))
    why = "modifications made by hand on the Service before this one are put back, as a stopped run was to"
    return Step(
        "kube",
        "patch",
        "services",
        meta["name"],
        meta["namespace"],
        found.patch,
        f"{why}: {notice}" if notice else why,
        cost,
        uid=meta.get("uid", ""),
    )


def told(observed: Observed) -> tuple[Finding, ...]:
    found, where = left_edits(observed), str(observed.target)
    if found is None:
        return ()
    if found.spoilt:
        what = f"Annotation {EDITS}, in which a run of ours keeps modifications, cannot be read: {found.spoilt}."
        command = f"oc -n {names.OPERATOR_NAMESPACE} annotate ingresscontrollers/{observed.name} {EDITS}-"
        return (Finding("edits_spoilt", Severity.WARNING, where, what, f"Nothing is put back. Drop it: {command}"),)
    return (*_left(observed, found, where), *_refused(found, where))


def _left(observed: Observed, found: LeftEdits, where: str) -> tuple[Finding, ...]:
    if dig(observed.service, "metadata", "uid") == found.uid and not observed.going:
        return ()
    what = "A run of ours was stopped before it had put modifications made by hand back onto the new Service: "
    what += f"{', '.join(names_in(found.patch)) or 'none that could be'}."
    later = observed.service is None or observed.going
    remedy = "They are put back once there is a new Service." if later else "They are put back first."
    return (Finding("edits_left", Severity.WARNING, where, what, remedy, found.patch),)


def _refused(found: LeftEdits, where: str) -> tuple[Finding, ...]:
    if not found.refused:
        return ()
    listed = ", ".join(f"{name} ({why})" for name, why in found.refused.items())
    what = f"Of the modifications that a stopped run has kept, these are not put back: {listed}."
    return (Finding("edits_refused", Severity.WARNING, where, what, "Set by hand what is meant."),)
