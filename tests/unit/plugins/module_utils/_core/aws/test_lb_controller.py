# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Services the AWS Load Balancer Controller takes, and what makes them internal (Safe ingress 13)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws import cloud_controller, lb_controller

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"


def service(lb_class: str | None = None, **annotations: str) -> dict[str, Any]:
    keys = {PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}
    spec = {"type": "LoadBalancer", **({} if lb_class is None else {"loadBalancerClass": lb_class})}
    return {"metadata": {"name": "front", "annotations": keys}, "spec": spec}


# Service → taken by the AWS Load Balancer Controller, by the cloud controller, by nobody.
OWNERS: dict[str, tuple[dict[str, Any], tuple[bool, bool, bool]]] = {
    "nothing said": (service(), (False, True, False)),
    "nlb": (service(type="nlb"), (False, True, False)),
    "its class": (service("service.k8s.aws/nlb"), (True, False, False)),
    "its class beats the annotation": (service("service.k8s.aws/nlb", type="nlb"), (True, False, False)),
    "another class": (service("example.com/x", type="nlb-ip"), (False, False, False)),
    "nlb-ip": (service(type="nlb-ip"), (True, False, False)),
    "external by ip": (service(type="external", nlb_target_type="ip"), (True, False, False)),
    "external by instance": (service(type="external", nlb_target_type="instance"), (True, False, False)),
    "external, no target type": (service(type="external"), (False, False, True)),
    "external, another target type": (service(type="external", nlb_target_type="alb"), (False, False, True)),
    "case counts": (service(type="External", nlb_target_type="ip"), (False, True, False)),
}


@pytest.mark.parametrize("case", OWNERS)
def test_who_takes_it(case: str) -> None:
    given, expected = OWNERS[case]
    assert (lb_controller.owns(given), cloud_controller.owns(given), lb_controller.nobody_owns(given)) == expected


@pytest.mark.parametrize(
    ("annotations", "internal"),
    [
        ({}, True),
        ({"scheme": "internal"}, True),
        ({"scheme": "internet-facing"}, False),
        ({"scheme": "internet-facing", "internal": "true"}, False),
        ({"scheme": "internal", "internal": "false"}, True),
        ({"internal": "true"}, True),
        ({"internal": "false"}, False),
        ({"internal": "False"}, False),
        ({"internal": "0"}, False),
        ({"internal": "1"}, True),
    ],
)
def test_what_makes_it_internal(annotations: dict[str, str], internal: bool) -> None:
    """The cloud controller takes `False` and `0` for internal; this one reads them as Go reads a boolean."""
    keys = service(**annotations)["metadata"]["annotations"]
    assert lb_controller.internal(keys) is internal


def test_what_it_still_holds() -> None:
    held = service(type="nlb")
    held["metadata"]["finalizers"] = ["service.k8s.aws/resources"]
    assert (lb_controller.holds(held), lb_controller.holds(service())) == (True, False)
