# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Providers like the real one, each without something (CAPO-3, CAPO-15); the 501 for it is Octavia's own answer.

They refuse an option wherever it can arrive: in what is new, in what is changed, inside a whole new load balancer. What
else they refuse, and how they say it, is the switch `lacking`.
"""

from __future__ import annotations

from typing import Any

from octavia.api.drivers.amphora_driver.v2 import driver as amphora
from octavia.common import exceptions as api
from octavia_lib.api.drivers import data_models, exceptions

from lab_plugin import switches

#: What Octavia gives a listener that names no timeouts.
_USUAL = (None, 50000)


def _given(value: Any) -> Any:
    return None if isinstance(value, data_models.UnsetType) else value


class Choosy(amphora.AmphoraProviderDriver):
    lacks: frozenset[str] = frozenset()

    def loadbalancer_create(self, loadbalancer: Any) -> None:
        self._has("availability_zones", _given(loadbalancer.availability_zone))
        listeners = _given(loadbalancer.listeners) or []
        self._has("tree", listeners, "fully populated load balancers")
        for listener in listeners:
            self._listener(listener)
        for pool in _given(loadbalancer.pools) or ():
            self._pool(pool)
        super().loadbalancer_create(loadbalancer)

    def loadbalancer_update(self, original_load_balancer: Any, new_loadbalancer: Any) -> None:
        self._has("rename", _given(new_loadbalancer.name), "another name")
        super().loadbalancer_update(original_load_balancer, new_loadbalancer)

    def listener_create(self, listener: Any) -> None:
        self._listener(listener)
        super().listener_create(listener)

    def listener_update(self, old_listener: Any, new_listener: Any) -> None:
        self._listener(new_listener)
        super().listener_update(old_listener, new_listener)

    def pool_create(self, pool: Any) -> None:
        self._pool(pool)
        super().pool_create(pool)

    def member_create(self, member: Any) -> None:
        self._member(member)
        super().member_create(member)

    def member_batch_update(self, pool_id: str, members: Any) -> None:
        if "batch" in self._lacking():
            raise NotImplementedError  # as a driver does that has no such method: this is the fault, not a gap here
        for member in members:
            self._member(member)
        super().member_batch_update(pool_id, members)

    def health_monitor_create(self, healthmonitor: Any) -> None:
        self._has("health_monitor", True, "health monitors")
        super().health_monitor_create(healthmonitor)

    def _validate_pool_algorithm(self, pool: Any) -> None:
        """Any but those that are lacking; the amphora's own list is shorter."""

    def _listener(self, listener: Any) -> None:
        self._has("allowed_cidrs", _given(listener.allowed_cidrs))
        for name in ("timeout_client_data", "timeout_member_data"):
            self._has("timeouts", _given(getattr(listener, name)) not in _USUAL, name)

    def _pool(self, pool: Any) -> None:
        self._has("round_robin", _given(pool.lb_algorithm) == "ROUND_ROBIN", "ROUND_ROBIN algorithm")
        self._has("health_monitor", _given(pool.healthmonitor), "health monitors")
        for member in _given(pool.members) or ():
            self._member(member)

    def _member(self, member: Any) -> None:
        if not _given(member.subnet_id):
            self._has("bare_members", True, "members without a subnet: Subnet is required")

    def _lacking(self) -> frozenset[str]:
        return self.lacks | frozenset(switches.lacking().get("features", ()))

    def _has(self, feature: str, asked: Any, name: str = "") -> None:
        """A refusal, where it is asked for and not there."""
        if not asked or feature not in self._lacking():
            return
        how = switches.lacking()
        text = "not supported." if how.get("vague") else f"The provider does not support {name or feature}."
        if how.get("status") == 400:
            raise api.ValidationException(detail=text)
        raise exceptions.UnsupportedOptionError(user_fault_string=text, operator_fault_string=text)


class ProviderWithoutCidrs(Choosy):
    lacks = frozenset({"allowed_cidrs"})


class LikeOvn(Choosy):
    """What OVN's own provider refuses."""

    lacks = frozenset({"allowed_cidrs", "round_robin", "bare_members", "availability_zones"})
