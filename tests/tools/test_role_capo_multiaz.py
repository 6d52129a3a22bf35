# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role says nothing that nobody has said: what has no variable, or an empty one, is the object's (Safe CAPO 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._capo_arguments import WANTED
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import Stage
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
    found = passed(**{f"capo_multiaz_{option}": sent})[option]
    assert (boolean(found) if isinstance(value, bool) else found) == value


@pytest.mark.parametrize("option", [name for name, spec in WANTED.items() if spec["type"] in ("bool", "int")])
@pytest.mark.parametrize("typo", ["ture", "yess", "-", 0, "6o"])
def test_no_filter_makes_an_answer_of_a_typo(option: str, typo: Any) -> None:
    """`| bool` takes anything for no, and `| int` for 0: the module has to see what was said."""
    if option not in OF_STAGES:
        assert passed(**{f"capo_multiaz_{option}": typo, "capo_multiaz__traffic_moved": typo})[option] == typo


def test_every_switch_is_checked_before_the_first_stage() -> None:
    """One whose type the role's specification does not tell, as it may be empty, is checked by the role itself."""
    options = read("meta/argument_specs.yml")["argument_specs"]["main"]["options"]
    switches = {f"capo_multiaz_{name}" for name, spec in WANTED.items() if spec["type"] == "bool"} & set(DEFAULTS)
    checked = {name for name in switches if options[name]["type"] == "bool"}
    assert set(INTERNAL["capo_multiaz__switches"]) == switches - checked


@pytest.mark.parametrize(
    ("value", "good"), [("ture", False), ("", True), (None, True), ("No", True), (True, True), ("2", False)]
)
def test_what_a_switch_may_say(value: Any, good: bool) -> None:
    (task,) = read("tasks/switches.yml")
    variables = {**DEFAULTS, **INTERNAL, "capo_multiaz__switch": {"key": "x", "value": value}}
    condition = trust_as_template("{{ " + task["ansible.builtin.assert"]["that"] + " }}")
    assert Templar(loader=DataLoader(), variables=variables).template(condition) is good


RECORDS = {
    "host": "api.example.com",
    "missing": ["192.0.2.1"],
    "withhold": [{"zone": "az2", "reason": "none of its members is ONLINE"}],
}


def test_a_stage_that_waited_in_vain_says_for_what() -> None:
    (waiting,) = [one for one in read("tasks/dns.yml") if "block" in one]
    (told,) = waiting["rescue"]

    def said(result: dict[str, Any]) -> Any:
        variables = {**DEFAULTS, **INTERNAL, **told["vars"], "capo_multiaz_result": result}
        return Templar(loader=DataLoader(), variables=variables).template(told["ansible.builtin.fail"]["msg"])

    text = said({"dns_records": RECORDS})
    assert "api.example.com does not lead to every zone after 60 looks. Missing in DNS: 192.0.2.1." in text
    assert "Not to be published: az2: none of its members is ONLINE." in text
    assert "Missing in DNS: nothing. Not to be published: nothing." in said(
        {"dns_records": {**RECORDS, "missing": None, "withhold": []}}
    )
    assert said({"msg": "No answer.", "error_code": "unreachable"}) == "No answer."


@pytest.mark.parametrize("entry", ["main", "upkeep"])
def test_every_way_in_checks_what_it_was_given(entry: str) -> None:
    included = [one.get("ansible.builtin.include_tasks") for one in read(f"tasks/{entry}.yml")]
    assert "switches.yml" in included
    assert set(read("meta/argument_specs.yml")["argument_specs"][entry]["options"]) == set(DEFAULTS)


def test_a_schedule_runs_the_upkeep_whatever_the_stages_are() -> None:
    """An extra variable goes over everything that a playbook says."""
    plays = yaml.safe_load((ROOT / "playbooks" / "capo_members.yml").read_text(encoding="utf-8"))
    (included,) = [
        one["ansible.builtin.include_role"] for one in plays[-1]["tasks"] if "ansible.builtin.include_role" in one
    ]
    assert included["tasks_from"] == "upkeep.yml"
    assert (
        "capo_multiaz_stages" not in (ROLE / "tasks" / "upkeep.yml").read_text(encoding="utf-8").partition("- name")[2]
    )


@pytest.mark.parametrize("playbook", ["capo_members.yml", "capo_multiaz.yml"])
def test_a_playbook_on_no_host_fails(playbook: str, tmp_path: Path) -> None:
    done = Stage(tmp_path, {"bystander": {}}).playbook(playbook, capo_multiaz_hosts="nobody")
    assert done.returncode != 0
    assert "The inventory has no host in nobody" in done.stdout
