# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API would refuse for what else spec says, and the patch that works (SUB-12)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed, Wanted, Way
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    A,
    B,
    cluster,
    strategy,
)

EIPS_IN_FORCE = strategy("NLB", eipAllocations=[E1, E2])
WITH_BOTH = strategy("NLB", subnets={"ids": [A, B]}, eipAllocations=[E1, E2])
FLOATING = {"type": "OpenStack", "openstack": {"floatingIP": "203.0.113.7"}}


def only_in_spec() -> Observed:
    """Elastic IPs in spec that are not in force yet."""
    observed = cluster(spec=EIPS_IN_FORCE)
    bare = merge_patch(observed.service, {"metadata": {"annotations": {AWS_EIPS: None}}})
    settled = predict.settle(observed.profile, observed.infra, observed.ic, bare)
    return replace(observed, ic=settled.ic, service=bare)


def lb(patch: Any) -> Any:
    return patch["spec"]["endpointPublishingStrategy"]["loadBalancer"]


def network(patch: Any) -> Any:
    return lb(patch)["providerParameters"]["aws"]["networkLoadBalancer"]


@pytest.mark.parametrize(
    ("observed", "wanted"),
    [
        pytest.param(only_in_spec(), Wanted(scope="Internal"), id="Internal, and Elastic IPs in spec"),
        pytest.param(cluster(spec=strategy("NLB", "Internal")), Wanted(eips=[E1]), id="Elastic IPs, and Internal"),
        pytest.param(cluster(spec=WITH_BOTH), Wanted(subnets=Subnets((A,))), id="fewer subnets"),
        pytest.param(cluster(spec=WITH_BOTH), Wanted(eips=[E1]), id="fewer Elastic IPs"),
    ],
)
def test_the_patch_in_the_result_is_one_that_the_api_takes(observed: Observed, wanted: Wanted) -> None:
    decision = planned(wanted, Way(), observed)
    assert (decision.verdict.value, decision.steps) == ("invalid", ())
    patch = decision.details["combined_patch"]
    after, causes = predict.patched(observed.profile, observed.ic, patch)
    assert causes == []
    assert not predict.settle(observed.profile, observed.infra, after, observed.service).frozen
    assert "combined_patch" in decision.message
    assert decision.commands[0].startswith("oc -n openshift-ingress-operator patch ingresscontrollers/default")


def test_where_the_operator_would_freeze_it_is_the_first_of_two_stages() -> None:
    """SUB-13: Elastic IPs in force beside an Internal scope; the API would take that, the operator could not."""
    observed = cluster(spec=EIPS_IN_FORCE)
    patch = planned(Wanted(scope="Internal"), Way(), observed).details["combined_patch"]
    assert network(patch) == {"eipAllocations": None}
    assert "scope" not in lb(patch)


def test_a_floating_ip_goes_first_too() -> None:
    spec = {"type": "LoadBalancerService", "loadBalancer": {"scope": "External", "providerParameters": FLOATING}}
    patch = planned(Wanted(scope="Internal"), Way(), cluster(platform="OpenStack", spec=spec)).details["combined_patch"]
    assert lb(patch) == {"providerParameters": {"openstack": {"floatingIP": None}}}


@pytest.mark.parametrize(
    "wanted",
    [Wanted(scope="Internal", eips=[E1]), Wanted(subnets=Subnets((A,)), eips=[E1, E2]), Wanted(subnets=Subnets())],
)
def test_what_contradicts_itself_has_none(wanted: Wanted) -> None:
    decision = planned(wanted, Way(), cluster(spec=strategy("NLB")))
    assert (decision.verdict.value, decision.details, decision.commands) == ("invalid", None, ())
