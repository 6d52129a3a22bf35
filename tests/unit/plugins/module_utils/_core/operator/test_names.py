# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which annotation belongs to whom, by release (facts: ingress-operator §1, §4)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given

ALWAYS = {given.INTERVAL, given.GCP_GLOBAL, given.FALLBACK, given.AZURE_INTERNAL, given.GCP_TYPE}


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("4.10", set()),
        ("4.11", {given.IDLE}),
        ("4.12", {given.IDLE, given.PROXY, given.TYPE}),
        ("4.16", {given.IDLE, given.PROXY, given.TYPE, given.IBM_FEATURES}),
        ("4.17", {given.IDLE, given.PROXY, given.TYPE, given.IBM_FEATURES}),
        ("4.18", {given.IDLE, given.PROXY, given.TYPE, given.IBM_FEATURES, given.TAGS}),
        ("4.21", {given.IDLE, given.PROXY, given.TYPE, given.IBM_FEATURES, given.TAGS}),
        ("4.22", {given.IDLE, given.PROXY, given.IBM_FEATURES, given.TAGS}),
        ("4.23", {given.IDLE, given.PROXY, given.IBM_FEATURES, given.TAGS}),
    ],
)
def test_applied_and_removed_at_once(version: str, more: set[str]) -> None:
    assert names.managed(profile_for(version)) == ALWAYS | more


@pytest.mark.parametrize(
    ("version", "platform", "keys"),
    [
        ("4.11", "AWS", {given.INTERNAL}),
        ("4.16", "AWS", {given.INTERNAL}),
        ("4.17", "AWS", {given.INTERNAL, given.SUBNETS, given.EIPS}),
        ("4.21", "AWS", {given.INTERNAL, given.SUBNETS, given.EIPS}),
        ("4.22", "AWS", {given.INTERNAL, given.SUBNETS, given.EIPS, given.TYPE}),
        ("4.23", "AWS", {given.INTERNAL, given.SUBNETS, given.EIPS, given.TYPE}),
        ("4.23", "Azure", set()),
        ("4.23", "GCP", set()),
        ("4.23", "IBMCloud", {given.IBM_IP_TYPE}),
        ("4.23", "PowerVS", {given.IBM_IP_TYPE}),
        ("4.23", "OpenStack", {given.OPENSTACK_INTERNAL}),
        ("4.23", "BareMetal", set()),
    ],
)
def test_taking_effect_only_at_creation(version: str, platform: str, keys: set[str]) -> None:
    assert names.creation_only(profile_for(version), platform) == keys


@pytest.mark.parametrize("version", ["4.10", "4.11", "4.12", "4.16", "4.17", "4.21", "4.22", "4.23", "5.1"])
def test_nothing_is_both(version: str) -> None:
    profile = profile_for(version)
    for platform in ("AWS", "Azure", "GCP", "IBMCloud", "PowerVS", "OpenStack"):
        assert not names.managed(profile) & names.creation_only(profile, platform)


def test_names_of_the_objects() -> None:
    assert names.service_name("internal-apps") == "router-internal-apps"
    assert names.OPERATOR_NAMESPACE == "openshift-ingress-operator"
    assert names.OPERAND_NAMESPACE == "openshift-ingress"
    assert given.AUTO_DELETE == names.AUTO_DELETE
    assert given.OWNER == names.OWNER_LABEL
    assert names.POD_LABEL == "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"
    assert names.FINALIZER == "ingresscontroller.operator.openshift.io/finalizer-ingresscontroller"
