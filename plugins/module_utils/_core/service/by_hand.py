# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service's scope as a person would change it, and the way back (SCO-7)."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from ..platforms import platform
from .state import ObservedService


def scope_annotations(name: str, scope: str) -> dict[str, str | None]:
    """On one platform; None takes an annotation away."""
    known = platform(name)
    return {**known.cleared(), **known.scope_annotations(scope)}


def changes(observed: ObservedService, scope: str) -> dict[str, str | None]:
    """What of them changes on the live Service."""
    said = scope_annotations(observed.platform, scope)
    return {key: value for key, value in said.items() if value is not None or key in observed.annotations}


def revert_patch(observed: ObservedService, scope: str) -> dict[str, object]:
    """The merge patch that sets the annotations of this scope back to what they are now."""
    return {"metadata": {"annotations": {key: observed.annotations.get(key) for key in changes(observed, scope)}}}


def commands(observed: ObservedService, scope: str) -> tuple[str, ...]:
    """One that makes it so. Where that takes a new load balancer, the same Service is deleted and made again."""
    place = f"oc -n {observed.namespace}"
    name = f"svc/{observed.name}"
    wanted = _arguments(changes(observed, scope))
    if platform(observed.platform).scope_in_place:
        return (f"{place} annotate --overwrite {name} {wanted}",)
    changed = f" | oc annotate --local --overwrite -f - {wanted} -o json" if wanted else ""
    return (f"{place} get {name} -o json{changed} | {place} replace --force -f -",)


def command_back(observed: ObservedService, scope: str) -> str:
    """After a recreation with this scope: the annotations as they are now, and a load balancer made by them."""
    place, back = (
        f"oc -n {observed.namespace}",
        {key: observed.annotations.get(key) for key in changes(observed, scope)},
    )
    changed = f"oc annotate --local --overwrite -f - {_arguments(back)} -o json"
    return f"{place} get svc/{observed.name} -o json | {changed} | {place} replace --force -f -"


def _arguments(annotations: Mapping[str, str | None]) -> str:
    return " ".join(f"{key}-" if value is None else shlex.quote(f"{key}={value}") for key, value in annotations.items())
