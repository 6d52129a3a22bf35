# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Free ports on loopback, held from the moment they are chosen."""

from __future__ import annotations

import random
import socket

from .errors import LabError

#: Below the range Linux gives to outgoing connections, so that a service that is down for a while finds its port again.
LOWEST, HIGHEST = 20000, 32000
LOOPBACK = "127.0.0.1"


def hold_free_port() -> socket.socket:
    """A bound socket, not yet listening: nobody else gets the port, and whoever connects is refused until it serves."""
    for _attempt in range(200):
        held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            held.bind((LOOPBACK, random.randrange(LOWEST, HIGHEST)))
        except OSError:
            held.close()
            continue
        return held
    raise LabError(f"No free port on {LOOPBACK} between {LOWEST} and {HIGHEST}; end some of what listens there.")


def hold_port(port: int) -> socket.socket:
    """The same port again, for a service that comes back."""
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # Connections of the service that was there may still be closing.
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind((LOOPBACK, port))
    except OSError as error:
        held.close()
        raise LabError(
            f"Another program has taken port {port} since the lab gave it up; end that and try again."
        ) from error
    return held


def port_of(held: socket.socket) -> int:
    return int(held.getsockname()[1])
