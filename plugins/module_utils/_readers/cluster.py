# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every target needs to know of its cluster: platform and version (two requests, none when both are given)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._core.data import Json, dig
from .._core.operator.config import infra_of, version_of
from .._core.operator.names import AWS_TAGS, Infra
from .._core.profiles import Profile, UnsupportedVersion, profile_for
from .._ports.errors import Misconfigured, NoSuchApi
from .._ports.reading import Cluster


@dataclass(frozen=True)
class Given:
    """What the task says of its cluster instead of having it read. `name`: the inventory's name for it."""

    platform: str = ""
    version: str = ""
    name: str = ""

    @classmethod
    def by(cls, options: Mapping[str, Any]) -> Given:
        return cls(*(str(options.get(option) or "") for option in ("platform", "version", "cluster")))


@dataclass(frozen=True)
class ClusterFacts:
    profile: Profile
    infra: Infra
    upgrading: bool = False

    def beside(self, service: Json) -> ClusterFacts:
        """The cluster's resource tags were not read, so those on the Service stand in: no change is made up."""
        value = (dig(service, "metadata", "annotations") or {}).get(AWS_TAGS, "")
        pairs = (part.partition("=") for part in value.split(",") if part)
        tags = tuple((key, item) for key, _sign, item in pairs)
        return replace(self, infra=replace(self.infra, resource_tags=tags))


def read_cluster(cluster: Cluster, given: Given) -> ClusterFacts:
    """From the options where given, else from Infrastructure and ClusterVersion."""
    version, upgrading = given.version, False
    infra = read_infra(cluster, given)
    if not version:
        version, upgrading = version_of(_required(cluster, "clusterversions.config.openshift.io", "version", "version"))
    try:
        return ClusterFacts(profile_for(version), infra, upgrading)
    except UnsupportedVersion as problem:
        raise Misconfigured(f"version: {problem}.", "Give the cluster's OpenShift version, or leave it out.") from None


def confirmed(cluster: Cluster, given: Given) -> Given:
    """What the options claim is compared with what the cluster says; Misconfigured where they differ."""
    facts = read_cluster(cluster, Given())
    claimed, said = given.version.removeprefix("v").split(".")[:2], facts.profile.version.split(".")[:2]
    wrong = []
    if given.platform and given.platform != facts.infra.platform:
        wrong.append(f"platform: {given.platform} was given, and the cluster says {facts.infra.platform}")
    if given.version and claimed != said:
        wrong.append(f"version: {given.version} was given, and the cluster says {facts.profile.version}")
    if wrong:
        raise Misconfigured(f"{'; '.join(wrong)}.", "Correct it or leave it out: before a write it is read anyway.")
    return Given(name=given.name)


def read_infra(cluster: Cluster, given: Given) -> Infra:
    """The place alone, for targets that no operator version bears on."""
    if given.platform:
        return Infra(given.platform)
    return infra_of(_required(cluster, "infrastructures.config.openshift.io", "cluster", "platform"))


def told_platform(cluster: Cluster) -> str:
    """'' where the cluster is none that tells."""
    try:
        return read_infra(cluster, Given()).platform
    except Misconfigured:
        return ""


def _required(cluster: Cluster, resource: str, name: str, option: str) -> Json:
    try:
        found = cluster.get(resource, "", name)
    except NoSuchApi:
        found = None
    if found is None:
        raise Misconfigured(
            f"{cluster.host} has no {resource} {name!r}, so it is no OpenShift cluster that tells its {option}.",
            f"Give {option} in the task.",
        )
    return found
