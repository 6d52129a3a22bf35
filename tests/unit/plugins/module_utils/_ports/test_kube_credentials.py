# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens, credential plugins and passwords of a kubeconfig's user, and which of them counts."""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Unauthorized
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_credentials import (
    Credentials,
    Entry,
    credentials,
    of_configuration,
)

CLUSTER = Entry("c", {"server": "https://api.example.com", "certificate-authority-data": "Y2E="})
API = "client.authentication.k8s.io/v1"
BASIC = "Basic " + base64.b64encode("me:pässword".encode()).decode()
PASSWORD = {"username": "me", "password": "pässword"}
LONG_AGO, FAR_AWAY = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"


class Plugin:
    """A program that counts its calls, keeps what it was told, and prints what a test wants."""

    def __init__(self, directory: Path) -> None:
        self.path, self._calls, self._status = directory / "plugin", directory / "calls", directory / "status"
        self._calls.touch()
        program = (
            f"#!{sys.executable}\nimport os, pathlib, sys\n"
            f"pathlib.Path({str(self._calls)!r}).open('a').write(os.environ['KUBERNETES_EXEC_INFO'] + '\\n')\n"
            f"text = pathlib.Path({str(self._status)!r}).read_text()\n"
            "sys.exit(text) if text.startswith('failed') else print(text)\n"
        )
        self.path.write_text(program, encoding="utf-8")
        self.path.chmod(0o755)

    def gives(self, **status: Any) -> None:
        answer = {"apiVersion": API, "kind": "ExecCredential", "status": status}
        self._status.write_text(json.dumps(answer), encoding="utf-8")

    def fails(self, words: str) -> None:
        self._status.write_text(f"failed: {words}", encoding="utf-8")

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._calls.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


def of(plugin: Plugin, **more: Any) -> Credentials:
    return user_with({"exec": {"apiVersion": API, "command": str(plugin.path), **more.pop("settings", {})}, **more})


def user_with(value: dict[str, Any]) -> Credentials:
    return credentials(Entry("u", value), CLUSTER, None)


def test_a_user_with_nothing() -> None:
    found = user_with({})
    assert (found.authorization(), found.certificate, found.key) == ("", "", "")


def test_the_order(plugin: Plugin) -> None:
    """As in the library: a token beats the plugin, and the plugin beats a password."""
    plugin.gives(token="from-plugin")
    assert of(plugin, token="fixed", **PASSWORD).authorization() == "Bearer fixed"
    assert plugin.told == []
    assert of(plugin, **PASSWORD).authorization() == "Bearer from-plugin"
    assert user_with(PASSWORD).authorization() == BASIC


def test_a_provider_nobody_knows_is_passed_over() -> None:
    assert user_with({"auth-provider": {"name": "azure", "config": {}}, **PASSWORD}).authorization() == BASIC


def test_a_plugin_is_asked_again_before_its_token_ends(plugin: Plugin) -> None:
    plugin.gives(token="first\n", expirationTimestamp=LONG_AGO)
    found = of(plugin)
    plugin.gives(token="second", expirationTimestamp=FAR_AWAY)
    assert [found.authorization(), found.authorization()] == ["Bearer second"] * 2
    assert len(plugin.told) == 2


def test_a_token_is_kept_where_no_new_one_is_had(plugin: Plugin) -> None:
    plugin.gives(token="first", expirationTimestamp=LONG_AGO)
    found = of(plugin)
    plugin.fails("the network is down")
    assert found.authorization() == "Bearer first"


def test_a_plugin_is_told_of_the_cluster_where_it_wants(plugin: Plugin) -> None:
    plugin.gives(token="t")
    of(plugin)
    of(plugin, settings={"provideClusterInfo": True})
    assert "cluster" not in plugin.told[0]["spec"]
    assert plugin.told[1]["spec"]["cluster"] == CLUSTER.value


def test_a_certificate_of_a_plugin(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    """It beats the user's own, and is never a file."""
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    plugin.gives(clientCertificateData="CERT", clientKeyData="KEY")
    found = of(plugin, **{"client-certificate": "/tls.crt", "client-key": "/tls.key"})
    assert (found.authorization(), found.certificate, found.key) == ("", b"CERT", b"KEY")
    plugin.gives(token="t")
    found = of(plugin, **{"client-certificate": "/tls.crt", "client-key": "/tls.key"})
    assert (found.authorization(), found.certificate, found.key) == ("Bearer t", "/tls.crt", "/tls.key")


def test_a_plugin_that_fails(plugin: Plugin) -> None:
    plugin.fails("log in first\nwith --password hunter2")
    with pytest.raises(Unauthorized, match=r"The `exec` plugin of user u .*process returned 1 \(what") as caught:
        of(plugin)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "status", [{}, {"clientCertificateData": "CERT"}, {"expirationTimestamp": "soon", "token": "t"}]
)
def test_a_plugin_that_gives_nothing(plugin: Plugin, status: dict[str, str]) -> None:
    plugin.gives(**status)
    with pytest.raises(Unauthorized, match="The `exec` plugin of user u in the kubeconfig gave no credentials"):
        of(plugin)


@pytest.mark.parametrize("settings", [{"command": "/no/such/program"}, {"apiVersion": None}])
def test_a_plugin_that_is_none(plugin: Plugin, settings: dict[str, Any]) -> None:
    plugin.gives(token="t")
    with pytest.raises(Unauthorized, match=r"gave no credentials: .*\. Run its command by hand"):
        of(plugin, settings=settings)


class _Ended:
    """The library's configuration when its token has expired and no new one is to be had."""

    def auth_settings(self) -> NoReturn:
        raise RuntimeError("the issuer said no\nto hunter2")


def test_a_token_that_cannot_be_renewed() -> None:
    with pytest.raises(Unauthorized, match=r"^The token cannot be renewed: the issuer said no\. Log in") as caught:
        of_configuration(_Ended(), "The token")()
    assert "hunter2" not in str(caught.value)
