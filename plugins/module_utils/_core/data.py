# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON data that nobody can change under a plan, and its canonical text (CORE-1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

Json = Any  # what json.loads returns; frozen: MappingProxyType and tuple in place of dict and list


def fixed(value: Json) -> Json:
    """A deep, read-only copy."""
    if isinstance(value, Mapping):
        return MappingProxyType({str(key): fixed(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(fixed(item) for item in value)
    return value


def plain(value: Json) -> Json:
    """A deep copy in plain dicts and lists, as Ansible and json want it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def canonical(value: Json) -> str:
    """One text for one value: sorted keys, no spaces. The ground of every fingerprint."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def dig(value: Json, *path: str) -> Json:
    """The value at path, or None where any part of the way is missing or null."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def merge_patch(value: Json, patch: Json) -> Json:
    """RFC 7386: what the API server makes of a merge patch. Inputs stay as they are."""
    if not isinstance(patch, Mapping):
        return plain(patch)
    merged = plain(value) if isinstance(value, Mapping) else {}
    for key, item in patch.items():
        if item is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), item)
    return merged
