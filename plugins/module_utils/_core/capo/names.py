# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and owner's marks of the objects that make up an API-server load balancer (CAPO-3, facts: capo §2).

Names are derived, never parsed: `-` joins make them ambiguous. Who owns a load balancer is told by its marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NAME_LIMIT = 255  # Octavia's length of any name, description or tag
RETIRING = "-retiring"
CAPO_MAKER = "Created by cluster-api-provider-openstack cluster "
OUR_MAKER = "Created by edgeworks.lb_estate cluster "
CLUSTER_TAG = "lb-estate/cluster="
ZONE_TAG = "lb-estate/az="


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
class Identity:
    """One CAPI Cluster, with the names and marks that follow from it."""

    namespace: str
    cluster: str

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
    def cluster_tag(self) -> str:
        return f"{CLUSTER_TAG}{self.namespace}/{self.cluster}"

    def tags(self, zone: str) -> tuple[str, ...]:
        """The marks of a zone's load balancer; of the single one when there is no zone."""
        return (self.cluster_tag, ZONE_TAG + zone) if zone else (self.cluster_tag,)

    def description(self, zone: str) -> str:
        """Namespaces and cluster names hold neither `/` nor spaces, so this one is not ambiguous."""
        return f"{self._maker}{zone}"

    @property
    def _maker(self) -> str:
        return f"{OUR_MAKER}{self.namespace}/{self.cluster} az "

    def zone_of_description(self, description: str) -> str | None:
        """The zone in a description that we wrote for this cluster; None for any other text."""
        return description.removeprefix(self._maker) if description.startswith(self._maker) else None


def zone_of_tags(tags: Iterable[str]) -> str | None:
    return next((tag.removeprefix(ZONE_TAG) for tag in tags if tag.startswith(ZONE_TAG)), None)


def is_mark(tag: str) -> bool:
    return tag.startswith((CLUSTER_TAG, ZONE_TAG))


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
