# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The killer kills where it says, at the API server twin (OpenStack: capo/test_killed.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.killing import killed_after, killed_in_flight, running
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.workplace import PlainService, next_name
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab
from ansible_collections.edgeworks.lb_estate.tests.lab.shared.lab_gate import DONE, RECEIVED

MODULE = "slb_scope"
# What the module does to a plain Service, one write after the other, the lock around them included.
WRITES = [
    ("create", "leases"),
    ("create", "configmaps"),
    ("patch", "leases"),
    ("delete", "services"),
    ("create", "services"),
    ("delete", "configmaps"),
    ("delete", "leases"),
]
KEPT = 2  # the number of the write that keeps the manifest


@pytest.fixture
def front(lab: Lab) -> Iterator[PlainService]:
    cluster = lab.clusters.get("harness") or lab.cluster("harness", moto=False, ingress=())
    made = PlainService(cluster, next_name("front"))
    made.create()
    made.settle()
    cluster.requests.reset()
    yield made
    cluster.cloud_faults.clear()
    made.remove()


def writes_of(front: PlainService) -> list[tuple[str, str]]:
    made = front.cluster.requests.writes()
    return [(request.verb, request.resource.partition(".")[0]) for request in made]


def _options(front: PlainService) -> dict[str, Any]:
    return front.given(scope="Internal", effectuate="delete", allow_disruption="outage")


@pytest.mark.parametrize("writes", range(1, len(WRITES) + 1))
def test_after_a_write(front: PlainService, writes: int) -> None:
    assert killed_after(writes, MODULE, front.cluster.kubeconfig, **_options(front))
    assert writes_of(front) == WRITES[:writes]


def test_done_before_so_many_writes(front: PlainService) -> None:
    assert not killed_after(len(WRITES) + 1, MODULE, front.cluster.kubeconfig, **_options(front))
    assert writes_of(front) == WRITES


def test_one_that_fails_by_itself_was_not_killed(front: PlainService) -> None:
    options = {**_options(front), "scope": "Sideways"}
    with pytest.raises(AssertionError, match="Sideways"):
        killed_after(1, MODULE, front.cluster.kubeconfig, **options)


@pytest.mark.parametrize("write", range(1, len(WRITES) + 1))
def test_in_flight_and_not_begun(front: PlainService, write: int) -> None:
    """The sender is dead and the server has done nothing yet; it still does, when it likes."""
    with killed_in_flight(write, MODULE, front.cluster.kubeconfig, at=RECEIVED, **_options(front)) as held:
        assert held is not None
        assert writes_of(front) == WRITES[: write - 1]
        held.let_go()
        assert writes_of(front) == WRITES[:write]


def test_in_flight_and_done(front: PlainService) -> None:
    """It has taken effect, and its sender never knew."""
    uid = front.uid
    with killed_in_flight(KEPT, MODULE, front.cluster.kubeconfig, at=DONE, **_options(front)):
        assert writes_of(front) == WRITES[:KEPT]
        assert front.saved() is not None
    assert (front.uid, writes_of(front)) == (uid, WRITES[:KEPT])


def test_in_flight_at_the_end_of_the_block(front: PlainService) -> None:
    """A write nobody lets go takes effect then, so that no test leaves one to the next."""
    with killed_in_flight(KEPT, MODULE, front.cluster.kubeconfig, **_options(front)):
        assert front.saved() is None
    assert front.saved() is not None


def test_done_before_the_write_in_question(front: PlainService) -> None:
    with killed_in_flight(len(WRITES) + 1, MODULE, front.cluster.kubeconfig, **_options(front)) as held:
        assert held is None
    assert writes_of(front) == WRITES


def test_killed_at_another_moment(front: PlainService) -> None:
    front.cluster.cloud_faults.hold_delete(front.service_name)
    with running(MODULE, front.cluster.kubeconfig, **_options(front)) as program:
        front.wait_for(lambda: "deletionTimestamp" in front.live()["metadata"], "the Service to be going")
        program.kill_9()
    assert program.returncode == -9
    front.cluster.cloud_faults.clear()
    assert writes_of(front) == WRITES[:4]
