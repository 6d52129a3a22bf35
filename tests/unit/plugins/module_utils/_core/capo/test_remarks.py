# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person should know although nothing follows from it (CORE-7, Safe CAPO 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import Machine, OpenStackCluster
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    machines,
    seen,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import built

CREW = machines("az1")
FAR = (*CREW, Machine("far", "172.20.0.4", "az1"))
ROUTED = cluster(router_ips=("203.0.113.1",))


@pytest.mark.parametrize(
    ("cidrs", "facts", "crew", "more", "named"),
    [
        (None, None, CREW, {}, []),
        ((), None, CREW, {}, []),
        (("198.51.100.0/24",), ROUTED, CREW, {}, []),
        (("198.51.100.0/24",), ROUTED, FAR, {}, ["machine far 172.20.0.4"]),
        (("198.51.100.0/24", "172.20.0.0/16"), ROUTED, FAR, {}, []),
        (("198.51.100.0/24",), cluster(), CREW, {"floating_ips": False}, []),
        (("198.51.100.0/24",), cluster(), CREW, {}, ["nobody knows the address that the router shows outside"]),
        (
            ("198.51.100.0/24",),
            None,
            CREW,
            {"floating_ips": False, "legacy": "keep"},
            ["machine cp-az1-0 10.0.1.0", "nobody knows the subnets of the nodes"],
        ),
    ],
)
def test_a_list_that_may_shut_the_cluster_itself_out_says_whom(
    cidrs: Any, facts: OpenStackCluster | None, crew: Any, more: dict[str, Any], named: list[str]
) -> None:
    world = replace(seen(machines=crew), cluster=facts)
    wish = want("az1", allowed_cidrs=cidrs, floating_network_id="ext", **more)
    found = [one for one in decide(wish, world).findings if one.code == "cluster_locked_out"]
    assert [list(one.value) for one in found] == ([named] if named else [])
    assert all(name in one.what for one in found for name in named)


def test_back_to_one_says_which_stays_and_where_it_is_reached() -> None:
    """Safe CAPO 15."""
    cloud = built(want("az1", "az2"))
    told = next(one for one in decide(want(), cloud.observed).findings if one.code == "single_stays")
    first = next(lb for lb in cloud.observed.load_balancers if lb.name == zone_name("az1"))
    ip = cloud.observed.floating_ip_on(first.vip_port_id)
    assert ip is not None
    assert (told.where, told.value) == (first.name, first.id)
    assert told.what.endswith(f"VIP {first.vip_address}, floating IP {ip.address}.")
    assert "single_stays" not in [one.code for one in decide(want(), seen()).findings]


@pytest.mark.parametrize(("allowed", "told"), [("0.0.0.0/0", False), ("198.51.100.0/24", True)])
def test_a_list_that_lets_everybody_in_shuts_nobody_out(allowed: str, told: bool) -> None:
    decision = decide(want("az1", allowed_cidrs=(allowed,)), seen(cluster=cluster(subnets=())))
    assert ("cluster_locked_out" in [one.code for one in decision.findings]) is told
