# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables for the tests of status: cases and what is expected of them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    lb,
    provider,
    service,
)

NLB = {given.TYPE: "nlb"}

# Release, type in spec, the Service's annotations (None: there is none) → parameters that stay in status.
PARAMETERS_LEFT = [
    ("4.21", "NLB", NLB, ["classicLoadBalancer", "networkLoadBalancer"]),
    ("4.22", "NLB", NLB, ["networkLoadBalancer"]),
    ("4.22", "Classic", {}, ["classicLoadBalancer"]),
    ("4.22", "NLB", {}, ["classicLoadBalancer", "networkLoadBalancer"]),
    ("4.22", "Classic", NLB, ["classicLoadBalancer", "networkLoadBalancer"]),
    ("4.23", "NLB", None, ["classicLoadBalancer", "networkLoadBalancer"]),
]

# A Service → the source ranges in force.
SOURCE_RANGES: list[tuple[Any, Any]] = [
    (service(), None),
    (service(loadBalancerSourceRanges=["10.0.0.0/8"]), ["10.0.0.0/8"]),
    (service({given.SOURCE_RANGES: "10.0.0.0/8, 11.0.0.0/8"}), ["10.0.0.0/8", " 11.0.0.0/8"]),
    (service({given.SOURCE_RANGES: "11.0.0.0/8"}, loadBalancerSourceRanges=["10.0.0.0/8"]), ["10.0.0.0/8"]),
    (service({given.SOURCE_RANGES: "  "}), None),
]

# What makes a failed sync one of something else.
OTHER_EVENTS = [
    {"component": "somebody"},
    {"reason": "EnsuringLoadBalancer"},
    {"kind": "Pod"},
    {"namespace": "default"},
    {"name": "router-internal-default"},
    {"uid": "uid-0"},
]

# LoadBalancerManaged, LoadBalancerProgressing, DeploymentRollingOut with its reason → Progressing
ROLLUPS = [
    ("True", "False", None, "False"),
    ("True", "True", None, "True"),
    ("True", "Unknown", None, "True"),
    ("False", "True", None, "False"),
    ("True", "False", ("True", "DeploymentRollingOut"), "True"),
    ("True", "False", ("True", "PodsStarting"), "False"),
    ("True", "False", ("True", "ReplicasStabilizing"), "False"),
    ("False", "True", ("True", "DeploymentRollingOut"), "True"),
    ("True", "False", ("False", "DeploymentNotRollingOut"), "False"),
]

# Every condition of a cluster where nothing is going on, by type: status, reason, message.
AT_REST = {
    "LoadBalancerManaged": (
        "True",
        "WantedByEndpointPublishingStrategy",
        "The endpoint publishing strategy supports a managed load balancer",
    ),
    "LoadBalancerReady": ("True", "LoadBalancerProvisioned", "The LoadBalancer service is provisioned"),
    "LoadBalancerProgressing": ("False", "LoadBalancerNotProgressing", "LoadBalancer is not progressing"),
    "Progressing": ("False", "", ""),
    "EvaluationConditionsDetected": (
        "False",
        "NoEvaluationCondition",
        "No evaluation condition is detected.",
    ),
    "Upgradeable": ("True", "Upgradeable", "IngressController is upgradeable."),
}

# Two strategies in status: does the operator take them for the same?
SAME = [
    pytest.param(lb(), lb(), True, id="same"),
    pytest.param(aws("NLB", subnets={"ids": [A, B]}), aws("NLB", subnets={"ids": [B, A]}), True, id="order of subnets"),
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
]
# The tags annotation as it is, the tags that are wanted, the lines that then differ.
PRINTED_TAGS: dict[str, tuple[str | None, str, list[str]]] = {
    "edited": ("a=b", "c=d", ['- \t\t\t"{}": "a=b",', '+ \t\t\t"{}": "c=d",']),
    "added by hand": ("a=b", "", ['- \t\t\t"{}": "a=b",']),
    "taken away by hand": (None, "c=d", ['+ \t\t\t"{}": "c=d",']),
}


def event(message: str = "no luck", **about: str) -> dict[str, Any]:
    known = {"kind": "Service", "namespace": "openshift-ingress", "name": "router-default", "uid": "uid-1"}
    source = about.pop("component", "service-controller")
    reason = about.pop("reason", "SyncLoadBalancerFailed")
    return {"source": {"component": source}, "reason": reason, "message": message, "involvedObject": known | about}
