# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports' servers: the API server twin over HTTPS, and moto with one seeded cluster."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.aws import Aws
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.patience import Patience
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.aws import AwsCloud
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.clients import ACCESS_KEY, SECRET_KEY, AwsClients
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.moto_server import MotoServer
from ansible_collections.edgeworks.lb_estate.tests.lab.cloud.seed import AwsNetwork

_NUMBERS = itertools.count(1)
NAMESPACE = "openshift-ingress"


class Skipping:
    """A clock whose sleeps take no time but are remembered."""

    def __init__(self) -> None:
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return time.monotonic() + sum(self.sleeps)

    def patience(self, **seconds: float) -> Patience:
        return Patience(clock=self.clock, sleep=self.sleeps.append, **seconds)  # type: ignore[arg-type]


class Site:
    """One cluster behind the server, and ways in."""

    def __init__(self, server: ApiServer, cluster: Cluster) -> None:
        self.server = server
        self.api = cluster
        self.url = server.url_of(cluster.name)
        self.time = Skipping()

    def kubeconfig(self, token: str | None = None) -> dict[str, Any]:
        loaded: dict[str, Any] = yaml.safe_load(self.server.kubeconfig(self.api.name, token=token))
        return loaded

    def connect(self, token: str | None = None, *, patience: Patience | None = None, **options: Any) -> Kube:
        options.setdefault("kubeconfig", self.kubeconfig(token))
        return Kube.connect(options, environ={}, patience=patience or self.time.patience())

    def service(self, name: str = "router-default", **annotations: str) -> dict[str, Any]:
        """A stored load balancer Service."""
        spec = {"type": "LoadBalancer", "ports": [{"port": 80}], "selector": {"app": "router"}}
        meta = {"name": name, "namespace": NAMESPACE, "annotations": annotations}
        made: dict[str, Any] = self.api.seed("services", {"metadata": meta, "spec": spec})
        return made


@pytest.fixture(scope="session")
def apiserver() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


@pytest.fixture
def site(apiserver: ApiServer) -> Iterator[Site]:
    cluster = Cluster(f"port-{next(_NUMBERS)}")
    apiserver.add(cluster)
    yield Site(apiserver, cluster)
    apiserver.remove(cluster.name)


@dataclass(frozen=True)
class AwsSite:
    """moto, one cluster's network in it, and the cloud controller's hand."""

    moto: MotoServer
    clients: AwsClients
    network: AwsNetwork

    @property
    def options(self) -> dict[str, Any]:
        keys = {"access_key": ACCESS_KEY, "secret_key": SECRET_KEY}
        return {**keys, "region": self.network.region, "endpoint_url": self.moto.endpoint, "validate_certs": True}

    def provisioned(self, service: dict[str, Any]) -> dict[str, Any]:
        """The Service with its load balancer made and published, as the cloud controller of 4.21 leaves it."""
        entries = AwsCloud(self.clients, self.network, "4.21").ensure(service, [])
        return {**service, "status": {"loadBalancer": {"ingress": entries}}}


@pytest.fixture(scope="session")
def aws_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AwsSite]:
    with MotoServer(tmp_path_factory.mktemp("moto")) as moto:
        yield AwsSite(moto, moto.clients("us-east-1"), moto.seed("port-x7k2p", "port.lab.example.com", "us-east-1"))


@pytest.fixture(autouse=True)
def _no_aws_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials, files or metadata service of the machine the tests run on."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))


Answering = Callable[[int, str], AbstractContextManager[str]]


@pytest.fixture
def answering() -> Answering:
    """A server that gives one answer to everything, as a proxy may; its address."""

    @contextmanager
    def serve(status: int, body: str) -> Iterator[str]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_args: Any) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()

    return serve


@pytest.fixture(scope="session")
def connected(aws_site: AwsSite) -> Aws:
    """Shared: a new EC2 client costs half a second."""
    port = Aws.connect(aws_site.options)
    assert port is not None
    return port


@pytest.fixture
def aws(connected: Aws, aws_site: AwsSite) -> Iterator[Aws]:
    yield connected
    aws_site.moto.clear_faults()
