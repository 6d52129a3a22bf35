# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of api_slb is api_slb, and gives what the module gives."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.api_slb import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import shown
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import perform_on, platform_objects

GIVEN = {"public": True, "addresses": {"public": ["20.0.0.7"], "private": ["10.0.0.7"]}}


def test_it_gives_what_the_module_gives() -> None:
    expected = perform_on(platform_objects("Azure"), "api_slb", **GIVEN)
    assert acted(ActionModule, platform_objects("Azure"), preflight="skip", **GIVEN) == shown(expected, diff=False)
