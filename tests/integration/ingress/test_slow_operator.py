# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator that is slower than we look: nothing is decided on a status that is of before (SUB-13, CORE-14)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL

from .conftest import NewIngress
from .proofs import prove
from .test_conflicts import IC
from .test_frozen import NOW, freeze, ids, uids_of
from .workplace import Ingress

SECONDS = 0.5


@pytest.fixture
def slow(ingress: NewIngress) -> Iterator[Ingress]:
    """Its Elastic IPs cannot stand beside an Internal scope."""
    subject = ingress(type="NLB", subnets="public", eips=3)
    with subject.cluster.operator.slow(SECONDS):
        yield subject


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize("wait", [True, False])
def test_two_stages(slow: Ingress, way: str, wait: bool) -> None:
    """The second stage begins once the operator is through with the first."""
    wanted = {"scope": "Internal", "eip_allocations": [], "subnets": {"ids": ids(slow, "private")}}
    result = slow.run("ingress_lb_subnets", effectuate=way, wait=wait, **wanted, **NOW)
    assert not result.get("failed"), result["msg"]
    slow.settle()
    assert (slow.annotations[AWS_INTERNAL], AWS_EIPS in slow.annotations, slow.armed) == ("true", False, None)
    assert len(uids_of(slow)) == 3 or not wait
    assert not any("forbidden" in line for line in slow.cluster.operator.log if slow.name in line)


def test_a_rescue(slow: Ingress) -> None:
    freeze(slow)
    prove(slow, "lb_effectuate", changes=["all"], unfreeze=True, effectuate="operator", **NOW)
    assert (slow.annotations[AWS_INTERNAL], AWS_EIPS in slow.annotations, slow.armed) == ("true", False, None)


@contextmanager
def written_to_while_disarming(subject: Ingress) -> Iterator[None]:
    """Another write to the IngressController lands between the look before the disarming and the disarming itself."""

    def watch() -> None:
        subject.wait_for(lambda: subject.armed, "our arming")
        fault = subject.cluster.faults.add("hold", verb="patch", resource=IC, count=1)
        subject.wait_for(lambda: fault.hits, "our disarming")
        subject.patch({"metadata": {"labels": {"seen-by": "audit"}}})
        fault.let_go()

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join(timeout=40)


def test_a_write_in_the_moment_of_disarming_ends_no_stage_halfway(slow: Ingress) -> None:
    """Safe ingress 6: the second stage is no second deletion for the same reason."""
    wanted = {"scope": "Internal", "eip_allocations": [], "subnets": {"ids": ids(slow, "private")}}
    with written_to_while_disarming(slow):
        result = slow.run("ingress_lb_subnets", effectuate="operator", **wanted, **NOW)
    assert not result.get("failed"), result["msg"]
    assert (slow.armed, len(uids_of(slow))) == (None, 3)
