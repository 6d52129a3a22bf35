# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A refused request for a load balancer leaves no VIP port behind, and nothing of anybody else's is touched."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Forbidden,
    Invalid,
    OutcomeUnknown,
    PortError,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.octavia_leftovers import Leftovers
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import TableCloud, no_time

PORTS = "GET /ports"


def port(name: str) -> dict[str, Any]:
    return {"id": f"port-{name}", "device_id": f"lb-{name}"}


def refused(cloud: TableCloud, problem: PortError) -> list[str]:
    """What was deleted."""
    with pytest.raises(type(problem)), Leftovers(cloud, no_time()).cleared("s1"):
        raise problem
    return cloud.asked("DELETE")


def ports(*lists: list[dict[str, Any]]) -> dict[str, Any]:
    return {PORTS: [{"ports": one} for one in lists]}


def test_the_port_of_the_refused_one_goes() -> None:
    cloud = TableCloud(ports([port("old")], [port("old"), port("new")]))
    assert refused(cloud, Invalid("no")) == ["DELETE /ports/port-new"]
    assert cloud.calls[0].query["fixed_ips"] == "subnet_id=s1"


def test_one_whose_load_balancer_appears_meanwhile_is_somebody_elses() -> None:
    table = ports([], [port("theirs")])
    table["GET /lbaas/loadbalancers/theirs"] = [CloudAnswer(404), {"loadbalancer": {"id": "theirs"}}]
    assert refused(TableCloud(table), Invalid("no")) == []


def test_and_one_that_has_it_already_is_not_even_waited_for() -> None:
    patience = no_time()
    cloud = TableCloud(ports([], [port("theirs")]) | {"GET /lbaas/loadbalancers/theirs": {"loadbalancer": {}}})
    with pytest.raises(Invalid), Leftovers(cloud, patience).cleared("s1"):
        raise Invalid("no")
    assert (cloud.asked("DELETE"), patience.clock()) == ([], 0)


def test_a_request_that_may_still_be_at_work_keeps_its_port() -> None:
    assert refused(TableCloud(ports([], [port("new")])), OutcomeUnknown("?")) == []


def test_ports_that_may_not_be_seen_are_no_reason_to_build_nothing() -> None:
    cloud = TableCloud({PORTS: CloudAnswer(403, {"NeutronError": {"type": "Forbidden", "message": "no"}})})
    built = []
    with Leftovers(cloud, no_time()).cleared("s1"):
        built.append("lb")
    assert built == ["lb"]
    assert refused(cloud, Forbidden("no")) == []
