# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose it is, adoption, and living with CAPO (CAPO-4, CAPO-9, CAPO-12; facts: capo §2, §9, §11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
    capo_description,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoObserved,
    Machine,
    OtherCluster,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    CAPO_DESCRIPTION,
    LEGACY,
    cluster,
    legacy,
    machines,
    seen,
    tree,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import QUIET

CREW = machines("az1", "az2", "az3")
DEMO = Identity("default", "demo")


def with_legacy(**more: Any) -> CapoObserved:
    facts = more.pop("cluster", cluster())
    return seen(load_balancers=(legacy(on=CREW, **more),), cluster=facts)


class TestLeaveLegacy:
    """A run that builds first and adopts later."""

    def test_the_zone_that_is_to_adopt_it_is_not_built_and_the_others_are(self) -> None:
        cloud = Cloud(with_legacy())
        wish = want("az1", "az2", floating_ips=False, leave_legacy=True)
        before = cloud.observed.load_balancers[0]
        decision = decide(wish, cloud.observed)
        assert [step.name for step in decision.steps if step.resource == "load_balancer"] == [zone_name("az2")]
        assert "zone_waits" in [finding.code for finding in decision.findings]
        for step in decision.steps:
            cloud.apply(step)
        assert before in cloud.observed.load_balancers
        assert decide(wish, cloud.observed).verdict is Verdict.IN_SYNC
        assert decide(replace(wish, leave_legacy=False), cloud.observed).verdict is Verdict.ADOPT

    def test_it_serves_every_machine_meanwhile(self) -> None:
        world = replace(with_legacy(), machines=machines("az1", "az2", "az3", "az1"))
        decision = decide(want("az1", floating_ips=False, leave_legacy=True), world)
        assert [(step.resource, step.lane) for step in decision.steps] == [("members", "legacy")]

    @pytest.mark.parametrize("mode", ["retire", "adopt"])
    def test_it_is_not_retired_either(self, mode: str) -> None:
        world = with_legacy(vip_subnet_id="s3")
        wish = want("az1", floating_ips=False, legacy=mode, leave_legacy=True, traffic_moved=True)
        assert [step.verb for step in decide(wish, world).steps if step.port == "octavia"] == ["create"]


def test_a_legacy_load_balancer_that_fits_becomes_the_first_zones() -> None:
    """Renamed from the top down, VIP and floating IP kept; found by its place, so half a rename goes on."""
    decision = decide(want("az1", "az2", floating_ips=False), with_legacy(ports=(6443, 8132)))
    assert decision.verdict is Verdict.ADOPT
    lane = [step for step in decision.steps if (step.phase, step.lane) == (0, "az1")]
    assert [(step.verb, step.resource) for step in lane[:5]] == [
        ("update", "load_balancer"),
        ("update", "listener"),
        ("update", "pool"),
        ("update", "health_monitor"),
        ("replace", "members"),
    ]
    assert lane[0].body["name"] == zone_name("az1")
    assert set(DEMO.tags("az1")) <= set(lane[0].body["tags"])
    assert lane[0].undo[0].body["name"] == LEGACY
    assert not any(step.verb == "delete" and step.resource == "load_balancer" for step in decision.steps)


def test_adoption_disturbs_nobody_until_the_other_zones_stand() -> None:
    decision = decide(want("az1", "az2", "az3", floating_ips=False), with_legacy())
    assert {step.disruption for step in decision.steps if step.phase == 0} == {Disruption.NONE}
    assert [step.disruption for step in decision.steps if (step.phase, step.lane) == (1, "az1")] == [Disruption.BRIEF]


@pytest.mark.parametrize(
    ("differs", "why"),
    [
        ({"vip_subnet_id": "s3"}, "subnet s3"),
        ({"availability_zone": "az2"}, "Octavia zone az2"),
        ({"provider": "ovn"}, "provider is ovn"),
        ({"flavor_id": "f-small"}, "flavor is f-small"),
    ],
)
def test_one_that_does_not_fit_is_replaced_make_before_break(differs: dict[str, str], why: str) -> None:
    world = with_legacy(**{"flavor_id": "f-big"} | differs)
    offered = replace(world.cloud, flavors={"big": "f-big", "small": "f-small"})
    decision = decide(want("az1", "az2", provider="amphora", flavor="big"), replace(world, cloud=offered))
    made = [step.name for step in decision.steps if step.verb == "create" and step.resource == "load_balancer"]
    assert made == [zone_name("az1"), zone_name("az2")]
    assert all(step.resource != "load_balancer" or step.verb == "create" for step in decision.steps)
    told = next(finding for finding in decision.findings if finding.code == "legacy_does_not_fit")
    assert why in told.what


def test_a_wanted_address_that_differs_is_no_fit_either() -> None:
    decision = decide(want("az1", fixed_ip="192.168.1.99"), with_legacy())
    assert "legacy_does_not_fit" in [finding.code for finding in decision.findings]
    assert decision.steps[0].body["vip_address"] == "192.168.1.99"


def test_an_unset_zone_is_no_contradiction_but_is_told() -> None:
    decision = decide(want("az1"), with_legacy())
    assert decision.verdict is Verdict.ADOPT
    assert "az_hint_not_set" in [finding.code for finding in decision.findings]


def test_the_octavia_provider_is_amphora_by_another_name() -> None:
    assert decide(want("az1", provider="octavia"), with_legacy()).verdict is Verdict.ADOPT


def test_keep_builds_beside_it_and_leaves_the_old_one_untouched() -> None:
    """CAPO-12: an additional endpoint with a DNS name; the cluster's own stays an address."""
    facts = cluster(managed_lb_enabled=True, endpoint_host="203.0.113.5")
    world = with_legacy(cluster=facts)
    crew = (*CREW, replace(CREW[0], name="more", address="10.0.1.99"))
    decision = decide(want("az1", "az2", legacy="keep"), replace(world, machines=crew))
    assert decision.verdict is Verdict.UPDATE_IN_PLACE
    assert not any(step.name == LEGACY or step.uid.startswith("legacy") for step in decision.steps)
    assert "endpoint_differs" in [finding.code for finding in decision.findings]


def test_without_a_mapping_a_single_load_balancer_is_left_exactly_as_it_is() -> None:
    """CAPO-9: whatever is wrong with it, and whoever owns it."""
    for facts in (cluster(), cluster(managed_lb_enabled=True)):
        for status in ("ACTIVE", "ERROR", "PENDING_UPDATE"):
            decision = decide(want(), with_legacy(cluster=facts, provisioning_status=status))
            assert (decision.verdict, decision.steps, decision.findings) == (Verdict.IN_SYNC, (), ())


def test_a_rightly_named_one_is_adopted_by_a_mark_and_nothing_else() -> None:
    found = tree(zone_name("az1"), "x", *machines("az1"), description="made by hand", tags=("theirs",))
    decision = decide(want("az1", floating_ips=False), seen(load_balancers=(found,), machines=machines("az1")))
    assert decision.verdict is Verdict.ADOPT
    writes = [step for step in decision.steps if step.port == "octavia"]
    assert [(step.verb, step.resource) for step in writes] == [("update", "load_balancer")]
    assert writes[0].body == {"tags": ("theirs", *DEMO.tags("az1"))}
    assert decision.disruption is Disruption.NONE


@pytest.mark.parametrize(
    "owner",
    [
        {"description": capo_description("default-demo-az1")},
        {"description": Identity("default", "demo-az1").description("")},
        {"tags": Identity("default", "demo-az1").tags("")},
        {"tags": Identity("default", "demo", project="theirs").tags("az1")},
        {"tags": Identity("default", "demo", project="ours", uid="theirs").tags("az1")},
        {"description": Identity("default", "demo", project="theirs").description("az1")},
        {"description": Identity("default", "demo", uid="theirs").description("az1")},
    ],
)
def test_one_that_says_it_is_another_clusters_blocks(owner: dict[str, Any]) -> None:
    """Cluster demo + az1 against cluster demo-az1 (facts: capo §2)."""
    found = tree(zone_name("az1"), "x", *CREW, **owner)
    world = seen(load_balancers=(found,), project="ours", cluster=cluster(uid="ours"))
    decision = decide(want("az1", "az2"), world)
    assert (decision.verdict, decision.findings[0].code) == (Verdict.BLOCKED, "name_taken")
    assert not decision.steps
    gone = decide(want(state="absent", traffic_moved=True), world)
    assert not gone.changed


@pytest.mark.parametrize(
    ("other", "blocked"),
    [
        (OtherCluster("default", "demo-az1", managed_lb_enabled=True), True),
        (OtherCluster("default", "demo-az1"), True),
        (OtherCluster("default", "demo-az1", managed_lb_enabled=False), False),
        (OtherCluster("default-demo", "az1", zones=("az2",), managed_lb_enabled=False), False),
        (OtherCluster("default", "demo-az1", zones=("kubeapi",), managed_lb_enabled=False), False),
    ],
)
def test_a_name_another_cluster_looks_up_blocks_before_anything_exists(other: OtherCluster, blocked: bool) -> None:
    decision = decide(want("az1"), seen(others=(other,)))
    assert (decision.verdict is Verdict.BLOCKED) is blocked
    if blocked:
        assert decision.findings[0].code == "name_collision"


@pytest.mark.parametrize("proof", ["description", "record"])
def test_without_tags_our_description_or_the_record_proves_ownership(proof: str) -> None:
    """A zone's load balancer that lost its mapping is ours to delete only with proof."""
    wish = want("az1", "az2")
    cloud = Cloud(seen())
    for step in decide(wish, cloud.observed).steps:
        cloud.apply(step)
    text = None if proof == "description" else ""
    lbs = tuple(
        replace(lb, tags=(), description=lb.description if text is None else text, availability_zone="")
        for lb in cloud.observed.load_balancers
    )
    record = seen().record if proof == "description" else cloud.observed.record
    world = replace(cloud.observed, load_balancers=lbs, record=record)
    decision = decide(want("az1", traffic_moved=True), world)
    gone = [step.name for step in decision.steps if step.verb == "delete" and step.resource == "load_balancer"]
    assert gone == [zone_name("az2")]


def test_two_single_ones_are_not_guessed_at_either() -> None:
    twins = (legacy(on=CREW), replace(legacy(on=CREW), id="other"))
    decision = decide(want("az1"), seen(load_balancers=twins))
    assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "name_ambiguous")


def test_two_of_one_name_and_no_mark_are_not_guessed_at() -> None:
    twins = (tree(zone_name("az1"), "x"), tree(zone_name("az1"), "y"))
    decision = decide(want("az1"), seen(load_balancers=twins))
    assert (decision.verdict, decision.findings[0].code) == (Verdict.BLOCKED, "name_ambiguous")


def test_a_mark_settles_which_of_two_is_ours() -> None:
    twins = (tree(zone_name("az1"), "x"), tree(zone_name("az1"), "y", tags=DEMO.tags("az1")))
    decision = decide(want("az1", floating_ips=False), seen(load_balancers=twins))
    assert {step.locks for step in decision.steps if step.port == "octavia"} == {"y"}


def test_an_unmarked_one_with_our_name_that_does_not_fit_is_nobodys_to_move() -> None:
    found = tree(zone_name("az1"), "x", vip_subnet_id="s9")
    decision = decide(want("az1"), seen(load_balancers=(found,)))
    assert (decision.verdict, decision.errors[0].code) == (Verdict.BLOCKED, "unfit_and_unclaimed")


def test_half_a_rename_is_finished() -> None:
    cloud = Cloud(with_legacy())
    wish = want("az1", "az2", "az3")
    for step in decide(wish, cloud.observed).steps[:1]:
        cloud.apply(step)
    decision = decide(wish, cloud.observed)
    renamed = [step.body["name"] for step in decision.steps if step.verb == "update"]
    assert renamed == [f"{zone_name('az1')}-6443"] * 3
    assert sum(step.verb == "create" and step.resource == "load_balancer" for step in decision.steps) == 2


STRANGE = Machine("theirs", "10.9.9.9", "az1")
MARKED = Identity("default", "demo").tags("")


@pytest.mark.parametrize("name", [LEGACY, zone_name("az1")])
@pytest.mark.parametrize("how", [{}, {"legacy": "retire"}, {"legacy": "retire", "traffic_moved": True}])
@pytest.mark.parametrize(
    ("more", "crew", "leads_to", "proven"),
    [
        ({"description": "by hand"}, (STRANGE,), None, False),
        ({}, (), None, False),
        ({}, (STRANGE,), ("198.51.100.7",), False),
        ({"description": CAPO_DESCRIPTION}, (STRANGE,), None, True),
        ({}, machines("az1"), None, True),
        ({}, (STRANGE,), ("192.168.1.10",), True),
        ({"tags": MARKED}, (STRANGE,), None, True),
    ],
)
def test_a_name_alone_makes_nothing_ours(
    name: str, how: dict[str, Any], more: dict[str, Any], crew: tuple[Machine, ...], leads_to: Any, proven: bool
) -> None:
    """Neither adopted, nor looked after, nor deleted."""
    world = seen(load_balancers=(tree(name, "lb", *crew, **more),), endpoint_addresses=leads_to)
    wish = want("az1", **QUIET, **how)
    for judge in (decide, decide_members):
        decision = judge(wish, world)
        assert ("owner_unproven" in [one.code for one in decision.errors]) is not proven
        assert proven or (decision.verdict, decision.steps) == (Verdict.BLOCKED, ())
    kept = decide(want("az2", legacy="keep", **QUIET), world)
    assert "owner_unproven" not in [one.code for one in kept.findings]
