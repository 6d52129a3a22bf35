# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role says nothing that nobody has said: what has no variable, or an empty one, is the object's (Safe CAPO 5)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._capo_arguments import WANTED
from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT

ROLE = ROOT / "roles" / "capo_multiaz"
MODULE = "edgeworks.lb_estate.capo_multiaz_lb"
# Options that the stages set, not a person; and one of a state that no stage has.
OF_STAGES = {"state", "members_only", "leave_legacy"}
ABSENT = {"adopted"}
# Options with a default of their own, whatever the object says.
SAID = {"cluster", "namespace", "legacy", "traffic_moved", "upkeep", "allow_rebuild", "management_cluster"}


def read(part: str) -> Any:
    return _as_template(yaml.safe_load((ROLE / part).read_text(encoding="utf-8")))


def _as_template(value: Any) -> Any:
    """As Ansible marks what comes from a role's own files."""
    if isinstance(value, dict):
        return {key: _as_template(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_template(item) for item in value]
    return trust_as_template(value) if isinstance(value, str) else value


OMIT = "__left_out__"
DEFAULTS, INTERNAL = read("defaults/main.yml"), read("vars/main.yml")
ARGUMENTS = read("tasks/apply.yml")[0][MODULE]


def passed(**given: Any) -> dict[str, Any]:
    """The module's arguments, as the role's only call of it has them; without those that are left out."""
    variables = {**DEFAULTS, **INTERNAL, "inventory_hostname": "prod", "omit": OMIT, **given}
    templar = Templar(loader=DataLoader(), variables=variables)
    found = {name: templar.template(value) for name, value in ARGUMENTS.items()}
    return {name: value for name, value in found.items() if value != OMIT}


def test_every_option_has_a_variable_with_a_default_and_a_description() -> None:
    for option in set(WANTED) - ABSENT:
        if option not in OF_STAGES:
            assert f"capo_multiaz_{option}" in DEFAULTS, option
        assert option in ARGUMENTS, option
    assert set(DEFAULTS) == set(read("meta/argument_specs.yml")["argument_specs"]["main"]["options"])


def test_what_the_object_may_say_is_not_passed_on_unless_it_was_given() -> None:
    assert {name for name in DEFAULTS if DEFAULTS[name] is None} >= {
        f"capo_multiaz_{option}" for option in set(WANTED) - OF_STAGES - SAID - ABSENT
    }
    assert set(passed()) & set(WANTED) == SAID | OF_STAGES


@pytest.mark.parametrize("nothing", ["", None])
def test_a_question_of_a_survey_that_was_left_empty_says_nothing(nothing: str | None) -> None:
    empty = {f"capo_multiaz_{option}": nothing for option in set(WANTED) - OF_STAGES - SAID - ABSENT}
    assert set(passed(**empty)) & set(WANTED) == SAID | OF_STAGES


@pytest.mark.parametrize(
    ("option", "sent", "value"),
    [
        ("zones", '[{"zone": "az1", "subnet": {"id": "s"}}]', [{"zone": "az1", "subnet": {"id": "s"}}]),
        ("zones", [], []),
        ("zones", "[]", []),
        ("network", '{"id": "n"}', {"id": "n"}),
        ("additional_ports", "[8443, 22]", [8443, 22]),
        ("additional_ports", "8443,22", "8443,22"),
        ("allowed_cidrs", '["10.0.0.0/8", "2001:db8::/32"]', ["10.0.0.0/8", "2001:db8::/32"]),
        ("allowed_cidrs", [], []),
        ("monitor", '{"delay": 5}', {"delay": 5}),
        ("zone_aliases", '{"nova-1": "az1"}', {"nova-1": "az1"}),
        ("floating_ip_by_zone", '{"az1": "203.0.113.1"}', {"az1": "203.0.113.1"}),
        ("tags", '["team=a"]', ["team=a"]),
        ("machines", '[{"name": "cp-0", "address": "10.0.0.4"}]', [{"name": "cp-0", "address": "10.0.0.4"}]),
        ("allow_unhealthy_zones", '["az3"]', ["az3"]),
        ("floating_ips", "false", False),
        ("floating_ips", True, True),
        ("availability_zone_hint", "no", False),
        ("allow_cross_az_members", "true", True),
        ("managed_load_balancer", "false", False),
        ("resolve_endpoint", "false", False),
        ("fixed_ip", "10.0.0.9", "10.0.0.9"),
        ("floating_ip", "203.0.113.9", "203.0.113.9"),
        ("endpoint_host", "api.example.com", "api.example.com"),
        ("traffic_moved_because", "the proxy leads there", "the proxy leads there"),
        ("empty_pools_because", "the zone is closed", "the zone is closed"),
    ],
)
def test_what_was_given_is_passed_on_also_as_awx_sends_it(option: str, sent: Any, value: Any) -> None:
    assert passed(**{f"capo_multiaz_{option}": sent})[option] == value
