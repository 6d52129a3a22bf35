# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role and the playbooks, run by ansible-playbook with variables as AWX sends them (CAPO-12, CAPO-13)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import NewWorld
from .plays import Plays
from .world import LEGACY, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
TWO = ("az1", "az2")


def _variables(world: World, **more: Any) -> dict[str, Any]:
    zones = [{"zone": zone, "subnet": {"id": world.network.subnets[zone].id}} for zone in TWO]
    wanted = {"zones": zones, "network": {"id": world.network.id}, "floating_ips": "false", "wait_sleep": "1"}
    wanted |= {"dns_retries": "2", "dns_delay": "1"} | more
    return {f"capo_multiaz_{name}": value for name, value in wanted.items()}


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


@pytest.fixture
def plays(world: World, tmp_path: Path) -> Plays:
    return Plays(world, tmp_path)


def test_create_beside_the_legacy_one(plays: Plays, world: World) -> None:
    legacy = world.legacy()
    done = plays.play("capo_multiaz.yml", **_variables(world, stages="preflight, create, members"))
    assert done.returncode == 0, done.stdout[-3000:]
    found = world.load_balancers()
    assert sorted(found) == sorted([LEGACY, zone_name("az2")])
    assert found[LEGACY].id == legacy.id
    assert len(world.members(LEGACY)) == 3


def test_dns_is_waited_for(plays: Plays, world: World) -> None:
    world.online()
    done = plays.play("capo_multiaz.yml", **_variables(world, stages="dns"))
    assert done.returncode != 0
    vips = sorted(lb.vip_address for lb in world.load_balancers().values())
    assert all(vip in done.stdout for vip in vips)
    plays.publish(vips)
    done = plays.play("capo_multiaz.yml", **_variables(world, stages="dns"))
    assert done.returncode == 0, done.stdout[-3000:]


def test_adopt_and_verify(plays: Plays, world: World) -> None:
    said = {"stages": "retire,verify", "traffic_moved": "true", "upkeep": "true"}
    before = world.load_balancers()[LEGACY]
    done = plays.play("capo_multiaz.yml", **_variables(world, **said))
    assert done.returncode == 0, done.stdout[-3000:]
    found = world.load_balancers()
    assert sorted(found) == sorted(zone_name(zone) for zone in TWO)
    assert found[zone_name("az1")].id == before.id
    assert [world.members(zone_name(zone)) for zone in TWO] == [[world.address(zone)] for zone in TWO]


def test_upkeep(plays: Plays, world: World) -> None:
    fresh = world.add_machine("cp-7", "az2", host=17)
    since = world.mark()
    done = plays.play("capo_members.yml", "--check", **_variables(world))
    assert done.returncode == 0, done.stdout[-3000:]
    assert "'missing': ['cp-7']" in done.stdout or '"cp-7"' in done.stdout
    assert not world.writes(since)
    done = plays.play("capo_members.yml", **_variables(world))
    assert done.returncode == 0, done.stdout[-3000:]
    assert fresh in world.members(zone_name("az2"))


def test_module_and_action_say_the_same(plays: Plays, world: World, tmp_path: Path) -> None:
    """A task with `environment` goes to the module, any other runs in the worker."""
    options = {**world.options(TWO, floating_ips=True, additional_ports=[8443]), "kubeconfig": str(world.kubeconfig)}
    play: dict[str, Any] = {"hosts": "all", "gather_facts": False, "tasks": []}
    for name, environment in (("action", {}), ("module", {"LB_ESTATE_ELSEWHERE": "1"})):
        task = {"edgeworks.lb_estate.capo_multiaz_lb": options, "register": name, "check_mode": True, "diff": True}
        keep = {"content": f"{{{{ {name} | to_json }}}}", "dest": str(tmp_path / f"{name}.json"), "mode": "0600"}
        play["tasks"] += [task | ({"environment": environment} if environment else {}), {"ansible.builtin.copy": keep}]
    playbook = tmp_path / "play.yml"
    playbook.write_text(yaml.safe_dump([play]), encoding="utf-8")
    done = plays.play(playbook)
    assert done.returncode == 0, done.stdout[-3000:]
    results = [json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8")) for name in ("action", "module")]
    for result in results:
        assert result["changed"]
        result.pop("timings")
        result.pop("invocation", None)
        result.pop("ansible_facts", None)
    assert results[0] == results[1]


def test_undo_goes_back_to_one(plays: Plays, world: World) -> None:
    world.online()
    adopted = world.load_balancers()[zone_name("az1")].id
    plays.publish([world.load_balancers()[zone_name("az1")].vip_address])
    said = {"stages": "undo", "traffic_moved": "true"}
    done = plays.play("capo_multiaz.yml", **_variables(world, **said))
    assert done.returncode == 0, done.stdout[-3000:]
    assert {name: lb.id for name, lb in world.load_balancers().items()} == {LEGACY: adopted}


def test_a_stage_that_is_none(plays: Plays, world: World) -> None:
    done = plays.play("capo_multiaz.yml", **_variables(world, stages="preflight,explode"))
    assert done.returncode != 0
    assert "explode is no stage" in done.stdout
