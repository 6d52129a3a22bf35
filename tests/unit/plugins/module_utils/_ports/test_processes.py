# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has ended, and whether anybody waits for this process any more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import processes
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Orphaned

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_a_process_has_a_start_time_until_it_ends() -> None:
    assert processes.machine()
    assert processes.started(os.getpid())
    with subprocess.Popen(SLEEP) as child:
        begun = processes.started(child.pid)
        assert begun
        assert begun == processes.started(child.pid)
        child.kill()
        child.wait(10)
        assert processes.started(child.pid) == ""


def test_a_zombie_has_ended() -> None:
    with subprocess.Popen(SLEEP) as child:
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert processes.started(child.pid) == ""


def test_somebody_waits_while_the_parent_lives() -> None:
    see = processes.somebody_waits()
    see()
    see()


def test_nobody_waits_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    see = processes.somebody_waits()
    monkeypatch.setattr(os, "getppid", lambda: -1)
    with pytest.raises(Orphaned, match="nothing more is written"):
        see()


@pytest.mark.parametrize(("name", "counts"), [("ansible-playboo", True), ("bash", False)])
def test_the_playbook_above_counts_and_a_shell_does_not(
    monkeypatch: pytest.MonkeyPatch, name: str, counts: bool
) -> None:
    with subprocess.Popen(SLEEP) as ancestor:
        monkeypatch.setattr(processes, "_name", lambda _pid: name)
        monkeypatch.setattr(os, "getppid", lambda: ancestor.pid)
        see = processes.somebody_waits()
        ancestor.kill()
        ancestor.wait(10)
        if counts:
            with pytest.raises(Orphaned):
                see()
        else:
            see()
