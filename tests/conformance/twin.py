# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded histories on the lab's own servers: the operator twin at work on the API server twin."""

from __future__ import annotations

from typing import Any

from ..lab.apiserver.api import ApiError
from ..lab.operator.stepwise import Stepwise
from .histories import BASE_DOMAIN, CLOUD_FAILURE, Refused, replay, shown
from .runner import Mismatch, Vector


class TwinWorld:
    """One cluster of the lab, driven by hand."""

    def __init__(self, vector: Vector) -> None:
        self._name: str = vector["ic_name"]
        self._lab = Stepwise(vector["platform"], vector["version"], base_domain=BASE_DOMAIN)
        self._lab.cloud_failure = CLOUD_FAILURE

    @property
    def cloud_fails(self) -> bool:
        return self._lab.cloud_fails

    @property
    def exists(self) -> bool:
        return self._lab.ic(self._name) is not None

    def act(self, step: Vector, name: str) -> None:
        lab, op = self._lab, step["op"]
        try:
            if op == "create":
                lab.create(name, step["spec"], step["annotations"])
            elif op == "patch_ic":
                lab.patch(name, step["patch"])
            elif op == "patch_service":
                lab.patch_service(name, step["patch"])
            elif op == "delete_service":
                lab.delete_service(name)
            else:
                lab.cloud_fails = step["fails"]
        except ApiError as error:
            raise Refused([f"{cause['field']}: {cause['message']}" for cause in error.causes]) from error

    def settle(self, event_in_time: bool, status_moves: bool) -> None:
        self._lab.rest(self._name, event_in_time=event_in_time)
        if status_moves:
            self._lab.router_gains_a_replica(self._name)
            self._lab.operator_pass(self._name)

    def shown(self) -> dict[str, Any]:
        return shown(self._lab.ic(self._name) or {}, self._lab.service(self._name))


def replay_on_twin(vector: Vector) -> list[Mismatch]:
    return replay(vector, TwinWorld)
