# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the small builtin types that our own writes can trip over: ConfigMap, Lease, Event, Namespace, Pod."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator

from .api import Cause, Obj, Write
from .errors import forbidden_field, invalid_value, required

_MAX_BYTES = 1024 * 1024
_KEY_TEXT = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
    "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


class NamespaceStrategy:
    def prepare(self, write: Write) -> list[Cause]:
        new = write.new
        if write.old is None:
            new.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
            new["status"] = {"phase": "Active"}
        new["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = new["metadata"].get("name", "")
        return []


class PodStrategy:
    def prepare(self, write: Write) -> list[Cause]:
        new = write.new
        if write.old is None:
            new["status"] = {"phase": "Pending", "qosClass": "BestEffort"}
        return []


class StatusStrategy:
    """Builtin types whose status exists, empty, from the start."""

    def prepare(self, write: Write) -> list[Cause]:
        new = write.new
        new.setdefault("status", {})
        return []


def validate_lease(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    spec = new.get("spec", {})
    causes: list[Cause] = []
    if spec.get("leaseDurationSeconds") is not None and spec["leaseDurationSeconds"] <= 0:
        causes.append(
            invalid_value("spec.leaseDurationSeconds", spec["leaseDurationSeconds"], "must be greater than 0")
        )
    if spec.get("leaseTransitions") is not None and spec["leaseTransitions"] < 0:
        why = "must be greater than or equal to 0"
        causes.append(invalid_value("spec.leaseTransitions", spec["leaseTransitions"], why))
    return causes


def default_lease(new: Obj) -> None:
    """Coordinated leader election is off unless asked for."""
    for name in ("strategy", "preferredHolder"):
        new["spec"].pop(name, None)


def _key_causes(field: str, keys: Iterable[str]) -> Iterator[Cause]:
    for key in keys:
        rules = (
            (len(key) > 253, "must be no more than 253 characters"),
            (not re.fullmatch(r"[-._a-zA-Z0-9]+", key), _KEY_TEXT),
            (key == ".", "must not be '.'"),
            (key == "..", "must not be '..'"),
            (key.startswith("..") and key != "..", "must not start with '..'"),
        )
        yield from (invalid_value(f"{field}[{key}]", key, text) for broken, text in rules if broken)


def validate_configmap(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    data, binary = new.get("data", {}), new.get("binaryData", {})
    causes = [*_key_causes("data", data), *_key_causes("binaryData", binary)]
    twice = "duplicate of key present in binaryData"
    causes += [invalid_value(f"data[{key}]", key, twice) for key in data if key in binary]
    size = sum(len(value.encode()) for value in data.values()) + sum(len(b64decode(value)) for value in binary.values())
    return causes + _size_causes(size, "[]") + _frozen(old, new, ("immutable", "data", "binaryData"))


def _size_causes(size: int, field: str) -> list[Cause]:
    if size <= _MAX_BYTES:
        return []
    text = f"Too long: may not be more than {_MAX_BYTES} bytes"
    return [{"reason": "FieldValueTooLong", "message": text, "field": field}]


def _frozen(old: Obj | None, new: Obj, names: Iterable[str]) -> list[Cause]:
    if not old or not old.get("immutable"):
        return []
    changed = [name for name in names if old.get(name) != new.get(name)]
    return [forbidden_field(name, "field is immutable when `immutable` is set") for name in changed]


def default_secret(new: Obj) -> None:
    """stringData is only a way to write data."""
    texts = new.pop("stringData", {})
    if texts:
        encoded = {key: b64encode(text.encode()).decode() for key, text in texts.items()}
        new["data"] = {**new.get("data", {}), **encoded}
    new.setdefault("type", "Opaque")


_WANTED_KEYS = {"kubernetes.io/tls": ("tls.crt", "tls.key")}


def validate_secret(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    causes = list(_key_causes("data", new.get("data", {})))
    wanted = _WANTED_KEYS.get(new["type"], ())
    causes += [required(f"data[{key}]") for key in wanted if key not in new.get("data", {})]
    if old is not None and old.get("type") != new.get("type"):
        causes.append(invalid_value("type", new["type"], "field is immutable"))
    size = sum(len(b64decode(value)) for value in new.get("data", {}).values())
    return causes + _size_causes(size, "data") + _frozen(old, new, ("immutable", "data"))


def validate_event(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    involved = new["involvedObject"].get("namespace", "")
    namespace = new["metadata"].get("namespace", "")
    causes: list[Cause] = []
    if involved != namespace and not (involved == "" and namespace in ("default", "kube-system")):
        causes.append(invalid_value("involvedObject.namespace", involved, "does not match event.namespace"))
    if new.get("eventTime"):
        causes += [
            required(name) for name in ("reportingComponent", "reportingInstance", "action") if not new.get(name)
        ]
        longest = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}
        for name, limit in longest.items():
            if len(new.get(name, "")) > limit:
                causes.append(invalid_value(name, "", f"can have at most {limit} characters"))
    return causes


def validate_role_binding(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    reference = new.get("roleRef", {})
    causes = [] if reference.get("name") else [required("roleRef.name")]
    if old is not None and old.get("roleRef") != reference:
        causes.append(invalid_value("roleRef", reference, "cannot change roleRef"))
    return causes
