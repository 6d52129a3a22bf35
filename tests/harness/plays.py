# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook as a person or AWX runs it: on tasks, playbooks and roles of the collection, one host or many."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT

from .processes import IMPORT_ROOT, RESOLVER, Program
from .tasks import Result

COLLECTION = "edgeworks.lb_estate"
_LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
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
    """How it ended; what it said; and where `Stage.play` kept them, the results of all tasks by host."""

    returncode: int
    stdout: str
    stderr: str
    by_host: Mapping[str, list[Result]] = field(default_factory=dict)

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    @property
    def results(self) -> list[Result]:
        """Of the only host."""
        (kept,) = self.by_host.values()
        return kept

    @property
    def by_module(self) -> list[bool]:
        """Of each task: was a module sent out as a process? Told at verbosity 3."""
        told = self.output.split("\nTASK [")[1 : len(self.results) + 1]
        return ["AnsiballZ_" in text for text in told]


class Stage:
    """An inventory in a directory, and what every play on it shares. A play that takes longer is killed."""

    def __init__(
        self,
        directory: Path,
        hosts: Mapping[str, Mapping[str, Any]],
        *,
        module_defaults: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        seconds: float = 120,
    ) -> None:
        self._directory, self._seconds = directory, seconds
        self._module_defaults = dict(module_defaults or {})
        self._environment = dict(environment or {})
        self._names = directory / "names.json"
        children = {group: {"hosts": dict.fromkeys(names)} for group, names in (groups or {}).items()}
        listed = {name: _LOCAL | dict(hosts[name]) for name in hosts}
        self._inventory = self._write("inventory.yml", {"all": {"hosts": listed, "children": children}})
        for folder, name, text in (
            ("connection_plugins", "elsewhere", _ELSEWHERE),
            ("become_plugins", "oneself", _SELF),
        ):
            (directory / folder).mkdir(exist_ok=True)
            (directory / folder / f"{name}.py").write_text(text, encoding="utf-8")

    def publish(self, name: str, addresses: Sequence[str]) -> None:
        """What somebody does in DNS, as all programs of later plays see it; without addresses there is no such name."""
        known = json.loads(self._names.read_text(encoding="utf-8")) if self._names.exists() else {}
        self._names.write_text(json.dumps({**known, name: list(addresses)}), encoding="utf-8")

    def play(self, tasks: Sequence[Mapping[str, Any]], *flags: str, **extra: Any) -> Played:
        """The tasks in order; one that fails does not stop the others, unless it says so itself: its result tells."""
        kept = self._directory / "results"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        named = [{"register": f"kept_{number}", "ignore_errors": True, **task} for number, task in enumerate(tasks)]
        listed = ", ".join(task["register"] for task in named)
        file = {"dest": f"{kept}/{{{{ inventory_hostname }}}}.json", "mode": "0600"}
        keep = {
            "name": "Keep the results",
            "ansible.builtin.copy": {"content": "{{ [%s] | to_json }}" % listed, **file},
            "check_mode": False,
            "diff": False,
        }
        done = self.playbook(self._written_play(tasks=[*named, keep]), *flags, **extra)
        results = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in kept.glob("*.json")}
        assert results, done.output
        return Played(done.returncode, done.stdout, done.stderr, results)

    def role(self, name: str, *flags: str, **extra: Any) -> Played:
        """A role of this collection."""
        return self.playbook(self._written_play(roles=[f"{COLLECTION}.{name}"]), *flags, **extra)

    def playbook(self, playbook: str | Path, *flags: str, **extra: Any) -> Played:
        """A playbook of this collection, or any by its path; extra variables go as AWX sends them: everything a string,
        lists and mappings as JSON."""
        with self._started(playbook, *flags, **extra) as running:
            running.wait(self._seconds)
            return Played(running.returncode, running.stdout, running.stderr)

    def start(self, tasks: Sequence[Mapping[str, Any]], *flags: str) -> Program:
        """The same as `play`, under way; for `with`."""
        return self._started(self._written_play(tasks=list(tasks)), *flags)

    def _started(self, playbook: str | Path, *flags: str, **extra: Any) -> Program:
        sent = {key: value if isinstance(value, str) else json.dumps(value) for key, value in extra.items()}
        variables = ("-e", json.dumps(sent)) if sent else ()
        program = Path(sys.executable).parent / "ansible-playbook"
        command = [program, "-i", self._inventory, *flags, *variables, ROOT / "playbooks" / playbook]
        return Program(command, environment=self._settings())

    def _settings(self) -> dict[str, str]:
        settings = {
            "ANSIBLE_HOME": str(self._directory / "home"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "true",
        }
        if self._names.exists():
            settings |= {"PYTHONPATH": f"{RESOLVER}:{IMPORT_ROOT}", "LAB_HOSTS": str(self._names)}
        return settings | self._environment

    def _written_play(self, **content: Any) -> Path:
        play = {"name": "Run what a test wants", "hosts": "all", "gather_facts": False}
        return self._write("play.yml", [{**play, "module_defaults": self._module_defaults, **content}])

    def _write(self, name: str, content: Any) -> Path:
        path = self._directory / name
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path
