# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lb_effectuate wants nothing new: what spec says is to come true, if all of it was asked for (CORE-9, SUB-13)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    LEAVE,
    Observed,
    Wanted,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.radar import EVERYTHING
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.effectuate import CHANGES, wanted_by
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import options


def chosen(**given: Any) -> dict[str, Any]:
    return options("lb_effectuate", **given)


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ([], frozenset()),
        (["scope", "subnets"], frozenset({"scope", "subnets"})),
        (["type"], frozenset({"loadBalancer.providerParameters.aws.type"})),
        (["eip_allocations", "floating_ip"], frozenset({"eipAllocations", "floatingIP"})),
        (["all"], EVERYTHING),
        (["all", "scope"], EVERYTHING),
    ],
)
def test_the_changes_that_are_asked_for(changes: list[str], asked: frozenset[str]) -> None:
    wanted, way = wanted_by(chosen(changes=changes, effectuate="delete"))(cluster())
    assert (wanted, way.asked, way.effectuate) == (Wanted(), asked, "delete")
    assert way.whole  # whatever else is pending is this task's business, to refuse it


def test_every_change_can_be_named() -> None:
    assert set(CHANGES.values()) == EVERYTHING
    assert {"all", *CHANGES} == set(TASKS["lb_effectuate"].spec()["changes"]["choices"])


@pytest.mark.parametrize(
    ("observed", "said"),
    [
        (cluster(spec=strategy("NLB", scope="Internal")), Wanted(scope="Internal", eips=CLEAR)),
        (cluster(spec=strategy("NLB", eipAllocations=[E1, E2])), Wanted(scope="External", eips=[E1, E2])),
        (cluster(spec=strategy("Classic")), Wanted(scope="External", eips=LEAVE)),
        (cluster(), Wanted()),
    ],
)
def test_a_thaw_goes_on_to_what_spec_said(observed: Observed, said: Wanted) -> None:
    assert wanted_by(chosen(unfreeze=True))(observed)[0] == said


def test_what_spec_said_at_first_is_remembered_through_the_stages() -> None:
    """SUB-13: the thaw itself takes the scope back for a while."""
    choose = wanted_by(chosen(unfreeze=True, restore_edits=True))
    first = cluster(spec=strategy("NLB", scope="Internal"))
    later = replace(first, ic=merge_patch(first.ic, lb_patch(scope="External")))
    assert choose(first)[0].scope == "Internal"
    wanted, way = choose(later)
    assert (wanted.scope, way.unfreeze, way.restore_edits) == ("Internal", True, True)
    assert wanted_by(chosen(unfreeze=True))(later)[0].scope == "External"  # another task, another memory
