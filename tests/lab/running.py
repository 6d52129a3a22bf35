# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lab in this process: API server twin, controllers of every cluster, and one moto process when AWS is wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
)

from . import cluster_objects
from .apiserver.accounting import RequestLog
from .apiserver.faults import Faults
from .apiserver.server import ApiServer
from .apiserver.store import Cluster
from .cloud.aws import AwsCloud
from .cloud.class_controller import ClassController
from .cloud.clients import AwsClients
from .cloud.faults import CloudFaults, Timing
from .cloud.moto_server import MotoServer
from .cloud.others import RuleCloud
from .cloud.seed import AwsNetwork, imagined
from .cloud.service_controller import Cloud, ServiceController
from .estate import INGRESSCONTROLLERS, ClusterSpec
from .operator import config as operator_config
from .operator import validator
from .operator.passes import Pace
from .operator.route53 import Route53
from .operator.twin import OperatorTwin

T = TypeVar("T")
WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.01


class LabCluster:
    """One running cluster, as a test sees it."""

    def __init__(self, spec: ClusterSpec, api: Cluster, cloud: Cloud, timing: Timing) -> None:
        self.spec = spec
        self.name = spec.name
        self.api = api
        self.cloud = cloud
        self.aws: AwsNetwork | None = None
        self.clients: AwsClients | None = None
        self.controller = ServiceController(api, cloud, timing)
        self.class_controllers: list[ClassController] = []
        self.operator: OperatorTwin | None = None
        self.url = ""
        self.kubeconfigs: dict[str, Path] = {}

    @property
    def kubeconfig(self) -> Path:
        """The administrator's; `kubeconfigs` also has those of `reader` and `nobody`."""
        return self.kubeconfigs["admin"]

    @property
    def requests(self) -> RequestLog:
        """What came over HTTP since the last `requests.reset()`."""
        return self.api.requests

    @property
    def faults(self) -> Faults:
        """Of the API server."""
        return self.api.faults

    @property
    def cloud_faults(self) -> CloudFaults:
        return self.controller.faults

    def start(self) -> None:
        """Controllers first, then what they are to look after."""
        self.controller.start()
        if self.spec.operator:
            validator.install(self.api)
            provider = Route53(self.clients) if self.clients else None
            self.operator = OperatorTwin(self.api, provider, Pace(speed=self.controller.timing.speed))
            self.operator.start()
            for resource, obj in cluster_objects.ingresscontrollers(self.spec, self.aws):
                self.api.seed(resource, obj)

    def restart_controller(self) -> None:
        """A new service controller that knows nothing of what the old one saw; faults and timing stay."""
        self.controller.stop()
        self.controller = ServiceController(self.api, self.cloud, self.controller.timing, self.controller.faults)
        self.controller.start()

    def watch_class(self, lb_class: str, finalizer: str = "") -> ClassController:
        """A controller of this class, running until `stop`, its own or the cluster's."""
        made = ClassController(self.api, lb_class, finalizer)
        made.start()
        self.class_controllers.append(made)
        return made

    def stop(self) -> None:
        if self.operator:
            self.operator.stop()
        for controller in self.class_controllers:
            controller.stop()
        self.controller.stop()

    def upgrade(self, version: str) -> None:
        """Operator and cloud controller of another OpenShift version take over."""
        operator_config.upgrade(self.api, version)
        if isinstance(self.cloud, AwsCloud):
            self.cloud.upgrade(version)

    def ingresscontroller(self, name: str = "default") -> dict[str, Any]:
        return self.api.get(INGRESSCONTROLLERS, OPERATOR_NAMESPACE, name)

    def is_ready(self) -> bool:
        """Every IngressController is available and the operator has seen its newest edit."""
        return all(_available(ic) for ic in self.api.list(INGRESSCONTROLLERS)["items"])

    def wait_ready(self) -> None:
        self.wait_for(self.is_ready, "every IngressController to be available")

    def edit(self) -> None:
        """What somebody did to the cluster since it was installed."""
        for edit in self.spec.edits(self.aws) if self.spec.edits else []:
            self.api.patch(edit.resource, edit.namespace, edit.name, dict(edit.patch))

    def service(self, name: str = "router-default", namespace: str = OPERAND_NAMESPACE) -> dict[str, Any]:
        return self.api.get("services", namespace, name)

    def address(self, name: str = "router-default", namespace: str = OPERAND_NAMESPACE) -> str:
        """The published hostname or IP, empty while there is none."""
        status = self.service(name, namespace).get("status") or {}
        entries = (status.get("loadBalancer") or {}).get("ingress") or [{}]
        return str(entries[0].get("hostname") or entries[0].get("ip") or "")

    def events(self, name: str, reason: str = "", namespace: str = OPERAND_NAMESPACE) -> list[dict[str, Any]]:
        """Events about the Service of this name (the last one, if it is gone), oldest first."""
        found = [e for e in self.api.list("events", namespace)["items"] if e["involvedObject"]["name"] == name]
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        services = self.api.list("services", namespace, field_selector=f"metadata.name={name}")["items"]
        uids = [service["metadata"]["uid"] for service in services] or [e["involvedObject"]["uid"] for e in found[-1:]]
        return [e for e in found if e["involvedObject"]["uid"] in uids and reason in ("", e["reason"])]

    def wait_for(self, predicate: Callable[[], T], what: str = "", seconds: float = WAIT_SECONDS) -> T:
        """Poll until the predicate gives something true, and give that back."""
        deadline = time.monotonic() + seconds
        while not (answer := predicate()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name}: waited {seconds:.0f} s for {what or predicate}, last was {answer!r}")
            time.sleep(_POLL_SECONDS)
        return answer


def _available(ic: dict[str, Any]) -> bool:
    status = ic.get("status") or {}
    seen = status.get("observedGeneration") == ic["metadata"]["generation"]
    return seen and any(c["type"] == "Available" and c["status"] == "True" for c in status.get("conditions", []))


class Lab:
    """`with Lab(directory) as lab: lab.cluster("one", version="4.22")`."""

    def __init__(self, directory: Path, timing: Timing | None = None) -> None:
        self.directory = directory
        self.timing = timing or Timing()
        self.clusters: dict[str, LabCluster] = {}
        self.server = ApiServer()
        self._moto: MotoServer | None = None
        self._lock = threading.Lock()

    @property
    def moto(self) -> MotoServer:
        """Started when first asked for."""
        with self._lock:
            if self._moto is None:
                server = MotoServer(self.directory / "moto")
                server.start()
                self._moto = server
            return self._moto

    @property
    def has_moto(self) -> bool:
        return self._moto is not None

    def cluster(
        self,
        name: str,
        platform: str = "AWS",
        version: str = "4.22",
        *,
        timing: Timing | None = None,
        wait: bool = True,
        **more: Any,
    ) -> LabCluster:
        """A new cluster, at rest unless told not to wait; `more` as in ClusterSpec, `timing` for a slower cloud."""
        made = self.add(ClusterSpec(name, platform, version, **more), timing)
        if wait:
            made.wait_ready()
            made.edit()
            made.wait_ready()
        return made

    def add(self, spec: ClusterSpec, timing: Timing | None = None) -> LabCluster:
        if spec.name in self.server.clusters:
            raise ValueError(f"there is already a cluster {spec.name}")
        api = Cluster(spec.name, spec.kubernetes)
        url = self.server.add(api)
        clients, network = self._seed(spec)
        cloud: Cloud = RuleCloud(spec.platform)
        if clients and network:
            cloud = AwsCloud(clients, network, spec.version)
        made = LabCluster(spec, api, cloud, timing or self.timing)
        made.aws, made.clients, made.url = network, clients, url
        made.kubeconfigs = self._kubeconfigs(api)
        for resource, obj in cluster_objects.installed(spec, network if clients else None, url):
            api.seed(resource, obj)
        made.start()
        self.clusters[spec.name] = made
        return made

    def bring_up(self, specs: Iterable[ClusterSpec]) -> list[LabCluster]:
        """Several at once, all at rest at the end: most of the time goes into waiting for moto."""
        with ThreadPoolExecutor(max_workers=4) as pool:
            made = list(pool.map(self.add, specs))
        self.clusters = {running.name: running for running in made} | self.clusters
        for step in (LabCluster.wait_ready, LabCluster.edit, LabCluster.wait_ready):
            for running in made:
                step(running)
        return made

    def stop(self) -> None:
        """Everything this lab started; safe to call twice."""
        # A copy: an interrupted bring_up may still be adding one.
        for running in list(self.clusters.values()):
            running.stop()
        self.clusters.clear()
        self.server.stop()
        if self._moto is not None:
            self._moto.stop()
            self._moto = None

    def _seed(self, spec: ClusterSpec) -> tuple[AwsClients | None, AwsNetwork | None]:
        if spec.platform != "AWS":
            return None, None
        if not spec.moto:
            return None, imagined(spec.infra_id, spec.region)
        return self.moto.clients(spec.region), self.moto.seed(spec.infra_id, spec.base_domain, spec.region)

    def _kubeconfigs(self, api: Cluster) -> dict[str, Path]:
        directory = self.directory / "kubeconfig"
        directory.mkdir(parents=True, exist_ok=True)
        tokens = {
            "admin": None,
            "reader": api.tokens.add(cluster_objects.READER),
            "nobody": api.tokens.add("lab-nobody"),
        }
        paths = {}
        for user, token in tokens.items():
            path = directory / (f"{api.name}.yaml" if user == "admin" else f"{api.name}.{user}.yaml")
            path.touch(mode=0o600)
            path.write_text(self.server.kubeconfig(api.name, token=token, user=user), encoding="utf-8")
            paths[user] = path
        return paths

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
