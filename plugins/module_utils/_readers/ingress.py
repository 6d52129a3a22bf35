# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One IngressController with its Service (SUB-*, SCO-*)."""

from __future__ import annotations

from dataclasses import replace

from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import Observed
from .._core.operator import names
from .._ports.lease import read_holder
from .._ports.reading import Cluster
from .cluster import Given, read_cluster


def read_ingress(cluster: Cluster, given: Given, name: str, known: Observed | None = None) -> Observed:
    """Four requests at most; two with what is `known` of the cluster: platform and version do not change in a task.

    One more where a run of ours is at work on it or was stopped: the two are told apart.
    """
    ic = cluster.get(IC_RESOURCE, names.OPERATOR_NAMESPACE, name)
    service = cluster.get("services", names.OPERAND_NAMESPACE, names.service_name(name))
    if known is not None:
        return replace(known, ic=ic, service=service)
    facts = read_cluster(cluster, given)
    if given.platform:
        facts = facts.beside(service)
    observed = Observed(facts.profile, facts.infra, name, ic, service, given.name, facts.upgrading)
    return replace(observed, holder=read_holder(cluster, observed.target)) if observed.marked else observed
