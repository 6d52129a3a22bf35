# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be sent, what may be shown, and which sentence refuses the rest."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import kube_checks
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Misconfigured

SECRET = "hunter2"


@pytest.mark.parametrize("text", ["abc", " abc", "abc\n", "\tabc \r\n"])
def test_a_header_is_trimmed(text: str) -> None:
    assert kube_checks.header(text, "api_key") == "abc"


@pytest.mark.parametrize("letter", ["\n", "\r", "\0", "\x1b", "\x7f", "\x85", "ü", "\u200b"])
def test_what_no_header_can_carry(letter: str) -> None:
    with pytest.raises(Misconfigured, match=r"^api_key contains a control character") as caught:
        kube_checks.header(f"{SECRET}{letter}{SECRET}", "api_key")
    assert SECRET not in str(caught.value)


def test_credentials_stay_as_they_are() -> None:
    assert kube_checks.credential(" pässword ", "password") == " pässword "


@pytest.mark.parametrize("letter", ["\n", "\r", "\0", "\x1b", "\x7f", "\x9f"])
def test_control_characters_in_credentials(letter: str) -> None:
    with pytest.raises(Misconfigured, match=r"^password contains a control character") as caught:
        kube_checks.credential(SECRET + letter, "password")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://api.example.com:6443", "https://api.example.com:6443"),
        ("https://api.example.com/", "https://api.example.com"),
        ("HTTPS://api.example.com/Clusters/c-1/", "https://api.example.com/Clusters/c-1"),
        ("https://[2001:db8::1]:6443", "https://[2001:db8::1]:6443"),
        ("http://127.0.0.1:8001", "http://127.0.0.1:8001"),
    ],
)
def test_servers(address: str, taken: str) -> None:
    assert kube_checks.server(address, "host") == taken


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("api.example.com", "host api.example.com does not begin with https://"),
        ("api.example.com:6443", "host api.example.com:6443 does not begin with https://"),
        (f"me:{SECRET}@api.example.com:6443", "host api.example.com:6443 does not begin with https://"),
        ("//api.example.com", "does not begin with https://"),
        ("ftp://api.example.com", "does not begin with https://"),
        ("https://", "does not begin with https://"),
        (f"https://me:{SECRET}@api.example.com", "host https://api.example.com has a user name in front of it"),
        (f"https://me:{SECRET}@api.example.com:port", "host https://api.example.com:port is not an address"),
        ("https://api.example.com:0", "is not an address"),
        ("https://[::1", "is not an address"),
        ("https://api.example.com:6443 /x", "host contains a space"),
        ("https://api.example\n.com", "host contains a space, a control character"),
    ],
)
def test_what_is_no_server(address: str, words: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        kube_checks.server(address, "host")
    assert words in str(caught.value)
    assert "https://" in caught.value.remedy or "username" in caught.value.remedy
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("address", ["http://p:3128", f"https://me:{SECRET}@p", "socks5h://[::1]:1080"])
def test_proxies(address: str) -> None:
    assert kube_checks.proxy(address) == address


@pytest.mark.parametrize(
    "address",
    ["p:3128", f"me:{SECRET}@p:3128", f"ftp://me:{SECRET}@p", f"http://me:{SECRET}@p:x", f"http://{SECRET} @p"],
)
def test_what_is_no_proxy(address: str) -> None:
    with pytest.raises(Misconfigured, match=r"^The proxy .* Write it as http://HOST:PORT") as caught:
        kube_checks.proxy(address)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://p:3128", "http://p:3128"),
        (f"http://me:{SECRET}@p:3128", "http://p:3128"),
        (f"http://me:a@{SECRET}@p:3128", "http://p:3128"),
        (f"http://me:{SECRET}://x@p:3128", "http://p:3128"),
        (f"me:{SECRET}://x@p:3128", "p:3128"),
        (f"HTTP://me:{SECRET}\n@p:3128", "HTTP://p:3128"),
    ],
)
def test_without_user(address: str, shown: str) -> None:
    assert kube_checks.without_user(address) == shown


@pytest.mark.parametrize(
    ("host", "is_one"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("10.0.0.1", False)],
)
def test_loopback(host: str, is_one: bool) -> None:
    assert kube_checks.is_loopback(host) == is_one
