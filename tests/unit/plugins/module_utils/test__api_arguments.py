# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The argument spec of api_slb."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._api_arguments import WANTED, spec


def validated(**given: Any) -> tuple[dict[str, Any], str]:
    found = ArgumentSpecValidator(dict(spec())).validate(given)
    return dict(found.validated_parameters), "; ".join(found.error_messages)


def test_a_task_that_says_nothing_takes_nothing_away() -> None:
    told, problems = validated()
    assert problems == ""
    assert (told["state"], told["public"], told["opt_out"], told["allow_disruption"]) == (
        "present",
        None,
        False,
        "none",
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"handover": {}}, "missing required arguments: stage"),
        ({"handover": {"stage": 4}}, "stage must be one of"),
        ({"addresses": {"pubic": ["x"]}}, "addresses.pubic"),
        ({"annotations": {"internal": ["x"]}}, "internal"),
        ({"aws_internal_addresses": "any"}, "aws_internal_addresses must be one of"),
        ({"public": "perhaps"}, "public"),
    ],
)
def test_typos_are_refused(given: dict[str, Any], problem: str) -> None:
    assert problem in validated(**given)[1]


def test_values_may_come_as_awx_sends_them() -> None:
    told, problems = validated(public="false", handover={"stage": "2"}, wait_timeout="30")
    assert (problems, told["public"], told["handover"]["stage"], told["wait_timeout"]) == ("", False, 2, 30)


def test_no_option_of_its_own_is_a_secret() -> None:
    assert not [name for name, entry in WANTED.items() if entry.get("no_log")]
