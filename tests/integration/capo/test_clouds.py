# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way to the services: silence, conflicts that stay, catalogs, overrides, tokens (CORE-7, CORE-10, CAPO-11)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Invalid
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import Cloud
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo_writes import CloudWrites
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._waiting import WaitOptions
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import REAL

from .conftest import NewWorld
from .world import World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE = ("az1",)
PLAIN: dict[str, Any] = {"floating_ips": False}


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    return new_world()


@pytest.fixture(autouse=True)
def _healed(world: World) -> Iterator[None]:
    yield
    world.lab.faults.clear()


def _cloud(world: World, **more: Any) -> dict[str, Any]:
    """The project's entry of clouds.yaml, changed."""
    kept = json.loads(world.lab.clouds_yaml.read_text(encoding="utf-8"))
    return {**kept["clouds"][world.project.cloud], **more}


@pytest.mark.parametrize("service", ["octavia", "neutron", "keystone"])
def test_a_service_that_accepts_and_never_answers_ends_at_the_deadline(world: World, service: Any) -> None:
    with world.lab.faults.misanswering(service, 0, delay=25, count=4):
        begun = time.monotonic()
        failed = world.run(ONE, check=True, wait_timeout=4, **PLAIN)
        took = time.monotonic() - begun
    assert failed["error_code"] == "unreachable", failed["msg"]
    assert "timed out" in failed["msg"]
    assert took < 12  # the deadline, and what comes before it on a busy machine


def test_a_conflict_that_stays_is_named_at_once_and_leaves_nothing(world: World) -> None:
    """Octavia makes the VIP's port before it looks at the members."""
    member = {"address": world.address("az1"), "protocol_port": 6443}
    pool = {"name": "x", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "members": [member, member]}
    listener = {"name": "x", "protocol": "TCP", "protocol_port": 6443, "default_pool": pool}
    body = {"name": "x", "vip_subnet_id": world.network.subnets["az1"].id, "listeners": [listener]}
    writes = CloudWrites(Cloud.connect({"cloud": world.project.cloud}), WaitOptions(True, 60, 1, REAL))
    since = world.mark()
    with pytest.raises(Invalid, match="Another member on this pool"):
        writes.do(Step("octavia", "create", "load_balancer", "x", body=body), lambda _text: None, "test", True)
    assert [one.method for one in world.requests(since) if one.is_write] == ["POST", "DELETE"]
    assert world.counts() == dict.fromkeys(world.counts(), 0)


def test_no_load_balancer_service(world: World) -> None:
    with world.lab.faults.uncatalogued("load-balancer"):
        failed = world.run(ONE, check=True, **PLAIN)
        override = {"load_balancer_endpoint_override": f"{world.lab.ports.url('octavia')}/v2.0"}
        led = world.run(ONE, check=True, cloud=_cloud(world, **override), **PLAIN)
    assert failed["error_code"] == "misconfigured"
    assert "no load-balancer service" in failed["msg"]
    assert led["changed"], led["msg"]
    assert "lb-estate/az=az1" in led["steps"][0]["body"]["tags"]  # the API's version is known


def test_a_region_that_does_not_exist(world: World) -> None:
    failed = world.run(ONE, check=True, cloud=_cloud(world, region_name="nowhere"), **PLAIN)
    assert failed["error_code"] == "misconfigured"
    assert "no region nowhere; load-balancer is in RegionOne" in failed["msg"]


def test_an_override_that_is_another_service_is_not_an_empty_cloud(world: World) -> None:
    override = {"load_balancer_endpoint_override": world.lab.ports.url("neutron")}
    failed = world.run(ONE, check=True, cloud=_cloud(world, **override), **PLAIN)
    assert failed["error_code"] == "misconfigured"
    assert "not octavia" in failed["msg"]


def test_a_token_that_expires_in_the_middle_is_renewed_once(world: World) -> None:
    expired = {"methods": ["POST"], "path": "/lbaas/loadbalancers", "count": 1}
    with world.lab.faults.misanswering("octavia", 401, **expired):
        world.converge(ONE, **PLAIN)
    assert list(world.load_balancers()) == [zone_name("az1")]
    with world.lab.faults.misanswering("octavia", 401):
        failed = world.run(ONE, **PLAIN)
    assert failed["error_code"] == "unauthorized", failed["msg"]
