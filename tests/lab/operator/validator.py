# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IngressControllers as the CRD of the cluster's version prunes, defaults and refuses them, for the API server twin.

The same rules hold for spec and status (facts: ingress-operator §8, §14): a status they refuse freezes the operator.
"""

from __future__ import annotations

from ..apiserver.crds import CustomSchema
from ..apiserver.store import Cluster
from .config import CLUSTERVERSIONS, INGRESSCONTROLLERS, found, operator_version, profile_of
from .ingresscontroller import ingresscontroller_schema


def install(cluster: Cluster) -> None:
    """Hold this cluster's IngressControllers to the CRD of whatever version the cluster has at the time."""

    def schema_now() -> CustomSchema:
        version = operator_version(found(cluster, CLUSTERVERSIONS, None, "version"))
        return ingresscontroller_schema(profile_of(version))

    cluster.schemas.put(INGRESSCONTROLLERS, schema_now)
