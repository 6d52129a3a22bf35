# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cluster says about one Service (SUB-10, SCO-8)."""

from __future__ import annotations

from .._ports.errors import Forbidden
from .._ports.reading import Cluster, Object, Objects


def read_events(cluster: Cluster, namespace: str, name: str) -> tuple[Object, ...] | None:
    """What was ever said of a Service of this name; None where that may not be read: it only helps to explain."""
    selector = f"involvedObject.kind=Service,involvedObject.name={name}"
    try:
        return tuple(cluster.list("events", namespace, field_selector=selector))
    except Forbidden:
        return None


def read_all_events(cluster: Cluster) -> tuple[Object, ...] | None:
    """What was said of the Services of a whole cluster."""
    try:
        return tuple(cluster.list("events", field_selector="involvedObject.kind=Service"))
    except Forbidden:
        return None


class ServiceEvents:
    """Events outlive what they told of, so after a change of a living Service only those since then count."""

    def __init__(self, cluster: Cluster, namespace: str, name: str) -> None:
        self._place = (cluster, namespace, name)
        self._known: set[tuple[str, int]] | None = None

    def all(self) -> Objects:
        return list(read_events(*self._place) or ())

    def since_first_look(self) -> Objects:
        """An event that recurs has a higher count."""
        events = self.all()
        marks = {_mark(event) for event in events}
        if self._known is None:
            self._known = marks
        return [event for event in events if _mark(event) not in self._known]


def _mark(event: Object) -> tuple[str, int]:
    return event["metadata"]["uid"], int(event.get("count") or 1)
