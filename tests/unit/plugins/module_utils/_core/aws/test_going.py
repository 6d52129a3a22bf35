# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a load balancer from going, and what is lost with it (Safe ingress 14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import AwsFacts, AwsLoadBalancer
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.going import going

LB = AwsLoadBalancer("a1", "NLB", "h", "External", "vpc-1", arn="arn:a1")
FACTS = AwsFacts("vpc-1", "infra", lb=LB)
GROUPS = replace(FACTS, lb=replace(LB, security_groups=("sg-1", "sg-2")))
ANNOTATION = "service.beta.kubernetes.io/aws-load-balancer-security-groups"


def service(groups: str = "") -> dict[str, Any]:
    return {"metadata": {"annotations": {ANNOTATION: groups} if groups else {}}}


@pytest.mark.parametrize(
    ("facts", "kind", "annotation", "codes"),
    [
        (FACTS, "NLB", "", []),
        (replace(FACTS, lb=None, protected=True), "NLB", "", []),
        (replace(FACTS, protected=True), "NLB", "", ["deletion_protection"]),
        (replace(FACTS, endpoint_services=("vpce-svc-1",)), "NLB", "", ["endpoint_service"]),
        (GROUPS, "NLB", "", ["security_groups_lost"]),
        (GROUPS, "NLB", "sg-1, sg-2", []),
        (GROUPS, "NLB", "sg-1", ["security_groups_lost"]),
        (GROUPS, "Classic", "", []),
        (replace(GROUPS, lb=replace(LB, kind="Classic", security_groups=("sg-1",))), "NLB", "", []),
    ],
)
def test_what_is_told(facts: AwsFacts, kind: str, annotation: str, codes: list[str]) -> None:
    found = going(service(annotation), kind, facts, now=True)
    assert [entry.code for entry in found] == codes
    assert all(entry.remedy for entry in found)


@pytest.mark.parametrize(("now", "severity"), [(True, "error"), (False, "warning")])
def test_it_stops_only_what_takes_it_away_now(now: bool, severity: str) -> None:
    held = replace(FACTS, protected=True, endpoint_services=("vpce-svc-1",))
    assert {entry.severity.value for entry in going(service(), "NLB", held, now)} == {severity}


def test_the_command_is_told() -> None:
    (finding,) = going(service(), "NLB", replace(FACTS, protected=True), now=True)
    assert finding.remedy.endswith("Key=deletion_protection.enabled,Value=false --load-balancer-arn arn:a1")
