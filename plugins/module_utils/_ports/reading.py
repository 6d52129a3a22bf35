# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a cluster is read, whoever stands behind it: its API server, or a directory of exported objects."""

from __future__ import annotations

from typing import Any, Protocol

Object = dict[str, Any]
Objects = list[Object]


class Cluster(Protocol):
    """Read only."""

    @property
    def host(self) -> str:
        """Where it is, for sentences."""

    def now(self) -> float:
        """The time there, in seconds."""

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        """None where there is no such object; NoSuchApi where the cluster knows no such kind."""

    def list(
        self, resource: str, namespace: str | None = None, *, label_selector: str = "", field_selector: str = ""
    ) -> Objects:
        """All of them; over all namespaces where none is given."""
