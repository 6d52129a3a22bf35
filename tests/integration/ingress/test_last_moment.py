# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others do in the last moment of a task is seen and said (CORE-8, CORE-14)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL

from .conftest import NewIngress
from .proofs import codes, finding
from .test_conflicts import IC, NOW, ids, meanwhile
from .test_tidied_up import while_armed
from .workplace import Ingress


@pytest.fixture
def subject(ingress: NewIngress) -> Ingress:
    return ingress(type="NLB", subnets="public")


@pytest.mark.parametrize("reviewed", [False, True])
@pytest.mark.parametrize("way", ["operator", "delete"])
def test_what_a_recreation_brings_along_unasked_is_said(subject: Ingress, way: str, reviewed: bool) -> None:
    options = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": way, **NOW}
    if reviewed:
        options["fingerprint"] = subject.run("ingress_lb_subnets", check=True, **options)["fingerprint"]

    def change() -> None:
        subject.patch_lb(scope="Internal")

    held = while_armed(subject, change) if way == "operator" else meanwhile(subject, "delete", "services", change)
    with held:
        result = subject.run("ingress_lb_subnets", **options)
    assert subject.annotations[AWS_INTERNAL] == "true"
    found = finding(result, "unplanned_effect")
    assert f"{AWS_INTERNAL}: planned none, is 'true'" in found["what"]
    assert found["what"] in result["message"]
    assert (result.get("failed", False), found["severity"]) == (reviewed, "error" if reviewed else "warning")
    if reviewed:
        assert result["error_code"] == "unplanned_effect"


@contextmanager
def at_the_last_look(subject: Ingress, act: Callable[[], None]) -> Iterator[None]:
    """`act` happens once the disarming is over, while the look after it is held."""
    trouble: list[BaseException] = []

    def watch() -> None:
        try:
            subject.wait_for(lambda: subject.armed, "our arming")
            disarming = subject.cluster.faults.add("hold", verb="patch", resource=IC, count=1)
            subject.wait_for(lambda: disarming.hits, "our disarming")
            looking = subject.cluster.faults.add("hold", verb="get", resource="services", count=1)
            disarming.let_go()
            subject.wait_for(lambda: looking.hits, "the last look")
            act()
            looking.let_go()
        except BaseException as problem:
            trouble.append(problem)

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join(timeout=40)
    assert not trouble, trouble


@pytest.mark.parametrize("wait", [True, False])
def test_a_service_that_goes_at_the_last_look_is_waited_for(subject: Ingress, wait: bool) -> None:
    """CORE-14: with wait, ok means that it serves."""

    def delete() -> None:
        subject.cluster.api.delete("services", subject.namespace, subject.service_name)

    with at_the_last_look(subject, delete):
        wanted = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": "operator"}
        result = subject.run("ingress_lb_subnets", wait=wait, **wanted, **NOW)
    assert not result.get("failed"), result["msg"]
    if wait:
        assert (result["verdict"], result["after"]["addresses"]) == ("in_sync", [subject.address])
        assert "is down" not in result["message"]
    else:
        assert "is down" in result["message"]


def test_one_that_does_not_come_back_fails_the_task(subject: Ingress) -> None:
    def delete() -> None:
        subject.cluster.cloud_faults.hold_ensure(subject.service_name)
        subject.cluster.api.delete("services", subject.namespace, subject.service_name)

    with at_the_last_look(subject, delete):
        wanted = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": "operator"}
        result = subject.run("ingress_lb_subnets", wait_timeout=3, **wanted, **NOW)
    assert (result["failed"], result["error_code"]) == (True, "timeout")
    assert codes(result)


@pytest.mark.parametrize("wait", [True, False])
def test_what_somebody_undoes_before_the_end_is_no_success(subject: Ingress, wait: bool) -> None:
    """Safe ingress 8, 9: at its end a task does not speak of what would be."""

    def undo() -> None:
        params = {"networkLoadBalancer": {"subnets": {"ids": ids(subject, "public")}}}
        subject.patch_lb(providerParameters={"type": "AWS", "aws": {"type": "NLB", **params}})

    with once_patched(subject, undo):
        wanted = {"subnets": {"ids": ids(subject, "spare_public")}}
        result = subject.run("ingress_lb_subnets", wait=wait, **wanted)
    found = finding(result, "not_in_force")
    assert "Somebody changed it before the end of this task" in found["what"]
    assert (result.get("failed", False), found["severity"]) == (wait, "error" if wait else "warning")
    assert result["message"] == found["what"]


@contextmanager
def once_patched(subject: Ingress, act: Callable[[], None]) -> Iterator[None]:
    """`act` happens before the first look after the run's patch."""
    trouble: list[BaseException] = []
    patching = subject.cluster.faults.add("hold", verb="patch", resource=IC, count=1)

    def watch() -> None:
        try:
            subject.wait_for(lambda: patching.hits, "our patch")
            before = subject.ic()["metadata"]["generation"]
            looking = subject.cluster.faults.add("hold", verb="get", resource=IC, count=1)
            patching.let_go()
            subject.wait_for(lambda: looking.hits and subject.ic()["metadata"]["generation"] > before, "the next look")
            act()
            looking.let_go()
        except BaseException as problem:
            trouble.append(problem)

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    thread.join(timeout=40)
    assert not trouble, trouble
