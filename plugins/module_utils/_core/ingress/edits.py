# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User modifications on the Service: kept by in-place changes, lost by a recreation, restored on request (SCO-6)."""

from __future__ import annotations

from typing import Any

from ..data import Json, dig, plain
from ..model import Finding, Severity
from ..operator import names, router_service
from ..operator.diff import annotations_of
from .state import Observed

# Written by controllers, not by people.
_NOT_EDITS = ("kubectl.kubernetes.io/", "operator.openshift.io/")
# Fields a person may set on a Service the operator made; the operator keeps them and a recreation forgets them.
_SPEC_FIELDS = (
    "externalTrafficPolicy",
    "sessionAffinity",
    "externalIPs",
    "loadBalancerSourceRanges",
    "allocateLoadBalancerNodePorts",
)


def edits(observed: Observed, ic: Json) -> dict[str, Any]:
    """The merge patch that would put the user's modifications onto a freshly made Service; {} when there are none."""
    service = observed.service
    if service is None or not router_service.wanted(ic):
        return {}
    fresh = router_service.service(observed.profile, observed.infra, ic, None)
    theirs = (
        names.managed(observed.profile)
        | names.creation_only(observed.profile, observed.infra.platform)
        | set(annotations_of(fresh))
        | {names.AWS_TARGET_GROUP}
    )
    annotations = {
        key: value
        for key, value in annotations_of(service).items()
        if key not in theirs and not any(mark in key for mark in _NOT_EDITS)
    }
    fresh_labels = fresh["metadata"]["labels"]
    labels = {
        key: value for key, value in (dig(service, "metadata", "labels") or {}).items() if key not in fresh_labels
    }
    patch: dict[str, Any] = {}
    for key, values in (("annotations", annotations), ("labels", labels)):
        if values:
            patch.setdefault("metadata", {})[key] = values
    spec = _spec_edits(service, fresh)
    return {**patch, "spec": spec} if spec else patch


def _spec_edits(service: Json, fresh: Json) -> dict[str, Any]:
    defaults = {"sessionAffinity": "None", "allocateLoadBalancerNodePorts": True}
    found = {}
    for field in _SPEC_FIELDS:
        have = dig(service, "spec", field)
        usual = dig(fresh, "spec", field)
        said = bool(have) or have is False  # an empty list or text is as good as none; false is a setting
        if said and have != (usual if usual is not None else defaults.get(field)):
            found[field] = plain(have)
    return found


def lost(observed: Observed, ic: Json, restore: bool) -> tuple[Finding, ...]:
    """One finding that lists what a recreation would lose, or that it will be put back."""
    patch = edits(observed, ic)
    if not patch:
        return ()
    listed = [*(patch.get("metadata", {}).get("annotations") or {}), *(patch.get("metadata", {}).get("labels") or {})]
    listed += [f"spec.{field}" for field in patch.get("spec", {})]
    where = f"Service {names.OPERAND_NAMESPACE}/{names.service_name(observed.name)}"
    if restore:
        what = f"Modified by hand, put back after the recreation: {', '.join(listed)}."
        return (Finding("edits_restored", Severity.INFO, where, what, value=patch),)
    what = f"Modified by hand, lost when the Service is recreated: {', '.join(listed)}."
    remedy = "Set restore_edits: true to have them put back."
    return (Finding("edits_lost", Severity.WARNING, where, what, remedy, patch),)
