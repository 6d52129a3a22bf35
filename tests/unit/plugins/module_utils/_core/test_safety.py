# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CORE-3, CORE-7, CORE-8: typed reasons not to act, each with what would change that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import safety
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
)

NONE, BRIEF, OUTAGE = Disruption.NONE, Disruption.BRIEF, Disruption.OUTAGE
ERROR = Finding("no_subnet", Severity.ERROR, "subnets.ids[0]", "subnet-x does not exist.", "Correct the id.")


def decision(*levels: Disruption, verdict: Verdict = Verdict.RECREATE, cluster: str = "c") -> Decision:
    steps = tuple(
        Step("kube", "patch", "ingresscontrollers", f"ic{number}", "ns", why="the scope moves", disruption=level)
        for number, level in enumerate(levels)
    )
    return Decision(
        Target("IngressController", "ic", "ns", cluster), verdict, "why", Disruption.worst(levels), steps=steps
    )


@pytest.mark.parametrize(
    ("steps", "allowed", "refused"),
    [
        ((), NONE, False),
        ((NONE,), NONE, False),
        ((BRIEF,), NONE, True),
        ((OUTAGE,), NONE, True),
        ((BRIEF,), BRIEF, False),
        ((OUTAGE,), BRIEF, True),
        ((BRIEF, OUTAGE), OUTAGE, False),
        ((NONE, OUTAGE), BRIEF, True),
    ],
)
def test_every_write_is_guarded_by_the_allowance(
    steps: tuple[Disruption, ...], allowed: Disruption, refused: bool
) -> None:
    refusal = safety.allowance(decision(*steps), allowed)
    assert (refusal is not None) is refused
    if refusal:
        assert refusal.code == "disruption_not_allowed"


def test_the_refusal_names_the_step_the_reason_and_the_option() -> None:
    refusal = safety.allowance(decision(NONE, OUTAGE), NONE)
    assert refusal is not None
    for part in ("patch ingresscontrollers ns/ic1", "outage", "the scope moves"):
        assert part in refusal.message
    assert refusal.remedy == "Allow it with allow_disruption: outage (now: none)."
    assert str(refusal) == f"{refusal.message} {refusal.remedy}"


@pytest.mark.parametrize(
    ("levels", "allowed", "refused"), [((), NONE, False), ((NONE,), BRIEF, True), ((NONE,), OUTAGE, False)]
)
def test_so_is_a_first_stage_whose_later_one_disrupts(
    levels: tuple[Disruption, ...], allowed: Disruption, refused: bool
) -> None:
    """SUB-13: a change in stages is begun only if all of it is allowed."""
    staged = replace(decision(*levels), later=OUTAGE)
    refusal = safety.allowance(staged, allowed)
    assert (refusal is not None) is refused
    if refusal:
        assert "a later stage of this change" in refusal.message
        assert refusal.remedy.startswith("Allow it with allow_disruption: outage")


def test_a_recreation_is_refused_when_it_brings_along_what_nobody_asked_for() -> None:
    """CORE-3: all creation-only differences take effect together."""
    asked = Pending("scope", "External", "Internal")
    assert safety.unasked([]) is None
    assert safety.unasked([asked]) is None
    subnets = Pending("subnets", {"ids": ["subnet-a"]}, None, asked=False)
    refusal = safety.unasked([asked, Pending("type", "Classic", "NLB", asked=False), subnets])
    assert refusal is not None
    assert refusal.code == "unasked_changes"
    assert refusal.message.endswith(' did not ask for: type: "Classic" → "NLB"; subnets: {"ids":["subnet-a"]} → null.')
    assert "scope" not in refusal.message


def test_only_the_reviewed_plan_is_carried_out() -> None:
    reviewed = decision(OUTAGE)
    moved = replace(reviewed, steps=())
    assert safety.fingerprint(reviewed, reviewed.fingerprint) is None
    assert safety.fingerprint(moved, "") is None  # nobody asked for a reviewed plan
    refusal = safety.fingerprint(moved, reviewed.fingerprint)
    assert refusal is not None
    assert refusal.code == "stale_plan"
    assert moved.fingerprint in refusal.message
    assert reviewed.fingerprint in refusal.message


@pytest.mark.parametrize("verdict", list(Verdict))
def test_invalid_input_and_a_blocked_target_are_never_acted_on(verdict: Verdict) -> None:
    refusal = safety.verdict(decision(verdict=verdict))
    assert (refusal is not None) is (verdict in (Verdict.INVALID, Verdict.BLOCKED))
    if refusal:
        assert refusal.code == verdict.value
        assert refusal.message == "why"


def test_a_refused_verdict_says_every_error_at_once_and_only_errors() -> None:
    """CORE-7."""
    second = replace(ERROR, where="subnets.ids[1]")
    warning = replace(ERROR, severity=Severity.WARNING, what="is odd.")
    refusal = safety.verdict(decision(verdict=Verdict.INVALID).with_findings(ERROR, warning, second))
    assert refusal is not None
    assert refusal.message == (
        "subnets.ids[0]: subnet-x does not exist. Correct the id. "
        "subnets.ids[1]: subnet-x does not exist. Correct the id."
    )


@pytest.mark.parametrize(
    ("hit", "clusters", "most", "refused"),
    [(0, 0, 0, False), (0, 4, 0, False), (1, 4, 25, False), (2, 4, 25, True), (1, 4, 24, True), (4, 4, 100, False)],
)
def test_a_plan_disrupts_no_more_of_the_estate_than_the_cap(hit: int, clusters: int, most: int, refused: bool) -> None:
    plan = Plan(tuple(decision(*((BRIEF,) if n < hit else ()), cluster=f"c{n}") for n in range(clusters)))
    refusal = safety.estate_cap(plan, most)
    assert (refusal is not None) is refused
    if refusal:
        assert refusal.code == "estate_cap"
        assert f"{hit} of {clusters} clusters" in refusal.message


def test_the_cap_counts_clusters_not_targets() -> None:
    plan = Plan((decision(OUTAGE, cluster="a"), decision(OUTAGE, cluster="a"), decision(cluster="b")))
    assert safety.estate_cap(plan, 50) is None


def reviewed(*bodies: int, **more: Any) -> Decision:
    steps = tuple(Step("kube", "patch", "things", "t", body={"value": body}, why="so") for body in bodies)
    return Decision(Target("Thing", "t"), Verdict.UPDATE_IN_PLACE, "to do", steps=steps, **more)


@pytest.mark.parametrize(
    ("left", "staged", "after", "refused"),
    [
        pytest.param((2,), False, None, False, id="the rest of it"),
        pytest.param((), False, None, False, id="nothing left"),
        pytest.param((3,), False, None, True, id="something else"),
        pytest.param((1, 3), False, None, True, id="and something else"),
        pytest.param((3,), True, {"value": 9, "addresses": ["a"]}, False, id="a later stage with the reviewed end"),
        pytest.param((3,), True, {"value": 8}, True, id="a later stage with another end"),
    ],
)
def test_what_is_left_to_do_is_part_of_what_was_reviewed(
    left: tuple[int, ...], staged: bool, after: Any, refused: bool
) -> None:
    """CORE-8, in every round."""
    plan = reviewed(1, 2, after={"value": 9, "addresses": ["(new)"]})
    found = safety.remainder(reviewed(*left, after=after), plan, "a fingerprint", staged)
    assert bool(found) is refused
    assert safety.remainder(reviewed(*left, after=after), plan, "", staged) is None


def test_an_effectuation_that_did_not_come_true_is_no_success() -> None:
    """CORE-14: unless nobody waited for it, then it is said."""
    pending = (Pending("scope", "External", "Internal"), Pending("subnets", None, {}, asked=False))
    last = reviewed(pending=pending)
    assert safety.not_in_force(last, effectuated=False, waited=True) == ()
    (error,) = safety.not_in_force(last, effectuated=True, waited=True)
    (warning,) = safety.not_in_force(last, effectuated=True, waited=False)
    assert (error.code, error.severity.value, warning.severity.value) == ("not_in_force", "error", "warning")
    assert ("scope" in error.what, "subnets" in error.what) == (True, False)
