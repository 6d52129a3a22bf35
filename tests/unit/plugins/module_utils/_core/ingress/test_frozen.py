# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A frozen operator: foreseen, recognised, planned round, rescued (SUB-13; facts: ingress-operator §14)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS, AWS_SUBNETS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    A,
    B,
    C,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_decide import (
    codes,
    verbs,
)

NLB_WITH_EIPS = strategy("NLB", eipAllocations=[E1, E2])
BOTH = Wanted(scope="Internal", eips=CLEAR)
D = "subnet-0ddddddddddddddd4"
VERSIONS = ["4.18", "4.21", "4.22", "4.23"]


def frozen_f1(version: str) -> Observed:
    """Somebody cleared the EIPs and set Internal in one patch: the operator never admits it."""
    observed = cluster(version, spec=NLB_WITH_EIPS)
    aws = {"networkLoadBalancer": {"eipAllocations": None}}
    patch = {"scope": "Internal", "providerParameters": {"aws": aws}}
    stored, causes = predict.patched(
        observed.profile, observed.ic, {"spec": {"endpointPublishingStrategy": {"loadBalancer": patch}}}
    )
    assert not causes
    return replace(observed, ic=stored)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("way", ["report", "operator", "delete"])
def test_f1_is_foreseen_and_planned_in_stages(version: str, way: str) -> None:
    decision = planned(BOTH, Way(way), cluster(version, spec=NLB_WITH_EIPS))
    assert (decision.verdict.value, decision.details["stage"], decision.details["stages"]) == ("recreate", 1, 2)
    first = decision.steps[0].body["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert "scope" not in first
    # Safe ingress 14: what all stages effectuate, not only the first.
    assert [(entry.field, entry.asked) for entry in decision.pending] == [("scope", True), ("eipAllocations", True)]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("way", ["report", "operator"])
def test_the_first_stage_stays_in_its_subnets(version: str, way: str) -> None:
    """Safe ingress 14: the new ones are for an Internal load balancer; the first stage's is External still."""
    observed = cluster(version, spec=strategy("NLB", subnets={"ids": [A, B]}, eipAllocations=[E1, E2]))
    wanted = Wanted(scope="Internal", eips=CLEAR, subnets=Subnets((C, D)))
    decision = planned(wanted, Way(way), observed)
    first = decision.steps[0].body["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert first == {"providerParameters": {"aws": {"networkLoadBalancer": {"eipAllocations": None}}}}
    assert [entry.field for entry in decision.pending] == ["scope", "subnets", "eipAllocations"]
    assert all(entry.asked for entry in decision.pending)
    if way == "operator":
        assert decision.after["annotations"][AWS_SUBNETS] == f"{C},{D}"


def test_the_first_stage_takes_back_subnets_that_spec_has_already() -> None:
    """Safe ingress 14: with lb_effectuate they are in spec; they follow with the scope."""
    observed = cluster("4.22", spec=strategy("NLB", subnets={"ids": [A, B]}, eipAllocations=[E1, E2]))
    params = {"subnets": {"ids": [C, D]}, "eipAllocations": None}
    observed = after_patch(observed, lb_patch(providerParameters={"aws": {"networkLoadBalancer": params}}))
    asked = frozenset({"scope", "subnets", "eipAllocations"})
    wanted = Wanted(scope="Internal", eips=CLEAR, subnets=Subnets((C, D)))
    decision = planned(wanted, Way("operator", asked=asked, whole=True), observed)
    first = decision.steps[0].body["spec"]["endpointPublishingStrategy"]["loadBalancer"]["providerParameters"]
    assert list(first["aws"]["networkLoadBalancer"]["subnets"]["ids"]) == [A, B]
    assert [entry.field for entry in decision.pending] == ["scope", "subnets", "eipAllocations"]
    assert decision.after["annotations"][AWS_SUBNETS] == f"{C},{D}"


def test_subnets_that_nobody_asked_for_are_not_taken_back() -> None:
    observed = cluster("4.22", spec=strategy("NLB", subnets={"ids": [A, B]}, eipAllocations=[E1, E2]))
    params = {"subnets": {"ids": [C, D]}, "eipAllocations": None}
    observed = after_patch(observed, lb_patch(providerParameters={"aws": {"networkLoadBalancer": params}}))
    decision = planned(Wanted(scope="Internal", eips=CLEAR), Way("operator"), observed)
    assert (decision.verdict.value, decision.steps) == ("blocked", ())
    assert "unasked_changes" in codes(decision)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("way", ["report", "operator", "delete"])
def test_frozen_already_is_named_and_its_service_left_alone(version: str, way: str) -> None:
    decision = planned(Wanted(), Way(way, asked=frozenset({"scope", "eipAllocations"})), frozen_f1(version))
    assert (decision.verdict.value, decision.steps) == ("blocked", ())
    assert "operator_frozen" in codes(decision)
    assert "Do not delete the Service" in decision.message
    assert not any("delete" in command for command in decision.commands)
    assert decision.revert_patch["spec"]["endpointPublishingStrategy"]["loadBalancer"]["scope"] == "External"


@pytest.mark.parametrize("unfreeze", [False, True])
@pytest.mark.parametrize("wanted", [Wanted(), Wanted(scope="Internal")])
def test_a_spec_the_operator_cannot_read_is_named_and_nothing_is_done(unfreeze: bool, wanted: Wanted) -> None:
    """Safe ingress 19: the API takes an idle timeout of a day, Go's types do not; no rescue of ours helps there."""
    observed = cluster("4.22", spec=strategy("Classic"))
    idle = {"aws": {"classicLoadBalancer": {"connectionIdleTimeout": "1d"}}}
    change = {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"providerParameters": idle}}}}
    stored, causes = predict.patched(observed.profile, observed.ic, change)
    assert not causes
    way = Way("delete", asked=frozenset({"scope"}), unfreeze=unfreeze)
    decision = planned(wanted, way, replace(observed, ic=stored))
    assert (decision.verdict.value, decision.steps, codes(decision)) == ("blocked", (), {"spec_unreadable"})
    assert 'time: unknown unit "d" in duration "1d"' in decision.message
    assert "24h for a day" in decision.message


@pytest.mark.parametrize("service_gone", [False, True])
def test_rescue_sets_the_scope_back_first(service_gone: bool) -> None:
    observed = frozen_f1("4.22")
    if service_gone:
        observed = replace(observed, service=None)
    decision = planned(BOTH, Way("operator", unfreeze=True), observed)
    assert verbs(decision) == ["patch ingresscontrollers", "wait admitted"]
    assert decision.steps[0].body["spec"]["endpointPublishingStrategy"]["loadBalancer"] == {"scope": "External"}
    assert (decision.more_stages, decision.later.value) == (True, "outage")
    expected = [] if service_gone else ["scope", "eipAllocations"]
    assert [entry.field for entry in decision.pending] == expected


def test_a_patch_that_thaws_needs_no_rescue() -> None:
    decision = planned(Wanted(scope="External"), Way(), frozen_f1("4.22"))
    assert decision.verdict.value == "update_in_place"
    assert verbs(decision) == ["patch ingresscontrollers", "wait admitted"]


@pytest.mark.parametrize(
    ("key", "value"),
    [(AWS_SUBNETS, f"{A},{A}"), (AWS_SUBNETS, "subnet-12345678,subnet-87654321")],
)
def test_f3_bad_annotation_is_recognised_and_set_right(key: str, value: str) -> None:
    observed = cluster(spec=strategy("Classic", subnets={"ids": [A, B]}))
    service = plain(observed.service)
    service["metadata"]["annotations"][key] = value
    observed = replace(observed, service=service)
    assert "status_frozen" in codes(planned(Wanted(scope="External"), Way("delete"), observed))
    decision = planned(Wanted(scope="External"), Way("delete", unfreeze=True), observed)
    assert decision.steps[0].body == {"metadata": {"annotations": {key: f"{A},{B}"}}}
    # The cloud controller attaches and detaches a Classic load balancer's subnets.
    assert decision.steps[0].disruption.value == "brief"


def test_f3_on_an_nlb_costs_nothing() -> None:
    observed = cluster(spec=strategy("NLB", scope="Internal"))
    service = plain(observed.service)
    service["metadata"]["annotations"][AWS_EIPS] = E1
    decision = planned(Wanted(scope="Internal"), Way(unfreeze=True), replace(observed, service=service))
    assert decision.steps[0].body == {"metadata": {"annotations": {AWS_EIPS: None}}}
    assert decision.steps[0].disruption.value == "none"


def test_f2_floating_ip_is_foreseen() -> None:
    params = {"type": "OpenStack", "openstack": {"floatingIP": "203.0.113.7"}}
    spec = {"type": "LoadBalancerService", "loadBalancer": {"scope": "External", "providerParameters": params}}
    observed = cluster(platform="OpenStack", spec=spec)
    patch = {"scope": "Internal", "providerParameters": {"openstack": {"floatingIP": None}}}
    stored, _causes = predict.patched(
        observed.profile, observed.ic, {"spec": {"endpointPublishingStrategy": {"loadBalancer": patch}}}
    )
    frozen = replace(observed, ic=stored)
    assert "operator_frozen" in codes(planned(Wanted(), Way(), frozen))
