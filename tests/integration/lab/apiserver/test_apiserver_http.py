# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The REST interface byte by byte: codes, Status bodies, lists, dry runs, media types, discovery, accounting."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import socket
import ssl
from urllib.parse import urlsplit

import pytest

from .client import CONFIGMAPS, ICS, ROUTER_NS, SERVICES, Client, Served, configmap, make_cluster, service

IC_PATH = "/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers"
IC_TYPE = {"apiVersion": "operator.openshift.io/v1", "kind": "IngressController"}
IC = {**IC_TYPE, "metadata": {"name": "default"}, "spec": {}}
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


def ended(sock: socket.socket) -> bool:
    """Whether the server closes the connection without an HTTP answer."""
    try:
        while data := sock.recv(4096):
            if b"HTTP/1.1" in data:
                return False
    except ConnectionError:
        return True
    return True


class TestVerbs:
    def test_create_read_patch_replace_delete(self, admin: Client) -> None:
        status, made = admin.send("POST", SERVICES, service())
        assert (status, made["kind"], made["apiVersion"]) == (201, "Service", "v1")
        path = f"{SERVICES}/router-default"
        assert admin.send("GET", path) == (200, made)
        status, patched = admin.merge(path, {"metadata": {"annotations": {"a": "b"}}})
        assert (status, patched["metadata"]["annotations"]) == (200, {"a": "b"})
        status, error = admin.send("PUT", path, made)
        assert (status, error["reason"], error["code"]) == (409, "Conflict", 409)
        status, _replaced = admin.send("PUT", path, patched)
        assert status == 200
        status, deleted = admin.send("DELETE", path)
        assert (status, deleted["metadata"]["uid"]) == (200, made["metadata"]["uid"])
        status, error = admin.send("GET", path)
        assert (status, error) == (
            404,
            {
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Failure",
                "message": 'services "router-default" not found',
                "reason": "NotFound",
                "code": 404,
                "details": {"name": "router-default", "kind": "services"},
            },
        )

    def test_a_replace_creates_a_service_but_no_config_map(self, admin: Client) -> None:
        assert admin.send("PUT", f"{SERVICES}/new", service("new"))[0] == 201
        assert admin.send("PUT", f"{CONFIGMAPS}/new", configmap("new"))[0] == 404

    def test_delete_with_preconditions_and_propagation(self, admin: Client) -> None:
        _status, made = admin.send("POST", IC_PATH, IC)
        path = f"{IC_PATH}/default"
        status, error = admin.send("DELETE", path, {"preconditions": {"uid": "other"}})
        assert status == 409
        assert error["message"].startswith(
            'Operation cannot be fulfilled on IngressController.operator.openshift.io "default": the UID in the'
        )
        admin.merge(path, {"metadata": {"finalizers": ["a/b"]}})
        status, held = admin.send("DELETE", path, {"preconditions": {"uid": made["metadata"]["uid"]}})
        assert (status, held["metadata"]["finalizers"]) == (200, ["a/b"])

    def test_subresources(self, admin: Client) -> None:
        admin.send("POST", IC_PATH, {**IC, "spec": {"replicas": 2}})
        status, after = admin.merge(f"{IC_PATH}/default/status", {"status": {"availableReplicas": 2}})
        assert (status, after["status"]) == (200, {"availableReplicas": 2})
        status, scale = admin.send("GET", f"{IC_PATH}/default/scale")
        assert (scale["kind"], scale["spec"], scale["status"]) == ("Scale", {"replicas": 2}, {"replicas": 2})
        admin.merge(f"{IC_PATH}/default/scale", {"spec": {"replicas": 5}})
        assert admin.send("GET", f"{IC_PATH}/default")[1]["spec"] == {"replicas": 5}
        assert admin.send("GET", f"{CONFIGMAPS}/x/status")[0] == 404

    def test_delete_collection(self, admin: Client) -> None:
        for name in ("a", "b"):
            admin.send("POST", CONFIGMAPS, {**configmap(name), "metadata": {"name": name, "labels": {"x": name}}})
        assert admin.send("DELETE", CONFIGMAPS, labelSelector="x=a")[0] == 200
        assert [item["metadata"]["name"] for item in admin.send("GET", CONFIGMAPS)[1]["items"]] == ["b"]

    def test_dry_run(self, served: Served, admin: Client) -> None:
        version = served.cluster.resource_version
        assert admin.send("POST", CONFIGMAPS, configmap("a"), dryRun="All")[0] == 201
        assert admin.send("POST", CONFIGMAPS, configmap("a"), dryRun="Some")[0] == 422
        assert served.cluster.resource_version == version

    @pytest.mark.parametrize(
        ("method", "path", "code"),
        [
            ("GET", "/api/v1/nonsense", 404),
            ("GET", "/apis/operator.openshift.io/v2/ingresscontrollers", 404),
            ("GET", "/api/v1/services/router-default", 404),
            ("GET", "/api/v1/namespaces/default/nodes", 404),
            ("POST", "/api/v1/services", 405),
            ("PUT", SERVICES, 405),
            ("GET", "/nowhere", 404),
        ],
    )
    def test_paths_that_lead_nowhere(self, admin: Client, method: str, path: str, code: int) -> None:
        status, body = admin.send(method, path, {})
        assert (status, body["kind"], body["status"]) == (code, "Status", "Failure")

    def test_a_group_that_is_not_served_is_no_part_of_the_api(self, admin: Client) -> None:
        """Facts: lab-kubernetes §9: plain text, not a Status."""
        assert admin.send("GET", "/apis/none.example.com/v1/things") == (404, "404 page not found\n")

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (b"{not json", "json parse error"),
            (b"[]", "not an object"),
            ({**IC, "kind": "Other"}, "cannot be handled as a IngressController"),
            ({**IC, "apiVersion": "v1"}, "does not match the expected API version (operator.openshift.io/v1)"),
            ({"metadata": {"name": "a"}}, "Object 'Kind' is missing"),
            ({**IC, "metadata": "x"}, "cannot unmarshal string"),
            ({**IC, "metadata": {"name": "a", "namespace": "b"}}, "does not match the namespace sent on the request"),
        ],
    )
    def test_bad_bodies(self, admin: Client, body: object, words: str) -> None:
        status, error = admin.send("POST", IC_PATH, body)
        assert (status, error["reason"]) == (400, "BadRequest")
        assert words in error["message"]

    def test_patch_media_types(self, admin: Client) -> None:
        admin.send("POST", SERVICES, service())
        admin.send("POST", IC_PATH, IC)
        path = f"{SERVICES}/router-default"
        operations = [{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]
        assert admin.send_as("application/json-patch+json", "PATCH", path, operations)[0] == 200
        ports = {"spec": {"ports": [{"port": 80, "nodePort": 30080}]}}
        status, after = admin.send_as("application/strategic-merge-patch+json", "PATCH", path, ports)
        assert (status, len(after["spec"]["ports"])) == (200, 2)
        assert admin.send_as("application/strategic-merge-patch+json", "PATCH", f"{IC_PATH}/default", {})[0] == 415
        status, error = admin.send_as("application/apply-patch+yaml", "PATCH", path, {})
        assert (status, error["reason"]) == (501, "NotImplemented")
        assert "Server-side apply is not part of this twin" in error["message"]
        assert admin.send_as("text/plain", "POST", CONFIGMAPS, configmap("a"))[0] == 415

    def test_a_body_over_the_limit(self, served: Served) -> None:
        status, error = served.client().send("POST", CONFIGMAPS, configmap("a", k="x" * 4 * 1024 * 1024))
        assert (status, error["reason"]) == (413, "RequestEntityTooLarge")


class TestLists:
    def test_pages(self, admin: Client) -> None:
        for number in range(5):
            admin.send("POST", CONFIGMAPS, configmap(f"c{number}"))
        names, token, remaining = [], "", []
        while True:
            _status, page = admin.send("GET", CONFIGMAPS, limit="2", **({"continue": token} if token else {}))
            names += [item["metadata"]["name"] for item in page["items"]]
            remaining.append(page["metadata"].get("remainingItemCount", 0))
            token = page["metadata"].get("continue", "")
            if not token:
                break
        assert names == ["c0", "c1", "c2", "c3", "c4"]
        assert remaining == [3, 1, 0]
        assert admin.send("GET", CONFIGMAPS, **{"limit": "2", "continue": "nonsense"})[0] == 400

    def test_items_of_builtin_lists_carry_no_kind(self, admin: Client) -> None:
        admin.send("POST", SERVICES, service())
        admin.send("POST", IC_PATH, IC)
        services = admin.send("GET", "/api/v1/services")[1]
        assert (services["kind"], "kind" in services["items"][0]) == ("ServiceList", False)
        controllers = admin.send("GET", "/apis/operator.openshift.io/v1/ingresscontrollers")[1]
        assert controllers["items"][0]["kind"] == "IngressController"

    def test_tables(self, admin: Client) -> None:
        admin.send("POST", SERVICES, service())
        response = admin.open("", "GET", SERVICES, accept=TABLE)
        table = json.loads(response.read())
        assert table["kind"] == "Table"
        names = [column["name"] for column in table["columnDefinitions"]]
        cells = dict(zip(names, table["rows"][0]["cells"], strict=True))
        assert cells["Name"] == "router-default"
        assert (cells["Type"], cells["External-IP"]) == ("LoadBalancer", "<pending>")


class TestDiscovery:
    def test_groups_and_resources(self, admin: Client) -> None:
        groups = {group["name"] for group in admin.send("GET", "/apis")[1]["groups"]}
        assert {"apps", "operator.openshift.io", "coordination.k8s.io", "authorization.k8s.io"} <= groups
        resources = {
            entry["name"]: entry for entry in admin.send("GET", "/apis/operator.openshift.io/v1")[1]["resources"]
        }
        assert set(resources) == {"ingresscontrollers", "ingresscontrollers/status", "ingresscontrollers/scale"}
        assert resources["ingresscontrollers"]["namespaced"] is True

    def test_version_and_health_need_no_token(self, served: Served) -> None:
        stranger = served.client(token=None)
        assert stranger.send("GET", "/version")[1]["gitVersion"] == "v1.34.2"
        for path in ("/healthz", "/readyz", "/livez"):
            assert stranger.send("GET", path) == (200, "ok")
        status, error = stranger.send("GET", "/api")
        assert (status, error["message"]) == (403, 'forbidden: User "system:anonymous" cannot get path "/api"')


class TestManyClusters:
    def test_clusters_are_separate_and_a_port_of_its_own_works(self, served: Served) -> None:
        other = make_cluster("c2")
        served.server.add(other, own_port=True)
        assert urlsplit(served.server.url_of("c2")).path == ""
        served.client().send("POST", CONFIGMAPS, configmap("only-in-c1"))
        assert served.client(cluster="c2").send("GET", CONFIGMAPS)[1]["items"] == []
        foreign = served.client(token=served.server.admin_of("c1"), cluster="c2")
        assert foreign.send("GET", CONFIGMAPS)[0] == 401
        assert served.client().send("GET", "/../c2/version")[0] != 200

    def test_a_removed_cluster_is_not_found(self, served: Served) -> None:
        client = served.client()
        served.server.remove("c1")
        assert client.send("GET", CONFIGMAPS)[0] == 404

    def test_fifty_clients_at_once(self, served: Served) -> None:
        served.client().send("POST", CONFIGMAPS, configmap("shared", n="0"))
        path = f"{CONFIGMAPS}/shared"

        def add_one(_number: int) -> None:
            client = served.client()
            while True:
                obj = client.send("GET", path)[1]
                obj["data"]["n"] = str(int(obj["data"]["n"]) + 1)
                if client.send("PUT", path, obj)[0] == 200:
                    return

        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            list(pool.map(add_one, range(50)))
        assert served.cluster.get("configmaps", "default", "shared")["data"] == {"n": "50"}

    @pytest.mark.parametrize("words", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03nonsense"])
    def test_what_is_not_tls_is_hung_up_on(self, served: Served, words: bytes) -> None:
        parts = urlsplit(served.server.url)
        with socket.create_connection((parts.hostname, parts.port), timeout=5) as raw:
            raw.sendall(words)
            with contextlib.suppress(OSError):  # it may have hung up already
                raw.shutdown(socket.SHUT_WR)
            assert ended(raw)
        assert served.client().send("GET", "/version")[0] == 200

    def test_what_is_not_http_is_hung_up_on(self, served: Served) -> None:
        parts = urlsplit(served.server.url)
        context = ssl.create_default_context(cadata=served.server.authority.pem.decode())
        raw = socket.create_connection((parts.hostname, parts.port), timeout=5)
        with context.wrap_socket(raw, server_hostname=parts.hostname) as secure:
            secure.sendall(b"well\r\n\r\n")
            assert ended(secure)
        assert served.client().send("GET", "/version")[0] == 200


class TestAccounting:
    def test_requests_are_counted_until_reset(self, served: Served, admin: Client) -> None:
        admin.send("GET", f"{SERVICES}/none")
        admin.send("POST", SERVICES, service())
        admin.send("GET", SERVICES)
        admin.merge(f"{IC_PATH}/none/status", {}, dryRun="All")
        log = served.cluster.requests
        assert [(r.verb, r.resource, r.name, r.subresource, r.code) for r in log.all()] == [
            ("get", "services", "none", "", 404),
            ("create", "services", "", "", 201),
            ("list", "services", "", "", 200),
            ("patch", ICS, "none", "status", 404),
        ]
        assert [(r.verb, r.dry_run) for r in log.writes()] == [("create", False), ("patch", True)]
        assert log.count(verb="get", resource="services") == 1
        assert log.counters()["get", "services", "none", 404] == 1
        assert {r.user_agent for r in log.all()} == {"raw-test"}
        log.reset()
        assert len(log) == 0

    def test_controllers_in_process_are_not_counted(self, served: Served) -> None:
        served.cluster.create("services", ROUTER_NS, service())
        served.cluster.list("services")
        assert len(served.cluster.requests) == 0
