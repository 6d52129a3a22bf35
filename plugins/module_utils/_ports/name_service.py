# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a name leads to now, as this machine's resolver says it (CAPO-7, CAPO-12)."""

from __future__ import annotations

import socket
import threading

WITHIN = 10.0  # seconds


def addresses(host: str, within: float = WITHIN) -> tuple[str, ...] | None:
    """All addresses, sorted; () where there is no such name, None where nobody could be asked in time."""
    found: list[tuple[str, ...]] = []

    def ask() -> None:
        try:
            answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)):
                found.append(())
        except OSError:
            return
        except ValueError:  # of Python itself, before anybody is asked: two dots in a row, a label that is too long
            found.append(())
        else:
            found.append(tuple(sorted({str(answer[4][0]) for answer in answers})))

    # The resolver takes no deadline, so it is asked from aside.
    asking = threading.Thread(target=ask, daemon=True, name="name-service")
    asking.start()
    asking.join(within)
    return found[0] if found else None
