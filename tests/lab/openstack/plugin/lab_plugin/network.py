# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia's own Neutron driver with a longer memory: half of a build's time goes into asking which extensions exist.

Octavia makes a driver per task, about twenty for one load balancer, and each asks Neutron seven times.
"""

from __future__ import annotations

from octavia.network.drivers.neutron import allowed_address_pairs, base

_enabled: dict[str, bool] = {}


class RememberingDriver(allowed_address_pairs.AllowedAddressPairsDriver):
    """The first question of every driver is still asked: when Neutron is down, that is where Octavia finds out."""

    def _check_extension_enabled(self, extension_alias: str) -> bool:
        if extension_alias == base.SEC_GRP_EXT_ALIAS or extension_alias not in _enabled:
            _enabled[extension_alias] = bool(super()._check_extension_enabled(extension_alias))
        return _enabled[extension_alias]
