# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps in the small builtin types our own writes use: journal (ConfigMap), lock (Lease), events."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import ROUTER_NS, configmap

LEASES = "leases.coordination.k8s.io"


def lease(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "lock"}, "spec": {"holderIdentity": "me", **spec}}


def test_a_config_map_holds_one_mebibyte(cluster: Cluster) -> None:
    cluster.create("configmaps", "default", configmap("a", journal="x" * 1024 * 1024))
    with pytest.raises(ApiError, match="Too long: may not be more than 1048576 bytes"):
        cluster.create("configmaps", "default", configmap("b", journal="x" * (1024 * 1024 + 1)))


def test_config_map_values_are_strings(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match="of type string") as error:
        cluster.create("configmaps", "default", {"metadata": {"name": "a"}, "data": {"x": 1}})
    assert error.value.status == 400


def test_an_immutable_config_map_stays(cluster: Cluster) -> None:
    cluster.create("configmaps", "default", {**configmap("a", k="1"), "immutable": True})
    with pytest.raises(ApiError, match="field is immutable when `immutable` is set"):
        cluster.patch("configmaps", "default", "a", {"data": {"k": "2"}})


@pytest.mark.parametrize("moment", ["2026-11-16T08:00:00Z", "2026-11-16T08:00:00.123Z", "now"])
def test_lease_times_have_microseconds(cluster: Cluster, moment: str) -> None:
    with pytest.raises(ApiError, match="parsing time") as error:
        cluster.create(LEASES, "default", lease(renewTime=moment))
    assert error.value.status == 400


def test_a_lease(cluster: Cluster) -> None:
    made = cluster.create(LEASES, "default", lease(renewTime="2026-11-16T08:00:00.123456Z", leaseDurationSeconds=30))
    del made["metadata"]["resourceVersion"]
    with pytest.raises(ApiError, match="must be specified for an update"):
        cluster.replace(LEASES, "default", "lock", made)
    with pytest.raises(ApiError, match="must be greater than 0"):
        cluster.patch(LEASES, "default", "lock", {"spec": {"leaseDurationSeconds": 0}})


def test_an_event_lives_in_the_namespace_of_its_object(cluster: Cluster) -> None:
    event = {"metadata": {"name": "e"}, "involvedObject": {"namespace": ROUTER_NS, "name": "s"}, "reason": "R"}
    with pytest.raises(ApiError, match=r"does not match event\.namespace"):
        cluster.create("events", "default", event)
    cluster.create("events", ROUTER_NS, event)
