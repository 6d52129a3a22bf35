# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kind `api_history`: requests that a real kube-apiserver answered, sent to the lab's API server twin over HTTPS.

A step agrees when code, reason, object and, for refusals, the set of the causes' fields are the same; texts are not
compared. Each history has a cluster of its own, so none can take another's addresses.
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import urlencode, urlsplit

from ..lab.apiserver.server import ApiServer
from ..lab.apiserver.store import Cluster
from ..lab.operator import validator
from .api_memory import Memory
from .runner import Mismatch, Vector

# What the recordings were made on.
VERSION = "v1.36.4"
_NAMESPACES = {"ns": "vec-one", "ns2": "vec-one-b"}
_ABSENT = "<absent>"


@cache
def _server() -> ApiServer:
    """One for all histories of a run; it ends with the process."""
    return ApiServer()


class Callers:
    """An administrator, somebody without rights, a stranger with a bad token, and nobody."""

    def __init__(self, cluster: Cluster) -> None:
        server = _server()
        address = urlsplit(server.add(cluster))
        restricted = cluster.tokens.add("restricted", ("lab-users",))
        self._tokens = {"admin": server.admin_of(cluster.name), "restricted": restricted, "bad": "no-such", "none": ""}
        # Explicit trust: the environment's certificate variables must not matter.
        trust = ssl.create_default_context(cadata=server.authority.pem.decode())
        self._http = http.client.HTTPSConnection(address.hostname or "", address.port, context=trust, timeout=60)
        self._prefix = address.path

    def send(self, request: Vector, memory: Memory) -> tuple[int, bytes]:
        """Status and body. A server that hangs up on a body that is too large has still answered."""
        time.sleep(request.get("pause", 0))
        body = None
        if "raw" in request:
            body = memory.filled(request["raw"]).encode()
        elif "body" in request:
            body = json.dumps(memory.filled(request["body"])).encode()
        headers = {"Accept": "application/json", "User-Agent": "api-history"}
        kind = request.get("content_type", "application/json" if body is not None else "")
        token = self._tokens[request.get("as", "admin")]
        headers |= {"Content-Type": kind} if kind else {}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        query = memory.filled(request.get("query") or {})
        target = self._prefix + memory.filled(request["path"]) + (f"?{urlencode(query)}" if query else "")
        self._http.request(request["method"], target, body, headers)
        answer = self._http.getresponse()
        return answer.status, answer.read()


def replay_on_twin(vector: Vector) -> list[Mismatch]:
    cluster = Cluster("vector", VERSION, namespaces=("default", *_NAMESPACES.values()), garbage_collection=False)
    validator.install(cluster)
    callers, memory = Callers(cluster), Memory(_NAMESPACES)
    wrong: list[Mismatch] = []
    for number, step in enumerate(vector["steps"]):
        memory.note_literals(step["request"].get("body"))
        got = _told(*callers.send(step["request"], memory), memory)
        wrong += [
            Mismatch(f"step {number} {mismatch.where}", mismatch.expected, mismatch.got)
            for mismatch in compared(step["expect"], got, nobody=step["request"].get("as") == "none")
        ]
    return wrong


def _told(status: int, body: bytes, memory: Memory) -> Vector:
    """An answer in the words of a recording."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    memory.remember(answer)
    if not isinstance(answer, dict):
        return {"code": status, "text": body.decode("utf-8", "replace")[:400]}
    if answer.get("kind") == "Status" and answer.get("status") != "Success":
        causes = (answer.get("details") or {}).get("causes") or ()
        fields = sorted({cause.get("field", "") for cause in causes})
        return {"code": status, "reason": answer.get("reason", ""), "fields": fields}
    return {"code": status, "object": memory.normal(answer)}


def compared(expect: Vector, got: Vector, *, nobody: bool = False) -> list[Mismatch]:
    """`nobody`: a caller without a token, who may be unknown (401) as well as without rights (403)."""
    wanted = {**expect, "fields": sorted({cause["field"] for cause in expect.get("causes", ())})}
    if nobody and {wanted["code"], got["code"]} == {401, 403}:
        return []
    unstable = expect.get("unstable", ())
    found = [] if wanted["code"] == got["code"] else [Mismatch("code", wanted["code"], got["code"])]
    found += [
        Mismatch(key, wanted.get(key), got.get(key))
        for key in ("reason", "fields", "text")
        if key not in unstable and (wanted.get(key) or "") != (got.get(key) or "")
    ]
    if "object" not in unstable and ("object" in wanted or "object" in got):
        found += _differences(wanted.get("object", _ABSENT), got.get("object", _ABSENT), "object")
    return found


def _differences(want: Any, got: Any, path: str) -> Iterator[Mismatch]:
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted({*want, *got}):
            yield from _differences(want.get(key, _ABSENT), got.get(key, _ABSENT), f"{path}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for index, (one, other) in enumerate(zip(want, got, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif want != got or type(want) is not type(got):
        yield Mismatch(path, want, got)
