# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An OpenStack project on paper: answers by request, as they are, good or spoilt."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud, CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience, Tries


class PaperCloud(Cloud):
    """Writes are answered with what was sent; nothing changes by them. Time passes only where somebody sleeps."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        slept: list[float] = []
        super().__init__(None, Patience(3, clock=lambda: sum(slept), sleep=slept.append))
        self._answers = answers

    @property
    def project_id(self) -> str:
        return "project"

    @property
    def roles(self) -> tuple[str, ...] | None:
        return ("member",)

    def secrets(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None: ...

    def _root(self, service: str) -> str:
        return f"http://{service}.invalid"

    def versions(self, _service: str) -> tuple[str, ...]:
        return ("v2.0", "v2.26")

    def send(self, call: CloudCall, tries: Tries | None = None) -> CloudAnswer:
        if call.method == "GET":
            found = self._answers.get(str(call))
            if str(call) not in self._answers:
                return CloudAnswer(404, {"faultstring": "not found"})
            return CloudAnswer(200, copy.deepcopy(found))
        key = call.answered_with
        return CloudAnswer(200, {key: {"id": "new", **json.loads(json.dumps(call.body[key]))}} if key else None)
