# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who asked for what: the requests that came over HTTP, so that tests can count reads and writes at the server."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import asdict, dataclass
from typing import Any

READS = frozenset({"get", "list", "watch"})
_REVIEWS = "authorization.k8s.io"
# A lab that runs for hours must not fill the memory with its log.
_KEPT = 200_000


@dataclass(frozen=True, slots=True)
class Request:
    verb: str
    resource: str
    namespace: str
    name: str
    subresource: str
    code: int
    user: str
    user_agent: str
    path: str
    dry_run: bool = False

    @property
    def is_write(self) -> bool:
        """A dry run counts: it needs the permission to write. An access review does not change anything."""
        return self.verb not in READS and not self.resource.endswith(_REVIEWS)


class RequestLog:
    """Requests since the last reset; code 0 is a request whose connection was dropped before an answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: deque[Request] = deque(maxlen=_KEPT)

    def add(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)

    def reset(self) -> None:
        with self._lock:
            self._requests.clear()

    def all(self) -> list[Request]:
        with self._lock:
            return list(self._requests)

    def writes(self) -> list[Request]:
        return [request for request in self.all() if request.is_write]

    def count(self, **wanted: Any) -> int:
        """Requests whose named attributes have these values, e.g. `count(verb="get", resource="services")`."""
        return sum(all(getattr(r, key) == value for key, value in wanted.items()) for r in self.all())

    def counters(self) -> Counter[tuple[str, str, str, int]]:
        return Counter((r.verb, r.resource, r.name, r.code) for r in self.all())

    def as_data(self) -> list[dict[str, Any]]:
        return [asdict(request) for request in self.all()]

    def __len__(self) -> int:
        return len(self._requests)
