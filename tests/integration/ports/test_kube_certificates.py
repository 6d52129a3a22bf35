# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates and keys inside kubeconfigs: many connections of one process, and no file that outlives the loading."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import access
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.certs import Authority
from cryptography.x509.oid import ExtendedKeyUsageOID

from .conftest import NAMESPACE
from .tls_servers import serving


def encoded(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def address(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that wants a client certificate and names the client in its answer."""
    place = tmp_path_factory.mktemp("mutual")
    marks = {"namespace": "default", "uid": "u", "resourceVersion": "1"}
    with serving(
        authority, place, lambda who, _path: {"metadata": {"name": who, **marks}}, wants_certificate=True
    ) as url:
        yield url


def pair(authority: Authority, name: str) -> tuple[bytes, bytes]:
    return authority.issue((name,), usage=ExtendedKeyUsageOID.CLIENT_AUTH)


def config(address: str, authority: Authority, user: dict[str, Any]) -> dict[str, Any]:
    cluster = {"server": address, "certificate-authority-data": encoded(authority.pem)}
    return {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }


def of_user(address: str, authority: Authority, name: str) -> dict[str, Any]:
    certificate, key = pair(authority, name)
    inline = {"client-certificate-data": encoded(certificate), "client-key-data": encoded(key)}
    return config(address, authority, inline)


def taken_for(port: Kube) -> str:
    found = port.get("services", NAMESPACE, "x")
    assert found is not None
    return str(found["metadata"]["name"])


def test_two_connections_of_one_process(address: str, authority: Authority) -> None:
    """With different certificates and with the same, open side by side and one after the other."""
    alice, bob = of_user(address, authority, "alice"), of_user(address, authority, "bob")
    with (
        Kube.connect({"kubeconfig": alice}, environ={}) as first,
        Kube.connect({"kubeconfig": bob}, environ={}) as second,
        Kube.connect({"kubeconfig": alice}, environ={}) as third,
    ):
        assert [taken_for(port) for port in (first, second, third, first)] == ["alice", "bob", "alice", "alice"]
    with Kube.connect({"kubeconfig": bob}, environ={}) as again:
        assert taken_for(again) == "bob"


def test_a_hundred_connections_from_threads(address: str, authority: Authority) -> None:
    users = {name: of_user(address, authority, name) for name in ("alice", "bob", "carol")}
    names = [name for _time in range(34) for name in users]

    def visit(name: str) -> str:
        with Kube.connect({"kubeconfig": users[name]}, environ={}) as port:
            return taken_for(port)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(visit, names)) == names


def test_a_certificate_that_a_plugin_gave(address: str, authority: Authority, tmp_path: Path) -> None:
    certificate, key = (part.decode() for part in pair(authority, "dave"))
    status = {"clientCertificateData": certificate, "clientKeyData": key}
    version = "client.authentication.k8s.io/v1"
    plugin = tmp_path / "plugin"
    credential = {"apiVersion": version, "kind": "ExecCredential", "status": status}
    plugin.write_text(f"#!{sys.executable}\nprint({json.dumps(credential)!r})\n", encoding="utf-8")
    plugin.chmod(0o755)
    user = {"exec": {"apiVersion": version, "command": str(plugin), "interactiveMode": "Never"}}
    with Kube.connect({"kubeconfig": config(address, authority, user)}, environ={}) as port:
        assert taken_for(port) == "dave"


def test_no_temporary_file_is_made_at_all(address: str, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a process which is killed at any time leaves none."""
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    with Kube.connect({"kubeconfig": of_user(address, authority, "alice")}, environ={}) as port:
        assert taken_for(port) == "alice"


_FORKED = """
import os, sys, tempfile
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube

for user in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        with Kube.connect({"kubeconfig": user}, environ={}) as port:
            name = port.get("services", "default", "x")["metadata"]["name"]
        os.write(1, f"{name} {os.listdir(tempfile.gettempdir())}\\n".encode())
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_forked_worker_leaves_nothing_behind(address: str, authority: Authority, tmp_path: Path) -> None:
    """As Ansible's workers: a child that ends with os._exit and runs no exit handlers."""
    paths = []
    for name in ("alice", "bob"):
        paths.append(tmp_path / name)
        paths[-1].write_text(yaml.safe_dump(of_user(address, authority, name)), encoding="utf-8")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environ = os.environ | {"TMPDIR": str(temporary)}
    command = [sys.executable, "-c", _FORKED, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environ)
    assert done.stdout.splitlines() == ["alice []", "bob []"], done.stderr
    assert list(temporary.iterdir()) == []


def _token(ends: float) -> str:
    """An unsigned JWT; only the client reads it here."""
    parts = ({"alg": "none"}, {"exp": int(ends)})
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*texts, "x"])


@pytest.mark.parametrize("persist", [True, False])
def test_an_oidc_token_is_renewed_without_a_file(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, persist: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    renewed = _token(time.time() + 3600)
    known: dict[str, Any] = {}

    def issuer(_who: str, path: str) -> dict[str, Any]:
        if path.endswith("/openid-configuration"):
            return known
        return {"id_token": renewed, "refresh_token": "next", "access_token": "a", "token_type": "Bearer"}

    with serving(authority, tmp_path / "issuer", issuer) as url:
        known["token_endpoint"] = f"{url}/token"
        settings = {
            "id-token": _token(time.time() - 3600),
            "refresh-token": "first",
            "client-id": "c",
            "client-secret": "s",
            "idp-issuer-url": url,
            "idp-certificate-authority-data": encoded(authority.pem),
        }
        provider = {"auth-provider": {"name": "oidc", "config": settings}}
        path = tmp_path / "kubeconfig"
        path.write_text(yaml.safe_dump(config("https://api.example.com", authority, provider)), encoding="utf-8")
        found = access({"kubeconfig": str(path), "persist_config": persist}, {})
    assert found.authorization() == f"Bearer {renewed}"
    kept = yaml.safe_load(path.read_text(encoding="utf-8"))["users"][0]["user"]["auth-provider"]["config"]
    assert kept == (settings | {"id-token": renewed, "refresh-token": "next"} if persist else settings)
