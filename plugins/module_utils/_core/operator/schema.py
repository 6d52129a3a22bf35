# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small structural schema: what an API server prunes, defaults and refuses, in its own words.

Only what our objects need. Rules are Python functions in place of CEL expressions; the messages are the CRD's. Order
and texts follow kube-apiserver 1.36 (histories; facts: lab-kubernetes §6).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..data import Json
from ..go import is_api_duration, quote

# Whatever is wrong in these ways, no rule is evaluated, and one more cause says so (facts: ingress-operator §15).
_BLOCKING = ("NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid")
_NOT_CHECKED = (
    "Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


@dataclass(frozen=True)
class Cause:
    """One reason of a refusal, as in details.causes of a Status."""

    field: str
    reason: str  # FieldValueInvalid, FieldValueRequired, …
    message: str

    @property
    def blocks_rules(self) -> bool:
        return self.reason.removeprefix("FieldValue") in _BLOCKING

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


UNCHECKED = Cause("<nil>", "FieldValueInvalid", _NOT_CHECKED)


@dataclass(frozen=True)
class Rule:
    """Stands for one x-kubernetes-validations entry. An IndexError is the rule's own, as the server would report it."""

    message: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Node:
    """Anything at all: it is kept as it is."""

    rules: tuple[Rule, ...] = ()
    default: Json = None
    nullable: bool = False


@dataclass(frozen=True)
class Text(Node):
    enum: tuple[str, ...] = ()
    min_length: int = 0
    max_length: int = 0
    pattern: str = ""
    duration: bool = False


@dataclass(frozen=True)
class Number(Node):
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class Flag(Node):
    """true or false"""


@dataclass(frozen=True)
class Array(Node):
    item: Node = field(default_factory=Node)
    max_items: int = 0


@dataclass(frozen=True)
class Map(Node):
    """Any keys, each with a value of one kind."""

    item: Node = field(default_factory=Node)


@dataclass(frozen=True)
class Obj(Node):
    fields: Mapping[str, Node] = field(default_factory=dict)
    required: tuple[str, ...] = ()


def prune(node: Node, value: Json) -> Json:
    """Unknown fields are dropped silently, defaults filled in, nulls removed where no null is allowed."""
    if isinstance(node, Obj) and isinstance(value, Mapping):
        kept = {
            name: prune(child, value[name])
            for name, child in node.fields.items()
            if name in value and not (value[name] is None and not child.nullable)
        }
        for name, child in node.fields.items():
            if child.default is not None and name not in kept:
                kept[name] = child.default
        return kept
    if isinstance(node, Array) and isinstance(value, list):
        return [prune(node.item, item) for item in value]
    if isinstance(node, Map) and isinstance(value, Mapping):
        return {key: prune(node.item, item) for key, item in value.items()}
    return value


def validate(node: Node, value: Json, path: str, everything: bool = False, has_rules: bool = True) -> list[Cause]:
    """All causes: the structure first, then the rules unless an error of the structure blocks them.

    `everything`: the rules in any case, which the server keeps for its next answer; for values of the right types.
    `has_rules`: whether the schema has any rule at all, be it elsewhere in the object; else none can be left unchecked.
    """
    structure = list(_structure(node, value, path))
    if everything or not any(cause.blocks_rules for cause in structure):
        return structure + list(_rules(node, value, path))
    return [*structure, UNCHECKED] if has_rules else structure


def _structure(node: Node, value: Json, path: str) -> Iterator[Cause]:
    wrong = _wrong_type(node, value)
    if wrong:
        yield _wrong(path, quote(_type_name(node, value)), wrong)
    elif value is None:
        return
    elif isinstance(node, Obj):
        yield from _object(node, value, path)
    elif isinstance(node, Array):
        yield from _array(node, value, path)
    elif isinstance(node, Map):
        for key, item in value.items():
            yield from _structure(node.item, item, f"{path}.{key}")
    elif isinstance(node, Text):
        yield from _text(node, value, path)
    elif isinstance(node, Number):
        if node.minimum is not None and value < node.minimum:
            yield _invalid(path, str(value), f"{path} in body should be greater than or equal to {node.minimum}")
        if node.maximum is not None and value > node.maximum:
            yield _invalid(path, str(value), f"{path} in body should be less than or equal to {node.maximum}")


def _object(node: Obj, value: Mapping[str, Json], path: str) -> Iterator[Cause]:
    for name in node.required:
        if name not in value:
            yield Cause(f"{path}.{name}", "FieldValueRequired", "Required value")
    for name, child in node.fields.items():
        if name in value:
            yield from _structure(child, value[name], f"{path}.{name}")


def _array(node: Array, value: list[Json], path: str) -> Iterator[Cause]:
    if node.max_items and len(value) > node.max_items:
        text = f"Too many: {len(value)}: must have at most {node.max_items} items"
        yield Cause(path, "FieldValueTooMany", text)
    for index, item in enumerate(value):
        yield from _structure(node.item, item, f"{path}[{index}]")


def _text(node: Text, value: str, path: str) -> Iterator[Cause]:
    if node.max_length and len(value) > node.max_length:
        yield Cause(path, "FieldValueTooLong", f"Too long: may not be more than {node.max_length} bytes")
    if len(value) < node.min_length:
        yield _invalid(path, quote(value), f"{path} in body should be at least {node.min_length} chars long")
    # Go's $ is the very end of the text; Python's also stands before a last newline.
    if node.pattern and not re.search(node.pattern.replace("$", r"\Z"), value):
        yield _invalid(path, quote(value), f"{path} in body should match '{node.pattern}'")
    if node.duration and not is_api_duration(value):
        yield _wrong(path, quote(value), "duration")
    if node.enum and value not in node.enum:
        choices = ", ".join(quote(choice) for choice in node.enum)
        text = f"Unsupported value: {quote(value)}: supported values: {choices}"
        yield Cause(path, "FieldValueNotSupported", text)


def _rules(node: Node, value: Json, path: str) -> Iterator[Cause]:
    if value is None:
        return
    for rule in node.rules:
        # The server shows the value of a scalar only.
        shown = quote(value) if isinstance(value, str) else ""
        try:
            if not rule.holds(value):
                yield _invalid(path, shown, rule.message)
        except IndexError:
            what = f"index out of bounds: 1 evaluating rule: {rule.message}"
            yield _invalid(path, quote(_type_name(node, value)), what)
    if isinstance(node, Obj):
        for name, child in node.fields.items():
            if name in value:
                yield from _rules(child, value[name], f"{path}.{name}")
    elif isinstance(node, Array):
        for index, item in enumerate(value):
            yield from _rules(node.item, item, f"{path}[{index}]")
    elif isinstance(node, Map):
        for key, item in value.items():
            yield from _rules(node.item, item, f"{path}.{key}")


def _invalid(path: str, shown: str, text: str) -> Cause:
    return Cause(path, "FieldValueInvalid", f"Invalid value: {shown}: {text}" if shown else f"Invalid value: {text}")


def _wrong(path: str, shown: str, wanted: str) -> Cause:
    text = f"Invalid value: {shown}: {path} in body must be of type {wanted}: {shown}"
    return Cause(path, "FieldValueTypeInvalid", text)


_TYPES: tuple[tuple[type[Node], type, str], ...] = (
    (Obj, Mapping, "object"),
    (Map, Mapping, "object"),
    (Array, list, "array"),
    (Text, str, "string"),
    (Flag, bool, "boolean"),
    (Number, int, "integer"),
)


def _wrong_type(node: Node, value: Json) -> str:
    """The type that was expected, or nothing when the value has it."""
    if value is None and node.nullable:
        return ""
    for kind, types, name in _TYPES:
        if isinstance(node, kind):
            if isinstance(value, types) and (kind is Flag or not isinstance(value, bool)):
                return ""
            return "duration" if isinstance(node, Text) and node.duration else name
    return ""


def _type_name(node: Node, value: Json) -> str:
    if isinstance(node, Text) and node.duration:
        return {int: "int64", float: "double"}.get(type(value), "")  # the format, where one was asked for
    names = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")
