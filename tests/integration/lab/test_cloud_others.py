# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clouds by rule: what happens to the address when scope changes (facts: ingress-operator §3)."""

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import OPERAND_NAMESPACE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import PLATFORMS
from ansible_collections.edgeworks.lb_estate.tests.integration.lab.balancers import Balancers

IN_PLACE = [("Azure", "4.21"), ("GCP", "4.22")]
FIXED = [("IBMCloud", "4.22"), ("OpenStack", "4.22")]
PRIVATE = ipaddress.ip_network("10.0.0.0/8")


def set_scope(balancers: Balancers, name: str, scope: str) -> None:
    platform = PLATFORMS[balancers.cluster.spec.platform]
    value = platform.scope_annotations(scope).get(platform.scope_key)
    patch = {"metadata": {"annotations": {platform.scope_key: value}}}
    balancers.cluster.api.patch("services", OPERAND_NAMESPACE, name, patch)


@pytest.mark.parametrize("balancers", IN_PLACE, indirect=True, ids=str)
def test_scope_in_place_moves_the_address_there_and_back(balancers: Balancers) -> None:
    balancers.create("moving")
    public = balancers.ready("moving")
    cluster = balancers.cluster
    set_scope(balancers, "moving", "Internal")
    private = cluster.wait_for(lambda: cluster.address("moving") if cluster.address("moving") != public else "")
    assert ipaddress.ip_address(public) not in PRIVATE
    assert ipaddress.ip_address(private) in PRIVATE
    set_scope(balancers, "moving", "External")
    again = cluster.wait_for(lambda: cluster.address("moving") if cluster.address("moving") != private else "")
    assert again not in (public, private)


@pytest.mark.parametrize("balancers", FIXED, indirect=True, ids=str)
def test_scope_elsewhere_waits_for_recreation(balancers: Balancers) -> None:
    balancers.create("staying")
    public = balancers.ready("staying")
    cluster = balancers.cluster
    ensured = cluster.events("staying", "EnsuredLoadBalancer")[0]["count"]
    set_scope(balancers, "staying", "Internal")
    cluster.wait_for(lambda: cluster.events("staying", "EnsuredLoadBalancer")[0]["count"] > ensured)
    assert cluster.address("staying") == public
    balancers.delete("staying")
    cluster.wait_for(lambda: balancers.is_gone("staying"))
    balancers.create("staying")
    set_scope(balancers, "staying", "Internal")
    assert balancers.ready("staying") != public


@pytest.mark.parametrize("balancers", [("OpenStack", "4.22")], indirect=True)
def test_a_floating_ip_is_used_at_creation(balancers: Balancers) -> None:
    balancers.create("floating", loadBalancerIP="198.19.255.7")
    assert balancers.ready("floating") == "198.19.255.7"
    cluster = balancers.cluster
    balancers.delete("floating")
    cluster.wait_for(lambda: balancers.is_gone("floating"))
    reasons = {event["reason"] for event in cluster.events("floating")}
    assert reasons == {"EnsuringLoadBalancer", "EnsuredLoadBalancer", "DeletingLoadBalancer", "DeletedLoadBalancer"}
