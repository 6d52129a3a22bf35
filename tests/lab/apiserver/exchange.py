# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of one request: who asks, may they, what befalls it, what is done, what is written down."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field

from ..shared.lab_gate import DONE, RECEIVED, Gate
from . import bodies, discovery, verbs
from .accounting import Request as Record
from .api import ApiError
from .auth import User
from .bodies import encode
from .errors import internal, quoted, unknown_path
from .faults import NO_TROUBLE, Fault, Trouble
from .http1 import Closed, Connection, Request
from .rbac import Attributes, Rbac, access_review
from .routes import Target, parse, verb_of
from .store import Cluster
from .streams import Stream

_HEALTH = ("/healthz", "/livez", "/readyz")
_REASONS = {
    429: ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
    500: ("InternalError", "Internal error occurred: etcdserver: request timed out"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: ("Timeout", "Timeout: request did not complete within the allotted duration"),
}


@dataclass
class Exchange:
    """One request to one cluster over one connection."""

    cluster: Cluster
    rbac: Rbac
    prefix: str
    path: str
    request: Request
    conn: Connection
    stop: threading.Event
    gate: Gate
    verb: str = ""
    target: Target = field(default_factory=lambda: Target("", "", ""))
    user: User = field(default_factory=lambda: User(""))
    warnings: list[str] = field(default_factory=list)

    def run(self) -> None:
        trouble = NO_TROUBLE
        self.gate.stop_at(RECEIVED)
        try:
            if self._public():
                return None
            self.user = self.cluster.tokens.user_of(self.request.headers.get("authorization"))
            target = parse(self.path)
            if target is None:
                return self._discovery()
            self.target, self.verb = target, verb_of(self.request.method, target, self.request.query)
            trouble = self._befallen()
            if target.resource == discovery.REVIEWS.key:
                return self._review()
            self._authorize()
            if not self._is_served_group():
                return self._plain(404, b"404 page not found\n")
            if self.verb == "watch":
                return self._watch(trouble)
            resource = verbs.served(self.cluster, target)
            call = verbs.Call(self.cluster, resource, target, self.request, self.warnings)
            status, body = verbs.perform(call, self.verb, trouble.stale)
        except ApiError as error:
            status, body = error.status, encode(error.body())
            extra = f"Retry-After: {error.retry_after}\r\n" if error.retry_after is not None else ""
            return self._finish(trouble, status, body, extra)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            # A malformed object that no check foresaw: a real server answers, too, instead of hanging up.
            return self._finish(trouble, 500, encode(internal(f"{type(error).__name__}: {error}").body()))
        return self._finish(trouble, status, body)

    def _finish(self, trouble: Trouble, status: int, body: bytes, extra: str = "") -> None:
        self._record(0 if trouble.drop_after else status)
        self.gate.stop_at(DONE)
        if trouble.drop_after:
            self._hang_up()
        told = "".join(f"Warning: 299 - {quoted(text)}\r\n" for text in dict.fromkeys(self.warnings))
        self.conn.respond(status, body, extra=extra + told)

    def _public(self) -> bool:
        """Health and version need no token."""
        if self.path == "/version":
            self._finish(NO_TROUBLE, 200, encode(discovery.version(self.cluster)))
        elif self.path.startswith(_HEALTH):
            self._plain(200, b"ok")
        else:
            return False
        return True

    def _plain(self, status: int, text: bytes) -> None:
        """Answers that do not come from the API proper."""
        self._record(status)
        self.conn.respond(status, text, content_type="text/plain; charset=utf-8")

    def _is_served_group(self) -> bool:
        return any(self.target.group == resource.group for resource in self.cluster.resources.values())

    def _discovery(self) -> None:
        self.rbac.require_path(self.user, self.path)
        if self.request.method != "GET":
            raise unknown_path()
        if self.path == "/openapi/v2":
            self._openapi_v2()
            return
        document = discovery.answer(self.cluster, self.prefix, self.path)
        if document is None:
            raise unknown_path()
        self._finish(NO_TROUBLE, 200, encode(document))

    def _openapi_v2(self) -> None:
        """No schemas: an empty document, as protobuf for old kubectls, which then skip client-side validation."""
        self._record(200)
        if "protobuf" in self.request.headers.get("accept", ""):
            self.conn.respond(200, b"", content_type=discovery.OPENAPI_V2)
        else:
            self.conn.respond(200, encode(discovery.openapi_v2(self.cluster)))

    def _befallen(self) -> Trouble:
        t = self.target
        trouble = self.cluster.faults.befalling(self.verb, t.resource, t.namespace, t.name, t.subresource)
        if trouble.latency:
            time.sleep(trouble.latency)
        for fault in trouble.held:
            fault.hold()
        if trouble.drop_before:
            self._record(0)
            self._hang_up()
        if trouble.error is not None:
            raise _refusal(trouble.error)
        return trouble

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self.conn.sock.shutdown(socket.SHUT_RDWR)
        raise Closed

    def _authorize(self) -> None:
        t = self.target
        name = t.name
        selector = self.request.query.get("fieldSelector", "")
        if not name and selector.startswith("metadata.name="):
            name = selector.partition("=")[2]
        wanted = Attributes(self.verb, t.group, t.plural, t.namespace, name, t.subresource)
        if t.resource == "namespaces" and t.name:
            wanted = Attributes(self.verb, t.group, t.plural, t.name, name, t.subresource)
        self.rbac.require(self.user, wanted)

    def _review(self) -> None:
        if self.verb != "create":
            raise unknown_path()
        review = bodies.decode(self.request)
        self._finish(
            NO_TROUBLE, 201, encode(access_review(self.rbac, self.user, review if isinstance(review, dict) else {}))
        )

    def _watch(self, trouble: Trouble) -> None:
        resource = verbs.served(self.cluster, self.target)
        stream = Stream(self.cluster, resource, self.target, self.request, self.conn)
        if trouble.drop_after:
            self._record(0)
            self.conn.start_stream()
            self._hang_up()
        self._record(200)
        stream.run(self.stop)

    def _record(self, code: int) -> None:
        t = self.target
        self.cluster.requests.add(
            Record(
                self.verb or self.request.method.lower(),
                t.resource,
                t.namespace,
                t.name,
                t.subresource,
                code,
                self.user.name,
                self.request.headers.get("user-agent", ""),
                self.path,
                "dryRun" in self.request.query,
            )
        )


def _refusal(fault: Fault) -> ApiError:
    reason, message = _REASONS.get(fault.status, ("InternalError", "Internal error occurred"))
    retry_after = fault.retry_after if fault.retry_after is not None else (1 if fault.status == 429 else None)
    return ApiError(fault.status, reason, fault.message or message, retry_after=retry_after)
