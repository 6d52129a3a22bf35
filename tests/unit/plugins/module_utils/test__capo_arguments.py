# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The argument spec of capo_multiaz_lb: three families of options in one module, and none in another's way."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._arguments import GATE, KUBE, WAIT
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._capo_arguments import OPENSTACK, WANTED, spec

SUBNET = {"id": "cad5a91a"}
FAMILIES = {"kube": KUBE, "openstack": OPENSTACK, "gate": GATE, "wait": WAIT, "wanted": WANTED}


def validated(**given: Any) -> tuple[dict[str, Any], str]:
    found = ArgumentSpecValidator(dict(spec())).validate({"cluster": "prod", **given})
    return dict(found.validated_parameters), "; ".join(found.error_messages)


def test_no_option_or_alias_has_two_meanings() -> None:
    names = [name for part in FAMILIES.values() for name in part]
    aliases = [alias for part in FAMILIES.values() for entry in part.values() for alias in entry.get("aliases", ())]
    assert len({*names, *aliases}) == len(names) + len(aliases)
    assert set(spec()) == set(names)


def test_only_the_cluster_has_to_be_named() -> None:
    assert [name for name, entry in spec().items() if entry.get("required")] == ["cluster"]
    assert validated()[1] == ""


def test_nothing_goes_or_moves_unless_it_is_said() -> None:
    """What destroys, and what a person has to vouch for, is off."""
    found, _problems = validated()
    said = ("traffic_moved", "upkeep", "allow_rebuild", "members_only")
    assert [found[name] for name in said] == [False] * len(said)
    assert (found["allow_disruption"], found["legacy"], found["state"]) == ("none", "adopt", "present")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"zones": [{"zone": "az1", "subnet": SUBNET}]}, ""),
        ({"availability_zone_subnets": [{"availability_zone": "az1", "subnet": SUBNET}]}, ""),
        ({"zones": [{"subnet": SUBNET}]}, "missing required arguments: zone"),
        ({"zones": [{"zone": "az1"}]}, "missing required arguments: subnet"),
        ({"zones": [{"zone": "az1", "subnet": {}}]}, "one of the following is required: id, filter"),
        ({"network": {"id": "a", "filter": {"name": "b"}}}, "mutually exclusive: id|filter"),
        ({"machines": [{"address": "10.0.0.4"}]}, "missing required arguments: name"),
        ({"legacy": "delete"}, "value of legacy must be one of: adopt, keep, retire"),
        ({"monitor": {"interval": 5}}, "monitor.interval"),
    ],
)
def test_the_shape_of_the_mapping(given: dict[str, Any], problem: str) -> None:
    told = validated(**given)[1]
    assert problem in told
    assert bool(told) is bool(problem)


def test_secrets_and_nothing_else_stay_out_of_logs() -> None:
    assert {name for name, entry in spec().items() if entry.get("no_log")} == {
        "proxy",
        "kubeconfig",
        "api_key",
        "password",
        "auth",
    }
