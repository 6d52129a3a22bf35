# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook on one world, as a person or AWX runs it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from .world import HOST, NAME, NAMESPACE, World

RESOLVER = Path(__file__).parent / "resolver"
PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"


class Plays:
    def __init__(self, world: World, directory: Path) -> None:
        self.world = world
        self._directory = directory
        self._hosts = directory / "hosts.json"
        self.publish([])
        variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "lb_estate_kubeconfig": str(world.kubeconfig),
            "capo_multiaz_cloud": world.project.cloud,
            "capo_multiaz_namespace": NAMESPACE,
        }
        self._inventory = directory / "inventory.json"
        self._inventory.write_text(json.dumps({"all": {"hosts": {NAME: variables}}}), encoding="utf-8")

    def publish(self, addresses: list[str]) -> None:
        """What the user does in DNS."""
        self._hosts.write_text(json.dumps({HOST: addresses}), encoding="utf-8")

    def play(self, playbook: str | Path, *flags: str, **extra: Any) -> subprocess.CompletedProcess[str]:
        """Extra variables go as AWX sends them: everything a string, lists and mappings as JSON."""
        sent = {key: value if isinstance(value, str) else json.dumps(value) for key, value in extra.items()}
        environment = os.environ | {
            "PYTHONPATH": f"{RESOLVER}:{os.environ['PYTHONPATH']}",
            "LAB_HOSTS": str(self._hosts),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOLOR": "true",
        }
        return subprocess.run(
            ["ansible-playbook", "-i", self._inventory, *flags, "-e", json.dumps(sent), PLAYBOOKS / playbook],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=environment,
        )
