# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as a controller's recorder writes them: equal ones are counted, many alike are combined."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from ..apiserver.api import Api, ApiError
from .rules import Service

COMPONENT = "service-controller"
# After so many different messages of one reason on one object, the recorder keeps one Event and counts.
SIMILAR_LIMIT = 10
COMBINED = "(combined from similar events): "


class Recorder:
    """Writes Events about Services of one cluster."""

    def __init__(self, api: Api, component: str = COMPONENT) -> None:
        self._api = api
        self._component = component
        self._serial = itertools.count(1)
        self._lock = threading.Lock()
        self._written: dict[tuple[str, ...], tuple[str, int]] = {}
        self._messages: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)

    def normal(self, service: Service, reason: str, message: str) -> None:
        self._record(service, "Normal", reason, message)

    def warning(self, service: Service, reason: str, message: str) -> None:
        self._record(service, "Warning", reason, message)

    def _record(self, service: Service, kind: str, reason: str, message: str) -> None:
        meta = service["metadata"]
        alike = (meta["uid"], kind, reason)
        with self._lock:
            self._messages[alike].add(message)
            combined = len(self._messages[alike]) > SIMILAR_LIMIT
            key = (*alike, COMBINED) if combined else (*alike, message)
            text = COMBINED + message if combined else message
            name, count = self._written.get(key, ("", 0))
            if not name or not self._count_again(meta["namespace"], name, count + 1, text):
                name, count = self._create(service, kind, reason, text), 0
            self._written[key] = (name, count + 1)

    def _count_again(self, namespace: str, name: str, count: int, message: str) -> bool:
        change = {"count": count, "lastTimestamp": _now(), "message": message}
        try:
            self._api.patch("events", namespace, name, change)
        except ApiError as error:
            if error.status != 404:
                raise
            return False
        return True

    def _create(self, service: Service, kind: str, reason: str, message: str) -> str:
        meta, now = service["metadata"], _now()
        name = f"{meta['name']}.{meta['uid'].replace('-', '')[:8]}{next(self._serial):08x}"
        event: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": meta["namespace"]},
            "involvedObject": {
                "apiVersion": "v1",
                "kind": "Service",
                "name": meta["name"],
                "namespace": meta["namespace"],
                "uid": meta["uid"],
                "resourceVersion": meta["resourceVersion"],
            },
            "type": kind,
            "reason": reason,
            "message": message,
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "reportingInstance": "",
            "count": 1,
            "firstTimestamp": now,
            "lastTimestamp": now,
        }
        self._api.create("events", meta["namespace"], event)
        return name


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
