# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One IngressController or plain Service on a cluster of the lab, as a test works on it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import waits
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AUTO_DELETE,
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
    Infra,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.serving import going
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import running
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import COLLECTION, Stage
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, run_task
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import INGRESSCONTROLLERS, IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import LabCluster

ACCESS = {"access_key": "lab-access-key", "secret_key": "lab-secret-key-0123456789"}
# The cloud of the lab answers in hundredths of a second; nothing that works takes longer than this.
QUICK = {"wait_sleep": 1, "wait_timeout": 30}
Obj = dict[str, Any]
_serial = itertools.count(1)


class Subject:
    """What a module is run on; `options` say which one it is."""

    def __init__(self, cluster: LabCluster, namespace: str, service_name: str, options: dict[str, Any]) -> None:
        self.cluster, self.namespace, self.service_name, self.options = cluster, namespace, service_name, options

    def run(
        self, module: str, /, *, check: bool = False, aws: bool = False, user: str = "admin", **options: Any
    ) -> Result:
        """A module's result on this subject; the look at AWS only where a test is about it."""
        return run_task(module, self.cluster.kubeconfigs[user], check=check, **self.given(aws=aws, **options))

    def given(self, *, aws: bool = False, **options: Any) -> dict[str, Any]:
        """All options of a task on this subject but the way in to its cluster."""
        look = {**ACCESS, "endpoint_url": self.cluster.clients.endpoint} if aws and self.cluster.clients else {}
        preflight = {} if aws else {"preflight": "skip"}
        return {**QUICK, **self.options, **look, **preflight, **options}

    def killed_when(self, moment: Callable[[], Any], what: str, module: str, **options: Any) -> None:
        """A run of the module, killed with -9 once that moment has come."""
        with running(module, self.cluster.kubeconfig, **self.given(**options)) as program:
            self.wait_for(moment, what)
            program.kill_9()

    def service(self) -> Obj | None:
        return _found(self.cluster, "services", self.namespace, self.service_name)

    def live(self) -> Obj:
        found = self.service()
        assert found is not None, f"{self.service_name} is gone"
        return found

    @property
    def uid(self) -> str:
        return str(self.live()["metadata"]["uid"])

    @property
    def annotations(self) -> dict[str, str]:
        return dict(self.live()["metadata"].get("annotations") or {})

    @property
    def address(self) -> str:
        return self.cluster.address(self.service_name, self.namespace)

    def patch_service(self, patch: Obj) -> None:
        self.cluster.api.patch("services", self.namespace, self.service_name, patch)

    def annotate(self, **values: str | None) -> None:
        """Annotations by hand, on the Service; keys by the last word of their AWS name."""
        keys = {f"service.beta.kubernetes.io/aws-load-balancer-{key}": value for key, value in values.items()}
        self.patch_service({"metadata": {"annotations": keys}})

    def writes(self) -> list[tuple[str, str]]:
        """Write requests since the last reset, as (verb, resource); the lock around them and dry runs aside."""
        sent = [request for request in self.cluster.requests.writes() if not request.dry_run]
        made = [(request.verb, request.resource.partition(".")[0]) for request in sent]
        return [one for one in made if one[1] != "leases"]

    def wait_for(self, predicate: Any, what: str) -> Any:
        return self.cluster.wait_for(predicate, what)


class Ingress(Subject):
    """An IngressController of its own, with everything the operator makes of it."""

    def __init__(self, cluster: LabCluster, name: str) -> None:
        self.name = name
        super().__init__(cluster, OPERAND_NAMESPACE, f"router-{name}", {"ingress_controller": name})

    def create(self, strategy: Obj | None, **metadata: Any) -> None:
        spec = {"domain": f"{self.name}.{self.cluster.spec.base_domain}", "replicas": 1}
        if strategy is not None:
            spec["endpointPublishingStrategy"] = strategy
        meta = {"name": self.name, "namespace": OPERATOR_NAMESPACE, **metadata}
        self.cluster.api.seed(INGRESSCONTROLLERS, {"metadata": meta, "spec": spec})

    def ic(self) -> Obj:
        return self.cluster.ingresscontroller(self.name)

    @property
    def lb(self) -> Obj:
        found: Obj = self.ic()["spec"]["endpointPublishingStrategy"]["loadBalancer"]
        return found

    def patch(self, patch: Obj) -> None:
        self.cluster.api.patch(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, self.name, patch)

    def patch_lb(self, **fields: Any) -> None:
        """Straight to the API, as a person with oc would."""
        self.patch({"spec": {"endpointPublishingStrategy": {"loadBalancer": fields}}})

    def arm(self, value: str = "") -> None:
        self.patch({"metadata": {"annotations": {AUTO_DELETE: value}}})

    @property
    def armed(self) -> str | None:
        found = (self.ic()["metadata"].get("annotations") or {}).get(AUTO_DELETE)
        return None if found is None else str(found)

    def condition(self, kind: str = "LoadBalancerProgressing") -> tuple[str, str, str]:
        found = waits.condition(self.ic(), kind)
        return found.get("status", ""), found.get("reason", ""), found.get("message", "")

    def is_settled(self) -> bool:
        """The operator has seen the newest spec, its conditions speak of it, and the load balancer and DNS serve."""
        profile = profile_for(self.cluster.spec.release)
        service = self.service()
        if going(service):
            return False
        look = waits.admitted(profile, Infra(self.cluster.spec.platform), self.ic(), service, patient=True)
        return look.done and bool(dig(service, "status", "loadBalancer", "ingress")) and self._is_available()

    def _is_available(self) -> bool:
        return self.condition("Available")[0] == "True"

    def settle(self) -> None:
        self.wait_for(self.is_settled, f"IngressController {self.name} to come to rest")

    def remove(self) -> None:
        if _found(self.cluster, INGRESSCONTROLLERS, OPERATOR_NAMESPACE, self.name) is None:
            return
        self.cluster.api.delete(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, self.name)
        self.wait_for(self._is_gone, f"IngressController {self.name} to be gone")

    def _is_gone(self) -> bool:
        ic = _found(self.cluster, INGRESSCONTROLLERS, OPERATOR_NAMESPACE, self.name)
        return ic is None and self.service() is None


class PlainService(Subject):
    """A Service of type LoadBalancer that no operator owns."""

    def __init__(self, cluster: LabCluster, name: str, namespace: str = "shop") -> None:
        super().__init__(cluster, namespace, name, {"service": {"namespace": namespace, "name": name}})

    def create(self, annotations: dict[str, str] | None = None, **spec: Any) -> None:
        ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 8443}]
        wanted = {"type": "LoadBalancer", "selector": {"app": self.service_name}, "ports": ports, **spec}
        meta = {"name": self.service_name, "namespace": self.namespace, "annotations": dict(annotations or {})}
        self.cluster.api.seed("services", {"metadata": meta, "spec": wanted})

    def saved(self) -> Obj | None:
        return _found(self.cluster, "configmaps", self.namespace, f"lb-estate-saved-{self.service_name}")

    def settle(self) -> None:
        self.wait_for(lambda: self.service() and self.address, f"Service {self.service_name} to have an address")

    def remove(self) -> None:
        for resource, name in (("services", self.service_name), ("configmaps", f"lb-estate-saved-{self.service_name}")):
            if _found(self.cluster, resource, self.namespace, name) is not None:
                self.cluster.api.delete(resource, self.namespace, name)
        self.wait_for(lambda: self.service() is None, f"Service {self.service_name} to be gone")


# Port 9 of loopback: nobody answers there.
NO_CLOUD = {
    "auth": {
        "auth_url": "http://127.0.0.1:9/v3",
        "username": "lab-user",
        "password": "lab-password",
        "project_name": "lab-project",
    },
    "region_name": "RegionOne",
    "api_timeout": 5,
}


_WAITING = ("ingress_lb_subnets", "slb_scope", "lb_effectuate", "service_lb_class")


def stage_of(directory: Path, cluster: LabCluster, **more: Any) -> Stage:
    """One host for the cluster; tasks find their way in by module_defaults."""
    clients = cluster.clients
    groups = {
        "kubernetes": {"kubeconfig": str(cluster.kubeconfig)},
        "aws": {**ACCESS, "endpoint_url": clients.endpoint} if clients else {"preflight": "skip"},
        "openstack": NO_CLOUD,
    }
    defaults = {f"group/{COLLECTION}.{name}": given for name, given in groups.items()}
    defaults |= {f"{COLLECTION}.{name}": QUICK for name in _WAITING}
    return Stage(directory, {"edge-one": {}}, module_defaults=defaults, **more)


def spec_of(**fields: Any) -> IngressSpec:
    """An IngressSpec with a name of its own."""
    return IngressSpec(f"t{next(_serial)}", **fields)


def next_name(stem: str) -> str:
    return f"{stem}{next(_serial)}"


def _found(cluster: LabCluster, resource: str, namespace: str, name: str) -> Obj | None:
    try:
        return cluster.api.get(resource, namespace, name)
    except ApiError as error:
        if error.status != 404:
            raise
        return None
