# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machine is a member where (CAPO-5, CAPO-13; facts: capo §7, §10, §11)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide, decide_members
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.members import (
    member_subnet,
    online_members,
    place,
    plan_members,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.site import survey
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    Machine,
    Member,
    Pool,
    Record,
    Ref,
    ZoneSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption, Severity, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    legacy,
    machines,
    seen,
    tree,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import built

DEMO = Identity("default", "demo")
ALIASES = {"nova-a": "az1", "nova-b": "az2"}


@pytest.mark.parametrize(
    ("domain", "cross", "single", "zones"),
    [
        ("az1", False, False, ("az1",)),
        ("az1", True, False, ("az1", "az2")),
        ("az1", False, True, ("az1", "")),
        ("az1", True, True, ("az1", "az2", "")),
        ("az3", False, False, ()),
        ("az3", True, False, ("az1", "az2")),
        ("az3", False, True, ("",)),
        ("", False, False, ()),
        ("", False, True, ("",)),
        ("nova-b", False, False, ("az2",)),
    ],
)
def test_place(domain: str, cross: bool, single: bool, zones: tuple[str, ...]) -> None:
    assert place(Machine("m", failure_domain=domain), ("az1", "az2"), ALIASES, cross, single) == zones


def members_of(cloud: Cloud, zone: str) -> list[str]:
    lb = next(one for one in cloud.observed.load_balancers if one.name == zone_name(zone))
    return sorted(member.address for member in lb.pools[0].members)


def answering(observed: CapoObserved, *addresses: str) -> CapoObserved:
    """With these members of zone az1 ONLINE, and no other."""

    def seen_as(pool: Pool) -> Pool:
        states = {True: "ONLINE", False: "ERROR"}
        members = [replace(one, operating_status=states[one.address in addresses]) for one in pool.members]
        return replace(pool, members=tuple(members))

    lbs = [
        replace(lb, pools=tuple(map(seen_as, lb.pools))) if lb.name == zone_name("az1") else lb
        for lb in observed.load_balancers
    ]
    return replace(observed, load_balancers=tuple(lbs))


def test_a_rollout_replaces_members_and_nothing_else() -> None:
    cloud = built(want("az1", "az2"))
    crew = (Machine("new", "10.0.1.77", "az1"), *machines("az1", "az2")[1:])
    cloud.observed = replace(cloud.observed, machines=crew)
    decision = decide_members(want("az1", "az2"), cloud.observed)
    assert decision.verdict is Verdict.UPDATE_IN_PLACE
    assert [(step.verb, step.resource, step.disruption) for step in decision.steps] == [
        ("replace", "members", Disruption.NONE)
    ]
    drift = decision.details["drift"][0]
    assert (drift["lane"], drift["have"]["stale"], drift["have"]["missing"]) == ("az1", (), ("new",))
    cloud.apply(decision.steps[0])
    assert members_of(cloud, "az1") == ["10.0.1.0", "10.0.1.77"]  # until the new one answers
    assert not decide_members(want("az1", "az2"), answering(cloud.observed, "10.0.1.0")).changed
    cloud.observed = answering(cloud.observed, "10.0.1.0", "10.0.1.77")
    cloud.apply(decide_members(want("az1", "az2"), cloud.observed).steps[0])
    assert members_of(cloud, "az1") == ["10.0.1.77"]
    assert decide_members(want("az1", "az2"), cloud.observed).verdict is Verdict.IN_SYNC


def test_machines_on_their_way_out_leave_first() -> None:
    cloud = built(want("az1"), machines=machines("az1", "az1"))
    leaving = tuple(replace(one, deleting=one.name == "cp-az1-0") for one in cloud.observed.machines)
    cloud.observed = replace(cloud.observed, machines=leaving)
    decision = decide_members(want("az1"), cloud.observed)
    assert [step.disruption for step in decision.steps] == [Disruption.NONE]
    cloud.apply(decision.steps[0])
    assert members_of(cloud, "az1") == ["10.0.1.1"]


def test_switching_cross_az_off_takes_running_machines_out_last_and_says_so() -> None:
    """The prototype never removed any (facts: capo §10)."""
    cloud = built(want("az1", "az2", allow_cross_az_members=True))
    decision = decide(want("az1", "az2"), cloud.observed)
    assert [(step.resource, step.disruption) for step in decision.steps] == [("members", Disruption.BRIEF)] * 2
    for step in decision.steps:
        cloud.apply(step)
    assert members_of(cloud, "az1") == ["10.0.1.0"]
    assert members_of(cloud, "az2") == ["10.0.2.1"]


WHY = "the zone is closed for good"
A, B = Machine("a", "10.0.1.1", "az1"), Machine("b", "10.0.1.2", "az1")
ELSEWHERE = Machine("else", "10.0.2.9", "az2")
GONE, DYING = (), (replace(A, deleting=True),)
UNFIT = "machine_address_unfit"
LAST = {"last_healthy_member", "last_healthy_stays", "no_machines", "zone_empties", UNFIT}


def at(address: str) -> Machine:
    """Machine a, as if it had another address now."""
    return replace(A, address=address)


MOVED = at("10.77.77.77")


def one_zone(now: tuple[Machine, ...], *members: tuple[Machine, str]) -> CapoObserved:
    """Zone az1 with members in a state each, and the machines there are now."""
    lb = tree(zone_name("az1"), "lb", *(machine for machine, _state in members), tags=DEMO.tags("az1"))
    states = {machine.address: state for machine, state in members}
    pool = lb.pools[0]
    changed = tuple(replace(one, operating_status=states[one.address]) for one in pool.members)
    lb = replace(lb, pools=(replace(pool, members=changed),))
    return seen(machines=now, load_balancers=(lb,), record=Record())


@pytest.mark.parametrize(
    ("now", "members", "left", "code"),
    [
        # the last that answers, and nobody in its place: refused, for a person to say why
        ((ELSEWHERE,), ((A, "ONLINE"),), ["10.0.1.1"], "last_healthy_member"),
        ((ELSEWHERE,), ((A, "ONLINE"), (B, "ONLINE")), ["10.0.1.1", "10.0.1.2"], "last_healthy_member"),
        ((ELSEWHERE,), ((A, "ONLINE"), (B, "ERROR")), ["10.0.1.1"], "last_healthy_member"),
        # another one is registered and does not answer yet: it stays until that one does
        ((B, ELSEWHERE), ((A, "ONLINE"), (B, "ERROR")), ["10.0.1.1", "10.0.1.2"], "last_healthy_stays"),
        ((B, *DYING), ((A, "ONLINE"),), ["10.0.1.1", "10.0.1.2"], "last_healthy_stays"),
        # on its way out with nobody in its place: it stops answering by itself
        ((ELSEWHERE, *DYING), ((A, "ONLINE"),), ["10.0.1.1"], "last_healthy_stays"),
        # a rollout: another machine has come, and nobody has seen it answer
        ((B, ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1", "10.0.1.2"], "last_healthy_stays"),
        ((B, ELSEWHERE), ((A, "ERROR"),), ["10.0.1.2"], None),
        # the machine itself is told to be elsewhere: on its word alone, or on a word that cannot be true
        ((MOVED, ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1", "10.77.77.77"], "last_healthy_stays"),
        ((at("0.0.0.0"), ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1"], UNFIT),
        ((at("127.0.0.1"), ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1"], UNFIT),
        ((at("224.0.0.1"), ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1"], UNFIT),
        ((at("169.254.1.1"), ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1"], UNFIT),
        ((at("fd00::9"), ELSEWHERE), ((A, "ONLINE"),), ["10.0.1.1"], UNFIT),
        ((at("0.0.0.0"), ELSEWHERE), ((A, "ERROR"),), ["10.0.1.1"], UNFIT),
        (
            (at("0.0.0.0"), B, replace(ELSEWHERE, address="0.0.0.0")),
            ((B, "ONLINE"),),
            ["10.0.1.2"],
            "machine_address_unfit",
        ),
        # another one answers, or none did
        ((B, ELSEWHERE), ((A, "ONLINE"), (B, "ONLINE")), ["10.0.1.2"], None),
        ((ELSEWHERE,), ((A, "ERROR"),), [], None),
        ((ELSEWHERE, *DYING), ((A, "OFFLINE"),), [], None),
        # no machine at all: more likely the wrong cluster was read, whatever is said of their health
        (GONE, ((A, "ERROR"),), ["10.0.1.1"], "no_machines"),
        (GONE, ((A, "ONLINE"),), ["10.0.1.1"], "no_machines"),
    ],
)
def test_pools_are_never_emptied_as_if_it_were_nothing(
    now: tuple[Machine, ...], members: tuple[tuple[Machine, str], ...], left: list[str], code: str | None
) -> None:
    """Safe CAPO 4, in a run in full and in one that only looks after members."""
    wish = want("az1", floating_ips=False)
    for judge in (decide, decide_members):
        cloud = Cloud(one_zone(now, *members))
        decision = judge(wish, cloud.observed)
        told = {one.code for one in decision.remarks}
        assert told & LAST == ({code} - {None})
        assert decision.disruption is Disruption.NONE
        for step in decision.steps:
            cloud.apply(step)
        assert members_of(cloud, "az1") == left


@pytest.mark.parametrize("now", [(ELSEWHERE,), GONE])
def test_with_a_reason_that_a_person_gave_it_is_an_outage_and_the_reason_is_told_again(
    now: tuple[Machine, ...],
) -> None:
    wish = want("az1", floating_ips=False, empty_pools_because=WHY)
    for judge in (decide, decide_members):
        cloud = Cloud(one_zone(now, (A, "ONLINE")))
        decision = judge(wish, cloud.observed)
        step = next(one for one in decision.steps if one.resource == "members")
        assert (decision.disruption, step.disruption) == (Disruption.OUTAGE, Disruption.OUTAGE)
        assert WHY in step.why
        assert decision.details["reasons"]["empty_pools_because"] == WHY
        assert "zone_empties" in [finding.code for finding in decision.effects]


def test_what_one_zone_may_not_lose_does_not_keep_the_others_from_their_upkeep() -> None:
    cloud = built(want("az1", "az2"), machines=(A, ELSEWHERE))
    cloud.observed = replace(cloud.observed, machines=(ELSEWHERE, replace(ELSEWHERE, name="more", address="10.0.2.10")))
    decision = decide_members(want("az1", "az2"), cloud.observed)
    assert [step.lane for step in decision.steps] == ["az2"]
    told = {one.code: one.severity for one in decision.findings}
    assert told["last_healthy_member"] is Severity.WARNING


def test_a_load_balancer_that_would_lose_its_last_running_machines_needs_a_reason() -> None:
    """Cross-AZ members are switched off, and the zone has none of its own."""
    cloud = built(want("az1", "az2", allow_cross_az_members=True), machines=machines("az1"))
    refused = decide(want("az1", "az2"), cloud.observed)
    assert (refused.verdict, refused.errors[0].code) == (Verdict.BLOCKED, "last_healthy_member")
    decision = decide(want("az1", "az2", empty_pools_because=WHY), cloud.observed)
    assert decision.disruption is Disruption.OUTAGE
    assert "zone_empties" in [finding.code for finding in decision.effects]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (want("az1", "az2"), want("az1")),  # a zone less
        (
            want("az1", "az2"),
            replace(want("az1", "az2"), zones=(ZoneSubnet("az1", Ref("s3")), ZoneSubnet("az2", Ref("s2")))),
        ),
        (want("az1", "az2"), want()),  # back to one
        (want("az1", "az2"), want(state="present")),  # nobody has said what becomes of them
    ],
)
def test_what_retires_is_looked_after_as_long_as_it_serves(before: CapoDesired, after: CapoDesired) -> None:
    """Safe CAPO 4: whoever still comes to its address meets machines that are there."""
    crew = (A, Machine("two", "10.0.2.1", "az2"))
    cloud = built(before, machines=crew)
    for step in decide(after, cloud.observed).steps:
        cloud.apply(step)
    grown = (*crew, B, Machine("twin", "10.0.2.2", "az2"))
    cloud.observed = replace(cloud.observed, machines=grown)
    upkeep = decide_members(after, cloud.observed)
    lacking = {one["lane"]: set(one["have"]["missing"]) for one in upkeep.details["drift"] if one["kind"] == "members"}
    assert {"b", "twin"} <= set().union(*lacking.values())
    for step in upkeep.steps:
        cloud.apply(step)
    for lb in cloud.observed.load_balancers:
        zone = "az1" if "az1" in lb.name else "az2" if "az2" in lb.name else ""
        expected = {one.address for one in grown if not zone or one.failure_domain == zone}
        assert {member.address for member in lb.pools[0].members} == expected, lb.name
    assert not decide_members(after, cloud.observed).changed


def test_running_machines_stay_while_another_zone_cannot_be_worked_on() -> None:
    cloud = built(want("az1", "az2", allow_cross_az_members=True))
    broken = tuple(
        replace(lb, provisioning_status="ERROR") if lb.name == zone_name("az2") else lb
        for lb in cloud.observed.load_balancers
    )
    decision = decide(want("az1", "az2"), replace(cloud.observed, load_balancers=broken))
    assert not decision.changed
    assert {"members_stay", "load_balancer_error"} <= {finding.code for finding in decision.findings}


def test_somebody_elses_member_is_kept_with_all_it_has() -> None:
    site = survey(want("az1"), seen())
    foreign = Member("x", "by-hand", "10.9.9.9", 6443, weight=5, backup=True, subnet_id="sub", tags=("t",))
    plan = plan_members(site, site.slots[0], 6443, Pool("p", "p", members=(foreign,)))
    assert plan.foreign == ("10.9.9.9",)
    kept = next(one for one in plan.body if one["address"] == "10.9.9.9")
    assert kept == {
        "name": "by-hand",
        "address": "10.9.9.9",
        "protocol_port": 6443,
        "weight": 5,
        "backup": True,
        "admin_state_up": True,
        "subnet_id": "sub",
        "tags": ["t"],
    }


def test_a_member_with_an_old_name_is_renamed_and_never_doubled() -> None:
    """Matched by address and port: Octavia answers 409 to a second one (facts: capo §11.3)."""
    site = survey(want("az1"), seen())
    old = Member("x", "k8s-clusterapi-cluster-default-demo-kubeapi-6443-cp-az1-0", "10.0.1.0", 6443, weight=9)
    plan = plan_members(site, site.slots[0], 6443, Pool("p", "p", members=(old,)))
    assert [(one["name"], one["weight"]) for one in plan.body] == [(f"{zone_name('az1')}-6443-cp-az1-0", 9)]
    assert plan.renamed == ("cp-az1-0",)
    assert not plan.added


def test_a_machine_without_an_address_right_now_keeps_its_member() -> None:
    crew = (Machine("m", "", "az1"),)
    site = survey(want("az1"), seen(machines=crew))
    known = Member("x", f"{zone_name('az1')}-6443-m", "10.0.1.5", 6443)
    plan = plan_members(site, site.slots[0], 6443, Pool("p", "p", members=(known,)))
    assert [one["address"] for one in plan.body] == ["10.0.1.5"]
    assert not plan.changed


def test_a_member_in_error_is_sent_again() -> None:
    site = survey(want("az1"), seen())
    name = f"{zone_name('az1')}-6443-cp-az1-0"
    broken = Member("x", name, "10.0.1.0", 6443, provisioning_status="ERROR")
    assert plan_members(site, site.slots[0], 6443, Pool("p", "p", members=(broken,))).repaired


def test_upkeep_before_adoption_treats_the_old_load_balancer_as_everybodys() -> None:
    """It renames nothing, so what a full run would adopt is still the fallback of all machines (S4)."""
    crew = machines("az1", "az2", "az3")
    cloud = Cloud(seen(machines=crew, load_balancers=(legacy(on=crew[:2]),)))
    decision = decide_members(want("az1", "az2"), cloud.observed)
    assert [(step.resource, step.lane) for step in decision.steps] == [("members", "legacy")]
    assert [one["address"] for one in decision.steps[0].body["members"]] == [one.address for one in crew]
    assert [finding.where for finding in decision.findings if finding.code == "zone_without_load_balancer"] == [
        "zones[az1]",
        "zones[az2]",
    ]


def test_upkeep_leaves_what_capo_owns_to_capo() -> None:
    crew = machines("az1", "az2")
    world = seen(machines=crew, load_balancers=(legacy(on=crew[:1]),), cluster=cluster(managed_lb_enabled=True))
    assert not decide_members(want("az1"), world).changed


@pytest.mark.parametrize(
    ("network", "address", "subnet"),
    [
        ("nodes", "10.0.2.9", ""),
        ("net", "10.0.2.9", "n2"),
        ("net", "10.0.3.9", "n3"),
        ("net", "172.16.0.1", "n1"),
    ],
)
def test_a_member_on_another_network_names_the_subnet_it_is_in(network: str, address: str, subnet: str) -> None:
    """CAPO names the first cluster subnet for all (facts: capo §7)."""
    assert member_subnet(cluster(), network, address) == subnet


@pytest.mark.parametrize(
    ("aliases", "cross", "codes"),
    [
        ({}, False, {"machine_unplaced", "zone_without_machines", "zone_names_differ"}),
        ({"nova-a": "az1"}, False, set()),
        ({}, True, {"zone_names_differ"}),
    ],
)
def test_nova_zones_and_octavia_zones_must_meet_or_be_told(
    aliases: dict[str, str], cross: bool, codes: set[str]
) -> None:
    """Facts: capo §11.1."""
    crew = (Machine("m", "10.0.1.1", "nova-a"),)
    world = seen(machines=crew, cluster=cluster(failure_domains=("nova-a",)))
    decision = decide(want("az1", zone_aliases=aliases, allow_cross_az_members=cross), world)
    assert {finding.code for finding in decision.findings} == codes


def test_health_counts_members_that_answer() -> None:
    lb = tree("n", "lb", *machines("az1", "az1"), status="ONLINE")
    assert online_members(lb, 6443) == 2
    assert online_members(tree("n", "lb", *machines("az1"), status="ERROR"), 6443) == 0
    assert online_members(lb, 22) == 0
