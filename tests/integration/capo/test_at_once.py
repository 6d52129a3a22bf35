# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs at once on one cluster: one works, the other is told who does, and nothing is built twice (CORE-11)."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import running

from .conftest import NewWorld
from .scenarios import GONE, SCENARIOS, Scenario
from .world import MODULE, World

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ROUNDS = 20


def _at_once(world: World, scenario: Scenario, runs: int = 2) -> list[dict[str, Any]]:
    """Their results; every one either succeeded or was told of another."""
    with ExitStack() as until_ended:
        programs = [
            until_ended.enter_context(running(MODULE, world.kubeconfig, **scenario.options(world)))
            for _run in range(runs)
        ]
        for program in programs:
            program.wait(300)
        results = [json.loads(program.stdout) for program in programs]
    for result in results:
        assert not result.get("failed") or result["error_code"] == "locked", result["msg"]
        if result.get("failed"):
            assert "since" in result["msg"] or "Others want it" in result["msg"]
    return results


@pytest.mark.parametrize("name", ["one", "bare"])
def test_two_runs_at_once(new_world: NewWorld, name: str) -> None:
    world, scenario = new_world(), SCENARIOS[name]
    results = _at_once(world, scenario)
    assert any(result["changed"] for result in results)
    scenario.is_whole(world)


@pytest.mark.long
@pytest.mark.parametrize("name", ["build", "bare", "adopt", "shrink", "absent"])
def test_two_runs_at_once_round_after_round(new_world: NewWorld, name: str) -> None:
    scenario = SCENARIOS[name]
    for _round in range(ROUNDS):
        world = new_world()
        scenario.begin(world)
        _at_once(world, scenario)
        scenario.ends(world)
        world.run((), **GONE)
