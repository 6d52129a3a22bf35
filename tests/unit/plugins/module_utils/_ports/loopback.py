# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tiny OpenStack on loopback: signing in, a catalog, version documents, and answers from a script."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Answer = tuple[int, Any, dict[str, str]]


class TinyOpenStack:
    """`script`: answers to requests on services, in turn; the last one stays. `requests`: "METHOD path?query"."""

    def __init__(
        self, *script: Answer, services: tuple[str, ...] = ("octavia", "neutron"), password: str = "right"
    ) -> None:
        self.script, self.requests = list(script), list[str]()
        self._services, self._password = services, password
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> TinyOpenStack:
        self._thread.start()
        return self

    def __exit__(self, *_error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def options(self, password: str = "right") -> dict[str, Any]:
        domain = {"user_domain_id": "default", "project_domain_id": "default"}
        who = {"username": "user", "password": password, "project_id": "project", **domain}
        return {"auth": {"auth_url": f"{self.url}/v3", **who}, "region_name": "here"}

    # -- answers ------------------------------------------------------------------------------------------------------

    def answer(self, method: str, path: str, body: Any) -> Answer:
        if path == "/v3/auth/tokens":
            return self._token(body)
        if path.rstrip("/") == "/v3":
            version = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": f"{self.url}/v3/"}]}
            return 200, {"version": version}, {}
        service, _slash, rest = path.lstrip("/").partition("/")
        if method == "GET" and not rest:
            return 200, {"versions": self._versions(service)}, {}
        self.requests.append(f"{method} /{rest.partition('/')[2]}")
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def _token(self, body: Any) -> Answer:
        if body["auth"]["identity"]["password"]["user"]["password"] != self._password:
            return 401, {"error": {"code": 401, "message": "The request you have made requires authentication."}}, {}
        kinds = {"octavia": "load-balancer", "neutron": "network"}
        catalog = [
            {
                "type": kinds[name],
                "name": name,
                "endpoints": [
                    {"interface": "public", "region_id": "here", "region": "here", "url": f"{self.url}/{name}"}
                ],
            }
            for name in self._services
        ]
        until = {"issued_at": "2020-01-01T00:00:00.000000Z", "expires_at": "2099-01-01T00:00:00.000000Z"}
        token = {
            "methods": ["password"],
            "user": {"id": "u"},
            "project": {"id": "project"},
            "catalog": catalog,
            **until,
        }
        return 201, {"token": token}, {"X-Subject-Token": "token"}

    def _versions(self, service: str) -> list[dict[str, Any]]:
        links = [{"rel": "self", "href": f"{self.url}/{service}/v2.0"}]
        return [
            {"id": "v2.0", "status": "SUPPORTED", "links": links},
            {"id": "v2.26", "status": "CURRENT", "links": links},
        ]


def _handler(cloud: TinyOpenStack) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            sent = json.loads(self.rfile.read(length)) if length else None
            status, body, headers = cloud.answer(self.command, self.path, sent)
            if not status:
                self.close_connection = True  # no answer at all
                return
            text = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 (http.server's own names)

        def log_message(self, *_arguments: Any) -> None:
            return

    return Handler
