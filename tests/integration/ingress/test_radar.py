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
    found = look(troubled)
    assert troubled.requests.writes() == []
    return found


def look(cluster: LabCluster, **options: Any) -> Result:
    return run_task("lb_info", cluster.kubeconfig, **ACCESS, endpoint_url=cluster.clients.endpoint, **options)


def target(radar: Result, name: str, kind: str = "IngressController") -> dict[str, Any]:
    (found,) = [entry for entry in radar["targets"] if (entry["kind"], entry["name"]) == (kind, name)]
    return dict(found)


ROWS: dict[str, tuple[str, str, str, list[str]]] = {
    "in order": ("IngressController", "default", "in_sync", []),
    "latent change (SCO-5)": ("IngressController", "latent", "recreate", ["latent_change"]),
    "unmanaged annotation (SUB-7)": (
        "IngressController",
        "unmanaged",
        "recreate",
        ["subnets_not_in_force", "unmanaged_subnets"],
    ),
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
    "foreign Service": ("IngressController", "taken", "blocked", ["foreign_service", "operator_progressing"]),
    "no load balancer at all": ("IngressController", "hosts", "in_sync", []),
    "somebody else's, too (CORE-6)": ("IngressController", "owned", "in_sync", ["other_owner"]),
    "a class nobody watches": ("Service", "unwatched", "in_progress", ["class_unwatched"]),
    "a plain Service in order": ("Service", "plain", "in_sync", []),
    "the foreign Service itself": ("Service", "router-taken", "in_sync", []),
}


DISCOVERED = "subnets_auto_discovered"  # told of everything that lists none


@pytest.mark.parametrize("case", ROWS)
def test_one_row_for_each(radar: Result, case: str) -> None:
    """Issue item 8: verdict and codes of every IngressController and Service."""
    kind, name, verdict, codes = ROWS[case]
    row = target(radar, name, kind)
    assert (row["verdict"], [code for code in row["codes"] if code != DISCOVERED]) == (verdict, codes)
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


def test_few_requests_to_aws(troubled: LabCluster, lab: Lab) -> None:
    """Safe ingress 10: a dozen load balancers, described once for all; the account is shared with other tests."""
    lab.moto.requests(reset=True)
    look(troubled)
    asked = lab.moto.requests()["actions"]
    assert (asked["DescribeLoadBalancers"], asked["DescribeSubnets"]) == (2, 1)
    assert set(asked) == {"DescribeLoadBalancers", "DescribeSubnets", "DescribeTags"}


@pytest.mark.parametrize("preflight", ["skip", "when_possible"])
def test_what_was_not_asked_is_told(troubled: LabCluster, no_credentials: None, preflight: str) -> None:
    """Safe ingress 10: no AWS, no all-clear. The rest is told all the same (issue item 8)."""
    found = run_task("lb_info", troubled.kubeconfig, preflight=preflight)
    code = {"skip": "preflight_skipped", "when_possible": "aws_not_asked"}[preflight]
    assert (found["leaked"], [entry["code"] for entry in found["findings"]]) == ([], [code])
    assert len(found["targets"]) == len(INGRESS) + 5


def test_it_may_be_required(troubled: LabCluster, no_credentials: None) -> None:
    found = run_task("lb_info", troubled.kubeconfig, preflight="require")
    assert found["failed"]
    assert "No AWS credentials were found" in found["msg"]


def test_one_missing_right_hides_one_part(troubled: LabCluster, lab: Lab) -> None:
    """Safe ingress 10: what AWS refused to tell is named, the rest is compared."""
    lab.moto.add_fault("DescribeSubnets", code="UnauthorizedOperation", message="No.", status=403)
    try:
        found = look(troubled)
    finally:
        lab.moto.clear_faults()
    (silent,) = [entry for entry in found["findings"] if entry["code"] == "preflight_unanswered"]
    assert "ec2:DescribeSubnets" in silent["remedy"]
    assert "lb_leaked" in [entry["code"] for entry in found["findings"]]
    assert target(found, "default")["codes"] == []


def test_what_is_not_in_force_in_aws(lab: Lab) -> None:
    """Safe ingress 10: the codes the runbook promises, for IngressControllers and plain Services."""
    names = ("gone", "moved")
    cluster = lab.cluster("radar-in-force", ingress=tuple(IngressSpec(name, type="NLB") for name in names))
    gone, moved = (Ingress(cluster, name) for name in names)
    plain = PlainService(cluster, "front")
    plain.create()
    plain.settle()
    balancers = cluster.clients.elbv2.describe_load_balancers()["LoadBalancers"]
    (arn,) = [lb["LoadBalancerArn"] for lb in balancers if lb["DNSName"] == gone.address]
    cluster.clients.elbv2.delete_load_balancer(LoadBalancerArn=arn)
    cluster.clients.elb.delete_load_balancer(LoadBalancerName=plain.address.split("-")[0])
    moved.annotate(subnets=",".join(cluster.aws.spare_public.values()))
    moved.settle()
    found = look(cluster)
    rows = {row["name"]: row for row in found["targets"]}
    assert {name: rows[name]["verdict"] for name in rows} == dict.fromkeys(("gone", "moved", "front"), "recreate")
    assert "lb_missing" in rows["gone"]["codes"]
    assert "lb_missing" in rows["front"]["codes"]
    assert "subnets_not_in_force" in rows["moved"]["codes"]
    assert "AWS has no such load balancer" in rows["gone"]["message"]


def test_another_region_than_the_clusters_is_told(troubled: LabCluster) -> None:
    """Safe ingress 10: an option wins, but not in silence; the environment does not win."""
    found = look(troubled, region="eu-west-1")
    assert "region_differs" in [entry["code"] for entry in found["findings"]]


def test_the_environments_region_does_not_win(troubled: LabCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    found = look(troubled)
    assert [entry["code"] for entry in found["findings"]] == ["lb_leaked"]


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
