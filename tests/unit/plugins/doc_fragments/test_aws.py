# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""amazon.aws's options as the argument specs have them, their environment variables included."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._arguments import aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    fragment,
    fragment_problems,
    users,
)


def test_what_is_documented_is_what_the_argument_specs_have() -> None:
    assert fragment_problems("aws", aws()) == []


def test_it_is_for_every_module_that_may_ask_aws() -> None:
    assert users("aws") == [name for name, task in TASKS.items() if "preflight" in task.spec()]


@pytest.mark.parametrize("option", [name for name, entry in aws().items() if "fallback" in entry])
def test_the_environment_variable_that_is_named_is_read(option: str) -> None:
    told = fragment("aws")["options"][option]["description"].partition("E(")[2].partition(")")[0]
    _read, variables = aws()[option]["fallback"]
    assert told == variables[0]


def test_the_choices_of_preflight_are_explained() -> None:
    told = " ".join(fragment("aws")["options"]["preflight"]["description"])
    assert [choice for choice in aws()["preflight"]["choices"] if f"V({choice})" not in told] == []
