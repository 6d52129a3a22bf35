# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia as it is: every fault ends in convergence on re-run or in a clear refusal (CAPO-11, CORE-7, CORE-10)."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import QuotaMet
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo_writes import CloudWrites
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._waiting import WaitOptions
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import REAL

from .conftest import NewWorld
from .world import NAMESPACE, RECORD, ZONES, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE, TWO = ("az1",), ("az1", "az2")


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    """Told in order, like a life: each fault meets what the one before has left."""
    return new_world()


@pytest.fixture(autouse=True)
def _healed(world: World) -> Iterator[None]:
    yield
    world.lab.faults.clear()


def _codes(result: dict[str, list[dict[str, str]]]) -> set[str]:
    return {finding["code"] for finding in result["findings"]}


def _openstack_writes(world: World, since: int) -> list[str]:
    return [f"{one.method} {one.path}" for one in world.requests(since) if one.is_write]


@pytest.mark.parametrize("quota", [{"load_balancer": 1}, {"member": 1}, {"floatingip": 1}])
def test_a_quota_that_is_too_small_is_known_before_the_first_write(world: World, quota: dict[str, int]) -> None:
    since = world.mark()
    with world.lab.faults.quota(world.project.id, **quota):
        result = world.run(TWO, floating_ips=True)
    assert (result["verdict"], _codes(result)) == ("blocked", {"quota_short"})
    assert not _openstack_writes(world, since)


def test_a_quota_that_others_use_up_meanwhile_is_a_sentence(world: World) -> None:
    writes = CloudWrites(Cloud.connect({"cloud": world.project.cloud}), WaitOptions(True, 20, 1, REAL))
    body = {"name": "x", "vip_subnet_id": world.network.subnets["az1"].id}
    step = Step("octavia", "create", "load_balancer", "x", body=body)
    with world.lab.faults.quota(world.project.id, load_balancer=0), pytest.raises(QuotaMet, match="quota raised"):
        writes.do(step, lambda _text: None, "test", wait=True)


def test_a_vip_address_outside_the_subnet(world: World) -> None:
    """Octavia answers 500; that is a refusal and no reason to try again."""
    since = world.mark()
    result = world.run(ONE, floating_ips=False, fixed_ip="192.0.2.77")
    assert result["error_code"] == "invalid"
    assert "fixed_ip" in result["msg"]
    assert _openstack_writes(world, since) == ["POST /v2.0/lbaas/loadbalancers"]
    assert world.counts()["load_balancers"] == 0
    assert "FailedCreateLoadBalancer" in world.events()


def test_lost_answers_make_nothing_twice(world: World) -> None:
    faults = world.lab.faults
    posts = {"methods": ["POST"], "count": 1, "when": "after"}
    with (
        faults.misanswering("octavia", 503, path="/lbaas/loadbalancers", **posts),
        faults.misanswering("neutron", 502, path="/floatingips", **posts),
    ):
        world.converge(ONE, floating_ips=True)
    assert {kind: world.counts()[kind] for kind in ("load_balancers", "floating_ips", "pools")} == {
        "load_balancers": 1,
        "floating_ips": 1,
        "pools": 1,
    }


def test_reads_that_fail_for_a_while_are_made_again(world: World) -> None:
    with world.lab.faults.misanswering("octavia", 500, methods=["GET"], path="/lbaas/pools", count=2):
        assert not world.run(ONE, floating_ips=True)["changed"]


def test_a_build_that_fails_does_not_hold_the_other_zones_up(world: World) -> None:
    with world.lab.faults.failing("build", zone="az2"):
        failed = world.run(ZONES, floating_ips=True)
    assert failed["error_code"] == "wait_failed"
    assert "allow_rebuild" in failed["msg"]
    found = world.load_balancers()
    assert found[zone_name("az2")].provisioning_status == "ERROR"
    assert found[zone_name("az3")].provisioning_status == "ACTIVE"
    stays = world.run(ZONES, floating_ips=True)
    assert "load_balancer_error" in _codes(stays)
    assert world.load_balancers()[zone_name("az2")].id == found[zone_name("az2")].id
    world.converge(ZONES, floating_ips=True, allow_rebuild=True)
    counts = world.counts()
    assert (counts["load_balancers"], counts["members"], counts["floating_ips"]) == (3, 3, 3)


@contextlib.contextmanager
def _pending(world: World, lb_id: str, seconds: float) -> Iterator[None]:
    """Another writer's change, under way for a while."""
    begun, ended = threading.Event(), threading.Event()

    def hold() -> None:
        with world.lab.faults.stuck(lb_id, "PENDING_UPDATE", then="ACTIVE"):
            begun.set()
            ended.wait(seconds)

    holder = threading.Thread(target=hold)
    holder.start()
    begun.wait(30)
    try:
        yield
    finally:
        ended.set()
        holder.join()


def test_writes_wait_for_another_writers_change(world: World) -> None:
    """409 in both wordings: of the load balancer itself, and of what is below it."""
    lb = world.load_balancers()[zone_name("az1")]
    writes = CloudWrites(Cloud.connect({"cloud": world.project.cloud}), WaitOptions(True, 60, 1, REAL))
    rename = Step("octavia", "update", "load_balancer", lb.name, body={"name": lb.name}, uid=lb.id, locks=lb.id)
    pool = next(iter(world.cloud.load_balancer.pools(loadbalancer_id=lb.id)))
    again = Step("octavia", "update", "pool", pool.name, body={"name": pool.name}, uid=pool.id, locks=lb.id)
    for step in (rename, again):
        since = world.mark()
        with _pending(world, lb.id, 1.5):
            writes.do(step, lambda _text: None, "test", wait=True)
        answers = [one.status for one in world.requests(since) if one.is_write]
        assert (answers[0], answers[-1] // 100) == (409, 2)


def test_a_whole_run_waits_for_another_writers_change(world: World) -> None:
    lb = world.load_balancers()[zone_name("az1")]
    with world.lab.faults.delayed("update", 2):
        world.cloud.load_balancer.update_listener(
            next(iter(world.cloud.load_balancer.listeners(load_balancer_id=lb.id))), name="somebody-elses"
        )
        world.converge(ZONES, floating_ips=True)
    names = {listener.name for listener in world.cloud.load_balancer.listeners()}
    assert names == {f"{zone_name(zone)}-6443" for zone in ZONES}


def test_one_that_is_stuck_is_named_after_the_deadline(world: World) -> None:
    lb = world.load_balancers()[zone_name("az2")]
    since = world.mark()
    with world.lab.faults.stuck(lb.id, "PENDING_UPDATE"):
        began = time.monotonic()
        result = world.run(ZONES, floating_ips=True, wait_timeout=2)
    assert result["error_code"] == "timeout"
    assert lb.id in result["msg"]
    assert "PENDING_UPDATE" in result["msg"]
    assert time.monotonic() - began < 20
    assert not _openstack_writes(world, since)
    assert not world.run(ZONES, floating_ips=True)["changed"]


def test_a_child_in_error_below_an_active_load_balancer(world: World) -> None:
    wanted = {"floating_ips": True, "allowed_cidrs": ["198.51.100.0/24"], "allow_disruption": "brief"}
    with world.lab.faults.failing("update", zone="az3"):
        failed = world.run(ZONES, **wanted)
    assert failed["error_code"] == "not_holding"
    statuses = {one.name: one.provisioning_status for one in world.cloud.load_balancer.listeners()}
    assert statuses == {f"{zone_name(zone)}-6443": "ERROR" if zone == "az3" else "ACTIVE" for zone in ZONES}
    world.converge(ZONES, **wanted)
    assert {one.provisioning_status for one in world.cloud.load_balancer.listeners()} == {"ACTIVE"}


def test_a_worker_that_is_down_is_waited_for_and_picked_up_later(world: World) -> None:
    options = {"floating_ips": True, "allow_cross_az_members": True}
    with world.lab.faults.worker_down():
        asked = world.run(ZONES, wait=False, **options)
        failed = world.run(ZONES, wait_timeout=2, **options)
    assert (asked["changed"], asked.get("failed")) == (True, None)
    assert failed["error_code"] == "timeout"
    world.converge(ZONES, **options)
    assert [len(world.members(zone_name(zone))) for zone in ZONES] == [3, 3, 3]
    assert world.counts()["members"] == 9


def test_a_deletion_that_fails_is_made_again(world: World) -> None:
    gone = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage"}
    with world.lab.faults.failing("delete", zone="az2"):
        failed = world.run((), **gone, wait_timeout=20)
    assert failed.get("failed")
    result = world.run((), **gone)
    assert not result.get("failed"), result["msg"]
    assert world.counts() == dict.fromkeys(world.counts(), 0)


def test_a_provider_without_allowed_cidrs(world: World) -> None:
    """501 is learnt within the run, said, and remembered in the record."""
    options = {"floating_ips": False, "provider": "lab_nocidr", "allowed_cidrs": ["192.0.2.0/24"]}
    result = world.run(ONE, **options)
    assert not result.get("failed"), result["msg"]
    assert "allowed_cidrs_unsupported" in _codes(result)
    assert "AllowedCIDRsUnsupported" in world.events()
    kept = json.loads(world.api.get("configmaps", NAMESPACE, RECORD)["data"]["apiServerLoadBalancers"])
    assert kept[0]["allowedCIDRs"] is None
    since = world.mark()
    assert not world.run(ONE, **options)["changed"]
    assert not world.writes(since)
