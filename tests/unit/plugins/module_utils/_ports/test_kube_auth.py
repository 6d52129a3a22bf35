# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that lead nowhere safe are refused with a sentence that names them and never repeats a secret (CORE-12)."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_auth import Access, access

SECRET = "hunter2"
HOST = {"host": "https://api.example.com:6443", "validate_certs": False}
USER = {"username": "me", "password": SECRET}


def refusal(options: dict[str, Any], environ: dict[str, str] | None = None) -> str:
    with pytest.raises(Misconfigured) as caught:
        access(options, environ or {})
    text = str(caught.value)
    assert SECRET not in text
    return text


@pytest.mark.parametrize("around", ["{}\n", "  {} \r\n", "\t{}"])
def test_a_token_is_trimmed(around: str) -> None:
    token = around.format(SECRET)
    assert access({**HOST, "api_key": token}, {}).authorization() == f"Bearer {SECRET}"
    assert access(HOST, {"K8S_AUTH_API_KEY": token}).authorization() == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("api_key", {"api_key": f"{SECRET}\n{SECRET}"}),
        ("api_key", {"api_key": f"{SECRET}\0"}),
        ("username", {**USER, "username": f"{SECRET}\n"}),
        ("password", {**USER, "password": f"{SECRET}\n"}),
        ("password", {**USER, "password": f"{SECRET}\x1b"}),
        ("impersonate_user", {**USER, "impersonate_user": "a\nb"}),
        ("impersonate_groups", {**USER, "impersonate_groups": ["a", "b\r\nX-Remote-User: root"]}),
        ("basic_auth of proxy_headers", {**USER, "proxy_headers": {"basic_auth": f"me:{SECRET}\n"}}),
        ("proxy_basic_auth of proxy_headers", {**USER, "proxy_headers": {"proxy_basic_auth": f"me:{SECRET}\n"}}),
        ("user_agent of proxy_headers", {**USER, "proxy_headers": {"user_agent": "a\nb"}}),
    ],
)
def test_control_characters_are_refused(option: str, given: dict[str, Any]) -> None:
    assert refusal({**HOST, **given}).startswith(f"{option} contains a control character")


@pytest.mark.parametrize("credentials", [{"api_key": SECRET}, USER])
@pytest.mark.parametrize("host", ["api.example.com", "api.example.com:6443", f"me:{SECRET}@api.example.com"])
def test_a_host_without_a_scheme(credentials: dict[str, str], host: str) -> None:
    text = refusal({**credentials, "host": host})
    assert text.startswith("host api.example.com")
    assert "Write it as https://HOST:PORT" in text


@pytest.mark.parametrize("credentials", [{"api_key": SECRET}, USER])
@pytest.mark.parametrize("host", ["http://api.example.com", "HTTP://10.0.0.1:8080"])
def test_no_secret_in_plain_text(credentials: dict[str, str], host: str) -> None:
    text = refusal({**credentials, "host": host})
    assert "would be sent to it in plain text" in text
    assert "Write https://" in text


def test_nor_one_of_the_kubeconfig() -> None:
    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "http://api.example.com"}}],
        "users": [{"name": "u", "user": {"token": SECRET}}],
    }
    assert "in plain text" in refusal({"kubeconfig": config})
    assert access({"kubeconfig": {**config, "users": []}}, {}).host == "http://api.example.com"


@pytest.mark.parametrize("host", ["http://127.0.0.1:8001", "http://localhost:8001", "http://[::1]:8001"])
def test_plain_text_to_the_machine_itself(host: str) -> None:
    assert access({"host": host, "api_key": SECRET}, {}).authorization() == f"Bearer {SECRET}"


@pytest.mark.parametrize("proxy", [f"me:{SECRET}@p:3128", f"gopher://me:{SECRET}@p", f"http://me:{SECRET}@p:x"])
def test_a_proxy_that_is_none(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**HOST, "api_key": SECRET, "no_proxy": ""}
    assert refusal({**options, "proxy": proxy}).startswith("The proxy ")
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    monkeypatch.setenv("https_proxy", proxy)
    assert refusal(options).startswith("The proxy ")


def test_an_access_does_not_show_its_secrets() -> None:
    headers = {"basic_auth": f"me:{SECRET}"}
    found = access({**HOST, **USER, "proxy": f"http://me:{SECRET}@p", "proxy_headers": headers, "no_proxy": ""}, {})
    assert isinstance(found, Access)
    encoded = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert found.authorization() == f"Basic {encoded}"
    assert SECRET not in repr(found)
    assert encoded not in repr(found)
