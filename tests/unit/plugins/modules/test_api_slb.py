# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""api_slb says of itself what it does."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    example_problems,
    names_of,
    option_problems,
    returned,
    sample_problems,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import perform_on, platform_objects

NAME = "api_slb"


def test_the_documented_options_are_those_of_the_argument_spec() -> None:
    assert option_problems(NAME) == []


def test_the_examples_are_tasks_it_would_take() -> None:
    """A template stands for what an earlier task returned."""
    assert [text for text in example_problems(NAME) if "objects" not in text] == []


def test_what_is_documented_as_returned_is_what_a_result_has() -> None:
    for given in ({"opt_out": True}, {"public": True, "addresses": {"public": ["20.0.0.7"], "private": ["10.0.0.7"]}}):
        assert returned(NAME) == names_of(perform_on(platform_objects("Azure"), NAME, **given))


def test_the_samples_could_be_results() -> None:
    assert sample_problems(NAME) == []
