# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that bears a load balancer in one cluster (lb_info, and whoever wants an overview)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._core import radar
from .._core.aws.in_force import leaked, unused
from .._core.data import dig
from .._core.ingress.effectuate import IC_RESOURCE
from .._core.ingress.state import Observed
from .._core.model import Decision, as_data
from .._core.operator import names
from .._core.waits import addresses
from .._ports.errors import NoSuchApi
from .._ports.reading import Cluster, Object, Objects
from .aws import AwsReader
from .cluster import ClusterFacts, Given, read_cluster


@dataclass(frozen=True)
class Everything:
    """One cluster's IngressControllers, its Services of type LoadBalancer, and what events say of the silent ones."""

    facts: ClusterFacts
    controllers: tuple[Observed, ...]
    services: tuple[Object, ...]
    plain: tuple[Object, ...]  # of `services`, those that are nobody's router
    events: tuple[Object, ...] = ()


def read_everything(cluster: Cluster, given: Given) -> Everything:
    """Four requests, one more where a Service with a class has no address."""
    services = [item for item in cluster.list("services") if dig(item, "spec", "type") == "LoadBalancer"]
    facts = read_cluster(cluster, given)
    try:
        controllers = cluster.list(IC_RESOURCE, names.OPERATOR_NAMESPACE)
    except NoSuchApi:
        controllers = []
    plain = radar.plain_services(services, [ic["metadata"]["name"] for ic in controllers])
    silent = [item for item in plain if dig(item, "spec", "loadBalancerClass") and not addresses(item)]
    events = cluster.list("events", field_selector="involvedObject.kind=Service") if silent else []
    observed = [_observed(facts, given, ic, services) for ic in controllers]
    return Everything(facts, tuple(observed), tuple(services), tuple(plain), tuple(events))


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
    pairs += [(radar.service(facts.infra.platform, item, seen.events, given.name), item) for item in seen.plain]
    owned = survey.owned if survey is not None else ()
    return {
        "changed": False,
        "targets": [_shown(radar.compared(decision, service, survey), service) for decision, service in pairs],
        "leaked": [as_data(lb) for lb, _other_kind in unused(owned, seen.services)],
        "findings": [as_data(finding) for finding in (*findings, *leaked(owned, seen.services))],
        "platform": facts.infra.platform,
        "version": facts.profile.version,
        "profile": facts.profile.name,
    }


def _shown(decision: Decision, service: Object | None) -> dict[str, Any]:
    data = as_data(decision)
    kept = {key: data[key] for key in ("pending", "findings", "revert_patch", "commands")}
    return {**radar.row(decision), **kept, "addresses": addresses(service) if service is not None else []}
