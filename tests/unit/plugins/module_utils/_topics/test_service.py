# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service: what is kept is brought back, even where its old ports cannot be (SCO-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import service
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import SKIPPED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import AwsQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Disruption,
    Question,
    Step,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Invalid, Timeout
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed, Gate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.service import ServiceTopic
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    platform_objects,
    waiting,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.topics import MemoryAws, wait_kinds

FRONT = ("services", "shop", "front")
KEPT = ("configmaps", "shop", "lb-estate-saved-front")
AWS_INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"


class Cloud(MemoryCluster):
    """Gives a Service that is made anew a uid and an address."""

    def do(self, step: Step) -> Any:
        found = super().do(step)
        if (step.verb, step.resource) == ("create", "services"):
            self.objects[FRONT]["metadata"]["uid"] = "new"
            self.objects[FRONT]["status"] = {"loadBalancer": {"ingress": [{"hostname": "new.example.com"}]}}
        return found


def shop() -> Cloud:
    made = Cloud(platform_objects("AWS").objects)
    spec = {"type": "LoadBalancer", "clusterIP": "10.96.0.9", "ports": [{"port": 80, "nodePort": 30080}]}
    meta = {"name": "front", "namespace": "shop", "uid": "old", "resourceVersion": "7"}
    status = {"loadBalancer": {"ingress": [{"hostname": "old.example.com"}]}}
    made.put("services", {"metadata": meta, "spec": spec, "status": status})
    return made


def topic(memory: MemoryCluster, aws: MemoryAws | None = None, wait: bool = True) -> ServiceTopic:
    asked = aws or MemoryAws(SKIPPED)
    return ServiceTopic(memory, asked, Given(), ("shop", "front"), ("Internal", "delete"), waiting(wait))  # type: ignore[arg-type]


def wait_step(until: str, **more: Any) -> Step:
    return Step("kube", "wait", "services", "front", "shop", wait_for=Wait(until, **more))


def quiet(_text: str) -> None:
    pass


def taken(*fields: str, message: str = "provided IP is already allocated") -> Invalid:
    return Invalid("refused", causes=[{"field": field, "message": message} for field in fields])


def test_a_whole_recreation_leaves_nothing_behind() -> None:
    memory = shop()
    told = run(topic(memory), Gate(False, Disruption.OUTAGE), quiet)
    assert (told["changed"], told["verdict"], told["planned"]["verdict"]) == (True, "in_sync", "recreate")
    assert memory.objects[FRONT]["metadata"]["annotations"] == {AWS_INTERNAL: "true"}
    assert memory.objects[FRONT]["spec"]["clusterIP"] == "10.96.0.9"
    assert KEPT not in memory.objects


def test_what_the_cloud_said_counts_until_everything_is_read_anew() -> None:
    aws = MemoryAws()
    subject = topic(shop(), aws)
    first = subject.read()
    question = subject.decide(first)
    assert isinstance(question, AwsQuestion)
    answered = subject.ask(question, first)
    assert answered.aws is not None
    assert subject.read(answered).aws == answered.aws
    assert subject.read().aws is None
    assert aws.asked == [question]
    with pytest.raises(TypeError, match="nobody to ask"):
        subject.ask(Question(), first)


@pytest.mark.parametrize("until", sorted(wait_kinds(service)))
def test_every_wait_that_a_decision_has_can_be_waited_for(until: str) -> None:
    subject = topic(shop())
    observed = subject.read()
    subject.do(wait_step(until, old_uid="another", old_addresses=("another.example.com",)), observed, quiet)


def test_a_wait_nobody_knows_is_our_mistake() -> None:
    subject = topic(shop())
    with pytest.raises(KeyError):
        subject.do(wait_step("whenever"), subject.read(), quiet)


@pytest.mark.parametrize(("until", "waits"), [("ready", False), ("readdressed", False), ("gone", True)])
def test_wait_false_waits_for_nothing_but_the_free_name(until: str, waits: bool) -> None:
    memory = shop()
    subject = topic(memory, wait=False)
    observed = subject.read()
    memory.objects[FRONT]["status"] = {}
    step = wait_step(until, old_uid="old")
    if not waits:
        subject.do(step, observed, quiet)
        return
    with pytest.raises(Timeout, match="Service shop/front: waited 60 s for the old load balancer"):
        subject.do(step, observed, quiet)


@pytest.mark.parametrize(
    "problems",
    [
        pytest.param([taken("spec.clusterIPs"), taken("spec.ports[0].nodePort")], id="one at a time"),
        pytest.param([taken("spec.clusterIPs", "spec.ports[0].nodePort")], id="at once"),
    ],
)
def test_a_service_comes_back_even_where_its_ports_cannot(problems: list[Exception]) -> None:
    memory = shop()
    subject = topic(memory)
    body = {"metadata": {"name": "front", "namespace": "shop"}, "spec": memory.objects[FRONT]["spec"]}
    memory.problems = list(problems)
    subject.do(Step("kube", "create", "services", "front", "shop", body), subject.read(), quiet)
    assert memory.objects[FRONT]["spec"] == {"type": "LoadBalancer", "ports": [{"port": 80}]}
    assert subject.read().taken == ("spec.clusterIPs 10.96.0.9", "spec.ports[0].nodePort 30080")


@pytest.mark.parametrize(
    ("verb", "problems"),
    [
        pytest.param("create", [taken("spec.type", message="is unknown")], id="another rule"),
        pytest.param("create", [Invalid("refused")], id="no causes"),
        pytest.param("patch", [taken("spec.clusterIPs")], id="not a creation"),
        pytest.param("create", [taken("spec.ports[0].nodePort") for _time in range(99)], id="refused for ever"),
    ],
)
def test_any_other_refusal_is_one(verb: str, problems: list[Exception]) -> None:
    memory = shop()
    subject = topic(memory)
    body = {"metadata": {"name": "front", "namespace": "shop"}, "spec": memory.objects[FRONT]["spec"]}
    memory.problems = list(problems)
    with pytest.raises(Invalid):
        subject.do(
            Step("kube", verb, "services", "front", "shop", body), ObservedService(Infra("AWS"), "shop", "front"), quiet
        )
    assert memory.done == []


def test_a_failure_keeps_the_manifest() -> None:
    """SCO-7: nothing is ever lost; the next run brings the Service back."""
    memory = shop()
    refusals = [Invalid("refused")]
    carry_out = memory.do

    def do(step: Step) -> Any:
        if (step.verb, step.resource) == ("create", "services") and refusals:
            raise refusals.pop()
        return carry_out(step)

    memory.do = do  # type: ignore[method-assign]
    with pytest.raises(Failed):
        run(topic(memory), Gate(False, Disruption.OUTAGE), quiet)
    assert FRONT not in memory.objects
    assert KEPT in memory.objects
    told = run(topic(memory), Gate(False, Disruption.OUTAGE), quiet)
    assert {finding["code"] for finding in told["findings"]} == {"restored", "preflight_skipped"}
    assert (FRONT in memory.objects, KEPT in memory.objects) == (True, False)
