# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Upgradeable, the merge of conditions, and when a status write is skipped (facts: ingress-operator §4, §5, §7)."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import router_service, status
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    ic,
    lb,
    provider,
    service,
)

INFRA = Infra("AWS")


def as_wanted(version: str, controller: Any, **edits: str) -> dict[str, Any]:
    found = router_service.service(profile_for(version), INFRA, controller, None)["metadata"]["annotations"]
    return service({**found, **edits})


def upgradeable(version: str, controller: Any, live: Any) -> tuple[str, str, str]:
    found = status.upgradeable(profile_for(version), INFRA, controller, live)
    return found["status"], found["reason"], found["message"]


@pytest.mark.parametrize("version", ["4.16", "4.21", "4.22", "4.23"])
def test_tampering_with_a_managed_annotation_blocks_upgrades(version: str) -> None:
    controller = ic(aws("Classic"))
    text = "IngressController is upgradeable."
    assert upgradeable(version, controller, as_wanted(version, controller)) == ("True", "Upgradeable", text)
    tampered = as_wanted(version, controller, **{given.INTERVAL: "7", given.PROXY: ""})
    kind, reason, text = upgradeable(version, controller, tampered)
    assert (kind, reason) == ("False", "OperandsNotUpgradeable")
    assert text.startswith(
        "One or more managed resources are not upgradeable: load balancer service has been modified; changes must be"
        " reverted before upgrading:   &v1.Service{\n"
    )
    lines = text.splitlines()
    assert f'- \t\t\t"{given.INTERVAL}": "7",' in lines
    assert f'+ \t\t\t"{given.INTERVAL}": "5",' in lines
    assert f'- \t\t\t"{given.PROXY}": "",' in lines


@pytest.mark.parametrize("edit", [{given.SUBNETS: A}, {given.INTERNAL: "true"}, {given.TIMEOUT: "9"}, {"mine": "x"}])
@pytest.mark.parametrize("version", ["4.21", "4.22"])
def test_neither_pending_changes_nor_users_own_annotations_do(version: str, edit: dict[str, str]) -> None:
    controller = ic(aws("Classic"))
    assert upgradeable(version, controller, as_wanted(version, controller, **edit))[0] == "True"


@pytest.mark.parametrize("version", ["4.16", "4.17", "4.18", "4.22"])
def test_resource_tags_do_in_every_release(version: str) -> None:
    """§0: also while they were creation-only."""
    controller = ic(lb())
    assert upgradeable(version, controller, as_wanted(version, controller, **{given.TAGS: "a=b"}))[0] == "False"


TAGS = {
    "edited": ("a=b", "c=d", ['- \t\t\t"{}": "a=b",', '+ \t\t\t"{}": "c=d",']),
    "added by hand": ("a=b", "", ['- \t\t\t"{}": "a=b",']),
    "taken away by hand": (None, "c=d", ['+ \t\t\t"{}": "c=d",']),
}


@pytest.mark.parametrize("case", TAGS)
def test_the_whole_service_is_printed_with_what_differs(case: str) -> None:
    """Safe ingress 19: several lines in the shape of go-cmp; the entries that are the same are only counted."""
    have, want, printed = TAGS[case]
    infra = replace(INFRA, resource_tags=(("c", "d"),) if want else ())
    controller = ic(lb())
    found = router_service.service(profile_for("4.16"), infra, controller, None)["metadata"]["annotations"]
    live = {key: value for key, value in found.items() if key != given.TAGS} | ({given.TAGS: have} if have else {})
    text = status.upgradeable(profile_for("4.16"), infra, controller, service(live))["message"]
    lines = text.removeprefix(status.MODIFIED).splitlines()
    assert (lines[0], lines[-1]) == ("  &v1.Service{", "  }")
    assert [line for line in lines if line[0] in "+-"] == [line.format(given.TAGS) for line in printed]
    assert f"... // {len(live) - bool(have)} identical entries" in text


def test_no_service_nothing_to_tamper_with() -> None:
    assert upgradeable("4.22", ic(lb()), None)[0] == "True"
    assert upgradeable("4.22", ic({"type": "HostNetwork"}), service({given.INTERVAL: "7"}))[0] == "True"


# --- the merge of conditions -----------------------------------------------------------------------------------------

OLD = [
    {"type": "Available", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": "t0"},
    {"type": "Progressing", "status": "False", "reason": "", "message": "", "lastTransitionTime": "t0"},
]


def test_conditions_keep_their_order_and_others_are_left_alone() -> None:
    before = copy.deepcopy(OLD)
    found = status.merged(
        OLD, [status.condition("New", "True"), status.condition("Progressing", "True", "R", "M")], "t1"
    )
    assert before == OLD
    assert [entry["type"] for entry in found] == ["Available", "Progressing", "New"]
    assert found[0] == OLD[0]
    assert found[1] == {
        "type": "Progressing",
        "status": "True",
        "reason": "R",
        "message": "M",
        "lastTransitionTime": "t1",
    }
    assert found[2]["lastTransitionTime"] == "t1"


def test_the_time_moves_only_with_the_status() -> None:
    (_available, progressing) = status.merged(OLD, [status.condition("Progressing", "False", "R", "other")], "t1")
    assert (progressing["message"], progressing["lastTransitionTime"]) == ("other", "t0")


# --- is there anything to write? -------------------------------------------------------------------------------------


def with_status(strategy: Any, **more: Any) -> dict[str, Any]:
    return {"endpointPublishingStrategy": strategy, "observedGeneration": 1, "conditions": OLD, **more}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(lb(), lb(), True, id="same"),
        pytest.param(
            aws("NLB", subnets={"ids": [A, B]}), aws("NLB", subnets={"ids": [B, A]}), True, id="order of subnets"
        ),
        pytest.param(
            aws("NLB", eipAllocations=[EIP1, EIP2]), aws("NLB", eipAllocations=[EIP2, EIP1]), True, id="order of EIPs"
        ),
        pytest.param(aws("NLB", subnets={"ids": [A]}), aws("NLB"), False, id="subnets"),
        pytest.param(aws("NLB", eipAllocations=[EIP1]), aws("NLB"), False, id="EIPs"),
        pytest.param(aws("Classic", connectionIdleTimeout="0s"), aws("Classic"), True, id="no timeout"),
        pytest.param(
            aws("Classic", connectionIdleTimeout="5s"),
            aws("Classic", connectionIdleTimeout="6s"),
            False,
            id="another timeout",
        ),
        pytest.param(lb(allowedSourceRanges=["10.0.0.0/8"]), lb(), False, id="source ranges"),
        pytest.param(
            lb(allowedSourceRanges=["10.0.0.0/8", "11.0.0.0/8"]),
            lb(allowedSourceRanges=["11.0.0.0/8", "10.0.0.0/8"]),
            False,
            id="order of source ranges",
        ),
        pytest.param(lb(allowedSourceRanges=[]), lb(), True, id="no source ranges"),
        pytest.param(provider("OpenStack", floatingIP="192.0.2.1"), provider("OpenStack"), False, id="floating IP"),
    ],
)
def test_a_write_is_skipped_for_an_order_alone(one: Any, other: Any, same: bool) -> None:
    assert status.same(with_status(one), with_status(other)) is same


def test_a_generation_or_a_condition_is_a_reason_to_write() -> None:
    strategy = lb()
    assert not status.same(with_status(strategy), with_status(strategy, observedGeneration=2))
    moved = [OLD[0], {**OLD[1], "message": "other"}]
    assert not status.same(with_status(strategy), with_status(strategy, conditions=moved))
    later = [{**entry, "lastTransitionTime": "t1"} for entry in reversed(OLD)]
    assert status.same(with_status(strategy), with_status(strategy, conditions=later))
    assert status.same(None, {})
