# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the ingress operator and the cloud's own controller read a Service's scope differently."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Finding, Severity
from .platforms import AWS_INTERNAL, EXTERNAL, INTERNAL, any_internal, platform

_LEGACY_INTERNAL = "0.0.0.0/0"


def scope_views(name: str, annotations: Mapping[str, str]) -> tuple[Finding, ...]:
    """The operator counts any platform's internal annotation, with its exact value; a cloud only its own, but laxly."""
    known = platform(name)
    if not known.scope_key or annotations.get(AWS_INTERNAL) == _LEGACY_INTERNAL:
        return ()  # the operator rewrites that one to `true` before it looks
    ours = INTERNAL if any_internal(dict(annotations)) else EXTERNAL
    theirs = INTERNAL if known.internal_for_cloud(annotations) else EXTERNAL
    if ours == theirs:
        return ()
    counted = (key for key in sorted(annotations) if any_internal({key: annotations[key]}))
    own = known.newer_key if known.newer_key in annotations else known.scope_key
    key = next(counted, own) if theirs == EXTERNAL else own
    value = annotations.get(key, "")
    what = f"{value!r} makes the load balancer {theirs} for the cloud controller, but the operator reads {ours}."
    exact = f"Write exactly `{known.internal_value}`, or remove it."
    remedy = exact if key == known.scope_key else "Remove it."
    return (Finding("scope_views_differ", Severity.WARNING, f"metadata.annotations[{key}]", what, remedy, value),)
