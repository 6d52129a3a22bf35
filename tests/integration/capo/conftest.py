# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenStack lab and the management cluster's API, one of each for all tests here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.openstack.lab import OpenStackLab

from .world import World

NewWorld = Callable[..., World]


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
