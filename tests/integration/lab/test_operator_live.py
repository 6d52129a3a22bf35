# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator twin at work in its own thread: what wakes it, with and without an API in the same process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab import cluster_objects
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.others import RuleCloud
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.service_controller import ServiceController
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import ClusterSpec, IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.operator import config, validator
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.passes import Pace
from ansible_collections.edgeworks.lb_estate.tests.lab.operator.twin import OperatorTwin

IC = ("ingresscontrollers.operator.openshift.io", "openshift-ingress-operator", "default")
SERVICE = ("services", "openshift-ingress", "router-default")
INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"
SECONDS = 20.0


class OverTheWire:
    """A cluster as one behind HTTPS looks: the methods of Api and nothing else."""

    def __init__(self, cluster: Cluster) -> None:
        for name in ("get", "list", "create", "patch", "replace", "delete", "watch"):
            setattr(self, name, getattr(cluster, name))


class Running:
    def __init__(self, *, near: bool, version: str = "4.21", create_default: bool = False) -> None:
        self.cluster = Cluster("live")
        validator.install(self.cluster)
        spec = ClusterSpec("live", "AWS", version, ingress=() if create_default else (IngressSpec(type="Classic"),))
        for resource, obj in cluster_objects.installed(spec, None, ""):
            self.cluster.seed(resource, obj)
        api: Any = self.cluster if near else OverTheWire(self.cluster)
        self.cloud = ServiceController(self.cluster, RuleCloud("AWS"))
        self.twin = OperatorTwin(api, None, Pace(0.02), create_default=create_default)
        for part in (self.cloud, self.twin):
            part.start()
        for resource, obj in cluster_objects.ingresscontrollers(spec, None):
            self.cluster.seed(resource, obj)

    def stop(self) -> None:
        for part in (self.twin, self.cloud):
            part.stop()

    def wait(self, predicate: Callable[[], Any]) -> None:
        deadline = time.monotonic() + SECONDS
        while not predicate():
            assert time.monotonic() < deadline, f"waited {SECONDS:.0f} s; the operator's log: {self.twin.log}"
            time.sleep(0.02)

    def says(self, kind: str, status: str) -> bool:
        ic = self.cluster.get(*IC)
        found = (ic.get("status") or {}).get("conditions") or ()
        return any(entry["type"] == kind and entry["status"] == status for entry in found)

    def scope(self, scope: str) -> None:
        self.cluster.patch(*IC, {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"scope": scope}}}})


@pytest.fixture(params=[True, False], ids=["in this process", "watched"])
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    made = Running(near=request.param)
    yield made
    made.stop()


def test_edits_of_spec_service_and_version_wake_it(running: Running) -> None:
    running.wait(lambda: running.says("Available", "True"))
    running.scope("Internal")
    running.wait(lambda: running.says("LoadBalancerProgressing", "True"))
    uid = running.cluster.get(*SERVICE)["metadata"]["uid"]
    running.cluster.delete(*SERVICE)
    running.wait(lambda: running.says("LoadBalancerProgressing", "False"))
    made = running.cluster.get(*SERVICE)["metadata"]
    assert made["uid"] != uid
    assert made["annotations"][INTERNAL] == "true"

    config.upgrade(running.cluster, "4.22.5")
    overall = ("clusteroperators.config.openshift.io", None, "ingress")
    running.wait(lambda: running.cluster.get(*overall)["status"]["versions"][0]["version"] == "4.22.5")


def test_a_frozen_operator_keeps_trying_and_goes_on_once_it_can(running: Running) -> None:
    running.wait(lambda: running.says("Available", "True"))
    # F3 of facts §14: an annotation the status may not hold.
    subnets = "service.beta.kubernetes.io/aws-load-balancer-subnets"
    running.cluster.patch(*SERVICE, {"metadata": {"annotations": {subnets: "subnet-1234abcd"}}})
    running.wait(lambda: any("failed to update ingresscontroller status" in line for line in running.twin.log))
    running.scope("Internal")
    running.wait(lambda: running.cluster.get(*IC)["status"]["observedGeneration"] == 2)  # still admitted
    assert running.says("LoadBalancerProgressing", "False")  # but conditions are stale
    running.cluster.patch(*SERVICE, {"metadata": {"annotations": {subnets: None}}})
    running.wait(lambda: running.says("LoadBalancerProgressing", "True"))


def test_a_slow_one_is_behind_with_what_it_says(running: Running) -> None:
    running.wait(lambda: running.says("Available", "True"))
    seconds, begun = 0.3, time.monotonic()
    with running.twin.slow(seconds):
        running.scope("Internal")
        running.wait(lambda: running.says("LoadBalancerProgressing", "True"))
        assert time.monotonic() - begun >= seconds
    assert running.twin.operator.pace.before_writing == 0.0


def test_it_makes_the_default_ingresscontroller_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    running = Running(near=True, create_default=True)
    running.wait(lambda: running.cluster.list(IC[0])["items"] and running.says("Available", "True"))
    assert running.cluster.get(*IC)["status"]["domain"] == "apps.live.lab.example.com"
    running.stop()
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert left <= {"garbage-collector"}  # one for the whole process
