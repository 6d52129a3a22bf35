# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals in the real API server's words (texts read in apimachinery's error constructors)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .api import ApiError, Cause, Obj
from .resources import Resource

OPTIMISTIC_LOCK = "the object has been modified; please apply your changes to the latest version and try again"


def quoted(value: str) -> str:
    """Go's %q for the strings that occur here."""
    return json.dumps(value, ensure_ascii=False)


def _details(resource: Resource, name: str, **more: Any) -> Obj:
    details: Obj = {"name": name, "kind": resource.plural, **more}
    if resource.group:
        details["group"] = resource.group
    return details


def not_found(resource: Resource, name: str) -> ApiError:
    return ApiError(404, "NotFound", f"{resource.key} {quoted(name)} not found", details=_details(resource, name))


def already_exists(resource: Resource, name: str, *, terminating: bool = False) -> ApiError:
    message = f"{resource.key} {quoted(name)} already exists"
    if terminating:
        message = f"object is being deleted: {message}"
    return ApiError(409, "AlreadyExists", message, details=_details(resource, name))


def conflict(resource: Resource, name: str, why: str = OPTIMISTIC_LOCK, *, subject: str | None = None) -> ApiError:
    """`subject` is the word in front of the name: the resource, or the kind where the server names that (deletes)."""
    message = f"Operation cannot be fulfilled on {subject or resource.key} {quoted(name)}: {why}"
    return ApiError(409, "Conflict", message, details=_details(resource, name))


def invalid(resource: Resource, name: str, causes: Sequence[Cause], *, subject: str | None = None) -> ApiError:
    """422 with all causes; repeated texts are folded in the message as the server's aggregate does."""
    texts = list(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in causes))
    joined = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    message = f"{subject or resource.qualified_kind} {quoted(name)} is invalid: {joined}"
    details: Obj = {"name": name, "kind": resource.kind}
    if resource.group:
        details["group"] = resource.group
    return ApiError(422, "Invalid", message, causes, details=details)


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def unauthorized() -> ApiError:
    return ApiError(401, "Unauthorized", "Unauthorized")


def forbidden(resource: str, name: str, why: str, causes: Sequence[Cause] = ()) -> ApiError:
    subject = f"{resource} {quoted(name)}" if name else resource
    group = resource.partition(".")[2]
    details: Obj = {"kind": resource.partition(".")[0]}
    if name:
        details["name"] = name
    if group:
        details["group"] = group
    return ApiError(403, "Forbidden", f"{subject} is forbidden: {why}", causes, details=details)


def namespace_terminating(resource: Resource, name: str, namespace: str) -> ApiError:
    cause: Cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    return forbidden(resource.key, name, why, [cause])


def expired(since: int, oldest: int) -> ApiError:
    return ApiError(410, "Expired", f"too old resource version: {since} ({oldest})")


def unsupported_media(accepted: Sequence[str]) -> ApiError:
    listed = ", ".join(accepted)
    message = f"the body of the request was in an unknown format - accepted media types include: {listed}"
    return ApiError(415, "UnsupportedMediaType", message)


def method_not_allowed() -> ApiError:
    return ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


def unknown_path() -> ApiError:
    return ApiError(404, "NotFound", "the server could not find the requested resource")


def internal(message: str) -> ApiError:
    details = {"causes": [{"message": message}]}
    return ApiError(500, "InternalError", f"Internal error occurred: {message}", details=details)


# -- causes ----------------------------------------------------------------------------------------------------------


def _value(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def required(field: str, detail: str = "") -> Cause:
    return {
        "reason": "FieldValueRequired",
        "message": "Required value" + (f": {detail}" if detail else ""),
        "field": field,
    }


def invalid_value(field: str, value: Any, detail: str) -> Cause:
    return {"reason": "FieldValueInvalid", "message": f"Invalid value: {_value(value)}: {detail}", "field": field}


def forbidden_field(field: str, detail: str) -> Cause:
    return {"reason": "FieldValueForbidden", "message": f"Forbidden: {detail}", "field": field}


def not_supported(field: str, value: Any, supported: Sequence[str]) -> Cause:
    listed = ", ".join(quoted(item) for item in sorted(supported))
    message = f"Unsupported value: {_value(value)}: supported values: {listed}"
    return {"reason": "FieldValueNotSupported", "message": message, "field": field}


def duplicate(field: str, value: Any) -> Cause:
    return {"reason": "FieldValueDuplicate", "message": f"Duplicate value: {_value(value)}", "field": field}
