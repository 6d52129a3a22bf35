# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SCO-2: per platform the annotation, its values, and whether scope moves in place (facts: ingress-operator §3)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import (
    PLATFORMS,
    any_internal,
    platform,
)

AWS = "service.beta.kubernetes.io/aws-load-balancer-internal"
AZURE = "service.beta.kubernetes.io/azure-load-balancer-internal"
GCP = "cloud.google.com/load-balancer-type"
GCP_NEWER = "networking.gke.io/load-balancer-type"
IBM = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type"
OPENSTACK = "service.beta.kubernetes.io/openstack-internal-load-balancer"
ALIBABA = "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type"
WITHOUT_SCOPE = ("BareMetal", "Libvirt", "None", "External", "VSphere", "Nutanix")

# platform: annotations when Internal, when External, in place, load balancers by default
SCOPES: dict[str, tuple[dict[str, str], dict[str, str], bool, bool]] = {
    "AWS": ({AWS: "true"}, {}, False, True),
    "Azure": ({AZURE: "true"}, {}, True, True),
    "GCP": ({GCP: "Internal"}, {}, True, True),
    "IBMCloud": ({IBM: "private"}, {IBM: "public"}, False, True),
    "PowerVS": ({IBM: "private"}, {IBM: "public"}, False, True),
    "OpenStack": ({OPENSTACK: "true"}, {}, False, False),
    "AlibabaCloud": ({ALIBABA: "intranet"}, {ALIBABA: "internet"}, False, True),
    **{name: ({}, {}, False, False) for name in (*WITHOUT_SCOPE, "KubeVirt")},
}


@pytest.mark.parametrize("name", SCOPES)
def test_scope_of_each_platform(name: str) -> None:
    internal, external, in_place, load_balancers = SCOPES[name]
    known = platform(name)
    assert known.name == name
    assert known.scope_annotations("Internal") == internal
    assert known.scope_annotations("External") == external
    assert known.scope_in_place is in_place
    assert known.has_load_balancers is load_balancers


def test_no_known_platform_is_missing_from_the_table_above() -> None:
    assert set(PLATFORMS) <= set(SCOPES)


def test_an_ingress_controller_admitted_without_a_scope_is_external() -> None:
    """facts §3: wantScope empty string, from a very old version."""
    assert platform("AWS").scope_annotations("") == {}
    assert platform("IBMCloud").scope_annotations("") == {IBM: "public"}


@pytest.mark.parametrize(
    ("annotations", "internal"),
    [
        ({}, False),
        ({AWS: "true"}, True),
        ({AZURE: "true"}, True),
        ({GCP: "Internal"}, True),
        ({IBM: "private"}, True),
        ({IBM: "public"}, False),
        ({OPENSTACK: "true"}, True),
        ({ALIBABA: "intranet"}, True),
        ({ALIBABA: "internet"}, False),
        ({AWS: "True"}, False),
        ({AWS: "yes"}, False),
        ({AWS: ""}, False),
        ({GCP: "internal"}, False),
        ({AWS: "Internal", GCP: "true"}, False),
        ({"unrelated": "true", "": ""}, False),
        ({AWS: "false", OPENSTACK: "true"}, True),
    ],
)
def test_the_operator_calls_a_service_internal_by_any_platforms_exact_pair(
    annotations: dict[str, str], internal: bool
) -> None:
    assert any_internal(annotations) is internal


@pytest.mark.parametrize(
    ("name", "annotations", "internal"),
    [
        ("AWS", {}, False),
        ("AWS", {AWS: "false"}, False),
        ("AWS", {AWS: "False"}, True),
        ("Azure", {AZURE: "true"}, True),
        ("Azure", {AZURE: "True"}, True),
        ("Azure", {AZURE: "TRUE"}, True),
        ("Azure", {AZURE: "yes"}, False),
        ("GCP", {GCP: "Internal"}, True),
        ("GCP", {GCP: "internal"}, True),
        ("GCP", {GCP: "INTERNAL"}, False),
        ("GCP", {GCP_NEWER: "Internal"}, True),
        ("GCP", {GCP_NEWER: "internal", GCP: "External"}, True),
        ("GCP", {GCP_NEWER: "External", GCP: "Internal"}, False),
        ("GCP", {GCP_NEWER: "", GCP: "Internal"}, False),
        ("IBMCloud", {}, False),
        ("IBMCloud", {IBM: "public"}, False),
        ("IBMCloud", {IBM: "private"}, True),
        ("PowerVS", {IBM: "Public"}, True),
        ("OpenStack", {OPENSTACK: "true"}, True),
        ("OpenStack", {OPENSTACK: "True"}, False),
        ("AlibabaCloud", {ALIBABA: "intranet"}, True),
        ("BareMetal", {AWS: "true"}, False),
    ],
)
def test_how_each_clouds_own_controller_reads_it(name: str, annotations: dict[str, str], internal: bool) -> None:
    """Safe ingress 13: not as the operator does, which wants one exact value."""
    assert platform(name).internal_for_cloud(annotations) is internal


@pytest.mark.parametrize("name", [name for name in SCOPES if SCOPES[name][0]])
def test_what_we_write_is_read_as_meant(name: str) -> None:
    for scope, internal in (("Internal", True), ("External", False)):
        assert platform(name).internal_for_cloud(platform(name).scope_annotations(scope)) is internal
