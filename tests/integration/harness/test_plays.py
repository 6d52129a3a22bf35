# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook on a stage: many hosts, variables, roles, a name service, and nothing left running."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import Stage
from ansible_collections.edgeworks.lb_estate.tests.harness.processes import Program, carrying

# As ansible-playbook's workers do: away from the process group, but not from the environment.
DETACHED = "import os, time; os.fork() or os.setsid(); print(flush=True); time.sleep(300)"


def test_results_of_many_hosts(tmp_path: Path) -> None:
    hosts = {"one": {"answer": 1}, "two": {"answer": 2}}
    task = {"ansible.builtin.debug": {"msg": "{{ answer }} {{ lookup('env', 'WORD') }} {{ sent | from_json }}"}}
    failing = {"ansible.builtin.fail": {"msg": "no"}}
    stage = Stage(tmp_path, hosts, environment={"WORD": "word"})
    played = stage.play([failing, task], sent=[3])
    assert played.returncode == 0, played.output
    told = {host: [(result["failed"], result["msg"]) for result in kept] for host, kept in played.by_host.items()}
    assert told == {
        host: [(True, "no"), (False, f"{host_vars['answer']} word [3]")] for host, host_vars in hosts.items()
    }
    assert list(stage.play([task], "--limit", "two", sent=[3]).by_host) == ["two"]


def test_a_role(tmp_path: Path) -> None:
    played = Stage(tmp_path, {"one": {}}).role("capo_multiaz", capo_multiaz_stages="preflight,explode")
    assert played.returncode != 0
    assert "explode is no stage" in played.stdout


def test_names(tmp_path: Path) -> None:
    """In every program a play starts, as long as it is Python."""
    stage = Stage(tmp_path, {"one": {}})
    ask = "import socket, sys; print(sorted(a[4][0] for a in socket.getaddrinfo(sys.argv[1], 0)))"
    tasks = [{"ansible.builtin.command": {"argv": [sys.executable, "-c", ask, name]}} for name in ("a.lab", "b.lab")]
    stage.publish("a.lab", ["192.0.2.1", "192.0.2.2"])
    stage.publish("b.lab", [])
    known, unknown = stage.play(tasks).results
    assert known["stdout"] == "['192.0.2.1', '192.0.2.2']"
    assert "Name or service not known" in unknown["stderr"]


def test_a_play_that_takes_too_long(tmp_path: Path) -> None:
    stage = Stage(tmp_path, {"one": {}}, seconds=6)
    with pytest.raises(TimeoutError, match="more than 6 s"):
        stage.play([{"ansible.builtin.command": "sleep 300"}])
    assert carrying(f"ANSIBLE_HOME={tmp_path}/home") == set()


def test_what_leaves_the_process_group_is_ended_too() -> None:
    mark = f"PLAYS_TEST={os.getpid()}"
    with Program([sys.executable, "-c", DETACHED], environment=dict([mark.split("=")])) as program:
        while program.stdout.count("\n") < 2:
            assert not program.ended, program.output
        assert len(carrying(mark)) == 2
    assert carrying(mark) == set()
