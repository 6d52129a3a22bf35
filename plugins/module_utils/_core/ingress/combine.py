# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change that the API would refuse for what else spec says: the patch that does both, and that it takes (SUB-12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..data import Json, dig, plain
from ..operator import messages, predict
from ..platforms import EXTERNAL
from . import spec
from .state import CLEAR, LEAVE, Observed, Wanted

_FLOATING_IP = {"providerParameters": {"openstack": {"floatingIP": None}}}


def combined_patch(wanted: Wanted, observed: Observed, patch: Json) -> dict[str, Any] | None:
    """None where nothing that the task leaves open would help. Where only a change in stages works, the first one."""
    staged = None
    for other in _others(wanted, observed, patch):
        after, causes = predict.patched(observed.profile, observed.ic, other)
        if causes:
            continue
        if not predict.settle(observed.profile, observed.infra, after, observed.service).frozen:
            return other
        staged = staged or _first_stage(other)
    return staged


def _others(wanted: Wanted, observed: Observed, patch: Json) -> Iterator[dict[str, Any]]:
    """The same change with one thing more that the task says nothing of."""
    if wanted.eips is LEAVE:
        yield _patch(replace(wanted, eips=CLEAR), observed)
    if wanted.subnets is LEAVE and messages.EIPS in wanted.asked:
        yield _patch(replace(wanted, subnets=CLEAR), observed)
    if not wanted.scope:
        yield _patch(replace(wanted, scope=EXTERNAL), observed)
    if dig(observed.strategy, "loadBalancer", "providerParameters", "openstack", "floatingIP"):
        more = {"spec": {"endpointPublishingStrategy": {"loadBalancer": _FLOATING_IP}}}
        yield spec.combined(patch, more)


def _patch(wanted: Wanted, observed: Observed) -> dict[str, Any]:
    return spec.same_order_kept(observed, spec.spec_patch(wanted, observed))


def _first_stage(patch: Json) -> dict[str, Any] | None:
    first: dict[str, Any] = plain(patch)
    lb = first["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    lb.pop("scope", None)
    return first if lb else None
