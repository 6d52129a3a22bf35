# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests may ask of the moto process beside the AWS API: limits, faults on demand, a count of requests, seeds.

`/lab-api/limits`, `/lab-api/faults`, `/lab-api/requests` and `/lab-api/seed` take and give JSON. Faults are answered
before moto sees the request, so nothing has happened in the cloud when a client gets one.
"""

from __future__ import annotations

import io
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from . import moto_patches, moto_seed

_READS = ("Describe", "List", "Get")


@dataclass
class _Fault:
    action: str
    code: str = ""
    message: str = ""
    status: int = 400
    times: int | None = None
    latency: float = 0.0
    matching: str = ""

    def applies_to(self, action: str, body: str) -> bool:
        return self.action in ("*", action) and self.matching in body and self.times != 0


class ControlledApp:
    """A WSGI application around moto's."""

    def __init__(self, app: Callable[..., Any]) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._faults: list[_Fault] = []
        self._requests: Counter[str] = Counter()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        body = _take_body(environ)
        if path.startswith("/lab-api/"):
            return self._answer(environ["REQUEST_METHOD"], path.removeprefix("/lab-api/"), body, start_response)
        action = _action(environ, path, body)
        fault = self._count(action, body)
        if fault is not None:
            time.sleep(fault.latency)
            if fault.code:
                return _fail(start_response, environ, fault)
        answered: Iterable[bytes] = self._app(environ, start_response)
        return answered

    def _count(self, action: str, body: str) -> _Fault | None:
        with self._lock:
            self._requests[action] += 1
            fault = next((f for f in self._faults if f.applies_to(action, body)), None)
            if fault is not None and fault.times is not None:
                fault.times -= 1
            return fault

    def _answer(self, method: str, topic: str, body: str, start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            status, answer = "200 OK", self._control(method, topic, body)
        except Exception as error:  # the one who asked is told, whatever it was
            status, answer = "500 Lab error", {"error": f"{type(error).__name__}: {error}"}
        return _respond(start_response, status, "application/json", json.dumps(answer))

    def _control(self, method: str, topic: str, body: str) -> Any:
        sent = json.loads(body) if body else {}
        if topic == "seed":
            return moto_seed.seed(**sent)
        with self._lock:
            if topic == "limits":
                moto_patches.LIMITS.update(sent)
                return moto_patches.LIMITS
            if topic == "faults":
                if method == "DELETE":
                    self._faults.clear()
                elif sent:
                    self._faults.append(_Fault(**sent))
                return [vars(fault) for fault in self._faults]
            if topic == "requests":
                seen = dict(self._requests)
                if method == "DELETE":
                    self._requests.clear()
                return {"actions": seen, "writes": sum(n for a, n in seen.items() if not a.startswith(_READS))}
        raise ValueError(f"no such topic: {topic}")


def _take_body(environ: dict[str, Any]) -> str:
    size = int(environ.get("CONTENT_LENGTH") or 0)
    raw = environ["wsgi.input"].read(size) if size else b""
    environ["wsgi.input"] = io.BytesIO(raw)
    return raw.decode("utf-8", "replace")


def _action(environ: dict[str, Any], path: str, body: str) -> str:
    """The API's name of the call: in the form (EC2, ELB), in a header (quotas), else method and path (Route 53)."""
    if "Action=" in body:
        return parse_qs(body).get("Action", ["?"])[0]
    if "HTTP_X_AMZ_TARGET" in environ:
        return str(environ["HTTP_X_AMZ_TARGET"]).rsplit(".", 1)[-1]
    method = environ["REQUEST_METHOD"]
    return f"{'Get' if method in ('GET', 'HEAD') else method} {path}"


def _respond(start_response: Callable[..., Any], status: str, kind: str, text: str) -> Iterable[bytes]:
    raw = text.encode()
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(raw)))])
    return [raw]


def _fail(start_response: Callable[..., Any], environ: dict[str, Any], fault: _Fault) -> Iterable[bytes]:
    error = f"<Error><Type>Sender</Type><Code>{fault.code}</Code><Message>{fault.message}</Message></Error>"
    if "/ec2/" in environ.get("HTTP_AUTHORIZATION", ""):
        text = f"<Response><Errors>{error}</Errors><RequestID>{uuid.uuid4()}</RequestID></Response>"
    else:
        text = f"<ErrorResponse>{error}<RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>"
    return _respond(start_response, f"{fault.status} Lab fault", "text/xml", text)
