# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's DNS for a program under test: names in the JSON file LAB_HOSTS lead where it says, all others as usual,
or where it says for "*".

Python imports this at its start from PYTHONPATH; there is no other way to give one process a resolver without root.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
from pathlib import Path
from typing import Any

_ask = socket.getaddrinfo


def _answer(host: Any, port: Any, *args: Any, **options: Any) -> Any:
    known = json.loads(Path(os.environ["LAB_HOSTS"]).read_text(encoding="utf-8"))
    addresses = known.get(host, None if _is_address(host) else known.get("*"))
    if addresses is None:
        return _ask(host, port, *args, **options)
    if not addresses:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]


def _is_address(host: Any) -> bool:
    try:
        return bool(ipaddress.ip_address(str(host)))
    except ValueError:
        return False


if "LAB_HOSTS" in os.environ:
    socket.getaddrinfo = _answer
