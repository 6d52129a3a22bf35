# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of this machine: which one this is, whether another has ended, whether anybody still waits for this one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .errors import Orphaned

_MOST_ANCESTORS = 16


def machine() -> str:
    """Process ids mean the same only under one boot and in one pid namespace; '' where that cannot be known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def started(pid: int) -> str:
    """The kernel's start time of a process; '' where there is none any more, or no way to know."""
    told = _stat(pid)
    return "" if not told or told[0] in "ZX" else told[19]


def _stat(pid: int) -> list[str]:
    """state, ppid, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return []


def somebody_waits() -> Callable[[], None]:
    """To be asked before every write: raises Orphaned once the process that started this one is gone.

    Nobody would see what is written then. A module is started by a worker, and that by ansible-playbook: kill -9 of
    the last one leaves both running.
    """
    parent, playbook = os.getppid(), _ansible()

    def see() -> None:
        if os.getppid() != parent or any(started(pid) != begun for pid, begun in playbook):
            raise Orphaned(
                "The process that started this task is gone, so nothing more is written.",
                "Run again: what is there is read before anything else is done.",
            )

    return see


def _ansible() -> list[tuple[int, str]]:
    """Ancestors that are Ansible's own, with their start times. A shell or a session above them may end."""
    found, pid = [], os.getppid()
    for _generation in range(_MOST_ANCESTORS):
        told = _stat(pid)
        if pid <= 1 or not told:
            break
        if _name(pid).startswith("ansible"):
            found.append((pid, told[19]))
        pid = int(told[1])
    return found


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
