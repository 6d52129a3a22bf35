# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back is one patch that works, and says what it costs until the former state is in force again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    A,
    B,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

MOVE = Wanted(subnets=Subnets((B,)))
ON_A = strategy("NLB", subnets={"ids": [A]})
PENDING = after_patch(cluster(spec=ON_A), lb_patch(scope="Internal"))


@pytest.mark.parametrize(
    ("observed", "wanted", "way", "cost"),
    [
        pytest.param(cluster(spec=ON_A), MOVE, Way(), "none", id="pending only"),
        pytest.param(cluster(spec=ON_A), MOVE, Way("delete"), "outage", id="effectuated"),
        pytest.param(cluster(spec=ON_A, armed="yes"), MOVE, Way(), "outage", id="recreated by the patch"),
        pytest.param(PENDING, Wanted(), Way("delete", asked=frozenset({"scope"})), "outage", id="no patch of our own"),
        pytest.param(
            cluster("4.21", spec=strategy("Classic")), Wanted(lb_type="NLB"), Way(), "outage", id="type in place"
        ),
        pytest.param(cluster(platform="GCP"), Wanted(scope="Internal"), Way(), "brief", id="scope in place"),
    ],
)
def test_one_patch_and_its_cost(observed: Observed, wanted: Wanted, way: Way, cost: str) -> None:
    decision = planned(wanted, way, observed)
    assert decision.revert_disruption.value == cost
    _after, causes = predict.patched(observed.profile, observed.ic, decision.revert_patch)
    assert causes == []


def lb(patch: Any) -> Any:
    return patch["spec"]["endpointPublishingStrategy"]["loadBalancer"]


def test_it_leads_to_what_was_in_force_not_to_what_spec_said() -> None:
    """A change that somebody else left pending is none to go back to."""
    observed = after_patch(cluster(spec=ON_A), lb_patch(providerParameters={"aws": {"type": "Classic"}}))
    wanted = Wanted(lb_type="NLB", subnets=Subnets((B,)))
    patch = planned(wanted, Way("delete"), observed).revert_patch
    assert lb(patch)["providerParameters"]["aws"]["networkLoadBalancer"]["subnets"]["ids"] == (A,)


def test_of_a_change_in_stages_all_of_it() -> None:
    observed = cluster(spec=strategy("NLB", eipAllocations=[E1]))
    decision = planned(Wanted(scope="Internal", eips=CLEAR), Way("delete"), observed)
    assert (lb(decision.revert_patch)["scope"], decision.revert_disruption.value) == ("External", "outage")
    assert lb(decision.revert_patch)["providerParameters"]["aws"]["networkLoadBalancer"]["eipAllocations"] == (E1,)


def test_nothing_changed_is_nothing_to_take_back() -> None:
    decision = planned(Wanted(), Way("delete"), cluster(spec=ON_A))
    assert (decision.revert_patch, decision.revert_disruption.value) == (None, "none")


def test_what_comes_with_a_new_service_is_taken_back_too() -> None:
    gone = replace(cluster(spec=ON_A), service=None)
    assert lb(planned(Wanted(scope="Internal"), Way("delete"), gone).revert_patch) == {"scope": "External"}


@pytest.mark.parametrize("way", [Way(), Way("delete"), Way("operator")])
def test_after_a_type_change_nothing_of_it_is_left(way: Way) -> None:
    """The subnets that the task wrote for the new type are none of the old one's."""
    observed = cluster(spec=ON_A)
    decision = planned(Wanted(lb_type="Classic", subnets=Subnets((B,))), way, observed)
    ic = observed.ic
    for patch in (decision.steps[0].body, decision.revert_patch):
        ic, causes = predict.patched(observed.profile, ic, patch)
        assert causes == []
    assert lb(ic) == lb(observed.ic)
