# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does anything answer there? TCP, then TLS, with a deadline; nothing is sent and no certificate is judged (API-7)."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from .._core.api_slb.paths import CONNECTED, REFUSED, SILENT, UNRESOLVED, host_of
from .._core.api_slb.state import PathSeen
from . import name_service

SECONDS = 5.0
_MOST = 8


def try_all(paths: Sequence[str], within: float = 0.0) -> dict[str, PathSeen]:
    """Side by side: one that does not answer keeps nobody waiting. `within` 0: as long as is usual."""
    if not paths:
        return {}
    with ThreadPoolExecutor(min(len(paths), _MOST), "path") as pool:
        return dict(zip(paths, pool.map(lambda at: try_path(at, within or SECONDS), paths), strict=True))


def try_path(at: str, within: float = SECONDS) -> PathSeen:
    """`at`: host:port. The best that any of the host's addresses gives."""
    host, port = host_of(at), int(at.rpartition(":")[2])
    found = name_service.addresses(host, within)
    if not found:
        return PathSeen(UNRESOLVED, "no such name" if found == () else "nobody could be asked for its address")
    seen = [_connected(address, port, within) for address in found]
    best = min(seen, key=lambda one: (CONNECTED, REFUSED, SILENT).index(one.state))
    return PathSeen(best.state, best.detail, found)


def _connected(address: str, port: int, within: float) -> PathSeen:
    try:
        with (
            socket.create_connection((address, port), within) as plain,
            _any_certificate().wrap_socket(plain) as secure,
        ):
            return PathSeen(CONNECTED, secure.version() or "")
    except ConnectionRefusedError as problem:
        return PathSeen(REFUSED, str(problem))
    except (ssl.SSLCertVerificationError, ssl.SSLError) as problem:
        # An API server that asks for a client's certificate may end it here; it has answered all the same.
        asked = "CERTIFICATE_REQUIRED" in str(problem)
        return PathSeen(CONNECTED if asked else REFUSED, f"no TLS: {problem}")
    except OSError as problem:
        return PathSeen(SILENT, str(problem))


def _any_certificate() -> ssl.SSLContext:
    """Whether anybody is there is the question, not who: the API's certificate is its clients' business."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
