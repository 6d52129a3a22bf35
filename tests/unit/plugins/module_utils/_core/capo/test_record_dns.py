# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written down and what is to be published (CAPO-6, CAPO-7; facts: capo §1, §10, §11.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.report import record_type
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import Identity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import CapoObserved, Record
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision, Step, Verdict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    HOST,
    cluster,
    machines,
    seen,
    want,
    zone_name,
)

DEMO = Identity("default", "demo")
STATUS = Record("status", "demo", exists=True, uid="u", resource_version="7", mirror_field="apiServerLoadBalancer")


def kube(decision: Decision) -> list[Step]:
    return [step for step in decision.steps if step.port == "kube"]


def built(*zones: str, observed: dict[str, Any] | None = None, **more: Any) -> Cloud:
    cloud = Cloud(seen(**observed or {}))
    for step in decide(want(*zones, **more), cloud.observed).steps:
        cloud.apply(step)
    return cloud


def test_an_entry_has_what_s4_asks_for() -> None:
    cloud = built("az1", allowed_cidrs=("10.0.0.0/8",), tags=("team=a",))
    (entry,) = plain(cloud.observed.record.entries)
    lb, ip = cloud.observed.load_balancers[0], cloud.observed.floating_ips[0]
    assert entry == {
        "name": zone_name("az1"),
        "id": lb.id,
        "ip": ip.address,
        "internalIP": lb.vip_address,
        "availabilityZone": "az1",
        "tags": sorted([*DEMO.tags("az1"), "team=a"]),
        "allowedCIDRs": ["10.0.0.0/8", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"],
        "loadBalancerNetwork": {
            "id": "net",
            "name": "lb-net",
            "subnets": [{"id": "s1", "name": "vip-az1", "cidr": "192.168.1.0/24"}],
        },
    }


def test_what_only_the_cloud_knows_yet_is_a_reference_in_the_same_plan() -> None:
    (step,) = kube(decide(want("az1"), seen()))
    entry = plain(step.body["data"]["apiServerLoadBalancers"])[0]
    made = {"resource": "load_balancer", "name": zone_name("az1")}
    assert entry["id"] == {"$from": made | {"attribute": "id"}}
    assert entry["internalIP"] == {"$from": made | {"attribute": "vip_address"}}
    assert entry["ip"]["$from"]["attribute"] == "floating_ip_address"


def test_the_report_shows_what_stands_keyed_by_zone_whatever_is_decided() -> None:
    cloud = built("az1", "az2")
    for wish in (want("az1", "az2"), want("az1", "az2", "az3"), want("az1", "az2", legacy="retire")):
        standing = decide(wish, cloud.observed).standing
        assert [one["availabilityZone"] for one in standing["api_server_load_balancers"]] == ["az1", "az2"]


def test_a_config_map_is_made_changed_and_removed_with_the_load_balancers() -> None:
    cloud = Cloud(seen())
    verbs = []
    for wish in (want("az1"), want("az1", "az2"), want("az1", "az2"), want(state="absent", traffic_moved=True)):
        decision = decide(wish, cloud.observed)
        verbs.append([step.verb for step in kube(decision)])
        for step in decision.steps:
            cloud.apply(step)
    assert verbs == [["create"], ["patch"], [], ["delete"]]


def test_status_is_a_patch_of_the_subresource_guarded_by_what_was_read() -> None:
    (step,) = kube(decide(want("az1"), seen(record=STATUS)))
    assert step.verb == "patch"
    assert step.resource == "openstackclusters.v1beta1.infrastructure.cluster.x-k8s.io/status"
    assert (step.uid, step.resource_version) == ("u", "7")
    assert set(step.body["status"]) == {"apiServerLoadBalancers", "apiServerLoadBalancer"}


def test_the_mirror_is_left_alone_where_capo_writes_it_itself() -> None:
    record = replace(STATUS, mirror={"id": "capos-own"}, mirror_field="")
    facts = cluster(managed_lb_enabled=True)
    (step,) = kube(decide(want("az1", legacy="keep"), seen(record=record, cluster=facts)))
    assert set(step.body["status"]) == {"apiServerLoadBalancers"}


@pytest.mark.parametrize(
    ("version", "fips", "mirrored"),
    [("v1beta1", True, True), ("v1beta1", False, True), ("v1beta2", True, True), ("v1beta2", False, False)],
)
def test_v1beta2_cannot_say_a_load_balancer_without_a_floating_ip(version: str, fips: bool, mirrored: bool) -> None:
    """It demands an ip of at least one character (facts: capo §1)."""
    world = seen(record=STATUS, cluster=cluster(api_version=version))
    decision = decide(want("az1", floating_ips=fips), world)
    (step,) = kube(decision)
    assert ("apiServerLoadBalancer" in step.body["status"]) is mirrored
    assert ("mirror_not_representable" in [one.code for one in decision.findings]) is not mirrored
    assert "ip" not in plain(step.body["status"]["apiServerLoadBalancers"])[0] or fips


def test_a_mirror_of_another_writer_is_never_cleared() -> None:
    """CORE-6: without a mapping nothing of the status is touched."""
    world = seen(record=replace(STATUS, mirror={"id": "capos-own", "name": "x"}))
    assert decide(want(), world).steps == ()
    assert decide(want(state="absent"), world).steps == ()


def test_nothing_is_written_where_there_is_nowhere_to_write() -> None:
    assert kube(decide(want("az1"), seen(record=Record()))) == []


def members_are(observed: CapoObserved, **states: str) -> CapoObserved:
    lbs = tuple(
        replace(
            lb,
            pools=tuple(
                replace(
                    pool,
                    members=tuple(
                        replace(one, operating_status=states.get(lb.name.split("-")[-2], one.operating_status))
                        for one in pool.members
                    ),
                )
                for pool in lb.pools
            ),
        )
        for lb in observed.load_balancers
    )
    return replace(observed, load_balancers=lbs)


def test_only_zones_that_answer_are_published() -> None:
    cloud = built("az1", "az2", "az3")
    world = members_are(cloud.observed, az2="ERROR")
    dns = plain(decide(want("az1", "az2", "az3"), world).standing["dns_records"])
    assert dns["host"] == HOST
    assert [(one["zone"], one["type"], one["online_members"]) for one in dns["publish"]] == [
        ("az1", "A", 1),
        ("az3", "A", 1),
    ]
    assert [(one["zone"], one["reason"]) for one in dns["withhold"]] == [("az2", "none of its members is ONLINE")]
    addresses = {ip.description: ip.address for ip in cloud.observed.floating_ips}
    assert dns["publish"][0]["address"] == addresses[DEMO.description("az1")]


def test_a_zone_without_machines_or_without_a_load_balancer_is_withheld() -> None:
    cloud = built("az1", "az2", observed={"machines": machines("az1")})
    dns = plain(decide(want("az1", "az2", "az3"), cloud.observed).standing["dns_records"])
    assert [one["zone"] for one in dns["publish"]] == ["az1"]
    assert [(one["zone"], one["reason"]) for one in dns["withhold"]] == [
        ("az2", "none of its members is ONLINE"),
        ("az3", "it has no load balancer yet"),
    ]


def test_without_floating_ips_the_vip_is_published_and_a_load_balancer_in_error_is_not() -> None:
    cloud = built("az1", floating_ips=False)
    lb = cloud.observed.load_balancers[0]
    wish = want("az1", floating_ips=False)
    assert decide(wish, cloud.observed).standing["dns_records"]["publish"][0]["address"] == lb.vip_address
    broken = replace(cloud.observed, load_balancers=(replace(lb, provisioning_status="ERROR"),))
    assert decide(wish, broken).standing["dns_records"]["withhold"][0]["reason"] == "it is ERROR"


@pytest.mark.parametrize(("address", "kind"), [("192.0.2.1", "A"), ("2001:db8::1", "AAAA")])
def test_record_types(address: str, kind: str) -> None:
    assert record_type(address) == kind


def test_the_diff_shows_what_a_person_edits_and_agrees_with_what_comes_of_it() -> None:
    """CORE-5: what a plan says will be is what the next look sees, but for addresses only the cloud gives out."""
    wish = want("az1", additional_ports=(8132,), allowed_cidrs=("10.0.0.9/8",), floating_ip="198.51.100.9")
    cloud = Cloud(seen())
    planned = decide(wish, cloud.observed)
    assert planned.before == {}
    for step in planned.steps:
        cloud.apply(step)
    final = decide(wish, cloud.observed)
    assert final.verdict is Verdict.IN_SYNC
    assert plain(final.before) == plain(planned.after)
