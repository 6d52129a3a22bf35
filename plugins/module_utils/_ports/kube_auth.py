# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From authentication options to a way into a cluster.

A host with a token, a password or a client certificate needs no kubeconfig, and so not the kubernetes library (0.3 s of
import).
"""

from __future__ import annotations

import base64
import ipaddress
import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from . import kube_checks, kube_tls
from .errors import Misconfigured
from .kube_config import HOW, Loaded, load
from .kube_credentials import basic
from .kube_options import resolved

_ENOUGH = (("api_key",), ("username", "password"), ("client_cert", "client_key"))


@dataclass(frozen=True)
class Access:
    """Where the API server is and how to be let in."""

    host: str
    authorization: Callable[[], str]  # asked before every request: short-lived tokens are renewed behind it
    tls: ssl.SSLContext | None = None
    server_name: str = ""
    proxy: str = field(default="", repr=False)  # may hold a password
    proxy_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    impersonate: tuple[tuple[str, str], ...] = ()
    has_certificate: bool = False
    verified: bool = True


def access(options: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Access:
    """No request is made to the API server. Raises Misconfigured, Unauthorized or MissingLibrary."""
    environ = os.environ if environ is None else environ
    auth = resolved(options, environ)
    suffices = auth.get("host") and any(all(auth.get(name) for name in names) for names in _ENOUGH)
    loaded = Loaded() if suffices else load(auth, environ)
    _override(loaded, auth)
    if not loaded.host:
        raise Misconfigured("No API server is known: neither the options nor the kubeconfig name one.", HOW)
    encrypted = loaded.host.startswith("https:")
    if not encrypted:
        _refuse_to_tell_everybody(loaded)
    return Access(
        host=loaded.host,
        authorization=loaded.authorization,
        tls=kube_tls.context(loaded.host, loaded.certificates, verify=loaded.verify) if encrypted else None,
        server_name=loaded.server_name,
        proxy=_proxy(loaded, auth.get("no_proxy")),
        proxy_headers=_proxy_headers(auth.get("proxy_headers") or {}),
        impersonate=_impersonation(auth),
        has_certificate=bool(loaded.certificates.client_cert),
        verified=loaded.verify,
    )


def _refuse_to_tell_everybody(loaded: Loaded) -> None:
    if loaded.authorization() and not kube_checks.is_loopback(urlsplit(loaded.host).hostname or ""):
        raise Misconfigured(
            f"{loaded.host} is not encrypted, and a token or password would be sent to it in plain text.",
            "Write https://; http:// with a token or password is only taken for this machine itself (127.0.0.1).",
        )


def _override(loaded: Loaded, auth: Mapping[str, Any]) -> None:
    """Options beat what was loaded, one by one."""
    if auth.get("host"):
        loaded.host = kube_checks.server(str(auth["host"]), "host")
    if auth.get("proxy"):
        loaded.proxy = str(auth["proxy"])
    for name in ("ca_cert", "client_cert", "client_key"):
        if auth.get(name):
            kube_checks.path(str(auth[name]), name)
            setattr(loaded.certificates, name, str(auth[name]))
    if auth.get("validate_certs") is not None:
        loaded.verify = bool(auth["validate_certs"])
    fixed = ""
    if auth.get("api_key"):
        fixed = f"Bearer {kube_checks.header(str(auth['api_key']), 'api_key')}"
    elif auth.get("username") and auth.get("password"):
        fixed = basic(auth["username"], auth["password"], "username", "password")
    if fixed:
        loaded.authorization = lambda: fixed


def _proxy(loaded: Loaded, no_proxy: str | None) -> str:
    around = getproxies()
    target = urlsplit(loaded.host)
    proxy = loaded.proxy or around.get(target.scheme) or around.get("all") or ""
    listed = around.get("no", "") if no_proxy is None else no_proxy
    if not proxy or _bypassed(target.hostname or "", target.netloc, listed):
        return ""
    return kube_checks.proxy(proxy)


def _bypassed(host: str, host_and_port: str, no_proxy: str) -> bool:
    """Names, suffixes, host:port, networks in CIDR form and `*`."""
    for entry in (part.strip().lower().lstrip(".") for part in no_proxy.split(",")):
        if entry and (entry in ("*", host, host_and_port) or host.endswith("." + entry) or _inside(host, entry)):
            return True
    return False


def _inside(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _proxy_headers(given: Mapping[str, Any]) -> dict[str, str]:
    headers = {}
    for option, name in (("proxy_basic_auth", "proxy-authorization"), ("basic_auth", "authorization")):
        if given.get(option):
            pair = kube_checks.credential(str(given[option]), f"{option} of proxy_headers")
            headers[name] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    if given.get("user_agent"):
        headers["user-agent"] = kube_checks.header(str(given["user_agent"]), "user_agent of proxy_headers")
    return headers


def _impersonation(auth: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    user, groups = auth.get("impersonate_user"), auth.get("impersonate_groups") or ()
    first = (("Impersonate-User", kube_checks.header(str(user), "impersonate_user")),) if user else ()
    return first + tuple(("Impersonate-Group", kube_checks.header(str(name), "impersonate_groups")) for name in groups)
