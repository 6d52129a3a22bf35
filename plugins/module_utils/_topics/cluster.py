# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every topic reads of a cluster: platform and version (two requests, none when both are given)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._core.frozen import Json, dig
from .._core.operator.names import AWS_TAGS, Infra
from .._core.profiles import Profile, UnsupportedVersion, profile_for
from .._ports.errors import Misconfigured, NoSuchApi
from .._ports.kube import Kube


@dataclass(frozen=True)
class ClusterFacts:
    profile: Profile
    infra: Infra
    name: str = ""  # infrastructureName: the tag of everything the cluster owns in its cloud
    upgrading: bool = False
    region: str = ""


def read_cluster(kube: Kube, params: Mapping[str, Any], service: Json = None) -> ClusterFacts:
    """From the options where given, else from Infrastructure and ClusterVersion."""
    platform, version = params.get("platform"), params.get("version")
    infrastructure: Json = {}
    upgrading = False
    if not platform:
        infrastructure = _required(kube, "infrastructures.config.openshift.io", "cluster", "platform")
        platform = _platform_of(infrastructure)
    if not version:
        found = _required(kube, "clusterversions.config.openshift.io", "version", "version")
        version, upgrading = _version(found)
    try:
        profile = profile_for(str(version or ""))
    except UnsupportedVersion as problem:
        raise Misconfigured(f"version: {problem}.", "Give the cluster's OpenShift version, or leave it out.") from None
    return ClusterFacts(
        profile,
        Infra(
            str(platform),
            resource_tags=_tags(infrastructure, service),
            ip_family=str(dig(infrastructure, "status", "platformStatus", "aws", "ipFamily") or ""),
        ),
        str(dig(infrastructure, "status", "infrastructureName") or ""),
        upgrading,
        str(dig(infrastructure, "status", "platformStatus", "aws", "region") or ""),
    )


def read_platform(kube: Kube, params: Mapping[str, Any]) -> str:
    """The platform alone, for targets that no operator version bears on."""
    given = params.get("platform")
    if given:
        return str(given)
    found = _required(kube, "infrastructures.config.openshift.io", "cluster", "platform")
    return _platform_of(found)


def _platform_of(infrastructure: Json) -> str:
    return str(
        dig(infrastructure, "status", "platformStatus", "type") or dig(infrastructure, "status", "platform") or ""
    )


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


def _version(cluster_version: Json) -> tuple[str, bool]:
    """The version whose operator runs: the newest completed one. During an upgrade that is a guess, and is said."""
    history = dig(cluster_version, "status", "history") or []
    completed = [entry["version"] for entry in history if entry.get("state") == "Completed"]
    desired = dig(cluster_version, "status", "desired", "version") or ""
    version = completed[0] if completed else desired
    return str(version), bool(completed) and version != desired


def _tags(infrastructure: Json, service: Json) -> tuple[tuple[str, str], ...]:
    """The cluster's resource tags; unread, those already on the Service stand in, so that no change is made up."""
    if infrastructure:
        tags = dig(infrastructure, "status", "platformStatus", "aws", "resourceTags") or []
        return tuple((tag.get("key", ""), tag.get("value", "")) for tag in tags)
    value = (dig(service, "metadata", "annotations") or {}).get(AWS_TAGS, "")
    return tuple((part.partition("=")[0], part.partition("=")[2]) for part in value.split(",") if part)
