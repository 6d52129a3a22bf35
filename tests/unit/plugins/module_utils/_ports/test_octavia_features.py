# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a provider lacks, by its words; and where they say nothing, what the request can best do without."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.octavia_features import (
    featured,
    is_about_the_way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import Unsupported

POOL = {
    "lb_algorithm": "ROUND_ROBIN",
    "members": [{"address": "10.0.0.1"}],
    "healthmonitor": {"type": "TCP"},
}
LISTENER = {"timeout_client_data": 5, "allowed_cidrs": ["10.0.0.0/8"]}
WHOLE = {"availability_zone": "az1", "listeners": [{**LISTENER, "default_pool": POOL}]}
VAGUE = "Provider 'zonal' does not support a requested option: not supported."


def lacks(words: str, resource: str, body: dict[str, Any], verb: str = "create") -> str:
    problem = Unsupported("…", "", provider="", words=words)
    return str(featured(problem, Step("octavia", verb, resource, "n"), body).details["feature"])


@pytest.mark.parametrize(
    ("words", "feature"),
    [
        ("OVN provider does not support ROUND_ROBIN algorithm", "round_robin"),
        ("OVN provider does not support allowed_cidrs option", "allowed_cidrs"),
        ("Subnet is required, or Loadbalancer associated with Pool must have a subnet", "bare_members"),
        ("health monitors are not supported", "health_monitor"),
        ("timeout_client_data is not supported", "timeouts"),
        ("Availability zones are not supported", "availability_zones"),
        ("fully populated load balancers", "tree"),
        (VAGUE, "tree"),
    ],
)
def test_words_tell_and_a_tree_is_the_first_to_go(words: str, feature: str) -> None:
    assert lacks(words, "load_balancer", WHOLE) == feature


@pytest.mark.parametrize(
    ("resource", "verb", "body", "feature"),
    [
        ("load_balancer", "create", {"availability_zone": "az1"}, "availability_zones"),
        ("load_balancer", "create", {}, ""),
        ("load_balancer", "update", {"name": "new"}, ""),
        ("listener", "create", LISTENER, "timeouts"),
        ("listener", "update", {"allowed_cidrs": ["10.0.0.0/8"]}, "allowed_cidrs"),
        ("listener", "update", {"name": "x"}, ""),
        ("pool", "create", POOL, "round_robin"),
        ("members", "replace", {"members": POOL["members"]}, "bare_members"),
        ("members", "replace", {"members": [{"subnet_id": "s"}]}, ""),
        ("health_monitor", "create", {}, "health_monitor"),
        ("health_monitor", "update", {}, ""),
    ],
)
def test_without_words_it_is_what_the_request_can_best_do_without(
    resource: str, verb: str, body: dict[str, Any], feature: str
) -> None:
    assert lacks(VAGUE, resource, body, verb) == feature


def test_words_that_name_what_was_not_asked_for_lead_nowhere() -> None:
    assert lacks("allowed_cidrs is not supported", "load_balancer", {"listeners": [{"default_pool": POOL}]}) == ""


def test_the_provider_is_the_one_that_is_named_else_the_one_asked_for() -> None:
    step = Step("octavia", "create", "load_balancer", "n")
    for said, asked, expected in (("ovn", "x", "ovn"), ("", "x", "x"), ("", "", "")):
        problem = Unsupported("…", "", provider=said, words="")
        assert featured(problem, step, {"provider": asked}).details["provider"] == expected


@pytest.mark.parametrize(
    ("words", "way"),
    [("Provider 'x' does not support a requested action: None", True), ("Subnet is required", False)],
)
def test_a_way_that_is_not_there_is_not_what_was_asked_for(words: str, way: bool) -> None:
    assert is_about_the_way(Unsupported("…", "", words=words)) is way
