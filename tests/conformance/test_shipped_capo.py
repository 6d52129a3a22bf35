# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the released controller behaves (facts: capo §3–§9). Own cases; the recorded ones are in the vectors."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.guards import FORBIDDEN
from ansible_collections.edgeworks.lb_estate.tests.conformance import shipped_capo as shipped
from ansible_collections.edgeworks.lb_estate.tests.conformance.shipped_capo import (
    CreateSources,
    Edit,
    Endpoint,
    EndpointSources,
    refusal,
)

NAMED = Endpoint("api.example.com", 6443)


def lookup(host: str) -> str | None:
    return {"api.example.com": "192.0.2.9"}.get(host)


@pytest.mark.parametrize(
    ("seen", "host"),
    [
        (EndpointSources(lb_enabled=True, status_ip="192.0.2.1", endpoint=NAMED), "192.0.2.1"),
        (EndpointSources(lb_enabled=True, status_internal_ip="10.0.0.1", endpoint=NAMED), "10.0.0.1"),
        (EndpointSources(endpoint=NAMED, floating_ip="192.0.2.2"), "api.example.com"),
        (EndpointSources(floating_ip="192.0.2.2", fixed_ip="10.0.0.2"), "192.0.2.2"),
        (EndpointSources(floating_ip_enabled=False, fixed_ip="10.0.0.2"), "10.0.0.2"),
        (EndpointSources(external_network_enabled=False, fixed_ip="10.0.0.2"), "10.0.0.2"),
    ],
)
def test_a_managed_load_balancer_makes_the_endpoint_an_address_whatever_was_set(
    seen: EndpointSources, host: str
) -> None:
    assert shipped.endpoint_host(seen).value == host


def test_without_any_source_there_is_no_endpoint() -> None:
    assert shipped.endpoint_host(EndpointSources(floating_ip_enabled=False)).error


def test_addresses_come_from_status_then_spec_then_dns() -> None:
    assert shipped.floating_ip_address("", "", Endpoint(), lookup).value is None
    assert shipped.floating_ip_address("", "192.0.2.2", NAMED, lookup).value == "192.0.2.2"
    assert shipped.floating_ip_address("", "", NAMED, lookup).value == "192.0.2.9"
    assert shipped.vip_address("", "", True, NAMED, lookup).value is None
    assert shipped.vip_address("", "", False, NAMED, lookup).value == "192.0.2.9"
    assert shipped.vip_address("10.0.0.1", "10.0.0.2", False, NAMED, lookup).value == "10.0.0.1"
    assert shipped.vip_address("", "", False, Endpoint("nowhere", 1), lookup).error


def test_cidrs_keep_host_bits_and_are_sorted_as_text() -> None:
    """Ours are not: that is what flaps against Octavia (facts: capo §6)."""
    found = shipped.allowed_cidrs(
        ["9.9.9.9/8", "10.0.0.5/8", "::1", "x"], ["192.0.2.1"], ["10.1.0.0/16"], ["192.0.2.2"]
    )
    assert found.canonical == ("10.0.0.5/8", "10.1.0.0/16", "192.0.2.1/32", "192.0.2.2/32", "9.9.9.9/8")
    assert found.dropped == ("::1", "x")


def test_the_last_version_listed_counts() -> None:
    assert not shipped.allowed_cidrs_supported(["v2.26", "v2.0"], "amphora")
    assert shipped.allowed_cidrs_supported(["v2.0", "v2.26"], "amphora")
    assert not shipped.allowed_cidrs_supported([], "amphora")


@pytest.mark.parametrize(
    ("seen", "subnet", "network"),
    [
        (CreateSources(cluster_subnets=["a", "b"]), "a", ""),
        (CreateSources(cluster_subnets=["a", "b"], primary_subnet="b"), "b", ""),
        (CreateSources(cluster_subnets=["a"], lb_network="n", lb_subnets=["x", "y"]), "x", "n"),
        (CreateSources(cluster_subnets=["a"], lb_network="n"), "", "n"),
    ],
)
def test_where_the_vip_goes(seen: CreateSources, subnet: str, network: str) -> None:
    plan = shipped.create(seen)
    assert (plan.action, plan.vip_subnet, plan.vip_network) == ("create", subnet, network)


def test_what_octavia_does_not_offer_falls_back_with_a_warning() -> None:
    plan = shipped.create(CreateSources(provider="f5", providers=["amphora"], flavor="big", flavors={"small": "1"}))
    assert (plan.provider, plan.flavor_id, plan.error) == ("", "", "")
    assert plan.events == ("OctaviaProviderNotFound", "OctaviaFlavorNotFound")
    assert shipped.create(CreateSources(flavor="big", flavors={"big": "7"})).flavor_id == "7"


def test_what_has_the_name_is_taken_as_it_is() -> None:
    assert shipped.create(CreateSources(exists=True, network_known=False)).action == "none"
    assert shipped.create(CreateSources(lb_status_known=False)).error.startswith("apiserver loadbalancer network")


def test_error_is_polled_like_any_other_state() -> None:
    assert shipped.wait_for_active("n", "i", ["ERROR"]).startswith('load balancer "n" with id i is not active')
    assert shipped.wait_for_active("n", "i", ["PENDING_UPDATE", "ACTIVE"]) == ""


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        (["pool"], "pool does not exist"),
        (["endpoint", "pool"], "ControlPlaneEndpoint"),
        (["network"], "network is not"),
    ],
)
def test_members_wait_for_what_they_need_the_first_missing_is_told(missing: list[str], text: str) -> None:
    assert text in shipped.member(None, "10.0.0.1", True, [], missing).error


def test_members() -> None:
    assert shipped.member("10.0.0.1", "10.0.0.1", True, []).actions == ()
    assert shipped.member("10.0.0.9", "10.0.0.1", False, ["a", "b"]) == shipped.MemberPlan(("delete", "create"), "a")


def test_deletion() -> None:
    assert shipped.deletes_floating_ip("192.0.2.1", "")
    assert not shipped.deletes_floating_ip("192.0.2.1", "192.0.2.1")
    assert [shipped.delete(one) for one in (None, "PENDING_DELETE", "ERROR")] == ["none", "requeue", "delete-cascade"]


@pytest.mark.parametrize(
    ("edit", "allowed"),
    [
        (Edit("identityRef.cloudName"), True),
        (Edit("bastion"), True),
        (Edit("bastion", removed=True), True),
        (Edit("controlPlaneEndpoint", unset_before=True), True),
        (Edit("controlPlaneEndpoint.host"), False),
        (Edit("managedSecurityGroups.allowAllInClusterTraffic"), True),
        (Edit("managedSubnets[0].dnsNameservers"), True),
        (Edit("managedSubnets[0].cidr"), False),
        (Edit("spec.apiServer.managedLoadBalancer.monitor.delay"), True),
        (Edit("managedLoadBalancer.enabled"), False),
        (Edit("managedLoadBalancer.additionalPorts"), False),
        (Edit("floatingIP", matches_status=True), True),
        (Edit("floatingIP"), False),
        (Edit("port", unset_before=True, floating_ip_enabled=False), True),
        (Edit("port", unset_before=True), False),
        (Edit("network.id", same_object=True), True),
        (Edit("network.id"), False),
        (Edit("tags"), False),
        (Edit("portal"), False),
    ],
)
def test_what_the_webhook_lets_through(edit: Edit, allowed: bool) -> None:
    """Enabling a mapping on a live cluster is not among it (facts: capo §9)."""
    assert refusal(edit) == (None if allowed else FORBIDDEN)


def test_a_bastion_is_disabled_before_it_is_removed() -> None:
    assert refusal(Edit("bastion", removed=True, was_enabled=True)) not in (None, FORBIDDEN)
