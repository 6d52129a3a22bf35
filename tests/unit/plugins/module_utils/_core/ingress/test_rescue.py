# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What spec said before a thaw is kept until spec says it again (SUB-13)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import rescue
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    RESCUE,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    A,
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_decide import codes

INTERNAL = Wanted(scope="Internal", eips=CLEAR)
UNFREEZE = Way("operator", unfreeze=True)


def with_note(observed: Observed, text: str) -> Observed:
    patch = {"metadata": {"annotations": {RESCUE: text}}}
    return replace(observed, ic=merge_patch(observed.ic, patch))


def stopped(wanted: Wanted = INTERNAL) -> Observed:
    """Thawed, and then the run was killed."""
    text = rescue.note(wanted)["metadata"]["annotations"][RESCUE]
    return with_note(cluster(spec=strategy("NLB")), text)


@pytest.mark.parametrize(
    "wanted",
    [
        INTERNAL,
        Wanted(scope="External", eips=[E1]),
        Wanted(scope="Internal", subnets=CLEAR),
        Wanted(scope="Internal", subnets=Subnets((A,), ("blue",)), eips=CLEAR),
    ],
)
def test_what_is_noted_is_what_is_read(wanted: Wanted) -> None:
    assert rescue.noted(stopped(wanted).ic) == wanted


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"scope": 5}', '{"scope": "Sideways"}', '{"eips": "clear"}', "[" * 100_000]
)
def test_a_spoilt_note_is_told_and_nothing_is_made_of_it(text: str) -> None:
    observed = with_note(cluster(spec=strategy("NLB")), text)
    assert rescue.noted(observed.ic) is None
    assert [one.code for one in rescue.told(observed)] == ["rescue_spoilt"]
    assert not planned(Wanted(), Way(), observed).changed


@pytest.mark.parametrize("said", [{"eips": [5]}, {"eips": "all"}, {"subnets": {"ids": "x"}}, {"subnets": [A]}])
def test_a_part_that_is_odd_is_left_alone(said: dict[str, Any]) -> None:
    observed = with_note(cluster(), json.dumps({"scope": "Internal", **said}))
    assert rescue.noted(observed.ic) == Wanted(scope="Internal")


def test_a_stopped_rescue_is_told_until_spec_says_it_again() -> None:
    assert "rescue_left" in codes(planned(Wanted(), Way(), stopped()))
    assert "rescue_left" not in codes(planned(Wanted(), Way(), stopped(Wanted(scope="External"))))
    assert rescue.told(cluster()) == ()


@pytest.mark.parametrize(
    ("wanted", "way", "forgotten"),
    [
        (INTERNAL, UNFREEZE, True),
        (Wanted(scope="External"), UNFREEZE, True),  # nothing else to do
        (Wanted(scope="Internal"), Way(), True),  # somebody decides on the scope
        (Wanted(scope="External"), Way(), False),  # a task that does nothing
        (Wanted(subnets=Subnets((A,))), Way(), False),  # another matter
    ],
)
def test_it_is_forgotten_last_and_only_when_it_is_settled(wanted: Wanted, way: Way, forgotten: bool) -> None:
    steps = planned(wanted, way, stopped()).steps
    forgets = [step.body == {"metadata": {"annotations": {RESCUE: None}}} for step in steps]
    assert any(forgets) == forgotten
    assert not any(forgets[:-1])
