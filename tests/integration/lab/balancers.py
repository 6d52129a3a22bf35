# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""LoadBalancer Services as a test makes them, without any operator, and what became of them in the cloud."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws import cloud_controller as ccm
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OPERAND_NAMESPACE
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud import rules
from ansible_collections.edgeworks.lb_estate.tests.lab.running import LabCluster

SYNC = "Error syncing load balancer: failed to ensure load balancer: "


def subnets_of(balancer: dict[str, Any]) -> set[str]:
    if "Subnets" in balancer:
        return set(balancer["Subnets"])
    return {zone["SubnetId"] for zone in balancer["AvailabilityZones"]}


class Balancers:
    """LoadBalancer Services of one cluster, made by a test without any operator."""

    def __init__(self, cluster: LabCluster) -> None:
        self.cluster = cluster
        self._made: list[str] = []

    def create(self, name: str, annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
        """Annotations by the suffix of their key: `subnets`, `type`, `internal`."""
        keys = {rules.PREFIX + suffix: value for suffix, value in (annotations or {}).items()}
        ports = [{"name": "http", "port": 80}, {"name": "https", "port": 443}]
        wanted = {
            "metadata": {"name": name, "annotations": keys},
            "spec": {"type": "LoadBalancer", "ports": ports, **spec},
        }
        self._made.append(name)
        return self.cluster.api.create("services", OPERAND_NAMESPACE, wanted)

    def annotate(self, name: str, **annotations: str | None) -> None:
        keys = {rules.PREFIX + suffix.replace("_", "-"): value for suffix, value in annotations.items()}
        self.cluster.api.patch("services", OPERAND_NAMESPACE, name, {"metadata": {"annotations": keys}})

    def ready(self, name: str) -> str:
        return self.cluster.wait_for(lambda: self.cluster.address(name), f"an address of {name}")

    def failure(self, name: str, words: str = "") -> str:
        """The newest SyncLoadBalancerFailed text with these words."""

        def found() -> str:
            events = self.cluster.events(name, "SyncLoadBalancerFailed")
            return next((event["message"] for event in reversed(events) if words in event["message"]), "")

        return self.cluster.wait_for(found, f"a failure of {name} with {words!r}")

    def delete(self, name: str) -> None:
        self.cluster.api.delete("services", OPERAND_NAMESPACE, name)

    def is_gone(self, name: str) -> bool:
        try:
            self.cluster.service(name)
        except ApiError as error:
            return error.status == 404
        return False

    def classic(self, name: str) -> dict[str, Any] | None:
        return self._found(self.cluster.clients.elb, "LoadBalancerDescriptions", name)

    def network(self, name: str) -> dict[str, Any] | None:
        return self._found(self.cluster.clients.elbv2, "LoadBalancers", name)

    def _found(self, client: Any, key: str, name: str) -> dict[str, Any] | None:
        wanted = ccm.lb_name(self.cluster.service(name)["metadata"]["uid"])
        found = client.describe_load_balancers()[key]
        return next((balancer for balancer in found if balancer["LoadBalancerName"] == wanted), None)

    def clean_up(self) -> None:
        self.cluster.cloud_faults.clear()
        for name in self._made:
            if not self.is_gone(name):
                self.delete(name)
        for name in self._made:
            self.cluster.wait_for(lambda name=name: self.is_gone(name), f"the end of {name}")
