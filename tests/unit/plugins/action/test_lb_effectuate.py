# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of lb_effectuate is lb_effectuate, and gives what the module gives."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.lb_effectuate import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import shown
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import holding, perform_on


def test_it_gives_what_the_module_gives() -> None:
    observed = after_patch(cluster(spec=strategy("Classic")), lb_patch(scope="Internal"))
    asked = {"changes": ["scope"], "effectuate": "delete", "allow_disruption": "outage"}
    expected = perform_on(holding(observed), "lb_effectuate", **asked)
    assert acted(ActionModule, holding(observed), preflight="skip", **asked) == shown(expected, diff=False)
    assert expected["steps"]
