# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks run by ansible-playbook, as a person or AWX runs them, on one cluster of the lab."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.edgeworks.lb_estate.tests.lab.running import LabCluster

from .workplace import ACCESS, QUICK

IMPORT_ROOT = Path(__file__).parents[3] / ".build" / "collections"
_SECONDS = 120
# Port 9 of loopback: nobody answers there.
NO_CLOUD = {
    "auth": {
        "auth_url": "http://127.0.0.1:9/v3",
        "username": "lab-user",
        "password": "lab-password",
        "project_name": "lab-project",
    },
    "region_name": "RegionOne",
    "api_timeout": 5,
}
# A connection that is not `local`, and a become method that needs no other user: both step aside to the module.
_ELSEWHERE = """
from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = '''
name: elsewhere
short_description: local under another name
description: For tests.
options: {}
'''


class Connection(Local):
    transport = "elsewhere"
"""
_SELF = """
from ansible.plugins.become import BecomeBase

DOCUMENTATION = '''
name: oneself
short_description: become oneself
description: For tests.
options:
  become_user: {description: none, vars: [{name: ansible_become_user}]}
  become_exe: {description: none, default: ''}
  become_flags: {description: none, default: ''}
  become_pass: {description: none, required: false}
'''


class BecomeModule(BecomeBase):
    name = "oneself"

    def build_become_command(self, cmd, shell):
        return cmd
"""


@dataclass(frozen=True)
class Played:
    results: list[dict[str, Any]]
    output: str

    @property
    def by_module(self) -> list[bool]:
        """Of each task: was a module sent out as a process? Told at verbosity 3."""
        told = self.output.split("\nTASK [")[1 : len(self.results) + 1]
        return ["AnsiballZ_" in text for text in told]


class Stage:
    """One inventory host for one cluster; every task's result is kept."""

    def __init__(self, directory: Path, cluster: LabCluster) -> None:
        self._directory = directory
        self._cluster = cluster
        for folder, name, text in (
            ("connection_plugins", "elsewhere", _ELSEWHERE),
            ("become_plugins", "oneself", _SELF),
        ):
            (directory / folder).mkdir(exist_ok=True)
            (directory / folder / f"{name}.py").write_text(text, encoding="utf-8")

    def play(self, tasks: list[dict[str, Any]], *flags: str) -> Played:
        """The tasks in order; one that fails does not stop the others, as its result tells."""
        kept = self._directory / "results.json"
        kept.unlink(missing_ok=True)
        named = [{"register": f"kept_{number}", **task, "ignore_errors": True} for number, task in enumerate(tasks)]
        listed = ", ".join(task["register"] for task in named)
        keep = {
            "name": "Keep the results",
            "ansible.builtin.copy": {"content": "{{ [%s] | to_json }}" % listed, "dest": str(kept), "mode": "0600"},
            "check_mode": False,
            "diff": False,
        }
        playbook = self._directory / "play.yml"
        playbook.write_text(yaml.safe_dump([self._play([*named, keep])], sort_keys=False), encoding="utf-8")
        output = self._run(playbook, flags)
        assert kept.exists(), output
        return Played(json.loads(kept.read_text(encoding="utf-8")), output)

    def _play(self, tasks: list[dict[str, Any]]) -> dict[str, Any]:
        clients = self._cluster.clients
        groups = {
            "kubernetes": {"kubeconfig": str(self._cluster.kubeconfig)},
            "aws": {**ACCESS, "endpoint_url": clients.endpoint} if clients else {"preflight": "skip"},
            "openstack": NO_CLOUD,
        }
        waits = {f"edgeworks.lb_estate.{name}": QUICK for name in ("ingress_lb_subnets", "slb_scope", "lb_effectuate")}
        return {
            "name": "Run the tasks",
            "hosts": "all",
            "gather_facts": False,
            "module_defaults": {f"group/edgeworks.lb_estate.{name}": given for name, given in groups.items()} | waits,
            "tasks": tasks,
        }

    def _run(self, playbook: Path, flags: tuple[str, ...]) -> str:
        host = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        inventory = self._directory / "inventory.yml"
        inventory.write_text(yaml.safe_dump({"all": {"hosts": {"edge-one": host}}}), encoding="utf-8")
        settings = {
            "ANSIBLE_COLLECTIONS_PATH": str(IMPORT_ROOT),
            "ANSIBLE_HOME": str(self._directory / "home"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "true",
            "PYTHONPATH": str(IMPORT_ROOT),
        }
        command = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(inventory), *flags, str(playbook)]
        done = subprocess.run(
            command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        return done.stdout + done.stderr
