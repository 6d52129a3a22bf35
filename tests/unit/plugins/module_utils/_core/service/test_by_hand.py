# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service by hand: one command there, one patch back (SCO-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL, GCP_TYPE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service import by_hand, scope
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService


def seen(platform: str, annotations: dict[str, str] | None = None) -> ObservedService:
    meta = {"name": "front", "namespace": "shop", "uid": "u1", "annotations": annotations or {}}
    status = {"loadBalancer": {"ingress": [{"hostname": "a.example"}]}}
    return ObservedService(
        Infra(platform), "shop", "front", {"metadata": meta, "spec": {"type": "LoadBalancer"}, "status": status}
    )


AWS_COMMAND = (
    f"oc -n shop get svc/front -o json | oc annotate --local --overwrite -f - {AWS_INTERNAL}=true -o json"
    " | oc -n shop replace --force -f -"
)


@pytest.mark.parametrize(
    ("observed", "wanted", "command"),
    [
        (seen("AWS"), "Internal", AWS_COMMAND),
        (seen("GCP"), "Internal", f"oc -n shop annotate --overwrite svc/front {GCP_TYPE}=Internal"),
        (seen("GCP", {GCP_TYPE: "Internal"}), "External", f"oc -n shop annotate --overwrite svc/front {GCP_TYPE}-"),
    ],
)
def test_one_command_makes_it_so(observed: ObservedService, wanted: str, command: str) -> None:
    assert by_hand.commands(observed, wanted) == (command,)


@pytest.mark.parametrize("platform", ["AWS", "GCP", "IBMCloud"])
def test_one_patch_takes_it_back(platform: str) -> None:
    patch: Any = by_hand.revert_patch(seen(platform), "Internal")
    assert set(patch["metadata"]["annotations"].values()) == {None}


def test_a_recreation_has_undo_commands_and_the_way_back() -> None:
    """Safe ingress 16"""
    decision = scope.planned("Internal", "delete", seen("AWS"))
    assert decision.commands == (AWS_COMMAND,)
    assert (decision.revert_patch["metadata"]["annotations"], decision.revert_disruption.value) == (
        {AWS_INTERNAL: None},
        "outage",
    )
    assert [(step.verb, step.resource, step.disruption.value) for step in decision.undo] == [
        ("delete", "services", "outage"),
        ("create", "services", "none"),
    ]
    assert AWS_INTERNAL not in (decision.undo[1].body["metadata"].get("annotations") or {})


def test_in_place_too() -> None:
    decision = scope.planned("Internal", "report", seen("GCP"))
    assert decision.revert_patch["metadata"]["annotations"] == {GCP_TYPE: None}
    assert (decision.revert_disruption.value, len(decision.undo), len(decision.commands)) == ("brief", 1, 1)


def test_what_only_would_be_is_nothing_to_take_back() -> None:
    decision = scope.planned("Internal", "report", seen("AWS"))
    assert (decision.revert_patch, decision.commands) == (None, (AWS_COMMAND,))
    assert [(entry.field, entry.have, entry.want) for entry in decision.pending] == [("scope", "External", "Internal")]
