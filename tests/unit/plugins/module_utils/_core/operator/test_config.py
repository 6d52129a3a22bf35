# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operator reads of its cluster beside IngressControllers (facts: ingress-operator §3, §4, §6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.config import infra_of, version_of
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra

TAGS = [{"key": "team", "value": "edge"}, {"key": "empty"}]


def infrastructure(kind: str, **detail: Any) -> dict[str, Any]:
    return {"status": {"platformStatus": {"type": kind, kind.lower(): detail}}}


def named(given: dict[str, Any]) -> dict[str, Any]:
    return {"status": {**given["status"], "infrastructureName": "lab-x1"}}


@pytest.mark.parametrize(
    ("given", "infra"),
    [
        (infrastructure("AWS", resourceTags=TAGS), Infra("AWS", resource_tags=(("team", "edge"), ("empty", "")))),
        (infrastructure("GCP", resourceTags=TAGS), Infra("GCP")),
        (infrastructure("AWS", ipFamily="DualStackIPv4Primary"), Infra("AWS", ip_family="DualStackIPv4Primary")),
        (
            infrastructure("GCP", cloudLoadBalancerConfig={"dnsType": "ClusterHosted"}),
            Infra("GCP", cluster_hosted_dns=True),
        ),
        (infrastructure("GCP", cloudLoadBalancerConfig={"dnsType": "PlatformDefault"}), Infra("GCP")),
        ({"status": {"platform": "Azure"}}, Infra("Azure")),
        ({"status": {"platformStatus": {"type": "OpenStack", "openstack": None}}}, Infra("OpenStack")),
        (named(infrastructure("AWS", region="eu-west-1")), Infra("AWS", "lab-x1", "eu-west-1")),
        (named(infrastructure("GCP", region="europe-west1")), Infra("GCP", "lab-x1")),
        ({}, Infra("None")),
        (None, Infra("None")),
    ],
)
def test_platform_tags_and_families(given: Any, infra: Infra) -> None:
    assert infra_of(given) == infra


def test_domains_and_the_default_type_of_new_ingress_controllers() -> None:
    dns = {"spec": {"baseDomain": "lab.example.com"}}
    ingress = {"spec": {"domain": "apps.lab.example.com", "loadBalancer": {"platform": {"aws": {"type": "NLB"}}}}}
    assert infra_of(infrastructure("AWS"), dns, ingress) == Infra(
        "AWS", base_domain="lab.example.com", ingress_domain="apps.lab.example.com", ingress_lb_type="NLB"
    )


def rollouts(desired: str, *history: tuple[str, str]) -> dict[str, Any]:
    entries = [{"version": version, "state": state} for version, state in history]
    return {"status": {"desired": {"version": desired}, "history": entries}}


@pytest.mark.parametrize(
    ("given", "version", "under_way"),
    [
        pytest.param(rollouts("4.21.3", ("4.21.3", "Completed")), "4.21.3", False, id="at rest"),
        pytest.param(
            rollouts("4.22.0", ("4.22.0", "Partial"), ("4.21.3", "Completed")), "4.21.3", True, id="an upgrade"
        ),
        pytest.param(
            rollouts("4.22.0", ("4.22.0", "Completed"), ("4.21.3", "Completed")), "4.22.0", False, id="the newest first"
        ),
        pytest.param(rollouts("4.21.3", ("4.21.3", "Partial")), "4.21.3", False, id="an installation"),
        pytest.param({}, "", False, id="nothing known"),
    ],
)
def test_the_version_at_work(given: Any, version: str, under_way: bool) -> None:
    assert version_of(given) == (version, under_way)
