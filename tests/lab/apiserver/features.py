# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a server of one version does differently from older ones."""

from __future__ import annotations

from dataclasses import dataclass

_STRICT_ADDRESSES = _RELAXED_SERVICE_NAMES = (1, 36)


@dataclass(frozen=True)
class Features:
    strict_addresses: bool = False  # no leading zeros in an address, no host bits in a network
    relaxed_service_names: bool = False  # the name of a Service may begin with a digit


def features_of(version: str) -> Features:
    """`version` as /version reports it: v1.34.2."""
    major, minor = version.lstrip("v").split(".")[:2]
    have = (int(major), int(minor))
    return Features(have >= _STRICT_ADDRESSES, have >= _RELAXED_SERVICE_NAMES)
