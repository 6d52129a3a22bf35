# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options over what the object itself asks for (CAPO-1)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    Machine,
    MonitorSpec,
    Ref,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo_options import (
    desired_state,
    machines_given,
)

WHO = {"namespace": "capi", "cluster": "prod"}


def wanted(wishes: dict[str, Any] | None = None, **options: Any) -> CapoDesired:
    return desired_state(WHO | options, wishes or {})


def test_what_nobody_says_has_its_default() -> None:
    assert wanted() == CapoDesired("capi", "prod")


def test_what_the_object_says_counts_where_the_task_is_silent() -> None:
    wishes = {"endpoint_host": "api", "allowed_cidrs": ("10.0.0.0/8",), "monitor": MonitorSpec(delay=7)}
    assert wanted(wishes, endpoint_host=None) == CapoDesired("capi", "prod", **wishes)


@pytest.mark.parametrize("given", [[], ["192.0.2.0/24"]])
def test_an_option_that_is_given_counts_also_an_empty_one(given: list[str]) -> None:
    assert wanted({"allowed_cidrs": ("10.0.0.0/8",)}, allowed_cidrs=given).allowed_cidrs == tuple(given)


def test_zones_and_networks_are_references() -> None:
    zones = [
        {"zone": "az1", "subnet": {"id": "s1", "filter": None}},
        {"zone": "az2", "subnet": {"id": None, "filter": {"name": "two"}}},
    ]
    found = wanted(zones=zones, network={"id": "net", "filter": None})
    assert found.zones == (ZoneSubnet("az1", Ref("s1")), ZoneSubnet("az2", Ref(filter={"name": "two"})))
    assert found.network == Ref("net")


def test_zero_and_nothing_in_a_monitor_mean_the_default() -> None:
    given = {"delay": 20, "timeout": 0, "max_retries": None, "max_retries_down": 4}
    assert wanted(monitor=given).monitor == MonitorSpec(delay=20, max_retries_down=4)


def test_machines_of_the_task_come_in_a_stable_order() -> None:
    given = [
        {"name": "b", "address": None, "failure_domain": None, "deleting": True},
        {"name": "a", "address": "10.0.0.1", "failure_domain": "az1", "deleting": False},
    ]
    assert machines_given({"machines": given}) == (Machine("a", "10.0.0.1", "az1"), Machine("b", deleting=True))


@pytest.mark.parametrize(("options", "found"), [({}, None), ({"machines": None}, None), ({"machines": []}, ())])
def test_an_empty_list_is_a_list(options: dict[str, Any], found: Any) -> None:
    assert machines_given(options) == found
