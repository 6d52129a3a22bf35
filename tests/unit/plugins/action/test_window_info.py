# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of window_info is window_info, and gives what the module gives."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.window_info import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._windows import look
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster


def test_it_gives_what_the_module_gives() -> None:
    asked = {"now": "2026-01-05T21:00:00Z", "needs": "30m"}
    assert acted(ActionModule, MemoryCluster(), **asked) == look(asked)
