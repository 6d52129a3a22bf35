# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion: preconditions, finalizers, propagation, the garbage collector, namespaces (in process)."""

from __future__ import annotations

import time
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import ICS, OPERATOR_NS, ROUTER_NS, configmap, make_cluster, refusal, service

CLEANUP = "service.kubernetes.io/load-balancer-cleanup"


def gone(c: Cluster, resource: str, namespace: str | None, name: str, seconds: float = 2.0) -> bool:
    """Whether the garbage collector has removed the object within the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        names = [item["metadata"]["name"] for item in c.list(resource, namespace)["items"]]
        if name not in names:
            return True
        time.sleep(0.01)
    return False


class TestDeletion:
    def test_without_finalizers_it_is_gone_at_once(self, cluster: Cluster) -> None:
        made = cluster.create("configmaps", "default", configmap("a"))
        status = cluster.delete("configmaps", "default", "a")
        details = {"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]}
        assert (status["kind"], status["status"], status["details"]) == ("Status", "Success", details)
        with pytest.raises(ApiError):
            cluster.get("configmaps", "default", "a")

    def test_uid_and_version_preconditions(self, cluster: Cluster) -> None:
        made = cluster.create("services", ROUTER_NS, service())["metadata"]
        with pytest.raises(ApiError) as error:
            cluster.delete("services", ROUTER_NS, "router-default", uid="other")
        mismatch = f"the UID in the precondition (other) does not match the UID in record ({made['uid']})"
        hint = "The object might have been deleted and then recreated"
        assert refusal(error) == (
            409,
            "Conflict",
            f'Operation cannot be fulfilled on Service "router-default": {mismatch}. {hint}',
        )
        with pytest.raises(ApiError, match=r"the ResourceVersion in the precondition \(1\) does not match"):
            cluster.delete("services", ROUTER_NS, "router-default", resource_version="1")
        deleted = cluster.delete(
            "services", ROUTER_NS, "router-default", uid=made["uid"], resource_version=made["resourceVersion"]
        )
        assert deleted["metadata"]["uid"] == made["uid"], "a deleted Service is returned, not a Status"

    def test_finalizers_hold_it(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, {**service(), "metadata": {"name": "s", "finalizers": [CLEANUP]}})
        held = cluster.delete("services", ROUTER_NS, "s")
        assert held["metadata"]["deletionTimestamp"]
        assert held["metadata"]["deletionGracePeriodSeconds"] == 0
        version = held["metadata"]["resourceVersion"]
        assert cluster.delete("services", ROUTER_NS, "s")["metadata"]["resourceVersion"] == version
        with pytest.raises(ApiError) as error:
            cluster.create("services", ROUTER_NS, service("s"))
        assert error.value.message == 'object is being deleted: services "s" already exists'
        cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": None}})
        assert gone(cluster, "services", ROUTER_NS, "s")

    def test_no_new_finalizer_on_a_dying_object(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, {**service(), "metadata": {"name": "s", "finalizers": ["a/b"]}})
        cluster.delete("services", ROUTER_NS, "s")
        with pytest.raises(ApiError) as error:
            cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": ["a/b", CLEANUP]}})
        rule = "Forbidden: no new finalizers can be added if the object is being deleted"
        assert refusal(error) == (
            422,
            "Invalid",
            f'Service "s" is invalid: metadata.finalizers: {rule}, found new finalizers []string{{"{CLEANUP}"}}',
        )

    def test_marking_for_deletion_is_a_generation(self, cluster: Cluster) -> None:
        cluster.create(ICS, OPERATOR_NS, {"metadata": {"name": "i", "finalizers": ["a/b"]}, "spec": {}})
        assert cluster.delete(ICS, OPERATOR_NS, "i")["metadata"]["generation"] == 2

    def test_foreground_waits_for_the_collector(self) -> None:
        """Without the garbage collector a foreground deletion hangs forever (facts: lab-kubernetes §6)."""
        c = make_cluster(garbage_collection=False)
        c.create("services", ROUTER_NS, service())
        held = c.delete("services", ROUTER_NS, "router-default", propagation="Foreground")
        assert held["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert not gone(c, "services", ROUTER_NS, "router-default", 0.1)
        c.collect_garbage()
        assert gone(c, "services", ROUTER_NS, "router-default", 0.1)

    def test_dry_run_changes_nothing(self, cluster: Cluster) -> None:
        before = cluster.resource_version
        cluster.create("configmaps", "default", configmap("a"), dry_run=True)
        assert cluster.resource_version == before
        cluster.create("configmaps", "default", configmap("a", k="1"))
        before = cluster.resource_version
        assert cluster.patch("configmaps", "default", "a", {"data": {"k": "2"}}, dry_run=True)["data"] == {"k": "2"}
        cluster.delete("configmaps", "default", "a", dry_run=True)
        assert cluster.resource_version == before


def owner(obj: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
        **more,
    }


class TestGarbage:
    def dependent(self, c: Cluster, name: str, *owners: dict[str, Any]) -> None:
        c.create("configmaps", "default", {"metadata": {"name": name, "ownerReferences": list(owners)}})

    def test_background_takes_the_dependents_along(self, cluster: Cluster) -> None:
        root = cluster.create("configmaps", "default", configmap("root"))
        self.dependent(cluster, "child", owner(root))
        cluster.delete("configmaps", "default", "root")
        assert gone(cluster, "configmaps", "default", "child")

    def test_foreground_goes_after_its_blocking_dependents(self, cluster: Cluster) -> None:
        root = cluster.create("configmaps", "default", configmap("root"))
        self.dependent(cluster, "child", owner(root, blockOwnerDeletion=True))
        cluster.patch("configmaps", "default", "child", {"metadata": {"finalizers": ["a/b"]}})
        cluster.delete("configmaps", "default", "root", propagation="Foreground")
        assert not gone(cluster, "configmaps", "default", "root", 0.2)
        assert "deletionTimestamp" in cluster.get("configmaps", "default", "child")["metadata"]
        cluster.patch("configmaps", "default", "child", {"metadata": {"finalizers": None}})
        assert gone(cluster, "configmaps", "default", "root")

    def test_orphan_leaves_them_without_the_reference(self, cluster: Cluster) -> None:
        root = cluster.create("configmaps", "default", configmap("root"))
        self.dependent(cluster, "child", owner(root))
        cluster.delete("configmaps", "default", "root", propagation="Orphan")
        assert gone(cluster, "configmaps", "default", "root")
        assert "ownerReferences" not in cluster.get("configmaps", "default", "child")["metadata"]

    def test_one_living_owner_is_enough(self, cluster: Cluster) -> None:
        roots = [cluster.create("configmaps", "default", configmap(name)) for name in ("a", "b")]
        self.dependent(cluster, "child", *(owner(root) for root in roots))
        cluster.delete("configmaps", "default", "a")
        deadline = time.monotonic() + 2
        while len(left := cluster.get("configmaps", "default", "child")["metadata"]["ownerReferences"]) > 1:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert [reference["name"] for reference in left] == ["b"]

    def test_a_namespace_empties_before_it_goes(self, cluster: Cluster) -> None:
        held = {**service(), "metadata": {"name": "s", "finalizers": [CLEANUP]}}
        cluster.create("services", ROUTER_NS, held)
        assert cluster.delete("namespaces", None, ROUTER_NS)["status"]["phase"] == "Terminating"
        assert not gone(cluster, "namespaces", None, ROUTER_NS, 0.2)
        with pytest.raises(ApiError, match="because it is being terminated") as error:
            cluster.create("configmaps", ROUTER_NS, configmap("a"))
        assert error.value.status == 403
        assert error.value.causes[0]["reason"] == "NamespaceTerminating"
        cluster.patch("services", ROUTER_NS, "s", {"metadata": {"finalizers": None}})
        assert gone(cluster, "namespaces", None, ROUTER_NS)

    def test_a_finalizer_of_the_namespace_itself_holds_it(self, cluster: Cluster) -> None:
        cluster.patch("namespaces", None, ROUTER_NS, {"metadata": {"finalizers": ["a/b"]}})
        cluster.delete("namespaces", None, ROUTER_NS)
        assert not gone(cluster, "namespaces", None, ROUTER_NS, 0.1)
        cluster.patch("namespaces", None, ROUTER_NS, {"metadata": {"finalizers": None}})
        assert gone(cluster, "namespaces", None, ROUTER_NS)

    def test_the_collector_does_not_turn_in_circles(self) -> None:
        c = make_cluster(garbage_collection=False)
        c.create("services", ROUTER_NS, service())
        c.faults.add("stuck_finalizer", finalizer="foregroundDeletion")
        c.delete("services", ROUTER_NS, "router-default", propagation="Foreground")
        c.collect_garbage()
        assert c.get("services", ROUTER_NS, "router-default")["metadata"]["finalizers"] == ["foregroundDeletion"]

    def test_a_rule_that_fails_does_not_stop_the_collector(self, cluster: Cluster) -> None:
        def broken(old: Any, new: Any, subresource: str | None) -> list[Any]:
            if old is not None and "foregroundDeletion" in old["metadata"].get("finalizers", ()):
                raise KeyError("broken rule")
            return []

        other = make_cluster("other", validators={"services": broken})
        other.create("services", ROUTER_NS, service())
        other.delete("services", ROUTER_NS, "router-default", propagation="Foreground")
        cluster.create("services", ROUTER_NS, service())
        cluster.delete("services", ROUTER_NS, "router-default", propagation="Foreground")
        assert gone(cluster, "services", ROUTER_NS, "router-default")
        assert not gone(other, "services", ROUTER_NS, "router-default", 0.05)
