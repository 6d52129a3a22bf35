# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the management cluster says of one CAPO cluster, and the record that is kept there (CAPO-1, CAPO-6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .._core.capo import shapes
from .._core.capo.record import LIST_FIELD, MAP_MIRROR
from .._core.capo.state import CAPI, CLUSTER_LABEL, INFRASTRUCTURE, Machine, OpenStackCluster, OtherCluster, Record
from .._core.data import Json, dig
from .._ports.errors import Forbidden, Misconfigured, NoSuchApi
from .._ports.reading import Cluster, Object, Objects

VERSIONS = ("v1beta2", "v1beta1")  # newest first
_CRDS = "customresourcedefinitions.apiextensions.k8s.io"
_CONTROL_PLANE = f"{CAPI}/control-plane"
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Found:
    """What there is. `wishes`: the fields of CapoDesired that the OpenStackCluster itself names."""

    cluster: OpenStackCluster | None = None
    wishes: Mapping[str, Any] = field(default_factory=dict)
    machines: tuple[Machine, ...] = ()
    record: Record = field(default_factory=Record)
    others: tuple[OtherCluster, ...] = ()


class ManagementCluster:
    """`name`: the CAPI Cluster's; `infrastructure`: the OpenStackCluster's, where that is not the Cluster's to say."""

    def __init__(self, cluster: Cluster, namespace: str, name: str, infrastructure: str = "") -> None:
        self._cluster, self._namespace, self._name = cluster, namespace, name
        self._infrastructure = infrastructure
        self._versions: dict[str, str] = {}
        self._has_list: bool | None = None

    def read(self, *, required: bool, machines: bool, others: bool) -> Found:
        """Six requests, whatever the number of machines. `required`: without an OpenStackCluster there is nothing to
        decide on. `machines`, `others`: are they wanted?"""
        owner = self._served(CAPI, lambda version: self._get("clusters", version, CAPI, self._name))
        name = self._infrastructure or dig(owner, "spec", "infrastructureRef", "name") or self._name
        self._know_api()
        found = self._served(
            INFRASTRUCTURE, lambda version: self._get("openstackclusters", version, INFRASTRUCTURE, name)
        )
        if found is None:
            if required:
                raise self._missing(name)
            return Found(record=self._config_map(name))
        cluster = shapes.read_cluster(found, paused=bool(dig(owner, "spec", "paused")))
        record = shapes.read_record(found, bool(self._has_list))
        return Found(
            cluster,
            shapes.read_wishes(found),
            self._machines(cluster) if machines else (),
            self._config_map(cluster.name) if record.kind == "none" else record,
            self._others(cluster.uid) if others else (),
        )

    def _missing(self, name: str) -> Misconfigured:
        return Misconfigured(
            f"{self._cluster.host} has no OpenStackCluster {self._namespace}/{name}.",
            "Check namespace, cluster and the context, or say management_cluster: false and give all as options.",
        )

    def _served(self, group: str, read: Callable[[str], _Read]) -> _Read:
        """Read with the version that the server has, found out once."""
        if group in self._versions:
            return read(self._versions[group])
        for version in VERSIONS:
            try:
                found = read(version)
            except NoSuchApi:
                continue
            self._versions[group] = version
            return found
        raise Misconfigured(
            f"{self._cluster.host} serves no {group} API ({', '.join(VERSIONS)}), so it is no CAPO management cluster.",
            "Use the management cluster's kubeconfig, or say management_cluster: false.",
        )

    def _get(self, plural: str, version: str, group: str, name: str) -> Object | None:
        return self._cluster.get(f"{plural}.{version}.{group}", self._namespace, name)

    def _know_api(self) -> None:
        """Served versions and status fields, from the definition where that may be read; else by trying."""
        if self._has_list is not None:
            return
        try:
            definition = self._cluster.get(_CRDS, "", f"openstackclusters.{INFRASTRUCTURE}")
        except Forbidden:
            definition = None
        served = {one["name"]: one for one in dig(definition, "spec", "versions") or () if one.get("served")}
        path = ("schema", "openAPIV3Schema", "properties", "status", "properties", LIST_FIELD)
        listing = [version for version in VERSIONS if dig(served.get(version), *path) is not None]
        self._has_list = bool(listing)
        best = listing or [version for version in VERSIONS if version in served]
        if best:
            self._versions[INFRASTRUCTURE] = best[0]

    def _machines(self, cluster: OpenStackCluster) -> tuple[Machine, ...]:
        mine = f"{CLUSTER_LABEL}={self._name}"
        machines = self._list("machines", CAPI, f"{mine},{_CONTROL_PLANE}")
        return shapes.read_machines(machines, self._list("openstackmachines", INFRASTRUCTURE, mine), cluster)

    def _list(self, plural: str, group: str, selector: str) -> Objects:
        resource = f"{plural}.{self._versions[group]}.{group}"
        return self._cluster.list(resource, self._namespace, label_selector=selector)

    def _others(self, uid: str) -> tuple[OtherCluster, ...]:
        """All clusters there; where only one namespace may be read, those in it."""
        resource = f"openstackclusters.{self._versions[INFRASTRUCTURE]}.{INFRASTRUCTURE}"
        try:
            listed = self._cluster.list(resource)
        except Forbidden:
            listed = self._cluster.list(resource, self._namespace)
        return tuple(_other(one) for one in listed if one["metadata"]["uid"] != uid)

    def _config_map(self, name: str) -> Record:
        record_name = f"{name}-api-load-balancers"
        found = self._cluster.get("configmaps", self._namespace, record_name)
        if found is None:
            return Record("config_map", record_name)
        data = found.get("data") or {}
        meta = found["metadata"]
        entries, mirror = shapes.read_entries(_parsed(data.get(LIST_FIELD))), _parsed(data.get(MAP_MIRROR))
        mirror = mirror if isinstance(mirror, dict) else None
        return Record("config_map", record_name, True, meta["uid"], meta["resourceVersion"], entries, mirror)


def _other(found: Object) -> OtherCluster:
    """CAPO names things after the owning Cluster, not after the OpenStackCluster (facts: capo §2)."""
    meta = found["metadata"]
    owners = [one.get("name") for one in meta.get("ownerReferences") or () if one.get("kind") == "Cluster"]
    name = next(iter(owners), None) or (meta.get("labels") or {}).get(CLUSTER_LABEL) or meta["name"]
    cluster = shapes.read_cluster(found)
    zones = [one.zone for one in shapes.read_wishes(found).get("zones", ())]
    zones += [str(one.get("availabilityZone")) for one in shapes.read_entries(dig(found, "status", LIST_FIELD))]
    return OtherCluster(cluster.namespace, name, tuple(dict.fromkeys(zones)), cluster.managed_lb_enabled)


def _parsed(text: str | None) -> Json:
    """A record that somebody has spoilt is as good as none; it is written anew."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
