# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IngressControllers as the CRD of the cluster's version prunes, defaults and refuses them, for the API server twin.

The same rules hold for spec and status (facts: ingress-operator §8, §14): a status they refuse freezes the operator.
"""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import crd
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import Profile

from ..apiserver.api import Cause, Obj
from ..apiserver.store import Cluster
from .config import CLUSTERVERSIONS, INGRESSCONTROLLERS, found, operator_version, profile_of

_STRATEGY = "endpointPublishingStrategy"


def install(cluster: Cluster) -> None:
    """Hold this cluster's IngressControllers to the CRD of whatever version the cluster has at the time."""
    rules = IngressControllerRules(cluster)
    cluster.defaulters.setdefault(INGRESSCONTROLLERS, []).append(rules.complete)
    cluster.validators.setdefault(INGRESSCONTROLLERS, []).append(rules.causes)


class IngressControllerRules:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def _profile(self) -> Profile:
        return profile_of(operator_version(found(self._cluster, CLUSTERVERSIONS, None, "version")))

    def complete(self, old: Obj | None, new: Obj, subresource: str | None) -> None:
        part = new.get(_written(subresource))
        if isinstance(part, dict) and part.get(_STRATEGY) is not None:
            part[_STRATEGY] = crd.stored(self._profile, part[_STRATEGY])
        elif isinstance(part, dict):
            part.pop(_STRATEGY, None)  # null: not nullable, so not stored

    def causes(self, old: Obj | None, new: Obj, subresource: str | None) -> list[Cause]:
        """Only the part that is written: what is unchanged is not checked again (ratcheting)."""
        part = _written(subresource)
        strategy = (new.get(part) or {}).get(_STRATEGY)
        if old is not None and strategy == (old.get(part) or {}).get(_STRATEGY):
            return []
        return [
            {"field": cause.field, "reason": cause.reason, "message": cause.message}
            for cause in crd.check(self._profile, strategy, part)
        ]


def _written(subresource: str | None) -> str:
    return "status" if subresource == "status" else "spec"
