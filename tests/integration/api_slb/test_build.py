# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""api_slb builds and keeps the three Services on each platform (API-1, API-2, API-3, CORE-4, CORE-5)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import codes, finding, prove, refused

from .conftest import NewApi
from .workplace import OTHER_PUBLIC, PRIVATE, PUBLIC, ApiLbs

AWS = "service.beta.kubernetes.io/aws-load-balancer-"
INTERNAL = {
    "Azure": ("service.beta.kubernetes.io/azure-load-balancer-internal", "true"),
    "GCP": ("cloud.google.com/load-balancer-type", "Internal"),
}


@pytest.mark.parametrize("platform", INTERNAL)
def test_built_from_nothing(api: NewApi, platform: str) -> None:
    """API-1, API-2: check mode writes nothing and foretells it; a second run is idle."""
    subject = api(platform)
    proven = prove(subject, "api_slb", public=True)
    assert (proven.applied["verdict"], proven.again["verdict"]) == ("in_sync", "in_sync")
    key, value = INTERNAL[platform]
    assert {role: subject.annotation(role, key) for role in subject.there()} == {
        "external": None,
        "internal": value,
        "machine_config_server": value,
    }
    told = proven.applied["services"]
    assert {role: entry["addresses"] for role, entry in told.items()} == {
        "external": [PUBLIC],
        "internal": [PRIVATE],
        "machine_config_server": [PRIVATE],
    }
    assert all(entry["ready"] and entry["endpoints"] for entry in told.values())


def test_one_shared_address_on_gcp_says_what_it_is_reserved_for(api: NewApi) -> None:
    """API-2"""
    subject = api("GCP")
    result = subject.run("api_slb", check=True, public=True)
    shared = [entry for entry in result["addresses_needed"] if entry["purpose"]]
    assert [(entry["purpose"], entry["for"]) for entry in shared] == [
        ("SHARED_LOADBALANCER_VIP", ["internal", "machine_config_server"])
    ]


def reserve(subject: ApiLbs, number: int = 3) -> list[str]:
    """Elastic IPs that carry the reserved name; those of before lose it."""
    network, ec2 = subject.cluster.aws, subject.cluster.clients.ec2  # type: ignore[union-attr]
    assert network is not None
    name = f"{network.infra_id}-rsvd-public-ipv4"
    chosen = list(network.eips[:number])
    for place, allocation in enumerate(network.eips):
        text = f"{name}-{place}" if allocation in chosen else "something else"
        ec2.create_tags(Resources=[allocation], Tags=[{"Key": "Name", "Value": text}])
    return chosen


def test_on_aws_with_elastic_ips_found_by_name(api: NewApi) -> None:
    """API-2: one per subnet; the internal ones with addresses of their own."""
    subject = api("AWS", moto=True)
    eips = reserve(subject)
    proven = prove(subject, "api_slb", aws=True, public=True)
    assert sorted(str(subject.annotation("external", f"{AWS}eip-allocations")).split(",")) == sorted(eips)
    assert subject.annotation("internal", f"{AWS}private-ipv4-addresses") == "10.0.16.70,10.0.17.70,10.0.18.70"
    assert "address_race" in codes(proven.checked)
    assert all(entry["ready"] for entry in proven.applied["services"].values())


def test_on_aws_a_number_that_does_not_fit_the_subnets_is_refused(api: NewApi) -> None:
    """API-2, SUB-3: AWS is asked before anything is made."""
    subject = api("AWS", moto=True)
    reserve(subject, 2)
    result = refused(subject, "api_slb", aws=True, public=True)
    assert "Elastic IP" in result["msg"] or "EIP" in result["msg"]
    assert subject.there() == []


def test_on_aws_without_any_elastic_ip_the_name_is_told(api: NewApi) -> None:
    subject = api("AWS", moto=True)
    reserve(subject, 0)
    result = refused(subject, "api_slb", aws=True, public=True)
    assert f"{subject.cluster.spec.infra_id}-rsvd-public-ipv4" in finding(result, "address_needed")["remedy"]


@pytest.mark.parametrize(
    ("version", "options", "code"),
    [
        ("4.20", {}, "private_addresses_unread"),
        ("4.22", {"addresses": {}}, "address_unreserved"),
        ("4.20", {"aws_internal_addresses": "dynamic"}, ""),
        ("4.20", {"aws_internal_addresses": "unchecked"}, ""),
    ],
)
def test_private_addresses_on_aws(api: NewApi, version: str, options: dict[str, Any], code: str) -> None:
    """API-2: refused where they would be passed over, unless told otherwise."""
    subject = api("AWS", version)
    if code:
        assert finding(refused(subject, "api_slb", public=False, **options), code)["remedy"]
        return
    prove(subject, "api_slb", public=False, **options)
    fixed = subject.annotation("internal", f"{AWS}private-ipv4-addresses")
    assert bool(fixed) is (options["aws_internal_addresses"] == "unchecked")


def test_other_platforms_take_what_is_given(api: NewApi) -> None:
    """API-8"""
    subject = api("OpenStack")
    result = refused(subject, "api_slb", public=True, addresses={})
    assert "openstack-internal-load-balancer" in finding(result, "platform_unsupported")["what"]
    given = {role: {"example.com/lb": "yes"} for role in ("external", "internal", "machine_config_server")}
    prove(subject, "api_slb", public=True, addresses={}, annotations=given)
    assert subject.annotation("machine_config_server", "example.com/lb") == "yes"


def test_who_needs_a_public_one_says_install_config(api: NewApi) -> None:
    """API-8"""
    subject = api()
    assert "public_unknown" in codes(refused(subject, "api_slb"))
    subject.install_config("publish: Internal\n")
    prove(subject, "api_slb")
    assert subject.there() == ["internal", "machine_config_server"]
    subject.install_config("publish: External\n")
    prove(subject, "api_slb")
    assert subject.there() == ["external", "internal", "machine_config_server"]


def test_not_ready_without_an_endpoint(api: NewApi) -> None:
    """API-3: an address is not enough, and neither is an endpoint that is not ready."""
    subject = api()
    subject.endpoints("internal", "10.0.16.10", ready=False)
    result = subject.run("api_slb", public=True, wait_timeout=1)
    assert result["failed"]
    assert "an endpoint to be ready behind it" in result["msg"]
    assert result["services"]["internal"]["lacking"] == "no endpoint is ready behind it"
    subject.endpoints("internal", "10.0.16.10")
    assert not prove(subject, "api_slb", public=True).applied["changed"]


def test_a_cloud_that_refuses_is_the_tasks_failure(api: NewApi) -> None:
    """CORE-14, SUB-10"""
    subject = api()
    subject.cluster.cloud_faults.fail_ensure("the address is not yours", service="external-lb")
    result = subject.run("api_slb", public=True, wait_timeout=2)
    assert result["failed"]
    subject.cluster.cloud_faults.clear()
    prove(subject, "api_slb", public=True)


def test_what_others_put_on_a_service_stays(api: NewApi) -> None:
    """CORE-6"""
    subject = api()
    subject.run("api_slb", public=True)
    edits = {
        "metadata": {"annotations": {"example.com/owner": "us"}},
        "spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]},
    }
    subject.patch_service(edits)
    proven = prove(subject, "api_slb", public=True, addresses={"public": [OTHER_PUBLIC]}, allow_disruption="brief")
    assert proven.applied["planned"]["verdict"] == "update_in_place"
    live = subject.live()
    assert live["spec"]["loadBalancerSourceRanges"] == ["10.0.0.0/8"]
    assert live["metadata"]["annotations"]["example.com/owner"] == "us"
    assert subject.address == OTHER_PUBLIC


def test_another_address_disrupts_and_has_to_be_allowed(api: NewApi) -> None:
    """CORE-3"""
    subject = api()
    subject.run("api_slb", public=True)
    result = refused(subject, "api_slb", public=True, addresses={"public": [OTHER_PUBLIC]})
    assert "disruption_not_allowed" in codes(result)


def test_only_the_reviewed_plan_is_carried_out(api: NewApi) -> None:
    """CORE-8"""
    subject = api()
    plan = subject.run("api_slb", check=True, public=True)
    assert "stale_plan" in codes(refused(subject, "api_slb", public=False, fingerprint=plan["fingerprint"]))
    assert subject.run("api_slb", public=True, fingerprint=plan["fingerprint"])["changed"]


def test_both_ways_of_running_ask_as_little_as_possible(api: NewApi) -> None:
    """A no-op costs its reads: cluster, install-config, and three of each Service."""
    subject = api()
    subject.run("api_slb", public=True)
    subject.cluster.requests.reset()
    subject.run("api_slb", public=True)
    assert len(subject.cluster.requests) == 11


def test_a_user_who_may_only_look_is_told_every_missing_rule(api: NewApi) -> None:
    """CORE-13"""
    subject = api()
    result = subject.run("api_slb", user="reader", public=True)
    assert result["failed"]
    assert "create services" in result["msg"]
    assert "create leases" in result["msg"]
    assert subject.there() == []
