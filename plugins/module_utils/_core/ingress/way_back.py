# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back: one patch, and what it costs until the former state is in force again."""

from __future__ import annotations

from dataclasses import replace

from ..data import Json, dig
from ..model import Decision, Disruption
from ..operator import predict
from . import effects, spec
from .state import Candidate, Observed

_TYPE = ("spec", "endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", "type")


def way_back(observed: Observed, candidate: Candidate, cancel: Json, recreates: bool) -> tuple[Json, Disruption]:
    """`cancel`: what takes back everything pending. Without it, what takes back the patch itself, if there is one."""
    patch, own = cancel, spec.reverse({"spec": candidate.patch.get("spec") or {}}, observed.ic)
    if patch is None and candidate.patch:
        patch = own
    elif patch is not None and dig(own, *_TYPE) is not None:
        patch = _whole(observed, candidate, own, patch)
    if patch is None or not patch.get("spec"):
        return None, Disruption.NONE
    return patch, Disruption.OUTAGE if recreates else cost_of(observed, candidate, patch)


def _whole(observed: Observed, candidate: Candidate, own: Json, cancel: Json) -> Json:
    """The operator's patch speaks of one type's parameters; what the task wrote for the other type goes too."""
    both = spec.combined(own, cancel)
    _after, causes = predict.patched(observed.profile, candidate.settled.ic, both)
    return cancel if causes else both


def cost_of(observed: Observed, candidate: Candidate, patch: Json) -> Disruption:
    """Of a patch on what the candidate leaves."""
    ic, service = candidate.settled.ic, candidate.settled.service
    after, _causes = predict.patched(observed.profile, ic, patch)
    settled = predict.settle(observed.profile, observed.infra, after, service)
    return effects.of_settling(service if observed.service is not None else None, settled)[0]


def of_stages(decision: Decision, observed: Observed, patch: Json) -> Decision:
    """Of a change in stages, all of it at once: that way round nothing freezes."""
    return replace(decision, revert_patch=spec.reverse(patch, observed.ic), revert_disruption=Disruption.OUTAGE)
