# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which process holds a lock; the Lease itself is tried on a server (tests/integration/ports/test_lease.py)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import PROCESS, lock_name, micro_time
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Target
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import lease
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Locked
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import MemoryClock, MemoryCluster

TARGET = Target("Thing", "t", "ns")


def held(**said: Any) -> dict[str, Any]:
    return {"metadata": {"annotations": {PROCESS: json.dumps({**lease.process(), **said})}}}


def test_this_very_process_has_not_ended() -> None:
    assert lease.process()["pid"] == os.getpid()
    assert not lease.has_ended(held())


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        pytest.param({"started": "1"}, True, id="its number was given to another"),
        pytest.param({"pid": 2**22 + 1}, True, id="there is no such process"),
        pytest.param({"machine": "elsewhere", "pid": 2**22 + 1}, False, id="nobody can tell from here"),
        pytest.param({"machine": ""}, False, id="nor where a machine has no name"),
        pytest.param({"pid": "x"}, False, id="garbage proves nothing"),
    ],
)
def test_who_is_known_to_have_ended(said: dict[str, Any], ended: bool) -> None:
    assert lease.has_ended(held(**said)) is ended


@pytest.mark.parametrize("annotations", [None, {}, {PROCESS: "no json"}, {PROCESS: "[]"}, {PROCESS: "null"}])
def test_a_mark_that_cannot_be_read_proves_nothing(annotations: Any) -> None:
    assert not lease.has_ended({"metadata": {"annotations": annotations}})


def test_a_machine_without_proc_never_claims_that_somebody_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = held()

    def missing(*_args: Any, **_more: Any) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", missing)
    assert not lease.has_ended(mark)


@pytest.mark.parametrize(
    ("environ", "words"),
    [({"USER": "ann"}, ("ann on ", "process")), ({"LOGNAME": "bob", "JOB_ID": "7"}, ("bob on ", ", job 7"))],
)
def test_the_holder_is_named_for_people(environ: dict[str, str], words: tuple[str, ...]) -> None:
    assert all(word in lease.name_of_holder(environ) for word in words)


def future(ahead: float, seconds: int = 60, version: str = "1") -> dict[str, Any]:
    """A Lease of another machine whose clock is wrong."""
    then = micro_time(MemoryCluster().now() + ahead)
    spec = {"holderIdentity": "ann", "leaseDurationSeconds": seconds, "acquireTime": then, "renewTime": then}
    marks = {"uid": "u", "resourceVersion": version, "annotations": {PROCESS: json.dumps({"machine": "far", "pid": 1})}}
    return {"metadata": {"name": lock_name(TARGET), "namespace": "ns", **marks}, "spec": spec}


class Renewing(MemoryClock):
    """While this time passes, the other one renews, or goes."""

    def __init__(self, cluster: MemoryCluster, *then: dict[str, Any] | None) -> None:
        super().__init__()
        self._cluster, self._then = cluster, list(then)

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self._then:
            found = self._then.pop(0)
            self._cluster.objects.clear()
            if found is not None:
                self._cluster.put(lease.LEASES, found)


@pytest.mark.parametrize("ahead", [90, 3600, 10**9])
@pytest.mark.parametrize("seconds", [60, 2**31 - 1])
def test_a_holder_from_the_future_is_watched_and_taken_over_only_when_it_stays_still(
    ahead: float, seconds: int
) -> None:
    cluster = MemoryCluster()
    cluster.put(lease.LEASES, future(ahead, seconds))
    clock = MemoryClock()
    holder = lease.read_holder(cluster, TARGET, clock.clock())
    assert holder is not None
    assert not holder.alive
    assert clock.now() == 60
    lock = lease.TargetLock(cluster, TARGET, MemoryClock().clock())  # type: ignore[arg-type]
    lock.acquire()
    lock.release()


def test_a_holder_from_the_future_that_renews_is_alive() -> None:
    cluster = MemoryCluster()
    cluster.put(lease.LEASES, future(3600))
    clock = Renewing(cluster, future(3600), future(3615, version="2"))
    with pytest.raises(Locked, match="s ahead of the server's clock"):
        lease.TargetLock(cluster, TARGET, clock.clock()).acquire()  # type: ignore[arg-type]
    assert clock.now() == 10


def test_a_holder_from_the_future_that_goes_leaves_the_lock_free() -> None:
    cluster = MemoryCluster()
    cluster.put(lease.LEASES, future(3600))
    assert lease.read_holder(cluster, TARGET, Renewing(cluster, None).clock()) is None
