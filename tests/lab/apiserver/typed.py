# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builtin objects through their Go types and back, as every write to a real server goes.

What the types do not know is dropped (and told), null is the zero value, zero values are left out where the field says
so, and a value of the wrong type is refused. `kinds.py` has the types.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .api import Obj

_INT_BITS = {"int32": 31, "int64": 63}
_MICRO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")
_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


class Undecodable(Exception):
    """The decoder's own words."""


@dataclass(frozen=True)
class Scalar:
    """string, bool, int32, int64, int-or-string, bytes, time or microtime"""

    name: str


@dataclass(frozen=True)
class ListOf:
    item: Type


@dataclass(frozen=True)
class MapOf:
    item: Type


@dataclass(frozen=True)
class Struct:
    """`fields` by their JSON names."""

    name: str
    fields: Mapping[str, Field] = field(default_factory=dict)


@dataclass(frozen=True)
class Anything:
    """Not described here: kept as it is, without nulls."""


Type = Scalar | ListOf | MapOf | Struct | Anything


@dataclass(frozen=True)
class Field:
    """`always`: written even where it is zero. `pointer`: zero is a value, and only null is none."""

    type: Type
    always: bool = False
    pointer: bool = False


def decoded(shape: Struct, value: Any, unknown: list[str]) -> Obj:
    """The object as the type holds it. Appends the paths of what the type does not know to `unknown`."""
    try:
        return _struct(shape, value, "", unknown)
    except _Wrong as problem:
        raise Undecodable(problem.told(shape.name)) from None


def _struct(shape: Struct, value: Any, path: str, unknown: list[str]) -> Obj:
    """A value of the wrong type is told with the struct that it stands in."""
    if not isinstance(value, dict):
        raise _Wrong(value, path, f"v1.{shape.name}")
    unknown += [_join(path, name) for name in value if name not in shape.fields]
    found: Obj = {}
    for name, one in shape.fields.items():
        raw = value.get(name)
        if raw is None and (one.pointer or not (one.always or isinstance(one.type, Struct))):
            continue
        try:
            item = _zero(one.type) if raw is None else _read(one.type, raw, _join(path, name), unknown)
        except _Wrong as problem:
            raise Undecodable(problem.told(shape.name)) from None
        if _written(one, item):
            found[name] = item
    return found


def _written(one: Field, item: Any) -> bool:
    return one.pointer or one.always or isinstance(one.type, Struct) or not _is_zero(item)


def _is_zero(item: Any) -> bool:
    return item is None or item is False or (not isinstance(item, bool) and item in ("", 0, [], {}))


def _zero(kind: Type) -> Any:
    if isinstance(kind, Struct):
        return _struct(kind, {}, "", [])
    if isinstance(kind, Scalar):
        return {"string": "", "bool": False, "time": None, "microtime": None, "bytes": ""}.get(kind.name, 0)
    return {} if isinstance(kind, MapOf) else []


def _read(kind: Type, value: Any, path: str, unknown: list[str]) -> Any:
    if isinstance(kind, Struct):
        return _struct(kind, value, path, unknown)
    if isinstance(kind, ListOf):
        if not isinstance(value, list):
            raise _Wrong(value, path, f"[]{_type_name(kind.item)}")
        return [
            _zero(kind.item) if item is None else _read(kind.item, item, f"{path}[{index}]", unknown)
            for index, item in enumerate(value)
        ]
    if isinstance(kind, MapOf):
        if not isinstance(value, dict):
            raise _Wrong(value, path, f"map[string]{_type_name(kind.item)}")
        return {
            key: _zero(kind.item) if item is None else _read(kind.item, item, path, unknown)
            for key, item in value.items()
        }
    if isinstance(kind, Anything):
        return without_nulls(value)
    return _scalar(kind.name, value, path)


def _scalar(name: str, value: Any, path: str) -> Any:
    if name in _INT_BITS:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not -(2 ** _INT_BITS[name]) <= value < 2 ** _INT_BITS[name]:
            raise _Wrong(value, path, name)
        return value
    if name == "int-or-string":
        if isinstance(value, str):
            return value
        return _scalar("int32", value, path)
    if name == "bool":
        if not isinstance(value, bool):
            raise _Wrong(value, path, name)
        return value
    if not isinstance(value, str):
        raise _Wrong(value, path, _GO_NAMES.get(name, name))
    return _TEXTS[name](value) if name in _TEXTS else value


def _bytes(value: str) -> str:
    try:
        return base64.b64encode(base64.b64decode(value, validate=True)).decode()
    except binascii.Error:
        good = re.match(r"[A-Za-z0-9+/]*", value)
        raise Undecodable(f"illegal base64 data at input byte {good.end() if good else 0}") from None


def _time(value: str) -> str | None:
    if not value:
        return None
    if not _SECONDS.fullmatch(value):
        raise _unparsable(value, "2006-01-02T15:04:05Z07:00")
    return _moment(value, "2006-01-02T15:04:05Z07:00").strftime("%Y-%m-%dT%H:%M:%SZ")


def _micro_time(value: str) -> str | None:
    """MicroTime is parsed with exactly six digits of fraction."""
    if not value:
        return None
    if not _MICRO.fullmatch(value):
        raise _unparsable(value, "2006-01-02T15:04:05.000000Z07:00")
    return _moment(value, "2006-01-02T15:04:05.000000Z07:00").strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _moment(value: str, layout: str) -> datetime:
    try:
        return datetime.fromisoformat(value).astimezone(UTC)
    except ValueError:
        raise _unparsable(value, layout) from None


def _unparsable(value: str, layout: str) -> Undecodable:
    return Undecodable(f'parsing time "{value}" as "{layout}": cannot parse "{value}" as "2006"')


_TEXTS = {"bytes": _bytes, "time": _time, "microtime": _micro_time}


def without_nulls(value: Any) -> Any:
    """Typed objects have no nulls: a null field is an absent field."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


class _Wrong(Exception):
    """A value that the type at `path` cannot be."""

    def __init__(self, value: Any, path: str, wanted: str) -> None:
        words = {bool: "bool", int: "number", float: "number", list: "array", dict: "object", str: "string"}
        self._what, self._path, self._wanted = words.get(type(value), "null"), path, wanted

    def told(self, struct: str) -> str:
        path = re.sub(r"\[\d+\]", "", self._path)
        return f"json: cannot unmarshal {self._what} into Go struct field {struct}.{path} of type {self._wanted}"


_GO_NAMES = {"bytes": "[]uint8", "int-or-string": "intstr.IntOrString"}


def _type_name(kind: Type) -> str:
    if isinstance(kind, Struct):
        return f"v1.{kind.name}"
    return _GO_NAMES.get(kind.name, kind.name) if isinstance(kind, Scalar) else "interface {}"


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
