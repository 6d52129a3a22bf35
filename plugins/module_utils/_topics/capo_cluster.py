# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The management cluster's side of a CAPO target: objects read, the record written (CAPO-6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .._core.capo import shapes
from .._core.capo.observed import ClusterFacts, Machine, OtherCluster, Record
from .._core.capo.record import CLUSTERS, LIST_FIELD, MAP_MIRROR
from .._core.data import Json, dig
from .._core.model import Step
from .._ports.errors import Forbidden, Misconfigured, NoSuchApi
from .._ports.kube import Kube, Object

CAPI, INFRASTRUCTURE = "cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io"
VERSIONS = ("v1beta2", "v1beta1")  # newest first
_CRDS = "customresourcedefinitions.apiextensions.k8s.io"
_LABEL = "cluster.x-k8s.io/cluster-name"
_CONTROL_PLANE = "cluster.x-k8s.io/control-plane"
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Found:
    """What the management cluster says of one CAPI cluster."""

    facts: ClusterFacts | None = None
    wishes: Mapping[str, Any] = field(default_factory=dict)
    machines: tuple[Machine, ...] = ()
    record: Record = field(default_factory=Record)
    others: tuple[OtherCluster, ...] = ()


class ManagementCluster:
    def __init__(self, kube: Kube, params: Mapping[str, Any]) -> None:
        self._kube = kube
        self._params = params
        self._versions: dict[str, str] = {}
        self._has_list: bool | None = None
        self.object: Object | None = None  # the OpenStackCluster, for events and owner references

    def look(self, alone: bool) -> Found:
        """Six requests, whatever the number of machines. `alone`: other clusters' names do not matter."""
        cluster = self._served(CAPI, lambda version: self._get("clusters", version, CAPI, self._params["cluster"]))
        name = self._params.get("openstack_cluster") or dig(cluster, "spec", "infrastructureRef", "name")
        self._know_api()
        found = self._openstack_cluster(name or self._params["cluster"])
        self.object = found
        if found is None:
            if self._params["state"] == "absent":
                return Found(record=self._config_map(name or self._params["cluster"]))
            raise self._missing(name or self._params["cluster"])
        facts = shapes.read_cluster(found, paused=bool(dig(cluster, "spec", "paused")))
        record = shapes.read_record(found, bool(self._has_list))
        if record.kind == "none":
            record = self._config_map(facts.name)
        others = () if alone else self._others(facts.uid)
        return Found(facts, shapes.read_wishes(found), self._machines(facts), record, others)

    def _missing(self, name: str) -> Misconfigured:
        where = f"{self._params['namespace']}/{name}"
        return Misconfigured(
            f"{self._kube.host} has no OpenStackCluster {where}.",
            "Check namespace, cluster and the context, or say management_cluster: false and give all as options.",
        )

    # -- reading ------------------------------------------------------------------------------------------------------

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
            f"{self._kube.host} serves no {group} API ({', '.join(VERSIONS)}), so it is no CAPO management cluster.",
            "Use the management cluster's kubeconfig, or say management_cluster: false.",
        )

    def _get(self, plural: str, version: str, group: str, name: str) -> Object | None:
        return self._kube.get(f"{plural}.{version}.{group}", self._params["namespace"], name)

    def _know_api(self) -> None:
        """Served versions and status fields, from the definition where that may be read; else by trying."""
        if self._has_list is not None:
            return
        try:
            definition = self._kube.get(_CRDS, "", CLUSTERS)
        except Forbidden:
            definition = None
        served = {one["name"]: one for one in dig(definition, "spec", "versions") or () if one.get("served")}
        path = ("schema", "openAPIV3Schema", "properties", "status", "properties", LIST_FIELD)
        listing = [version for version in VERSIONS if dig(served.get(version), *path) is not None]
        self._has_list = bool(listing)
        best = listing or [version for version in VERSIONS if version in served]
        if best:
            self._versions[INFRASTRUCTURE] = best[0]

    def _openstack_cluster(self, name: str) -> Object | None:
        return self._served(
            INFRASTRUCTURE, lambda version: self._get("openstackclusters", version, INFRASTRUCTURE, name)
        )

    def _machines(self, facts: ClusterFacts) -> tuple[Machine, ...]:
        if self._params.get("machines") is not None:
            return ()
        mine = f"{_LABEL}={self._params['cluster']}"
        machines = self._list("machines", CAPI, f"{mine},{_CONTROL_PLANE}")
        return shapes.read_machines(machines, self._list("openstackmachines", INFRASTRUCTURE, mine), facts)

    def _list(self, plural: str, group: str, selector: str) -> list[Object]:
        resource = f"{plural}.{self._versions[group]}.{group}"
        return self._kube.list(resource, self._params["namespace"], label_selector=selector)

    def _others(self, uid: str) -> tuple[OtherCluster, ...]:
        """All clusters there; where only one namespace may be read, those in it."""
        resource = f"openstackclusters.{self._versions[INFRASTRUCTURE]}.{INFRASTRUCTURE}"
        try:
            listed = self._kube.list(resource)
        except Forbidden:
            listed = self._kube.list(resource, self._params["namespace"])
        return tuple(_other(one) for one in listed if one["metadata"]["uid"] != uid)

    def _config_map(self, name: str) -> Record:
        record_name = f"{name}-api-load-balancers"
        found = self._kube.get("configmaps", self._params["namespace"], record_name)
        if found is None:
            return Record("config_map", record_name)
        data = found.get("data") or {}
        meta = found["metadata"]
        entries, mirror = _parsed(data.get(LIST_FIELD)) or (), _parsed(data.get(MAP_MIRROR))
        return Record("config_map", record_name, True, meta["uid"], meta["resourceVersion"], entries, mirror)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write_record(self, step: Step, body: Any) -> None:
        """`body` with every reference resolved."""
        resource, content = step.resource, body
        if resource == CLUSTERS:
            resource = f"openstackclusters.{self._versions[INFRASTRUCTURE]}.{INFRASTRUCTURE}/status"
        elif content is not None:
            data = {key: json.dumps(value, sort_keys=True) for key, value in content["data"].items()}
            content = {"data": data} | ({"metadata": self._belonging()} if step.verb == "create" else {})
        self._kube.do(
            Step(
                "kube",
                step.verb,
                resource,
                step.name,
                step.namespace,
                body=content,
                uid=step.uid,
                resource_version=step.resource_version,
            )
        )

    def _belonging(self) -> dict[str, Any]:
        """The record goes when the OpenStackCluster goes."""
        labels = {"app.kubernetes.io/managed-by": "edgeworks.lb_estate", _LABEL: self._params["cluster"]}
        if self.object is None:
            return {"labels": labels}
        meta = self.object["metadata"]
        owner = {key: self.object[key] for key in ("apiVersion", "kind")}
        return {"labels": labels, "ownerReferences": [owner | {key: meta[key] for key in ("name", "uid")}]}


def _other(found: Object) -> OtherCluster:
    """CAPO names things after the owning Cluster, not after the OpenStackCluster (facts: capo §2)."""
    meta = found["metadata"]
    owners = [one["name"] for one in meta.get("ownerReferences") or () if one.get("kind") == "Cluster"]
    name = next(iter(owners), None) or (meta.get("labels") or {}).get(_LABEL) or meta["name"]
    facts = shapes.read_cluster(found)
    zones = [one.zone for one in shapes.read_wishes(found).get("zones", ())]
    zones += [str(one.get("availabilityZone")) for one in dig(found, "status", LIST_FIELD) or ()]
    return OtherCluster(facts.namespace, name, tuple(dict.fromkeys(zones)), facts.managed_lb_enabled)


def _parsed(text: str | None) -> Json:
    """A record that somebody has spoilt is as good as none; it is written anew."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None
