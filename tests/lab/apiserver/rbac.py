# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what, evaluated from the Role and ClusterRole objects (and bindings) in the cluster itself (EST-14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .api import ApiError, Obj
from .auth import User
from .errors import forbidden, quoted
from .store import Cluster
from .watch import Event

_GROUP = "rbac.authorization.k8s.io"
_DISCOVERY = ("api", "apis", "openapi", "version")


@dataclass(frozen=True, slots=True)
class Attributes:
    """One request as RBAC sees it."""

    verb: str
    group: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


class Rbac:
    """Decisions of one cluster, remembered until a role or a binding changes."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: dict[tuple[User, Attributes], bool] = {}
        cluster.subscribe(self._changed)

    def _changed(self, event: Event) -> None:
        if event.resource.endswith(_GROUP):
            self._known = {}

    def allows(self, user: User, attributes: Attributes) -> bool:
        if user.is_master:
            return True
        known = self._known
        key = (user, attributes)
        if key not in known:
            known[key] = any(_covers(rule, attributes) for rule in self._rules(user, attributes.namespace))
        return known[key]

    def require(self, user: User, attributes: Attributes) -> None:
        if not self.allows(user, attributes):
            raise _refusal(user, attributes)

    def require_path(self, user: User, path: str) -> None:
        """What is no resource: whoever is known may find out what there is, and nothing else."""
        known = "system:authenticated" in user.groups and path.split("/")[1] in _DISCOVERY
        if not known and not user.is_master:
            raise ApiError(403, "Forbidden", f"forbidden: User {quoted(user.name)} cannot get path {quoted(path)}")

    def _rules(self, user: User, namespace: str) -> Iterator[Obj]:
        for binding in self._objects("clusterrolebindings", None):
            if _binds(binding, user):
                yield from self._role(binding["roleRef"], "")
        if not namespace:
            return
        for binding in self._objects("rolebindings", namespace):
            if _binds(binding, user):
                yield from self._role(binding["roleRef"], namespace)

    def _objects(self, plural: str, namespace: str | None) -> list[Obj]:
        return self._cluster.select(f"{plural}.{_GROUP}", namespace)[1]

    def _role(self, reference: Obj, namespace: str) -> list[Obj]:
        cluster_wide = reference.get("kind") == "ClusterRole"
        resource = f"{'clusterroles' if cluster_wide else 'roles'}.{_GROUP}"
        try:
            role = self._cluster.stored(resource, None if cluster_wide else namespace, reference["name"]).obj
        except ApiError:
            return []
        return role.get("rules") or []


def _binds(binding: Obj, user: User) -> bool:
    for subject in binding.get("subjects") or ():
        kind, name = subject.get("kind"), subject.get("name")
        if kind == "User" and name == user.name:
            return True
        if kind == "Group" and name in user.groups:
            return True
        if kind == "ServiceAccount" and user.name == f"system:serviceaccount:{subject.get('namespace')}:{name}":
            return True
    return False


def _covers(rule: Obj, wanted: Attributes) -> bool:
    def has(field: str, *values: str) -> bool:
        listed: list[Any] = rule.get(field) or []
        return "*" in listed or any(value in listed for value in values)

    resource = f"{wanted.plural}/{wanted.subresource}" if wanted.subresource else wanted.plural
    any_parent = (f"*/{wanted.subresource}",) if wanted.subresource else ()
    if not (has("verbs", wanted.verb) and has("apiGroups", wanted.group) and has("resources", resource, *any_parent)):
        return False
    return not rule.get("resourceNames") or wanted.name in rule["resourceNames"]


def _refusal(user: User, wanted: Attributes) -> ApiError:
    resource = f"{wanted.plural}/{wanted.subresource}" if wanted.subresource else wanted.plural
    where = f"in the namespace {quoted(wanted.namespace)}" if wanted.namespace else "at the cluster scope"
    what = f"{wanted.verb} resource {quoted(resource)} in API group {quoted(wanted.group)}"
    why = f"User {quoted(user.name)} cannot {what} {where}"
    key = f"{wanted.plural}.{wanted.group}" if wanted.group else wanted.plural
    return forbidden(key, wanted.name, why)


def access_review(rbac: Rbac, user: User, review: Obj) -> Obj:
    """The answer to a SelfSubjectAccessReview."""
    wanted = review.get("spec", {}).get("resourceAttributes")
    if wanted is None:
        allowed = user.is_master
    else:
        attributes = Attributes(
            wanted.get("verb", ""),
            wanted.get("group", ""),
            wanted.get("resource", ""),
            wanted.get("namespace", ""),
            wanted.get("name", ""),
            wanted.get("subresource", ""),
        )
        allowed = rbac.allows(user, attributes)
    return {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": {},
        "spec": review.get("spec", {}),
        "status": {"allowed": allowed},
    }
