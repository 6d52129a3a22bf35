# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A management cluster in memory: what a reader asks for, and what a topic writes, is kept."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    AlreadyExists,
    Forbidden,
    NoSuchApi,
)

Object = dict[str, Any]
INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io"
PLAIN = ("configmaps", "events", "customresourcedefinitions.apiextensions.k8s.io")


def labelled(name: str, namespace: str = "capi", **more: Any) -> Object:
    return {"name": name, "namespace": namespace, "uid": f"uid-{name}", "resourceVersion": "7", **more}


class FakeCluster:
    """Objects by resource, as plural and group; versions are those that it serves. Reads it was asked for: `asked`."""

    host = "https://management.example.com"

    def __init__(self, version: str = "v1beta1", forbidden: tuple[str, ...] = ()) -> None:
        self.version = version
        self.forbidden = forbidden
        self.objects: dict[str, list[Object]] = {}
        self.asked: list[str] = []
        self.written: list[Step] = []

    def add(self, resource: str, found: Object) -> Object:
        self.objects.setdefault(resource, []).append(found)
        return found

    # -- reading ------------------------------------------------------------------------------------------------------

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        found = self._all(resource, f"get {resource} {name}")
        return next((one for one in found if _is_at(one, namespace) and one["metadata"]["name"] == name), None)

    def list(
        self, resource: str, namespace: str | None = None, *, label_selector: str = "", field_selector: str = ""
    ) -> list[Object]:
        found = self._all(resource, f"list {resource}" + (f" in {namespace}" if namespace else ""))
        wanted = [part.partition("=") for part in label_selector.split(",") if part]
        return [
            one
            for one in found
            if (namespace is None or _is_at(one, namespace))
            and all(one["metadata"].get("labels", {}).get(key) == value for key, _sign, value in wanted)
        ]

    def _all(self, resource: str, what: str) -> list[Object]:
        self.asked.append(what)
        if what in self.forbidden:
            raise Forbidden(f"No permission to {what}.")
        if resource in PLAIN:
            return self.objects.get(resource, [])
        plural, version, group = resource.split(".", 2)
        if version != self.version:
            raise NoSuchApi(f"No {resource}.")
        return self.objects.get(f"{plural}.{group}", [])

    # -- writing ------------------------------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        """What it makes of create and patch is as much as the next read needs."""
        self.written.append(step)
        if self.forbidden and f"{step.verb} {step.resource}" in self.forbidden:
            raise Forbidden(f"No permission to {step.verb} {step.resource}.")
        kept = self.objects.setdefault(step.resource, [])
        have = next((one for one in kept if one["metadata"]["name"] == step.name), None)
        if step.verb == "create":
            if have is not None:
                raise AlreadyExists(f"{step.ref} exists.")
            kept.append(plain(step.body) | {"metadata": labelled(step.name, step.namespace)})
        elif step.verb == "patch" and have is not None:
            have.update(merge_patch(have, step.body))


def _is_at(found: Object, namespace: str) -> bool:
    return bool(found["metadata"].get("namespace", "") == namespace)


def definition(*versions: str, listing: tuple[str, ...] = ()) -> Object:
    """The OpenStackCluster's CRD; `listing`: versions whose status has the list of load balancers."""
    fields = {"apiServerLoadBalancers": {"type": "array"}}
    return {
        "metadata": {"name": f"openstackclusters.{INFRASTRUCTURE}"},
        "spec": {
            "versions": [
                {"name": one, "served": True, "schema": {"openAPIV3Schema": _schema(fields if one in listing else {})}}
                for one in versions
            ]
        },
    }


def _schema(status: Object) -> Object:
    return {"properties": {"status": {"properties": status}}}


def management_cluster(version: str = "v1beta1", **more: Any) -> FakeCluster:
    """One CAPI cluster `prod`, its OpenStackCluster `prod-os`, one control-plane machine and one worker."""
    cluster = FakeCluster(version, **more)
    ref = {"kind": "OpenStackCluster", "name": "prod-os"}
    cluster.add("clusters.cluster.x-k8s.io", {"metadata": labelled("prod"), "spec": {"infrastructureRef": ref}})
    spec = {
        "controlPlaneEndpoint": {"host": "api.prod.example.com", "port": 6443},
        "apiServerLoadBalancer": {"enabled": False, "allowedCIDRs": ["10.0.0.0/8"]},
    }
    cluster.add(
        f"openstackclusters.{INFRASTRUCTURE}",
        {"apiVersion": f"{INFRASTRUCTURE}/{version}", "kind": "OpenStackCluster", "spec": spec}
        | {"metadata": labelled("prod-os"), "status": {"externalNetwork": {"id": "ext"}}},
    )
    for name, more_labels in (("cp-0", {"cluster.x-k8s.io/control-plane": ""}), ("worker-0", {})):
        labels = {"cluster.x-k8s.io/cluster-name": "prod", **more_labels}
        meta = labelled(name, labels=labels)
        server = {"status": {"ready": True, "addresses": [{"type": "InternalIP", "address": "10.0.1.11"}]}}
        cluster.add("machines.cluster.x-k8s.io", {"metadata": meta, "spec": {"failureDomain": "az1"}})
        cluster.add(f"openstackmachines.{INFRASTRUCTURE}", {"metadata": meta, **server})
    return cluster
