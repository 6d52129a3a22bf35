# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server's tests share: a running server with one cluster, and a raw client that sees every byte."""

from __future__ import annotations

import http.client
import json
import ssl
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

Obj = dict[str, Any]
ICS = "ingresscontrollers.operator.openshift.io"
OPERATOR_NS = "openshift-ingress-operator"
ROUTER_NS = "openshift-ingress"
SERVICES = f"/api/v1/namespaces/{ROUTER_NS}/services"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


def make_cluster(name: str = "c1", **options: Any) -> Cluster:
    namespaces = ("default", "kube-system", ROUTER_NS, OPERATOR_NS)
    return Cluster(name, namespaces=namespaces, **options)


def service(name: str = "router-default", **spec: Any) -> Obj:
    ports = [{"name": "http", "port": 80, "targetPort": "http"}, {"name": "https", "port": 443, "targetPort": "https"}]
    return {"metadata": {"name": name}, "spec": {"type": "LoadBalancer", "ports": ports, **spec}}


def configmap(name: str, **data: str) -> Obj:
    return {"metadata": {"name": name}, "data": data}


def refusal(error: pytest.ExceptionInfo[ApiError]) -> tuple[int, str, str]:
    return error.value.status, error.value.reason, error.value.message


class Client:
    """One keep-alive connection with one token; answers are (status, JSON)."""

    def __init__(self, url: str, ca: bytes, token: str | None) -> None:
        parts = urlsplit(url)
        self._prefix = parts.path
        self._token = token
        # Explicit trust: the environment's certificate variables must not matter.
        context = ssl.create_default_context(cadata=ca.decode())
        self._http = http.client.HTTPSConnection(parts.hostname or "", parts.port, context=context, timeout=10)
        self.headers: dict[str, str] = {}

    def send(self, method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
        return self.send_as("application/json", method, path, body, **query)

    def send_as(self, content_type: str, method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
        response = self.open(content_type, method, path, body, **query)
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        data = response.read()
        if "json" not in self.headers.get("content-type", ""):
            return response.status, data.decode()
        return response.status, json.loads(data)

    def open(
        self,
        content_type: str,
        method: str,
        path: str,
        body: Any = None,
        accept: str = "application/json",
        **query: str,
    ) -> http.client.HTTPResponse:
        headers = {"Content-Type": content_type, "Accept": accept, "User-Agent": "raw-test"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        target = self._prefix + path + (f"?{urlencode(query)}" if query else "")
        payload = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        self._http.request(method, target, payload, headers)
        return self._http.getresponse()

    def merge(self, path: str, patch: Obj, **query: str) -> tuple[int, Any]:
        return self.send_as("application/merge-patch+json", "PATCH", path, patch, **query)

    def close(self) -> None:
        self._http.close()


class Served:
    """A server with one cluster in it; more can be added."""

    def __init__(self, server: ApiServer, cluster: Cluster) -> None:
        self.server, self.cluster = server, cluster
        self._clients: list[Client] = []

    def client(self, token: str | None = "", cluster: str | None = None) -> Client:
        name = cluster or self.cluster.name
        chosen = self.server.admin_of(name) if token == "" else token
        client = Client(self.server.url_of(name), self.server.authority.pem, chosen)
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()
