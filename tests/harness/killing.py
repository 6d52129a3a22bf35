# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kill -9 at a chosen moment: a module runs as a process of its own, as Ansible would start it, and dies there.

after a write     `killed_after`: the server has answered it, and nothing else was done since
during a write    `killed_in_flight`: the server has it and has not answered; the test says when the server goes on
any other moment  `running`, for tests that see the moment in the world

Writes are counted over all servers of the lab together: the API server twin, Neutron, Octavia.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT
from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import DONE, RECEIVED

from .processes import IMPORT_ROOT, RESOLVER, Program
from .tasks import given

_COUNTED = f"{__package__}.counted"
_SECONDS = 180.0
_POLL_SECONDS = 0.02


def running(name: str, access: Path | str, /, **options: Any) -> Program:
    """The module at work; for `with`, and `kill_9` inside."""
    return _module(name, access, options)


def killed_after(writes: int, name: str, access: Path | str, /, **options: Any) -> bool:
    """Killed as soon as so many writes were answered; False when it had succeeded by then."""
    with _module(name, access, options, "after", str(writes), "") as program:
        program.wait(_SECONDS)
        return _was_killed(program)


class HeldWrite:
    """A write that has outlived its sender."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._reached = ""

    def let_go(self) -> None:
        """The server goes on; afterwards the write has taken effect, or was refused. Once is enough."""
        self._to(DONE)

    def _to(self, point: str) -> None:
        while self._reached != point:
            if self._reached:
                self._server.sendall(b".")
            self._reached = self._server.recv(16).decode().strip()
            assert self._reached, f"the server dropped the write before it was {point}"


@contextmanager
def killed_in_flight(
    write: int, name: str, access: Path | str, /, *, at: str = RECEIVED, **options: Any
) -> Iterator[HeldWrite | None]:
    """Killed while the server has this write, and stands still there until `let_go` or the end of `with`.

    All writes before it are answered, and none after it is sent. At RECEIVED the server has not begun with it: it can
    still happen at any time later, as late as in the middle of the next run. At DONE it has taken effect. None when the
    module had succeeded before it.
    """
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = str(door.getsockname()[1])
        with _module(name, access, options, "in-flight", str(write), port) as program:
            server = _knock(door, program)
            if server is None:
                assert not _was_killed(program)
                yield None
                return
            with server:
                held = HeldWrite(server)
                held._to(at)
                program.kill_9()
                yield held
                held.let_go()


def _module(name: str, access: Path | str, options: dict[str, Any], *plan: str) -> Program:
    file = ROOT / "plugins" / "modules" / f"{name}.py"
    command = [sys.executable, "-m", _COUNTED, file, *plan]
    names = {"PYTHONPATH": f"{RESOLVER}:{IMPORT_ROOT}"} if "LAB_HOSTS" in os.environ else {}
    return Program(command, json.dumps({"ANSIBLE_MODULE_ARGS": given(access, options)}), names)


def _knock(door: socket.socket, program: Program) -> socket.socket | None:
    """The server that has the write; None when the module ended without it."""
    door.settimeout(_POLL_SECONDS)
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        try:
            server, _address = door.accept()
        except TimeoutError:
            if program.ended:
                return None
        else:
            server.settimeout(_SECONDS)
            return server
    raise TimeoutError(f"no such write within {_SECONDS:.0f} s; the module said: {program.output}")


def _was_killed(program: Program) -> bool:
    """A module that failed by itself is neither killed nor done."""
    assert program.returncode in (0, -signal.SIGKILL), program.output
    return program.returncode == -signal.SIGKILL
