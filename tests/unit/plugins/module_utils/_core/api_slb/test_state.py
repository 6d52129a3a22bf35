# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants, from its options."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.state import (
    Handover,
    WantedApi,
    nothing_observed,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra

OPTIONS: dict[str, Any] = {
    "state": "present",
    "public": None,
    "machine_config_server": True,
    "opt_out": False,
    "addresses": {"public": ["20.0.0.7"], "private": None},
    "subnets": None,
    "annotations": None,
    "selectors": None,
    "aws_internal_addresses": "fixed",
    "other_paths": ["bastion"],
    "vouched_paths": [],
    "handover": {"stage": 2, "bootstrap_addresses": ["10.0.0.2"], "domain": None, "ttl": 30, "public_zone": "ZPUB"},
}


def test_options_become_a_value() -> None:
    found = WantedApi.by(OPTIONS)
    assert (found.addresses, found.other_paths) == ({"public": ("20.0.0.7",)}, ("bastion",))
    assert found.handover == Handover(2, ("10.0.0.2",), "", 30, "ZPUB")
    assert WantedApi.by({**OPTIONS, "handover": None}).handover is None


def test_both_internal_ones_are_in_the_same_subnets_unless_told_otherwise() -> None:
    shared = WantedApi(subnets={"private": ("subnet-a",), "public": ("subnet-b",)})
    assert [shared.subnets_of(slb) for slb in BY_ROLE.values()] == [("subnet-b",), ("subnet-a",), ("subnet-a",)]
    own = WantedApi(subnets={"private": ("subnet-a",), "machine_config_server": ("subnet-c",)})
    assert [own.subnets_of(slb) for slb in BY_ROLE.values()] == [(), ("subnet-a",), ("subnet-c",)]


def test_nothing_there() -> None:
    assert {seen.service for seen in nothing_observed(Infra("AWS")).values()} == {None}
