# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of one cluster's API load balancers, from nothing to nothing (CAPO-3, CAPO-5 to CAPO-8, CAPO-10, CORE-4)."""

from __future__ import annotations

import pytest

from .conftest import NewWorld
from .world import World

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


def test_three_zones_from_nothing(world: World) -> None:
    result = world.run(floating_ips=True)
    assert not result.get("failed"), result["msg"]
    assert result["changed"]
