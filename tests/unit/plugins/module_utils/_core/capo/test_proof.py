# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A load balancer goes only when clients no longer need it (CAPO-7, CAPO-8, CAPO-12, Safe CAPO 1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    LoadBalancer,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
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
        unproven = next(one for one in decision.effects if one.code == "traffic_moved_unproven")
        assert (unproven.severity, unproven.value) == (Severity.WARNING, why)

    def test_what_dns_proves_needs_no_other_word(self) -> None:
        cloud = self.start()
        both = (address_of(cloud, "az1"), address_of(cloud, "az2"))
        told = self.judged(cloud, both, traffic_moved_because="whatever")
        assert "traffic_moved_unproven" not in [one.code for one in told.effects]

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

    @pytest.mark.parametrize(
        ("own", "leads_to", "code"),
        [
            ("api.own.example.com", ("192.168.3.10",), "endpoint_needs_it"),
            ("api.own.example.com", ("198.51.100.7", "::ffff:192.168.3.10"), "endpoint_needs_it"),
            ("api.own.example.com", None, "endpoint_not_asked"),
            ("api.own.example.com", (), "endpoint_unresolved"),
            ("api.own.example.com", ("198.51.100.7",), ""),
            ("API.demo.example.com.", None, ""),  # the same name
            ("", None, ""),
        ],
    )
    def test_another_name_than_the_objects_own_proves_nothing_of_that(self, own: str, leads_to: Any, code: str) -> None:
        cloud = self.start()
        both = (address_of(cloud, "az1"), address_of(cloud, "az2"))
        cloud.observed = replace(
            cloud.observed, cluster=cluster(endpoint_host=own), own_endpoint_addresses=leads_to, endpoint_addresses=both
        )
        decision = self.judged(cloud, both)
        assert (decision.verdict is Verdict.BLOCKED, code in [one.code for one in decision.errors]) == (bool(code),) * 2
        said = self.judged(cloud, both, traffic_moved_because="it is the old name, and nobody uses it")
        assert said.changed is (code != "endpoint_needs_it")

    @pytest.mark.parametrize("through", ["64:ff9b::", "2001:db8:64::", "::ffff:"])
    def test_nat64_leads_there_too(self, through: str) -> None:
        cloud = self.start()
        both = (address_of(cloud, "az1"), address_of(cloud, "az2"))
        refused = self.judged(cloud, (*both, f"{through}192.168.3.10"))
        assert [one.code for one in refused.errors] == ["endpoint_needs_it"]
        assert self.judged(cloud, tuple(through + one for one in both)).changed

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
