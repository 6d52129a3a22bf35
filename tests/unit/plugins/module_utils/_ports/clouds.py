# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloud whose services answer from a table: reading, paging and patience are the port's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud, CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience, Tries

LOST = CloudAnswer(0, None, "connection reset")
LOCKED = CloudAnswer(409, {"faultstring": "Load Balancer 1 is immutable and cannot be updated."})
Answer = Any  # a body, a CloudAnswer, a list of those to give in turn, or a function of the call


def no_time() -> Patience:
    """Tries as often as ever, and nobody sleeps."""
    slept: list[float] = []
    return Patience(clock=lambda: sum(slept), sleep=slept.append, draw=lambda: 0.5)


_SAID = {"provisioning_status": "ACTIVE", "operating_status": "ONLINE"}
_KIND = {"protocol": "TCP", **_SAID}
#: What the services say of every item; the table tells only what a test is about.
_ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "loadbalancer": {"name": "", **_SAID},
    "listener": {"name": "", "protocol_port": 6443, **_KIND},
    "pool": {"name": "", "lb_algorithm": "ROUND_ROBIN", "members": [], **_KIND},
    "healthmonitor": {"type": "TCP", "delay": 10, "timeout": 5, "max_retries": 5, "max_retries_down": 3, **_SAID},
    "member": {"address": "192.0.2.1", "protocol_port": 6443, "weight": 1, "admin_state_up": True, **_SAID},
    "subnet": {"network_id": "net", "cidr": "10.0.1.0/24"},
    "port": {"name": "", "device_id": "", "fixed_ips": []},
    "floatingip": {"floating_ip_address": "192.0.2.1"},
}


def _told(call: CloudCall, body: Answer) -> Answer:
    """As a service puts it; all of it is this project's unless the table says otherwise."""
    if not body and call.answered_with:
        body = {call.answered_with: {"id": "written"}}
    if not isinstance(body, dict):
        return body
    return {key: _whole(key.removesuffix("s"), value) for key, value in body.items()}


def _whole(kind: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_whole(kind, one) for one in value]
    if not isinstance(value, dict) or kind == "quota":
        return value
    return {"id": "any", "project_id": "project", **_ALWAYS.get(kind, {}), **value}


class TableCloud(Cloud):
    """`table`: "METHOD /path" → answer; what is not in it is not there, and a project that the table tells nothing of
    has neither ports nor load balancers. Every request is kept in `calls`."""

    def __init__(self, table: Mapping[str, Answer]) -> None:
        super().__init__(None, no_time())
        self.table = {"GET /ports": {"ports": []}, "GET /lbaas/loadbalancers": {"loadbalancers": []}, **table}
        self.calls: list[CloudCall] = []
        self._turn = threading.Lock()

    @property
    def project_id(self) -> str:
        return "project"

    @property
    def roles(self) -> tuple[str, ...] | None:
        return ("member", "load-balancer_member")

    def _root(self, service: str) -> str:
        return f"http://{service}"

    def versions(self, _service: str) -> tuple[str, ...]:
        return ("v2.0", "v2.26")

    def send(self, call: CloudCall, tries: Tries | None = None) -> CloudAnswer:
        with self._turn:
            self.calls.append(call)
            answer = self.table.get(str(call), CloudAnswer(404, {"faultstring": "not found"}))
            if isinstance(answer, list):
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(call)
        return answer if isinstance(answer, CloudAnswer) else CloudAnswer(200, _told(call, answer))

    def asked(self, method: str = "") -> list[str]:
        """The requests, or those of one method, as texts."""
        return [str(call) for call in self.calls if method in ("", call.method)]

    def sent(self, text: str) -> Any:
        """The body of the one request that reads like this."""
        (call,) = [call for call in self.calls if str(call) == text]
        return call.body
