# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No run leaves its own auto-delete armed in silence, whatever befalls it (SUB-6, CORE-14)."""

from __future__ import annotations

import json
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, run_task

from .conftest import NewIngress
from .proofs import codes, finding
from .test_conflicts import IC, NOW, ids
from .test_past_the_gate import subnets_patch
from .workplace import Ingress


@pytest.fixture
def subject(ingress: NewIngress) -> Ingress:
    return ingress(type="NLB", subnets="public")


@contextmanager
def while_armed(subject: Ingress, act: Callable[[], Any]) -> Iterator[None]:
    """`act` happens after the arming, while the old load balancer is held in the cloud."""
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    trouble: list[BaseException] = []

    def watch() -> None:
        try:
            subject.wait_for(lambda: subject.armed, "our arming")
            act()
        except BaseException as problem:
            trouble.append(problem)
        finally:
            subject.cluster.cloud_faults.clear()

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join(timeout=40)
    assert not trouble, trouble


def recreate(subject: Ingress, **options: Any) -> Result:
    wanted = {"subnets": {"ids": ids(subject, "spare_public")}}
    return subject.run("ingress_lb_subnets", effectuate="operator", **wanted, **NOW, **options)


def carry_out(subject: Ingress, command: str) -> None:
    """A patch of the IngressController, as a person would paste it."""
    words = shlex.split(command)
    assert words[:4] == ["oc", "-n", "openshift-ingress-operator", "patch"]
    subject.patch(json.loads(words[-1].removeprefix("--patch=")))


def test_a_disarming_that_meets_writers_is_tried_again(subject: Ingress) -> None:
    """Somebody wants other subnets meanwhile, so the next round ends the task: armed, their next edit is an outage."""

    def meddle() -> None:
        subject.patch(subnets_patch(subject, "private"))
        subject.cluster.faults.add("error", verb="patch", resource=IC, status=409, count=7)

    with while_armed(subject, meddle):
        result = recreate(subject)
    assert result["failed"], result
    assert (subject.armed, "left_armed" in codes(result)) == (None, False)


def test_what_cannot_be_disarmed_is_said_first(subject: Ingress) -> None:
    def forbid() -> None:
        subject.cluster.faults.add("error", verb="patch", resource=IC, status=403)

    with while_armed(subject, forbid):
        result = recreate(subject)
    assert (result["failed"], result["error_code"]) == (True, "forbidden")
    assert "Auto-delete is still armed by this run" in result["msg"].partition(".")[0]
    assert codes(result).count("left_armed") == 1
    subject.cluster.faults.clear()
    assert subject.armed
    carry_out(subject, result["commands"][0])
    assert subject.armed is None


@pytest.mark.parametrize("kind", ["drop_before", "hold"])
def test_a_cluster_that_is_lost_after_the_arming(subject: Ingress, kind: str) -> None:
    """CORE-10, CORE-14: what was begun and what is left is told, and near the deadline."""
    begun = time.monotonic()
    with while_armed(subject, lambda: subject.cluster.faults.add(kind)):
        result = recreate(subject, wait_timeout=4)
    assert time.monotonic() - begun < 60
    assert (result["failed"], result["error_code"], result["changed"]) == (True, "unreachable", True)
    assert "Auto-delete is still armed by this run" in result["msg"].partition(".")[0]
    assert "recreate the Service" in finding(result, "end_not_seen")["what"]
    subject.cluster.faults.clear()
    carry_out(subject, result["commands"][0])
    assert subject.armed is None


def test_radar_does_not_say_that_all_agrees_while_it_is_armed(subject: Ingress) -> None:
    subject.arm("edgeworks.lb_estate/0123456789abcdef")
    seen = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")
    row = next(one for one in seen["targets"] if one["name"] == subject.name)
    assert "left_armed" in row["codes"]
    assert row["message"].startswith("Auto-delete was left armed")
    carry_out(subject, row["commands"][0])
    assert subject.armed is None
