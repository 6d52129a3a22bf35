# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenStack part of the lab: real Keystone, Neutron and Octavia on loopback, as one object."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from . import traffic
from .bootstrap import admin_client
from .config import Ports
from .database import Database
from .errors import LabError, sentence_of
from .faults import Faults
from .lifecycle import claimed, clear, empty, read_marker, running, uninterrupted
from .packages import software
from .paths import DEFAULT_STATE, State
from .services import SERVICES, Services
from .start import bring_up
from .tenants import ADMIN_CLOUD, Network, Project, Tenants


def silent(text: str) -> None:
    """For callers that do not want to hear about progress."""


class OpenStackLab:
    """A running lab. `with OpenStackLab.start(directory) as lab:` stops it at the end; `attach` uses one that runs."""

    #: Entry of clouds.yaml with all rights.
    admin_cloud = ADMIN_CLOUD

    def __init__(self, state: State, ports: Ports, *, owner: int = 0) -> None:
        soft = software(silent)
        self._state = state
        self.ports = ports
        self.services = Services(state, soft, ports, owner=owner)
        self.database = Database(state, soft, owner=owner)
        self.faults = Faults(state, self.services, self.database, admin_client(ports))
        self._tenants = Tenants(state, ports)

    @classmethod
    def start(
        cls, state_dir: Path | str = DEFAULT_STATE, *, say: Callable[[str], None] = silent, owned: bool = True
    ) -> OpenStackLab:
        """Start a lab in a directory that is empty, missing, or left by a lab that did not get far.

        An owned lab ends with this process, even when that is killed; one that is not (`up`) runs until `stop`.
        """
        state = State(Path(state_dir).absolute())
        owner = os.getpid() if owned else 0
        with claimed(state):
            if is_up(state):
                command = f"python -m tests.lab.openstack down --state {state.root}"
                raise LabError(f"A lab is already running in {state.root}. Use it, or stop it: {command}")
            try:
                _clear_unfinished(state, say)
                bring_up(state, say, owner=owner)
                lab = cls(state, _ports(state), owner=owner)
                lab._tenants.write_admin_cloud()
            except BaseException as error:
                with uninterrupted():
                    clear(state)
                if isinstance(error, OSError):
                    raise LabError(sentence_of(error)) from error
                raise
        return lab

    @classmethod
    def attach(cls, state_dir: Path | str = DEFAULT_STATE) -> OpenStackLab:
        """A lab that somebody else has started and will stop."""
        state = State(Path(state_dir).absolute())
        if not is_up(state):
            command = f"python -m tests.lab.openstack up --state {state.root}"
            raise LabError(f"No lab is running in {state.root}. Start one: {command}")
        return cls(state, _ports(state))

    def stop(self) -> None:
        """End the processes and remove the state directory."""
        stop_lab(self._state.root)

    def __enter__(self) -> OpenStackLab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def state_dir(self) -> Path:
        return self._state.root

    @property
    def clouds_yaml(self) -> Path:
        return self._state.clouds_yaml

    @property
    def auth_url(self) -> str:
        return self.ports.auth_url

    def client_environment(self) -> dict[str, str]:
        """What a client process needs to find the lab, and to go there directly whatever proxy is set."""
        return {
            "OS_CLIENT_CONFIG_FILE": str(self.clouds_yaml),
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def project(self, name: str) -> Project:
        """A new project with an ordinary user (member, load-balancer_member), also as an entry of clouds.yaml."""
        return self._tenants.project(name)

    def administrated(self, project: Project) -> str:
        """The same project with all rights, as another entry of clouds.yaml."""
        return self._tenants.administrated(project)

    def network(self, project: Project, azs: int = 3) -> Network:
        """A network with one subnet per zone, a router, and the way out."""
        return self._tenants.network(project, azs)

    def inventory(self, project: Project) -> dict[str, list[str]]:
        """Ids by kind of what the project holds; empty lists everywhere mean that nothing leaked."""
        return self._tenants.inventory(project)

    def mark(self) -> int:
        """Now, for `requests(since=…)`."""
        return traffic.mark(self._state.requests)

    def requests(
        self, since: int = 0, *, service: str | None = None, project: Project | None = None, internal: bool = False
    ) -> list[traffic.Request]:
        """Requests of clients, oldest first; those the services and the lab itself make only if `internal`.

        With a project, only those made with a token of it; a request for a token is nobody's yet.
        """
        found = (
            request for request in traffic.read(self._state.requests, since) if internal or not request.is_internal
        )
        return [
            request
            for request in found
            if (service is None or request.service == service) and (project is None or request.project == project.id)
        ]


def is_up(state: State) -> bool:
    """Started to the end, and every process still there; a service that a fault has killed counts as missing."""
    names = {record.name for record in running(state)}
    return read_marker(state).get("status") == "up" and names >= {*SERVICES, "mariadb"}


def stop_lab(state_dir: Path | str = DEFAULT_STATE) -> bool:
    """Also for a lab that never came up. Says whether there was one; what is being started elsewhere is left alone."""
    state = State(Path(state_dir).absolute())
    if not state.root.exists():
        return False
    with claimed(state), uninterrupted():
        clear(state)
    return True


def _clear_unfinished(state: State, say: Callable[[str], None]) -> None:
    """An earlier run was killed half-way: what it left running is ended, what it wrote is removed."""
    if not read_marker(state) and not running(state):
        return
    say(f"clearing up after a lab that did not end properly ({len(running(state))} processes still ran)")
    empty(state)


def _ports(state: State) -> Ports:
    return Ports(**read_marker(state)["ports"])
