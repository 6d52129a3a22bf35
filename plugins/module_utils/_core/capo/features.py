# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Octavia can do what, as data (facts: capo §3, §6; lab-openstack, fidelity table)."""

from __future__ import annotations

from collections.abc import Sequence

# feature → first API version that has it
SINCE = {"tags": (2, 5), "flavors": (2, 6), "allowed_cidrs": (2, 12), "availability_zones": (2, 14)}
# provider → features it never has, whatever the API version
WITHOUT = {"ovn": frozenset({"flavors", "allowed_cidrs", "availability_zones"})}
# providers that are one and the same under two names
ALIASES = {"octavia": "amphora"}
# pool algorithm where the provider cannot do round robin
ALGORITHMS = {"ovn": "SOURCE_IP_PORT"}
PROTOCOL = "TCP"


def version_of(text: str) -> tuple[int, ...]:
    """(2, 12) for "v2.12"; () for what is no version."""
    try:
        return tuple(int(part) for part in text.lstrip("v").split("."))
    except ValueError:
        return ()


def version_has(feature: str, version: tuple[int, ...], provider: str) -> bool:
    return version >= SINCE[feature] and feature not in WITHOUT.get(provider, frozenset())


def supports(feature: str, versions: Sequence[str], provider: str) -> bool:
    """By the newest version offered. Without any version known, nothing newer than v2.0 is assumed."""
    return version_has(feature, max(map(version_of, versions), default=()), provider)


def same_provider(one: str, other: str) -> bool:
    return ALIASES.get(one, one) == ALIASES.get(other, other)


def algorithm(provider: str) -> str:
    return ALGORITHMS.get(provider, "ROUND_ROBIN")
