# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes in is held to its type: fields nobody knows are dropped, told of or refused, as fieldValidation asks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import schema

from .api import ApiError, Obj
from .errors import bad_request, invalid_options
from .kinds import META, TYPES
from .resources import Resource
from .typed import Undecodable, decoded, without_nulls

_TYPED = ("apiVersion", "kind", "metadata")


@dataclass
class FieldValidation:
    """One request's wish. Writes inside the process ignore what is not known; HTTP warns by default."""

    mode: str = "Ignore"
    warnings: list[str] = field(default_factory=list)

    def see(self, problems: Sequence[str]) -> str:
        """The refusal, where it is strict."""
        if problems and self.mode == "Strict":
            return f"strict decoding error: {', '.join(problems)}"
        if self.mode == "Warn":
            self.warnings += problems
        return ""


def typed_object(
    resource: Resource, obj: Any, fields: FieldValidation, root: schema.Node | None, patched: bool = False
) -> Obj:
    """The object as the server holds it; 400 for what it cannot be, 422 where a patch made it that."""
    unknown: list[str] = []
    try:
        new = _decoded(resource, obj, root, unknown)
        refusal = fields.see([f'unknown field "{path}"' for path in sorted(unknown)])
    except Undecodable as problem:
        refusal = str(problem)
        new = {}
    if not refusal:
        return {"apiVersion": resource.api_version(), "kind": resource.kind, **new}
    raise undecodable(resource, refusal, obj if patched else None)


def undecodable(resource: Resource, why: str, patched: Any = None) -> ApiError:
    if patched is not None:
        shown = json.dumps(json.dumps(patched, separators=(",", ":")), ensure_ascii=False)
        cause = {"reason": "FieldValueInvalid", "message": f"Invalid value: {shown}: {why}", "field": "patch"}
        return invalid_options("", "", cause)
    version = resource.versions[0]
    return bad_request(f'{resource.kind} in version "{version}" cannot be handled as a {resource.kind}: {why}')


def _decoded(resource: Resource, obj: Any, root: schema.Node | None, unknown: list[str]) -> Obj:
    if not isinstance(obj, dict):
        raise Undecodable("couldn't get version/kind; json parse error: not a JSON object")
    if resource.key in TYPES:
        return _without_type(decoded(TYPES[resource.key], obj, unknown))
    below: list[str] = []
    meta = obj.get("metadata")
    metadata = {} if meta is None else _metadata(meta, below)
    unknown += [f"metadata.{path}" for path in below]
    rest = {key: value for key, value in obj.items() if key not in _TYPED}
    if not resource.custom:
        return {"metadata": metadata, **without_nulls(rest)}
    if isinstance(root, schema.Obj):
        unknown += _unknown(root, rest, "")
        rest = schema.prune(root, rest)
    return {"metadata": metadata, **rest}


def _metadata(meta: Any, unknown: list[str]) -> Obj:
    return decoded(META, meta, unknown)


def _without_type(obj: Obj) -> Obj:
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}


def _unknown(node: schema.Node, value: Any, path: str) -> Iterator[str]:
    """What pruning drops, except nulls."""
    if isinstance(node, schema.Obj) and isinstance(value, dict):
        for name, item in value.items():
            at = f"{path}.{name}" if path else name
            if name in node.fields:
                yield from _unknown(node.fields[name], item, at)
            else:
                yield at
    elif isinstance(node, schema.Array) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(node.item, item, f"{path}[{index}]")
    elif isinstance(node, schema.Map) and isinstance(value, dict):
        for key, item in value.items():
            yield from _unknown(node.item, item, f"{path}.{key}")
