# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Label and field selectors, as the query strings of list and watch carry them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from .api import Obj
from .errors import bad_request
from .resources import Resource

Match = Callable[[Obj], bool]

_SET_BASED = re.compile(r"^\s*(?P<key>[^\s!=,()]+)\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)\s*$")
_EQUALITY = re.compile(r"^\s*(?P<key>[^\s!=,()]+)\s*(?P<op>==|!=|=)\s*(?P<value>[^\s!=,()]*)\s*$")
_EXISTS = re.compile(r"^\s*(?P<absent>!?)\s*(?P<key>[^\s!=,()]+)\s*$")


def _split(selector: str) -> list[str]:
    """Commas separate requirements, except inside the parentheses of in/notin."""
    return re.split(r",(?![^()]*\))", selector)


def _requirement(text: str) -> Callable[[Mapping[str, str]], bool]:
    if found := _SET_BASED.match(text):
        key, values = found["key"], {value.strip() for value in found["values"].split(",")}
        if found["op"] == "in":
            return lambda labels: labels.get(key) in values if key in labels else False
        return lambda labels: key not in labels or labels[key] not in values
    if found := _EQUALITY.match(text):
        key, value = found["key"], found["value"]
        if found["op"] == "!=":
            return lambda labels: labels.get(key) != value
        return lambda labels: key in labels and labels[key] == value
    if found := _EXISTS.match(text):
        key, absent = found["key"], bool(found["absent"])
        return lambda labels: (key in labels) != absent
    raise bad_request(f"unable to parse requirement: found '{text.strip()}', expected: identifier, '!', or a selector")


def label_match(selector: str) -> Match:
    """A predicate for a label selector (=, ==, !=, in, notin, exists, !exists); the empty one takes everything."""
    if not selector.strip():
        return lambda _obj: True
    requirements = [_requirement(part) for part in _split(selector)]

    def matches(obj: Obj) -> bool:
        labels = obj["metadata"].get("labels") or {}
        return all(requirement(labels) for requirement in requirements)

    return matches


def _read(obj: Obj, path: str) -> str:
    value: Any = obj
    if path == "source":
        path = "source.component" if obj.get("source", {}).get("component") else "reportingComponent"
    for part in path.split("."):
        if not isinstance(value, dict):
            return ""
        value = value.get(part)
    if value is None:
        return "false" if path == "spec.unschedulable" else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def field_match(resource: Resource, selector: str) -> Match:
    """A predicate for a field selector; only the fields a real server can select by are allowed."""
    if not selector.strip():
        return lambda _obj: True
    allowed = {"metadata.name", "metadata.namespace", *resource.selectable}
    wanted: list[tuple[str, str, bool]] = []
    for part in selector.split(","):
        found = re.match(r"^\s*(?P<path>[^=!]+?)\s*(?P<op>==|!=|=)\s*(?P<value>.*?)\s*$", part)
        if not found:
            raise bad_request(f"invalid selector: '{selector}'; can't understand '{part}'")
        if found["path"] not in allowed:
            raise bad_request(f"field label not supported: {found['path']}")
        wanted.append((found["path"], found["value"], found["op"] != "!="))
    return lambda obj: all((_read(obj, path) == value) == positive for path, value, positive in wanted)


def selection(resource: Resource, label_selector: str, field_selector: str) -> Match:
    by_label, by_field = label_match(label_selector), field_match(resource, field_selector)
    if not label_selector and not field_selector:
        return by_label
    return lambda obj: by_label(obj) and by_field(obj)
