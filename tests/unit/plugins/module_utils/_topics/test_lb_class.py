# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Service's class in a cluster in memory: whole ways, what is waited for, and what is asked (CLS-1…6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import lb_class
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import SKIPPED, AwsLoadBalancer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import WantedClass
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Question,
    Step,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    Forbidden,
    Invalid,
    Timeout,
    Unreachable,
    WaitFailed,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.service import SLICES
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Gate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.lb_class import ClassTopic
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    CLEANUP,
    keeping,
    service,
    want,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    platform_objects,
    waiting,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.topics import MemoryAws, wait_kinds

FRONT, SECOND = ("services", "shop", "front"), ("services", "shop", "front-next")
KEPT = ("configmaps", "shop", "lb-estate-saved-front")
LB = AwsLoadBalancer("a1", "NLB", "a1.elb.example", "External", "vpc-1")
KNOWN = {CLASS: "us"}


class Aws(MemoryAws):
    """`left`: what it still has, or why it cannot be asked."""

    left: AwsLoadBalancer | Exception | None = None

    def left_of(self, *_former: Any) -> AwsLoadBalancer | None:
        if isinstance(self.left, Exception):
            raise self.left
        return self.left


class Cloud(MemoryCluster):
    """Gives every Service of type LoadBalancer an address, and takes it from one that is none any more."""

    def do(self, step: Step) -> Any:
        found = super().do(step)
        if step.resource == "services" and step.verb != "delete":
            made = self.objects[step.resource, step.namespace, step.name]
            made["metadata"].setdefault("uid", "new")
            lb = made["spec"]["type"] == "LoadBalancer"
            made["status"] = {"loadBalancer": {"ingress": [{"hostname": "new.example.com"}]} if lb else {}}
        return found


def shop(platform: str = "AWS", **more: Any) -> Cloud:
    made = Cloud(platform_objects(platform).objects)
    made.put("services", service(**more))
    made.put(SLICES, {"metadata": {"name": "x", "namespace": "shop"}, "endpoints": [{}]})
    return made


def topic(memory: MemoryCluster, wanted: WantedClass, aws: Aws | None = None, wait: bool = True) -> ClassTopic:
    asked = aws or Aws(SKIPPED)
    return ClassTopic(memory, asked, Given(), ("shop", "front"), wanted, waiting(wait), 30)  # type: ignore[arg-type]


def quiet(_text: str) -> None:
    pass


def wait_step(until: str, **more: Any) -> Step:
    return Step("kube", "wait", "services", "front", "shop", wait_for=Wait(until, **more))


@pytest.mark.parametrize("way", ["type_flip", "recreate"])
def test_a_whole_change_leaves_nothing_behind(way: str) -> None:
    memory = shop()
    told = run(topic(memory, want(way=way, known=KNOWN)), Gate(False, Disruption.OUTAGE), quiet)
    assert (told["changed"], told["verdict"], told["planned"]["verdict"]) == (True, "in_sync", "recreate")
    spec = memory.objects[FRONT]["spec"]
    assert (spec["loadBalancerClass"], spec["clusterIP"], spec["type"]) == (CLASS, "10.96.0.9", "LoadBalancer")
    assert KEPT not in memory.objects


def test_side_by_side_until_traffic_has_moved() -> None:
    memory = shop()
    told = run(topic(memory, want(way="side_by_side", known=KNOWN)), Gate(), quiet)
    assert (told["verdict"], told["handover"]["to"]["addresses"]) == ("in_progress", ["new.example.com"])
    assert FRONT in memory.objects
    moved = want(way="side_by_side", moved_because="seen")
    told = run(topic(memory, moved), Gate(False, Disruption.BRIEF), quiet)
    assert (told["verdict"], FRONT in memory.objects, SECOND in memory.objects) == ("in_sync", False, True)


def test_what_was_asked_counts_until_everything_is_read_anew() -> None:
    aws = Aws()
    subject = topic(shop(), want(known=KNOWN), aws)
    observed = subject.read()
    for _question in range(2):
        question = subject.decide(observed)
        assert isinstance(question, Question)
        observed = subject.ask(question, observed)
    again = subject.read(observed)
    assert (again.evidence, again.aws) == (observed.evidence, observed.aws)
    assert (subject.read().evidence, subject.read().aws) == (None, None)
    with pytest.raises(TypeError, match="nobody to ask"):
        subject.ask(Question(), observed)


@pytest.mark.parametrize("until", sorted(wait_kinds(lb_class) | {"ready", "gone"}))
def test_every_wait_that_a_decision_has_can_be_waited_for(until: str) -> None:
    subject = topic(shop(), want())
    subject.do(wait_step(until, old_uid="another"), subject.read(), quiet)


@pytest.mark.parametrize(("until", "waits"), [("ready", False), ("serves", False), ("cleaned", True)])
def test_wait_false_waits_for_what_the_next_step_needs(until: str, waits: bool) -> None:
    memory = shop(address="", finalizers=[CLEANUP])
    subject = topic(memory, want(), wait=False)
    step = wait_step(until, old_uid="u1")
    if not waits:
        subject.do(step, subject.read(), quiet)
        return
    with pytest.raises(Timeout, match=f"{CLEANUP}, which the cloud provider's controller of AWS takes off"):
        subject.do(step, subject.read(), quiet)


def test_a_class_that_nobody_watches_has_a_deadline() -> None:
    """CLS-4: long before wait_timeout."""
    subject = topic(shop(lb_class=CLASS, address=""), want())
    with pytest.raises(WaitFailed) as caught:
        subject.do(wait_step("ready"), subject.read(), quiet)
    assert caught.value.details["cause"] == "class_unwatched"


def test_the_cloud_is_asked_after_the_finalizer() -> None:
    """CLS-5: while the Service is there it is not given away beside what is left; one that is gone comes back."""
    memory, aws = shop(), Aws(SKIPPED)
    aws.left = LB
    subject = topic(memory, want(), aws)
    observed = subject.read()
    with pytest.raises(WaitFailed) as caught:
        subject.do(wait_step("cleaned", old_uid="u1"), observed, quiet)
    assert caught.value.details["cause"] == "lb_left_behind"
    subject.do(wait_step("cleaned", old_uid="another"), observed, quiet)
    assert subject.read().left == ("a1",)


def test_a_cloud_that_cannot_be_asked_is_told() -> None:
    aws = Aws(SKIPPED)
    aws.left = Unreachable("No answer.")
    subject = topic(shop(), want(), aws)
    subject.do(wait_step("cleaned", old_uid="u1"), subject.read(), quiet)
    assert subject.read().unproven == "No answer."


def test_a_health_check_port_that_went_to_another_is_given_up() -> None:
    memory = shop()
    subject = topic(memory, want())
    cause = {"field": "spec.healthCheckNodePort", "message": "provided port is already allocated"}
    memory.problems = [Invalid("refused", causes=[cause])]
    body = {"spec": {"type": "LoadBalancer", "healthCheckNodePort": 31000}}
    subject.do(Step("kube", "patch", "services", "front", "shop", body), subject.read(), quiet)
    assert "healthCheckNodePort" not in memory.objects[FRONT]["spec"]
    assert subject.read().taken == ("spec.healthCheckNodePort 31000",)


def test_every_right_is_asked_for_first() -> None:
    memory = shop()
    memory.may = lambda *_right: False  # type: ignore[method-assign, assignment]
    subject = topic(memory, want(way="side_by_side", known=KNOWN))
    with pytest.raises(Exception, match="endpointslices") as caught:
        run(subject, Gate(), quiet)
    assert isinstance(caught.value.__cause__, Forbidden)
    assert SECOND not in memory.objects


def test_a_flip_that_was_stopped_is_finished() -> None:
    memory = shop(lb_class="example.com/other", loadBalancerSourceRanges=["10.0.0.0/8"])
    first = topic(memory, want(known=KNOWN))
    observed = first.read()
    for _question in range(2):
        found = first.decide(observed)
        if isinstance(found, Question):
            observed = first.ask(found, observed)
    decision = first.decide(observed)
    assert not isinstance(decision, Question)
    for step in decision.steps[:2]:
        memory.do(step)
    memory.objects[FRONT] = merge_patch(memory.objects[FRONT], {"spec": {"loadBalancerClass": None}})
    told = run(topic(memory, want()), Gate(), quiet)
    assert "restored" in {finding["code"] for finding in told["findings"]}
    spec = memory.objects[FRONT]["spec"]
    assert (spec["loadBalancerClass"], spec["loadBalancerSourceRanges"]) == (CLASS, ["10.0.0.0/8"])


def test_a_manifest_from_another_change_tells_nothing_of_this_one() -> None:
    """It may have been left long ago; who holds the load balancer now is what the Service says now."""
    memory = shop(lb_class=CLASS, finalizers=["example.com/lb"])
    memory.put("configmaps", keeping(service("other.example.com/lb"), "type_flip"))
    subject = topic(memory, want(None, known=KNOWN))
    with pytest.raises(Timeout, match=r"example.com/lb, which us takes off"):
        subject.do(wait_step("cleaned", old_uid="u1"), subject.read(), quiet)
