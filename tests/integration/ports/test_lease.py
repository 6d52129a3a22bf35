# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a target: one holder at a time, a live one told from a dead one, nothing written once lost (CORE-11)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import PROCESS, TAKEN_FROM, micro_time
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Target
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors, lease, processes
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.lease import LEASES, TargetLock, read_holder

from .conftest import NAMESPACE, Site

TARGET = Target("IngressController", "default", NAMESPACE)
NAME = "lb-estate-ingresscontroller-default"


@pytest.fixture(autouse=True)
def _namespace(site: Site) -> None:
    site.api.seed("namespaces", {"metadata": {"name": NAMESPACE}})


def found(site: Site) -> dict[str, Any] | None:
    held = [item for item in site.api.list(LEASES, NAMESPACE)["items"] if item["metadata"]["name"] == NAME]
    return held[0] if held else None


def other(site: Site, *, age: float = 1.0, process: dict[str, Any] | None = None) -> None:
    """Somebody on another machine, whose last sign of life is `age` seconds old."""
    said = process or {"machine": "another boot", "pid": 1, "started": "1"}
    then = micro_time(time.time() - age)
    spec = {"holderIdentity": "ann on far", "leaseDurationSeconds": 60, "acquireTime": then, "renewTime": then}
    meta = {"name": NAME, "namespace": NAMESPACE, "annotations": {PROCESS: json.dumps(said)}}
    site.api.seed(LEASES, {"metadata": meta, "spec": spec})


def locked(site: Site, kube: Kube) -> TargetLock:
    lock = TargetLock(kube, TARGET)
    lock.acquire()
    return lock


def test_held_and_given_back(site: Site) -> None:
    with site.connect() as kube:
        lock = locked(site, kube)
        held = found(site)
        assert held is not None
        assert "process" in held["spec"]["holderIdentity"]
        assert held["spec"]["leaseDurationSeconds"] == 60
        lock.hold()
        lock.hold(firmly=True)
        lock.release()
        assert found(site) is None
        lock.release()  # once more does no harm


def test_a_second_run_is_told_who_and_since_when(site: Site) -> None:
    other(site, age=5)
    with site.connect() as kube:
        with pytest.raises(errors.Locked) as caught:
            locked(site, kube)
        assert "ann on far since 20" in str(caught.value)
        assert "last sign of life 5 s ago" in str(caught.value) or "6 s ago" in str(caught.value)
        holder = read_holder(kube, TARGET)
    assert holder is not None
    assert holder.alive


@pytest.mark.parametrize("spoilt", [{"renewTime": None}, {"leaseDurationSeconds": 1}])
def test_one_that_expired_is_taken_over_and_that_is_recorded(site: Site, spoilt: dict[str, Any]) -> None:
    other(site, age=600)
    site.api.patch(LEASES, NAMESPACE, NAME, {"spec": spoilt})
    with site.connect() as kube:
        lock = locked(site, kube)
        held = found(site)
        assert held is not None
        assert held["metadata"]["annotations"][TAKEN_FROM] == "ann on far"
        assert held["spec"]["leaseTransitions"] == 1
        lock.release()


def test_one_whose_process_has_ended_here_is_taken_over_at_once(site: Site) -> None:
    """A run that was killed on this machine does not keep its next run waiting."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    alive = {**lease.process(), "pid": child.pid, "started": processes.started(child.pid)}
    other(site, process=alive)
    with site.connect() as kube:
        with pytest.raises(errors.Locked):
            locked(site, kube)
        child.kill()
        time.sleep(0.05)  # a zombie until it is waited for: it has ended all the same
        locked(site, kube).release()
    child.wait(timeout=10)


def test_a_lock_that_was_taken_over_is_lost_for_good(site: Site) -> None:
    with site.connect() as kube:
        lock = locked(site, kube)
        site.api.patch(LEASES, NAMESPACE, NAME, {"spec": {"holderIdentity": "bob on near"}})
        with pytest.raises(errors.LockLost, match="lost its lock to bob on near; it writes nothing more"):
            lock.hold(firmly=True)
        with pytest.raises(errors.LockLost):
            lock.hold()
        lock.release()
    held = found(site)
    assert held is not None
    assert held["spec"]["holderIdentity"] == "bob on near"


def test_a_run_that_slept_past_its_expiry_looks_before_it_writes(site: Site) -> None:
    clock = [0.0]
    with site.connect() as kube:
        lock = TargetLock(kube, TARGET, clock=lambda: clock[0])
        lock.acquire()
        clock[0] = 1000.0
        lock.hold()  # nobody took it meanwhile
        site.api.delete(LEASES, NAMESPACE, NAME)
        lock.hold()  # fresh enough not to be asked about
        clock[0] = 2000.0
        with pytest.raises(errors.LockLost, match="somebody removed it"):
            lock.hold()
        lock.release()


def test_never_two_of_many_have_it(site: Site) -> None:
    inside: list[int] = []
    most: list[int] = []

    def one(number: int) -> str:
        with site.connect() as kube:
            try:
                lock = locked(site, kube)
            except errors.Locked:
                return "refused"
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.1)
            inside.remove(number)
            lock.release()
            return "held"

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(one, range(16)))
    assert "held" in outcomes
    assert max(most) == 1
    assert found(site) is None


def test_who_holds_it_names_the_job() -> None:
    assert lease.name_of_holder({"USER": "ann", "AWX_JOB_ID": "17"}).startswith("ann on ")
    assert lease.name_of_holder({"USER": "ann", "AWX_JOB_ID": "17"}).endswith(", job 17")
    assert "uid " in lease.name_of_holder({})
