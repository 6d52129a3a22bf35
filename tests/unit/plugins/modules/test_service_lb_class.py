# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""service_lb_class says of itself what it does."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    example_problems,
    names_of,
    option_problems,
    returned,
    sample_problems,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    service,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    perform_on,
    platform_objects,
)

NAME = "service_lb_class"


def test_the_documented_options_are_those_of_the_argument_spec() -> None:
    assert option_problems(NAME) == []


def test_the_examples_are_tasks_it_would_take() -> None:
    assert example_problems(NAME) == []


def test_what_is_documented_as_returned_is_what_a_result_has() -> None:
    memory = platform_objects("GCP")
    memory.put("services", service())
    place = {"namespace": "shop", "name": "front"}
    result = perform_on(memory, NAME, service=place, lb_class=CLASS, known_classes={CLASS: "us"})
    assert returned(NAME) == names_of(result)


def test_the_samples_could_be_results() -> None:
    assert sample_problems(NAME) == []
