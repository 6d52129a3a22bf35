# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every retry of the port, against a server on loopback that answers as it is told (CORE-10, CORE-12)."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    OutcomeUnknown,
    PortError,
    Throttled,
    Unreachable,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import Access
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_paths import resource
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_wire import (
    KubeAnswer,
    KubeCall,
    Wire,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience

SECRET = "do-not-tell"
READ = KubeCall("GET", "get", resource("services"), "shop", "front")
WRITE = KubeCall(
    "PATCH",
    "patch",
    resource("services"),
    "shop",
    "front",
    body={"spec": {}},
    content_type="application/merge-patch+json",
)
PINNED = KubeCall("PATCH", "patch", resource("services"), "shop", "front", body={"spec": {}}, repeatable=True)


@dataclass
class Reply:
    """`status` 0 breaks the connection off."""

    status: int = 200
    body: Any = field(default_factory=lambda: {"kind": "Service"})
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


OK, DROP, BUSY = Reply(), Reply(0), Reply(429, {"message": "slow down"}, {"Retry-After": "3"})
ETCD = Reply(500, {"message": "etcdserver: request timed out"})
NOT_BEGUN, OVERLOADED = Reply(503, {}, {"Retry-After": "1"}), Reply(503, {})


class Server(ThreadingHTTPServer):
    """Gives its replies in order, the last one for ever."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Reply] = [OK]
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.sleeps: list[float] = []
        self.host = f"http://127.0.0.1:{self.server_port}"

    def wire(self, host: str = "", **seconds: float) -> Wire:
        patience = Patience(clock=self._clock, sleep=self.sleeps.append, draw=lambda: 1.0, **seconds)  # type: ignore[arg-type]
        return Wire(Access(host or self.host, lambda: f"Bearer {SECRET}", impersonate=WHO), patience)

    def _clock(self) -> float:
        return sum(self.sleeps)

    def ask(self, call: KubeCall, *replies: Reply, **seconds: float) -> KubeAnswer:
        self.replies = list(replies)
        return self.wire(**seconds).request(call)

    def fail(self, call: KubeCall, *replies: Reply, **seconds: float) -> PortError:
        with pytest.raises(PortError) as caught:
            self.ask(call, *replies, **seconds)
        assert SECRET not in f"{caught.value} {caught.value.details}"
        return caught.value


WHO = (("Impersonate-User", "jo"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        groups = ",".join(self.headers.get_all("Impersonate-Group") or ())
        self.server.requests.append((self.command, self.path, {**self.headers, "groups": groups}, body))
        reply = self.server.replies.pop(0) if len(self.server.replies) > 1 else self.server.replies[0]
        if not reply.status:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.raw)))
        self.end_headers()
        self.wfile.write(reply.raw)

    do_PATCH = do_GET  # noqa: N815

    def log_message(self, *_args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def test_a_request_carries_what_the_server_needs_to_know(server: Server) -> None:
    answer = server.ask(WRITE, OK)
    assert (answer.status, answer.good, answer.unsure, answer.part("kind"), answer.part("a", "b")) == (
        200,
        True,
        False,
        "Service",
        None,
    )
    ((method, path, headers, body),) = server.requests
    assert (method, path, json.loads(body)) == ("PATCH", "/api/v1/namespaces/shop/services/front", {"spec": {}})
    assert (headers["Authorization"], headers["Content-Type"]) == (f"Bearer {SECRET}", "application/merge-patch+json")
    assert (headers["Accept"], headers["User-Agent"]) == ("application/json", "edgeworks.lb_estate")
    assert (headers["Impersonate-User"], headers["groups"]) == ("jo", "a,b")


def test_what_lets_us_in_is_known_so_that_it_can_be_hidden(server: Server) -> None:
    server.replies = [OK]
    wire = server.wire()
    wire.request(WRITE)
    assert wire.sent == {SECRET}


@pytest.mark.parametrize("trouble", [DROP, BUSY, ETCD, NOT_BEGUN, OVERLOADED, Reply(504, b"gateway timeout")])
def test_a_read_is_repeated_after_anything_that_may_pass(server: Server, trouble: Reply) -> None:
    answer = server.ask(READ, trouble, trouble, OK)
    assert (answer.status, answer.unsure, len(server.requests), len(server.sleeps)) == (200, False, 3, 2)


def test_a_server_that_did_not_answer_is_not_waited_for_as_long_again(server: Server) -> None:
    """CORE-10: what is left to do at the end of a task does not add minutes to it; once it answers all is as before."""
    server.replies, wire = [DROP], server.wire()
    lasted = []
    for _time in range(3):
        begun = sum(server.sleeps)
        with pytest.raises(Unreachable):
            wire.request(READ)
        lasted.append(sum(server.sleeps) - begun)
    assert lasted[0] > 40
    assert all(seconds <= 10 for seconds in lasted[1:])
    server.replies = [OK, DROP]
    wire.request(READ)
    begun = sum(server.sleeps)
    with pytest.raises(Unreachable):
        wire.request(READ)
    assert sum(server.sleeps) - begun > 40


@pytest.mark.parametrize(("seconds", "most"), [(4.0, 10.0), (30.0, 30.0), (600.0, 60.0)])
def test_a_request_ends_near_the_end_of_the_wait_that_makes_it(server: Server, seconds: float, most: float) -> None:
    server.replies, wire = [DROP], server.wire()
    wire.until(seconds)
    with pytest.raises(Unreachable):
        wire.request(READ)
    assert most / 2 < sum(server.sleeps) <= most


@pytest.mark.parametrize("trouble", [BUSY, NOT_BEGUN])
def test_a_write_that_was_not_begun_is_repeated(server: Server, trouble: Reply) -> None:
    answer = server.ask(WRITE, trouble, OK)
    assert (answer.status, answer.unsure, len(server.requests)) == (200, False, 2)


@pytest.mark.parametrize("trouble", [DROP, ETCD, OVERLOADED])
def test_a_write_that_may_have_happened_is_not_repeated(server: Server, trouble: Reply) -> None:
    problem = server.fail(WRITE, trouble, OK)
    assert problem.code == OutcomeUnknown.code
    assert "Whether the server carried out `patch services shop/front` is unknown." in problem.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("trouble", [DROP, ETCD, OVERLOADED])
def test_a_write_with_a_precondition_is_repeated_and_its_answer_is_unsure(server: Server, trouble: Reply) -> None:
    answer = server.ask(PINNED, trouble, Reply(409, {"reason": "Conflict"}))
    assert (answer.status, answer.unsure, len(server.requests)) == (409, True, 2)


def test_once_unsure_always_unsure(server: Server) -> None:
    assert server.ask(PINNED, DROP, BUSY, OK).unsure
    assert server.fail(PINNED, DROP, BUSY).code == OutcomeUnknown.code


def test_what_the_server_asks_for_is_waited(server: Server) -> None:
    server.ask(READ, BUSY, Reply(503, {}, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), OVERLOADED, OK)
    first, second, third = server.sleeps
    assert (first, second) == (3.2, 1.2)  # with jitter on top; a date only says that there is one
    assert third < 1.2  # the third pause of our own


def test_patience_ends_with_the_servers_last_words(server: Server) -> None:
    problem = server.fail(READ, BUSY, total=10)
    assert (problem.code, problem.details["call"]) == (Throttled.code, "get services shop/front")
    assert problem.message == f"{server.host} answered 429: slow down (tried for 10 s)."
    assert sum(server.sleeps) < 10
    assert server.fail(READ, ETCD, total=10).code == Unreachable.code


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(302, b"", {"Location": "/login"}), "answered 302 with application/json"),
        (Reply(200, b"<html>console</html>", {"Content-Type": "text/html"}), "answered 200 with text/html"),
        (Reply(200, b'["a list"]'), "answered 200 with application/json"),
        (Reply(200, b""), "answered 200 with application/json"),
    ],
)
def test_what_is_not_the_kubernetes_api_is_said_at_once(server: Server, reply: Reply, words: str) -> None:
    """A redirect is not followed: the token would go along."""
    problem = server.fail(READ, reply)
    assert f"{words}, which is not the Kubernetes API" in problem.message
    assert "not a console or a proxy" in problem.remedy
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422])
def test_a_refusal_is_an_answer(server: Server, status: int) -> None:
    answer = server.ask(READ, Reply(status, b"plain words"))
    assert (answer.status, answer.good, answer.body, len(server.requests)) == (status, False, "plain words", 1)


def test_nobody_listens(server: Server) -> None:
    """Getting in touch has a shorter limit of its own; a write that reached nobody is safe to repeat and not unsure."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(Unreachable) as caught:
            server.wire(host, contact=5).request(WRITE)
    assert caught.value.code == Unreachable.code  # and not OutcomeUnknown
    assert caught.value.message.startswith(f"No connection to {host}: Connection refused")
    assert 2 < sum(server.sleeps) < 5


def test_the_address_of_a_call() -> None:
    listing = KubeCall("GET", "list", resource("services"), "shop", query={"limit": "5", "continue": ""})
    assert (listing.target, str(listing)) == ("/api/v1/namespaces/shop/services?limit=5", "list services shop")
    create = KubeCall("POST", "create", resource("ingresscontrollers.operator.openshift.io"), "a", "b")
    assert create.target == "/apis/operator.openshift.io/v1/namespaces/a/ingresscontrollers"
    assert str(create) == "create ingresscontrollers.operator.openshift.io a/b"
