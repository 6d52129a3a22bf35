# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One IngressController with its Service (SUB-*, SCO-*)."""

from __future__ import annotations

from dataclasses import replace

from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import Observed
from .._core.operator import names, router_service
from .._ports.lease import WALL_CLOCK, Watch, read_holder
from .._ports.reading import Cluster
from .cluster import Given, read_cluster
from .events import read_events


def read_ingress(
    cluster: Cluster, given: Given, name: str, known: Observed | None = None, watch: Watch = WALL_CLOCK
) -> Observed:
    """Four requests at most; two with what is `known` of the cluster: platform and version do not change in a task.

    One more where a run of ours is at work on it or was stopped: the two are told apart. One more where its Service
    does not serve: events tell why.
    """
    ic = cluster.get(IC_RESOURCE, names.OPERATOR_NAMESPACE, name)
    service = cluster.get("services", names.OPERAND_NAMESPACE, names.service_name(name))
    if known is not None:
        return _with_events(cluster, replace(known, ic=ic, service=service))
    facts = read_cluster(cluster, given)
    if given.platform:
        facts = facts.beside(service)
    observed = Observed(facts.profile, facts.infra, name, ic, service, given.name, facts.upgrading)
    observed = replace(observed, holder=read_holder(cluster, observed.target, watch)) if observed.touched else observed
    return _with_events(cluster, observed)


def _with_events(cluster: Cluster, observed: Observed) -> Observed:
    place = (names.OPERAND_NAMESPACE, names.service_name(observed.name))
    looked = router_service.wanted(observed.ic) and observed.silent
    return replace(observed, now=cluster.now(), events=read_events(cluster, *place) if looked else ())
