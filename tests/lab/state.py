# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's state directory: what `up` started, so that `status` and `down` know it and nothing else.

The running lab holds a lock on the directory. The lock dies with the process, however it ended: a record without a held
lock is what a crashed or half-finished run left behind.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .processes import ProcessId

STARTING, READY, FAILED = "starting", "ready", "failed"
INVENTORY, AWS_ENV = "inventory.yml", "aws.env"
_RECORD, _LOCK = "lab.json", "lab.lock"


class LabProblem(Exception):
    """A sentence for the person at the terminal."""


@dataclass(frozen=True)
class Found:
    """What is in a state directory: nothing, a running lab, or the remains of one."""

    running: bool
    record: dict[str, Any] | None

    @property
    def phase(self) -> str:
        return str((self.record or {}).get("phase", ""))

    @property
    def processes(self) -> list[ProcessId]:
        return [ProcessId.from_record(entry) for entry in (self.record or {}).get("processes", [])]


class StateDirectory:
    def __init__(self, path: Path, lock: int | None = None) -> None:
        """`lock` is the open lock file a parent process handed over together with the claim."""
        self.path = path.resolve()
        self._lock = lock

    @property
    def log(self) -> Path:
        return self.path / "lab.log"

    @property
    def lock(self) -> int:
        """The claim, to be inherited by the process that becomes the lab."""
        if self._lock is None:
            raise LabProblem(f"{self.path} was not claimed")
        return self._lock

    def look(self) -> Found:
        self._refuse_foreign()
        return Found(self._is_locked(), self.read())

    def claim(self) -> list[str]:
        """Take the directory for a new lab; what had to be cleaned up, in words. Raises when a lab is running here."""
        self._refuse_foreign()
        if not self._take_lock():
            raise LabProblem(
                f"A lab is already running in {self.path}. End it with: python -m tests.lab down --state {self.path}"
                f" — or give the new one a directory of its own with --state."
            )
        left_over = Found(running=False, record=self.read())
        words = []
        if left_over.record is not None:
            ended = self._end_processes(left_over)
            words.append(
                f"Cleaned up what an earlier run left in {self.path}" + (f" (ended {ended})." if ended else ".")
            )
        self._empty()
        self.write({"phase": STARTING, "processes": []})
        return words

    def write(self, record: dict[str, Any]) -> None:
        pending = self.path / f"{_RECORD}.pending"
        pending.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        pending.replace(self.path / _RECORD)

    def end(self, found: Found) -> None:
        """End the recorded processes, the lab first (it ends its servers itself), and remove the directory."""
        self._end_processes(found)
        if self.path.exists() and self._take_lock():
            self.remove()

    def remove(self) -> None:
        """Only with the claim: the lock goes last, so that nobody takes the directory while it is emptied."""
        handle, self._lock = self.lock, None
        with contextlib.suppress(FileNotFoundError):  # the lab process has removed it by itself
            self._empty()
            (self.path / _LOCK).unlink()
            self.path.rmdir()
        os.close(handle)

    def abandon(self) -> None:
        """Remove the directory if it is still claimed."""
        if self._lock is not None:
            self.remove()

    def release(self) -> None:
        """Let go of the lock and leave the directory: its logs say why a start failed."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _empty(self) -> None:
        for entry in self.path.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != _LOCK:
                entry.unlink()

    def _take_lock(self) -> bool:
        while True:
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                handle = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:
                continue  # removed between the two calls by a lab that just ended
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return False
            if _is_still(handle, self.path / _LOCK):
                self._lock = handle
                return True
            os.close(handle)

    def _is_locked(self) -> bool:
        try:
            handle = os.open(self.path / _LOCK, os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    def _end_processes(self, found: Found) -> str:
        alive = [process for process in found.processes if process.alive()]
        stuck = [process for process in alive if not process.end()]
        if stuck:
            names = ", ".join(f"{process.name} (pid {process.pid})" for process in stuck)
            raise LabProblem(f"Could not end {names}; its log is in {self.path}.")
        return ", ".join(f"{process.name} (pid {process.pid})" for process in alive)

    def read(self) -> dict[str, Any] | None:
        try:
            return dict(json.loads((self.path / _RECORD).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except ValueError:
            return {"phase": FAILED, "processes": []}

    def _refuse_foreign(self) -> None:
        """The directory will be emptied: never one that somebody keeps other things in."""
        if self.path.is_file():
            raise LabProblem(f"{self.path} is a file; --state wants a directory.")
        if self.path.is_dir() and not (self.path / _LOCK).exists() and any(self.path.iterdir()):
            raise LabProblem(
                f"{self.path} is not empty and was not made by the lab; give another directory with --state."
            )


def _is_still(handle: int, path: Path) -> bool:
    """Is the open file the one at this path, or one that was removed meanwhile?"""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
