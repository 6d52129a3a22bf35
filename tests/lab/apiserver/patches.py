# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three patch formats kubectl and the clients use: RFC 7386, RFC 6902 and a subset of strategic merge."""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch

from .api import ApiError, Obj
from .errors import bad_request

JsonPatch = list[Obj]

# Merge keys of the lists that occur in the builtin types served here; any other list is replaced whole.
MERGE_KEYS = {
    "ports": "port",
    "conditions": "type",
    "ownerReferences": "uid",
    "containers": "name",
    "addresses": "type",
    "env": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "taints": "key",
}
# Lists of plain values that strategic merge joins as sets.
MERGE_SETS = {"finalizers"}
# Within a container the key of `ports` is another one than in a Service.
_CONTAINER_PORT = "containerPort"
_REJECTED = "the server rejected our request due to an error in our request"


def merge(target: Any, patch: Any) -> Any:
    """RFC 7386: a new value, sharing nothing with the patch; null removes."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def strategic(target: Any, patch: Any) -> Any:
    """Strategic merge for maps, the keyed lists above and `$patch` directives; other lists are atomic."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    if patch.get("$patch") == "replace":
        return {key: copy.deepcopy(value) for key, value in patch.items() if key != "$patch"}
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if key == "$retainKeys":
            result = {kept: result[kept] for kept in result if kept in value}
        elif key.startswith("$deleteFromPrimitiveList/"):
            name = key.partition("/")[2]
            result[name] = [item for item in result.get(name) or [] if item not in value]
        elif key.startswith("$"):
            continue
        elif value is None:
            result.pop(key, None)
        elif isinstance(value, list):
            result[key] = _strategic_list(key, result.get(key) or [], value)
        else:
            result[key] = strategic(result.get(key), value)
    return result


def _merge_key(name: str, items: list[Any]) -> str | None:
    key = MERGE_KEYS.get(name)
    if name == "ports" and any(isinstance(item, dict) and _CONTAINER_PORT in item for item in items):
        key = _CONTAINER_PORT
    if key is None or not all(isinstance(item, dict) and (key in item or "$patch" in item) for item in items):
        return None
    return key


def _strategic_list(name: str, target: list[Any], patch: list[Any]) -> list[Any]:
    if name in MERGE_SETS:
        return target + [item for item in patch if item not in target]
    key = _merge_key(name, patch)
    if key is None:
        return copy.deepcopy(patch)
    if any(item.get("$patch") == "replace" for item in patch):
        return [copy.deepcopy(item) for item in patch if "$patch" not in item]
    result = list(target)
    for item in patch:
        at = next((index for index, have in enumerate(result) if have.get(key) == item.get(key)), None)
        if item.get("$patch") == "delete":
            if at is not None:
                del result[at]
        elif at is None:
            result.append(strategic({}, item))
        else:
            result[at] = strategic(result[at], item)
    return result


def json_patch(target: Obj, operations: JsonPatch) -> Obj:
    """RFC 6902; a failing operation refuses the whole patch with 422 as the server does."""
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        raise bad_request("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    result: Any = copy.deepcopy(target)
    for operation in operations:
        result = _applied(result, operation)
    if not isinstance(result, dict):
        raise _refused("the patch does not leave an object")
    return result


def _applied(document: Any, operation: Obj) -> Any:
    kind, path = operation.get("op"), operation.get("path", "")
    if str(kind) not in jsonpatch.JsonPatch.operations:
        raise _refused(f"Unexpected kind: {kind}")
    try:
        return jsonpatch.apply_patch(document, [operation], in_place=True)
    except jsonpatch.JsonPatchTestFailed:
        raise _refused(f"{_REJECTED}: testing path {path} failed") from None
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
        raise _refused(f"{_REJECTED}: {kind} operation does not apply: doc is missing path: {path}") from None


def _refused(message: str) -> ApiError:
    return ApiError(422, "Invalid", message)
