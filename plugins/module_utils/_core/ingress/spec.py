# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The minimal merge patch that brings spec to what is wanted (CORE-6: fields of others stay untouched)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..aws.preflight import WantedLb
from ..data import Json, canonical, dig, merge_patch, plain
from ..operator import names, predict, router_service, subnets
from ..operator.names import CLASSIC, LB_STRATEGY, NLB, PARAMS
from ..operator.subnets import Subnets
from ..platforms import EXTERNAL
from .state import CLEAR, EDITS, LEAVE, Keep, Observed, Wanted


def target_type(wanted: Wanted, observed: Observed) -> str:
    return wanted.lb_type or observed.type_in_force


def spec_patch(wanted: Wanted, observed: Observed) -> dict[str, Any]:
    """{} when spec says it already. Required parents come along only when spec lacks them."""
    lb = _wanted_lb(wanted, observed)
    if not lb:
        return {}
    current = observed.strategy
    if not current.get("type"):
        current_type = dig(observed.ic, "status", "endpointPublishingStrategy", "type")
        merged: dict[str, Any] = {"type": current_type or LB_STRATEGY, "loadBalancer": lb}
    else:
        merged = {"loadBalancer": lb}
    if not dig(current, "loadBalancer", "scope"):
        in_status = dig(observed.ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope")
        lb.setdefault("scope", in_status or "External")
    difference = _difference(current, merged)
    return {"spec": {"endpointPublishingStrategy": difference}} if difference else {}


def lb_to_be(wanted: Wanted, observed: Observed) -> WantedLb:
    """The load balancer a recreation would make once spec says what is wanted."""
    ic: Json = observed.ic or {"metadata": {"name": observed.name}, "spec": plain(wanted.create or {})}
    imagined = replace(observed, ic=ic)
    after, _causes = predict.patched(observed.profile, ic, spec_patch(wanted, imagined))
    kind = target_type(wanted, imagined)
    params = router_service.spec_params(after, kind)
    lb = dig(after, "spec", "endpointPublishingStrategy", "loadBalancer")
    scope = dig(lb, "scope") or dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope") or EXTERNAL
    eips = params.get("eipAllocations") or () if kind == NLB else ()
    ranges = dig(lb, "allowedSourceRanges") or ()
    dual = kind == NLB and observed.profile.dual_stack and observed.infra.ip_family.startswith("DualStack")
    return WantedLb(kind, scope, Subnets.listed(params.get("subnets")) or None, eips, ranges, dual)


def _wanted_lb(wanted: Wanted, observed: Observed) -> dict[str, Any]:
    lb: dict[str, Any] = {}
    if wanted.scope and wanted.scope != _unsaid(observed, "scope"):
        lb["scope"] = wanted.scope
    kind = target_type(wanted, observed)
    params = _wanted_params(wanted, observed, kind)
    if params or (wanted.lb_type and wanted.lb_type != _unsaid(observed, "providerParameters", "aws", "type")):
        lb["providerParameters"] = {"type": "AWS", "aws": {"type": kind, **({PARAMS[kind]: params} if params else {})}}
    return lb


def _unsaid(observed: Observed, *path: str) -> str | None:
    """What the operator made of a field that spec leaves out: asking for just that is no change."""
    if dig(observed.ic, "spec", "endpointPublishingStrategy", "loadBalancer", *path) is not None:
        return None
    lb = dig(observed.ic, "status", "endpointPublishingStrategy", "loadBalancer")
    default = names.CLASSIC if lb is not None and path[-1] == "type" else None
    found = dig(lb, *path) or default
    return None if found is None else str(found)


def _wanted_params(wanted: Wanted, observed: Observed, kind: str) -> dict[str, Any]:
    want_subnets: Subnets | Keep = wanted.subnets
    want_eips = wanted.eips
    if wanted.adopt:
        want_subnets = subnets.parse(observed.annotations) or CLEAR
        want_eips = (subnets.parse_eips(observed.annotations) or CLEAR) if kind == NLB else LEAVE
    params: dict[str, Any] = {}
    if want_subnets is CLEAR:
        params["subnets"] = None
    elif isinstance(want_subnets, Subnets):
        lists = {"ids": list(want_subnets.ids) or None, "names": list(want_subnets.names) or None}
        # None at all is not "leave it": it goes through as it is, for the API's rule to refuse (SUB-1).
        params["subnets"] = lists if want_subnets else {"ids": []}
    if want_eips is CLEAR:
        params["eipAllocations"] = None
    elif want_eips is not LEAVE:
        params["eipAllocations"] = list(want_eips)
    return params


def _difference(current: Json, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a merge patch that changes anything; lists are compared whole, order included."""
    found: dict[str, Any] = {}
    for key, value in wanted.items():
        have = (current or {}).get(key)
        if isinstance(value, Mapping):
            nested = _difference(have if isinstance(have, Mapping) else {}, value)
            if nested or (have is None and merge_patch({}, value)):
                found[key] = nested or merge_patch({}, value)
        elif value is None:
            if have is not None:
                found[key] = None
        elif have != value:
            found[key] = value
    return found


def same_order_kept(observed: Observed, patch: Json) -> dict[str, Any]:
    """The patch without a mere reordering of what spec lists: it carries no meaning, and from 4.22 costs the LB."""
    kept = plain(patch)
    for kind in (CLASSIC, NLB):
        path = ("spec", "endpointPublishingStrategy", "loadBalancer", "providerParameters", "aws", PARAMS[kind])
        params = dig(kept, *path)
        if not params:
            continue
        current = dig(observed.ic, *path) or {}
        want = Subnets.listed(merge_patch(current.get("subnets") or {}, params.get("subnets") or {}))
        if params.get("subnets") and current.get("subnets") and want.same(Subnets.listed(current["subnets"])):
            del params["subnets"]
        eips = params.get("eipAllocations")
        if eips and current.get("eipAllocations") and subnets.eips_equal(eips, current["eipAllocations"]):
            del params["eipAllocations"]
    return _without_empties(kept)


def _without_empties(patch: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in patch.items():
        kept = _without_empties(value) if isinstance(value, dict) else value
        if kept != {}:
            found[key] = kept
    return found


def reverse(patch: Json, ic: Json) -> Any:
    """The merge patch that takes a patch back: each leaf to its old value, null where there was none."""
    if not isinstance(patch, Mapping):
        return plain(ic)
    current = ic if isinstance(ic, Mapping) else {}
    return {key: reverse(value, current.get(key)) if key in current else None for key, value in patch.items()}


def edits_patch(edits: Json) -> dict[str, Any]:
    """Keeps edits on the IngressController; None forgets them."""
    return {"metadata": {"annotations": {EDITS: None if edits is None else canonical(edits)}}}


def combined(one: Json, other: Json) -> Any:
    """Two merge patches as one. Not a merge of values: a null stays, it unsets."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return plain(other)
    both = {key: combined(one[key], other[key]) for key in one if key in other}
    return {**plain(one), **plain(other), **both}


def arm_patch(transaction: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {names.AUTO_DELETE: transaction or None}}}
