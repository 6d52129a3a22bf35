# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Request bodies and answers as JSON: what a client may send, in which version it gets an object back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import yaml

from . import protobuf
from .api import ApiError, Obj
from .checks import FieldValidation, undecodable
from .errors import bad_request, not_implemented, unsupported_media
from .http1 import Request
from .resources import Resource
from .routes import Target

APPLY = "application/apply-patch+yaml"
PATCH_KINDS = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
}
_ACCEPTED = ("application/json", "application/yaml", protobuf.MEDIA_TYPE)


def encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def decode(request: Request, duplicates: list[str] | None = None) -> Any:
    """The body as data; keys that stand twice in one object are told by their paths."""
    kind = _content_type(request)
    if kind == protobuf.MEDIA_TYPE:
        return protobuf.decode(request.body)
    if kind == "application/yaml":
        return _yaml(request.body)
    if kind not in ("", "application/json") and kind not in PATCH_KINDS:
        raise unsupported_media(_ACCEPTED)
    try:
        found = json.loads(request.body, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise bad_request(
            f"the object provided is unrecognized: couldn't get version/kind; json parse error: {error}"
        ) from None
    if duplicates is not None:
        duplicates += _duplicates(found, "")
    return found


def _yaml(body: bytes) -> Any:
    try:
        return yaml.safe_load(body)
    except yaml.YAMLError as error:
        raise bad_request(f"yaml: {error}") from None


class _Pairs(dict[str, Any]):
    """An object that remembers which of its keys stood there twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        names = [name for name, _value in pairs]
        self.twice = (
            [name for index, name in enumerate(names) if name in names[:index]] if len(self) < len(names) else []
        )


def _duplicates(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Pairs):
        yield from (f"{path}{name}" for name in dict.fromkeys(value.twice))
        for name, item in value.items():
            yield from _duplicates(item, f"{path}{name}.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _duplicates(item, f"{path[:-1]}[{index}].")


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def patch_kind(request: Request, resource: Resource) -> str:
    """The patch format; server-side apply is not served and says so."""
    kind = _content_type(request)
    if kind == APPLY:
        raise not_implemented("Server-side apply is not part of this twin: it keeps no owners of fields.")
    if kind not in PATCH_KINDS or (resource.custom and PATCH_KINDS[kind] == "strategic"):
        raise unsupported_media((*list(PATCH_KINDS)[: 2 if resource.custom else 3], APPLY))
    return PATCH_KINDS[kind]


def patch(request: Request, kind: str, fields: FieldValidation) -> Any:
    duplicates: list[str] = []
    try:
        found = decode(request, duplicates)
    except ApiError as error:
        raise bad_request(f"error decoding patch: {error.message.rpartition('error: ')[2]}") from None
    if kind != "json" and not isinstance(found, dict):
        what = {list: "array", str: "string", bool: "bool", type(None): "null"}.get(type(found), "number")
        before = "" if kind == "strategic" else "error decoding patch: "
        raise bad_request(f"{before}json: cannot unmarshal {what} into Go value of type map[string]interface {{}}")
    if refusal := fields.see([f'duplicate field "{path}"' for path in duplicates]):
        raise bad_request(refusal)
    return found


def delete_options(request: Request) -> Obj:
    if not request.body:
        return {}
    try:
        sent = decode(request)
    except ApiError as error:
        raise bad_request(f"couldn't get version/kind; {error.message.partition('kind; ')[2]}") from None
    options: Obj = sent if isinstance(sent, dict) else {}
    if options.get("kind", "DeleteOptions") != "DeleteOptions":
        version = options.get("apiVersion") or "meta.k8s.io/v1"
        raise bad_request(f'no kind "{options["kind"]}" is registered for version "{version}" in scheme')
    return options


def received(resource: Resource, target: Target, request: Request, fields: FieldValidation) -> Obj:
    """The object of a create or replace, checked against the URL it came to."""
    duplicates: list[str] = []
    obj = decode(request, duplicates)
    if obj is None:
        obj = {}
    if not isinstance(obj, dict):
        raise bad_request(
            "the object provided is unrecognized: couldn't get version/kind; json parse error: not an object"
        )
    expected = resource.api_version(target.version)
    if resource.custom and not obj.get("kind"):
        raise bad_request(f"Object 'Kind' is missing in '{json.dumps(obj)}'")
    version, kind = obj.get("apiVersion") or expected, obj.get("kind") or resource.kind
    if resource.custom and version != expected:
        why = f"does not match the expected API version ({expected})"
        raise bad_request(f"the API version in the data ({version}) {why}")
    if (version, kind) != (expected, resource.kind):
        raise bad_request(
            f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a {resource.kind}: '
            f'no kind "{kind}" is registered for version "{version}"'
        )
    if refusal := fields.see([f'duplicate field "{path}"' for path in duplicates]):
        raise undecodable(resource, refusal)
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
        raise bad_request("continue key is not valid") from None
