# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on paper: an API that answers out of a dict, so that hundreds of runs take seconds. Nobody works on it."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_wire import KubeAnswer, KubeCall

Key = tuple[str, str, str]  # resource, namespace, name
Obj = dict[str, Any]


class PaperWire:
    """Stands in for the connection to one API server. It stores what it is told and checks nothing but names."""

    def __init__(self, objects: Mapping[Key, Any]) -> None:
        self.objects: dict[Key, Any] = dict(objects)
        self.access = SimpleNamespace(host="https://paper.invalid", has_certificate=True, authorization=lambda: "")
        self.sent: set[str] = set()
        self._versions = itertools.count(1_000_000)

    def close(self) -> None: ...

    def until(self, seconds: float | None) -> None: ...

    def now(self) -> float:
        return 1_767_225_600.0

    def request(self, call: KubeCall) -> KubeAnswer:
        # What goes out has to be JSON, and what comes in is.
        body = None if call.body is None else json.loads(json.dumps(call.body))
        if call.resource.key == "selfsubjectaccessreviews.authorization.k8s.io":
            return KubeAnswer(201, {"status": {"allowed": True}})
        if call.verb == "list":
            return KubeAnswer(200, {"metadata": {}, "items": self._listed(call)})
        key = (call.resource.key, call.namespace, call.name)
        if call.query.get("dryRun"):
            return KubeAnswer(201, body)
        if call.verb == "create":
            return self._stored(key, body, 201) if key not in self.objects else _refusal(409, "AlreadyExists")
        if key not in self.objects:
            return _refusal(404, "NotFound", {"name": call.name})
        if call.verb == "get":
            return KubeAnswer(200, copy.deepcopy(self.objects[key]))
        if call.verb == "delete":
            return KubeAnswer(200, self.objects.pop(key) and {"kind": "Status"})
        return self._stored(key, merge_patch(self.objects[key], body) if call.verb == "patch" else body, 200)

    def _listed(self, call: KubeCall) -> list[Any]:
        wanted = (call.resource.key, call.namespace)
        return [
            copy.deepcopy(obj)
            for (resource, namespace, _name), obj in self.objects.items()
            if (resource, call.namespace and namespace) == wanted
        ]

    def _stored(self, key: Key, body: Any, status: int) -> KubeAnswer:
        obj = dict(body)
        meta = obj.get("metadata")
        marks = {"uid": f"uid-{next(self._versions)}", "resourceVersion": str(next(self._versions))}
        obj["metadata"] = {**marks, **(meta if isinstance(meta, dict) else {})}
        self.objects[key] = obj
        return KubeAnswer(status, copy.deepcopy(obj))


def _refusal(status: int, reason: str, details: Obj | None = None) -> KubeAnswer:
    return KubeAnswer(status, {"kind": "Status", "reason": reason, "message": reason, "details": details or {}})


def paper_clock() -> Clock:
    """Sleeping passes the time at once."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    return Clock(lambda: now[0], sleep)
