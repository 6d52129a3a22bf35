# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The little of HTTP/1.1 an API server needs: keep-alive requests in, JSON or a chunked stream out.

The standard library's handler parses headers as e-mail, which costs more than everything else here together.
"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

_LIMIT = 64 * 1024
_BODY_LIMIT = 3 * 1024 * 1024
_REASONS = {200: "OK", 201: "Created", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden"}


@dataclass(slots=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


class Closed(Exception):
    """The other side went away, or sent something that is not HTTP."""


class TooLarge(Exception):
    """A body over the limit of a real server."""


class Connection:
    """One client connection; used by one thread."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._buffer = b""

    def _more(self) -> None:
        try:
            data = self.sock.recv(65536)
        except OSError as error:
            raise Closed from error
        if not data:
            raise Closed
        self._buffer += data

    def _until(self, mark: bytes) -> bytes:
        while (end := self._buffer.find(mark)) < 0:
            if len(self._buffer) > _LIMIT:
                raise Closed
            self._more()
        head, self._buffer = self._buffer[:end], self._buffer[end + len(mark) :]
        return head

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._more()
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def read(self) -> Request:
        lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        try:
            method, target, protocol = lines[0].split(" ")
            headers = {
                name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines[1:])
            }
            path, _mark, query = target.partition("?")
            body = self._body(headers)
        except ValueError as error:
            raise Closed from error
        wish = headers.get("connection", "").lower()
        return Request(
            method,
            unquote(path) if "%" in path else path,
            dict(parse_qsl(query, keep_blank_values=True)) if query else {},
            headers,
            body,
            wish != "close" and (protocol != "HTTP/1.0" or wish == "keep-alive"),
        )

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("expect", "").lower() == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return self._chunks()
        size = int(headers.get("content-length") or 0)
        if size > _BODY_LIMIT:
            self._skip(size)
            raise TooLarge
        return self._exactly(size) if size else b""

    def _skip(self, size: int) -> None:
        """Read past a body: a client still sending would not see the answer."""
        while size > 0:
            if not self._buffer:
                self._more()
            size -= len(self._buffer)
            self._buffer = b""

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self._until(b"\r\n").partition(b";")[0], 16):
            body += self._exactly(size)
            self._exactly(2)
            if len(body) > _BODY_LIMIT:
                raise TooLarge
        while self._until(b"\r\n"):
            pass
        return body

    def send(self, data: bytes) -> None:
        try:
            self.sock.sendall(data)
        except OSError as error:
            raise Closed from error

    def respond(self, status: int, body: bytes, *, content_type: str = "application/json", extra: str = "") -> None:
        head = (
            f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\nCache-Control: no-cache, private\r\n{extra}\r\n"
        )
        self.send(head.encode("latin-1") + body)

    def start_stream(self) -> None:
        self.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            b"Cache-Control: no-cache, private\r\n\r\n"
        )

    def stream(self, line: bytes) -> None:
        self.send(b"%x\r\n%b\r\n" % (len(line), line))

    def end_stream(self) -> None:
        self.send(b"0\r\n\r\n")

    def is_gone(self) -> bool:
        """Whether an idle client has hung up; what it sent instead is kept."""
        self.sock.settimeout(0.0)
        try:
            data = self.sock.recv(65536)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True
        finally:
            self.sock.settimeout(None)
        self._buffer += data
        return not data
