# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A lock without a cluster: each makes its marker, then looks; whoever sees a live one steps back (CORE-11)."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Target
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import lease
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Forbidden, Locked, LockLost
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_cloud import CloudCall
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_lock import CloudLock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.openstack_refusals import CloudAnswer
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._ports.clouds import LOST, TableCloud

TARGET = Target("CapoApiLoadBalancers", "prod", "capi")
NAME = "lb-estate-lock capi/prod"
SOMEWHERE = json.dumps({"machine": "elsewhere", "pid": 1, "started": "1"})
ENDED = json.dumps({**lease.process(), "started": "0"})


class Neutron(TableCloud):
    """Ports that are made, listed by name, changed and removed."""

    def __init__(self) -> None:
        super().__init__({})
        self.ports: dict[str, dict[str, Any]] = {}
        self.count = 0
        self.skew = 0.0

    def now(self) -> float:
        return time.time() + self.skew

    def add(self, age: float, created: float = 1000, **body: Any) -> str:
        self.count += 1
        at = {"created_at": self._time(created), "updated_at": self._time(age)}
        port = {"name": NAME, "device_owner": "lb-estate:lock", "description": "ann", "device_id": SOMEWHERE, **at}
        self.ports[f"p{self.count}"] = {"id": f"p{self.count}", "project_id": "project", **port, **body}
        return f"p{self.count}"

    def _time(self, age: float) -> str:
        return datetime.fromtimestamp(self.now() - age, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def send(self, call: CloudCall, tries: Any = None) -> CloudAnswer:
        with self._turn:
            self.calls.append(call)
            if str(call) in self.table and call.method != "GET":
                answer = self.table[str(call)]
                return answer(self) if callable(answer) else answer
            return self._served(call)

    def _served(self, call: CloudCall) -> CloudAnswer:
        port = call.path.rpartition("/")[2]
        if call.method == "POST":
            return CloudAnswer(201, {"port": self.ports[self.add(0, 0, **call.body["port"])]})
        if call.method == "GET":
            assert call.query
            return CloudAnswer(
                200, {"ports": [one for one in self.ports.values() if one["name"] == call.query["name"]]}
            )
        if port not in self.ports:
            return CloudAnswer(404)
        if call.method == "DELETE":
            del self.ports[port]
            return CloudAnswer(204)
        self.ports[port] |= {**call.body["port"], "updated_at": self._time(0)}
        return CloudAnswer(200, {"port": self.ports[port]})


@pytest.fixture
def neutron() -> Neutron:
    return Neutron()


@pytest.fixture
def lock(neutron: Neutron) -> Iterator[CloudLock]:
    one = CloudLock(neutron, TARGET, lambda: "net")
    yield one
    one.release()


def test_it_is_a_port_without_an_address_and_goes_with_the_run(neutron: Neutron, lock: CloudLock) -> None:
    lock.acquire()
    (marker,) = neutron.ports.values()
    assert (marker["network_id"], marker["fixed_ips"], marker["admin_state_up"]) == ("net", [], False)
    assert max(len(marker[name]) for name in ("description", "device_id")) <= 255
    lock.hold(firmly=True)
    assert "renewed 1 times" in neutron.ports[marker["id"]]["description"]
    lock.release()
    assert neutron.ports == {}
    lock.release()


def test_a_run_that_holds_it_is_named(neutron: Neutron, lock: CloudLock) -> None:
    held = neutron.add(age=10, description="ann on bastion; renewed 7 times")
    with pytest.raises(Locked, match=r"ann on bastion since .* last sign of life 1[01] s ago"):
        lock.acquire()
    assert list(neutron.ports) == [held]


@pytest.mark.parametrize(("age", "process"), [(61, SOMEWHERE), (5, ENDED)], ids=["expired", "ended"])
def test_one_that_expired_or_ended_is_taken_over(neutron: Neutron, lock: CloudLock, age: float, process: str) -> None:
    dead = neutron.add(age, device_id=process)
    assert lock.left_behind() == (dead,)
    lock.acquire()
    assert dead not in neutron.ports
    assert lock.left_behind() == ()


def test_the_clock_that_counts_is_the_clouds(neutron: Neutron, lock: CloudLock) -> None:
    neutron.skew = 5000
    neutron.add(age=10)
    with pytest.raises(Locked):
        lock.acquire()


def test_other_targets_are_others(neutron: Neutron, lock: CloudLock) -> None:
    neutron.add(age=1, name="lb-estate-lock capi/other")
    lock.acquire()


def test_two_that_come_at_the_same_moment_both_step_back_and_come_again(neutron: Neutron, lock: CloudLock) -> None:
    """The other one is there when we look, and has gone when we come again."""
    other = neutron.add(age=0, created=0)
    deleted: list[str] = []

    def step_back(cloud: Neutron) -> CloudAnswer:
        cloud.ports.pop(other, None)
        deleted.append("ours")
        cloud.ports.pop("p2", None)
        return CloudAnswer(204)

    neutron.table["DELETE /ports/p2"] = step_back
    lock.acquire()
    assert deleted == ["ours"]
    assert list(neutron.ports) == ["p3"]


def test_never_two_at_once(neutron: Neutron) -> None:
    """However their requests fall."""
    inside, most, had = 0, 0, 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most, had
        one = CloudLock(neutron, TARGET, lambda: "net")
        try:
            one.acquire()
        except Locked:
            return
        with guard:
            inside += 1
            had += 1
            most = max(most, inside)
        time.sleep(0.001)
        with guard:
            inside -= 1
        one.release()

    threads = [threading.Thread(target=work) for _run in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert had >= 1
    assert neutron.ports == {}


def test_one_that_somebody_removed_is_lost(neutron: Neutron, lock: CloudLock) -> None:
    lock.acquire()
    neutron.ports.clear()
    lock.hold()
    with pytest.raises(LockLost, match="somebody removed it"):
        lock.hold(firmly=True)
    with pytest.raises(LockLost):
        lock.hold()


def test_a_lost_answer_leaves_no_second_marker(neutron: Neutron, lock: CloudLock) -> None:
    def landed(cloud: Neutron) -> CloudAnswer:
        cloud.add(0, 0, device_id=lease.this_process())
        return LOST

    neutron.table["POST /ports"] = landed
    lock.acquire()
    assert len(neutron.ports) == 1


def test_without_the_right_to_it_the_other_way_is_named(neutron: Neutron, lock: CloudLock) -> None:
    neutron.table["POST /ports"] = CloudAnswer(403, {"NeutronError": {"type": "PolicyNotAuthorized", "message": "no"}})
    with pytest.raises(Forbidden, match=r"its lock.*management cluster"):
        lock.acquire()


def test_without_a_network_there_is_nothing_to_lock(neutron: Neutron) -> None:
    lock = CloudLock(neutron, TARGET, lambda: "")
    lock.acquire()
    lock.hold(firmly=True)
    lock.release()
    assert neutron.calls == []
