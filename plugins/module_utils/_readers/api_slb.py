# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API's load balancers: three Services, their endpoints, and what the cluster says of its API (API-3, API-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._core.api_slb.config import ApiConfig, config_of
from .._core.api_slb.names import SLBS, Slb, target
from .._core.api_slb.readiness import endpoints_of
from .._core.api_slb.state import ObservedApi, observed_service
from .._core.data import Json, dig
from .._core.operator.config import infra_of, version_of
from .._core.operator.names import Infra
from .._core.platforms import AWS
from .._core.service.kept import kept_name
from .._core.service.state import ObservedService
from .._core.serving import silent
from .._ports.errors import Forbidden, Misconfigured, NoSuchApi, missing_library
from .._ports.lease import WALL_CLOCK, Watch, read_holder
from .._ports.reading import Cluster
from .cluster import Given, read_infra
from .events import read_events
from .service import read_slices

_INSTALL_CONFIG = ("kube-system", "cluster-config-v1", "install-config")


def read_api(
    cluster: Cluster, given: Given, known: ObservedApi | None = None, watch: Watch = WALL_CLOCK
) -> ObservedApi:
    """`known`: what was read of the cluster before; its Services are read anew."""
    infra, config, version = (known.infra, known.config, known.version) if known else _about(cluster, given)
    services = {slb.role: _service(cluster, slb, infra, given.name) for slb in SLBS}
    there = [slb for slb in SLBS if services[slb.role].service is not None]
    endpoints = {slb.role: read_endpoints(cluster, slb.namespace, slb.name) for slb in there}
    busy = any(seen.kept is not None for seen in services.values())
    # Asked once: later on it may be this very run.
    asked = read_holder(cluster, target(given.name), watch) if busy and known is None else None
    holder = known.holder if known else asked
    return ObservedApi(infra, config, services, endpoints, version, given.name, holder)


def _about(cluster: Cluster, given: Given) -> tuple[Infra, ApiConfig, str]:
    infrastructure = _maybe(cluster, "infrastructures.config.openshift.io", "cluster")
    infra = infra_of(infrastructure) if infrastructure is not None else read_infra(cluster, given)
    if given.platform and given.platform != infra.platform:
        what = f"platform: {given.platform} was given, and the cluster says {infra.platform}."
        raise Misconfigured(what, "Correct it or leave it out.")
    version = given.version
    if not version and infra.platform == AWS:  # only there it says what the cloud controller reads
        version = version_of(_maybe(cluster, "clusterversions.config.openshift.io", "version"))[0]
    return infra, config_of(infrastructure, read_install_config(cluster)), version


def _maybe(cluster: Cluster, resource: str, name: str) -> Json:
    try:
        return cluster.get(resource, "", name)
    except NoSuchApi:
        return None


def read_install_config(cluster: Cluster) -> Mapping[str, Any] | None:
    """None where there is none, or it may not be read, or it is no mapping."""
    namespace, name, key = _INSTALL_CONFIG
    try:
        text = dig(cluster.get("configmaps", namespace, name), "data", key)
    except Forbidden:
        return None
    if not text:
        return None
    try:
        import yaml
    except ImportError as error:
        raise missing_library("PyYAML", "reading install-config") from error
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _service(cluster: Cluster, slb: Slb, infra: Infra, name: str) -> ObservedService:
    seen = observed_service(
        slb,
        infra,
        service=cluster.get("services", slb.namespace, slb.name),
        kept=cluster.get("configmaps", slb.namespace, kept_name(slb.name)),
        cluster=name,
        now=cluster.now(),
    )
    looked = seen.service is not None and silent(seen.service)
    return replace(seen, events=read_events(cluster, slb.namespace, slb.name) if looked else ())


def read_endpoints(cluster: Cluster, namespace: str, name: str) -> tuple[str, ...]:
    """Ready addresses behind a Service."""
    return endpoints_of(read_slices(cluster, namespace, name))
