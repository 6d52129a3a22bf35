# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses and credentials, checked before anything is sent. No sentence here repeats a secret (CORE-12).

What is not checked here, the HTTP library would refuse with an error that quotes it.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from .._core.secrets import is_pem
from .errors import Misconfigured

_PROXIES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")
_USER = re.compile(r"^([a-z][a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NO_HEADER = re.compile(r"[^ -~]")
_NO_ADDRESS = re.compile(r"[^!-~]")
_COPIED = "Look at how it is stored and read; many ways to read a file keep the newline at its end."


def header(value: str, what: str) -> str:
    """A token or another text for a request's header, without the spaces and newlines around it."""
    text = value.strip()
    if _NO_HEADER.search(text):
        raise Misconfigured(
            f"{what} contains a control character, or one outside ASCII; no request can carry it.", _COPIED
        )
    return text


def credential(value: str, what: str) -> str:
    """A user name or a password, unchanged."""
    if _CONTROL.search(value):
        raise Misconfigured(f"{what} contains a control character.", _COPIED)
    return value


def server(address: str, what: str) -> str:
    """An API server's address, without a slash at its end."""
    shown, remedy = without_user(address), "Write it as https://HOST:PORT."
    parts = _parts(address, what, remedy)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        # Without a scheme the kubernetes library would speak plain HTTP, and send the token that way.
        raise Misconfigured(f"{what} {shown} does not begin with https://.", remedy)
    if parts.username is not None:
        raise Misconfigured(f"{what} {shown} has a user name in front of it.", "Give it as username and password.")
    return f"{parts.scheme}{address[len(parts.scheme) :]}".rstrip("/")


def path(value: str, what: str) -> str:
    """The path of a PEM file, and not what is in it."""
    if is_pem(value):
        raise Misconfigured(
            f"{what} is not a path: it holds a key or a certificate itself.", "Give the path of its file."
        )
    return value


def proxy(address: str) -> str:
    remedy = "Write it as http://HOST:PORT; instead of http it may also be https, socks5 or socks5h."
    parts = _parts(address, "The proxy", remedy)
    if parts.scheme not in _PROXIES or not parts.hostname:
        raise Misconfigured(f"The proxy {without_user(address)} is not the address of a proxy.", remedy)
    return address


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def without_user(address: str) -> str:
    """An address as it may be shown: without the user name and password in it."""
    return _USER.sub(r"\1", address)


def _parts(address: str, what: str, remedy: str) -> SplitResult:
    if _NO_ADDRESS.search(address):
        raise Misconfigured(f"{what} contains a space, a control character, or one outside ASCII.", remedy)
    try:
        parts = urlsplit(address)
        if parts.port == 0:
            raise ValueError("port 0")
    except ValueError:  # also from `port`, where it is no number
        raise Misconfigured(f"{what} {without_user(address)} is not an address.", remedy) from None
    return parts
