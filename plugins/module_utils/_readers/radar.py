# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that bears a load balancer in one cluster (lb_info, and whoever wants an overview)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from .._core import radar
from .._core.api_slb import watch
from .._core.api_slb.watch import Endpoints
from .._core.aws.in_force import leaked, unused
from .._core.data import dig
from .._core.holder import Holder, unknown
from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import Observed
from .._core.lb_class import radar as class_radar
from .._core.model import Decision, Target, as_data
from .._core.operator import names
from .._core.service.left_behind import Holders, beside, kept_services, left_behind, unread
from .._core.serving import silent
from .._core.waits import addresses
from .._ports.errors import Forbidden, NoSuchApi
from .._ports.lease import read_holder
from .._ports.reading import Cluster, Object, Objects
from .api_slb import read_endpoints
from .aws import AwsReader
from .cluster import ClusterFacts, Given, read_cluster
from .events import read_all_events
from .ingress import read_records
from .service import read_kept


@dataclass(frozen=True)
class Everything:
    """One cluster's IngressControllers, its Services of type LoadBalancer, and what events say of the silent ones."""

    facts: ClusterFacts
    controllers: tuple[Observed, ...]
    services: tuple[Object, ...]
    plain: tuple[Object, ...]  # of `services`, those that are nobody's router
    events: tuple[Object, ...] = ()
    kept: tuple[Object, ...] | None = ()  # manifests that runs have kept; None: may not be read
    holders: Holders = field(default_factory=dict)  # of the Services with a kept manifest
    locks_unread: bool = False
    now: float | None = None
    let_go: tuple[Object, ...] = ()  # Services of another type by now, whose load balancer is not cleaned up
    endpoints: Endpoints = field(default_factory=dict)  # of the API's load balancers


def read_everything(cluster: Cluster, given: Given) -> Everything:
    """Six requests, five without IngressControllers; one more where a Service does not serve, and one for each that has
    a mark of a run on it."""
    listed = cluster.list("services")
    services = [item for item in listed if dig(item, "spec", "type") == "LoadBalancer"]
    facts = read_cluster(cluster, given)
    try:
        controllers = cluster.list(IC_RESOURCE, names.OPERATOR_NAMESPACE)
    except NoSuchApi:
        controllers = []
    plain = radar.plain_services(services, [ic["metadata"]["name"] for ic in controllers])
    records = read_records(cluster) if controllers else {}
    locks = _Locks(cluster)
    observed = [locks.seen(_observed(facts, given, ic, services)) for ic in controllers]
    observed = [replace(one, record=records.get(names.record_name(one.name))) for one in observed]
    quiet = any(one.silent for one in observed) or any(silent(item) for item in plain)
    events = read_all_events(cluster) if quiet else ()
    told = tuple(replace(one, events=events, now=cluster.now()) for one in observed)
    kept = read_kept(cluster)
    return Everything(
        facts,
        told,
        tuple(services),
        tuple(plain),
        events or (),
        kept,
        {(one.namespace, one.name): locks.holder(one) for one in kept_services(kept or ())},
        locks.unread,
        cluster.now(),
        tuple(class_radar.let_go(listed)),
        _endpoints(cluster, plain),
    )


def _endpoints(cluster: Cluster, services: Objects) -> Endpoints:
    """One request for each load balancer of the API; of one that may not be read nothing is said."""
    found = {}
    for item in services:
        if watch.slb_of(item) is not None:
            with suppress(Forbidden):
                found[watch.place_of(item)] = read_endpoints(cluster, *watch.place_of(item))
    return found


class _Locks:
    """Where something of a run stands: is it at work, or was it stopped?"""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self.unread = cluster, False

    def holder(self, target: Target) -> Holder | None:
        try:
            return read_holder(self._cluster, target, None)
        except Forbidden:
            self.unread = True
            return None

    def seen(self, observed: Observed) -> Observed:
        return replace(observed, holder=self.holder(observed.target)) if observed.touched else observed


def _observed(facts: ClusterFacts, given: Given, ic: Object, services: Objects) -> Observed:
    name = ic["metadata"]["name"]
    place = (names.OPERAND_NAMESPACE, names.service_name(name))
    found = (item for item in services if (item["metadata"]["namespace"], item["metadata"]["name"]) == place)
    return Observed(facts.profile, facts.infra, name, ic, next(found, None), given.name, facts.upgrading)


def look(cluster: Cluster, given: Given, aws: AwsReader) -> dict[str, Any]:
    """The result of lb_info."""
    seen = read_everything(cluster, given)
    facts = seen.facts
    survey, findings = aws.survey(facts.infra)
    pairs = [(radar.ingress_controller(one), one.service) for one in seen.controllers]
    pairs += [(_plain(seen, item, given), item) for item in seen.plain]
    known = (*seen.services, *seen.let_go)
    pairs += [(_let_go(seen, item, given), item) for item in seen.let_go]
    pairs += [(row, None) for row in left_behind(seen.kept or (), known, given.name, seen.holders)]
    owned = survey.owned if survey is not None else ()
    told = (*findings, *leaked(owned, known), *unread(seen.kept), *unknown(seen.locks_unread))
    return {
        "changed": False,
        "targets": [_shown(radar.compared(decision, service, survey), service) for decision, service in pairs],
        "leaked": [as_data(lb) for lb, _other_kind in unused(owned, known)],
        "findings": [as_data(finding) for finding in told],
        "platform": facts.infra.platform,
        "version": facts.profile.version,
        "profile": facts.profile.name,
    }


def _plain(seen: Everything, item: Object, given: Given) -> Decision:
    row = radar.service(seen.facts.infra.platform, item, seen.events, given.name, seen.now)
    told = row.with_findings(*beside(seen.kept or (), item, seen.holders))
    return watch.judged(told, item, seen.services, seen.endpoints, seen.now)


def _let_go(seen: Everything, item: Object, given: Given) -> Decision:
    row = class_radar.row(seen.facts.infra.platform, item, given.name)
    return row.with_findings(*beside(seen.kept or (), item, seen.holders))


def _shown(decision: Decision, service: Object | None) -> dict[str, Any]:
    data = as_data(decision)
    kept = {key: data[key] for key in ("pending", "findings", "revert_patch", "commands")}
    return {**radar.row(decision), **kept, "addresses": addresses(service) if service is not None else []}
