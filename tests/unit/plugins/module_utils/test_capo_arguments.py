# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of capo_multiaz_lb: three families of names in one spec, and none hides another."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils import _arguments, _capo_arguments
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import LEGACY, STATES

WHO = {"cluster": "prod"}


def problems(**options: Any) -> list[str]:
    return ArgumentSpecValidator(dict(_capo_arguments.spec())).validate(WHO | options).error_messages


def test_no_option_stands_for_two_things() -> None:
    families = (_arguments.KUBE, _arguments.GATE, _arguments.WAIT, _capo_arguments.OPENSTACK, _capo_arguments.WANTED)
    names = Counter(name for family in families for key in family for name in (key, *family[key].get("aliases", ())))
    assert [name for name, times in names.items() if times > 1] == []
    assert len(_capo_arguments.spec()) == sum(map(len, families))


def test_choices_are_the_cores_own() -> None:
    spec = _capo_arguments.spec()
    assert (tuple(spec["state"]["choices"]), tuple(spec["legacy"]["choices"])) == (STATES, LEGACY)


def test_secrets_are_kept_out_of_logs() -> None:
    spec = _capo_arguments.spec()
    assert spec["auth"]["no_log"] is True
    assert spec["key"]["no_log"] is False  # the path of a file


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"zones": [{"zone": "az1"}]}, "subnet"),
        ({"zones": [{"zone": "az1", "subnet": {}}]}, "one of the following is required"),
        ({"network": {"id": "n", "filter": {"name": "n"}}}, "mutually exclusive"),
        ({"machines": [{"address": "10.0.0.1"}]}, "name"),
        ({"legacy": "burn"}, "value of legacy must be one of"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(options: dict[str, Any], words: str) -> None:
    assert words in "; ".join(problems(**options))


def test_a_mapping_is_taken_under_its_name_in_the_proposal() -> None:
    mapping = [{"availability_zone": "az1", "subnet": {"filter": {"name": "vip"}}}]
    assert problems(availability_zone_subnets=mapping) == []
