# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Name, label and qualified-name rules with the server's texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .api import Cause
from .errors import invalid_value, required
from .resources import Resource

_DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS1123_SUBDOMAIN = _DNS1123_LABEL + r"(\." + _DNS1123_LABEL + ")*"
_DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_QUALIFIED})?"

SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_DNS1123_SUBDOMAIN}')"
)
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    f"an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_DNS1123_LABEL}')"
)
_DNS1035_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    f"'{_DNS1035_LABEL}')"
)
_QUALIFIED_TEXT = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    f"character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_QUALIFIED}')"
)
_LABEL_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'{_LABEL_VALUE}')"
)


def _problems(value: str, pattern: str, text: str, longest: int, unit: str = "characters") -> list[str]:
    problems = [f"must be no more than {longest} {unit}"] if len(value) > longest else []
    return problems if re.fullmatch(pattern, value) else [*problems, text]


def subdomain_problems(value: str) -> list[str]:
    return _problems(value, _DNS1123_SUBDOMAIN, SUBDOMAIN_TEXT, 253)


def label_name_problems(value: str) -> list[str]:
    return _problems(value, _DNS1123_LABEL, _LABEL_TEXT, 63)


def qualified_name_problems(value: str) -> list[str]:
    """`[prefix/]name` as labels, annotations, finalizers and loadBalancerClass use it."""
    parts = value.split("/")
    if len(parts) > 2:
        optional = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        text = _QUALIFIED_TEXT.replace("name part must", "a valid label key must", 1)
        return [text + optional]
    problems: list[str] = []
    if len(parts) == 2:
        if not parts[0]:
            problems.append("prefix part must be non-empty")
        else:
            problems += [f"prefix part {problem}" for problem in subdomain_problems(parts[0])]
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name) > 63:
        problems.append("name part must be no more than 63 bytes")
    if not re.fullmatch(_QUALIFIED, name):
        problems.append(_QUALIFIED_TEXT)
    return problems


def _name_problems(resource: Resource, name: str, relaxed: bool) -> list[str]:
    if resource.free_name:
        return [f"may not contain '{part}'" for part in ("/", "%") if part in name]
    if resource.key == "services" and not relaxed:
        return _problems(name, _DNS1035_LABEL, _DNS1035_TEXT, 63)
    if resource.key in ("services", "namespaces"):
        return label_name_problems(name)
    return subdomain_problems(name)


def name_causes(resource: Resource, meta: Mapping[str, Any], relaxed: bool) -> list[Cause]:
    """Of the name, and of the stem it was made from: that one may end in a dash."""
    name, stem = meta.get("name", ""), meta.get("generateName", "")
    masked = f"{stem[:-2]}a" if len(stem) > 1 and stem.endswith("-") else stem
    problems = _name_problems(resource, masked, relaxed) if stem else []
    causes = [invalid_value("metadata.generateName", stem, problem) for problem in problems]
    if not name:
        return [*causes, required("metadata.name", "name or generateName is required")]
    return causes + [
        invalid_value("metadata.name", name, problem) for problem in _name_problems(resource, name, relaxed)
    ]


def label_causes(labels: Mapping[str, str], field: str) -> list[Cause]:
    causes = [invalid_value(field, key, problem) for key in labels for problem in qualified_name_problems(key)]
    for value in labels.values():
        causes += [
            invalid_value(field, value, problem)
            for problem in _problems(value, _LABEL_VALUE, _LABEL_VALUE_TEXT, 63, "bytes")
        ]
    return causes


def annotation_causes(annotations: Mapping[str, str]) -> list[Cause]:
    field = "metadata.annotations"
    causes = [
        invalid_value(field, key, problem) for key in annotations for problem in qualified_name_problems(key.lower())
    ]
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > 256 * 1024:
        causes.append(
            {"reason": "FieldValueTooLong", "message": "Too long: may not be more than 262144 bytes", "field": field}
        )
    return causes
