# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two of the patch formats kubectl and the clients use: RFC 7386 and RFC 6902; `strategic` has the third."""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch

from .api import ApiError, Obj
from .errors import bad_request

JsonPatch = list[Obj]

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


def json_patch(target: Obj, operations: JsonPatch) -> Obj:
    """RFC 6902; a failing operation refuses the whole patch with 422 as the server does."""
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        raise bad_request("error decoding patch: json: cannot unmarshal object into Go value of type []jsonPatchOp")
    result: Any = copy.deepcopy(target)
    for operation in operations:
        result = _applied(result, operation)
    if not isinstance(result, dict):
        raise ApiError(422, "Invalid", _REJECTED)
    return result


def _applied(document: Any, operation: Obj) -> Any:
    if operation.get("op") == "test" and "value" in operation and operation["value"] is None:
        # To the server's library, what is not there is null.
        found = jsonpatch.JsonPointer(operation.get("path", "")).resolve(document, None)
        if found is None:
            return document
    try:
        return jsonpatch.apply_patch(document, [operation], in_place=True)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, KeyError):
        raise ApiError(422, "Invalid", _REJECTED) from None
