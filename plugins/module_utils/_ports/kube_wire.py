# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to one API server: connections kept and shared between threads, and every retry of the port in one place.

A read is repeated after anything that may pass. A write is repeated only when that can do no harm:
- it never reached the server (no connection), or the server said that it did not begin with it (429; 503 with
  Retry-After, which the API server sends before it handles a request);
- or the caller marked it `repeatable`: a precondition makes a second one fail where the first one happened. The answer
  then carries `unsure`, and the caller reads the refusal in that light.
Anything else that breaks off (a dropped connection, a 500 or 504 after etcd was asked) leaves the outcome unknown.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

from . import attempts
from .errors import OutcomeUnknown, PortError, Throttled, Unreachable, missing_library
from .kube_auth import Access
from .kube_checks import without_user
from .kube_paths import Resource
from .patience import Patience, Tries

_AGENT = "edgeworks.lb_estate"
_POOL = 8  # connections kept; more threads than that still work, their extra connections are closed after use
# A 500 that is a plain refusal: the server says it before it stores anything.
NO_HEALTH_CHECK_PORT = "failed to allocate requested HealthCheck NodePort"
# Seconds for one request to a server that did not answer the one before at all, and for one at the end of a wait.
_ONCE_SILENT, _AT_THE_END = 5.0, 10.0
_HOST_REMEDY = "Check the address, the network between here and there, and whether the cluster is up."


@dataclass(frozen=True)
class KubeCall:
    """One request, and the words for its errors."""

    method: str
    verb: str  # as RBAC names it
    resource: Resource
    namespace: str = ""
    name: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    content_type: str = "application/json"
    repeatable: bool = False

    @property
    def reads(self) -> bool:
        return self.method == "GET"

    @property
    def target(self) -> str:
        """Path and query. A create and a list name no object in the path."""
        path = self.resource.path(self.namespace, "" if self.verb in ("create", "list") else self.name)
        query = urlencode({key: value for key, value in self.query.items() if value})
        return f"{path}?{query}" if query else path

    def __str__(self) -> str:
        place = "/".join(part for part in (self.namespace, self.name) if part)
        return f"{self.verb} {self.resource.key} {place}".rstrip()


@dataclass(frozen=True)
class KubeAnswer:
    status: int
    body: Any
    unsure: bool = False  # an earlier try of the same write may have been carried out

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def part(self, *path: str) -> Any:
        value = self.body
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value


@dataclass(frozen=True)
class _Trouble:
    """Why a try failed and what that means for the next."""

    what: str
    begun: bool = True  # the server may have acted
    connected: bool = True
    lasting: bool = False  # trying again cannot help
    throttled: bool = False
    wait: float | None = None  # seconds the server asked for
    remedy: str = _HOST_REMEDY


class Wire:
    def __init__(self, access: Access, patience: Patience) -> None:
        try:
            import urllib3
            from urllib3 import HTTPHeaderDict
        except ImportError as error:
            raise missing_library("kubernetes", "talking to a cluster") from error
        self.access = access
        self._patience = patience
        self._errors: Any = urllib3.exceptions
        self._headers: Any = HTTPHeaderDict
        self._timeout: Any = urllib3.Timeout
        self._pool = _pool(urllib3, access)
        self.sent: set[str] = set()  # what let us in
        self._ahead = 0.0  # seconds by which the server's clock is ahead of ours
        self._silent = False  # it did not answer the last request at all
        self._end: float | None = None  # of a wait

    def close(self) -> None:
        self._pool.clear()

    def now(self) -> float:
        return time.time() + self._ahead

    def until(self, seconds: float | None) -> None:
        """A wait that ends then: requests are not tried for much longer."""
        self._end = None if seconds is None else self._patience.clock() + seconds

    def _within(self) -> float | None:
        if self._silent:
            return _ONCE_SILENT
        return None if self._end is None else max(self._end - self._patience.clock(), _AT_THE_END)

    def request(self, call: KubeCall) -> KubeAnswer:
        """The server's last word, whatever its status; PortError where there was none."""
        tries = self._patience.start(self._within())
        body = None if call.body is None else json.dumps(call.body).encode()
        unsure = False
        while True:
            outcome = self._try(call, body, tries)
            if isinstance(outcome, KubeAnswer):
                self._silent = False
                return replace(outcome, unsure=unsure)
            if outcome.begun and not call.reads:
                unsure = True
                attempts.lose()
            harmless = call.reads or call.repeatable or not outcome.begun
            within = None if outcome.connected else self._patience.contact
            if outcome.lasting or not harmless or not tries.pause(outcome.wait, within):
                self._silent = True
                raise _gave_up(call, outcome, tries, unsure)

    def _try(self, call: KubeCall, body: bytes | None, tries: Tries) -> KubeAnswer | _Trouble:
        patience = self._patience
        left = max(1.0, tries.left)
        try:
            response = self._pool.request(
                call.method,
                self.access.host + call.target,
                body=body,
                headers=self._sent_headers(call),
                timeout=self._timeout(connect=min(patience.connect, left), read=min(patience.read, left)),
                retries=False,
                redirect=False,
            )
        except self._errors.HTTPError as error:
            return self._trouble(error)
        return self._judged(response)

    def _judged(self, response: Any) -> KubeAnswer | _Trouble:
        host, status, data = self.access.host, int(response.status), _parsed(response.data)
        date = _date(response.headers.get("Date"))
        if date is not None:
            self._ahead = date - time.time()
        if status == 429 or (status >= 500 and NO_HEALTH_CHECK_PORT not in _said(data)):
            wait = _seconds(response.headers.get("Retry-After"))
            begun = status != 429 and not (status == 503 and wait is not None)
            return _Trouble(f"{host} answered {status}{_said(data)}", begun, throttled=status == 429, wait=wait)
        if 300 <= status < 400 or (status < 300 and not isinstance(data, dict)):
            kind = response.headers.get("Content-Type", "nothing readable")
            what = f"{host} answered {status} with {kind}, which is not the Kubernetes API"
            return _Trouble(
                what, lasting=True, remedy="Is that the API server's address, and not a console or a proxy?"
            )
        return KubeAnswer(status, data)

    def _sent_headers(self, call: KubeCall) -> Any:
        headers = self._headers({"Accept": "application/json", "User-Agent": _AGENT})
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        authorization = self.access.authorization()
        if authorization:
            headers["Authorization"] = authorization
            self.sent.add(authorization.partition(" ")[2])
        for name, value in self.access.impersonate:
            headers.add(name, value)
        return headers

    def _trouble(self, error: Exception) -> _Trouble:
        host, errors = self.access.host, self._errors
        reason = error.args[0] if error.args and isinstance(error.args[0], Exception) else error.__cause__
        if isinstance(reason, ssl.SSLCertVerificationError):
            why = reason.verify_message or str(reason)
            remedy = (
                "Give the cluster's CA as ca_cert (or in the kubeconfig), and use a name that is in the certificate."
            )
            return _Trouble(
                f"The certificate of {host} is not trusted: {why}", begun=False, lasting=True, remedy=remedy
            )
        if isinstance(error, errors.SSLError):
            # A handshake that fails will fail again; a connection that ends inside TLS is an ordinary drop.
            return _Trouble(
                f"TLS with {host} failed: {reason or error}", lasting=not isinstance(reason, ssl.SSLEOFError)
            )
        if isinstance(error, errors.ProxyError):
            what = (
                f"The proxy {without_user(self.access.proxy)} on the way to {host} refused: {_plain(reason or error)}"
            )
            return _Trouble(what, begun=False, connected=False)
        if isinstance(error, errors.NewConnectionError):
            cause = error.__cause__ or error.__context__
            if isinstance(cause, socket.gaierror):
                what, lasting = (
                    f"The name of {host} does not resolve: {cause.strerror}",
                    cause.errno == socket.EAI_NONAME,
                )
                return _Trouble(what, begun=False, connected=False, lasting=lasting)
            return _Trouble(f"No connection to {host}: {_plain(cause or error)}", begun=False, connected=False)
        if isinstance(error, errors.ConnectTimeoutError):
            what = f"No connection to {host} within {self._patience.connect:.0f} s"
            return _Trouble(what, begun=False, connected=False)
        if isinstance(error, errors.ReadTimeoutError):
            return _Trouble(f"{host} did not answer within {self._patience.read:.0f} s")
        return _Trouble(f"{host} broke the connection off: {_plain(reason or error)}")


def _pool(urllib3: Any, access: Access) -> Any:
    arguments: dict[str, Any] = {"maxsize": _POOL, "ssl_context": access.tls}
    if access.server_name:
        arguments["server_hostname"] = access.server_name
    if access.tls is not None and not access.verified:
        # validate_certs: false was asked for; urllib3 would warn on every request.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        arguments["cert_reqs"] = ssl.CERT_NONE
    if not access.proxy:
        return urllib3.PoolManager(**arguments)
    if access.proxy.startswith("socks"):
        try:
            from urllib3.contrib.socks import SOCKSProxyManager
        except ImportError as error:
            raise missing_library("PySocks", "a SOCKS proxy") from error
        return SOCKSProxyManager(access.proxy, **arguments)
    return urllib3.ProxyManager(access.proxy, proxy_headers=dict(access.proxy_headers), **arguments)


def _gave_up(call: KubeCall, trouble: _Trouble, tries: Tries, unsure: bool) -> PortError:
    after = f" (tried for {tries.elapsed:.0f} s)" if tries.elapsed >= 1 else ""
    message = f"{trouble.what}{after}."
    if unsure:
        return OutcomeUnknown(
            f"{message} Whether the server carried out `{call}` is unknown.",
            "Run again: what is there will be read before anything else is written.",
            call=str(call),
        )
    if trouble.throttled:
        return Throttled(message, "Run again later, or with fewer clusters at once.", call=str(call))
    return Unreachable(message, trouble.remedy, call=str(call))


def _date(value: str | None) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp() if value else None
    except ValueError:
        return None


def _seconds(value: str | None) -> float | None:
    """Retry-After in seconds; a date in it only says that there is one."""
    if value is None:
        return None
    return float(value) if value.isdigit() else 1.0


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data) if data else None
    except (ValueError, RecursionError):
        return data[:200].decode("utf-8", "replace")


def _said(data: Any) -> str:
    said = data.get("message") if isinstance(data, dict) else None
    return f": {said}" if said else ""


def _plain(error: Any) -> str:
    """The operating system's words without Python's wrapping."""
    inner = error.args[-1] if isinstance(error, Exception) and error.args else error
    if isinstance(inner, Exception):
        return _plain(inner)
    return str(getattr(error, "strerror", None) or inner or error)
