# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""WSGI layers around a service: write down every request; hold some, or answer them wrongly, when told to."""

from __future__ import annotations

import itertools
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lab_gate import DONE, HEADER, RECEIVED, Gate

from lab_plugin import switches

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Recorder:
    """One line per request, appended before the client has the answer: who has it can count on the line being there."""

    def __init__(self, application: Application, service: str, path: Path) -> None:
        self._application = application
        self._service = service
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        # The layers below move parts of the path about; the authentication layer adds who it was.
        path, method, query = environ.get("PATH_INFO", "/"), environ["REQUEST_METHOD"], environ.get("QUERY_STRING", "")

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            line = {
                "time": time.time(),
                "service": self._service,
                "method": method,
                "path": path,
                "query": query,
                "status": int(status.split(maxsplit=1)[0]),
                "project": environ.get("HTTP_X_PROJECT_ID"),
                "user": environ.get("HTTP_X_USER_NAME"),
                "agent": environ.get("HTTP_USER_AGENT", ""),
            }
            os.write(self._file, json.dumps(line).encode() + b"\n")
            return start_response(status, headers, *rest)

        return self._application(environ, start)


class Holding:
    """A request that names a gate stops there: with all of it here, and with everything done but the answer sent."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with Gate(environ.get(f"HTTP_{HEADER.upper().replace('-', '_')}")) as gate:
            gate.stop_at(RECEIVED)
            # Nothing is sent before the body is handed over, start_response only keeps the headers.
            answer = self._application(environ, start_response)
            gate.stop_at(DONE)
        return answer


class Misanswering:
    """Answers from the switch file `answers.json`: instead of the service (`before`), or after it did the work."""

    def __init__(self, application: Application, service: str) -> None:
        self._application = application
        self._service = service
        self._read_at = 0
        self._rules: list[dict[str, Any]] = []
        self._spent: dict[str, Iterable[int]] = {}
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        rule = self._rule_for(environ)
        if rule is None:
            return self._application(environ, start_response)
        time.sleep(rule["delay"])
        if rule["when"] == "after":
            answer = self._application(environ, lambda *_: lambda _: None)
            for _part in answer:
                """The work is done by the time the answer has been read; the client never sees it."""
            if hasattr(answer, "close"):
                answer.close()
        elif not rule["status"]:
            return self._application(environ, start_response)
        body = json.dumps({"faultcode": "Server", "faultstring": rule["text"], "debuginfo": None}).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response(f"{rule['status']} Injected", headers + [tuple(header) for header in rule["headers"]])
        return [body]

    def _rule_for(self, environ: dict[str, Any]) -> dict[str, Any] | None:
        with self._lock:
            self._reread()
            for rule in self._rules:
                if rule["service"] != self._service or environ["REQUEST_METHOD"] not in rule["methods"]:
                    continue
                if not re.search(rule["path"], environ.get("PATH_INFO", "/")):
                    continue
                if next(self._spent.setdefault(rule["id"], itertools.count(1))) <= rule["count"]:  # type: ignore[call-overload]
                    return rule
        return None

    def _reread(self) -> None:
        try:
            changed = (switches.directory() / "answers.json").stat().st_mtime_ns
        except OSError:
            self._rules, self._read_at = [], 0
            return
        if changed != self._read_at:
            self._rules = json.loads((switches.directory() / "answers.json").read_text(encoding="utf-8"))
            self._read_at = changed


class DefaultProvider:
    """Octavia reads its default provider anew for every request: here from a switch."""

    def __init__(self, application: Application, configuration: Any) -> None:
        self._application = application
        self._configuration = configuration

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        chosen = switches.default_provider()
        self._configuration.set_override("default_provider_driver", chosen, group="api_settings")
        return self._application(environ, start_response)
