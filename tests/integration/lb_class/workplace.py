# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One Service whose class changes, as a test works on it; and the words these tests share."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import (
    Obj,
    PlainService,
    Subject,
    next_name,
)
from ansible_collections.edgeworks.lb_estate.tests.lab.running import LabCluster

MODULE = "service_lb_class"
WATCHED, UNWATCHED = "example.com/edge", "nobody.example.com/edge"
OUTAGE = {"allow_disruption": "outage"}
MOVED = {
    "traffic_moved": True,
    "traffic_moved_because": "the monitoring shows no connection",
    "allow_disruption": "brief",
}
RANGES = ["10.0.0.0/8"]
SLICES = "endpointslices.discovery.k8s.io"
# What is compared across a change of class: everything that was given or allocated.
ALLOCATED = ("clusterIP", "clusterIPs", "ports", "healthCheckNodePort")
GIVEN = ("selector", "loadBalancerSourceRanges", "externalTrafficPolicy", "sessionAffinity", "type")


class ClassedService(PlainService):
    """A plain Service and, where a task makes one, the second beside it."""

    def __init__(self, cluster: LabCluster) -> None:
        super().__init__(cluster, next_name("front"))
        self.second = PlainService(cluster, f"{self.service_name}-next")

    def create_classed(self, lb_class: str | None, served: bool = True, endpoints: bool = True, **fields: Any) -> None:
        if lb_class is not None:
            fields["loadBalancerClass"] = lb_class
        self.create(**fields)
        if served:
            self.settle()
        if endpoints:
            for name in (self.service_name, self.second.service_name):
                self.cluster.api.seed(SLICES, endpoint_slice(self.namespace, name))

    @property
    def lb_class(self) -> str | None:
        found = self.live()["spec"].get("loadBalancerClass")
        return None if found is None else str(found)

    def kept(self) -> dict[str, Any]:
        """Everything that a change of class has to leave as it was."""
        live = self.live()
        spec = {name: live["spec"].get(name) for name in (*ALLOCATED, *GIVEN)}
        return {**spec, "annotations": self.annotations, "labels": live["metadata"].get("labels")}

    def change(self, **options: Any) -> dict[str, Any]:
        """A run of the module that has to end well."""
        result = self.run(MODULE, **options)
        assert not result.get("failed"), result.get("msg")
        return result

    def tidy(self) -> None:
        self.cluster.faults.clear()
        self.cluster.cloud_faults.clear()
        for controller in self.cluster.class_controllers:
            controller.holds_cleanup = False
        for one in (self, self.second):
            found = one.service()
            if found is not None and found["metadata"].get("finalizers"):
                one.wait_for(lambda one=one: _touched(one), f"Service {one.service_name} to be looked after")
            PlainService.remove(one)
            self._remove_slices(one)

    def _remove_slices(self, one: Subject) -> None:
        names = [item["metadata"]["name"] for item in self.cluster.api.list(SLICES, self.namespace)["items"]]
        if f"{one.service_name}-abcde" in names:
            self.cluster.api.delete(SLICES, self.namespace, f"{one.service_name}-abcde")


def _touched(one: Subject) -> bool:
    return one.service() is not None


def endpoint_slice(namespace: str, service: str, ready: bool = True) -> Obj:
    """Two endpoints, as the cluster's own controller would make them of a selector."""
    endpoints = [{"addresses": [f"10.128.0.{number}"], "conditions": {"ready": ready}} for number in (7, 8)]
    return {
        "metadata": {
            "name": f"{service}-abcde",
            "namespace": namespace,
            "labels": {"kubernetes.io/service-name": service},
        },
        "addressType": "IPv4",
        "endpoints": endpoints,
        "ports": [{"name": "https", "port": 8443, "protocol": "TCP"}],
    }
