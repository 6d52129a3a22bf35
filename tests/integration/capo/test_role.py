# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role and the playbooks, run by ansible-playbook with variables as AWX sends them (CAPO-12, CAPO-13)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.plays import Stage

from .conftest import NewWorld
from .world import HOST, LEGACY, NAME, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
TWO = ("az1", "az2")


def _variables(world: World, **more: Any) -> dict[str, Any]:
    zones = [{"zone": zone, "subnet": {"id": world.network.subnets[zone].id}} for zone in TWO]
    # Nothing is said of floating IPs: the object says that there are none.
    wanted = {"zones": zones, "network": {"id": world.network.id}, "wait_sleep": "1"}
    wanted |= {"dns_retries": "2", "dns_delay": "1"} | more
    return {f"capo_multiaz_{name}": value for name, value in wanted.items()}


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


@pytest.fixture
def stage(world: World, tmp_path: Path) -> Stage:
    return world.stage(tmp_path)


def test_create_beside_the_legacy_one(stage: Stage, world: World) -> None:
    legacy = world.legacy()
    done = stage.playbook("capo_multiaz.yml", **_variables(world, stages="preflight, create, members"))
    assert done.returncode == 0, done.stdout[-3000:]
    found = world.load_balancers()
    assert sorted(found) == sorted([LEGACY, zone_name("az2")])
    assert found[LEGACY].id == legacy.id
    assert len(world.members(LEGACY)) == 3
    assert world.counts()["floating_ips"] == 0


def test_dns_is_waited_for(stage: Stage, world: World) -> None:
    world.online()
    done = stage.playbook("capo_multiaz.yml", **_variables(world, stages="dns"))
    assert done.returncode != 0
    vips = sorted(lb.vip_address for lb in world.load_balancers().values())
    assert all(vip in done.stdout for vip in vips)
    stage.publish(HOST, vips)
    done = stage.playbook("capo_multiaz.yml", **_variables(world, stages="dns"))
    assert done.returncode == 0, done.stdout[-3000:]


def test_adopt_and_verify(stage: Stage, world: World) -> None:
    said = {"stages": "retire,verify", "traffic_moved": "true", "upkeep": "true"}
    before = world.load_balancers()[LEGACY]
    done = stage.playbook("capo_multiaz.yml", **_variables(world, **said))
    assert done.returncode == 0, done.stdout[-3000:]
    found = world.load_balancers()
    assert sorted(found) == sorted(zone_name(zone) for zone in TWO)
    assert found[zone_name("az1")].id == before.id
    assert [world.members(zone_name(zone)) for zone in TWO] == [[world.address(zone)] for zone in TWO]


def test_upkeep(stage: Stage, world: World) -> None:
    fresh = world.add_machine("cp-7", "az2", host=17)
    since = world.mark()
    done = stage.playbook("capo_members.yml", "--check", **_variables(world))
    assert done.returncode == 0, done.stdout[-3000:]
    assert "'missing': ['cp-7']" in done.stdout or '"cp-7"' in done.stdout
    assert not world.writes(since)
    done = stage.playbook("capo_members.yml", **_variables(world))
    assert done.returncode == 0, done.stdout[-3000:]
    assert fresh in world.members(zone_name("az2"))
    assert "bystander" not in done.stdout
    nobody = stage.playbook("capo_members.yml", **_variables(world), capo_multiaz_hosts="nobody")
    assert nobody.returncode != 0
    assert "no host in nobody" in " ".join(nobody.stdout.split())


def test_module_and_action_say_the_same(stage: Stage, world: World) -> None:
    """A task with `environment` goes to the module, any other runs in the worker."""
    options = {**world.options(TWO, floating_ips=True, additional_ports=[8443]), "kubeconfig": str(world.kubeconfig)}
    task = {"edgeworks.lb_estate.capo_multiaz_lb": options, "check_mode": True, "diff": True, "ignore_errors": False}
    done = stage.play([task, task | {"environment": {"LB_ESTATE_ELSEWHERE": "1"}}], "--limit", NAME)
    assert done.returncode == 0, done.stdout[-3000:]
    for result in done.results:
        assert result["changed"]
        result.pop("timings")
        result.pop("invocation", None)
        result.pop("ansible_facts", None)
    assert done.results[0] == done.results[1]


def test_undo_goes_back_to_one(stage: Stage, world: World) -> None:
    world.online()
    adopted = world.load_balancers()[zone_name("az1")].id
    stage.publish(HOST, [world.load_balancers()[zone_name("az1")].vip_address])
    said = {"stages": "undo", "traffic_moved": "true"}
    typo = stage.playbook("capo_multiaz.yml", **_variables(world, stages="retire", traffic_moved="true", zones=[]))
    assert "state: single" in typo.stdout
    assert len(world.load_balancers()) == 2
    done = stage.playbook("capo_multiaz.yml", **_variables(world, **said))
    assert done.returncode == 0, done.stdout[-3000:]
    assert "it stays as the one load balancer of the cluster, with its addresses" in done.stdout
    assert {name: lb.id for name, lb in world.load_balancers().items()} == {LEGACY: adopted}


def test_a_stage_that_is_none(stage: Stage, world: World) -> None:
    done = stage.playbook("capo_multiaz.yml", **_variables(world, stages="preflight,explode"))
    assert done.returncode != 0
    assert "explode is no stage" in done.stdout
