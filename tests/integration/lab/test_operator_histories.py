# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the running operator did, done again by the operator twin on the API server twin (Foundation item 5)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.conformance.__main__ import OWN
from ansible_collections.edgeworks.lb_estate.tests.conformance.runner import load
from ansible_collections.edgeworks.lb_estate.tests.conformance.twin import replay_on_twin

HISTORIES = load(OWN)


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history["id"])
def test_twin_does_what_the_running_operator_did(history: dict[str, Any]) -> None:
    assert [str(mismatch) for mismatch in replay_on_twin(history)] == []


def test_all_recorded_histories_are_there() -> None:
    assert (len(HISTORIES), sum(len(history["steps"]) for history in HISTORIES)) == (265, 1823)


@pytest.mark.parametrize(
    ("key", "value"),
    [("recreated", True), ("service_absent", True), ("frozen", True), ("annotations", {}), ("rejected", ["no"])],
)
def test_a_history_that_never_happened_does_not_pass(key: str, value: Any) -> None:
    """So that the replay above means something: each of these is a lie about the first step."""
    history = copy.deepcopy(HISTORIES[0])
    history["steps"][0]["expect"][key] = value
    wrong = replay_on_twin(history)
    assert wrong
    assert all(mismatch.where.startswith("step 0 ") for mismatch in wrong)
