# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""window_info says of itself what it does."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._windows import look
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    example_problems,
    names_of,
    option_problems,
    returned,
    sample_problems,
)

NAME = "window_info"


def test_the_documented_options_are_those_of_the_argument_spec() -> None:
    assert option_problems(NAME) == []


def test_the_examples_are_tasks_it_would_take() -> None:
    assert example_problems(NAME) == []


def test_what_is_documented_as_returned_is_what_a_result_has() -> None:
    assert returned(NAME) == names_of(look({}))


def test_the_samples_could_be_results() -> None:
    assert sample_problems(NAME) == []
