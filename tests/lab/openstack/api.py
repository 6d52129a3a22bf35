# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small client for the three APIs, for the lab's own errands.

Plain http.client: no proxy or CA setting of the caller's environment can reach it, and no SDK has to be there.
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from .config import Ports
from .errors import LabError
from .ports import LOOPBACK

#: Where each API's resources start.
BASE = {"keystone": "/v3", "neutron": "/v2.0", "octavia": "/v2.0/lbaas"}
TIMEOUT = 120


class ApiError(LabError):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Client:
    """One account in one project; fetches its token when it needs it."""

    ports: Ports
    username: str
    password: str
    project_id: str | None = None
    project_name: str | None = None
    _token: str = field(default="", repr=False)

    def get(self, service: str, path: str, **query: object) -> Any:
        return self.call(service, "GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, service: str, path: str, body: object) -> Any:
        return self.call(service, "POST", path, body)

    def put(self, service: str, path: str, body: object | None = None) -> Any:
        return self.call(service, "PUT", path, body)

    def delete(self, service: str, path: str) -> None:
        self.call(service, "DELETE", path)

    def find(self, service: str, path: str, name: str) -> Any:
        """The one resource of that name in a list, or None; `path` ends in the plural."""
        plural = path.rpartition("/")[2].replace("-", "_")
        found = self.get(service, f"{path}?name={quote(name)}")[plural]
        return found[0] if found else None

    def call(self, service: str, method: str, path: str, body: object | None = None) -> Any:
        for fresh in (False, True):
            if fresh or not self._token:
                self._token = self._new_token()
            status, _token, text = self._send(
                service, method, BASE[service] + path, body, {"X-Auth-Token": self._token}
            )
            # A token can die with a restart of the service that issued it.
            if status != 401:
                break
        if status >= 400:
            raise ApiError(status, f"{service} answered {status} to {method} {path}: {text.strip()[:400]}")
        return json.loads(text) if text.strip() else None

    def _new_token(self) -> str:
        project = (
            {"id": self.project_id} if self.project_id else {"name": self.project_name, "domain": {"id": "default"}}
        )
        user = {"name": self.username, "domain": {"id": "default"}, "password": self.password}
        auth = {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": {"project": project}}
        status, token, text = self._send("keystone", "POST", "/v3/auth/tokens", {"auth": auth}, {})
        if status != 201:
            raise ApiError(status, f"keystone answered {status} to {self.username}: {text.strip()[:400]}")
        return token

    def _send(
        self, service: str, method: str, path: str, body: object | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection(LOOPBACK, getattr(self.ports, service), timeout=TIMEOUT)
        headers = headers | {"User-Agent": "lab", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("X-Subject-Token") or "", answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise LabError(f"The lab's {service} does not answer on {self.ports.url(service)}: {error}") from error
        finally:
            connection.close()
