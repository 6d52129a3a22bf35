# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Become another program, having recorded who we are: `launch.py RECORD OWNER COMMAND…`.

The record is written by the process itself, before it turns into the command, so there is no moment in which a process
of the lab runs and nobody knows it, however hard its starter is killed. Standard library only, for `python -I -S`.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1


def started(pid: int) -> int:
    """When the process began, in clock ticks since boot: with the pid it names one process and no later one."""
    # The command's name stands in brackets and may itself hold spaces and brackets.
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])


def main() -> None:
    record, owner, *command = sys.argv[1:]
    if owner != "0":
        # The lab belongs to a process (a test run): it must not outlive it, even when that is killed.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(owner):
            sys.exit("the process this lab belongs to has ended")
    # The starter has blocked these so that it is not interrupted before the record stands.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    draft = Path(f"{record}.new")
    draft.write_text(
        json.dumps({"pid": os.getpid(), "started": started(os.getpid()), "command": command[0]}), encoding="utf-8"
    )
    draft.replace(record)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
