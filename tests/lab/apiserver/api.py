# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a controller or a test may ask of one cluster, and how a refusal looks.

The HTTP server and the in-process twins (operator, cloud) go through the same methods, so both see one behaviour.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

Obj = dict[str, Any]


class Cause(TypedDict):
    """One entry of a Status' details.causes."""

    reason: str
    message: str
    field: str


@dataclass(frozen=True)
class Write:
    """One object on its way into the store; `others` are the objects of its kind that are there already."""

    new: Obj
    old: Obj | None = None
    subresource: str | None = None
    others: Iterable[Obj] = ()
    dry_run: bool = False


class ApiError(Exception):
    """A refusal of the API server; `body()` is the Status object a client would get."""

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        causes: Sequence[Cause] = (),
        retry_after: int | None = None,
        details: Obj | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.causes: list[Cause] = list(causes)
        self.retry_after = retry_after
        self.details: Obj = dict(details or {})

    def body(self) -> Obj:
        details = dict(self.details)
        if self.causes:
            details["causes"] = [dict(cause) for cause in self.causes]
        if self.retry_after is not None:
            details["retryAfterSeconds"] = self.retry_after
        body: Obj = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.status,
        }
        if details:
            body["details"] = details
        return body


class Api(Protocol):
    """One cluster. A resource is its plural with the group: `services`, `ingresscontrollers.operator.openshift.io`."""

    def get(self, resource: str, namespace: str | None, name: str) -> Obj: ...

    def list(
        self, resource: str, namespace: str | None = None, *, label_selector: str = "", field_selector: str = ""
    ) -> Obj: ...

    def create(self, resource: str, namespace: str | None, obj: Obj) -> Obj: ...

    def patch(
        self, resource: str, namespace: str | None, name: str, patch: Obj, *, subresource: str | None = None
    ) -> Obj: ...

    def replace(
        self, resource: str, namespace: str | None, name: str, obj: Obj, *, subresource: str | None = None
    ) -> Obj: ...

    def delete(
        self,
        resource: str,
        namespace: str | None,
        name: str,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        propagation: str | None = None,
    ) -> Obj: ...

    def watch(
        self,
        resources: Sequence[str],
        *,
        since: str | None = None,
        stop: threading.Event,
        timeout: float | None = None,
    ) -> Iterator[tuple[str, str, Obj]]: ...
