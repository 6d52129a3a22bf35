# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VIP ports that Octavia leaves behind: it has Neutron make the port before it looks at the rest of a request, and a
request that it then refuses leaves it there, with an address nobody uses (facts: lab-openstack, fidelity table)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from .errors import OutcomeUnknown, PortError
from .neutron import NEUTRON, PORTS
from .octavia import LOAD_BALANCERS, OCTAVIA
from .openstack_cloud import Cloud, CloudCall
from .patience import Patience

_PREFIX = "lb-"  # of device_id; the load balancer's id follows
# A port whose load balancer is not there may be of a request that is still at work, somebody else's or ours that got
# lost: it is given at least this long, and longer where this Octavia is slow.
_LEAST_SECONDS = 5.0
_TIMES_AS_LONG = 3


class Leftovers:
    def __init__(self, cloud: Cloud, patience: Patience) -> None:
        self._cloud, self._patience = cloud, patience

    @contextmanager
    def cleared(self, subnet_id: str) -> Iterator[None]:
        """Around one request for a load balancer: its refusal leaves nothing behind on the subnet."""
        before: dict[str, str] | None = None
        with suppress(PortError):  # ports that may not be listed are nobody's to clear, and no reason to build nothing
            before = self._ports(subnet_id)
        begun = self._patience.clock()
        try:
            yield
        except OutcomeUnknown:
            raise
        except PortError:
            if before is not None:
                with suppress(PortError):
                    self._clear(subnet_id, before, self._patience.clock() - begun)
            raise

    def _clear(self, subnet_id: str, before: dict[str, str], took: float) -> None:
        new = {port: lb for port, lb in self._ports(subnet_id).items() if port not in before}
        if not any(self._is_gone(lb) for lb in new.values()):
            return
        self._patience.sleep(max(_LEAST_SECONDS, _TIMES_AS_LONG * took))
        for port, lb in new.items():
            if self._is_gone(lb):
                self._cloud.send(CloudCall(NEUTRON, "DELETE", f"{PORTS}/{port}"))

    def _is_gone(self, lb: str) -> bool:
        call = CloudCall(OCTAVIA, "GET", f"{LOAD_BALANCERS}/{lb}", {"fields": ["id"]})
        return self._cloud.read(call, "loadbalancer") is None

    def _ports(self, subnet_id: str) -> dict[str, str]:
        """Octavia's VIP ports of this project on the subnet, with the load balancers they were made for."""
        query = {"device_owner": "Octavia", "fixed_ips": f"subnet_id={subnet_id}", "fields": ["id", "device_id"]}
        found = self._cloud.own_items(NEUTRON, PORTS, "ports", query)
        return {
            one["id"]: one["device_id"].removeprefix(_PREFIX) for one in found if one["device_id"].startswith(_PREFIX)
        }
