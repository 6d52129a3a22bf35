# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of a management cluster: six requests, either API version, what the rights allow (CAPO-1, CAPO-6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import Machine, OtherCluster, Record
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.capo_cluster import (
    Found,
    ManagementCluster,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._readers.management import (
    INFRASTRUCTURE,
    FakeCluster,
    definition,
    labelled,
    management_cluster,
)

CLUSTERS = f"openstackclusters.{INFRASTRUCTURE}"
CRDS = "customresourcedefinitions.apiextensions.k8s.io"


def read(cluster: FakeCluster, name: str = "prod", infrastructure: str = "", **more: bool) -> Found:
    wanted = {"required": True, "machines": True, "others": True} | more
    return ManagementCluster(cluster, "capi", name, infrastructure).read(**wanted)


def test_the_object_its_wishes_and_its_machines() -> None:
    found = read(management_cluster())
    assert found.cluster is not None
    assert (found.cluster.name, found.cluster.api_version, found.cluster.external_network_id) == (
        "prod-os",
        "v1beta1",
        "ext",
    )
    assert (found.cluster.managed_lb_enabled, found.cluster.paused) == (False, False)
    assert found.wishes["allowed_cidrs"] == ("10.0.0.0/8",)
    assert found.machines == (Machine("cp-0", "10.0.1.11", "az1"),)
    assert found.record == Record("config_map", "prod-os-api-load-balancers")
    assert found.others == ()


def test_the_version_that_is_served_is_found_out_once() -> None:
    cluster = management_cluster()
    cluster.add(CRDS, definition("v1beta1"))
    reader = ManagementCluster(cluster, "capi", "prod")
    reader.read(required=True, machines=True, others=True)
    first = len(cluster.asked)
    reader.read(required=True, machines=True, others=True)
    assert [one for one in cluster.asked if ".v1beta2." in one] == ["get clusters.v1beta2.cluster.x-k8s.io prod"]
    assert len(cluster.asked) - first == 6


@pytest.mark.parametrize(
    ("machines", "others", "requests"), [(True, True, 6), (False, True, 4), (True, False, 5), (False, False, 3)]
)
def test_what_is_not_wanted_is_not_asked_for(machines: bool, others: bool, requests: int) -> None:
    cluster = management_cluster()
    reader = ManagementCluster(cluster, "capi", "prod")
    reader.read(required=True, machines=True, others=True)
    cluster.asked.clear()
    reader.read(required=True, machines=machines, others=others)
    assert len(cluster.asked) == requests


def test_a_paused_cluster() -> None:
    cluster = management_cluster()
    cluster.objects["clusters.cluster.x-k8s.io"][0]["spec"]["paused"] = True
    found = read(cluster)
    assert found.cluster is not None
    assert found.cluster.paused


@pytest.mark.parametrize("infrastructure", ["", "prod-os"])
def test_the_openstack_cluster_may_be_named(infrastructure: str) -> None:
    cluster = management_cluster()
    if infrastructure:
        cluster.objects["clusters.cluster.x-k8s.io"].clear()
    assert read(cluster, infrastructure=infrastructure).cluster is not None


def test_without_an_object_there_is_nothing_to_decide_on() -> None:
    with pytest.raises(Misconfigured, match="no OpenStackCluster capi/other"):
        read(management_cluster(), name="other")


def test_but_what_is_to_go_may_have_lost_it_and_left_its_record() -> None:
    cluster = management_cluster()
    entries = [{"availabilityZone": "az1", "id": "1"}]
    data = {"apiServerLoadBalancers": json.dumps(entries), "apiServerLoadBalancer": "null"}
    cluster.add("configmaps", {"metadata": labelled("gone-api-load-balancers"), "data": data})
    found = read(cluster, name="gone", required=False)
    assert found.cluster is None
    assert (found.record.exists, plain(found.record.entries)) == (True, entries)


def test_a_cluster_that_is_no_management_cluster() -> None:
    with pytest.raises(Misconfigured, match=r"serves no cluster\.x-k8s\.io API"):
        read(FakeCluster("v1alpha1"))


@pytest.mark.parametrize(
    ("data", "entries", "mirror"),
    [
        (
            {"apiServerLoadBalancers": '[{"id": "1"}]', "apiServerLoadBalancer": '{"id": "1"}'},
            [{"id": "1"}],
            {"id": "1"},
        ),
        ({"apiServerLoadBalancers": "spoilt"}, [], None),
        (None, [], None),
    ],
)
def test_the_record_is_read_back_and_a_spoilt_one_is_as_good_as_none(data: Any, entries: Any, mirror: Any) -> None:
    cluster = management_cluster()
    cluster.add("configmaps", {"metadata": labelled("prod-os-api-load-balancers"), "data": data})
    record = read(cluster).record
    assert (record.kind, record.exists, record.uid, record.resource_version) == (
        "config_map",
        True,
        "uid-prod-os-api-load-balancers",
        "7",
    )
    assert (plain(record.entries), plain(record.mirror)) == (entries, mirror)


@pytest.mark.parametrize(("listing", "kind"), [(("v1beta1",), "status"), ((), "config_map")])
def test_status_is_the_record_where_the_definition_has_the_field(listing: tuple[str, ...], kind: str) -> None:
    cluster = management_cluster()
    cluster.add(CRDS, definition("v1beta1", listing=listing))
    found = cluster.objects[CLUSTERS][0]
    found["status"]["apiServerLoadBalancers"] = [{"availabilityZone": "az1"}]
    record = read(cluster).record
    assert record.kind == kind
    assert [one["availabilityZone"] for one in record.entries] == (["az1"] if listing else [])


def test_without_the_right_to_read_definitions_versions_are_tried() -> None:
    crd = f"get {CRDS} {CLUSTERS}"
    found = read(management_cluster(forbidden=(crd,)))
    assert (found.cluster is not None, found.record.kind) == (True, "config_map")


def test_others_are_named_after_the_cluster_that_owns_them() -> None:
    """Facts: capo §2."""
    cluster = management_cluster()
    owner = [{"kind": "Cluster", "name": "owner"}]
    block = {"enabled": True, "availabilityZoneSubnets": [{"availabilityZone": "az1", "subnet": {"id": "s"}}]}
    mapped = {
        "spec": {"apiServerLoadBalancer": block},
        "status": {"apiServerLoadBalancers": [{"availabilityZone": "az2"}]},
    }
    meta = labelled("other-os", "elsewhere", ownerReferences=owner)
    cluster.add(CLUSTERS, {"apiVersion": f"{INFRASTRUCTURE}/v1beta1", "metadata": meta, **mapped})
    labels = {"cluster.x-k8s.io/cluster-name": "by-label"}
    cluster.add(CLUSTERS, {"apiVersion": f"{INFRASTRUCTURE}/v1beta1", "metadata": labelled("third", labels=labels)})
    assert read(cluster).others == (
        OtherCluster("elsewhere", "owner", ("az1", "az2"), True),
        OtherCluster("capi", "by-label", (), False),
    )


def test_where_only_one_namespace_may_be_read_it_is_that_one() -> None:
    everywhere = f"list openstackclusters.v1beta1.{INFRASTRUCTURE}"
    cluster = management_cluster(forbidden=(everywhere,))
    assert read(cluster).others == ()
    assert cluster.asked[-1] == f"{everywhere} in capi"
