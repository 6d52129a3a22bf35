# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From authentication options to a way into a cluster. Of the kubernetes library only the kubeconfig reader is used.

A host with a token, a password or a client certificate needs no kubeconfig, and so not the library (0.3 s of import).
"""

from __future__ import annotations

import base64
import ipaddress
import os
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from .errors import Misconfigured, missing_library
from .kube_options import resolved

# The library keeps one table of temporary files for the process and fills it without a lock.
_LOADING = threading.Lock()
_ENOUGH = (("api_key",), ("username", "password"), ("client_cert", "client_key"))


@dataclass(frozen=True)
class Access:
    """Where the API server is and how to be let in."""

    host: str
    authorization: Callable[[], str]  # asked before every request: short-lived tokens are renewed behind it
    tls: ssl.SSLContext | None = None
    server_name: str = ""
    proxy: str = ""
    proxy_headers: Mapping[str, str] = field(default_factory=dict)
    impersonate: tuple[tuple[str, str], ...] = ()
    has_certificate: bool = False
    verified: bool = True


@dataclass
class _Loaded:
    """What a kubeconfig, the pod's own account or the options say, before it is made into an Access."""

    host: str = ""
    authorization: Callable[[], str] = lambda: ""
    verify: bool = True
    ca_cert: str = ""
    client_cert: str = ""
    client_key: str = ""
    server_name: str = ""
    proxy: str = ""


def access(options: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Access:
    """No request is made. Raises Misconfigured or MissingLibrary."""
    environ = os.environ if environ is None else environ
    auth = resolved(options, environ)
    with _LOADING, ExitStack() as until_loaded:
        loaded = _loaded(auth, environ, until_loaded)
        _override(loaded, auth)
        if not loaded.host:
            raise Misconfigured("No API server is known: neither the options nor the kubeconfig name one.", _HOW)
        tls = _context(loaded) if loaded.host.startswith("https:") else None
    return Access(
        host=loaded.host,
        authorization=loaded.authorization,
        tls=tls,
        server_name=loaded.server_name,
        proxy=_proxy(loaded, auth.get("no_proxy")),
        proxy_headers=_proxy_headers(auth.get("proxy_headers") or {}),
        impersonate=_impersonation(auth),
        has_certificate=bool(loaded.client_cert),
        verified=loaded.verify,
    )


_HOW = "Give kubeconfig (and context), or host with api_key, or the environment variables K8S_AUTH_*."


@contextmanager
def _no_files_left(kube_config: Any) -> Iterator[None]:
    """Keys and certificates inside a kubeconfig pass through files, which must not outlive the loading.

    The library removes them at exit, but a forked worker runs no exit handlers and would leave private keys behind; and
    its table of them may be a parent's, whose files are not ours to remove.
    """
    theirs, ours = kube_config._temp_files, {}  # type: ignore[var-annotated]
    kube_config._temp_files = ours
    try:
        yield
    finally:
        kube_config._temp_files = theirs
        for path in ours.values():
            Path(path).unlink(missing_ok=True)


def _loaded(auth: Mapping[str, Any], environ: Mapping[str, str], until_loaded: ExitStack) -> _Loaded:
    """kubernetes.core's order: options that suffice; kubeconfig or context; the pod's own account; the default file."""
    if auth.get("host") and any(all(auth.get(name) for name in names) for names in _ENOUGH):
        return _Loaded()
    try:
        import yaml
        from kubernetes import client, config
    except ImportError as error:
        raise missing_library("kubernetes", "reading a kubeconfig") from error
    until_loaded.enter_context(_no_files_left(config.kube_config))
    configuration = client.Configuration()
    nowhere = configuration.host  # what the library says where a kubeconfig names no server
    asked = auth.get("kubeconfig") or auth.get("context")
    try:
        if not asked and _in_cluster(config, configuration):
            return _from(configuration, nowhere)
        arguments = {
            "context": auth.get("context"),
            "persist_config": bool(auth.get("persist_config")),
            "client_configuration": configuration,
        }
        kubeconfig = auth.get("kubeconfig")
        if isinstance(kubeconfig, Mapping):
            config.load_kube_config_from_dict(config_dict=dict(kubeconfig), **arguments)
        else:
            config.load_kube_config(config_file=_existing(kubeconfig, environ), **arguments)
    except config.ConfigException as error:
        raise Misconfigured(f"The kubeconfig does not lead to a cluster: {error}.", _HOW) from error
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        # What the library lets through when a file is no YAML, no kubeconfig, or cannot be read.
        which = f" {auth['kubeconfig']}" if isinstance(auth.get("kubeconfig"), str) else ""
        what = f"The kubeconfig{which} cannot be read, or is none: {type(error).__name__}: {error}."
        raise Misconfigured(what, _HOW) from error
    except yaml.YAMLError as error:
        raise Misconfigured(f"The kubeconfig is not YAML: {error}.", _HOW) from error
    return _from(configuration, nowhere)


def _in_cluster(config: Any, configuration: Any) -> bool:
    try:
        config.load_incluster_config(client_configuration=configuration)
    except config.ConfigException:
        return False
    return True


def _existing(kubeconfig: Any, environ: Mapping[str, str]) -> str:
    """Paths as kubectl takes them, several with `:` between. The library passes over a missing one in silence."""
    if kubeconfig is not None and not isinstance(kubeconfig, (str, os.PathLike)):
        kind = type(kubeconfig).__name__
        raise Misconfigured(f"kubeconfig is a {kind}; it must be a path or a mapping.", _HOW)
    paths = str(kubeconfig or environ.get("KUBECONFIG") or "~/.kube/config")
    listed = [part for part in paths.split(os.pathsep) if part]
    if not any(Path(part).expanduser().is_file() for part in listed):
        whose = "kubeconfig" if kubeconfig else "The default kubeconfig"
        raise Misconfigured(f"{whose} {paths} does not exist on the host that runs this task.", _HOW)
    return paths


def _from(configuration: Any, nowhere: str) -> _Loaded:
    renewing = threading.Lock()

    def authorization() -> str:
        # May run the kubeconfig's credential plugin again when its token has expired; once is enough for all threads.
        with renewing:
            settings = configuration.auth_settings()
        return str(next((setting["value"] for setting in settings.values() if setting.get("value")), ""))

    return _Loaded(
        host="" if configuration.host == nowhere else str(configuration.host).rstrip("/"),
        authorization=authorization,
        verify=bool(configuration.verify_ssl),
        ca_cert=configuration.ssl_ca_cert or "",
        client_cert=configuration.cert_file or "",
        client_key=configuration.key_file or "",
        server_name=getattr(configuration, "tls_server_name", None) or "",
        proxy=configuration.proxy or "",
    )


def _override(loaded: _Loaded, auth: Mapping[str, Any]) -> None:
    """Options beat what was loaded, one by one."""
    if auth.get("host"):
        loaded.host = str(auth["host"]).rstrip("/")
    for name in ("ca_cert", "client_cert", "client_key", "proxy"):
        if auth.get(name):
            setattr(loaded, name, str(auth[name]))
    if auth.get("validate_certs") is not None:
        loaded.verify = bool(auth["validate_certs"])
    fixed = ""
    if auth.get("api_key"):
        fixed = f"Bearer {auth['api_key']}"
    elif auth.get("username") and auth.get("password"):
        pair = f"{auth['username']}:{auth['password']}".encode()
        fixed = f"Basic {base64.b64encode(pair).decode()}"
    if fixed:
        loaded.authorization = lambda: fixed


def _context(loaded: _Loaded) -> ssl.SSLContext:
    """One for all connections. A CA that was given is the only one trusted, whatever SSL_CERT_FILE says."""
    try:
        # urllib3's own making: its older releases check the host's name themselves and want the context not to.
        from urllib3.util.ssl_ import create_urllib3_context
    except ImportError as error:
        raise missing_library("kubernetes", "talking to a cluster") from error
    context: ssl.SSLContext = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if loaded.verify else ssl.CERT_NONE)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if loaded.verify and loaded.ca_cert:
            context.load_verify_locations(cafile=loaded.ca_cert)
        elif loaded.verify:
            context.load_default_certs()
        if loaded.client_cert:
            context.load_cert_chain(loaded.client_cert, loaded.client_key or None)
    except (OSError, ssl.SSLError) as error:
        given = ", ".join(path for path in (loaded.ca_cert, loaded.client_cert, loaded.client_key) if path)
        raise Misconfigured(
            f"A certificate or key for {loaded.host} cannot be used ({given}): {error}.",
            "ca_cert, client_cert and client_key must be readable PEM files, key and certificate a pair.",
        ) from error
    return context


def _proxy(loaded: _Loaded, no_proxy: str | None) -> str:
    around = getproxies()
    target = urlsplit(loaded.host)
    proxy = loaded.proxy or around.get(target.scheme) or around.get("all") or ""
    listed = around.get("no", "") if no_proxy is None else no_proxy
    return "" if _bypassed(target.hostname or "", target.netloc, listed) else proxy


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
    for option, header in (("proxy_basic_auth", "proxy-authorization"), ("basic_auth", "authorization")):
        if given.get(option):
            headers[header] = f"Basic {base64.b64encode(str(given[option]).encode()).decode()}"
    if given.get("user_agent"):
        headers["user-agent"] = str(given["user_agent"])
    return headers


def _impersonation(auth: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    user, groups = auth.get("impersonate_user"), auth.get("impersonate_groups") or ()
    first = (("Impersonate-User", str(user)),) if user else ()
    return first + tuple(("Impersonate-Group", str(group)) for group in groups)
