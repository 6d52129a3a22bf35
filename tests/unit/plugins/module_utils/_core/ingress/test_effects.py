# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users of a load balancer notice of a change of its live Service: the whole effect of a patch (CORE-3)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import effects
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Wanted, Way
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import GCP_TYPE
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

SERVICE: dict[str, Any] = {"metadata": {"annotations": {}}, "spec": {}}


def noticed(have: dict[str, Any], want: dict[str, Any], place: str = "annotations") -> list[tuple[str, str]]:
    before, after = (
        {"metadata": {"annotations": side}, "spec": {}} if place == "annotations" else {"metadata": {}, "spec": side}
        for side in (have, want)
    )
    return [(effect.key, effect.cost.value) for effect in effects.effects(before, after)]


IDLE = names.AWS_IDLE_TIMEOUT
ANNOTATIONS: list[tuple[dict[str, str], dict[str, str], list[tuple[str, str]]]] = [
    ({names.AWS_TYPE: "nlb"}, {}, [(names.AWS_TYPE, "outage")]),
    ({GCP_TYPE: "Internal"}, {}, [(GCP_TYPE, "brief")]),
    ({IDLE: "120"}, {}, [(IDLE, "brief")]),
    ({IDLE: "120"}, {IDLE: "90"}, [(IDLE, "brief")]),
    ({IDLE: "30"}, {}, [(IDLE, "none")]),
    ({}, {IDLE: "120"}, [(IDLE, "none")]),
    ({names.AWS_INTERVAL: "5"}, {names.AWS_INTERVAL: "10"}, [(names.AWS_INTERVAL, "none")]),
    ({names.AWS_PROXY: "*"}, {}, [(names.AWS_PROXY, "brief")]),
    ({names.AWS_TARGET_GROUP: "a"}, {names.AWS_TARGET_GROUP: "b"}, [(names.AWS_TARGET_GROUP, "brief")]),
    ({names.AWS_TAGS: "a=b"}, {}, [(names.AWS_TAGS, "none")]),
    ({names.GCP_GLOBAL_ACCESS: "true"}, {}, [(names.GCP_GLOBAL_ACCESS, "outage")]),
    ({}, {names.GCP_GLOBAL_ACCESS: "true"}, [(names.GCP_GLOBAL_ACCESS, "none")]),
    ({}, {"service.beta.kubernetes.io/new-thing": "x"}, [("service.beta.kubernetes.io/new-thing", "brief")]),
    ({}, {"example.com/mine": "x"}, [("example.com/mine", "none")]),
    ({names.SOURCE_RANGES: "10.0.0.0/8"}, {}, [("spec.loadBalancerSourceRanges", "none")]),
    ({"same": "x"}, {"same": "x"}, []),
]
FIELDS: list[tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]] = [
    ({}, {"loadBalancerSourceRanges": ["10.0.0.0/8"]}, [("spec.loadBalancerSourceRanges", "outage")]),
    (
        {"loadBalancerSourceRanges": ["10.0.0.0/8", "192.0.2.0/24"]},
        {"loadBalancerSourceRanges": ["10.0.0.0/8"]},
        [("spec.loadBalancerSourceRanges", "outage")],
    ),
    (
        {"loadBalancerSourceRanges": ["10.0.0.0/8"]},
        {"loadBalancerSourceRanges": ["10.0.0.0/8", "192.0.2.0/24"]},
        [("spec.loadBalancerSourceRanges", "none")],
    ),
    ({"ipFamilies": ["IPv4", "IPv6"]}, {"ipFamilies": ["IPv4"]}, [("spec.ipFamilies", "outage")]),
    ({"ipFamilies": ["IPv4"]}, {"ipFamilies": ["IPv4", "IPv6"]}, [("spec.ipFamilies", "none")]),
    ({"ports": [{"port": 80}]}, {"ports": []}, [("spec.ports", "outage")]),
    ({"ports": [{"port": 80}]}, {"ports": [{"port": 80, "nodePort": 30080}]}, [("spec.ports", "brief")]),
    ({"newField": 1}, {"newField": 2}, [("spec.newField", "brief")]),
]


@pytest.mark.parametrize(("have", "want", "found"), ANNOTATIONS)
def test_annotations(have: dict[str, str], want: dict[str, str], found: list[tuple[str, str]]) -> None:
    assert noticed(have, want) == found


@pytest.mark.parametrize(("have", "want", "found"), FIELDS)
def test_fields(have: dict[str, Any], want: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert noticed(have, want, "spec") == found


def test_ranges_count_as_they_come_out_of_field_and_annotation() -> None:
    """The operator takes the annotation away and sets the field: nobody is shut out who was let in before."""
    before = {"metadata": {"annotations": {names.SOURCE_RANGES: "10.0.0.0/8"}}, "spec": {}}
    after = {"metadata": {}, "spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}}
    assert effects.effects(before, after) == ()


def test_the_worst_of_them_is_the_cost_and_says_why() -> None:
    before = {"metadata": {"annotations": {names.AWS_INTERVAL: "5", IDLE: "120"}}, "spec": {}}
    found = effects.effects(before, SERVICE)
    assert effects.cost(found) == (effects.BRIEF, "idle connections are cut after 60 s instead of 120 s")
    assert effects.cost(()) == (effects.NONE, "")


def test_every_row_can_be_told() -> None:
    """A sentence, with what it was, what it becomes and what that does."""
    (finding,) = effects.told(effects.effects({"metadata": {"annotations": {IDLE: "120"}}}, SERVICE), "Service x")
    assert (finding.code, finding.severity.value, finding.where) == ("changed_in_place", "warning", "Service x")
    assert finding.what.endswith("120 → none: idle connections are cut after 60 s instead of 120 s.")
    assert finding.value["disruption"] == "brief"


def idle(version: str) -> Any:
    return cluster(version, spec=strategy("Classic", connectionIdleTimeout="120s"))


@pytest.mark.parametrize("version", ["4.22", "4.23", "5.1"])
def test_a_type_change_that_waits_takes_the_idle_timeout_at_once(version: str) -> None:
    """Safe ingress 4: seen on the live Classic load balancer, by a task that was to disrupt nothing."""
    decision = planned(Wanted(lb_type="NLB"), Way(), idle(version))
    assert (decision.verdict.value, decision.steps[0].disruption.value) == ("recreate", "brief")
    assert "idle connections are cut after 60 s instead of 120 s" in decision.steps[0].why
    assert "At once, though: idle connections are cut" in decision.message
    assert [entry.code for entry in decision.effects].count("changed_in_place") == 2
    assert not any(step.wait_for is not None and step.wait_for.until == "readdressed" for step in decision.steps)


def test_and_going_back_costs_nothing() -> None:
    observed = after_patch(idle("4.22"), lb_patch(providerParameters={"aws": {"type": "NLB"}}))
    decision = planned(Wanted(lb_type="Classic"), Way(), observed)
    assert decision.steps[0].disruption.value == "none"


def test_what_the_operator_does_anyway_is_not_the_patchs_cost() -> None:
    observed = cluster(spec=strategy("Classic"))
    edited = merge_patch(observed.service, {"metadata": {"annotations": {names.AWS_PROXY: None}}})
    found = effects.effects(edited, observed.service)
    assert [effect.cost.value for effect in found] == ["brief"]
    behind = type(observed)(observed.profile, observed.infra, observed.name, observed.ic, edited)
    assert planned(Wanted(scope="Internal"), Way(), behind).steps[0].disruption.value == "none"
