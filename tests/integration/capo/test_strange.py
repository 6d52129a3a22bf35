# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that are none, credentials of another project, answers that get lost, name servers that hang (Safe CAPO)."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import NewWorld
from .world import HOST, NAMESPACE, RECORD, World, zone_name

pytestmark = pytest.mark.openstack
pytest_plugins = ["ansible_collections.edgeworks.lb_estate.tests.lab.openstack.fixtures"]
ONE = ("az1",)
PLAIN: dict[str, Any] = {"floating_ips": False}
GONE: dict[str, Any] = {"state": "absent", "traffic_moved": True, "allow_disruption": "outage", **PLAIN}
LOGIN = "<html>Please sign in</html>"


@pytest.fixture(scope="module")
def world(new_world: NewWorld) -> World:
    """One zone, built; every test leaves it as it is."""
    built = new_world()
    done = built.run(ONE, **PLAIN)
    assert not done.get("failed"), done["msg"]
    return built


@pytest.fixture(autouse=True)
def _healed(world: World) -> Iterator[None]:
    yield
    world.lab.faults.clear()


@pytest.mark.parametrize("text", [LOGIN, "{}", '{"loadbalancers": null}'])
def test_a_login_page_is_not_an_empty_project(world: World, text: str) -> None:
    since = world.mark()
    with world.lab.faults.misanswering("octavia", 200, text=text, methods=["GET"], path="/loadbalancers"):
        gone, built = world.run((), **GONE), world.run(ONE, **PLAIN)
    for told in (gone, built):
        assert told["error_code"] == "unreadable", told
        assert "not octavia's" in told["msg"]
    assert not world.writes(since)
    assert world.api.get("configmaps", NAMESPACE, RECORD)


def test_another_projects_credentials_see_nothing_and_forget_nothing(world: World) -> None:
    other = world.lab.project("capo-stranger").cloud
    (lb,) = world.load_balancers().values()
    for options in (GONE, {"state": "single", **PLAIN}):
        told = world.run((), cloud=other, **options)
        assert told["error_code"] == "blocked", told
        assert lb.id in told["msg"]
    assert world.api.get("configmaps", NAMESPACE, RECORD)


def test_a_write_that_was_carried_out_and_answered_500_is_a_change(world: World) -> None:
    with world.lab.faults.misanswering("octavia", 500, methods=["PUT"], when="after", count=1):
        told = world.run(ONE, timeout_client_data=3_000_000, **PLAIN)
    assert not told.get("failed"), told["msg"]
    assert (told["changed"], told["verdict"]) == (True, "in_sync"), told["message"]
    assert "changed in place" in told["message"]
    listener = world.cloud.load_balancer.find_listener(f"{zone_name('az1')}-6443")
    assert listener.timeout_client_data == 3_000_000


def test_a_name_server_that_hangs_is_inside_the_deadline(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = socket.getaddrinfo

    def hanging(host: Any, *args: Any, **options: Any) -> Any:
        if host == HOST:
            time.sleep(30)
        return ask(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    begun = time.monotonic()
    asked = {"resolve_endpoint": True, "traffic_moved_because": None, "timeout_client_data": 3_000_000}
    world.run(ONE, check=True, wait_timeout=3, **{**PLAIN, **asked})
    assert time.monotonic() - begun < 8  # the deadline, and what a busy machine needs for the rest
