# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When all goes: deleted is what was made here, given back what was adopted (CAPO-13, CAPO-14; Safe CAPO 1, 2)."""

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


def test_a_floating_ip_that_goes_is_as_good_as_an_address_that_goes() -> None:
    """What stays is no matter of DNS: only what the endpoint would lose is asked for."""
    cloud = adopted()
    (lb,) = cloud.observed.load_balancers
    ours = FloatingIp("f", "203.0.113.8", lb.vip_port_id, Identity("default", "demo").description("az1"))
    world = replace(cloud.observed, floating_ips=(ours,), endpoint_addresses=(ours.address,))
    assert codes(decide(replace(GOES, traffic_moved=False), world)) == ["absent_needs_traffic_moved"]
    assert codes(decide(GOES, world)) == ["endpoint_needs_it"]
    assert decide(GOES, replace(world, endpoint_addresses=(lb.vip_address,))).changed
    without = replace(world, floating_ips=(), endpoint_addresses=(lb.vip_address,))
    assert decide(replace(GOES, traffic_moved=False), without).changed


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


class TestAbsent:
    def test_everything_of_ours_goes_the_mirrored_zone_last(self) -> None:
        cloud = built(want("az2", "az1", "az3"))
        decision = carry_out(want("az2", "az1", "az3", state="absent", traffic_moved=True), cloud)
        gone = [step.name for step in decision.steps if step.resource == "load_balancer"]
        assert gone[-1] == zone_name("az2")
        assert decision.disruption is Disruption.OUTAGE
        assert cloud.observed.load_balancers == ()
        assert cloud.observed.floating_ips == ()
        assert not cloud.observed.record.exists
        assert decide(want(state="absent"), cloud.observed).verdict is Verdict.IN_SYNC

    def test_not_before_somebody_says_that_nobody_needs_them(self) -> None:
        cloud = built(want("az1"))
        decision = decide(want("az1", state="absent"), cloud.observed)
        assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "absent_needs_traffic_moved")

    def test_a_cluster_that_is_being_deleted_says_it_itself(self) -> None:
        cloud = built(want("az1"))
        cloud.observed = replace(cloud.observed, cluster=cluster(deleting=True))
        carry_out(want("az1", state="absent"), cloud)
        assert cloud.observed.load_balancers == ()

    @pytest.mark.parametrize(
        ("leads_to", "code"),
        [
            (None, "endpoint_not_asked"),
            ((), "endpoint_unresolved"),
            (("198.51.100.7",), None),
        ],
    )
    def test_a_cluster_that_lives_has_its_clients_elsewhere(self, leads_to: Any, code: str | None) -> None:
        """Safe CAPO 1, as far as it applies where nothing is to stay."""
        cloud = built(want("az1"))
        wish = want("az1", state="absent", traffic_moved=True, traffic_moved_because="")
        decision = decide(wish, replace(cloud.observed, endpoint_addresses=leads_to))
        assert [one.code for one in decision.errors] == ([code] if code else [])
        assert bool(decision.steps) is (code is None)
        used = replace(cloud.observed, endpoint_addresses=(cloud.observed.floating_ips[0].address,))
        assert decide(wish, used).errors[0].code == "endpoint_needs_it"
        said = replace(wish, traffic_moved_because="the cluster is deleted next")
        assert decide(said, used).errors[0].code == "endpoint_needs_it"
        assert decide(said, replace(used, endpoint_addresses=None)).changed

    def test_zones_no_longer_in_the_inventory_are_found_by_their_marks(self) -> None:
        cloud = built(want("az1", "az2"))
        carry_out(want(state="absent", traffic_moved=True), cloud)
        assert cloud.observed.load_balancers == ()

    @pytest.mark.parametrize("managed", [True, False])
    def test_what_is_not_ours_stays(self, managed: bool) -> None:
        others = replace(legacy(on=CREW), id="other", name=zone_name("az9"))
        world = seen(load_balancers=(legacy(on=CREW), others), cluster=cluster(managed_lb_enabled=managed))
        decision = decide(want("az1", state="absent", traffic_moved=True), world)
        assert (decision.verdict, decision.steps) == (Verdict.IN_SYNC, ())

    def test_a_load_balancer_in_error_can_still_be_deleted_and_a_pending_one_is_waited_for(self) -> None:
        cloud = built(want("az1", "az2"))
        states = {zone_name("az1"): "ERROR", zone_name("az2"): "PENDING_UPDATE"}
        lbs = tuple(replace(lb, provisioning_status=states[lb.name]) for lb in cloud.observed.load_balancers)
        cloud.observed = replace(cloud.observed, load_balancers=lbs)
        wish = want("az1", "az2", state="absent", traffic_moved=True)
        first = carry_out(wish, cloud)
        assert [step.verb for step in first.steps if step.resource == "load_balancer"] == ["wait", "delete"]
        assert cloud.observed.record.exists
        carry_out(wish, cloud)
        assert cloud.observed.load_balancers == ()
        assert not cloud.observed.record.exists
