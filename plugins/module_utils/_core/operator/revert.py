# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One merged, valid patch that cancels everything pending; the operator prints one per field, which may be refused."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from ..data import Json, dig, merge_patch
from ..profiles import Profile
from . import crd, messages, names
from .names import LB_STRATEGY, PARAMS
from .schema import Cause

_ON_SERVICE = (messages.RANGES_ANNOTATION, messages.RANGES_FIELD)


@dataclass(frozen=True)
class Revert:
    """The patch, or why there is none: values copied from a Service may be ones the API refuses (facts §7, defects)."""

    patch: Json = None
    refused: tuple[Cause, ...] = ()


def revert(profile: Profile, ic: Json, changes: list[messages.Change]) -> Revert:
    """Sets every pending field back to what is in force. Source-range edits are on the Service, not ours to cancel."""
    by_field = {change.field: change for change in changes if change.field not in _ON_SERVICE}
    if not by_field:
        return Revert()
    in_force = dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope") or "External"
    scope = dig(ic, "spec", "endpointPublishingStrategy", "loadBalancer", "scope") or in_force
    found = _merged(profile, ic, by_field, scope)
    # A scope that was never admitted (the operator is frozen) may be what stands in the way (facts §14).
    return _merged(profile, ic, by_field, in_force) if found.refused and scope != in_force else found


def _merged(profile: Profile, ic: Json, by_field: dict[str, messages.Change], scope: str) -> Revert:
    lb: dict[str, Any] = {"scope": scope}
    for change in by_field.values():
        _set_back(lb, change)
    patch = {"spec": {"endpointPublishingStrategy": {"type": LB_STRATEGY, "loadBalancer": lb}}}
    result = merge_patch(ic.get("spec") or {}, patch["spec"])["endpointPublishingStrategy"]
    causes = crd.check(profile, crd.stored(profile, result))
    return Revert(refused=tuple(causes)) if causes else Revert(patch=patch)


def _set_back(lb: dict[str, Any], change: messages.Change) -> None:
    if change.field == messages.SCOPE:
        lb["scope"] = change.have
        return
    if change.field == messages.FLOATING_IP:
        # The operator prints "" here, which the API refuses; null unsets.
        lb["providerParameters"] = {"type": "OpenStack", "openstack": {"floatingIP": change.have or None}}
        return
    given = json.loads(change.patch)["spec"]["endpointPublishingStrategy"]["loadBalancer"]["providerParameters"]
    merged = lb.setdefault("providerParameters", {"type": "AWS", "aws": {}})["aws"]
    merged["type"] = given["aws"]["type"]
    for key in PARAMS.values():
        merged[key] = {**merged.get(key, {}), **given["aws"].get(key, {})}
        if not merged[key]:
            del merged[key]


def command(ic_name: str, patch: Json) -> str:
    """The patch as a command line that survives quotes in names."""
    body = shlex.quote(json.dumps(patch, separators=(",", ":")))
    return f"oc -n {names.OPERATOR_NAMESPACE} patch ingresscontrollers/{ic_name} --type=merge --patch={body}"


def delete_command(ic_name: str) -> str:
    return f"oc -n {names.OPERAND_NAMESPACE} delete svc/{names.service_name(ic_name)}"
