# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An IngressController's load balancer: read, asked about, rechecked, waited for (CORE-3, CORE-10, SUB-3, SUB-6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import ingress
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import SKIPPED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import AwsQuestion
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.effectuate import IC_RESOURCE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    LEAVE,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Question,
    Step,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Conflict, Forbidden, Timeout
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._readers.cluster import Given
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Gate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.ingress import (
    IngressTopic,
    subnets_wanted,
    way,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    A,
    B,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import (
    MemoryCluster,
    holding,
    options,
    waiting,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.topics import MemoryAws, wait_kinds

CLASSIC = strategy("Classic")
INTERNAL = Wanted(scope="Internal")
SERVICE = ("services", "openshift-ingress", "router-default")
CONTROLLER = (IC_RESOURCE, "openshift-ingress-operator", "default")


def topic(
    memory: MemoryCluster,
    aws: MemoryAws | None = None,
    wanted: Wanted = INTERNAL,
    how: str = "delete",
    wait: bool = True,
) -> IngressTopic:
    chosen = (wanted, Way(how))
    return IngressTopic(memory, aws or MemoryAws(), Given(), "default", lambda _seen: chosen, waiting(wait))  # type: ignore[arg-type]


def wait_step(until: str, **more: Any) -> Step:
    return Step("kube", "wait", "services", "router-default", "openshift-ingress", wait_for=Wait(until, **more))


def quiet(_text: str) -> None:
    pass


@pytest.mark.parametrize("how", ["operator", "delete"])
def test_that_the_operator_may_be_looked_at_is_one_of_the_rights(how: str) -> None:
    """CORE-13: all that is missing at once, what is only read before an outage too."""
    memory = holding(cluster(spec=CLASSIC))
    memory.forbidden = {("get", "deployments.apps"), ("create", "leases.coordination.k8s.io")}
    subject = topic(memory, MemoryAws(SKIPPED), how=how)
    observed = subject.read()
    decision = subject.decide(observed)
    assert isinstance(decision, Decision)
    with pytest.raises(Forbidden) as caught:
        subject.begin(decision, observed)
    assert "get deployments.apps in namespace openshift-ingress-operator" in str(caught.value)
    assert "create leases" in str(caught.value)


# -- reading and asking -----------------------------------------------------------------------------------------------


def test_what_the_cloud_said_counts_until_everything_is_read_anew() -> None:
    memory, aws = holding(cluster(spec=CLASSIC)), MemoryAws()
    subject = topic(memory, aws)
    first = subject.read()
    question = subject.decide(first)
    assert isinstance(question, AwsQuestion)
    answered = subject.ask(question, first)
    assert answered.aws is not None
    assert subject.read(answered).aws == answered.aws
    assert subject.read().aws is None
    assert aws.asked == [question]


def test_platform_and_version_are_read_once() -> None:
    memory = holding(cluster(spec=CLASSIC))
    subject = topic(memory)
    subject.read()
    assert len(memory.requests) == 4
    subject.read()
    assert len(memory.requests) == 6


@pytest.mark.parametrize(("start", "questions"), [(None, 1), (SKIPPED, 0)])
def test_aws_is_asked_once_for_a_plan_and_not_at_all_where_it_is_skipped(start: Any, questions: int) -> None:
    aws = MemoryAws(start)
    told = run(topic(holding(cluster(spec=CLASSIC)), aws), Gate(True, Disruption.OUTAGE), quiet)
    assert (told["verdict"], len(aws.asked)) == ("recreate", questions)
    assert all(question.whole for question in aws.asked)


def test_nobody_else_can_be_asked() -> None:
    with pytest.raises(TypeError, match="nobody to ask"):
        topic(MemoryCluster()).ask(Question(), cluster())


# -- right before a recreation ----------------------------------------------------------------------------------------


def meddled(change: Callable[[Observed], Observed]) -> tuple[IngressTopic, Decision, Observed]:
    """A plan, and a cluster in which somebody did something since."""
    before = after_patch(cluster(spec=CLASSIC), lb_patch(scope="Internal"))
    memory = holding(before)
    subject = topic(memory, MemoryAws(SKIPPED))
    observed = subject.read()
    decision = subject.decide(observed)
    assert isinstance(decision, Decision)
    now = change(before)
    memory.put(IC_RESOURCE, now.ic)
    memory.put("services", now.service)
    memory.requests.clear()
    return subject, decision, observed


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda seen: after_patch(seen, lb_patch(providerParameters={"aws": {"type": "NLB"}})), id="one more pending"
        ),
        pytest.param(lambda seen: after_patch(seen, lb_patch(scope="External")), id="cancelled"),
    ],
)
def test_a_recreation_that_would_do_something_else_is_a_conflict(change: Callable[[Observed], Observed]) -> None:
    subject, decision, observed = meddled(change)
    with pytest.raises(Conflict, match="has changed since it was planned"):
        subject.recheck(decision.steps[0], decision, observed)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda seen: seen, id="nothing"),
        pytest.param(
            lambda seen: replace(seen, ic=merge_patch(seen.ic, {"metadata": {"labels": {"team": "edge"}}})),
            id="a label",
        ),
    ],
)
def test_a_recreation_that_would_do_the_same_goes_on(change: Callable[[Observed], Observed]) -> None:
    subject, decision, observed = meddled(change)
    step = decision.steps[0]
    pinned = subject.recheck(step, decision, observed)
    assert replace(pinned, resource_version="") == replace(step, resource_version="")


@pytest.mark.parametrize(
    ("version", "wanted", "how"),
    [
        pytest.param("4.21", Wanted(lb_type="NLB"), "report", id="the patch itself disrupts"),
        pytest.param("4.22", INTERNAL, "delete", id="the deletion does, after the patch"),
        pytest.param("4.22", INTERNAL, "operator", id="the arming does, after the patch"),
    ],
)
def test_our_own_patch_is_no_meddling(version: str, wanted: Wanted, how: str) -> None:
    before = cluster(version, spec=CLASSIC)
    memory = holding(before)
    subject = topic(memory, MemoryAws(SKIPPED), wanted, how)
    observed = subject.read()
    decision = subject.decide(observed)
    assert isinstance(decision, Decision)
    for step in decision.steps:
        if step.disruption is not Disruption.NONE:
            subject.recheck(step, decision, observed)
            return
        memory.put(IC_RESOURCE, after_patch(before, step.body).ic if step.writes else memory.objects[CONTROLLER])
    raise AssertionError("no step disrupts")


# -- waiting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("until", sorted(wait_kinds(ingress)))
def test_every_wait_that_a_decision_has_can_be_waited_for(until: str) -> None:
    """On a cluster at rest each is over, or runs out; none is unknown."""
    memory = holding(cluster(spec=CLASSIC))
    subject = topic(memory)
    observed = subject.read()
    subject.do(wait_step(until, old_uid="another", old_addresses=("another.example.com",)), observed, quiet)
    memory.objects.pop(SERVICE)
    memory.objects.pop(CONTROLLER)
    with pytest.raises(Timeout):
        subject.do(wait_step(until), observed, quiet)


def test_a_wait_nobody_knows_is_our_mistake() -> None:
    subject = topic(holding(cluster(spec=CLASSIC)))
    with pytest.raises(KeyError):
        subject.do(wait_step("whenever"), subject.read(), quiet)


@pytest.mark.parametrize(
    ("until", "looks"), [("admitted", False), ("readdressed", False), ("recreated", True), ("mirrored", True)]
)
def test_wait_false_waits_for_nothing_that_the_next_step_does_not_need(until: str, looks: bool) -> None:
    """Until there is a new Service it has no object; its address is not waited for."""
    memory = holding(cluster(spec=CLASSIC))
    memory.objects[SERVICE]["status"] = {}
    subject = topic(memory, wait=False)
    observed = subject.read()
    memory.requests.clear()
    subject.do(wait_step(until, old_uid="the-old-one"), observed, quiet)
    assert bool(memory.requests) is looks


def test_a_new_service_is_waited_for_until_it_has_an_address_where_that_was_asked_for() -> None:
    memory = holding(cluster(spec=CLASSIC))
    memory.objects[SERVICE]["status"] = {}
    subject = topic(memory)
    observed = subject.read()
    with pytest.raises(Timeout, match="IngressController default: waited 60 s for the cloud to make the load balancer"):
        subject.do(wait_step("recreated", old_uid="the-old-one"), observed, quiet)


def test_other_steps_are_writes() -> None:
    memory = holding(cluster(spec=CLASSIC))
    subject = topic(memory)
    step = Step("kube", "delete", *SERVICE[:1], SERVICE[2], SERVICE[1])
    subject.do(step, subject.read(), quiet)
    assert memory.done == [step]
    assert SERVICE not in memory.objects


# -- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, Wanted()),
        ({"scope": "Internal", "lb_type": "NLB"}, Wanted(scope="Internal", lb_type="NLB")),
        ({"subnets": {"ids": [A, B], "names": ["blue"]}}, Wanted(subnets=Subnets((A, B), ("blue",)))),
        ({"subnets": {}}, Wanted(subnets=Subnets())),
        ({"eip_allocations": [E1]}, Wanted(eips=[E1])),
        ({"eip_allocations": []}, Wanted(eips=CLEAR)),
        ({"state": "absent"}, Wanted(subnets=CLEAR)),
        ({"state": "adopted"}, Wanted(adopt=True)),
        ({"domain": "a.example.com"}, Wanted(create={"domain": "a.example.com"})),
        ({"domain": "a.example.com", "replicas": 3}, Wanted(create={"domain": "a.example.com", "replicas": 3})),
        ({"replicas": 3}, Wanted()),
    ],
)
def test_the_options_of_ingress_lb_subnets_as_wanted_state(given: dict[str, Any], wanted: Wanted) -> None:
    """SUB-1: left out is left as it is; an empty list of Elastic IPs clears them, one of subnets is for the API."""
    assert subnets_wanted(options("ingress_lb_subnets", **given)) == wanted


def test_what_is_left_out_is_left() -> None:
    found = subnets_wanted(options("ingress_lb_subnets"))
    assert (found.subnets, found.eips) == (LEAVE, LEAVE)


def test_the_way_is_what_the_task_says() -> None:
    given = options("slb_scope", scope="Internal", effectuate="operator", restore_edits=True)
    assert way(given, unfreeze=True) == Way("operator", restore_edits=True, unfreeze=True)
