# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring one lab up in a claimed state directory: from a template, or from nothing and leaving a template behind."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from dataclasses import asdict

from .bootstrap import accounts_and_catalog, admin_client, endpoint_statements, networks_and_zones
from .config import Ports, write_all
from .database import Database
from .lifecycle import write_marker
from .packages import Software, alone, need_room, software
from .paths import State
from .ports import hold_free_port, port_of
from .services import SERVICES, Services
from .template import Template

ROOM_TO_RUN = 400_000_000


def bring_up(state: State, say: Callable[[str], None], *, owner: int = 0) -> None:
    """Everything runs and answers afterwards, and the marker says so."""
    write_marker(state, status="starting")
    state.make()
    soft = software(say)
    need_room(state.root, ROOM_TO_RUN)
    template = Template(soft)
    with contextlib.ExitStack() as stack:
        if not template.exists:
            stack.enter_context(alone(template.lock, say, "making the database template"))
        start = Start(state, soft, say, owner)
        # Somebody else may have made it while this one waited.
        if template.exists:
            start.warm(template)
        else:
            start.cold(template)


class Start:
    def __init__(self, state: State, soft: Software, say: Callable[[str], None], owner: int) -> None:
        self._state = state
        self._soft = soft
        self._say = say
        self._owner = owner
        self._database = Database(state, soft, owner=owner)

    def warm(self, template: Template) -> None:
        template.fill(self._state)
        self._say("starting MariaDB, Keystone, Neutron and Octavia from the template")
        ports, services, held = self._prepare()
        services.launch(held)
        # The services take seconds to load; by then the catalog names the ports of this lab.
        self._database.run(*endpoint_statements(ports))
        for name in SERVICES:
            services.await_ready(name)
        self._finish(ports)

    def cold(self, template: Template) -> None:
        self._say("making the databases (once; the next lab starts from a copy)")
        self._database.make()
        ports, services, held = self._prepare()
        services.make_keys()
        services.migrate()
        self._say("starting Keystone, Neutron and Octavia")
        services.launch(held)
        admin = admin_client(ports)
        services.await_ready("keystone")
        accounts_and_catalog(admin, ports)
        services.await_ready("neutron")
        services.await_ready("octavia")
        networks_and_zones(admin)
        self._database.stop()
        template.save(self._state)
        self._database.start()
        self._finish(ports)

    def _prepare(self) -> tuple[Ports, Services, dict[str, socket.socket]]:
        held = {name: hold_free_port() for name in SERVICES}
        self._database.start()
        ports = Ports(**{name: port_of(listening) for name, listening in held.items()})
        write_all(self._state, self._soft, ports)
        return ports, Services(self._state, self._soft, ports, owner=self._owner), held

    def _finish(self, ports: Ports) -> None:
        """Ready means that each API serves an account it has checked with Keystone, from its database."""
        client = admin_client(ports)
        for service, path in (("keystone", "/projects"), ("neutron", "/networks"), ("octavia", "/loadbalancers")):
            client.get(service, path)
        write_marker(self._state, status="up", ports=asdict(ports), owner=self._owner)
