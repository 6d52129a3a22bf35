# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of tasks that change something, as the argument specs have them."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._arguments import GATE, WAIT, effectuate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    Options,
    fragment,
    fragment_problems,
    users,
)


@pytest.mark.parametrize(("name", "spec"), [("change", {**GATE, **WAIT}), ("change.effectuate", effectuate())])
def test_what_is_documented_is_what_the_argument_specs_have(name: str, spec: Options) -> None:
    assert fragment_problems(name, spec) == []


def test_it_is_for_every_module_that_changes_something() -> None:
    assert users("change") == [name for name, task in TASKS.items() if task.topic is not None]


def test_what_may_be_allowed_is_what_a_step_can_cost() -> None:
    choices = fragment("change")["options"]["allow_disruption"]["choices"]
    assert choices == [level.value for level in sorted(Disruption, key=lambda level: level.rank)]


def test_every_way_to_effectuate_is_explained() -> None:
    option = fragment("change.effectuate")["options"]["effectuate"]
    told = " ".join(option["description"])
    assert [way for way in option["choices"] if f"V({way})" not in told] == []
