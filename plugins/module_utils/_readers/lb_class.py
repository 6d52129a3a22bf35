# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One Service with the one beside it, and the evidence for somebody watching a class (CLS-3, CLS-4, CLS-6)."""

from __future__ import annotations

from dataclasses import fields, replace

from .._core.lb_class.state import SIDE_BY_SIDE, ObservedClass, WantedClass, class_of, successor_name
from .._core.lb_class.watched import LOOKED_AT, ClassQuestion, Evidence, Probe, evidence
from .._core.service.state import ObservedService
from .._core.serving import ready_endpoints
from .._ports.errors import Forbidden, Invalid, NoSuchApi
from .._ports.kube import Kube
from .._ports.lease import WALL_CLOCK, Watch
from .._ports.reading import Cluster, Objects
from .cluster import Given
from .service import read_service, read_slices


def read_class(
    cluster: Cluster,
    given: Given,
    place: tuple[str, str],
    wanted: WantedClass,
    known: ObservedClass | None = None,
    watch: Watch = WALL_CLOCK,
) -> ObservedClass:
    """As a plain Service; two requests more where there may be a second one beside it."""
    observed = _as_class(read_service(cluster, given, *place, known, watch))
    gone = observed.service is None and observed.kept is None
    if wanted.way != SIDE_BY_SIDE and not gone:
        return replace(observed, successor=None, endpoints=None)
    namespace, name = place[0], successor_name(place[1], wanted.suffix)
    successor = cluster.get("services", namespace, name)
    behind = read_endpoints(cluster, namespace, name) if successor is not None else None
    return replace(observed, successor=successor, endpoints=behind)


def _as_class(found: ObservedService) -> ObservedClass:
    if isinstance(found, ObservedClass):
        return found
    return ObservedClass(**{entry.name: getattr(found, entry.name) for entry in fields(found)})


def read_endpoints(cluster: Cluster, namespace: str, name: str) -> int | None:
    """Ready ones behind a Service; None where that may not be read."""
    try:
        return len(ready_endpoints(read_slices(cluster, namespace, name)))
    except Forbidden:
        return None


def read_evidence(kube: Kube, question: ClassQuestion) -> Evidence:
    """Five lists and one rehearsed creation: only where a change is about to begin."""
    found = {resource: _listed(kube, resource) for resource in LOOKED_AT}
    return evidence(question, found, _probe(kube, question))


def _listed(cluster: Cluster, resource: str) -> Objects | None:
    try:
        return cluster.list(resource)
    except Forbidden:
        return None
    except NoSuchApi:
        return []


def _probe(kube: Kube, question: ClassQuestion) -> Probe:
    try:
        return Probe(class_of(kube.rehearse("services", question.rehearsed)))
    except (Forbidden, Invalid) as problem:
        return Probe(refused=problem.message)
