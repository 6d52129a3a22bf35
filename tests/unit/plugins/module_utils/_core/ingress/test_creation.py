# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new IngressController with subnets from its first day (SUB-9)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.creation import creation
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed, Wanted
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Finding,
    Severity,
    Target,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    A,
    B,
    cluster,
)

EMPTY = Decision(Target("IngressController", "shard", "openshift-ingress-operator"), Verdict.BLOCKED, "")
SHARD = Wanted(
    scope="Internal",
    lb_type="NLB",
    subnets=Subnets((A, B)),
    create={"domain": "shard.example.com", "replicas": 2},
)
NOTE = Finding("upgrade_in_progress", Severity.WARNING, "ClusterVersion", "is being upgraded")


def nothing(version: str = "4.22", platform: str = "AWS") -> Observed:
    return replace(cluster(version, platform), name="shard", ic=None, service=None)


def test_it_is_created_right_from_the_start() -> None:
    decision = creation(SHARD, nothing(), EMPTY, (NOTE,))
    create, wait = decision.steps
    assert (create.verb, create.resource, create.name, create.namespace) == (
        "create",
        "ingresscontrollers.operator.openshift.io",
        "shard",
        "openshift-ingress-operator",
    )
    assert plain(create.body["spec"]) == {
        "domain": "shard.example.com",
        "replicas": 2,
        "endpointPublishingStrategy": {
            "type": "LoadBalancerService",
            "loadBalancer": {
                "scope": "Internal",
                "dnsManagementPolicy": "Managed",
                "providerParameters": {
                    "type": "AWS",
                    "aws": {"type": "NLB", "networkLoadBalancer": {"subnets": {"ids": [A, B]}}},
                },
            },
        },
    }
    assert wait.wait_for is not None
    assert (wait.wait_for.until, wait.wait_for.old_uid, wait.name) == ("recreated", "", "router-shard")


def test_nothing_is_disrupted_and_taking_it_back_is() -> None:
    decision = creation(SHARD, nothing(), EMPTY, (NOTE,))
    assert (decision.verdict.value, decision.disruption.value, decision.findings) == (
        "update_in_place",
        "none",
        (NOTE,),
    )
    assert [step.disruption.value for step in decision.steps] == ["none", "none"]
    (undo,) = decision.undo
    assert (undo.verb, undo.name, undo.disruption.value) == ("delete", "shard", "outage")


def test_without_a_type_or_scope_it_is_the_operators_default() -> None:
    decision = creation(replace(SHARD, scope="", lb_type=""), nothing(), EMPTY, ())
    lb = decision.steps[0].body["spec"]["endpointPublishingStrategy"]["loadBalancer"]
    assert (lb["scope"], lb["providerParameters"]["aws"]["type"]) == ("External", "Classic")
    assert decision.message == "IngressController shard would be created with a load balancer of type Classic."


def test_the_predicted_state_has_an_address_that_nobody_knows_yet() -> None:
    after = creation(SHARD, nothing(), EMPTY, ()).after
    assert after["addresses"] == ("(new)",)
    assert after["annotations"]["service.beta.kubernetes.io/aws-load-balancer-subnets"] == f"{A},{B}"


@pytest.mark.parametrize(
    ("wanted", "observed", "verdict", "code"),
    [
        (SHARD, nothing("4.16"), "blocked", "version_lacks_field"),
        (SHARD, nothing(platform="GCP"), "blocked", "platform_unsupported"),
        (replace(SHARD, lb_type="", eips=[E1, E2]), nothing(), "blocked", "eip_classic"),
        (replace(SHARD, eips=[E1, E2]), nothing(), "invalid", "refused_by_api"),
        (replace(SHARD, scope="External", eips=[E1]), nothing(), "invalid", "refused_by_api"),
    ],
)
def test_what_could_never_serve_is_not_created(wanted: Wanted, observed: Observed, verdict: str, code: str) -> None:
    decision = creation(wanted, observed, EMPTY, (NOTE,))
    assert (decision.verdict.value, decision.steps) == (verdict, ())
    assert [finding.code for finding in decision.findings] == [NOTE.code, code]
    assert decision.message
