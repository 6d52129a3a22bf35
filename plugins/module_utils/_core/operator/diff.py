# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Live Service against desired Service: applied in place or waiting for recreation (facts: ingress-operator §4, §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..data import Json, dig, plain
from ..platforms import AWS, AWS_INTERNAL, OPENSTACK, platform
from ..profiles import Profile
from . import names, subnets

_LEGACY_INTERNAL = "0.0.0.0/0"


def annotations_of(service: Json) -> Mapping[str, str]:
    return dig(service, "metadata", "annotations") or {}


def normalised(service: Json) -> dict[str, Any] | None:
    """The Service with the old spelling of internal rewritten, or None when there is nothing to rewrite."""
    if annotations_of(service).get(AWS_INTERNAL) != _LEGACY_INTERNAL:
        return None
    updated: dict[str, Any] = plain(service)
    updated["metadata"]["annotations"][AWS_INTERNAL] = "true"
    return updated


def changed_keys(keys: frozenset[str], have: Mapping[str, str], want: Mapping[str, str]) -> list[str]:
    """Annotations that differ as raw strings or stand on one side only."""
    return sorted(key for key in keys if have.get(key) != want.get(key))


def in_place(profile: Profile, current: Json, desired: Json) -> dict[str, Any] | None:
    """The Service after the operator's one update, or None when it would not touch it."""
    updated: dict[str, Any] = plain(current)
    have = updated.setdefault("metadata", {}).setdefault("annotations", {})
    want = annotations_of(desired)
    for key in changed_keys(names.managed(profile), have, want):
        if key in want:
            have[key] = want[key]
        else:
            del have[key]
    if profile.nlb_protocol and names.AWS_TARGET_GROUP in want:
        have[names.AWS_TARGET_GROUP] = want[names.AWS_TARGET_GROUP]  # one way: never removed
    wanted_spec = desired.get("spec") or {}
    spec = updated.setdefault("spec", {})
    ranges = wanted_spec.get("loadBalancerSourceRanges")
    if ranges:
        have.pop(names.SOURCE_RANGES, None)
        spec["loadBalancerSourceRanges"] = list(ranges)
    for key in ("ipFamilies", "ipFamilyPolicy"):
        if wanted_spec.get(key):
            spec[key] = plain(wanted_spec[key])
    before = plain(current)
    before.setdefault("metadata", {}).setdefault("annotations", {})
    before.setdefault("spec", {})
    return updated if updated != before else None


def recreation(profile: Profile, platform_name: str, current: Json, desired: Json) -> tuple[list[str], list[str]]:
    """(annotations, fields) that only a recreation brings in; what an armed auto-delete acts on right now."""
    have, want = annotations_of(current), annotations_of(desired)
    fields = []
    if platform_name == OPENSTACK and profile.floating_ip and _lb_ip(current) != _lb_ip(desired):
        fields.append("spec.loadBalancerIP")
    if profile.raw_compare:
        return changed_keys(names.creation_only(profile, platform_name), have, want), fields
    known = platform(platform_name)
    keys = []
    if known.scope_key and not known.scope_in_place and have.get(known.scope_key, "") != want.get(known.scope_key, ""):
        keys.append(known.scope_key)
    if platform_name == AWS and profile.subnets:
        if not subnets.parse(have).same(subnets.parse(want)):
            keys.append(names.AWS_SUBNETS)
        if not subnets.eips_equal(subnets.parse_eips(have), subnets.parse_eips(want)):
            keys.append(names.AWS_EIPS)
    return sorted(keys), fields


def _lb_ip(service: Json) -> str:
    return dig(service, "spec", "loadBalancerIP") or ""
