# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be put back: a whitelist, and each value one that its field can have (SCO-6, CORE-6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.edit_rules import (
    annotation_refused,
    field_refused,
    label_refused,
    written_by_controllers,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"


@pytest.mark.parametrize(
    ("key", "value", "kind", "why"),
    [
        ("example.com/mine", "1", "NLB", ""),
        ("example.com/mine", None, "NLB", ""),
        ("plain", "", "NLB", ""),
        (f"{PREFIX}ssl-ports", "443", "NLB", ""),
        (names.AWS_HEALTHY, "3", "NLB", ""),
        (f"{PREFIX}target-group-attributes", "a=b", "NLB", ""),
        (f"{PREFIX}target-group-attributes", "a=b", "Classic", "a Classic load balancer"),
        (f"{PREFIX}connection-draining-enabled", "true", "Classic", ""),
        (f"{PREFIX}connection-draining-enabled", "true", "NLB", "a NLB load balancer"),
        (names.AWS_SUBNETS, "x", "NLB", "operator sets it"),
        (AWS_INTERNAL, "true", "NLB", "operator sets it"),
        (names.AWS_INTERVAL, "7", "NLB", "operator sets it"),
        (f"{PREFIX}private-ipv4-addresses", "10.0.0.1", "NLB", "only when a load balancer is made"),
        ("kubectl.kubernetes.io/last-applied-configuration", "{}", "NLB", "a controller writes it"),
        ("no key at all", "1", "NLB", "no annotation"),
        ("", "1", "NLB", "no annotation"),
        (7, "1", "NLB", "no annotation"),
        ("example.com/mine", 1, "NLB", "no annotation"),
        ("example.com/mine", {"a": "b"}, "NLB", "no annotation"),
    ],
)
def test_annotations(key: Any, value: Any, kind: str, why: str) -> None:
    found = annotation_refused(key, value, profile_for("4.22"), "AWS", kind)
    assert why in found
    assert bool(found) is bool(why)


def test_other_clouds_have_no_kinds() -> None:
    assert annotation_refused(f"{PREFIX}connection-draining-enabled", "1", profile_for("4.22"), "GCP", "Classic") == ""


@pytest.mark.parametrize(
    ("key", "value", "good"),
    [
        ("team", "edge", True),
        ("example.com/team", "", True),
        ("team", None, True),
        ("app", "x", False),
        (names.OWNER_LABEL, "x", False),
        ("team", "not a label", False),
        ("team", "x" * 64, False),
        ("-", "x", False),
        ("team", 1, False),
    ],
)
def test_labels(key: Any, value: Any, good: bool) -> None:
    assert bool(label_refused(key, value)) is not good


@pytest.mark.parametrize(
    ("field", "value", "good"),
    [
        ("externalTrafficPolicy", "Cluster", True),
        ("externalTrafficPolicy", "Everywhere", False),
        ("internalTrafficPolicy", "Local", True),
        ("externalIPs", ["192.0.2.7", "2001:db8::7"], True),
        ("externalIPs", ["anywhere"], False),
        ("externalIPs", "192.0.2.7", False),
        ("externalIPs", [7], False),
        ("loadBalancerSourceRanges", ["10.0.0.0/8"], True),
        ("loadBalancerSourceRanges", ["10.0.0.1/8"], False),
        ("loadBalancerIP", "192.0.2.7", True),
        ("loadBalancerIP", "there", False),
        ("allocateLoadBalancerNodePorts", False, True),
        ("allocateLoadBalancerNodePorts", "no", False),
        ("ipFamilyPolicy", "PreferDualStack", True),
        ("ports", [{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP", "nodePort": 30080}], True),
        ("ports", [{"port": 80, "targetPort": 8080}], True),
        ("ports", [], False),
        ("ports", [{"name": "http"}], False),
        ("ports", [{"port": 0}], False),
        ("ports", [{"port": True}], False),
        ("ports", [{"port": 80, "hostPort": 80}], False),
        ("ports", ["80"], False),
        ("selector", {"app": "mine"}, False),
        ("loadBalancerClass", "example.com/x", False),
        ("type", "ClusterIP", False),
        ("clusterIP", "10.0.0.1", False),
        (7, "x", False),
    ],
)
def test_fields(field: Any, value: Any, good: bool) -> None:
    assert bool(field_refused(field, value, "GCP")) is not good


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ({"clientIP": {"timeoutSeconds": 60}}, True),
        ({"clientIP": {"timeoutSeconds": 0}}, False),
        ({"clientIP": {"timeoutSeconds": 60}, "more": 1}, False),
        ({"clientIP": None}, False),
        ({}, False),
        ("60", False),
    ],
)
def test_session_affinity(value: Any, good: bool) -> None:
    assert bool(field_refused("sessionAffinityConfig", value, "GCP")) is not good
    assert "session affinity" in field_refused("sessionAffinityConfig", value, "AWS")


def test_who_writes_what() -> None:
    assert written_by_controllers("imageregistry.operator.openshift.io/checksum")
    assert not written_by_controllers("example.com/operator.openshift.io")
