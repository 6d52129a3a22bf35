# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A provider like the real one, but without allowed CIDRs (CAPO-3); the 501 for it is Octavia's own answer."""

from __future__ import annotations

from typing import Any

from octavia.api.drivers.amphora_driver.v2 import driver as amphora
from octavia_lib.api.drivers import data_models, exceptions


class ProviderWithoutCidrs(amphora.AmphoraProviderDriver):
    """Refuses the option wherever it can arrive: a new listener, a changed one, one inside a new load balancer."""

    def loadbalancer_create(self, loadbalancer: Any) -> None:
        if isinstance(loadbalancer.listeners, list):
            for listener in loadbalancer.listeners:
                self._refuse(listener)
        super().loadbalancer_create(loadbalancer)

    def listener_create(self, listener: Any) -> None:
        self._refuse(listener)
        super().listener_create(listener)

    def listener_update(self, old_listener: Any, new_listener: Any) -> None:
        self._refuse(new_listener)
        super().listener_update(old_listener, new_listener)

    @staticmethod
    def _refuse(listener: Any) -> None:
        if isinstance(listener.allowed_cidrs, data_models.UnsetType) or not listener.allowed_cidrs:
            return
        text = "The provider does not support allowed_cidrs."
        raise exceptions.UnsupportedOptionError(user_fault_string=text, operator_fault_string=text)
