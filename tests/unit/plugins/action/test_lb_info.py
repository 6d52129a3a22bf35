# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of lb_info is lb_info, and gives what the module gives."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.lb_info import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import shown
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import holding, perform_on


def test_it_gives_what_the_module_gives() -> None:
    observed = cluster(spec=strategy("Classic"))
    expected = perform_on(holding(observed), "lb_info")
    assert acted(ActionModule, holding(observed), preflight="skip") == shown(expected, diff=False)
