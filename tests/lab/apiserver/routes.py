# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request path to what it names."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import method_not_allowed

_SINGLE = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_COLLECTION = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}


@dataclass(frozen=True, slots=True)
class Target:
    """A resource path; `name` is empty for a collection, `namespace` for cluster scope or all namespaces."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def resource(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


def parse(path: str) -> Target | None:
    """The target of /api/v1/… and /apis/group/version/…; None for everything else (discovery, health, …)."""
    parts = [part for part in path.split("/") if part]
    if len(parts) >= 3 and parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    elif len(parts) >= 4 and parts[0] == "apis":
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) >= 3 and not (group == "" and rest[2] in ("status", "finalize")):
        namespace, rest = rest[1], rest[2:]
    if len(rest) > 3:
        return None
    return Target(group, version, rest[0], namespace, *rest[1:])


def verb_of(method: str, target: Target, query: dict[str, str]) -> str:
    if target.name:
        verb = _SINGLE.get(method)
    elif method == "GET" and query.get("watch") in ("true", "1"):
        verb = "watch"
    else:
        verb = _COLLECTION.get(method)
    if verb is None:
        raise method_not_allowed()
    return verb
