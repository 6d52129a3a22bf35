# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One plain Service, and the manifest that a stopped run may have kept of it (SCO-7)."""

from __future__ import annotations

from dataclasses import replace

from .._core.service.kept import KEPT, kept_name
from .._core.service.state import ObservedService
from .._ports.errors import Forbidden
from .._ports.lease import WALL_CLOCK, Watch, read_holder
from .._ports.reading import Cluster, Object, Objects
from .cluster import Given, read_infra
from .events import read_events

SLICES = "endpointslices.discovery.k8s.io"


def read_service(
    cluster: Cluster,
    given: Given,
    namespace: str,
    name: str,
    known: ObservedService | None = None,
    watch: Watch = WALL_CLOCK,
) -> ObservedService:
    """Three requests; two with what is `known` of the cluster."""
    service = cluster.get("services", namespace, name)
    kept = cluster.get("configmaps", namespace, kept_name(name))
    if known is not None:
        return _with_events(cluster, replace(known, service=service, kept=kept))
    observed = ObservedService(read_infra(cluster, given), namespace, name, service, kept, given.name)
    if kept is not None:
        observed = replace(observed, holder=read_holder(cluster, observed.target, watch))
    return _with_events(cluster, observed)


def _with_events(cluster: Cluster, observed: ObservedService) -> ObservedService:
    """One request more where it does not serve."""
    looked = observed.service is not None and observed.silent
    told = read_events(cluster, observed.namespace, observed.name) if looked else ()
    return replace(observed, now=cluster.now(), events=told)


def read_kept(cluster: Cluster) -> tuple[Object, ...] | None:
    """The manifests that runs of ours have kept, anywhere in the cluster; None where that may not be read."""
    try:
        return tuple(cluster.list("configmaps", label_selector=KEPT))
    except Forbidden:
        return None


def read_slices(cluster: Cluster, namespace: str, name: str) -> Objects:
    """The EndpointSlices of one Service."""
    return cluster.list(SLICES, namespace, label_selector=f"kubernetes.io/service-name={name}")
