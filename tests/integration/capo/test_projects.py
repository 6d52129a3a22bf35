# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Never another project's, never another cluster's, and what was adopted is given back (CAPO-13, CAPO-14)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import NewWorld
from .world import CLUSTERS, LEGACY, NAME, NAMESPACE, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE = ("az1",)
GONE: dict[str, Any] = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"}


def _codes(result: dict[str, list[dict[str, str]]]) -> set[str]:
    return {finding["code"] for finding in result["findings"]}


@pytest.fixture(scope="module")
def theirs(new_world: NewWorld) -> World:
    """A cluster of the same names in another project, with all it needs."""
    world = new_world()
    world.converge(ONE, floating_ips=True)
    return world


def test_an_administrator_sees_only_the_project_of_the_credentials(theirs: World, new_world: NewWorld) -> None:
    world = new_world()
    admin = {"cloud": world.lab.administrated(world.project)}
    shown = world.run((), check=True, **GONE, **admin)
    assert (shown["changed"], shown["steps"]) == (False, [])
    world.converge(ONE, floating_ips=True, **admin)
    (made,) = world.load_balancers().values()
    assert f"lb-estate/project={world.project.id}" in made.tags
    assert world.project.id in made.description
    gone = world.run((), **GONE, **admin)
    assert not gone.get("failed"), gone["msg"]
    assert world.counts() == dict.fromkeys(world.counts(), 0)
    assert theirs.counts()["load_balancers"] == theirs.counts()["floating_ips"] == 1


def test_a_quota_counts_the_projects_own(theirs: World, new_world: NewWorld) -> None:
    world = new_world()
    with world.lab.faults.quota(world.project.id, load_balancer=1, listener=1, pool=1, member=1, health_monitor=1):
        shown = world.run(ONE, check=True, floating_ips=False, cloud=world.lab.administrated(world.project))
    assert not shown.get("failed"), shown["msg"]


def test_a_network_by_name_is_not_another_projects(theirs: World, new_world: NewWorld) -> None:
    """Every project of the lab has a network of this name, with subnets of these names."""
    world = new_world()
    zones = [{"zone": "az1", "subnet": {"filter": {"name": "cluster-az1"}}}]
    named = {"zones": zones, "network": {"filter": {"name": "cluster"}}, "floating_ips": False}
    shown = world.run(check=True, cloud=world.lab.administrated(world.project), **named)
    assert not shown.get("failed"), shown["msg"]
    assert shown["after"]["az1"]["subnet"] == world.network.subnets["az1"].id


def test_a_cluster_of_the_same_name_is_another_one(theirs: World) -> None:
    """As from another management cluster, or after clusterctl move: the names are the same, the uid is not."""
    uid = theirs.openstack_cluster()["metadata"]["uid"]
    spec = {key: theirs.openstack_cluster()[key] for key in ("spec", "status")}
    theirs.api.delete(CLUSTERS, NAMESPACE, NAME)
    theirs.api.delete("configmaps", NAMESPACE, f"{NAME}-api-load-balancers")
    unknown = theirs.run((), **GONE)
    assert (unknown["verdict"], _codes(unknown)) == ("blocked", {"cluster_not_there"})
    theirs.api.seed(CLUSTERS, {"metadata": {"name": NAME, "namespace": NAMESPACE}, **spec})
    since = theirs.mark()
    refused = theirs.run(ONE, floating_ips=True)
    assert (refused["verdict"], _codes(refused)) == ("blocked", {"name_taken"})
    assert uid in refused["msg"]
    left = theirs.run((), **GONE)
    assert (left["changed"], _codes(left)) == (False, {"left_alone"})
    assert not [one for one in theirs.requests(since) if one.is_write]
    theirs.converge(ONE, floating_ips=True, former_uids=[uid])
    theirs.converge(ONE, floating_ips=True)
    assert theirs.counts()["load_balancers"] == theirs.counts()["floating_ips"] == 1
    theirs.run((), **GONE)
    assert theirs.counts() == dict.fromkeys(theirs.counts(), 0)


def test_what_was_adopted_is_given_back(new_world: NewWorld) -> None:
    world = new_world()
    legacy = world.legacy()
    world.online()
    before = world.members(LEGACY)
    wanted: dict[str, Any] = {"floating_ips": True, "allow_cross_az_members": True}
    world.converge(ONE, **wanted)
    assert list(world.load_balancers()) == [zone_name("az1")]
    told = world.run((), **GONE)
    assert not told.get("failed"), told["msg"]
    assert "given_back" in _codes(told)
    (back,) = world.load_balancers().values()
    assert (back.id, back.name, list(back.tags)) == (legacy.id, LEGACY, [])
    client = world.cloud.load_balancer
    below = [one.name for kind in (client.listeners, client.pools, client.health_monitors) for one in kind()]
    assert below == [f"{LEGACY}-6443"] * 3
    assert world.members(LEGACY) == before
    pool = next(iter(client.pools()))
    assert sorted(one.name for one in client.members(pool)) == [f"{LEGACY}-6443-cp-{number}" for number in range(3)]
    assert world.counts()["floating_ips"] == 0
    since = world.mark()
    assert not world.run((), **GONE)["changed"]
    assert not world.writes(since)
    world.converge(ONE, **wanted)
    world.run((), **GONE, adopted="delete")
    assert world.counts() == dict.fromkeys(world.counts(), 0)
