# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keystone, Neutron and Octavia as processes: start, readiness, end, and their databases' first migration."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from pathlib import Path

from .config import PASSWORD, REGION, Ports, environment
from .errors import LabError
from .packages import Software
from .paths import State
from .ports import LOOPBACK, hold_port
from .processes import await_ready, finish, launch, record_of, run_to_end, stop

#: Name -> where it answers without a token.
SERVICES = {"keystone": "/v3", "neutron": "/", "octavia": "/"}
Command = list[str | Path]


class Services:
    def __init__(self, state: State, software: Software, ports: Ports, *, owner: int = 0) -> None:
        self._state = state
        self._software = software
        self._ports = ports
        self._owner = owner

    def migrate(self) -> None:
        """The real migrations; side by side, as each is one processor's work."""
        env = environment(self._state)
        keystone: Command = [self._tool("keystone-manage"), "--config-file", self._state.etc / "keystone.conf"]
        url = self._ports.auth_url
        first = ["bootstrap", "--bootstrap-password", PASSWORD, "--bootstrap-region-id", REGION]
        first += ["--bootstrap-public-url", url, "--bootstrap-internal-url", url]
        upgrades = [
            launch(self._state, f"{name}-migrate", self._upgrade(name), env, owner=self._owner)
            for name in ("neutron", "octavia")
        ]
        run_to_end(self._state, "keystone-migrate", [*keystone, "db_sync"], env, owner=self._owner)
        run_to_end(self._state, "keystone-bootstrap", [*keystone, *first], env, owner=self._owner)
        for record in upgrades:
            finish(self._state, record)

    def make_keys(self) -> None:
        command: Command = [self._software.python, "-P", "-m", "lab_plugin.keys", self._state.keys, PASSWORD]
        run_to_end(self._state, "keys", command, environment(self._state), owner=self._owner)

    def launch(self, held: dict[str, socket.socket]) -> None:
        """All of them at once, each on the socket held for it; whoever needs one waits for its readiness."""
        for name, listening in held.items():
            self._launch(name, listening)

    def restart(self, name: str) -> None:
        """Bring one back on the port it had."""
        self._launch(name, hold_port(getattr(self._ports, name)))
        self.await_ready(name)

    def kill(self, name: str) -> None:
        """As a crash does: no chance to finish anything."""
        record = record_of(self._state, name)
        if record is None or not record.alive:
            raise LabError(f"{name} is not running in this lab.")
        stop(record, sign=signal.SIGKILL)

    def await_ready(self, name: str) -> None:
        record = record_of(self._state, name)
        if record is None:
            raise LabError(f"{name} was never started in this lab.")
        await_ready(self._state, record, lambda: self.ready(name))

    def ready(self, name: str) -> bool:
        if not _answers(getattr(self._ports, name), SERVICES[name]):
            return False
        down = self._state.faults / "worker-down"
        return name != "octavia" or down.exists() or self.worker_state() == "up"

    def worker_state(self) -> str:
        try:
            return (self._state.run / "worker-state").read_text(encoding="utf-8")
        except OSError:
            return "down"

    def _launch(self, name: str, listening: socket.socket) -> None:
        # From here on the port may be taken again at once when the service goes down and comes back.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if name == "octavia":
            (self._state.run / "worker-state").unlink(missing_ok=True)
        descriptor = listening.fileno()
        python: Command = [self._software.python, "-P", "-m", "lab_plugin.serve"]
        command = [*python, name, str(descriptor), self._state.root]
        with listening:
            launch(self._state, name, command, environment(self._state), owner=self._owner, keep=[descriptor])

    def _tool(self, name: str) -> Path:
        return self._software.venv / "bin" / name

    def _upgrade(self, name: str) -> Command:
        return [self._tool(f"{name}-db-manage"), "--config-file", self._state.etc / f"{name}.conf", "upgrade", "head"]


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=5)
    try:
        connection.request("GET", path, headers={"User-Agent": "lab"})
        answer = connection.getresponse()
        json.loads(answer.read())
        return answer.status < 400
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()
