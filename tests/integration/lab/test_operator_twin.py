# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator twin's own ways, one cluster at a time and step by step: no threads, no cloud server."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.operator import config
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.config import (
    DEPLOYMENTS,
    DNSRECORDS,
    INGRESSCONTROLLERS,
)
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.records import ProviderError
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.stepwise import Stepwise

AUTO_DELETE = "ingress.operator.openshift.io/auto-delete-load-balancer"
SUBNETS = "service.beta.kubernetes.io/aws-load-balancer-subnets"
TYPE = "service.beta.kubernetes.io/aws-load-balancer-type"
A, B = (f"subnet-0{letter * 16}" for letter in "ab")
EIP = "eipalloc-0" + "1" * 16
OPERATOR, OPERAND = "openshift-ingress-operator", "openshift-ingress"


def aws(kind: str = "NLB", scope: str = "External", **params: Any) -> dict[str, Any]:
    key = {"NLB": "networkLoadBalancer", "Classic": "classicLoadBalancer"}[kind]
    lb = {"scope": scope, "providerParameters": {"type": "AWS", "aws": {"type": kind, key: params}}}
    return {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": lb}}


def said(obj: Any, kind: str) -> tuple[str, str]:
    """Status and reason of one condition."""
    return next((one["status"], one["reason"]) for one in obj["status"]["conditions"] if one["type"] == kind)


def text(obj: Any, kind: str) -> str:
    return next(str(one["message"]) for one in obj["status"]["conditions"] if one["type"] == kind)


@pytest.fixture
def lab() -> Stepwise:
    made = Stepwise()
    made.create("default", {"domain": "apps.lab.invalid", **aws(subnets={"ids": [A]})})
    made.rest("default")
    return made


# -- the objects it makes ---------------------------------------------------------------------------------------------


def test_what_stands_around_a_load_balancer(lab: Stepwise) -> None:
    ic, service = lab.ic("default"), lab.service("default")
    router = lab.cluster.get(DEPLOYMENTS, OPERAND, "router-default")
    assert ic["metadata"]["finalizers"] == ["ingresscontroller.operator.openshift.io/finalizer-ingresscontroller"]
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "router-default", "controller": True}
    assert service["metadata"]["ownerReferences"] == [{**owner, "uid": router["metadata"]["uid"]}]
    internal = lab.cluster.get("services", OPERAND, "router-internal-default")
    assert internal["metadata"]["ownerReferences"] == service["metadata"]["ownerReferences"]
    assert [port["port"] for port in internal["spec"]["ports"]] == [80, 443, 1936]
    selector = {"ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default"}
    assert service["spec"]["selector"] == internal["spec"]["selector"] == selector
    assert ic["status"]["availableReplicas"] == 2
    assert said(ic, "Available") == ("True", "")
    assert said(ic, "Degraded") == ("False", "")
    assert said(ic, "DNSManaged") == ("False", "NoDNSZones")


def test_default_is_made_when_asked_for_and_only_once(lab: Stepwise) -> None:
    bare = Stepwise("Azure")
    bare.operator.create_default()
    bare.rest("default")
    assert bare.ic("default")["status"]["domain"] == "apps.lab.invalid"
    assert bare.ic("default")["status"]["endpointPublishingStrategy"]["type"] == "LoadBalancerService"
    before = lab.cluster.resource_version
    lab.operator.create_default()
    assert lab.cluster.resource_version == before


def test_replicas_are_rolled_out(lab: Stepwise) -> None:
    lab.patch("default", {"spec": {"replicas": 3}})
    lab.rest("default")
    assert lab.ic("default")["status"]["availableReplicas"] == 3
    assert said(lab.ic("default"), "DeploymentReplicasAllAvailable")[0] == "True"


def test_a_router_that_is_down_is_reported_and_not_repaired_by_the_twin(lab: Stepwise) -> None:
    down = [{"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "none"}]
    broken = {"status": {"availableReplicas": 0, "conditions": down}}
    lab.cluster.patch(DEPLOYMENTS, OPERAND, "router-default", broken, subresource="status")
    lab.rest("default")
    assert said(lab.ic("default"), "Available") == ("False", "IngressControllerUnavailable")
    assert said(lab.ic("default"), "Degraded")[0] == "False"
    lab.pass_time(30)
    lab.rest("default")
    assert said(lab.ic("default"), "Degraded") == ("True", "DegradedConditions")


def test_deleting_the_ingresscontroller_takes_everything_along(lab: Stepwise) -> None:
    lab.cluster.delete(INGRESSCONTROLLERS, OPERATOR, "default")
    lab.rest("default")
    assert lab.ic("default") is None
    assert lab.service("default") is None
    left = [lab.cluster.list(kind)["items"] for kind in ("services", DEPLOYMENTS, DNSRECORDS)]
    assert left == [[], [], []]
    assert said(lab.cluster.get(config.CLUSTEROPERATORS, None, "ingress"), "Available")[1] == "IngressDoesNotExist"


# -- deleting and creating in one pass --------------------------------------------------------------------------------


def test_recreation_is_retried_while_the_cloud_holds_the_old_service(lab: Stepwise) -> None:
    old = lab.service("default")["metadata"]["uid"]
    lab.cloud_holds = True
    lab.patch("default", {"metadata": {"annotations": {AUTO_DELETE: ""}}, "spec": aws(subnets={"ids": [B]})})
    lab.rest("default")
    held = lab.service("default")
    assert held["metadata"]["uid"] == old
    assert held["metadata"]["deletionTimestamp"]
    assert lab.operator.log[-1].endswith('object is being deleted: services "router-default" already exists')
    assert said(lab.ic("default"), "LoadBalancerReady") == ("False", "ServiceNotFound")
    assert said(lab.cluster.get(config.CLUSTEROPERATORS, None, "ingress"), "Available")[0] == "False"
    lab.cloud_holds = False
    lab.rest("default")
    assert lab.service("default")["metadata"]["uid"] != old
    assert lab.service("default")["metadata"]["annotations"][SUBNETS] == B
    assert said(lab.ic("default"), "LoadBalancerProgressing")[0] == "False"


def test_somebody_elses_service_is_left_alone() -> None:
    lab = Stepwise()
    foreign = {"metadata": {"name": "router-default"}, "spec": {"ports": [{"port": 80}]}}
    lab.cluster.create("services", OPERAND, foreign)
    lab.create("default", aws())
    lab.rest("default")
    assert lab.service("default")["spec"]["type"] == "ClusterIP"
    assert lab.operator.log[-1] == (
        "default: failed to ensure load balancer service for default: a conflicting load balancer service exists that"
        " is not owned by the ingress controller: openshift-ingress/router-default"
    )
    assert said(lab.ic("default"), "LoadBalancerReady") == ("False", "ServiceNotFound")


# -- failing clouds ---------------------------------------------------------------------------------------------------


def test_degraded_only_after_the_grace_period() -> None:
    lab = Stepwise()
    lab.cloud_fails = True
    lab.create("default", aws())
    lab.rest("default")
    assert said(lab.ic("default"), "LoadBalancerReady") == ("False", "SyncLoadBalancerFailed")
    assert said(lab.ic("default"), "Available") == ("False", "IngressControllerUnavailable")
    for seconds, degraded in ((89, "False"), (1, "True")):
        lab.pass_time(seconds)
        lab.rest("default")
        assert said(lab.ic("default"), "Degraded")[0] == degraded
    overall = lab.cluster.get(config.CLUSTEROPERATORS, None, "ingress")
    assert said(overall, "Degraded") == ("True", "IngressDegraded")
    lab.cloud_fails = False
    lab.rest("default")
    assert said(lab.ic("default"), "Degraded")[0] == "False"


# -- DNS --------------------------------------------------------------------------------------------------------------


class Zones:
    """A DNS service that can be told to fail."""

    def __init__(self) -> None:
        self.published: dict[str, str] = {}
        self.fails = False

    def publish(self, zone_id: str, record: dict[str, Any]) -> None:
        if self.fails:
            raise ProviderError("throttled")
        self.published[zone_id] = record["spec"]["targets"][0]

    def remove(self, zone_id: str, record: dict[str, Any]) -> None:
        del self.published[zone_id]


def test_the_record_follows_the_address_and_stays_while_there_is_none() -> None:
    zones = Zones()
    lab = Stepwise(zones=("Z1", "Z2"), provider=zones)
    lab.cloud_fails = True
    lab.create("default", {"domain": "apps.lab.invalid", **aws()})
    lab.rest("default")
    assert said(lab.ic("default"), "DNSReady") == ("False", "RecordNotFound")
    lab.cloud_fails = False
    lab.rest("default")
    first = lab.service("default")["status"]["loadBalancer"]["ingress"][0]["hostname"]
    assert zones.published == {"Z1": first, "Z2": first}
    assert said(lab.ic("default"), "DNSReady") == ("True", "NoFailedZones")
    lab.cloud_fails = True
    lab.delete_service("default")
    lab.rest("default")
    assert zones.published == {"Z1": first, "Z2": first}  # points at a load balancer that is gone
    lab.cloud_fails = False
    lab.rest("default")
    second = lab.service("default")["status"]["loadBalancer"]["ingress"][0]["hostname"]
    assert zones.published == {"Z1": second, "Z2": second}
    assert second != first


def test_a_failed_zone_is_tried_again() -> None:
    zones = Zones()
    zones.fails = True
    lab = Stepwise(zones=("Z1",), provider=zones)
    lab.create("default", {"domain": "apps.lab.invalid", **aws()})
    lab.rest("default")
    assert said(lab.ic("default"), "DNSReady") == ("False", "FailedZones")
    assert said(lab.ic("default"), "Available") == ("False", "IngressControllerUnavailable")
    zones.fails = False
    lab.rest("default")
    assert said(lab.ic("default"), "DNSReady")[0] == "True"
    lab.cluster.delete(DNSRECORDS, OPERATOR, "default-wildcard")  # by a user: taken out of the zone, then made again
    lab.operator_pass("default")
    assert zones.published == {}
    lab.rest("default")
    assert list(zones.published) == ["Z1"]


def test_unmanaged_dns_is_not_published() -> None:
    zones = Zones()
    lab = Stepwise(zones=("Z1",), provider=zones)
    lab.create("default", {"domain": "apps.elsewhere.example", **aws()})
    lab.rest("default")
    assert said(lab.ic("default"), "DNSManaged") == ("False", "UnmanagedLoadBalancerDNS")
    assert said(lab.ic("default"), "DNSReady") == ("Unknown", "UnmanagedDNS")
    assert said(lab.ic("default"), "Available")[0] == "True"
    record = lab.cluster.get(DNSRECORDS, OPERATOR, "default-wildcard")
    assert record["status"]["zones"][0]["conditions"][0]["reason"] == "UnmanagedDNS"
    assert zones.published == {}


# -- versions ---------------------------------------------------------------------------------------------------------


def test_an_upgrade_brings_the_new_operators_ways() -> None:
    lab = Stepwise(version="4.21.7")
    lab.create("default", aws("Classic"))
    lab.rest("default")
    uid = lab.service("default")["metadata"]["uid"]
    lab.patch("default", {"spec": aws("NLB")})
    lab.rest("default")
    assert lab.service("default")["metadata"]["annotations"][TYPE] == "nlb"  # in place, up to 4.21
    config.upgrade(lab.cluster, "4.22.1")
    lab.rest("default")
    lab.patch("default", {"spec": aws("Classic")})
    lab.rest("default")
    assert lab.service("default")["metadata"]["annotations"][TYPE] == "nlb"  # waits for recreation, from 4.22 on
    assert lab.service("default")["metadata"]["uid"] == uid
    assert 'aws.type was changed from "NLB" to "Classic"' in text(lab.ic("default"), "LoadBalancerProgressing")
    overall = lab.cluster.get(config.CLUSTEROPERATORS, None, "ingress")
    assert overall["status"]["versions"] == [{"name": "operator", "version": "4.22.1"}]


def test_until_an_upgrade_is_completed_the_old_operator_is_at_work(lab: Stepwise) -> None:
    history = [{"state": "Partial", "version": "4.22.0"}, {"state": "Completed", "version": "4.21.9"}]
    assert config.operator_version({"status": {"desired": {"version": "4.22.0"}, "history": history}}) == "4.21.9"
    assert config.operator_version({"status": {"desired": {"version": "4.20.1"}}}) == "4.20.1"
    assert config.operator_version(None) == config.NEWEST
    assert config.profile_of("4.9.1").version == config.profile_of("next").version == config.NEWEST


def test_what_is_read_of_the_cluster() -> None:
    detail = {"resourceTags": [{"key": "a", "value": "b"}], "ipFamily": "DualStackIPv4Primary"}
    infrastructure = {"status": {"platformStatus": {"type": "AWS", "aws": detail}}}
    ingress = {"spec": {"domain": "apps.x", "loadBalancer": {"platform": {"aws": {"type": "NLB"}}}}}
    infra = config.infra_of(infrastructure, {"spec": {"baseDomain": "x"}}, ingress)
    assert (infra.platform, infra.resource_tags, infra.ip_family) == ("AWS", (("a", "b"),), "DualStackIPv4Primary")
    assert (infra.base_domain, infra.ingress_domain, infra.ingress_lb_type) == ("x", "apps.x", "NLB")
    assert config.infra_of(None, None, None).platform == "None"


# -- the CRD at the API server ----------------------------------------------------------------------------------------


def refusal(lab: Stepwise, **params: Any) -> list[str]:
    with pytest.raises(ApiError) as refused:
        lab.patch("default", {"spec": aws(**params)})
    assert (refused.value.status, refused.value.reason) == (422, "Invalid")
    return [
        f"{cause['field'].rpartition('networkLoadBalancer.')[2]}: {cause['message']}" for cause in refused.value.causes
    ]


@pytest.mark.parametrize(
    ("subnets", "words"),
    [
        ({"ids": ["subnet-1"]}, "ids[0] in body should be at least 24 chars long"),
        ({"ids": [A, A]}, "subnet ids cannot contain duplicates"),
        ({"names": ["a", "a"]}, "subnet names cannot contain duplicates"),
        ({"names": ["a,b"]}, "subnet name cannot contain a comma"),
        ({"names": ["subnet-x"]}, "subnet name cannot start with 'subnet-'"),
        ({"names": [""]}, "names[0] in body should be at least 1 chars long"),
        ({"names": ["x" * 257]}, "Too long: may not be more than 256 bytes"),
        ({"ids": None}, "must specify at least 1 subnet name or id"),
        ({"ids": [f"subnet-{number:017d}" for number in range(11)]}, "Too many: 11: must have at most 10 items"),
    ],
)
def test_subnets_are_refused_in_the_servers_words(lab: Stepwise, subnets: Any, words: str) -> None:
    assert any(words in cause for cause in refusal(lab, subnets=subnets))


def test_uppercase_hex_of_the_right_length_is_taken(lab: Stepwise) -> None:
    lab.patch("default", {"spec": aws(subnets={"ids": [A.upper().replace("SUBNET", "subnet")]})})


def test_an_older_crd_drops_what_it_does_not_know() -> None:
    lab = Stepwise(version="4.16.3")
    lab.create("default", aws(subnets={"ids": [A]}))
    params = lab.ic("default")["spec"]["endpointPublishingStrategy"]["loadBalancer"]["providerParameters"]
    assert params == {"type": "AWS", "aws": {"type": "NLB", "networkLoadBalancer": {}}}
    config.upgrade(lab.cluster, "4.17.0")
    lab.patch("default", {"spec": aws(subnets={"ids": [A]})})
    params = lab.ic("default")["spec"]["endpointPublishingStrategy"]["loadBalancer"]["providerParameters"]
    assert params["aws"]["networkLoadBalancer"] == {"subnets": {"ids": [A]}}


def test_a_frozen_operator_says_so_in_its_log_only(lab: Stepwise) -> None:
    """F1 of facts §14: status may not hold what spec asks for, so nothing moves any more, and deleting is an outage."""
    lab.patch("default", {"spec": aws(subnets={"ids": [A]}, eipAllocations=[EIP])})
    lab.rest("default")
    lab.delete_service("default")
    lab.rest("default")
    before = lab.ic("default")["status"]
    lab.patch("default", {"spec": aws(scope="Internal", subnets={"ids": [A]}, eipAllocations=None)})
    lab.rest("default")
    assert lab.ic("default")["status"] == before
    assert lab.operator.log[-1].startswith("default: failed to admit ingresscontroller: failed to update status: ")
    assert "eipAllocations are forbidden when the scope is Internal." in lab.operator.log[-1]
    change = {"status": {"endpointPublishingStrategy": {"loadBalancer": {"scope": "Internal"}}}}
    with pytest.raises(ApiError, match="eipAllocations are forbidden when the scope is Internal"):
        lab.cluster.patch(INGRESSCONTROLLERS, OPERATOR, "default", change, subresource="status")
    lab.delete_service("default")
    lab.rest("default")
    assert lab.service("default") is None
    assert said(lab.ic("default"), "Available")[0] == "True"
