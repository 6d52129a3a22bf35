# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role passes on every option of api_slb that inventory data may have, and says nothing that nobody has said."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._api_arguments import WANTED
from ansible_collections.edgeworks.lb_estate.tests.lab import ROOT

ROLE = ROOT / "roles" / "api_slb_handover"
MODULE = "edgeworks.lb_estate.api_slb"
# Options that are the role's own business.
OF_THE_ROLE = {"state", "handover", "objects"}
OMIT = "__left_out__"


def read(part: str) -> Any:
    return _as_template(yaml.safe_load((ROLE / part).read_text(encoding="utf-8")))


def _as_template(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_template(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_template(item) for item in value]
    return trust_as_template(value) if isinstance(value, str) else value


DEFAULTS, INTERNAL = read("defaults/main.yml"), read("vars/main.yml")
ARGUMENTS = next(task[MODULE] for task in read("tasks/main.yml") if MODULE in task)


def passed(**given: Any) -> dict[str, Any]:
    variables = {**DEFAULTS, **INTERNAL, "omit": OMIT, "api_slb_handover_stage": 2, **given}
    templar = Templar(loader=DataLoader(), variables=variables)
    found = {name: templar.template(value) for name, value in ARGUMENTS.items()}
    return {name: value for name, value in found.items() if value != OMIT}


def test_every_option_is_known_and_passed_on() -> None:
    known = set(INTERNAL["api_slb_handover__known"])
    assert known == set(WANTED) - OF_THE_ROLE | {"platform", "version"}
    assert known <= set(ARGUMENTS)
    assert set(DEFAULTS) == set(read("meta/argument_specs.yml")["argument_specs"]["main"]["options"])


def test_what_nobody_says_is_not_passed_on() -> None:
    assert set(passed()) & set(WANTED) == {"handover"}


@pytest.mark.parametrize("sent", [{"public": False, "other_paths": ["a"]}, '{"public": false, "other_paths": ["a"]}'])
def test_inventory_data_also_as_awx_sends_it(sent: Any) -> None:
    found = passed(lb_estate_api=sent, api_slb_handover_bootstrap_addresses='["10.0.0.2"]')
    assert (found["public"], found["other_paths"]) == (False, ["a"])
    assert found["handover"]["bootstrap_addresses"] == ["10.0.0.2"]
