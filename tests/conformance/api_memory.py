# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the answers of one history showed: values that a server draws, by number, and placeholders of later requests.

A recording says `<uid:1>` and `${uid:svc1}` where a server said or wants a value that differs from run to run; the same
number stands for the same value all through a history.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .runner import Vector

_PLACE = re.compile(r"\$\{([a-z0-9]+)(?::([^{}]*))?\}")
_LONG = 4096
_FIRST_NODE_PORT = 30000
_NO_ADDRESS = ("", "None", None)


class Memory:
    """`names`: the placeholders of namespaces and their real names."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self._last: dict[str, Vector] = {}  # object name → as last shown
        self._answers: list[Vector] = []
        self._numbers: dict[str, dict[Any, int]] = defaultdict(dict)
        self._literal: set[Any] = set()  # addresses and ports that requests name themselves

    # -- requests -----------------------------------------------------------------------------------------------------

    def filled(self, value: Any) -> Any:
        """A request's part with its placeholders replaced."""
        if isinstance(value, dict):
            return {self.filled(key): self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if not isinstance(value, str):
            return value
        whole = _PLACE.fullmatch(value)
        if whole:
            return self._resolved(whole[1], whole[2] or "")
        return _PLACE.sub(lambda found: str(self._resolved(found[1], found[2] or "")), value)

    def _resolved(self, kind: str, argument: str) -> Any:
        if kind in self._names:
            return self._names[kind]
        if kind == "repeat":
            text, _colon, times = argument.rpartition(":")
            return text * int(times)
        return _PLACES[kind](self, argument)

    def _meta(self, argument: str, name: str, default: str) -> str:
        """`name@k`: of answer k; `k` alone too where no object is named."""
        named, _at, number = argument.partition("@")
        obj = self._answers[int(number)] if number else self._last.get(named, {})
        return str((obj.get("metadata") or {}).get(name) or default)

    def _spec(self, argument: str) -> Vector:
        found: Vector = self._last.get(argument.partition(":")[0], {}).get("spec") or {}
        return found

    def _port(self, argument: str) -> int:
        ports, index = self._spec(argument).get("ports") or [], int(argument.partition(":")[2])
        return int(ports[index].get("nodePort", 30084)) if index < len(ports) else 30084

    def note_literals(self, value: Any) -> None:
        if isinstance(value, dict):
            for item in value.values():
                self.note_literals(item)
        elif isinstance(value, list):
            for item in value:
                self.note_literals(item)
        elif isinstance(value, str):
            self._literal |= {value} if re.fullmatch(r"[0-9a-fA-F.:]+", value) else set()
        elif isinstance(value, int) and value >= _FIRST_NODE_PORT:
            self._literal.add(value)

    # -- answers ------------------------------------------------------------------------------------------------------

    def remember(self, answer: Any) -> None:
        shown = answer if isinstance(answer, dict) else {}
        self._answers.append(shown)
        items = shown.get("items")
        for obj in items if isinstance(items, list) else [shown]:
            if obj.get("kind") != "Status" and (obj.get("metadata") or {}).get("name"):
                self._last[obj["metadata"]["name"]] = obj

    def normal(self, obj: Vector) -> Vector:
        """A list or an object with drawn values as numbers."""
        if isinstance(obj.get("items"), list) and str(obj.get("kind", "")).endswith("List"):
            meta = dict(obj.get("metadata") or {})
            meta |= {key: f"<{mark}>" for key, mark in _OF_LISTS if meta.get(key)}
            return {**obj, "metadata": meta, "items": [self.normal(item) for item in obj["items"]]}
        found: Vector = self._texts(self._seen(obj))
        return found

    def _number(self, kind: str, value: Any) -> str:
        known = self._numbers[kind]
        return f"<{kind}:{known.setdefault(value, len(known) + 1)}>"

    def _seen(self, obj: Vector) -> Vector:
        meta = dict(obj.get("metadata") or {})
        meta.pop("managedFields", None)
        stem = str(meta.get("generateName") or "")[:58]
        if stem and str(meta.get("name", "")).startswith(stem):
            self._number("generated", meta["name"])
        for key, kind in (("uid", "uid"), ("resourceVersion", "rv")):
            if meta.get(key):
                meta[key] = self._number(kind, meta[key])
        meta |= {key: "<time>" for key in ("creationTimestamp", "deletionTimestamp") if meta.get(key)}
        seen = {**obj, "metadata": meta} if "metadata" in obj else dict(obj)
        details = obj.get("details")
        if obj.get("kind") == "Status" and isinstance(details, dict) and details.get("uid"):
            seen["details"] = {**details, "uid": self._number("uid", details["uid"])}
        if obj.get("kind") == "Service" or ("spec" in obj and "kind" not in obj):
            seen["spec"] = self._service(dict(obj.get("spec") or {}))
        return seen

    def _service(self, spec: Vector) -> Vector:
        def drawn(kind: str, value: Any) -> Any:
            return value if value in _NO_ADDRESS or value in self._literal else self._number(kind, value)

        if "clusterIP" in spec:
            spec["clusterIP"] = drawn("ip", spec["clusterIP"])
        if "clusterIPs" in spec:
            spec["clusterIPs"] = [drawn("ip", address) for address in spec["clusterIPs"]]
        if spec.get("ports"):
            spec["ports"] = [
                {**port, "nodePort": drawn("port", port["nodePort"])} if port.get("nodePort") else port
                for port in spec["ports"]
            ]
        if spec.get("healthCheckNodePort"):
            spec["healthCheckNodePort"] = drawn("port", spec["healthCheckNodePort"])
        return spec

    def _texts(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._texts(key): self._texts(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._texts(item) for item in value]
        if not isinstance(value, str) or value.startswith("<"):
            return value
        if len(value) > _LONG:
            return f"<text:{len(value)}>"
        for uid, number in self._numbers["uid"].items():
            value = value.replace(uid, f"<uid:{number}>")
        if value in self._numbers["generated"]:
            return f"<generated:{self._numbers['generated'][value]}>"
        for place in sorted(self._names, reverse=True):  # ns2 before ns, which is the beginning of it
            value = value.replace(self._names[place], f"<{place}>")
        return value


_OF_LISTS = (("resourceVersion", "rv"), ("continue", "continue"))
_PLACES: dict[str, Callable[[Memory, str], Any]] = {
    "continue": lambda memory, number: memory._meta(f"@{number}", "continue", "none"),
    "name": lambda memory, number: memory._meta(f"@{number}", "name", "none"),
    "rv": lambda memory, argument: memory._meta(argument, "resourceVersion", "0"),
    "uid": lambda memory, argument: memory._meta(argument, "uid", "0"),
    "ip": lambda memory, argument: memory._spec(argument).get("clusterIP", "172.30.0.99"),
    "hport": lambda memory, argument: memory._spec(argument).get("healthCheckNodePort", 30085),
    "port": lambda memory, argument: memory._port(argument),
}
