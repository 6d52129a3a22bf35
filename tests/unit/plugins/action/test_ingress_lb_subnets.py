# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of ingress_lb_subnets is ingress_lb_subnets, and gives what the module gives."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.action.ingress_lb_subnets import ActionModule
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import shown
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.actions import acted
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import holding, perform_on


def test_it_gives_what_the_module_gives() -> None:
    observed = cluster(spec=strategy("Classic"))
    expected = perform_on(holding(observed), "ingress_lb_subnets", subnets={"ids": [A]}, allow_disruption="outage")
    assert acted(
        ActionModule, holding(observed), preflight="skip", subnets={"ids": [A]}, allow_disruption="outage"
    ) == shown(expected, diff=False)
