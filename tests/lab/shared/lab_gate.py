# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A request that stands still on its way, as somebody outside wants it: servers of the lab stop it at two points.

The client names a port of loopback in a header. The server tells that port which point the request has reached, and
goes on when it gets a word or the connection ends. So nobody polls, and nothing stays behind when one side dies.
"""

from __future__ import annotations

import contextlib
import socket

HEADER = "X-Lab-Gate"
#: The server has all of it and has done nothing; it has done everything but answer.
RECEIVED, DONE = "received", "done"


class Gate:
    """The server's side, for one request; without a port it never stops."""

    def __init__(self, port: str | None) -> None:
        self._outside: socket.socket | None = None
        if port:
            with contextlib.suppress(OSError):  # nobody there any more
                self._outside = socket.create_connection(("127.0.0.1", int(port)))

    def stop_at(self, point: str) -> None:
        if self._outside is not None:
            with contextlib.suppress(OSError):
                self._outside.sendall(f"{point}\n".encode())
                self._outside.recv(1)

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: object) -> None:
        if self._outside is not None:
            self._outside.close()
