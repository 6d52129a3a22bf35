# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-2, CORE-8: decisions and plans as values; same input, same bytes; what a fingerprint covers."""

from __future__ import annotations

import itertools
import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import canonical
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Pending,
    Plan,
    Severity,
    Step,
    Target,
    Verdict,
    Wait,
    as_data,
    from_data,
)

RESTORE = Step("kube", "patch", "ingresscontrollers", "default", "openshift-ingress-operator", {"spec": {"a": 1}})
PATCH = replace(RESTORE, body={"spec": {"a": 2}}, why="set the scope", uid="u1", resource_version="41", undo=(RESTORE,))
DELETE = Step(
    "kube",
    "delete",
    "services",
    "router-default",
    "openshift-ingress",
    why="effectuate the scope",
    disruption=Disruption.OUTAGE,
    uid="u2",
    resource_version="42",
    expect={"metadata": {"resourceVersion": "42"}},
    point_of_no_return=True,
)
DECISION = Decision(
    Target("IngressController", "default", "openshift-ingress-operator", "prod-1"),
    Verdict.RECREATE,
    "scope External → Internal needs a new load balancer",
    Disruption.OUTAGE,
    findings=(Finding("latent_scope", Severity.WARNING, "spec.scope", "was changed long ago.", "Cancel it."),),
    pending=(Pending("scope", "External", "Internal"),),
    steps=(PATCH, DELETE),
    revert_patch={"spec": {"scope": "External"}},
    commands=("oc -n openshift-ingress delete svc/router-default",),
    before={"scope": "External"},
    after={"scope": "Internal"},
    profile="P3",
    details={"records": ["a"]},
)


def decision(cluster: str = "c", name: str = "default", kind: str = "IngressController", **more: Any) -> Decision:
    return Decision(Target(kind, name, "ns", cluster), more.pop("verdict", Verdict.IN_SYNC), "fine", **more)


@pytest.mark.parametrize("allowed", list(Disruption))
@pytest.mark.parametrize("step", list(Disruption))
def test_an_allowance_covers_its_own_level_and_those_below(allowed: Disruption, step: Disruption) -> None:
    order = [Disruption.NONE, Disruption.BRIEF, Disruption.OUTAGE]
    assert allowed.covers(step) is (order.index(step) <= order.index(allowed))


@pytest.mark.parametrize(
    ("levels", "worst"),
    [
        ([], Disruption.NONE),
        ([Disruption.NONE, Disruption.BRIEF], Disruption.BRIEF),
        ([Disruption.OUTAGE, Disruption.BRIEF, Disruption.NONE], Disruption.OUTAGE),
    ],
)
def test_the_worst_disruption_of_many(levels: list[Disruption], worst: Disruption) -> None:
    assert Disruption.worst(levels) is worst


@pytest.mark.parametrize(
    ("value", "field"),
    [(DECISION, "verdict"), (PATCH, "body"), (DECISION.findings[0], "what"), (DECISION.target, "name")],
)
def test_values_of_the_model_cannot_be_changed(value: Any, field: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(value, field, None)


@pytest.mark.parametrize(
    "data",
    [
        PATCH.body,
        DELETE.expect,
        DECISION.before,
        DECISION.after,
        DECISION.revert_patch,
        DECISION.details,
        Pending("subnets", {"ids": ["a"]}, None).have,
        Pending("subnets", None, {"ids": ["a"]}).want,
        Finding("c", Severity.INFO, "w", "t", value={"a": 1}).value,
    ],
)
def test_nor_can_the_data_they_carry(data: Any) -> None:
    with pytest.raises(TypeError):
        data["new"] = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Target("Service", "router-default", "openshift-ingress"), "Service openshift-ingress/router-default"),
        (Target("OpenStackCluster", "prod"), "OpenStackCluster prod"),
        (Finding("c", Severity.ERROR, "spec.scope", "is wrong.", "Mend it."), "spec.scope: is wrong. Mend it."),
        (Finding("c", Severity.ERROR, "", "Is wrong."), "Is wrong."),
    ],
)
def test_targets_and_findings_as_sentences(value: Any, text: str) -> None:
    assert str(value) == text


def test_a_step_names_what_it_writes() -> None:
    assert DELETE.ref == "services openshift-ingress/router-default"
    assert Step("octavia", "delete", "load_balancer", "lb-1").ref == "load_balancer lb-1"


WAIT = Step("kube", "wait", "services", "x", wait_for=Wait("recreated", "u1", ("a", "b")), lane="az1", phase=2)
RICH = replace(DECISION, steps=(PATCH, DELETE, WAIT), more_stages=True, later=Disruption.OUTAGE, standing={"a": [1]})


@pytest.mark.parametrize("value", [DECISION, RICH, PATCH, WAIT, decision(), DECISION.findings[0], DECISION.pending[0]])
def test_values_come_back_from_json_as_they_were(value: Any) -> None:
    """The journal stores them."""
    assert from_data(type(value), json.loads(json.dumps(as_data(value)))) == value


def test_a_journal_of_another_release_is_read_as_far_as_it_is_known() -> None:
    data = as_data(PATCH) | {"from_the_future": 1}
    del data["phase"]
    assert from_data(Step, data) == PATCH


def test_undo_ends_at_the_last_point_of_no_return() -> None:
    later = replace(PATCH, name="later", undo=(replace(RESTORE, name="back"),))
    assert [step.name for step in replace(DECISION, steps=(PATCH, DELETE, later)).undo] == ["back"]
    assert replace(DECISION, steps=(PATCH, DELETE)).undo == ()


def test_undo_takes_the_last_step_back_first() -> None:
    first, second, third = (replace(RESTORE, name=name) for name in ("first", "second", "third"))
    done = replace(DECISION, steps=(replace(PATCH, undo=(first, second)), replace(PATCH, undo=(third,))))
    assert [step.name for step in done.undo] == ["third", "first", "second"]


@pytest.mark.parametrize(
    ("verbs", "changed"), [((), False), (("wait",), False), (("patch",), True), (("wait", "delete"), True)]
)
def test_waiting_changes_nothing_and_writing_does(verbs: tuple[str, ...], changed: bool) -> None:
    """CORE-4, CORE-5: `changed` is predicted from the steps alone."""
    assert replace(DECISION, steps=tuple(replace(PATCH, verb=verb) for verb in verbs)).changed is changed


def test_errors_are_the_findings_that_are_errors() -> None:
    error = Finding("bad", Severity.ERROR, "spec", "is bad.")
    both = DECISION.with_findings(error)
    assert both.errors == (error,)
    assert len(both.findings) == 2
    assert len(DECISION.findings) == 1


def test_a_decision_as_data_is_plain_json_with_every_field_and_its_undo() -> None:
    data = as_data(DECISION)
    assert json.loads(json.dumps(data)) == data
    assert data["verdict"] == "recreate"
    assert data["disruption"] == "outage"
    assert data["steps"][1]["disruption"] == "outage"
    assert data["steps"][0]["undo"][0]["body"] == {"spec": {"a": 1}}
    assert data["undo"] == []  # past the point of no return
    assert as_data(replace(DECISION, steps=(PATCH,)))["undo"] == data["steps"][0]["undo"]
    assert data["commands"] == ["oc -n openshift-ingress delete svc/router-default"]
    assert as_data(decision())["steps"] == []


def test_same_input_same_bytes() -> None:
    """CORE-1."""
    again = replace(DECISION, before={"scope": "External"})
    assert again == DECISION
    assert canonical(as_data(again)) == canonical(as_data(DECISION))
    assert again.fingerprint == DECISION.fingerprint


def with_step(**changes: Any) -> Decision:
    return replace(DECISION, steps=(PATCH, replace(DELETE, **changes)))


@pytest.mark.parametrize(
    "same",
    [
        with_step(resource_version="99"),
        with_step(expect={"metadata": {"resourceVersion": "99"}}),
        replace(DECISION, steps=(replace(PATCH, undo=(replace(RESTORE, resource_version="7"),)), DELETE)),
        replace(DECISION, before={"scope": "External", "resourceVersion": "7"}),
    ],
)
def test_a_fingerprint_does_not_move_with_resource_versions(same: Decision) -> None:
    """CORE-8: every status write moves them; what was reviewed is still what would be done."""
    assert same.fingerprint == DECISION.fingerprint


# What is done to which object, and what it costs.
REVIEWED = {
    "cluster": replace(DECISION, target=replace(DECISION.target, cluster="prod-2")),
    "target": replace(DECISION, target=replace(DECISION.target, name="custom")),
    "verdict": replace(DECISION, verdict=Verdict.UPDATE_IN_PLACE),
    "disruption": replace(DECISION, disruption=Disruption.BRIEF),
    "pending": replace(DECISION, pending=()),
    "pending asked for": replace(DECISION, pending=(replace(DECISION.pending[0], asked=False),)),
    "pending latent": replace(DECISION, pending=(replace(DECISION.pending[0], latent=True),)),
    "pending to another value": replace(DECISION, pending=(Pending("scope", "External", "External"),)),
    "a step less": replace(DECISION, steps=(PATCH,)),
    "the order of steps": replace(DECISION, steps=(DELETE, PATCH)),
    "a step's verb": with_step(verb="replace"),
    "a step's body": with_step(body={"a": 3}),
    "a step's uid": with_step(uid="u3"),
    "a step's disruption": with_step(disruption=Disruption.BRIEF),
    "a step's lane": with_step(lane="az1"),
    "a step's phase": with_step(phase=1),
    "what a step waits for": with_step(wait_for=Wait("gone")),
    "a step's expectation": with_step(expect={"metadata": {"uid": "u2"}}),
    "a step's undo": with_step(undo=(RESTORE,)),
    "point of no return": with_step(point_of_no_return=False),
}
# Words about it, which may come and go with who looks and when.
REMARKS = {
    "message": replace(DECISION, message="other words"),
    "findings": replace(DECISION, findings=()),
    "revert patch": replace(DECISION, revert_patch=None),
    "commands": replace(DECISION, commands=()),
    "before": replace(DECISION, before={"scope": "Internal"}),
    "after": replace(DECISION, after={"scope": "External"}),
    "profile": replace(DECISION, profile="P4"),
    "details": replace(DECISION, details={"records": ["b"]}),
    "standing": replace(DECISION, standing={"records": ["b"]}),
}


@pytest.mark.parametrize("changed", REVIEWED.values(), ids=REVIEWED)
def test_a_fingerprint_moves_with_all_that_would_be_done(changed: Decision) -> None:
    assert changed.fingerprint != DECISION.fingerprint
    assert Plan((changed,)).fingerprint != Plan((DECISION,)).fingerprint


@pytest.mark.parametrize("same", REMARKS.values(), ids=REMARKS)
def test_but_not_with_remarks_on_it(same: Decision) -> None:
    assert same.fingerprint == DECISION.fingerprint
    assert Plan((same,)).fingerprint == Plan((DECISION,)).fingerprint


def test_no_two_different_decisions_share_a_fingerprint() -> None:
    prints = [changed.fingerprint for changed in REVIEWED.values()]
    assert len(set(prints)) == len(prints)


def test_a_plan_moves_when_a_decision_joins_or_leaves() -> None:
    prints = {Plan(some).fingerprint for some in ((), (DECISION,), (DECISION, decision()), (decision(),))}
    assert len(prints) == 4


def test_a_plan_is_the_same_whatever_order_its_decisions_came_in() -> None:
    decisions = [decision("b"), decision("a", "z"), decision("a", "b"), decision("a", "b", "Service")]
    plans = [Plan(order) for order in itertools.permutations(decisions)]
    shown = [(one.target.cluster, one.target.kind, one.target.name) for one in plans[0].decisions]
    assert shown == [
        ("a", "IngressController", "b"),
        ("a", "IngressController", "z"),
        ("a", "Service", "b"),
        ("b", "IngressController", "default"),
    ]
    assert {plan.fingerprint for plan in plans} == {plans[0].fingerprint}


def test_a_plan_counts_every_verdict_and_knows_the_worst_disruption() -> None:
    plan = Plan((DECISION, decision(), decision("d", verdict=Verdict.BLOCKED)))
    assert plan.counts() == {
        "in_sync": 1,
        "adopt": 0,
        "update_in_place": 0,
        "recreate": 1,
        "in_progress": 0,
        "blocked": 1,
        "invalid": 0,
    }
    assert plan.disruption is Disruption.OUTAGE
    assert Plan(()).disruption is Disruption.NONE
