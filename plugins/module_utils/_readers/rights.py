# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""May it be done to the end, and is there somebody to bring the thing back? Asked before anything goes (CORE-13)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from .._core.data import dig
from .._core.holder import lock_name
from .._core.model import Step, Target
from .._core.operator.names import OPERATOR_NAMESPACE
from .._ports.errors import Forbidden, NotReady
from .._ports.kube import Kube
from .._ports.kube_paths import resource
from .._ports.lease import LEASES

_OPERATOR, _DEPLOYMENTS = "ingress-operator", "deployments.apps"
_VERBS = {"replace": "update"}


@dataclass(frozen=True)
class Right:
    verb: str
    resource: str
    namespace: str
    name: str = ""


OPERATOR_SEEN = Right("get", _DEPLOYMENTS, OPERATOR_NAMESPACE, _OPERATOR)


def see_rights(kube: Kube, target: Target, steps: Iterable[Step], reads: Iterable[Right] = ()) -> None:
    """Forbidden, with every missing rule at once: nobody learns them one outage at a time."""
    wanted = {_right(step) for step in steps if step.port == "kube" and step.writes}
    if not wanted:
        return
    wanted |= {Right(verb, LEASES, target.namespace, lock_name(target)) for verb in ("get", "patch", "delete")}
    wanted |= {Right("create", LEASES, target.namespace), *reads}
    ordered = sorted(wanted, key=lambda right: (right.namespace, right.resource, right.verb, right.name))
    missing = [right for right in ordered if not kube.may(right.verb, right.resource, right.namespace, right.name)]
    if not missing:
        return
    rules = [_rule(right) for right in missing]
    listed = "; ".join(f"{right.verb} {right.resource} in namespace {right.namespace}" for right in missing)
    raise Forbidden(
        f"{target}: not everything this change needs is permitted, so it was not begun. Missing: {listed}.",
        f"Add these rules to Roles bound to that user: {json.dumps(rules)}.",
        rules=rules,
    )


def _right(step: Step) -> Right:
    """A create cannot be allowed by name."""
    verb = _VERBS.get(step.verb, step.verb)
    return Right(verb, step.resource, step.namespace, "" if verb == "create" else step.name)


def _rule(right: Right) -> dict[str, object]:
    found = resource(right.resource)
    kind = {"apiGroups": [found.group], "resources": [found.rbac], "verbs": [right.verb]}
    return {"namespace": right.namespace, **kind}


def see_operator_alive(kube: Kube) -> None:
    """NotReady where nobody would recreate the Service."""
    found = kube.get(_DEPLOYMENTS, OPERATOR_NAMESPACE, _OPERATOR)
    if (dig(found, "status", "availableReplicas") or 0) >= 1:
        return
    state = "does not exist" if found is None else "has no available replica"
    raise NotReady(
        f"Deployment {OPERATOR_NAMESPACE}/{_OPERATOR} {state}: nobody would recreate the Service.",
        "Bring the ingress operator back first, then run again.",
    )
