# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that bears a load balancer in one cluster, read-only (lb_info)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    SERVICE_TAG,
    AwsLoadBalancer,
    AwsSurvey,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.effectuate import IC_RESOURCE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Finding
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.ingress import DNS_RECORDS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.radar import look, read_everything
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import live
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    INFRASTRUCTURES,
    VERSIONS,
    MemoryCluster,
    holding,
    platform_objects,
)

TAGS = {"kubernetes.io/cluster/prod-x1": "owned", SERVICE_TAG: "shop/gone"}
LEFT = AwsLoadBalancer("a1", "NLB", "a1.example", "External", "vpc-1", tags=TAGS)
FIVE = [
    "list services *",
    f"get {INFRASTRUCTURES} /cluster",
    f"get {VERSIONS} /version",
    f"list {IC_RESOURCE} openshift-ingress-operator",
    f"list {DNS_RECORDS} openshift-ingress-operator",
]


KEPT = "list configmaps * lb-estate.edgeworks.io/kept"


@dataclass
class Surveyed:
    """Stands for AwsReader; remembers what it was asked."""

    asked: list[str] = field(default_factory=list)

    def survey(self, infra: Infra) -> tuple[AwsSurvey, tuple[Finding, ...]]:
        self.asked.append(infra.name)
        return AwsSurvey(infra.name, (LEFT,)), ()


def service(name: str, address: str = "", **spec: Any) -> dict[str, Any]:
    ingress = [{"hostname": address}] if address else []
    return {
        "metadata": {"name": name, "namespace": "shop", "uid": f"uid-{name}"},
        "spec": {"type": "LoadBalancer", **spec},
        "status": {"loadBalancer": {"ingress": ingress}},
    }


def estate(*services: dict[str, Any]) -> MemoryCluster:
    memory = holding(after_patch(cluster(spec=strategy("Classic")), lb_patch(scope="Internal")))
    for one in services:
        memory.put("services", one)
    return memory


def test_six_requests_however_many_there_are() -> None:
    classed = service("b", "b.example", loadBalancerClass="example.com/other")
    memory = estate(service("a", "a.example"), classed, service("c", type="ClusterIP"))
    seen = read_everything(memory, Given())
    assert memory.requests == [*FIVE, KEPT]
    assert [item["metadata"]["name"] for item in seen.services] == ["router-default", "a", "b"]
    assert [item["metadata"]["name"] for item in seen.plain] == ["a", "b"]
    (controller,) = seen.controllers
    assert (controller.name, controller.service["metadata"]["name"]) == ("default", "router-default")


@pytest.mark.parametrize("spec", [{"loadBalancerClass": "example.com/other"}, {}])
def test_one_more_where_a_service_is_silent(spec: dict[str, Any]) -> None:
    memory = estate(service("a", **spec))
    about = {"kind": "Service", "name": "a", "uid": "uid-a"}
    memory.put("events", {"metadata": {"name": "e", "namespace": "shop"}, "involvedObject": about})
    seen = read_everything(memory, Given())
    assert memory.requests == [*FIVE, "list events * involvedObject.kind=Service", KEPT]
    assert [one["involvedObject"]["uid"] for one in seen.events] == ["uid-a"]


def test_a_cluster_without_the_operator_still_has_services() -> None:
    memory = platform_objects()
    memory.unserved = (IC_RESOURCE,)
    memory.put("services", service("a", "a.example"))
    seen = read_everything(memory, Given())
    assert (seen.controllers, len(seen.plain)) == ((), 1)


def test_the_result_of_lb_info() -> None:
    aws = Surveyed()
    result = look(estate(service("a", "a.example")), Given(name="prod"), aws)  # type: ignore[arg-type]
    assert (result["changed"], result["platform"], result["version"], result["profile"]) == (False, "AWS", "4.22", "P3")
    ingress, plain = result["targets"]
    assert (ingress["kind"], ingress["verdict"], ingress["addresses"]) == (
        "IngressController",
        "recreate",
        ["old.example.com"],
    )
    assert [entry["field"] for entry in ingress["pending"]] == ["scope"]
    assert ingress["revert_patch"]
    assert (plain["kind"], plain["name"], plain["addresses"]) == ("Service", "a", ["a.example"])
    assert ([lb["name"] for lb in result["leaked"]], [one["code"] for one in result["findings"]]) == (
        ["a1"],
        ["lb_leaked"],
    )
    assert "lb_missing" in plain["codes"]  # it publishes what AWS does not have
    assert aws.asked == ["prod-x1"]  # once, for all of them


def kept(name: str) -> dict[str, Any]:
    labels = {"lb-estate.edgeworks.io/kept": "service"}
    manifest = {"metadata": {"name": name, "namespace": "shop"}, "spec": {"ports": [{"port": 443}]}}
    data = {"manifest.json": json.dumps(manifest)}
    return {"metadata": {"name": f"lb-estate-saved-{name}", "namespace": "shop", "labels": labels}, "data": data}


def test_what_stopped_runs_have_kept_is_seen() -> None:
    """CORE-14: a Service that a run deleted is in no list of Services."""
    memory = estate(service("a", "a.example"))
    memory.put("configmaps", kept("a"))
    memory.put("configmaps", kept("gone"))
    rows = {row["name"]: row for row in look(memory, Given(), Surveyed())["targets"]}  # type: ignore[arg-type]
    assert (rows["gone"]["verdict"], rows["gone"]["codes"]) == ("blocked", ["service_restorable"])
    assert "manifest_left" in rows["a"]["codes"]
    memory.forbidden.add(("list", "configmaps"))
    told = look(memory, Given(), Surveyed())  # type: ignore[arg-type]
    assert "kept_unread" in [finding["code"] for finding in told["findings"]]


def test_a_service_whose_type_was_taken_away_is_seen_while_it_is_held() -> None:
    """CLS-5: its load balancer is not leaked yet, and somebody has to take the finalizer off."""
    flipped = service("a", type="NodePort")
    flipped["metadata"]["finalizers"] = ["service.kubernetes.io/load-balancer-cleanup"]
    memory = estate(flipped, service("b", type="NodePort"))
    memory.put("configmaps", kept("a"))
    rows = {row["name"]: row for row in look(memory, Given(), Surveyed())["targets"]}  # type: ignore[arg-type]
    assert (rows["a"]["verdict"], rows["a"]["codes"]) == ("in_progress", ["finalizer_stuck", "manifest_left"])
    assert "b" not in rows


def test_the_apis_load_balancers_are_asked_for_their_endpoints() -> None:
    """API-3: one request each, and none that may not be made counts against them."""
    memory = platform_objects("Azure")
    memory.put("services", live("internal"))
    seen = read_everything(memory, Given())
    assert dict(seen.endpoints) == {("openshift-kube-apiserver", "internal-lb"): ()}
    asked = "list endpointslices.discovery.k8s.io openshift-kube-apiserver kubernetes.io/service-name=internal-lb"
    assert asked in memory.requests
    memory.forbidden.add(("list", "endpointslices.discovery.k8s.io"))
    assert read_everything(memory, Given()).endpoints == {}
