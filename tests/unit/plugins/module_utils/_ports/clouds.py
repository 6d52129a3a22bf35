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
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience

LOST = CloudAnswer(0, None, "connection reset")
LOCKED = CloudAnswer(409, {"faultstring": "Load Balancer 1 is immutable and cannot be updated."})
Answer = Any  # a body, a CloudAnswer, a list of those to give in turn, or a function of the call


def no_time() -> Patience:
    """Tries as often as ever, and nobody sleeps."""
    slept: list[float] = []
    return Patience(clock=lambda: sum(slept), sleep=slept.append, draw=lambda: 0.5)


class TableCloud(Cloud):
    """`table`: "METHOD /path" → answer; what is not in it is not there. Every request is kept in `calls`."""

    def __init__(self, table: Mapping[str, Answer]) -> None:
        super().__init__(None, no_time())
        self.table = dict(table)
        self.calls: list[CloudCall] = []
        self._turn = threading.Lock()

    @property
    def project_id(self) -> str:
        return "project"

    def versions(self, _service: str) -> tuple[str, ...]:
        return ("v2.0", "v2.26")

    def send(self, call: CloudCall) -> CloudAnswer:
        with self._turn:
            self.calls.append(call)
            answer = self.table.get(str(call), CloudAnswer(404, {"faultstring": "not found"}))
            if isinstance(answer, list):
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(call)
        return answer if isinstance(answer, CloudAnswer) else CloudAnswer(200, answer)

    def asked(self, method: str = "") -> list[str]:
        """The requests, or those of one method, as texts."""
        return [str(call) for call in self.calls if method in ("", call.method)]

    def sent(self, text: str) -> Any:
        """The body of the one request that reads like this."""
        (call,) = [call for call in self.calls if str(call) == text]
        return call.body
