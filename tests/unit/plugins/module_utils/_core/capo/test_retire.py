# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replace, shrink, disable, retire, remove (CAPO-8, CAPO-12, CAPO-13; facts: capo §11.2, §11.5, §11.10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity, retiring_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    FloatingIp,
    Member,
    Ref,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    LEGACY,
    cluster,
    legacy,
    machines,
    seen,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import built, carry_out

DEMO = Identity("default", "demo")
CREW = machines("az1", "az2", "az3")


def names(cloud: Cloud) -> list[str]:
    return sorted(lb.name for lb in cloud.observed.load_balancers)


def elsewhere(**more: Any) -> CapoDesired:
    """Zone az1 on another subnet than before."""
    return replace(want("az1", "az2", **more), zones=(ZoneSubnet("az1", Ref("s3")), ZoneSubnet("az2", Ref("s2"))))


class TestReplace:
    def test_the_new_one_stands_before_the_old_one_goes(self) -> None:
        cloud = built(want("az1", "az2"))
        decision = carry_out(elsewhere(), cloud)
        assert decision.verdict is Verdict.RECREATE
        assert decision.disruption is Disruption.NONE
        assert names(cloud) == [zone_name("az1"), retiring_name(zone_name("az1")), zone_name("az2")]
        waiting = decide(elsewhere(), cloud.observed)
        assert (waiting.verdict, waiting.details["awaiting"]) == (Verdict.IN_PROGRESS, ("traffic_moved",))

    def test_it_goes_with_what_we_made_once_traffic_has_moved(self) -> None:
        cloud = built(want("az1", "az2"))
        carry_out(elsewhere(), cloud)
        decision = carry_out(elsewhere(traffic_moved=True), cloud)
        assert [(step.verb, step.resource) for step in decision.steps] == [
            ("delete", "floating_ip"),
            ("delete", "load_balancer"),
        ]
        assert all(step.point_of_no_return for step in decision.steps)
        assert names(cloud) == [zone_name("az1"), zone_name("az2")]
        assert len(cloud.observed.floating_ips) == 2
        assert decide(elsewhere(traffic_moved=True), cloud.observed).verdict is Verdict.IN_SYNC

    def test_saying_it_before_the_new_one_exists_is_refused_as_a_whole(self) -> None:
        """Else the same input would build in one run and delete in the next (CORE-4)."""
        cloud = built(want("az1", "az2"))
        decision = decide(elsewhere(traffic_moved=True), cloud.observed)
        assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "traffic_moved_too_early")
        assert not decision.steps

    def test_a_mapping_put_back_takes_the_old_one_back(self) -> None:
        """Reversible until the point of no return: the one that fits again is used, the other one retires."""
        cloud = built(want("az1", "az2"))
        carry_out(elsewhere(), cloud)
        carry_out(want("az1", "az2"), cloud)
        subnets = {lb.name: lb.vip_subnet_id for lb in cloud.observed.load_balancers}
        assert subnets == {zone_name("az1"): "s1", retiring_name(zone_name("az1")): "s3", zone_name("az2"): "s2"}
        final = decide(want("az1", "az2"), cloud.observed)
        assert not final.changed
        kept = next(one for one in final.standing["api_server_load_balancers"] if one["availabilityZone"] == "az1")
        assert kept["loadBalancerNetwork"]["subnets"][0]["id"] == "s1"


class TestShrink:
    def test_a_zone_that_left_the_mapping_serves_until_traffic_has_moved(self) -> None:
        cloud = built(want("az1", "az2"))
        decision = decide(want("az1"), cloud.observed)
        assert decision.verdict is Verdict.IN_PROGRESS
        assert decision.findings[0].code == "awaiting_traffic_moved"
        assert "traffic_moved: true" in decision.findings[0].remedy

    def test_the_others_are_untouched(self) -> None:
        cloud = built(want("az1", "az2", "az3"))
        stays = next(lb for lb in cloud.observed.load_balancers if lb.name == zone_name("az1"))
        decision = carry_out(want("az1", traffic_moved=True), cloud)
        assert {step.lane for step in decision.steps} == {"az2", "az3", "record"}
        assert cloud.observed.load_balancers == (stays,)
        assert [one["availabilityZone"] for one in cloud.observed.record.entries] == ["az1"]

    def test_one_that_nothing_proves_to_be_ours_is_left_and_told(self) -> None:
        cloud = built(want("az1", "az2"))
        bare = tuple(
            replace(lb, tags=(), description="") if lb.name == zone_name("az2") else lb
            for lb in cloud.observed.load_balancers
        )
        unproven = replace(cloud.observed, load_balancers=bare, record=seen().record)
        decision = decide(want("az1", traffic_moved=True), unproven)
        assert not any(step.verb == "delete" for step in decision.steps)
        assert "left_alone" in [finding.code for finding in decision.findings]

    def test_the_last_way_to_the_api_is_never_deleted(self) -> None:
        cloud = built(want("az1", "az2"))
        sick = tuple(
            replace(
                lb,
                pools=tuple(
                    replace(pool, members=tuple(replace(one, operating_status="ERROR") for one in pool.members))
                    for pool in lb.pools
                ),
            )
            for lb in cloud.observed.load_balancers
        )
        decision = decide(want("az1", traffic_moved=True), replace(cloud.observed, load_balancers=sick))
        assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "no_healthy_zone")

    def test_health_that_this_very_plan_removes_does_not_count(self) -> None:
        cloud = built(want("az1", "az2"))
        ghost = Member("x", f"{zone_name('az1')}-6443-gone", "10.0.1.200", 6443, operating_status="ONLINE")
        haunted = tuple(
            replace(lb, pools=(replace(lb.pools[0], members=(ghost,)),)) if lb.name == zone_name("az1") else lb
            for lb in cloud.observed.load_balancers
        )
        decision = decide(want("az1", traffic_moved=True), replace(cloud.observed, load_balancers=haunted))
        assert decision.errors[0].code == "no_healthy_zone"

    def test_what_the_endpoint_still_leads_to_stays_whatever_is_said(self) -> None:
        cloud = built(want("az1", "az2"))
        address = next(ip.address for ip in cloud.observed.floating_ips if ip.description == DEMO.description("az2"))
        led = replace(cloud.observed, endpoint_addresses=(address,))
        decision = decide(want("az1", traffic_moved=True), led)
        assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "endpoint_needs_it")
        moved = replace(cloud.observed, endpoint_addresses=("203.0.113.254",))
        assert decide(want("az1", traffic_moved=True), moved).changed


class TestDisable:
    def test_back_to_one_keeps_the_mirrored_zones_and_gives_it_every_machine(self) -> None:
        cloud = built(want("az2", "az1"))
        mirrored = next(lb for lb in cloud.observed.load_balancers if lb.name == zone_name("az2"))
        carry_out(want(), cloud)
        single = next(lb for lb in cloud.observed.load_balancers if lb.name == LEGACY)
        assert (single.id, single.vip_address) == (mirrored.id, mirrored.vip_address)
        assert {member.address for member in single.pools[0].members} == {one.address for one in CREW}
        assert names(cloud) == [zone_name("az1"), LEGACY]
        carry_out(want(traffic_moved=True), cloud)
        assert names(cloud) == [LEGACY]
        assert len(cloud.observed.floating_ips) == 1
        assert decide(want(traffic_moved=True), cloud.observed).verdict is Verdict.IN_SYNC

    def test_a_single_one_that_exists_is_the_one_that_stays(self) -> None:
        cloud = Cloud(seen(load_balancers=(legacy(on=CREW),)))
        carry_out(want("az1", "az2", legacy="keep"), cloud)
        decision = carry_out(want(traffic_moved=True), cloud)
        assert names(cloud) == [LEGACY]
        assert not any(step.uid.startswith("legacy") for step in decision.steps)

    def test_no_zone_goes_while_capo_has_not_made_its_own(self) -> None:
        facts = cluster(managed_lb_enabled=True)
        cloud = Cloud(seen(cluster=facts))
        carry_out(want("az1", legacy="keep"), cloud)
        decision = decide(want(traffic_moved=True), cloud.observed)
        assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "no_healthy_zone")

    def test_and_on_again(self) -> None:
        cloud = built(want("az1", "az2"))
        carry_out(want(), cloud)
        carry_out(want(traffic_moved=True), cloud)
        decision = carry_out(want("az1", "az2"), cloud)
        assert decision.verdict is Verdict.ADOPT
        assert names(cloud) == [zone_name("az1"), zone_name("az2")]


class TestRetireLegacy:
    def start(self, **more: Any) -> Cloud:
        old = legacy(on=CREW, **more)
        theirs = FloatingIp("fip-legacy", "198.51.100.5", old.vip_port_id, old.description)
        cloud = Cloud(seen(load_balancers=(old,), floating_ips=(theirs,)))
        carry_out(want("az1", "az2", legacy="retire"), cloud)
        return cloud

    def test_it_is_the_fallback_of_every_machine_until_then(self) -> None:
        cloud = self.start()
        fresh = machines("az1", "az2", "az3", "az3")
        cloud.observed = replace(cloud.observed, machines=fresh)
        decision = carry_out(want("az1", "az2", legacy="retire"), cloud)
        assert {step.lane for step in decision.steps} == {"legacy"}
        old = next(lb for lb in cloud.observed.load_balancers if lb.id == "legacy")
        assert {member.address for member in old.pools[0].members} == {one.address for one in fresh}

    def test_it_goes_last_and_its_floating_ip_which_capo_made_is_kept(self) -> None:
        cloud = self.start()
        decision = carry_out(want("az1", "az2", legacy="retire", traffic_moved=True), cloud)
        assert [(step.verb, step.resource) for step in decision.steps] == [
            ("update", "floating_ip"),
            ("delete", "load_balancer"),
        ]
        assert names(cloud) == [zone_name("az1"), zone_name("az2")]
        assert FloatingIp("fip-legacy", "198.51.100.5", "", legacy().description) in cloud.observed.floating_ips

    def test_not_without_upkeep(self) -> None:
        """CAPO-13: nobody else would register new machines."""
        cloud = self.start()
        decision = decide(want("az1", "az2", legacy="retire", traffic_moved=True, upkeep=False), cloud.observed)
        assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "upkeep_not_declared")

    def test_not_while_the_endpoint_leads_to_it(self) -> None:
        cloud = self.start()
        led = replace(cloud.observed, endpoint_addresses=("198.51.100.5",))
        decision = decide(want("az1", "az2", legacy="retire", traffic_moved=True), led)
        assert decision.errors[0].code == "endpoint_needs_it"
