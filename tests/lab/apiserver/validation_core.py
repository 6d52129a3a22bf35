# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the small builtin types that our own writes can trip over: ConfigMap, Lease, Event, Namespace, Pod."""

from __future__ import annotations

import re
from typing import Any

from .api import Cause, Obj, Write
from .errors import bad_request, forbidden_field, invalid_value, required

_MAX_BYTES = 1024 * 1024
# MicroTime is parsed with exactly six digits of fraction.
_MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")


def _no_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _no_null(item) for key, item in value.items() if item is not None}
    return [_no_null(item) for item in value] if isinstance(value, list) else value


def drop_nulls(new: Obj) -> None:
    """Typed objects have no nulls: a null field is an absent field."""
    for key in [key for key in new if key != "metadata"]:
        if new[key] is None:
            del new[key]
        else:
            new[key] = _no_null(new[key])


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


class LeaseStrategy:
    def prepare(self, write: Write) -> list[Cause]:
        new = write.new
        spec = new.setdefault("spec", {})
        for name in ("acquireTime", "renewTime"):
            value = spec.get(name)
            if value is not None and not (isinstance(value, str) and _MICRO_TIME.fullmatch(value)):
                layout = "2006-01-02T15:04:05.000000Z07:00"
                why = f'parsing time "{value}" as "{layout}": cannot parse "{value}"'
                raise bad_request(f'Lease in version "v1" cannot be handled as a Lease: {why}')
        return []


class ConfigMapStrategy:
    def prepare(self, write: Write) -> list[Cause]:
        new = write.new
        for name in ("data", "binaryData"):
            values = new.get(name, {})
            if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
                raise bad_request(
                    'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
                    f"json: cannot unmarshal value into Go struct field ConfigMap.{name} of type string"
                )
            if name in new and not values:
                del new[name]
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
    if spec.get("holderIdentity") == "":
        causes.append(invalid_value("spec.holderIdentity", "", "must not be empty"))
    return causes


def validate_configmap(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    causes: list[Cause] = []
    data = {**new.get("data", {}), **new.get("binaryData", {})}
    for key in data:
        if not re.fullmatch(r"[-._a-zA-Z0-9]+", key):
            why = (
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
            )
            causes.append(invalid_value(f"data[{key}]", key, why))
    if sum(len(value.encode()) for value in data.values()) > _MAX_BYTES:
        text = f"Too long: may not be more than {_MAX_BYTES} bytes"
        causes.append({"reason": "FieldValueTooLong", "message": text, "field": "[]"})
    if old and old.get("immutable"):
        frozen = [name for name in ("data", "binaryData", "immutable") if old.get(name) != new.get(name)]
        causes += [forbidden_field(name, "field is immutable when `immutable` is set") for name in frozen]
    return causes


def validate_event(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    involved = new.get("involvedObject", {}).get("namespace", "")
    namespace = new["metadata"].get("namespace", "")
    if involved != namespace and not (involved == "" and namespace in ("default", "kube-system")):
        return [invalid_value("involvedObject.namespace", involved, "does not match event.namespace")]
    return []


def validate_role_binding(old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
    reference = new.get("roleRef", {})
    causes = [] if reference.get("name") else [required("roleRef.name")]
    if old is not None and old.get("roleRef") != reference:
        causes.append(invalid_value("roleRef", reference, "cannot change roleRef"))
    return causes
