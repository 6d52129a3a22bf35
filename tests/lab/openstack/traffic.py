# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests the three APIs have served, so that a test can say "no write, and so many reads"."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

#: How the services' own clients name themselves, and the lab's.
INTERNAL_AGENTS = ("octavia", "neutron", "python-keystoneclient", "lab")


@dataclass(frozen=True)
class Request:
    time: float
    service: str
    method: str
    path: str
    query: str
    status: int
    #: None where no token was checked: Keystone's own API, refused requests.
    project: str | None
    user: str | None
    agent: str

    @property
    def is_write(self) -> bool:
        """Asking Keystone for a token is a POST, but changes nothing."""
        return self.method not in ("GET", "HEAD", "OPTIONS") and not self.path.endswith("/auth/tokens")

    @property
    def is_internal(self) -> bool:
        """Made by a service, possibly in the name of a user: checking a token, Octavia asking Neutron."""
        return self.agent.startswith(INTERNAL_AGENTS)

    @property
    def is_read(self) -> bool:
        return self.method in ("GET", "HEAD")


def mark(path: Path) -> int:
    """Now, as a place in the record."""
    return path.stat().st_size if path.exists() else 0


def read(path: Path, since: int = 0) -> list[Request]:
    if not path.exists():
        return []
    with path.open("rb") as lines:
        lines.seek(since)
        return [Request(**json.loads(line)) for line in lines.read().splitlines()]
