# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps any task from working on a plain Service (SCO-7, CLS-1)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Finding, Severity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OWNER_LABEL, Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.obstacles import blocked, unfit
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService


def observed(kind: str = "LoadBalancer", **meta: Any) -> ObservedService:
    service = {"metadata": {"name": "front", "namespace": "shop", "uid": "u1", **meta}, "spec": {"type": kind}}
    return ObservedService(Infra("AWS"), "shop", "front", service)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (ObservedService(Infra("AWS"), "shop", "front"), "not_found"),
        (observed(deletionTimestamp="2026-01-01T00:00:00Z"), "being_deleted"),
        (observed(labels={OWNER_LABEL: "default"}), "operator_owned"),
        (observed("NodePort", labels={OWNER_LABEL: "default"}), "operator_owned"),
        (observed("NodePort"), "not_a_load_balancer"),
    ],
)
def test_the_first_thing_that_stands_in_the_way(found: ObservedService, code: str) -> None:
    told = unfit(found, "Go elsewhere.")
    assert told is not None
    assert (told.code, told.severity.value) == (code, "error")
    assert told.remedy


def test_nothing_stands_in_the_way() -> None:
    assert unfit(observed(), "") is None


def test_a_blocked_decision_says_its_errors() -> None:
    found = (Finding("a", Severity.ERROR, "here", "Wrong."), Finding("b", Severity.INFO, "here", "Fine."))
    decision = blocked(observed(), found)
    assert (decision.verdict.value, decision.message, decision.findings) == ("blocked", "here: Wrong.", found)
