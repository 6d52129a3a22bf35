# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One recreation for everything pending: its steps in order, each with what must hold before it (CORE-9, SUB-6)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import effectuate
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    EDITS,
    TRANSACTION_PREFIX,
    Observed,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Disruption, Pending, Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AUTO_DELETE
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

PENDING = (Pending("scope", "External", "Internal"),)
EDITED = {"spec": {"externalTrafficPolicy": "Cluster"}}


def observed(armed: str | None = None, edited: bool = False) -> Observed:
    made = cluster(spec=strategy("Classic"), armed=armed, edits=EDITED if edited else None)
    return made if armed is not None else after_patch(made, lb_patch(scope="Internal"))


def steps(way: Way, seen: Observed) -> tuple[Step, ...]:
    return effectuate.steps(way, seen, seen.ic, PENDING)


def shown(step: Step) -> str:
    annotations = dig(step.body, "metadata", "annotations") or {}
    if step.wait_for:
        return f"wait {step.wait_for.until}"
    if AUTO_DELETE in annotations:
        return "arm" if annotations[AUTO_DELETE] else "disarm"
    return "forget edits" if EDITS in annotations and annotations[EDITS] is None else f"{step.verb} {step.resource}"


@pytest.mark.parametrize(
    ("way", "seen", "made"),
    [
        (Way("report"), observed(), []),
        (Way("operator"), observed(), ["arm", "wait recreated", "disarm"]),
        (Way("operator"), observed(armed="by somebody"), ["wait recreated"]),
        (Way("operator"), observed(armed=f"{TRANSACTION_PREFIX}old"), ["arm", "wait recreated", "disarm"]),
        (Way("delete"), observed(), ["delete services", "wait recreated"]),
        (
            Way("operator", restore_edits=True),
            observed(edited=True),
            ["arm", "wait replaced", "patch services", "forget edits", "wait recreated", "disarm"],
        ),
        (
            Way("delete", restore_edits=True),
            observed(edited=True),
            ["delete services", "wait replaced", "patch services", "forget edits", "wait recreated"],
        ),
        (Way("delete", restore_edits=True), observed(), ["delete services", "wait recreated"]),
        (Way("delete"), observed(edited=True), ["delete services", "wait recreated"]),
    ],
)
def test_the_steps_of_each_way(way: Way, seen: Observed, made: list[str]) -> None:
    assert [shown(step) for step in steps(way, seen)] == made


@pytest.mark.parametrize("way", effectuate.WAYS)
def test_nothing_pending_or_no_service_is_no_recreation(way: str) -> None:
    assert effectuate.steps(Way(way), observed(), observed().ic, ()) == ()
    assert steps(Way(way), replace(observed(), service=None)) == ()


@pytest.mark.parametrize("way", effectuate.WAYS)
def test_the_write_that_disrupts_says_so_and_is_for_one_object(way: str) -> None:
    first, *others = steps(Way(way), observed())
    assert (first.disruption, first.point_of_no_return) == (Disruption.OUTAGE, True)
    assert first.uid == {"operator": "uid-ic", "delete": "uid-service"}[way]
    assert {step.disruption for step in others} == {Disruption.NONE}
    assert others[0].wait_for is not None
    assert others[0].wait_for.old_uid == "uid-service"


def test_arming_is_for_the_spec_it_was_planned_with() -> None:
    """Auto-delete effectuates whatever spec says then."""
    seen = observed()
    arm, _wait, disarm = steps(Way("operator"), seen)
    assert arm.expect["metadata"]["generation"] == seen.ic["metadata"]["generation"]
    assert arm.expect["metadata"]["annotations"] == {AUTO_DELETE: None}
    assert disarm.expect == arm.body  # somebody else's annotation stays
    assert disarm.always


def test_a_transaction_is_named_by_what_it_replaces_and_why() -> None:
    """CORE-1: the same plan has the same id, another one another."""
    name = effectuate.transaction(observed(), PENDING)
    assert name.startswith(TRANSACTION_PREFIX)
    assert effectuate.transaction(observed(), PENDING) == name
    assert effectuate.transaction(observed(), [replace(PENDING[0], want="External")]) != name
    service = {**observed().service, "metadata": {**observed().service["metadata"], "uid": "another"}}
    assert effectuate.transaction(replace(observed(), service=service), PENDING) != name


def test_edits_are_kept_before_the_service_goes() -> None:
    """CORE-4: a run that is stopped in between loses none."""
    seen = observed(edited=True)
    by_deletion = effectuate.kept(seen, steps(Way("delete", restore_edits=True), seen))
    assert [shown(step) for step in by_deletion[:2]] == [
        "patch ingresscontrollers.operator.openshift.io",
        "delete services",
    ]
    assert EDITS in by_deletion[0].body["metadata"]["annotations"]
    by_operator = effectuate.kept(seen, steps(Way("operator", restore_edits=True), seen))
    assert set(by_operator[0].body["metadata"]["annotations"]) == {AUTO_DELETE, EDITS}
    assert plain(next(step for step in by_operator if step.resource == "services" and step.writes).body) == EDITED


def test_without_edits_nothing_is_kept() -> None:
    made = steps(Way("delete"), observed())
    assert effectuate.kept(observed(), made) == made


def test_the_commands_effectuate_and_cancel() -> None:
    assert effectuate.commands(observed(), (), {}) == ()
    delete, cancel = effectuate.commands(observed(), PENDING, lb_patch(scope="External"))
    assert delete == "oc -n openshift-ingress delete svc/router-default"
    assert cancel.startswith("oc -n openshift-ingress-operator patch ingresscontrollers/default --type=merge")
    assert effectuate.commands(observed(), PENDING, None) == (delete,)
