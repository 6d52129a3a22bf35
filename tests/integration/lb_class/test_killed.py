# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 after any write of any way and during one: the next run brings it to its end, with the same allocations."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import killed_after, killed_in_flight
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import finding, prove
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import PlainService
from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import DONE, RECEIVED

from .conftest import NewClassed
from .workplace import MODULE, MOVED, OUTAGE, RANGES, WATCHED, ClassedService

BESIDE: dict[str, Any] = {"lb_class": WATCHED, "way": "side_by_side"}
RICH: dict[str, Any] = {
    "annotations": {"example.com/owner": "shop"},
    "externalTrafficPolicy": "Local",
    "loadBalancerSourceRanges": RANGES,
}
#: When a held write lands, seen from the run that comes next.
BEFORE, DURING, AFTER = "before", "during", "after"
LANDINGS = ((RECEIVED, BEFORE), (RECEIVED, DURING), (RECEIVED, AFTER), (DONE, BEFORE))
_MOST_WRITES = 12


def _nothing(_subject: ClassedService) -> None: ...


@dataclass(frozen=True)
class Scenario:
    """`first`: the class it starts with. `begin`: what is done before the run that is killed."""

    options: dict[str, Any]
    lb_class: str | None
    first: str | None = None
    begin: Callable[[ClassedService], Any] = _nothing
    second: bool = False  # a second Service is there at the end
    retired: bool = False

    def ends(self, subject: ClassedService, before: dict[str, Any]) -> None:
        """The run after it succeeds, the one after that is idle, and nothing is lost or left."""
        prove(subject, MODULE, **self.options)
        if self.retired:
            assert subject.service() is None
        else:
            assert (subject.lb_class, subject.kept()) == (self.lb_class, before)
        assert (subject.second.service() is not None, subject.saved()) == (self.second, None)


SCENARIOS = {
    "set by type_flip": Scenario({"lb_class": WATCHED, "way": "type_flip", **OUTAGE}, WATCHED),
    "cleared by type_flip": Scenario({"state": "absent", "way": "type_flip", **OUTAGE}, None, WATCHED),
    "set by recreate": Scenario({"lb_class": WATCHED, "way": "recreate", **OUTAGE}, WATCHED),
    "cleared by recreate": Scenario({"state": "absent", "way": "recreate", **OUTAGE}, None, WATCHED),
    "a second one": Scenario(BESIDE, None, second=True),
    "the first one retired": Scenario(
        {**BESIDE, **MOVED}, None, begin=lambda subject: subject.change(**BESIDE), second=True, retired=True
    ),
}


def begun(classed: NewClassed, scenario: Scenario) -> tuple[ClassedService, dict[str, Any]]:
    subject = classed(lb_class=scenario.first, **RICH)
    scenario.begin(subject)
    return subject, subject.kept()


def dies_after(classed: NewClassed, scenario: Scenario, writes: int) -> bool:
    """Was it killed, and not done before?"""
    subject, before = begun(classed, scenario)
    killed = killed_after(writes, MODULE, subject.cluster.kubeconfig, **subject.given(**scenario.options))
    scenario.ends(subject, before)
    return killed


def dies_during(classed: NewClassed, scenario: Scenario, write: int, at: str, landing: str) -> bool:
    """Killed while this write is in flight; False when the run had succeeded before it."""
    subject, before = begun(classed, scenario)
    given = subject.given(**scenario.options)
    with killed_in_flight(write, MODULE, subject.cluster.kubeconfig, at=at, **given) as held:
        if held is None:
            return False
        if landing == BEFORE:
            held.let_go()
        else:
            pause = random.Random(f"{write} {at}").uniform(0.0, 0.3) if landing == DURING else 0.0
            later = threading.Timer(pause, held.let_go)
            if landing == DURING:
                later.start()
            subject.change(**scenario.options)
            if landing == AFTER:
                later.start()
            later.join()
    # A late write may have left the manifest that the next run forgets, and nothing else.
    subject.change(**scenario.options)
    scenario.ends(subject, before)
    return True


@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_after_a_write(classed: NewClassed, name: str) -> None:
    """Two of all writes, by a seed; the whole loop is for `-m long`."""
    for writes in random.Random(name).sample(range(2, 5), 2):
        assert dies_after(classed, SCENARIOS[name], writes)


@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_while_a_write_is_in_flight(classed: NewClassed, name: str) -> None:
    draw = random.Random(f"{name} in flight")
    assert dies_during(classed, SCENARIOS[name], draw.randint(2, 4), *draw.choice(LANDINGS))


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_after_each_write(classed: NewClassed, name: str) -> None:
    for writes in itertools.count(1):
        assert writes <= _MOST_WRITES, f"{name} takes more than {_MOST_WRITES} writes"
        if not dies_after(classed, SCENARIOS[name], writes):
            return


@pytest.mark.long
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(("at", "landing"), LANDINGS)
def test_killed_during_each_write(classed: NewClassed, name: str, at: str, landing: str) -> None:
    for write in itertools.count(1):
        assert write <= _MOST_WRITES, f"{name} takes more than {_MOST_WRITES} writes"
        if not dies_during(classed, SCENARIOS[name], write, at, landing):
            return


@pytest.mark.parametrize("way", ["recreate", "type_flip"])
def test_what_another_service_took_meanwhile_is_told(classed: NewClassed, way: str) -> None:
    """Issue, faults: it comes back with what is still free, and says what is not."""
    subject = classed(**RICH)
    old = subject.live()["spec"]
    options = {"lb_class": WATCHED, "way": way, **OUTAGE}
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    assert subject.run(MODULE, wait_timeout=1, **options)["failed"]
    subject.cluster.cloud_faults.clear()
    if way == "recreate":
        subject.wait_for(lambda: subject.service() is None, "the old one to be gone")
    thief = PlainService(subject.cluster, f"{subject.service_name}-thief")
    free = {"clusterIP": old["clusterIP"]} if way == "recreate" else {}  # a flip holds its cluster IP all the time
    thief.create(type="NodePort", ports=[{"port": 1, "nodePort": old["healthCheckNodePort"]}], **free)
    try:
        result = prove(subject, MODULE, **options).applied
    finally:
        thief.remove()
    now = subject.live()["spec"]
    lost = [*(["spec.clusterIPs"] if free else []), "spec.healthCheckNodePort"]
    assert [one.split()[0] for one in finding(result, "allocation_taken")["value"]] == lost
    assert (now["clusterIP"] == old["clusterIP"], now["ports"] == old["ports"]) == (not free, True)
    assert subject.saved() is None
