# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written down (CAPO-6; facts: capo §1, §10)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.names import (
    Identity,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    Record,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Step,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import (
    cluster,
    seen,
    want,
    zone_name,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.runs import (
    built,
)

DEMO = Identity("default", "demo")
STATUS = Record("status", "demo", exists=True, uid="u", resource_version="7", mirror_field="apiServerLoadBalancer")


def kube(decision: Decision) -> list[Step]:
    return [step for step in decision.steps if step.port == "kube"]


def test_an_entry_has_what_s4_asks_for() -> None:
    cloud = built(want("az1", allowed_cidrs=("10.0.0.0/8",), tags=("team=a",)))
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


def test_a_config_map_belongs_to_its_cluster_and_goes_with_it() -> None:
    (step,) = kube(decide(want("az1"), seen(cluster=cluster(uid="u-1"))))
    meta = plain(step.body["metadata"])
    assert meta["labels"]["cluster.x-k8s.io/cluster-name"] == "demo"
    assert meta["ownerReferences"] == [cluster(uid="u-1").reference]
    (gone,) = step.undo
    assert (gone.verb, gone.resource, gone.body) == ("delete", "configmaps", None)


def test_a_record_without_an_object_has_no_owner() -> None:
    (step,) = kube(decide(want("az1", floating_network_id="ext"), seen(cluster=None)))
    assert set(step.body["metadata"]) == {"labels"}


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_resource_is_named_as_the_port_knows_it(version: str) -> None:
    (step,) = kube(decide(want("az1"), seen(record=STATUS, cluster=cluster(api_version=version))))
    assert step.resource == f"openstackclusters.{version}.infrastructure.cluster.x-k8s.io/status"
    assert step.undo[0].resource == step.resource


def test_what_could_not_be_worked_on_is_written_down_only_if_it_is_ours() -> None:
    """The record proves ownership: a name alone must not get into it."""
    cloud = built(want("az1", "az2"))
    broken = tuple(
        replace(lb, provisioning_status="ERROR", tags=(), description="") if lb.name == zone_name("az2") else lb
        for lb in cloud.observed.load_balancers
    )
    world = replace(cloud.observed, load_balancers=broken, record=seen().record)
    (step,) = kube(decide(want("az1", "az2"), world))
    assert [one["availabilityZone"] for one in step.body["data"]["apiServerLoadBalancers"]] == ["az1"]
