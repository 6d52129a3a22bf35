# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Providers as they are out there: what one lacks is learned, said, lived with and remembered (CAPO-15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import NewWorld
from .world import LEGACY, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE, TWO = ("az1",), ("az1", "az2")
PLAIN: dict[str, Any] = {"floating_ips": False}
CHOOSY: dict[str, Any] = {**PLAIN, "provider": "lab_choosy"}


@pytest.fixture(autouse=True)
def _healed(openstack_lab: Any) -> Iterator[None]:
    yield
    openstack_lab.faults.clear()


def _codes(result: dict[str, list[dict[str, str]]]) -> set[str]:
    return {finding["code"] for finding in result["findings"]}


def _settled(world: World, zones: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """Built, nothing left behind, and nothing asked for again."""
    done = world.run(zones, **options)
    assert not done.get("failed"), done["msg"]
    since = world.mark()
    again = world.run(zones, **options)
    assert not again["changed"], again["steps"]
    assert not world.writes(since)
    assert world.counts()["load_balancers"] == len(zones)
    assert world.counts()["ports"] == 2 * len(zones)
    return done


def test_ovn_as_the_default_that_nobody_named(new_world: NewWorld) -> None:
    """Both zones learn at once; who may list providers does not matter, as none is named."""
    world = new_world()
    with world.lab.faults.default_provider("ovn"):
        told = _settled(world, TWO, allowed_cidrs=["192.0.2.0/24"], **PLAIN)
    assert {"allowed_cidrs_unsupported", "algorithm_unsupported"} <= _codes(told)
    assert {lb.provider for lb in world.load_balancers().values()} == {"ovn"}
    client = world.cloud.load_balancer
    assert {pool.lb_algorithm for pool in client.pools()} == {"SOURCE_IP_PORT"}
    for zone in TWO:
        pool = client.find_pool(f"{zone_name(zone)}-6443", ignore_missing=False)
        assert [member.subnet_id for member in client.members(pool)] == [world.network.subnets[zone].id]
    assert len(list(client.health_monitors())) == 2


@pytest.mark.parametrize(
    ("features", "how"),
    [
        pytest.param(
            ("health_monitor", "timeouts", "round_robin", "bare_members", "availability_zones"), {}, id="in its words"
        ),
        pytest.param(("health_monitor", "timeouts", "tree", "batch"), {"status": 400, "vague": True}, id="vaguely"),
    ],
)
def test_one_that_lacks_nearly_everything(new_world: NewWorld, features: tuple[str, ...], how: dict[str, Any]) -> None:
    world = new_world()
    with world.lab.faults.lacking(*features, **how):
        told = _settled(world, ONE, **CHOOSY)
        assert {"monitor_unsupported", "timeouts_unsupported"} <= _codes(told)
        assert world.members(zone_name("az1")) == [world.address("az1")]
        assert not list(world.cloud.load_balancer.health_monitors())
        fresh = world.add_machine("cp-9", "az1", host=19)
        world.run(ONE, members_only=True, **CHOOSY)
        assert world.members(zone_name("az1")) == sorted([world.address("az1"), fresh])
    # What was learned holds without the refusal, until somebody takes the mark away.
    since = world.mark()
    assert not world.run(ONE, **CHOOSY)["changed"]
    assert not world.writes(since)


def test_what_cannot_be_done_without_is_a_sentence(new_world: NewWorld) -> None:
    """A provider that takes no other name: what it has cannot be adopted, and is left as it is."""
    world = new_world()
    with world.lab.faults.default_provider("lab_choosy"), world.lab.faults.lacking("rename"):
        legacy = world.legacy()
        failed = world.run(ONE, allow_cross_az_members=True, **PLAIN)
    assert failed["error_code"] == "unsupported"
    assert "another name" in failed["msg"]
    assert "name another provider" in failed["msg"]
    assert [(lb.id, lb.name) for lb in world.load_balancers().values()] == [(legacy.id, LEGACY)]


def test_timeouts_suit_an_api_server_and_change_in_place(new_world: NewWorld) -> None:
    world = new_world()
    legacy = world.legacy()
    listener = next(iter(world.cloud.load_balancer.listeners()))
    assert listener.timeout_client_data == 50000
    shown = world.run(ONE, check=True, **PLAIN)
    assert shown["diff"]["before"]["az1"]["ports"]["6443"]["timeout_client_data"] == 50000
    assert shown["diff"]["after"]["az1"]["ports"]["6443"]["timeout_client_data"] == 3_600_000
    world.converge(ONE, allow_cross_az_members=True, **PLAIN)
    wanted = {"timeout_client_data": 600_000, "timeout_member_data": 700_000}
    changed = world.converge(ONE, allow_cross_az_members=True, **wanted, **PLAIN)
    writes = [step for step in changed["steps"] if step["port"] == "octavia"]
    assert [(step["resource"], step["body"], step["disruption"]) for step in writes] == [("listener", wanted, "none")]
    listener = next(iter(world.cloud.load_balancer.listeners()))
    assert (listener.timeout_client_data, listener.timeout_member_data) == (600_000, 700_000)
    assert [lb.id for lb in world.load_balancers().values()] == [legacy.id]
