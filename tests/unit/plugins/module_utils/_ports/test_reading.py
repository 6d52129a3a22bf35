# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a cluster is read, whoever stands behind it: the port and the tests' stand-in are asked alike."""

from __future__ import annotations

import inspect

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.reading import Cluster
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryCluster

MEMBERS = {name for name in vars(Cluster) if not name.startswith("_")}


def test_it_has_no_way_to_write() -> None:
    assert {"host", "now", "get", "list"} == MEMBERS


@pytest.mark.parametrize("kind", [Kube, MemoryCluster])
@pytest.mark.parametrize("method", ["now", "get", "list"])
def test_both_are_asked_alike(kind: type, method: str) -> None:
    asked, have = (inspect.signature(getattr(one, method)).parameters for one in (Cluster, kind))
    assert [(name, one.kind, one.default) for name, one in have.items()] == [
        (name, one.kind, one.default) for name, one in asked.items()
    ]


def test_both_say_where_they_are() -> None:
    assert isinstance(inspect.getattr_static(Kube, "host"), property)
    assert MemoryCluster().host
