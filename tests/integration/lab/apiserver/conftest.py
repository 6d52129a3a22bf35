# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the API server's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.server import ApiServer
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import Client, Served, make_cluster


@pytest.fixture
def cluster() -> Cluster:
    return make_cluster()


@pytest.fixture
def served() -> Iterator[Served]:
    """A server of its own per test, with one cluster c1 in it."""
    with ApiServer() as server:
        cluster = make_cluster()
        server.add(cluster)
        running = Served(server, cluster)
        yield running
        running.close()


@pytest.fixture
def admin(served: Served) -> Client:
    return served.client()
