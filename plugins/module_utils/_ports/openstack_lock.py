# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a target where no cluster is at hand: a marker in Neutron, a port without an address (CORE-11).

Octavia has nothing that can be made only once and does no harm, and what Neutron keeps unique (an address on a subnet,
a MAC address on a network) only the network's owner may choose. So a run makes its marker first and looks for others
then: each looks when its own is there already, so of two at least one sees the other, however their requests fall. Who
sees a live one takes its own away. Limits: rights and quota for one port on the load balancers' network; a database
that shows a reader what was true a moment ago; and runs that use a Lease do not look here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from .._core.holder import SECONDS, Holder, busy
from .._core.model import Target
from .errors import Conflict, Locked, PortError
from .lease import RenewedLock, name_of_holder, process_ended, this_process
from .neutron import NEUTRON, PORTS
from .openstack_cloud import Body, Cloud, CloudCall
from .openstack_steps import Writer
from .patience import Tries

_OWNER = "lb-estate:lock"
_SEEN = ("id", "name", "description", "device_id", "created_at", "updated_at")
_LENGTH = 200  # of the holder's name: a description takes 255 characters
# A marker that is younger may be of a run that looks and steps back as well; an older one is held.
_YOUNG = 5.0
_LONGEST_PAUSE = 1.5


class CloudLock(RenewedLock):
    """`network`: asked when it is taken, of what was read by then; without one there is nothing to lock with, and
    nothing that could be built twice."""

    def __init__(
        self,
        cloud: Cloud,
        target: Target,
        network: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(target, clock)
        self._cloud, self._network = cloud, network
        self._writer = Writer(cloud)
        self._id = ""
        self._renewals = self._tried = 0

    def left_behind(self) -> tuple[str, ...]:
        """Markers of runs that were killed, or stopped for longer than a lock lasts."""
        return tuple(one["id"] for one in self._markers() if not self._holder(one).alive)

    def _take(self) -> None:
        network = self._network()
        if not network:
            return
        self._tried += 1
        if self._tried > 1:  # two that stepped back together do not come back together
            self._cloud.patience.sleep(random.uniform(0.1, _LONGEST_PAUSE))
        self._id = self._made(network)
        try:
            others = [one for one in self._markers() if one["id"] != self._id]
            alive = [one for one in others if self._holder(one).alive]
            if alive:
                raise self._refusal(alive)
            for one in others:
                self._writer.change(CloudCall(NEUTRON, "DELETE", f"{PORTS}/{one['id']}"))
        except PortError:
            self._drop()
            raise

    def _made(self, network: str) -> str:
        body = {
            "network_id": network,
            "name": self._name,
            "description": name_of_holder()[:_LENGTH],
            "device_owner": _OWNER,
            "device_id": this_process(),
            "fixed_ips": [],
            "admin_state_up": False,
        }
        call = CloudCall(NEUTRON, "POST", PORTS, body={"port": body})
        known = {one["id"] for one in self._markers()}

        def landed(tries: Tries) -> Body | None:
            mine = [one for one in self._markers(tries) if one["device_id"] == body["device_id"]]
            return next((one for one in mine if one["id"] not in known), None)

        try:
            return str(self._writer.create(call, "port", landed)["id"])
        except PortError as problem:
            problem.message = f"{self._target}: its lock, a port in Neutron, cannot be made. {problem.message}"
            problem.remedy += " Or let the management cluster be read: the lock is a Lease there."
            raise

    def _refusal(self, alive: list[Body]) -> PortError:
        """Two that came at the same moment see each other: both step back, and come again one after the other."""
        oldest = min(alive, key=lambda one: str(one["created_at"]))
        if self._cloud.now() - _seconds(oldest["created_at"]) < _YOUNG:
            return Conflict(f"{self._target}: another run wants the lock at the same moment.")
        (found,) = busy(self._holder(oldest), str(self._target))
        return Locked(f"{self._target}: {found.what}", found.remedy, holder=found.value)

    def _drop(self) -> None:
        if self._id:
            self._writer.change(CloudCall(NEUTRON, "DELETE", f"{PORTS}/{self._id}"))
        self._id = ""

    def _renew(self) -> None:
        """Only what changes is a sign of life: Neutron notes no time for a change that is none."""
        if not self._id or self._lost:
            return
        self._renewals += 1
        text = f"{name_of_holder()[:_LENGTH]}; renewed {self._renewals} times"
        call = CloudCall(NEUTRON, "PUT", f"{PORTS}/{self._id}", body={"port": {"description": text}})
        if self._writer.change(call).status == 404:
            self._lost = ": somebody removed it"
        else:
            self._renewed = self._clock()

    @property
    def _name(self) -> str:
        return f"lb-estate-lock {self._target.namespace}/{self._target.name}"

    def _markers(self, tries: Tries | None = None) -> list[Body]:
        query = {"name": self._name, "device_owner": _OWNER, "fields": _SEEN}
        return list(self._cloud.own_items(NEUTRON, PORTS, "ports", query, tries))

    def _holder(self, marker: Body) -> Holder:
        age = self._cloud.now() - _seconds(marker["updated_at"])
        name = str(marker["description"]).partition(";")[0]
        return Holder(name, str(marker["created_at"]), age, SECONDS, process_ended(str(marker["device_id"])))


def _seconds(text: Any) -> float:
    """One that cannot be read was long ago."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return 0.0
