# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subnets and networks named by id or filter, resolved against what Neutron listed (facts: capo §4, §11.14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..data import Json
from .desired import Ref
from .observed import Network, Subnet

# field of CAPO's filter → field of Neutron's object
FIELDS = {
    "name": "name",
    "description": "description",
    "projectID": "project_id",
    "ipVersion": "ip_version",
    "gatewayIP": "gateway_ip",
    "cidr": "cidr",
    "ipv6AddressMode": "ipv6_address_mode",
    "ipv6RAMode": "ipv6_ra_mode",
}
TAG_RULES: dict[str, Callable[[frozenset[str], frozenset[str]], bool]] = {
    "tags": lambda asked, have: asked <= have,
    "tagsAny": lambda asked, have: bool(asked & have),
    "notTags": lambda asked, have: not asked <= have,
    "notTagsAny": lambda asked, have: not asked & have,
}


def find_subnets(ref: Ref, subnets: Iterable[Subnet]) -> tuple[Subnet, ...]:
    return tuple(one for one in subnets if _is_meant(ref, one.id, {"cidr": one.cidr, **_plain(one.facts)}))


def find_networks(ref: Ref, networks: Iterable[Network]) -> tuple[Network, ...]:
    return tuple(one for one in networks if _is_meant(ref, one.id, {"name": one.name, **_plain(one.facts)}))


def unknown_fields(ref: Ref) -> tuple[str, ...]:
    return tuple(sorted(key for key in ref.filter or {} if key not in FIELDS and key not in TAG_RULES))


def _plain(facts: Json) -> dict[str, Any]:
    return dict(facts or {})


def _is_meant(ref: Ref, found_id: str, facts: Mapping[str, Any]) -> bool:
    if ref.id:
        return ref.id == found_id
    rules = {key: value for key, value in (ref.filter or {}).items() if value not in (None, "", 0, ())}
    if not rules:
        return False
    have = frozenset(facts.get("tags") or ())
    for key, value in rules.items():
        if key in TAG_RULES:
            if not TAG_RULES[key](frozenset(value), have):
                return False
        elif facts.get(FIELDS.get(key, "")) != value:
            return False
    return True
