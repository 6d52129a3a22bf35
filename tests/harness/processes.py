# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs started by tests: whatever happens, nothing of them is left running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT

IMPORT_ROOT = ROOT / ".build" / "collections"
#: With LAB_HOSTS in its environment a program asks a file for names before it asks the machine; "*": any other name.
RESOLVER = Path(__file__).parent / "resolver"
_MARK = "LB_ESTATE_TEST_PROGRAM"
_END_SECONDS = 10.0


class Program:
    """One program in a process group of its own, from its start to its end. What it writes goes to files, so that it
    never stands still because nobody reads."""

    def __init__(
        self, command: Sequence[str | Path], stdin: str = "", environment: Mapping[str, str] | None = None
    ) -> None:
        self._command = " ".join(map(str, command))
        self._mark = uuid.uuid4().hex
        settings = {"PYTHONPATH": str(IMPORT_ROOT), "ANSIBLE_COLLECTIONS_PATH": str(IMPORT_ROOT), **(environment or {})}
        with contextlib.ExitStack() as files, tempfile.TemporaryFile() as given:
            self._out = files.enter_context(tempfile.TemporaryFile())
            self._err = files.enter_context(tempfile.TemporaryFile())
            given.write(stdin.encode())
            given.seek(0)
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **settings, _MARK: self._mark},
                stdin=given,
                stdout=self._out,
                stderr=self._err,
                start_new_session=True,
            )
            self._files = files.pop_all()

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def returncode(self) -> int:
        """Negative: the signal that ended it."""
        assert self._process.returncode is not None, f"{self._command} is still running"
        return self._process.returncode

    @property
    def stdout(self) -> str:
        return _written(self._out)

    @property
    def stderr(self) -> str:
        return _written(self._err)

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    def wait(self, seconds: float) -> None:
        """Until it ends by itself; one that takes longer is killed."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end()
            raise TimeoutError(f"{self._command} took more than {seconds:.0f} s and said:\n{self.output}") from None

    def kill_9(self) -> None:
        """No cleanup of any kind; it must still have been at work."""
        assert not self.ended, f"{self._command} had ended already: {self.output}"
        self.end()

    def kill_9_alone(self) -> None:
        """Only the process that was started: what it started itself lives on."""
        assert not self.ended, f"{self._command} had ended already: {self.output}"
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(_END_SECONDS)

    @property
    def left(self) -> set[int]:
        """What it started and has not ended yet."""
        return carrying(f"{_MARK}={self._mark}") - {self._process.pid}

    def end(self) -> None:
        """It and everything it started: ansible-playbook's workers and what runs with `async` leave its group."""
        if not self.ended:  # afterwards its number may be somebody else's
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(_END_SECONDS)
        deadline = time.monotonic() + _END_SECONDS
        while left := carrying(f"{_MARK}={self._mark}"):
            assert time.monotonic() < deadline, f"{self._command} left processes that do not end: {left}"
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        with self._files:
            self.end()


def carrying(setting: str) -> set[int]:
    """Processes with this NAME=VALUE in the environment they were started with, so also those nobody recorded."""
    return {int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if setting.encode() in _lines(path)}


def _lines(path: Path) -> Sequence[bytes]:
    try:
        return path.read_bytes().split(b"\0")
    except OSError:
        return ()


def _written(file: IO[bytes]) -> str:
    """The program writes where this file stands, so it must not be moved."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode("utf-8", "replace")
