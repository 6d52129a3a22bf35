# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When all goes: deleted is what was made here, given back what was adopted (CAPO-13, CAPO-14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import FloatingIp, LoadBalancer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption, Severity, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    LEGACY,
    cluster,
    legacy,
    machines,
    seen,
    tree,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    QUIET,
    built,
    carry_out,
    codes,
)

CREW = machines("az1", "az2", "az3")
GOES = want(state="absent", traffic_moved=True)
ADOPTS = want("az1", allow_cross_az_members=True, **QUIET)


def adopted(lb: LoadBalancer | None = None, **more: Any) -> Cloud:
    cloud = Cloud(seen(load_balancers=(lb or legacy(on=CREW, tags=("theirs",)),), **more))
    carry_out(ADOPTS, cloud)
    return cloud


def names_below(lb: LoadBalancer) -> set[str]:
    members = {member.name.rpartition("-cp")[0] for pool in lb.pools for member in pool.members}
    monitors = {pool.monitor.name for pool in lb.pools if pool.monitor}
    return members | monitors | {one.name for one in (*lb.listeners, *lb.pools)}


def test_one_that_was_adopted_is_as_it_was() -> None:
    cloud = adopted()
    assert cloud.observed.load_balancers[0].name == zone_name("az1")
    decision = decide(replace(GOES, traffic_moved=False), cloud.observed)
    assert (decision.disruption, codes(decision)) == (Disruption.NONE, ["given_back"])
    assert decision.after["single" if "single" in decision.after else "az1"]["name"] == LEGACY
    carry_out(GOES, cloud)
    (back,) = cloud.observed.load_balancers
    assert (back.name, back.tags, names_below(back)) == (LEGACY, ("theirs",), {f"{LEGACY}-6443"})
    assert len(back.pools[0].members) == 3
    again = decide(GOES, cloud.observed)
    assert (again.verdict, again.findings) == (Verdict.IN_SYNC, ())


def test_one_that_was_adopted_under_its_own_name_keeps_it() -> None:
    cloud = adopted(tree(zone_name("az1"), "x", *CREW, description="by hand"))
    carry_out(GOES, cloud)
    (back,) = cloud.observed.load_balancers
    assert (back.name, back.tags) == (zone_name("az1"), ())


def test_an_old_name_that_nobody_wrote_down_is_capos() -> None:
    cloud = adopted()
    (lb,) = cloud.observed.load_balancers
    unsaid = replace(lb, tags=tuple(tag for tag in lb.tags if "was=" not in tag))
    assert decide(GOES, replace(cloud.observed, load_balancers=(unsaid,))).after["az1"]["name"] == LEGACY


def test_what_was_made_here_goes_also_from_one_that_stays() -> None:
    cloud = adopted()
    (lb,) = cloud.observed.load_balancers
    ours = FloatingIp("f", "203.0.113.8", lb.vip_port_id, Identity("default", "demo").description("az1"))
    decision = decide(GOES, replace(cloud.observed, floating_ips=(ours,)))
    assert decision.disruption is Disruption.OUTAGE
    assert (decision.steps[0].verb, decision.steps[0].resource) == ("delete", "floating_ip")
    assert decision.after["az1"]["floating_ip"] == ""


def test_told_otherwise_it_is_deleted() -> None:
    refused = decide(replace(GOES, adopted="delete", traffic_moved=False), adopted().observed)
    assert codes(refused) == ["absent_needs_traffic_moved"]
    cloud = adopted()
    carry_out(replace(GOES, adopted="delete"), cloud)
    assert cloud.observed.load_balancers == ()


@pytest.mark.parametrize(("status", "verb"), [("PENDING_UPDATE", "wait"), ("ERROR", None)])
def test_one_that_takes_no_change_is_waited_for_or_named(status: str, verb: str | None) -> None:
    cloud = adopted()
    stuck = tuple(replace(lb, provisioning_status=status) for lb in cloud.observed.load_balancers)
    decision = decide(GOES, replace(cloud.observed, load_balancers=stuck))
    assert [step.verb for step in decision.steps] == ([verb] if verb else [])
    assert [one.code for one in decision.findings if one.severity is Severity.ERROR] == (
        [] if verb else ["load_balancer_error"]
    )


def test_a_management_cluster_that_does_not_know_the_cluster_deletes_nothing_of_its() -> None:
    """The wrong context, most likely."""
    cloud = built(want("az1"), project="p", cluster=cluster(uid="u"))
    lost = replace(cloud.observed, cluster=None)
    refused = decide(GOES, lost)
    assert (refused.verdict, codes(refused), refused.steps) == (Verdict.BLOCKED, ["cluster_not_there"], ())
    assert decide(replace(GOES, former_uids=("u",)), lost).changed
    unread = replace(lost, record=replace(lost.record, kind="none"))
    assert decide(GOES, unread).changed
