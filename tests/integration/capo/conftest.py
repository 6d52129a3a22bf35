# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenStack lab and the management cluster's API, one of each for all tests here."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.lab import OpenStackLab

from .world import HOST, World

NewWorld = Callable[..., World]
#: What somebody has published, by name: [] for a name that does not exist, None for name servers that do not answer.
Names = dict[str, list[str] | None]


@pytest.fixture(scope="session")
def management_server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


@pytest.fixture(scope="module")
def new_world(
    openstack_lab: OpenStackLab, management_server: ApiServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NewWorld]:
    made: list[World] = []

    def make(**options: Any) -> World:
        made.append(World(openstack_lab, management_server, tmp_path_factory.mktemp("world"), **options))
        return made[-1]

    yield make
    for world in made:
        world.close()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """DNS as this process asks it; nothing is published at first. Other names are asked for as usual."""
    known: Names = {HOST: []}
    ask = socket.getaddrinfo

    def answer(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host not in known:
            return ask(host, port, *args, **options)
        found = known[host]
        if found is None:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return known
