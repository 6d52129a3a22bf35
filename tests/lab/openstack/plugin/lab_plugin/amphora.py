# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia's own no-op amphora driver, with the lab's faults: no proxy is configured, so nothing fails by itself."""

from __future__ import annotations

from typing import Any

from octavia.amphorae.drivers.noop_driver import driver as noop
from octavia_lib.api.drivers import exceptions

from lab_plugin import switches


class AmphoraStandIn(noop.NoopAmphoraLoadBalancerDriver):
    """Every change of listener, pool, monitor or member ends in one of these two calls."""

    def update_amphora_listeners(self, loadbalancer: Any, amphora: Any, timeout_dict: Any) -> None:
        self._disturb(loadbalancer)
        super().update_amphora_listeners(loadbalancer, amphora, timeout_dict)

    def update(self, loadbalancer: Any) -> None:
        self._disturb(loadbalancer)
        super().update(loadbalancer)

    @staticmethod
    def _disturb(loadbalancer: Any) -> None:
        zone = loadbalancer.availability_zone
        switches.wait("update", zone)
        if switches.fails("update", zone):
            raise exceptions.DriverError(operator_fault_string="the lab was told to fail the update")
