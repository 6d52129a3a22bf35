# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a write would lead to: the API server's part, then the operator until it rests (CORE-3, SUB-13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..data import Json, dig, merge_patch, plain
from ..profiles import Profile
from . import crd, messages
from .names import Infra
from .reconcile import reconcile
from .schema import Cause

_MOST_PASSES = 12  # admission, recreation, a follow-up in place, status: far fewer are needed


@dataclass(frozen=True)
class Settled:
    """The cluster once the operator has come to rest, cloud aside."""

    ic: Json
    service: Json
    recreated: bool = False
    frozen: tuple[Cause, ...] = ()
    changes: tuple[messages.Change, ...] = ()  # what the operator then reports as pending


def patched(profile: Profile, ic: Json, patch: Json) -> tuple[dict[str, Any], list[Cause]]:
    """The IngressController as the API server would store it after a merge patch, and why it would refuse."""
    after: dict[str, Any] = merge_patch(ic, patch)
    spec = after.setdefault("spec", {})
    strategy = crd.stored(profile, spec.get("endpointPublishingStrategy"))
    if strategy is not None:
        spec["endpointPublishingStrategy"] = strategy
    if spec != plain(ic.get("spec") or {}):
        after["metadata"]["generation"] = (dig(ic, "metadata", "generation") or 0) + 1
    return after, crd.check(profile, strategy)


def settle(profile: Profile, infra: Infra, ic: Json, service: Json) -> Settled:
    """Passes of the operator until it writes nothing more."""
    state: dict[str, Any] = plain(ic)
    current, recreated = service, False
    frozen: tuple[Cause, ...] = ()
    for _pass in range(_MOST_PASSES):
        outcome = reconcile(profile, infra, state, current)
        recreated = recreated or outcome.recreates
        frozen = outcome.frozen
        current = outcome.service_after(current)
        if outcome.ic_status is not None:
            state["status"] = outcome.ic_status
        if outcome.rests:
            break
    changes: tuple[messages.Change, ...] = ()
    if current is not None and dig(state, "status", "endpointPublishingStrategy", "loadBalancer") is not None:
        changes = tuple(messages.pending(profile, infra, state, current))
    return Settled(state, current, recreated, frozen, changes)
