# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and owner's marks of the objects that make up an API-server load balancer (CAPO-3, facts: capo §2).

Names are derived, never parsed: `-` joins make them ambiguous. Who owns a load balancer is told by its marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

NAME_LIMIT = 255  # Octavia's length of any name, description or tag
RETIRING = "-retiring"
CAPO_MAKER = "Created by cluster-api-provider-openstack cluster "
OUR_MAKER = "Created by edgeworks.lb_estate cluster "
# tags: whose it is …
CLUSTER_TAG = "lb-estate/cluster="
PROJECT_TAG = "lb-estate/project="
UID_TAG = "lb-estate/uid="
ZONE_TAG = "lb-estate/az="
# … and what one that was adopted was called before
FORMER_NAME_TAG = "lb-estate/was="
# a feature that its provider refused: it is not asked for again as long as the tag is there
LACKS_TAG = "lb-estate/lacks="
TAG = "lb-estate/"
# Namespaces and cluster names hold neither `/` nor spaces, ids no spaces, so this is not ambiguous.
_DESCRIPTION = re.compile(re.escape(OUR_MAKER) + r"([^/ ]+/[^/ ]+)(?: project (\S+))?(?: uid (\S+))? az (.*)")


def cluster_resource_name(namespace: str, cluster: str) -> str:
    """The CAPI Cluster's namespace and name, not the OpenStackCluster's."""
    return f"{namespace}-{cluster}"


def load_balancer_name(resource_name: str, zone: str = "") -> str:
    """S4's name of a zone's load balancer; without a zone the single one of shipped CAPO ("legacy")."""
    middle = f"{resource_name}-{zone}" if zone else resource_name
    return f"k8s-clusterapi-cluster-{middle}-kubeapi"


def port_name(load_balancer: str, port: int) -> str:
    """Listener, pool and monitor of one port share this name."""
    return f"{load_balancer}-{port}"


def member_name(load_balancer: str, port: int, machine: str) -> str:
    """Cut at Octavia's limit: members are matched by address and port, so a cut name harms nobody."""
    return f"{port_name(load_balancer, port)}-{machine}"[:NAME_LIMIT]


def retiring_name(load_balancer: str) -> str:
    """What a replaced load balancer is called while its clients move, so that the name is free for the new one."""
    return load_balancer + RETIRING


def capo_description(resource_name: str) -> str:
    return CAPO_MAKER + resource_name


@dataclass(frozen=True)
class Mark:
    """Whose something says it is. Empty: it does not say, as without a management cluster."""

    cluster: str  # namespace/name
    project: str = ""
    uid: str = ""
    zone: str = ""

    @property
    def description(self) -> str:
        project = f" project {self.project}" if self.project else ""
        uid = f" uid {self.uid}" if self.uid else ""
        return f"{OUR_MAKER}{self.cluster}{project}{uid} az {self.zone}"


def mark_of_description(text: str) -> Mark | None:
    """None where this collection did not make it."""
    found = _DESCRIPTION.fullmatch(text)
    return Mark(found[1], found[2] or "", found[3] or "", found[4]) if found else None


def mark_of_tags(tags: Iterable[str]) -> Mark | None:
    """None where this collection neither made nor adopted it."""
    said = {prefix: _said(tags, prefix) for prefix in (CLUSTER_TAG, PROJECT_TAG, UID_TAG, ZONE_TAG)}
    if said[CLUSTER_TAG] is None:
        return None
    return Mark(said[CLUSTER_TAG] or "", said[PROJECT_TAG] or "", said[UID_TAG] or "", said[ZONE_TAG] or "")


def _said(tags: Iterable[str], prefix: str) -> str | None:
    return next((tag.removeprefix(prefix) for tag in tags if tag.startswith(prefix)), None)


@dataclass(frozen=True)
class Identity:
    """One CAPI Cluster, with the names and marks that follow from it."""

    namespace: str
    cluster: str
    project: str = ""  # of the credentials
    uid: str = ""  # the OpenStackCluster's; empty where none was read
    former_uids: tuple[str, ...] = ()  # it had before: clusterctl move and a restore give it a new one

    @property
    def resource_name(self) -> str:
        return cluster_resource_name(self.namespace, self.cluster)

    @property
    def legacy(self) -> str:
        return load_balancer_name(self.resource_name)

    @property
    def prefix(self) -> str:
        """How every name below a load balancer of this cluster begins, whatever its zone is or was."""
        return self.legacy.removesuffix("kubeapi")

    def zone(self, zone: str) -> str:
        return load_balancer_name(self.resource_name, zone)

    @property
    def _names(self) -> str:
        return f"{self.namespace}/{self.cluster}"

    @property
    def cluster_tag(self) -> str:
        return CLUSTER_TAG + self._names

    def tags(self, zone: str) -> tuple[str, ...]:
        """The marks of a zone's load balancer; of the single one when there is no zone."""
        said = ((PROJECT_TAG, self.project), (UID_TAG, self.uid), (ZONE_TAG, zone))
        return (self.cluster_tag, *(prefix + text for prefix, text in said if text))

    def description(self, zone: str) -> str:
        return Mark(self._names, self.project, self.uid, zone).description

    def owns(self, mark: Mark | None) -> bool:
        """The same names, and neither another project nor another cluster of these names. What a mark does not say, or
        nobody knows here, speaks for nothing."""
        if mark is None or mark.cluster != self._names:
            return False
        uids = ("", self.uid, *self.former_uids)
        return mark.project in ("", self.project or mark.project) and (not self.uid or mark.uid in uids)

    def zone_of_description(self, description: str) -> str | None:
        """The zone in a description that we wrote for this cluster; None for any other text."""
        mark = mark_of_description(description)
        return mark.zone if mark is not None and self.owns(mark) else None

    def renewed(self, description: str) -> str:
        """A description that we wrote, with what is known now; any other as it is."""
        mark = mark_of_description(description)
        if mark is None or not self.owns(mark):
            return description
        return replace(mark, project=self.project or mark.project, uid=self.uid or mark.uid).description


def zone_of_tags(tags: Iterable[str]) -> str | None:
    return _said(tags, ZONE_TAG)


def is_mark(tag: str) -> bool:
    return tag.startswith(TAG)


def former_name(tags: Iterable[str]) -> str | None:
    """Of one that was adopted, where that was written down."""
    return _said(tags, FORMER_NAME_TAG)


@dataclass(frozen=True)
class NameClaim:
    """A name that some cluster's controller, or this collection on its behalf, would look up."""

    name: str
    namespace: str
    cluster: str
    zone: str = ""


def claims(namespace: str, cluster: str, zones: Iterable[str] = (), single: bool = True) -> tuple[NameClaim, ...]:
    """Every load balancer name one cluster lays claim to."""
    identity = Identity(namespace, cluster)
    named = [NameClaim(identity.zone(zone), namespace, cluster, zone) for zone in zones]
    if single:
        named.append(NameClaim(identity.legacy, namespace, cluster))
    return tuple(named)


def collisions(ours: Iterable[NameClaim], others: Iterable[NameClaim]) -> tuple[tuple[NameClaim, NameClaim], ...]:
    """Pairs of claims to one name by different clusters: `foo` + `az1` against cluster `foo-az1` (facts: capo §2)."""
    by_name = {claim.name: claim for claim in ours}
    return tuple(
        (by_name[other.name], other)
        for other in others
        if other.name in by_name
        and (by_name[other.name].namespace, by_name[other.name].cluster) != (other.namespace, other.cluster)
    )
