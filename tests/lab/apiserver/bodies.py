# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Request bodies and answers as JSON: what a client may send, in which version it gets an object back."""

from __future__ import annotations

import base64
import json
from typing import Any

from . import protobuf
from .api import ApiError, Obj
from .errors import bad_request, unsupported_media
from .http1 import Request
from .resources import Resource
from .routes import Target

PATCH_KINDS = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
}


def encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def decode(request: Request) -> Any:
    kind = _content_type(request)
    if kind == protobuf.MEDIA_TYPE:
        return protobuf.decode(request.body)
    if kind not in ("", "application/json") and kind not in PATCH_KINDS:
        raise unsupported_media(("application/json", protobuf.MEDIA_TYPE))
    try:
        return json.loads(request.body or b"null")
    except ValueError as error:
        raise bad_request(
            f"the object provided is unrecognized: couldn't get version/kind; json parse error: {error}"
        ) from None


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def patch_kind(request: Request) -> str:
    """The patch format; server-side apply is not served and says so."""
    kind = _content_type(request)
    if kind not in PATCH_KINDS:
        raise unsupported_media(tuple(PATCH_KINDS))
    return PATCH_KINDS[kind]


def received(resource: Resource, target: Target, request: Request) -> Obj:
    """The object of a create or replace, checked against the URL it came to."""
    obj = decode(request)
    if not isinstance(obj, dict):
        raise bad_request(
            "the object provided is unrecognized: couldn't get version/kind; json parse error: not an object"
        )
    expected = resource.api_version(target.version)
    if resource.custom and not obj.get("kind"):
        raise bad_request(f"Object 'Kind' is missing in '{json.dumps(obj)}'")
    if obj.get("apiVersion", expected) != expected:
        raise bad_request(
            f"the API version in the data ({obj['apiVersion']}) does not match the expected API version ({expected})"
        )
    if obj.get("kind", resource.kind) != resource.kind:
        raise bad_request(
            f'{obj["kind"]} in version "{target.version}" cannot be handled as a {resource.kind}: '
            f'no kind "{obj["kind"]}" is registered for version "{expected}"'
        )
    return obj


def in_version(resource: Resource, obj: Obj, version: str) -> Obj:
    """Versions of one resource differ only in their name here (conversion strategy None)."""
    if version == resource.versions[0] or obj.get("kind") != resource.kind:
        return obj
    return {**obj, "apiVersion": resource.api_version(version)}


def listed(resource: Resource, obj: Obj, version: str) -> Obj:
    """An item of a list: builtin types carry no kind there, custom resources do."""
    if resource.custom:
        return in_version(resource, obj, version)
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}


def continue_token(version: str, after: tuple[str, str]) -> str:
    return base64.urlsafe_b64encode(encode({"rv": version, "start": list(after)})).decode()


def read_token(token: str) -> tuple[str, tuple[str, str]]:
    try:
        data = json.loads(base64.urlsafe_b64decode(token))
        return str(data["rv"]), (str(data["start"][0]), str(data["start"][1]))
    except (ValueError, KeyError, TypeError, IndexError):
        raise ApiError(410, "Expired", "The provided continue parameter is too old or not valid.") from None
