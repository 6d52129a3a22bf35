# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of service_lb_class is service_lb_class, and gives what the module gives."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.service_lb_class import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import shown
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    service,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    perform_on,
    platform_objects,
)


def shop() -> MemoryCluster:
    made = platform_objects("GCP")
    made.put("services", service())
    return made


def test_it_gives_what_the_module_gives() -> None:
    asked = {"service": {"namespace": "shop", "name": "front"}, "lb_class": CLASS, "known_classes": {CLASS: "us"}}
    expected = perform_on(shop(), "service_lb_class", **asked)
    assert acted(ActionModule, shop(), preflight="skip", **asked) == shown(expected, diff=False)
