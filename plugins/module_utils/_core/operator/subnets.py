# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets and Elastic IPs between spec, status and the Service's annotation, exactly as shipped (SUB-4).

An EIP list is a plain list. Facts: ingress-operator §5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..data import Json
from ..go import marshal
from .names import AWS_EIPS, AWS_NLB_VALUE, AWS_SUBNETS, AWS_TYPE, CLASSIC, NLB


@dataclass(frozen=True)
class Subnets:
    """Subnets as people list them: ids, and Name tags. Empty, and so false, where none are listed."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def split(cls, entries: Iterable[str]) -> Subnets:
        """What begins with `subnet-` is an id, whoever reads it."""
        parts = tuple(entries)
        ids = tuple(part for part in parts if part.startswith("subnet-"))
        return cls(ids, tuple(part for part in parts if not part.startswith("subnet-")))

    @classmethod
    def listed(cls, spec: Json) -> Subnets:
        """From spec, status or a task's option: {"ids": […], "names": […]}, either of them left out, or None."""
        given = spec or {}
        return cls(tuple(given.get("ids") or ()), tuple(given.get("names") or ()))

    def __iter__(self) -> Iterator[str]:
        """All ids in order, then all names, as the operator renders them."""
        return iter((*self.ids, *self.names))

    def __len__(self) -> int:
        return len(self.ids) + len(self.names)

    def as_spec(self) -> dict[str, Any] | None:
        both = {"ids": list(self.ids), "names": list(self.names)}
        return {kind: values for kind, values in both.items() if values} or None

    def same(self, have: Subnets) -> bool:
        """Unordered, ids and names apart, and one-sided as shipped: every wanted one must be there."""
        return _covers(self.ids, have.ids) and _covers(self.names, have.names)

    def shown(self) -> str:
        """As the operator's messages show a set."""
        return self._json("{}", "[]")

    def patched(self) -> str:
        """As the operator's revert patch writes a set."""
        return self._json("null", "null")

    def _json(self, empty: str, empty_list: str) -> str:
        if not self:
            return empty
        parts = [marshal(list(part)) if part else empty_list for part in (self.ids, self.names)]
        return f'{{"ids":{parts[0]},"names":{parts[1]}}}'


def parse(annotations: Mapping[str, str]) -> Subnets:
    """The operator trims the whole value and nothing else: ' subnet-x' is a name, 'a,,b' has an empty one."""
    value = annotations.get(AWS_SUBNETS, "").strip()
    return Subnets.split(value.split(",")) if value else Subnets()


def parse_eips(annotations: Mapping[str, str]) -> list[str]:
    value = annotations.get(AWS_EIPS, "").strip()
    return value.split(",") if value else []


def render_eips(eips: Sequence[str] | None) -> str:
    return ",".join(eip for eip in eips or () if eip)


def eips_equal(want: Sequence[str] | None, have: Sequence[str] | None) -> bool:
    return _covers(want or (), have or ())


def _covers(want: Sequence[str], have: Sequence[str]) -> bool:
    return len(want) == len(have) and set(want) <= set(have)


def lb_type(annotations: Mapping[str, str]) -> str:
    """The type a Service really has: exactly nlb, or Classic."""
    return NLB if annotations.get(AWS_TYPE) == AWS_NLB_VALUE else CLASSIC


def eips_json(eips: Sequence[str] | None, empty: str) -> str:
    return marshal(list(eips)) if eips else empty
