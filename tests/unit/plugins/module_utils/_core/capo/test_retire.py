# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replace, shrink, disable, retire, remove (CAPO-8, CAPO-12, CAPO-13; facts: capo §11.2, §11.5, §11.10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity, retiring_name
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    FloatingIp,
    LoadBalancer,
    Member,
    Ref,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Severity,
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


def address_of(cloud: Cloud, zone: str) -> str:
    return next(ip.address for ip in cloud.observed.floating_ips if ip.description == DEMO.description(zone))


def unwell(observed: CapoObserved, *zones: str) -> CapoObserved:
    """No member of these zones answers."""

    def sick(lb: LoadBalancer) -> LoadBalancer:
        pools = tuple(
            replace(pool, members=tuple(replace(one, operating_status="ERROR") for one in pool.members))
            for pool in lb.pools
        )
        return replace(lb, pools=pools) if lb.name in map(zone_name, zones) else lb

    return replace(observed, load_balancers=tuple(map(sick, observed.load_balancers)))


MOVED: dict[str, Any] = {"traffic_moved": True, "traffic_moved_because": ""}


class TestProof:
    """Safe CAPO 1: a load balancer goes only when clients no longer need it."""

    def start(self) -> Cloud:
        old = legacy(on=CREW, vip_subnet_id="s3", vip_address="192.168.3.10")
        cloud = Cloud(seen(load_balancers=(old,)))
        carry_out(want("az1", "az2", legacy="retire"), cloud)
        return cloud

    def judged(self, cloud: Cloud, leads_to: tuple[str, ...] | None, **more: Any) -> Decision:
        wish = want("az1", "az2", legacy="retire", **MOVED | more)
        return decide(wish, replace(cloud.observed, endpoint_addresses=leads_to))

    def test_the_name_leads_to_every_zone_and_to_nothing_that_goes(self) -> None:
        cloud = self.start()
        both = (address_of(cloud, "az1"), address_of(cloud, "az2"))
        decision = self.judged(cloud, both)
        assert [step.name for step in decision.steps if step.verb == "delete"] == [LEGACY]
        assert self.judged(cloud, (*both, "198.51.100.7")).changed  # somebody's proxy
        for leads_to, code in (
            (None, "endpoint_not_asked"),
            ((), "endpoint_unresolved"),
            (both[:1], "endpoint_lacks_zone"),
            (("198.51.100.7",), "endpoint_lacks_zone"),
            ((*both, "192.168.3.10"), "endpoint_needs_it"),
        ):
            refused = self.judged(cloud, leads_to)
            assert (refused.verdict, refused.errors[0].code, refused.steps) == (Verdict.BLOCKED, code, ())

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"resolve_endpoint": False}, "resolve_endpoint is false"),
            ({}, "DNS could not be asked"),
        ],
    )
    def test_a_look_that_was_not_taken_is_no_proof(self, more: dict[str, Any], words: str) -> None:
        refused = self.judged(self.start(), None, **more)
        assert words in refused.message
        assert "traffic_moved_because" in refused.message

    @pytest.mark.parametrize("leads_to", [None, (), ("198.51.100.7",)])
    def test_a_person_may_say_how_else_it_is_known_and_it_is_told_again(self, leads_to: Any) -> None:
        why = "clients come through the proxy at 198.51.100.7"
        decision = self.judged(self.start(), leads_to, traffic_moved_because=why)
        gone = next(step for step in decision.steps if step.verb == "delete")
        assert why in gone.why
        assert decision.details["reasons"] == {"traffic_moved_because": why}
        unproven = next(one for one in decision.findings if one.code == "traffic_moved_unproven")
        assert (unproven.severity, unproven.value) == (Severity.WARNING, why)

    def test_what_dns_proves_needs_no_other_word(self) -> None:
        cloud = self.start()
        both = (address_of(cloud, "az1"), address_of(cloud, "az2"))
        told = self.judged(cloud, both, traffic_moved_because="whatever")
        assert "traffic_moved_unproven" not in [one.code for one in told.findings]

    def test_every_zone_answers_or_is_named(self) -> None:
        cloud = self.start()
        both = (address_of(cloud, "az1"), address_of(cloud, "az2"))
        cloud.observed = unwell(cloud.observed, "az2")
        refused = self.judged(cloud, both)
        assert (refused.verdict, refused.errors[0].code) == (Verdict.BLOCKED, "zone_not_healthy")
        assert "zone az2: none of its members is ONLINE" in refused.message
        assert self.judged(cloud, both, allow_unhealthy_zones=("az2",)).changed
        assert self.judged(cloud, both[:1], allow_unhealthy_zones=("az2",)).changed  # it is not published
        assert self.judged(cloud, both, allow_unhealthy_zones=("az1",)).errors[0].code == "zone_not_healthy"

    def test_one_zone_at_least_answers_whatever_is_named(self) -> None:
        cloud = self.start()
        cloud.observed = unwell(cloud.observed, "az1", "az2")
        refused = self.judged(cloud, None, allow_unhealthy_zones=("az1", "az2"), traffic_moved_because="all is well")
        assert (refused.errors[0].code, refused.steps) == ("no_healthy_zone", ())

    def test_a_zone_that_may_not_be_published_is_no_way_in(self) -> None:
        cloud = self.start()
        first = address_of(cloud, "az1")
        ips = tuple(ip for ip in cloud.observed.floating_ips if ip.description != DEMO.description("az2"))
        cloud.observed = replace(cloud.observed, floating_ips=ips)
        refused = self.judged(cloud, (first,))
        assert "zone az2: it has no floating IP yet" in refused.message

    def test_back_to_one_needs_the_name_to_lead_there(self) -> None:
        cloud = built(want("az1", "az2"))
        carry_out(want(), cloud)
        one = address_of(cloud, "az1")
        for leads_to, code in (
            (None, "endpoint_not_asked"),
            ((), "endpoint_unresolved"),
            (("198.51.100.7",), "endpoint_lacks_zone"),
        ):
            world = replace(cloud.observed, endpoint_addresses=leads_to)
            assert decide(want(**MOVED), world).errors[0].code == code
        assert decide(want(**MOVED), replace(cloud.observed, endpoint_addresses=(one,))).changed

    def test_an_endpoint_that_is_an_address_proves_itself(self) -> None:
        """The zones' load balancers were an additional way in, and go; CAPO's own is the endpoint."""
        facts = cluster(managed_lb_enabled=True, endpoint_host="192.168.1.10")
        cloud = Cloud(seen(load_balancers=(legacy(on=CREW),), cluster=facts))
        carry_out(want("az1", legacy="keep"), cloud)
        decision = carry_out(want(endpoint_host="192.168.1.10", **MOVED), cloud)
        assert [step.name for step in decision.steps if step.resource == "load_balancer"] == [zone_name("az1")]


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
        used = replace(cloud.observed, endpoint_addresses=(address_of(cloud, "az1"),))
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
