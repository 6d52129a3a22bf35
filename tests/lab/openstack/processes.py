# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Start, watch and end the processes of a lab: each has a record (pid and start time) and a log."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import LabError, tail_of
from .launch import started
from .paths import HERE, State

POLL = 0.05
#: Children of this very process: kept, so that they are reaped when they end.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True)
class Record:
    """Names one process for ever: a later process with the same pid has another start time."""

    name: str
    pid: int
    started: int

    @property
    def alive(self) -> bool:
        child = _children.get(self.pid)
        if child is not None and child.poll() is not None:
            return False
        try:
            status = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
            return started(self.pid) == self.started and status.rpartition(")")[2].split()[0] not in "ZX"
        except (OSError, IndexError, ValueError):
            return False


def record_of(state: State, name: str) -> Record | None:
    try:
        data = json.loads((state.run / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Record(name, data["pid"], data["started"])


def records(state: State) -> list[Record]:
    found = (record_of(state, path.stem) for path in sorted(state.run.glob("*.json")))
    return [record for record in found if record is not None]


def launch(
    state: State,
    name: str,
    command: Sequence[str | Path],
    env: Mapping[str, str],
    *,
    owner: int = 0,
    keep: Sequence[int] = (),
) -> Record:
    """Start a process in a session of its own, its output in `log/NAME.out`; `owner` is the pid it must not outlive."""
    path = state.run / f"{name}.json"
    path.unlink(missing_ok=True)
    starter = [sys.executable, "-I", "-S", str(HERE / "launch.py"), str(path), str(owner)]
    with (state.log / f"{name}.out").open("ab") as output, _no_interruption():
        child = subprocess.Popen(
            [*starter, *map(str, command)], env=dict(env), cwd=state.root, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True, pass_fds=tuple(keep),
        )  # fmt: skip
        _children[child.pid] = child
        while not path.exists():
            if child.poll() is not None:
                raise LabError(f"{name} could not be started:\n{tail_of(state.log / f'{name}.out')}")
            time.sleep(POLL / 5)
    return Record(name, child.pid, started(child.pid))


@contextlib.contextmanager
def _no_interruption() -> Iterator[None]:
    """Ctrl-C between the birth of a process and its record would leave it running unknown; launch.py unblocks it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_to_end(
    state: State, name: str, command: Sequence[str | Path], env: Mapping[str, str], *, owner: int = 0, wait: float = 300
) -> None:
    """Start a process that ends by itself and wait for it."""
    finish(state, launch(state, name, command, env, owner=owner), wait)


def finish(state: State, record: Record, wait: float = 300) -> None:
    child = _children[record.pid]
    try:
        code = child.wait(wait)
    except subprocess.TimeoutExpired:
        stop(record)
        raise LabError(
            f"{record.name} did not end within {wait:.0f} s:\n{tail_of(state.log / f'{record.name}.out')}"
        ) from None
    (state.run / f"{record.name}.json").unlink(missing_ok=True)
    if code:
        raise LabError(f"{record.name} failed (exit code {code}):\n{tail_of(state.log / f'{record.name}.out')}")


def await_ready(state: State, record: Record, ready: Callable[[], bool], wait: float = 180) -> None:
    """Wait for readiness, not for time; a process that has died ends the wait at once."""
    deadline = time.monotonic() + wait
    log = state.log / f"{record.name}.out"
    while not ready():
        if not record.alive:
            raise LabError(f"{record.name} ended while starting:\n{tail_of(log)}")
        if time.monotonic() > deadline:
            raise LabError(f"{record.name} was not ready within {wait:.0f} s; its log is {log}:\n{tail_of(log)}")
        time.sleep(POLL)


def stop(record: Record, *, sign: signal.Signals = signal.SIGTERM, grace: float = 10) -> None:
    """End one process and its session; SIGKILL when it does not go in time."""
    for number, limit in ((sign, grace), (signal.SIGKILL, grace)):
        if not record.alive:
            break
        try:
            os.killpg(record.pid, number)
        except ProcessLookupError:
            break
        except PermissionError as error:
            who = f"The lab's process {record.name} (pid {record.pid})"
            raise LabError(f"{who} belongs to another user; stop the lab as that user.") from error
        deadline = time.monotonic() + limit
        while record.alive and time.monotonic() < deadline:
            time.sleep(POLL)
    child = _children.pop(record.pid, None)
    if child is not None:
        child.wait()
