# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways into a cluster: what kubernetes.core takes, and what it says when there is none."""

from __future__ import annotations

import base64
import contextlib
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import access

from .conftest import NAMESPACE, Site


@pytest.fixture
def ca_file(site: Site, tmp_path: Path) -> str:
    path = tmp_path / "ca.crt"
    path.write_bytes(site.server.authority.pem)
    return str(path)


@pytest.fixture
def config_file(site: Site, tmp_path: Path) -> str:
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(site.kubeconfig()), encoding="utf-8")
    return str(path)


def user_of(site: Site, options: dict[str, Any], environ: dict[str, str] | None = None) -> str:
    """Who the server took us for."""
    with Kube.connect(options, environ=environ or {}) as port:
        assert port.get("services", NAMESPACE, "x") is None
    return str(site.api.requests.all()[-1].user)


def test_kubeconfig_as_a_path_and_as_a_mapping(site: Site, config_file: str) -> None:
    assert user_of(site, {"kubeconfig": config_file}) == "system:admin"
    assert user_of(site, {"kubeconfig": site.kubeconfig()}) == "system:admin"
    assert user_of(site, {}, {"K8S_AUTH_KUBECONFIG": config_file}) == "system:admin"
    assert user_of(site, {}, {"KUBECONFIG": config_file}) == "system:admin"


def test_host_and_token(site: Site, ca_file: str) -> None:
    token = site.api.tokens.add("alice", ("system:masters",))
    assert user_of(site, {"host": site.url + "/", "api_key": token, "ca_cert": ca_file}) == "alice"
    environ = {"K8S_AUTH_HOST": site.url, "K8S_AUTH_API_KEY": token, "K8S_AUTH_SSL_CA_CERT": ca_file}
    assert user_of(site, {}, environ) == "alice"
    assert user_of(site, {"host": site.url, "api_key": token, "validate_certs": False}) == "alice"


def test_host_and_token_need_no_kubernetes_library(site: Site, ca_file: str) -> None:
    """A third of a second of imports less for every task that is told everything."""
    token = site.server.admin_of(site.api.name)
    program = (
        "import sys; from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube;"
        f"k = Kube.connect(dict(host={site.url!r}, api_key={token!r}, ca_cert={ca_file!r}));"
        "print(k.get('services', 'default', 'x'), 'kubernetes' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["None", "False"]


def test_options_beat_the_kubeconfig(site: Site, config_file: str) -> None:
    token = site.api.tokens.add("carol", ("system:masters",))
    assert user_of(site, {"kubeconfig": config_file, "api_key": token}) == "carol"
    found = access({"kubeconfig": config_file, "host": "https://other.example:6443/"}, {})
    assert found.host == "https://other.example:6443"


def test_contexts(site: Site) -> None:
    config = site.kubeconfig()
    config["users"].append({"name": "dave", "user": {"token": site.api.tokens.add("dave", ("system:masters",))}})
    config["contexts"].append({"name": "second", "context": {**config["contexts"][0]["context"], "user": "dave"}})
    assert user_of(site, {"kubeconfig": config, "context": "second"}) == "dave"
    with pytest.raises(errors.Misconfigured, match=r"does not lead to a cluster.*third"):
        access({"kubeconfig": config, "context": "third"}, {})


def test_the_name_in_the_certificate_is_checked(site: Site) -> None:
    config = site.kubeconfig()
    config["clusters"][0]["cluster"]["tls-server-name"] = "localhost"
    assert user_of(site, {"kubeconfig": config}) == "system:admin"
    config["clusters"][0]["cluster"]["tls-server-name"] = "wrong.example"
    with (
        Kube.connect({"kubeconfig": config}, environ={}) as port,
        pytest.raises(errors.Unreachable, match=r"is not trusted: Hostname mismatch.*wrong\.example"),
    ):
        port.get("services", NAMESPACE, "x")


def test_impersonation_and_basic_auth_headers() -> None:
    options = {"host": "https://h", "username": "u", "password": "p", "validate_certs": False}
    found = access({**options, "impersonate_user": "eve", "impersonate_groups": ["a", "b"]}, {})
    assert found.authorization() == "Basic " + base64.b64encode(b"u:p").decode()
    assert found.impersonate == (("Impersonate-User", "eve"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))


@pytest.mark.parametrize(
    ("options", "environ", "proxy"),
    [
        ({"proxy": "http://p:3128"}, {}, "http://p:3128"),
        ({"proxy": "http://p:3128", "no_proxy": "other,example.com"}, {}, ""),
        ({"proxy": "http://p:3128", "no_proxy": "10.0.0.0/8"}, {}, "http://p:3128"),
        ({}, {"HTTPS_PROXY": "http://env:1"}, "http://env:1"),
        ({}, {"HTTPS_PROXY": "http://env:1", "NO_PROXY": ".example.com"}, ""),
        ({}, {"HTTPS_PROXY": "http://env:1", "NO_PROXY": "api.example.com:6443"}, ""),
        ({}, {}, ""),
    ],
)
def test_proxies(options: dict[str, str], environ: dict[str, str], proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    base = {"host": "https://api.example.com:6443", "api_key": "k", "validate_certs": False}
    assert access({**base, **options}, {}).proxy == proxy


def test_a_dead_proxy_is_named_without_its_password(site: Site) -> None:
    proxy = "http://user:hunter2@127.0.0.1:9"
    with (
        site.connect(proxy=proxy, no_proxy="", patience=site.time.patience(contact=0.5)) as port,
        pytest.raises(errors.Unreachable, match=r"The proxy http://127.0.0.1:9 on the way to https://") as caught,
    ):
        port.get("services", NAMESPACE, "x")
    assert "hunter2" not in str(caught.value)


def test_a_credential_plugin_is_asked(site: Site, tmp_path: Path) -> None:
    token = site.api.tokens.add("plugin-user", ("system:masters",))
    plugin = tmp_path / "plugin"
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": token}}
    plugin.write_text(f"#!{sys.executable}\nimport json\nprint(json.dumps({credential!r}))\n", encoding="utf-8")
    plugin.chmod(0o755)
    config = site.kubeconfig()
    config["users"][0]["user"] = {
        "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}
    }
    assert user_of(site, {"kubeconfig": config}) == "plugin-user"
    plugin.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    with pytest.raises(errors.Unauthorized, match="`exec`"):
        Kube.connect({"kubeconfig": config}, environ={})


def test_no_certificates_or_keys_stay_behind(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with site.connect() as port:
        assert port.get("services", NAMESPACE, "x") is None
        assert list(tmp_path.iterdir()) == []
    with site.connect() as again:
        assert again.get("services", NAMESPACE, "x") is None, "the library remembers files that are gone"


def test_many_threads_connect_at_once(site: Site) -> None:
    trouble: list[BaseException] = []

    def visit() -> None:
        try:
            with site.connect() as port:
                port.get("services", NAMESPACE, "x")
        except BaseException as error:
            trouble.append(error)

    threads = [threading.Thread(target=visit) for _time in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert trouble == []


NOWHERE = {"KUBECONFIG": "/nonexistent/config"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "default kubeconfig /nonexistent/config does not exist"),
        ({"host": "https://h"}, "default kubeconfig /nonexistent/config does not exist"),
        ({"kubeconfig": "/no/such/file"}, "kubeconfig /no/such/file does not exist"),
        ({"kubeconfig": 7}, "kubeconfig is a int"),
        ({"kubeconfig": {"clusters": []}}, "does not lead to a cluster"),
        ({"host": "https://h", "api_key": "k", "ca_cert": "/no/ca"}, "cannot be used"),
        ({"host": "https://h", "client_cert": "/no/c", "client_key": "/no/k"}, "cannot be used"),
    ],
)
def test_what_does_not_lead_to_a_cluster(options: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.Misconfigured, match=words):
        access(options, NOWHERE)


@pytest.mark.parametrize("text", ["", "{", "just words", "[1, 2]", "clusters: 7\ncurrent-context: x\n"])
def test_a_file_that_is_no_kubeconfig(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(errors.Misconfigured, match="kubeconfig"):
        access({"kubeconfig": str(path)}, {})


def test_an_unreadable_file(config_file: str) -> None:
    Path(config_file).chmod(stat.S_IWUSR)
    with _an_ordinary_user(), pytest.raises(errors.Misconfigured, match="cannot be read"):
        access({"kubeconfig": config_file}, {})


@contextlib.contextmanager
def _an_ordinary_user() -> Iterator[None]:
    """Root may read every file, so for this long it is nobody."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)
