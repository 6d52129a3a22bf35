# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change does besides: the load balancer it leaks, the modifications it loses, the node ports that go."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.cloud_controller import lb_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed, Wanted, Way
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Finding
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    cluster,
    strategy,
)

MOVE = Wanted(subnets=Subnets((A,)))
NLB, CLASSIC = strategy("NLB"), strategy("Classic")


def aside(decision: Decision, code: str) -> list[Finding]:
    return [entry for entry in decision.effects if entry.code == code]


@pytest.mark.parametrize(
    ("version", "spec", "to", "command"),
    [
        ("4.21", CLASSIC, "NLB", "aws elb delete-load-balancer --load-balancer-name {}"),
        ("4.16", CLASSIC, "NLB", "aws elb delete-load-balancer --load-balancer-name {}"),
        ("4.21", NLB, "Classic", "aws elbv2 describe-load-balancers --names {}"),
    ],
)
def test_a_type_change_in_place_leaks_the_old_one_by_name(version: str, spec: dict, to: str, command: str) -> None:
    """Safe ingress 9: told before, and, as it then is true, after."""
    (finding,) = aside(planned(Wanted(lb_type=to), Way(), cluster(version, spec=spec)), "lb_leaked")
    name = lb_name("uid-service")
    assert finding.value == name
    assert "old.example.com" in finding.what
    assert command.format(name) in finding.remedy


@pytest.mark.parametrize(
    ("observed", "wanted", "way"),
    [
        pytest.param(cluster("4.22", spec=CLASSIC), Wanted(lb_type="NLB"), Way("delete"), id="from 4.22 on"),
        pytest.param(cluster("4.21", spec=CLASSIC), MOVE, Way("delete"), id="no type change"),
        pytest.param(
            cluster("4.21", spec=CLASSIC),
            Wanted(lb_type="NLB", subnets=Subnets((A,))),
            Way("operator"),
            id="recreated by the very patch",
        ),
    ],
)
def test_a_recreation_leaks_none(observed: Observed, wanted: Wanted, way: Way) -> None:
    assert aside(planned(wanted, way, observed), "lb_leaked") == []


def with_node_ports() -> Observed:
    observed = cluster(spec=CLASSIC)
    ports = [{**port, "nodePort": 30080} for port in plain(observed.service)["spec"]["ports"][:1]]
    edited = merge_patch(observed.service, {"spec": {"ports": [*ports, observed.service["spec"]["ports"][1]]}})
    return Observed(observed.profile, observed.infra, observed.name, observed.ic, edited)


def test_node_ports_that_go_are_told_where_a_recreation_is_planned() -> None:
    (finding,) = aside(planned(MOVE, Way("delete"), with_node_ports()), "node_ports_change")
    assert "30080" in finding.what
    assert aside(planned(MOVE, Way(), with_node_ports()), "node_ports_change") == []


def test_without_a_service_nothing_is_done_to_it() -> None:
    observed = cluster(spec=CLASSIC)
    gone = Observed(observed.profile, observed.infra, observed.name, observed.ic)
    assert planned(MOVE, Way("delete"), gone).effects == ()
