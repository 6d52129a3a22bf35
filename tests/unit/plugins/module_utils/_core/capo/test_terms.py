# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the OpenStackCluster says of its own load balancer is taken as far as it can be had (Safe CAPO 14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import CapoDesired, FloatingIp
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.terms import as_far_as_possible
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    legacy,
    machines,
    seen,
    want,
    zone_name,
)

OWN = "198.51.100.99"
CREW = machines("az1", "az2", "az3")


def said(*zones: str, legacy: str = "adopt", **by_object: Any) -> CapoDesired:
    return replace(want(*zones, legacy=legacy, **by_object), from_object=frozenset(by_object))


@pytest.mark.parametrize(("field", "value"), [("provider", "f5"), ("flavor", "huge")])
def test_what_octavia_does_not_have_is_left_out_and_told(field: str, value: str) -> None:
    world = seen(cloud=replace(seen().cloud, flavors={}))
    wish, found = as_far_as_possible(said("az1", **{field: value}), world)
    assert getattr(wish, field) == ""
    assert [(one.code, one.severity, one.value) for one in found] == [(f"unknown_{field}", Severity.WARNING, value)]


def test_an_option_is_never_left_out() -> None:
    wish = want("az1", provider="f5", floating_ip=OWN, fixed_ip="192.168.1.5", legacy="keep")
    assert as_far_as_possible(wish, seen()) == (wish, ())


@pytest.mark.parametrize("field", ["floating_ip", "fixed_ip"])
def test_an_address_of_an_endpoint_that_is_kept_stays_with_it(field: str) -> None:
    wish, found = as_far_as_possible(said("az1", "az2", legacy="keep", **{field: OWN}), seen())
    assert getattr(wish, field) == ""
    assert [(one.code, one.severity) for one in found] == [("cluster_address_stays", Severity.INFO)]
    taken, found = as_far_as_possible(said("az1", "az2", legacy="adopt", **{field: OWN}), seen())
    assert (getattr(taken, field), found) == (OWN, ())


class TestFloatingIp:
    def test_kept_beside_the_zones_it_is_not_waited_for(self) -> None:
        """Every zone gets one of its own, and the run ends with nothing left to do."""
        old = legacy(on=CREW)
        used = FloatingIp("f", OWN, old.vip_port_id, "capo's")
        facts = cluster(managed_lb_enabled=True, endpoint_host=OWN)
        cloud = Cloud(seen(load_balancers=(old,), floating_ips=(used,), cluster=facts))
        wish = said("az1", "az2", legacy="keep", floating_ip=OWN)
        for step in decide(wish, cloud.observed).steps:
            cloud.apply(step)
        assert used in cloud.observed.floating_ips
        assert len(cloud.observed.floating_ips) == 3
        final = decide(wish, cloud.observed)
        assert final.verdict is Verdict.IN_SYNC
        assert "floating_ip_waits" not in [finding.code for finding in final.findings]

    def test_asked_for_by_an_option_it_is_said_that_it_will_never_come(self) -> None:
        old = legacy(on=CREW)
        used = FloatingIp("f", OWN, old.vip_port_id, "capo's")
        decision = decide(
            want("az1", legacy="keep", floating_ip=OWN), seen(load_balancers=(old,), floating_ips=(used,))
        )
        assert "floating_ip_taken" in [finding.code for finding in decision.findings]

    def test_one_that_capo_put_on_a_machine_stays_there_and_the_zone_gets_its_own(self) -> None:
        used = FloatingIp("f", OWN, "port-of-a-machine", "capo's")
        world = seen(floating_ips=(used,))
        decision = decide(said("az1", floating_ip=OWN), world)
        assert [
            (step.verb, step.body.get("floating_ip_address")) for step in decision.steps if step.port == "neutron"
        ] == [("create", None)]
        asked = decide(want("az1", floating_ip=OWN), world)
        assert "floating_ip_taken" in [finding.code for finding in asked.findings]

    @pytest.mark.parametrize(("zone", "address"), [("az1", "203.0.113.1"), ("az2", OWN)])
    def test_an_address_given_by_zone_goes_before_it(self, zone: str, address: str) -> None:
        wish = replace(said("az1", "az2", floating_ip=OWN), floating_ip_by_zone={zone: address})
        steps = [step for step in decide(wish, seen()).steps if step.port == "neutron"]
        asked = {step.lane: step.body.get("floating_ip_address") for step in steps}
        assert asked == {"az1": None, "az2": None} | {zone: address}

    def test_while_the_first_zone_waits_for_the_legacy_one_no_other_zone_waits_for_its_address(self) -> None:
        old = legacy(on=CREW)
        used = FloatingIp("f", OWN, old.vip_port_id, "capo's")
        world = seen(load_balancers=(old,), floating_ips=(used,))
        wish = replace(said("az1", "az2", floating_ip=OWN), leave_legacy=True)
        decision = decide(wish, world)
        assert [step.verb for step in decision.steps if step.port == "neutron"] == ["create"]


class TestFixedIp:
    IN_SECOND = "192.168.2.77"

    def made(self, decision: Any) -> dict[str, str | None]:
        created = [step for step in decision.steps if (step.verb, step.resource) == ("create", "load_balancer")]
        return {step.name: step.body.get("vip_address") for step in created}

    def test_the_zone_whose_subnet_it_lies_in_gets_it(self) -> None:
        decision = decide(said("az1", "az2", fixed_ip=self.IN_SECOND), seen())
        assert self.made(decision) == {zone_name("az1"): None, zone_name("az2"): self.IN_SECOND}

    @pytest.mark.parametrize("address", ["10.77.0.1", "2001:db8::9"])
    def test_nobody_gets_one_of_no_mapped_subnet(self, address: str) -> None:
        decision = decide(said("az1", "az2", fixed_ip=address), seen())
        assert set(self.made(decision).values()) == {None}

    def test_nobody_gets_one_that_is_in_use(self) -> None:
        for world in (
            seen(taken={self.IN_SECOND: "port-of-kube-vip"}),
            seen(load_balancers=(legacy(on=CREW, vip_address=self.IN_SECOND, vip_subnet_id="s2"),)),
        ):
            decision = decide(said("az1", "az2", fixed_ip=self.IN_SECOND, legacy="retire"), world)
            assert not decision.errors
            assert set(self.made(decision).values()) == {None}

    def test_a_load_balancer_that_is_there_keeps_its_own(self) -> None:
        cloud = Cloud(seen())
        for step in decide(want("az1", "az2"), cloud.observed).steps:
            cloud.apply(step)
        assert decide(said("az1", "az2", fixed_ip=self.IN_SECOND), cloud.observed).verdict is Verdict.IN_SYNC
