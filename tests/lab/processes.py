# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes by identity: a pid alone may meanwhile belong to somebody else's program."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import ROOT

END_SECONDS = 15.0


@dataclass(frozen=True)
class ProcessId:
    """A pid with what makes it unique: when it started, counted since which boot."""

    name: str
    pid: int
    started: int
    boot: str

    @staticmethod
    def of(name: str, pid: int) -> ProcessId:
        return ProcessId(name, pid, _start_ticks(pid) or 0, _boot())

    @staticmethod
    def from_record(record: dict[str, Any]) -> ProcessId:
        return ProcessId(str(record["name"]), int(record["pid"]), int(record["started"]), str(record["boot"]))

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    def alive(self) -> bool:
        return self.boot == _boot() and _start_ticks(self.pid) == self.started

    def memory(self) -> int:
        """Resident bytes; 0 once it is gone."""
        if not self.alive():
            return 0
        try:
            status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        except OSError:
            return 0
        lines = [line.split() for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(lines[0][1]) * 1024 if lines else 0

    def end(self, seconds: float = END_SECONDS) -> bool:
        """Ask it to end, insist after `seconds`; True when it is gone. Anybody else's process is left alone."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return True
        try:
            # The handle stays with this very process, so nothing can slip in between this look and the signal.
            if not self.alive():
                return True
            for number, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, 5.0)):
                signal.pidfd_send_signal(handle, number)
                if select.select([handle], [], [], patience)[0]:
                    return True
            return False
        except ProcessLookupError:
            return True
        finally:
            os.close(handle)


@contextlib.contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Ctrl-C or SIGTERM inside takes effect at the end: a process just started is never one nobody knows of."""
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda got, _frame: came.append(got)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


def spawn_detached(arguments: list[str], log: Path, keep: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """`python -m tests.lab …` that outlives this process and its terminal; it inherits the open files in `keep`."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.lab", *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            pass_fds=keep,
        )


def _start_ticks(pid: int) -> int | None:
    """Field 22 of /proc/<pid>/stat; None when there is no such process or it is only waiting to be reaped."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    # The name (field 2) is in parentheses and may itself contain anything.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else int(fields[19])


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
