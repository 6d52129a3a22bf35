# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every topic reads of a cluster: platform and version (two requests, none when both are given)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._core.data import Json, dig
from .._core.operator.config import infra_of, version_of
from .._core.operator.names import AWS_TAGS, Infra
from .._core.profiles import Profile, UnsupportedVersion, profile_for
from .._ports.errors import Misconfigured, NoSuchApi
from .._ports.kube import Kube


@dataclass(frozen=True)
class Site:
    """Where a cluster runs. `name`: infrastructureName, the tag of everything the cluster owns in its cloud."""

    platform: str
    name: str = ""
    region: str = ""


@dataclass(frozen=True)
class ClusterFacts:
    profile: Profile
    infra: Infra
    site: Site
    upgrading: bool = False


def read_cluster(kube: Kube, params: Mapping[str, Any], service: Json = None) -> ClusterFacts:
    """From the options where given, else from Infrastructure and ClusterVersion."""
    version, upgrading = params.get("version"), False
    infrastructure = None if params.get("platform") else _infrastructure(kube)
    if not version:
        version, upgrading = version_of(_required(kube, "clusterversions.config.openshift.io", "version", "version"))
    try:
        profile = profile_for(str(version))
    except UnsupportedVersion as problem:
        raise Misconfigured(f"version: {problem}.", "Give the cluster's OpenShift version, or leave it out.") from None
    if infrastructure is None:
        platform = str(params["platform"])
        return ClusterFacts(profile, Infra(platform, resource_tags=_tags_on(service)), Site(platform), upgrading)
    return ClusterFacts(profile, infra_of(infrastructure), _site(infrastructure), upgrading)


def read_site(kube: Kube, params: Mapping[str, Any]) -> Site:
    """The place alone, for targets that no operator version bears on."""
    given = params.get("platform")
    return Site(str(given)) if given else _site(_infrastructure(kube))


def _site(infrastructure: Json) -> Site:
    return Site(
        infra_of(infrastructure).platform,
        str(dig(infrastructure, "status", "infrastructureName") or ""),
        str(dig(infrastructure, "status", "platformStatus", "aws", "region") or ""),
    )


def _infrastructure(kube: Kube) -> Json:
    return _required(kube, "infrastructures.config.openshift.io", "cluster", "platform")


def _required(kube: Kube, resource: str, name: str, option: str) -> Json:
    try:
        found = kube.get(resource, "", name)
    except NoSuchApi:
        found = None
    if found is None:
        raise Misconfigured(
            f"{kube.host} has no {resource} {name!r}, so it is no OpenShift cluster that tells its {option}.",
            f"Give {option} in the task.",
        )
    return found


def _tags_on(service: Json) -> tuple[tuple[str, str], ...]:
    """Where the cluster's resource tags are not read, those on the Service stand in: no change is made up."""
    value = (dig(service, "metadata", "annotations") or {}).get(AWS_TAGS, "")
    return tuple((part.partition("=")[0], part.partition("=")[2]) for part in value.split(",") if part)
