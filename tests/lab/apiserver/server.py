# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTTPS server for many clusters: each under /clusters/NAME, and on a port of its own where asked."""

from __future__ import annotations

import contextlib
import secrets
import socket
import ssl
import tempfile
import threading
from pathlib import Path
from types import TracebackType

from ..shared.lab_gate import HEADER, Gate
from . import admin
from .api import ApiError
from .auth import MASTERS
from .bodies import encode
from .certs import LOOPBACK, Authority
from .errors import unknown_path
from .exchange import Exchange
from .http1 import Closed, Connection, Request, TooLarge
from .kubeconfig import kubeconfig
from .rbac import Rbac
from .store import Cluster

_HANDSHAKE_SECONDS = 10.0
_PREFIX = "/clusters/"


class ApiServer:
    """Serves clusters on loopback until `stop`; also a context manager.

    `authority` is the CA that signs the server's certificate (a new one if none is given), `admin_token` opens /admin.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        authority: Authority | None = None,
        admin_token: str | None = None,
    ) -> None:
        self.host = host
        self.authority = authority or Authority()
        self.admin_token = admin_token or secrets.token_urlsafe(24)
        self.clusters: dict[str, Cluster] = {}
        self._rbac: dict[str, Rbac] = {}
        self._own: dict[str, socket.socket] = {}
        self._admins: dict[str, str] = {}
        self._stop = threading.Event()
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        self._tls = self._context()
        self._socket = self._listen(port, None)
        self.port: int = self._socket.getsockname()[1]

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as scratch:
            files = self.authority.write(Path(scratch), tuple(dict.fromkeys((self.host, *LOOPBACK))))
            context.load_cert_chain(files.certificate, files.key)
        context.set_alpn_protocols(["http/1.1"])
        return context

    # -- clusters -----------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        return f"https://{self.host}:{self.port}"

    def add(self, cluster: Cluster, *, own_port: bool = False, port: int = 0) -> str:
        """Serve a cluster; returns its URL. A token in system:masters is made for it (see `admin_of`)."""
        with self._guard:
            self.clusters[cluster.name] = cluster
            self._rbac[cluster.name] = Rbac(cluster)
            self._admins[cluster.name] = cluster.tokens.add("system:admin", (MASTERS,))
        if own_port:
            self._own[cluster.name] = self._listen(port, cluster.name)
        return self.url_of(cluster.name)

    def remove(self, name: str) -> None:
        with self._guard:
            self.clusters.pop(name, None)
            self._rbac.pop(name, None)
            listener = self._own.pop(name, None)
        if listener is not None:
            _shut(listener)

    def url_of(self, name: str) -> str:
        if name in self._own:
            return f"https://{self.host}:{self._own[name].getsockname()[1]}"
        return f"{self.url}{_PREFIX}{name}"

    def admin_of(self, name: str) -> str:
        """The token of a cluster's administrator."""
        return self._admins[name]

    def kubeconfig(
        self, name: str, *, token: str | None = None, user: str = "admin", namespace: str = "default"
    ) -> str:
        chosen = token or self.admin_of(name)
        return kubeconfig(name, self.url_of(name), self.authority.pem, chosen, user=user, namespace=namespace)

    # -- connections --------------------------------------------------------------------------------------------------

    def _listen(self, port: int, cluster: str | None) -> socket.socket:
        listener = socket.create_server((self.host, port), backlog=512)
        threading.Thread(
            target=self._accept, args=(listener, cluster), name=f"accept-{listener.getsockname()[1]}", daemon=True
        ).start()
        return listener

    def _accept(self, listener: socket.socket, cluster: str | None) -> None:
        while not self._stop.is_set():
            try:
                client, _address = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._converse, args=(client, cluster), name="connection", daemon=True).start()

    def _converse(self, raw: socket.socket, cluster: str | None) -> None:
        client: socket.socket = raw
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw.settimeout(_HANDSHAKE_SECONDS)
            client = self._tls.wrap_socket(raw, server_side=True)
            client.settimeout(None)
            with self._guard:
                self._open.add(client)
            conn = Connection(client)
            while not self._stop.is_set():
                request = conn.read()
                self._serve(conn, request, cluster)
                if not request.keep_alive:
                    return
        except TooLarge:
            too_large = ApiError(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")
            _last_words(Connection(client), too_large)
        except (Closed, OSError):
            pass
        finally:
            with self._guard:
                self._open.discard(client)
            _shut(client)

    def _serve(self, conn: Connection, request: Request, own: str | None) -> None:
        if own is not None:
            name, prefix, path = own, "", request.path
        elif request.path.startswith(_PREFIX):
            name, _slash, rest = request.path[len(_PREFIX) :].partition("/")
            prefix, path = _PREFIX + name, "/" + rest
        elif request.path.startswith("/admin"):
            status, answer = admin.answer(request, self.clusters, self.admin_token)
            conn.respond(status, encode(answer))
            return
        elif request.path in ("/healthz", "/livez", "/readyz"):
            conn.respond(200, b"ok", content_type="text/plain; charset=utf-8")
            return
        else:
            name, prefix, path = "", "", request.path
        cluster, rbac = self.clusters.get(name), self._rbac.get(name)
        if cluster is None or rbac is None:
            error = unknown_path()
            conn.respond(error.status, encode(error.body()))
            return
        with Gate(request.headers.get(HEADER.lower())) as gate:
            Exchange(cluster, rbac, prefix, path, request, conn, self._stop, gate).run()

    # -- end ----------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        self._stop.set()
        with self._guard:
            sockets = [self._socket, *self._own.values(), *self._open]
        for sock in sockets:
            _shut(sock)

    def __enter__(self) -> ApiServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _last_words(conn: Connection, error: ApiError) -> None:
    with contextlib.suppress(Closed):
        conn.respond(error.status, encode(error.body()), extra="Connection: close\r\n")


def _shut(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
