# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches and subscriptions in process: what a controller in the same process sees."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import configmap


class TestWatch:
    def collect(self, c: Cluster, since: str | None, act: Callable[[], None]) -> list[tuple[str, str, str]]:
        stop, seen = threading.Event(), list[tuple[str, str, str]]()

        def follow() -> None:
            for kind, resource, obj in c.watch(["configmaps", "services"], since=since, stop=stop, timeout=0.3):
                seen.append((kind, resource, obj["metadata"]["name"]))

        thread = threading.Thread(target=follow)
        thread.start()
        act()
        thread.join()
        return seen

    def test_from_a_version_on(self, cluster: Cluster) -> None:
        cluster.create("configmaps", "default", configmap("before"))
        since = cluster.resource_version

        def act() -> None:
            cluster.create("configmaps", "default", configmap("a"))
            cluster.create("secrets", "default", {"metadata": {"name": "unwatched"}})
            cluster.patch("configmaps", "default", "a", {"data": {"x": "y"}})
            cluster.delete("configmaps", "default", "a")

        assert self.collect(cluster, since, act) == [
            ("ADDED", "configmaps", "a"),
            ("MODIFIED", "configmaps", "a"),
            ("DELETED", "configmaps", "a"),
        ]

    def test_without_a_version_the_present_comes_first(self, cluster: Cluster) -> None:
        cluster.create("configmaps", "default", configmap("before"))
        seen = self.collect(cluster, None, lambda: None)
        assert seen == [("ADDED", "configmaps", "before")]

    def test_a_forgotten_version_is_gone(self, cluster: Cluster) -> None:
        since = cluster.resource_version
        cluster.create("configmaps", "default", configmap("a"))
        cluster.compact()
        with pytest.raises(ApiError, match="too old resource version") as error:
            next(cluster.watch(["configmaps"], since=since, stop=threading.Event(), timeout=1))
        assert (error.value.status, error.value.reason) == (410, "Expired")

    def test_subscribers_see_every_write_in_order(self, cluster: Cluster) -> None:
        versions: list[int] = []
        unsubscribe = cluster.subscribe(lambda event: versions.append(event.version))
        threads = [
            threading.Thread(target=lambda n=n: cluster.create("configmaps", "default", configmap(f"c{n}")))
            for n in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        unsubscribe()
        cluster.create("configmaps", "default", configmap("unseen"))
        assert len(versions) == 20
        assert versions == sorted(versions)
