# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ingress operator reads of its cluster besides IngressControllers: version, platform, domains, zones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.config import infra_of, version_of
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import (
    Profile,
    UnsupportedVersion,
    profile_for,
)

from ..apiserver.api import Api, ApiError, Obj

INGRESSCONTROLLERS = "ingresscontrollers.operator.openshift.io"
DNSRECORDS = "dnsrecords.ingress.operator.openshift.io"
DEPLOYMENTS = "deployments.apps"
CLUSTERVERSIONS = "clusterversions.config.openshift.io"
INFRASTRUCTURES = "infrastructures.config.openshift.io"
DNSES = "dnses.config.openshift.io"
INGRESSES = "ingresses.config.openshift.io"
CLUSTEROPERATORS = "clusteroperators.config.openshift.io"
NEWEST = "4.23"  # for a cluster that does not say its version


@dataclass(frozen=True)
class Config:
    profile: Profile
    infra: Infra
    zones: tuple[Obj, ...]


@cache
def profile_of(version: str) -> Profile:
    """A cluster may say any version, to see what a tool makes of it; behind an unknown one is the newest operator."""
    try:
        profile: Profile = profile_for(version)
    except UnsupportedVersion:
        profile = profile_for(NEWEST)
    return profile


def operator_version(cluster_version: Obj | None) -> str:
    version, _upgrading = version_of(cluster_version)
    return version or NEWEST


def read(api: Api) -> Config:
    dns = found(api, DNSES, None, "cluster")
    zones = (dig(dns, "spec", key) for key in ("privateZone", "publicZone"))
    return Config(
        profile_of(operator_version(found(api, CLUSTERVERSIONS, None, "version"))),
        infra_of(found(api, INFRASTRUCTURES, None, "cluster"), dns, found(api, INGRESSES, None, "cluster")),
        tuple(zone for zone in zones if zone),
    )


def found(api: Api, resource: str, namespace: str | None, name: str) -> Obj | None:
    """The object, None where there is none."""
    try:
        return api.get(resource, namespace, name)
    except ApiError as error:
        if error.status != 404:
            raise
        return None


def upgrade(api: Api, version: str) -> None:
    """The cluster finishes an upgrade: from now on the operator of `version` is at work."""
    history = dig(api.get(CLUSTERVERSIONS, None, "version"), "status", "history") or []
    entry = {**(history[0] if history else {}), "state": "Completed", "version": version}
    change = {"desired": {"version": version}, "history": [entry, *history]}
    api.patch(CLUSTERVERSIONS, None, "version", {"status": change}, subresource="status")
