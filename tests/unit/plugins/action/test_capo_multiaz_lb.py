# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of capo_multiaz_lb is capo_multiaz_lb: it takes its options and no others."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.capo_multiaz_lb import ActionModule
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster


def test_it_takes_the_options_of_its_module() -> None:
    cluster = MemoryCluster()
    result = acted(ActionModule, cluster, zones=[], scope="Internal")
    assert result["failed"]
    assert "missing required arguments: cluster" in result["msg"]
    assert "scope. Supported parameters include" in result["msg"]
    assert cluster.requests == []
