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

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OPERAND_NAMESPACE

from . import cluster_objects
from .apiserver.accounting import RequestLog
from .apiserver.faults import Faults
from .apiserver.server import ApiServer
from .apiserver.store import Cluster
from .cloud.aws import AwsCloud
from .cloud.clients import AwsClients
from .cloud.faults import CloudFaults, Timing
from .cloud.moto_server import MotoServer
from .cloud.others import RuleCloud
from .cloud.seed import AwsNetwork, seed_cluster
from .cloud.service_controller import Cloud, ServiceController
from .estate import ClusterSpec

T = TypeVar("T")
WAIT_SECONDS = 20.0
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
        self.controller.start()

    def restart_controller(self) -> None:
        """A new service controller that knows nothing of what the old one saw; faults and timing stay."""
        self.controller.stop()
        self.controller = ServiceController(self.api, self.cloud, self.controller.timing, self.controller.faults)
        self.controller.start()

    def stop(self) -> None:
        self.controller.stop()

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

    def cluster(self, name: str, platform: str = "AWS", version: str = "4.22", **more: Any) -> LabCluster:
        """A new cluster; `more` as in ClusterSpec, and `timing` for a cloud slower or faster than the lab's."""
        timing = more.pop("timing", None)
        return self.add(ClusterSpec(name, platform, version, **more), timing)

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
        for resource, obj in cluster_objects.installed(spec, network, url):
            api.seed(resource, obj)
        made.start()
        self.clusters[spec.name] = made
        return made

    def add_all(self, specs: Iterable[ClusterSpec]) -> list[LabCluster]:
        """Several at once: most of the time goes into waiting for moto."""
        with ThreadPoolExecutor(max_workers=4) as pool:
            return list(pool.map(self.add, specs))

    def stop(self) -> None:
        """Everything this lab started; safe to call twice."""
        for running in self.clusters.values():
            running.stop()
        self.clusters.clear()
        self.server.stop()
        if self._moto is not None:
            self._moto.stop()
            self._moto = None

    def _seed(self, spec: ClusterSpec) -> tuple[AwsClients | None, AwsNetwork | None]:
        if spec.platform != "AWS":
            return None, None
        clients = self.moto.clients(spec.region)
        return clients, seed_cluster(clients, spec.infra_id, spec.base_domain)

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
