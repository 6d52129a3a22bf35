# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a cluster over HTTPS, with and without trouble on the way."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors, kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube

from .conftest import NAMESPACE, Site

IC = "ingresscontrollers.operator.openshift.io"


def test_missing_is_a_value_and_a_missing_api_is_an_error(site: Site) -> None:
    with site.connect() as port:
        assert port.get("services", NAMESPACE, "router-default") is None
        with pytest.raises(errors.NoSuchApi, match=r"does not serve machines.*v1beta1.*right cluster"):
            port.get("machines.v1beta1.cluster.x-k8s.io", NAMESPACE, "m")
        with pytest.raises(errors.NoSuchApi):
            port.list("machines.v1beta1.cluster.x-k8s.io")


def test_reads_one_object_in_one_request(site: Site) -> None:
    made = site.service()
    with site.connect() as port:
        got = port.get("services", NAMESPACE, "router-default")
    assert got is not None
    assert got["metadata"]["uid"] == made["metadata"]["uid"]
    assert [(r.verb, r.resource, r.user_agent) for r in site.api.requests.all()] == [
        ("get", "services", "edgeworks.lb_estate")
    ]


def test_cluster_scoped_and_namespaced_custom_objects(site: Site) -> None:
    site.api.seed("infrastructures.config.openshift.io", {"metadata": {"name": "cluster"}, "status": {"x": 1}})
    site.api.seed(IC, {"metadata": {"name": "default", "namespace": "openshift-ingress-operator"}, "spec": {}})
    with site.connect() as port:
        found = port.get("infrastructures.config.openshift.io", "", "cluster")
        assert found is not None
        assert found["status"] == {"x": 1}
        assert [ic["metadata"]["name"] for ic in port.list(IC)] == ["default"]


def test_list_follows_pages_and_selectors(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kube, "_PAGE", 2)
    for number in range(5):
        body = {"metadata": {"name": f"cm-{number}", "namespace": "default", "labels": {"odd": str(number % 2)}}}
        site.api.seed("configmaps", body)
    with site.connect() as port:
        assert [cm["metadata"]["name"] for cm in port.list("configmaps", "default")] == [f"cm-{n}" for n in range(5)]
        odd = port.list("configmaps", "default", label_selector="odd=1")
        assert [cm["metadata"]["name"] for cm in odd] == ["cm-1", "cm-3"]
        one = port.list("configmaps", field_selector="metadata.name=cm-4")
        assert [cm["metadata"]["name"] for cm in one] == ["cm-4"]
    assert site.api.requests.count(verb="list") == 5


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_burst_of_server_errors_passes(site: Site, status: int) -> None:
    site.service()
    site.api.faults.add("error", status=status, count=4)
    with site.connect() as port:
        assert port.get("services", NAMESPACE, "router-default")
    pauses = site.time.sleeps
    assert len(pauses) == 4
    assert all(0.1 * 2**n <= pause <= 0.2 * 2**n for n, pause in enumerate(pauses)), pauses


def test_retry_after_is_honoured(site: Site) -> None:
    site.service()
    site.api.faults.add("error", status=429, retry_after=7, count=2)
    with site.connect() as port:
        assert port.get("services", NAMESPACE, "router-default")
    assert [int(pause) for pause in site.time.sleeps] == [7, 7]


def test_patience_ends(site: Site) -> None:
    site.api.faults.add("error", status=429, retry_after=1)
    with (
        site.connect(patience=site.time.patience(total=10)) as port,
        pytest.raises(errors.Throttled, match=r"answered 429.*tried for \d+ s.*fewer clusters at once"),
    ):
        port.get("services", NAMESPACE, "x")
    site.api.faults.clear()
    site.api.faults.add("error", status=503)
    with (
        site.connect(patience=site.time.patience(total=10)) as port,
        pytest.raises(errors.Unreachable, match="answered 503: the server is currently unable to handle the request"),
    ):
        port.get("services", NAMESPACE, "x")
    assert sum(site.time.sleeps) < 20


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
def test_a_dropped_connection_is_tried_again(site: Site, kind: str) -> None:
    site.service()
    site.api.faults.add(kind, count=2)
    with site.connect() as port:
        assert port.get("services", NAMESPACE, "router-default")
    assert site.api.requests.count(verb="get") == 3


def test_a_silent_server_is_named(site: Site) -> None:
    site.api.faults.add("latency", seconds=1.5)
    with (
        site.connect(patience=site.time.patience(total=2, read=0.2)) as port,
        pytest.raises(errors.Unreachable, match=r"https://127.0.0.1:\d+.* did not answer within"),
    ):
        port.get("services", NAMESPACE, "x")


def test_nobody_listens(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port_number = listener.getsockname()[1]
    host = f"https://127.0.0.1:{port_number}"
    with (
        site.connect(host=host, patience=site.time.patience(contact=3)) as port,
        pytest.raises(errors.Unreachable, match=rf"No connection to {host}: Connection refused.*tried for"),
    ):
        port.get("services", NAMESPACE, "x")
    assert 1 < sum(site.time.sleeps) < 3


def test_a_name_that_does_not_exist_is_said_at_once(site: Site) -> None:
    with (
        site.connect(host="https://no-such-host.invalid:6443") as port,
        pytest.raises(errors.Unreachable, match=r"name of https://no-such-host.invalid:6443 does not resolve"),
    ):
        port.get("services", NAMESPACE, "x")


def test_an_untrusted_certificate_is_said_at_once(site: Site) -> None:
    kubeconfig = site.kubeconfig()
    del kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"]
    with (
        site.connect(kubeconfig=kubeconfig) as port,
        pytest.raises(errors.Unreachable, match=r"certificate of .* is not trusted.*ca_cert"),
    ):
        port.get("services", NAMESPACE, "x")
    assert site.time.sleeps == []


def test_certificate_checks_can_be_turned_off(site: Site) -> None:
    kubeconfig = site.kubeconfig()
    del kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"]
    with site.connect(kubeconfig=kubeconfig, validate_certs=False) as port:
        assert port.get("services", NAMESPACE, "x") is None


def test_certificates_of_the_environment_do_not_matter(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """CA variables of the controller's shell are for other servers."""
    (tmp_path / "other.pem").write_text("", encoding="utf-8")
    for name in ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "SSL_CERT_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "other.pem"))
    with site.connect() as port:
        assert port.get("services", NAMESPACE, "x") is None


def test_plain_http_and_other_servers_are_told_apart(site: Site) -> None:
    with (
        site.connect(host=f"https://127.0.0.1:{site.server.port}/nothing") as port,
        pytest.raises(errors.NoSuchApi),
    ):
        port.get("services", NAMESPACE, "x")
    with (
        _web_page() as page,
        site.connect(host=page) as port,
        pytest.raises(errors.Unreachable, match=r"text/html, which is not the Kubernetes API"),
    ):
        port.get("services", NAMESPACE, "x")


class _web_page:  # noqa: N801
    """A console instead of an API: answers one request with a page."""

    def __enter__(self) -> str:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _answer(self) -> None:
        with self._listener.accept()[0] as client:
            client.recv(4096)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")

    def __exit__(self, *_: object) -> None:
        self._thread.join(5)
        self._listener.close()


def test_wrong_and_expired_tokens(site: Site) -> None:
    with (
        site.connect(token="wrong") as port,
        pytest.raises(errors.Unauthorized, match=r"wrong or has expired. Log in again"),
    ):
        port.get("services", NAMESPACE, "x")
    token = site.api.tokens.add("alice", ("system:masters",))
    with site.connect(token=token) as port:
        assert port.get("services", NAMESPACE, "x") is None
        site.api.tokens.expire(token)
        with pytest.raises(errors.Unauthorized):
            port.get("services", NAMESPACE, "x")
    kubeconfig = site.kubeconfig()
    del kubeconfig["users"][0]["user"]["token"]
    with site.connect(kubeconfig=kubeconfig) as port, pytest.raises(errors.Unauthorized, match="none were sent"):
        port.get("services", NAMESPACE, "x")
    assert site.time.sleeps == []


def test_forbidden_names_the_rule_to_add(site: Site) -> None:
    with site.connect(token=site.api.tokens.add("bob")) as port:
        with pytest.raises(errors.Forbidden) as caught:
            port.get(IC, "openshift-ingress-operator", "default")
        with pytest.raises(errors.Forbidden, match="a ClusterRole bound"):
            port.list("services")
    error = caught.value
    assert "No permission to get ingresscontrollers.operator.openshift.io in namespace openshift-ingress-operator" in (
        error.message
    )
    assert 'User "bob"' in error.message
    assert "Role in namespace openshift-ingress-operator" in error.remedy
    assert error.details["rule"] == {
        "apiGroups": ["operator.openshift.io"],
        "resources": ["ingresscontrollers"],
        "verbs": ["get"],
    }


def test_many_threads_share_one_port(site: Site) -> None:
    site.service()
    with site.connect() as port, ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: port.get("services", NAMESPACE, "router-default"), range(64)))
    assert all(found)
    assert site.api.requests.count(verb="get", code=200) == 64


def test_connecting_makes_no_request(site: Site) -> None:
    Kube.connect({"kubeconfig": site.kubeconfig()}, environ={}).close()
    assert len(site.api.requests) == 0
