# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One IngressController with its Service (SUB-*, SCO-*)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import Observed
from .._core.operator import names, router_service
from .._core.waits import of_before
from .._ports.errors import Forbidden, NoSuchApi
from .._ports.lease import WALL_CLOCK, Watch, read_holder
from .._ports.reading import Cluster, Object
from .cluster import Given, read_cluster
from .events import read_events

DNS_RECORDS = "dnsrecords.ingress.operator.openshift.io"


def read_ingress(
    cluster: Cluster, given: Given, name: str, known: Observed | None = None, watch: Watch = WALL_CLOCK
) -> Observed:
    """Four requests at most; two with what is `known` of the cluster: platform and version do not change in a task.

    One more where a run of ours is at work on it or was stopped: the two are told apart. One more where its Service
    does not serve: events tell why. One more where the operator's word is older than the Service: its DNSRecord tells
    whether it has seen it.
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
    events = read_events(cluster, *place) if looked else ()
    doubtful = not observed.silent and of_before(observed.ic, observed.service)
    record = _record(cluster, observed.name) if doubtful else None
    return replace(observed, now=cluster.now(), events=events, record=record)


def _record(cluster: Cluster, name: str) -> Object | None:
    with suppress(Forbidden, NoSuchApi):  # it only helps to explain
        return cluster.get(DNS_RECORDS, names.OPERATOR_NAMESPACE, names.record_name(name))
    return None


def read_records(cluster: Cluster) -> dict[str, Object]:
    """Every IngressController's, by the record's name; none where they may not be read."""
    with suppress(Forbidden, NoSuchApi):
        return {one["metadata"]["name"]: one for one in cluster.list(DNS_RECORDS, names.OPERATOR_NAMESPACE)}
    return {}
