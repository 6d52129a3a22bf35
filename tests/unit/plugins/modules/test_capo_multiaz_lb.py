# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""capo_multiaz_lb says of itself what it does."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Target, Verdict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import result
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    example_problems,
    names_of,
    option_problems,
    returned,
    sample_problems,
    section,
)

NAME = "capo_multiaz_lb"
STANDING = ("api_server_load_balancers", "mirror", "mirror_zone", "dns_records", "counts", "timings")
PLANNED = ("drift", "awaiting", "reasons")


def test_the_documented_options_are_those_of_the_argument_spec() -> None:
    assert option_problems(NAME) == []


def test_the_examples_are_tasks_it_would_take() -> None:
    assert example_problems(NAME) == []


def test_what_is_documented_as_returned_is_the_plan_and_what_stands() -> None:
    """Of the engine's result all but what belongs to IngressControllers; the rest is this module's own."""
    plan = names_of(result(Decision(Target("APILoadBalancers", "prod"), Verdict.IN_SYNC, ""), changed=False))
    assert plan - returned(NAME) == {"pending", "revert_patch", "revert_disruption", "commands", "profile"}
    assert returned(NAME) - plan == {*STANDING, *PLANNED, "planned"}
    told = section(NAME, "RETURN")
    assert {told[name]["returned"] for name in STANDING} == {"always"}
    assert {told[name]["returned"] for name in PLANNED} == {"when there was a plan"}


def test_the_samples_could_be_results() -> None:
    assert sample_problems(NAME) == []
