# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lb_info: everything that bears a load balancer, judged against itself, and not a single write (issue item 8)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import TRANSACTION_PREFIX
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AUTO_DELETE
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster

from .workplace import ACCESS, Ingress, PlainService

NLB = {"type": "NLB"}
INGRESS = (
    IngressSpec(**NLB),
    IngressSpec("flipped", type="Classic"),
    IngressSpec("latent", **NLB),
    IngressSpec("unmanaged", **NLB),
    IngressSpec("armed", annotations={AUTO_DELETE: "theirs"}, **NLB),
    IngressSpec("left", annotations={AUTO_DELETE: f"{TRANSACTION_PREFIX}0123"}, **NLB),
    IngressSpec("disagree", scope="Internal", **NLB),
    IngressSpec("frozen", type="NLB", subnets="public", eips=3),
    IngressSpec("owned", **NLB),
)


@pytest.fixture(scope="module")
def troubled(lab: Lab) -> LabCluster:
    """A 4.21 cluster with one of everything."""
    cluster = lab.cluster("radar", version="4.21", ingress=INGRESS)
    at = {spec.name: Ingress(cluster, spec.name) for spec in INGRESS}
    at["flipped"].run("ingress_lb_subnets", lb_type="NLB", allow_disruption="outage")
    at["latent"].patch_lb(scope="Internal")
    at["unmanaged"].annotate(subnets=next(iter(cluster.aws.public.values())))
    at["disagree"].annotate(internal="yes")
    at["owned"].patch({"metadata": {"labels": {"hive.openshift.io/managed": "true"}}})
    no_eips = {"aws": {"networkLoadBalancer": {"eipAllocations": None}}}
    at["frozen"].patch_lb(scope="Internal", providerParameters=no_eips)
    foreign = {"name": "router-taken", "namespace": "openshift-ingress"}
    port = [{"port": 80, "protocol": "TCP"}]
    cluster.api.seed("services", {"metadata": foreign, "spec": {"type": "LoadBalancer", "ports": port}})
    Ingress(cluster, "taken").create(IngressSpec("taken", **NLB).strategy("AWS", cluster.aws))
    Ingress(cluster, "hosts").create({"type": "HostNetwork"})
    PlainService(cluster, "unwatched").create(loadBalancerClass="example.com/nobody")
    plain = PlainService(cluster, "plain")
    plain.create()
    plain.settle()
    for name in ("latent", "unmanaged", "disagree"):
        at[name].settle()
    cluster.wait_for(lambda: any("frozen" in line for line in cluster.operator.log), "the frozen one")
    return cluster


@pytest.fixture(scope="module")
def radar(troubled: LabCluster) -> Result:
    troubled.requests.reset()
    found = run_task("lb_info", troubled.kubeconfig, **ACCESS, endpoint_url=troubled.clients.endpoint)
    assert troubled.requests.writes() == []
    return found


def target(radar: Result, name: str, kind: str = "IngressController") -> dict[str, Any]:
    (found,) = [entry for entry in radar["targets"] if (entry["kind"], entry["name"]) == (kind, name)]
    return dict(found)


ROWS: dict[str, tuple[str, str, str, list[str]]] = {
    "in order": ("IngressController", "default", "in_sync", []),
    "latent change (SCO-5)": ("IngressController", "latent", "recreate", ["latent_change"]),
    "unmanaged annotation (SUB-7)": ("IngressController", "unmanaged", "recreate", ["unmanaged_subnets"]),
    "armed auto-delete (CORE-3)": ("IngressController", "armed", "in_sync", ["auto_delete_armed"]),
    "left armed by a killed run (SUB-6)": ("IngressController", "left", "update_in_place", ["left_armed"]),
    "two views of one annotation": (
        "IngressController",
        "disagree",
        "recreate",
        ["latent_change", "scope_views_differ"],
    ),
    "frozen operator (SUB-13)": (
        "IngressController",
        "frozen",
        "blocked",
        ["operator_frozen", "unmanaged_eip_allocations"],
    ),
    "foreign Service": ("IngressController", "taken", "blocked", ["foreign_service"]),
    "no load balancer at all": ("IngressController", "hosts", "in_sync", []),
    "somebody else's, too (CORE-6)": ("IngressController", "owned", "in_sync", ["other_owner"]),
    "a class nobody watches": ("Service", "unwatched", "in_progress", ["class_unwatched"]),
    "a plain Service in order": ("Service", "plain", "in_sync", []),
    "the foreign Service itself": ("Service", "router-taken", "in_sync", []),
}


@pytest.mark.parametrize("case", ROWS)
def test_one_row_for_each(radar: Result, case: str) -> None:
    """Issue item 8: verdict and codes of every IngressController and Service."""
    kind, name, verdict, codes = ROWS[case]
    row = target(radar, name, kind)
    assert (row["verdict"], row["codes"]) == (verdict, codes)
    assert row["namespace"] in ("openshift-ingress-operator", "openshift-ingress", "shop")
    assert row["message"]
    assert all(entry["remedy"] for entry in row["findings"] if entry["severity"] != "info")


def test_every_one_and_nothing_twice(radar: Result) -> None:
    """Issue item 8"""
    names = [(row["kind"], row["namespace"], row["name"]) for row in radar["targets"]]
    assert len(names) == len(set(names)) == len(INGRESS) + 2 + 3
    assert (radar["changed"], radar["platform"], radar["version"], radar["profile"]) == (False, "AWS", "4.21.3", "P2")


def test_a_pending_one_has_its_way_out(radar: Result) -> None:
    """SUB-5: the command that effectuates it and the patch that cancels it."""
    row = target(radar, "latent")
    assert row["disruption"] == "outage"
    assert row["commands"][0] == "oc -n openshift-ingress delete svc/router-latent"
    lb = row["revert_patch"]["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert lb["scope"] == "External"


def test_the_load_balancer_a_type_change_left_behind(radar: Result, troubled: LabCluster) -> None:
    """Issue item 8, pain point 3: up to 4.21 the old one is leaked; named with its hostname and how to remove it."""
    (leaked,) = radar["leaked"]
    (finding,) = [entry for entry in radar["findings"] if entry["code"] == "lb_leaked"]
    assert (leaked["kind"], leaked["tags"]["kubernetes.io/service-name"]) == (
        "Classic",
        "openshift-ingress/router-flipped",
    )
    assert finding["remedy"].endswith(f"aws elb delete-load-balancer --load-balancer-name {leaked['name']}")
    assert leaked["hostname"] != troubled.address("router-flipped")


def test_without_credentials_aws_is_not_asked(troubled: LabCluster) -> None:
    """Issue item 8: the rest is told all the same."""
    found = run_task("lb_info", troubled.kubeconfig, preflight="skip")
    assert (found["leaked"], found["findings"]) == ([], [])
    assert len(found["targets"]) == len(INGRESS) + 5


def test_a_reader_may_look(troubled: LabCluster) -> None:
    """EST-14: read permission is all it takes."""
    assert len(run_task("lb_info", troubled.kubeconfigs["reader"], preflight="skip")["targets"]) == len(INGRESS) + 5


@pytest.mark.parametrize("platform", ["Azure", "IBMCloud", "OpenStack"])
def test_other_platforms(lab: Lab, platform: str) -> None:
    """Issue item 8"""
    cluster = lab.cluster(f"radar-{platform.lower()}", platform, "4.22")
    found = run_task("lb_info", cluster.kubeconfig)
    assert [(row["name"], row["verdict"]) for row in found["targets"]] == [("default", "in_sync")]
    assert found["platform"] == platform
