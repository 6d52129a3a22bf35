# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a test gets from `lab.cluster(…)`: kubeconfigs for three users, timing of its own, counted requests."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.faults import Timing
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import DEMO, IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab, LabCluster
from kubernetes import client, config


def core_api(cluster: LabCluster, user: str) -> Any:
    settings = client.Configuration()
    config.load_kube_config(str(cluster.kubeconfigs[user]), client_configuration=settings)
    # REQUESTS_CA_BUNDLE and friends of the environment must not matter: the CA is in the kubeconfig.
    return client.CoreV1Api(client.ApiClient(settings))


def test_three_users_of_one_cluster(aws: LabCluster) -> None:
    aws.requests.reset()
    body = {"metadata": {"name": "by-admin"}, "data": {"a": "b"}}
    core_api(aws, "admin").create_namespaced_config_map("default", body)
    assert core_api(aws, "reader").read_namespaced_config_map("by-admin", "default").data == {"a": "b"}
    for user, call in (("reader", "delete_namespaced_config_map"), ("nobody", "read_namespaced_config_map")):
        with pytest.raises(client.ApiException) as refused:
            getattr(core_api(aws, user), call)("by-admin", "default")
        assert refused.value.status == 403
    assert [request.verb for request in aws.requests.writes()] == ["create", "delete"]
    assert aws.requests.count(code=403) == 2


def test_provisioning_and_deprovisioning_take_their_time(lab: Lab) -> None:
    slow = lab.cluster("slow", "GCP", timing=Timing(provision=0.4, deprovision=0.4), operator=False)
    begun = time.monotonic()
    wanted = {"metadata": {"name": "s"}, "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}}
    slow.api.create("services", "default", wanted)
    slow.wait_for(lambda: slow.address("s", "default"))
    assert time.monotonic() - begun >= 0.4
    assert [event["count"] for event in slow.events("s", "EnsuringLoadBalancer", "default")] == [1]
    begun = time.monotonic()
    slow.api.delete("services", "default", "s")
    slow.wait_for(lambda: not slow.api.list("services", "default", field_selector="metadata.name=s")["items"])
    assert time.monotonic() - begun >= 0.4


def test_a_cluster_is_there_in_a_second(lab: Lab) -> None:
    assert lab.moto.endpoint
    begun = time.monotonic()
    made = lab.cluster("quick", version="4.19", operator=False)
    took = time.monotonic() - begun
    print(f"one AWS cluster: {took:.2f} s")
    status = made.api.get("infrastructures.config.openshift.io", None, "cluster")["status"]
    assert status["infrastructureName"] == made.aws.infra_id
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert took < busy, f"a second on a quiet machine; this one is {busy:.1f} times busy"


def test_a_name_is_taken_once(lab: Lab, aws: LabCluster) -> None:
    with pytest.raises(ValueError, match="already a cluster"):
        lab.cluster(aws.name)


def test_an_installed_cluster_is_at_rest_with_its_records_and_takes_an_upgrade(lab: Lab) -> None:
    made = lab.cluster("full", version="4.21", ingress=(IngressSpec(type="NLB"),))
    hostname = made.address()
    records = made.clients.route53.list_resource_record_sets(HostedZoneId=made.aws.public_zone)["ResourceRecordSets"]
    targets = [record["AliasTarget"]["DNSName"] for record in records if "AliasTarget" in record]
    assert [target.rstrip(".") for target in targets] == [hostname]
    made.upgrade("4.22.3")
    annotations = {"service.beta.kubernetes.io/aws-load-balancer-type": None}
    made.api.patch("services", "openshift-ingress", "router-default", {"metadata": {"annotations": annotations}})
    event = made.wait_for(lambda: made.events("router-default", "SyncLoadBalancerFailed"))[0]
    assert "cannot update Load Balancer Type annotation" in event["message"]
    assert made.address() == hostname


def test_edits_of_the_estate_are_made_once_it_is_at_rest(lab: Lab) -> None:
    spec = next(spec for spec in DEMO if spec.name == "aws-latent")
    latent = lab.bring_up([spec])[0]
    conditions = {condition["type"]: condition for condition in latent.ingresscontroller()["status"]["conditions"]}
    assert conditions["LoadBalancerProgressing"]["status"] == "True"
    assert latent.clients.elb.describe_load_balancers()["LoadBalancerDescriptions"]
    assert not latent.address().startswith("internal-")
