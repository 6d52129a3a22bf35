# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets and Elastic IPs between spec, status and the Service's annotation, exactly as shipped (SUB-4).

A subnet set is {"ids": […], "names": […]} or None; an EIP list is a plain list. Facts: ingress-operator §5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..data import Json
from ..go import marshal
from .names import AWS_EIPS, AWS_NLB_VALUE, AWS_SUBNETS, AWS_TYPE, CLASSIC, NLB

Subnets = Mapping[str, Sequence[str]]


def parse(annotations: Mapping[str, str]) -> dict[str, list[str]] | None:
    """The operator trims the whole value and nothing else: ' subnet-x' is a name, 'a,,b' has an empty one."""
    value = annotations.get(AWS_SUBNETS, "").strip()
    if not value:
        return None
    parts = value.split(",")
    found = {
        "ids": [part for part in parts if part.startswith("subnet-")],
        "names": [part for part in parts if not part.startswith("subnet-")],
    }
    return {kind: values for kind, values in found.items() if values}


def parse_eips(annotations: Mapping[str, str]) -> list[str]:
    value = annotations.get(AWS_EIPS, "").strip()
    return value.split(",") if value else []


def render(subnets: Subnets | None) -> str:
    """All ids in order, then all names."""
    return ",".join((*_ids(subnets), *_names(subnets)))


def render_eips(eips: Sequence[str] | None) -> str:
    return ",".join(eip for eip in eips or () if eip)


def equal(want: Subnets | None, have: Subnets | None) -> bool:
    """Unordered, ids and names apart, and one-sided as shipped: every wanted one must be there."""
    return _covers(_ids(want), _ids(have)) and _covers(_names(want), _names(have))


def eips_equal(want: Sequence[str] | None, have: Sequence[str] | None) -> bool:
    return _covers(want or (), have or ())


def _covers(want: Sequence[str], have: Sequence[str]) -> bool:
    return len(want) == len(have) and set(want) <= set(have)


def lb_type(annotations: Mapping[str, str]) -> str:
    """The type a Service really has: exactly nlb, or Classic."""
    return NLB if annotations.get(AWS_TYPE) == AWS_NLB_VALUE else CLASSIC


def shown(subnets: Subnets | None) -> str:
    """As the operator's messages show a set."""
    return _json(subnets, "{}", "[]")


def patched(subnets: Subnets | None) -> str:
    """As the operator's revert patch writes a set."""
    return _json(subnets, "null", "null")


def eips_json(eips: Sequence[str] | None, empty: str) -> str:
    return marshal(list(eips)) if eips else empty


def _json(subnets: Subnets | None, empty: str, empty_list: str) -> str:
    ids, names = _ids(subnets), _names(subnets)
    if not ids and not names:
        return empty
    parts = [marshal(list(part)) if part else empty_list for part in (ids, names)]
    return f'{{"ids":{parts[0]},"names":{parts[1]}}}'


def _ids(subnets: Subnets | None) -> Sequence[str]:
    return _list(subnets, "ids")


def _names(subnets: Subnets | None) -> Sequence[str]:
    return _list(subnets, "names")


def _list(subnets: Json, key: str) -> Sequence[str]:
    return (subnets or {}).get(key) or ()
