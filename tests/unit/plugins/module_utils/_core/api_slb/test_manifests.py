# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of the document, and the fields of a live one that are ours (API-1, CORE-6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.manifests import (
    inverse,
    manifest,
    patch,
    said,
    shown,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import (
    ADDRESSES,
    live,
    wanted,
)

PREFIX = "service.beta.kubernetes.io/"


def made(role: str, platform: str, addresses: tuple[str, ...] | None = None, **more: Any) -> dict[str, Any]:
    slb = BY_ROLE[role]
    given = ADDRESSES[platform].get(slb.addresses, ADDRESSES[platform]["private"]) if addresses is None else addresses
    return manifest(slb, said(slb, wanted(platform, **more), platform, given))


def test_azure_and_gcp_as_the_document_writes_them() -> None:
    assert made("external", "Azure") == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "external-lb", "namespace": "openshift-kube-apiserver"},
        "spec": {
            "loadBalancerIP": "20.0.0.7",
            "type": "LoadBalancer",
            "ports": [{"port": 6443}],
            "selector": {"app": "kube-apiserver"},
        },
    }
    azure = made("machine_config_server", "Azure")
    assert azure["metadata"]["annotations"] == {f"{PREFIX}azure-load-balancer-internal": "true"}
    assert azure["spec"] == {
        "loadBalancerIP": "10.0.0.7",
        "type": "LoadBalancer",
        "ports": [{"port": 22623}],
        "selector": {"app": "machine-config-server"},
    }
    assert made("internal", "GCP")["metadata"]["annotations"] == {"cloud.google.com/load-balancer-type": "Internal"}


def test_aws_lists_one_elastic_ip_per_subnet_and_has_no_address_field() -> None:
    found = made("external", "AWS", subnets={"public": ("subnet-a", "subnet-b")})
    assert found["metadata"]["annotations"] == {
        f"{PREFIX}aws-load-balancer-type": "nlb",
        f"{PREFIX}aws-load-balancer-eip-allocations": ",".join(ADDRESSES["AWS"]["public"]),
        f"{PREFIX}aws-load-balancer-subnets": "subnet-a,subnet-b",
    }
    assert "loadBalancerIP" not in found["spec"]
    inside = made("internal", "AWS")["metadata"]["annotations"]
    assert inside[f"{PREFIX}aws-load-balancer-internal"] == "true"
    assert inside[f"{PREFIX}aws-load-balancer-private-ipv4-addresses"] == "10.0.0.4,10.0.1.4"


def test_two_families_on_azure() -> None:
    found = made("external", "Azure", ("2001:db8::7", "20.0.0.7"))
    assert found["spec"]["loadBalancerIP"] == "20.0.0.7"
    assert found["spec"]["ipFamilies"] == ["IPv4", "IPv6"]
    assert found["metadata"]["annotations"] == {f"{PREFIX}azure-load-balancer-ipv6": "2001:db8::7"}


def change(service: dict[str, Any], role: str = "internal", platform: str = "Azure", **more: Any) -> dict[str, Any]:
    slb = BY_ROLE[role]
    addresses = more.pop("given", ())
    return patch(slb, said(slb, wanted(platform, **more), platform, addresses), service)


def test_a_live_one_that_says_it_is_left_alone_with_all_that_others_put_there() -> None:
    service = live("internal")
    service["metadata"]["annotations"]["example.com/owner"] = "us"
    service["spec"] |= {"loadBalancerSourceRanges": ["10.0.0.0/8"], "externalTrafficPolicy": "Local"}
    service["spec"]["ports"].append({"name": "metrics", "port": 9000})
    service["spec"]["selector"] = {"app": "openshift-kube-apiserver"}
    assert change(service) == {}


def test_scope_as_its_cloud_reads_it_however_it_is_spelt() -> None:
    service = live("internal", "GCP")
    service["metadata"]["annotations"] = {"networking.gke.io/load-balancer-type": "Internal"}
    assert change(service, platform="GCP") == {}


def test_order_and_spaces_of_lists_mean_nothing() -> None:
    service = live("external", "AWS")
    key = f"{PREFIX}aws-load-balancer-eip-allocations"
    first, second = ADDRESSES["AWS"]["public"]
    service["metadata"]["annotations"][key] = f"{second}, {first}"
    assert change(service, "external", "AWS", given=(first, second)) == {}
    assert change(service, "external", "AWS", given=(first,)) == {"metadata": {"annotations": {key: first}}}


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        ({"spec": {"type": "ClusterIP"}}, {"spec": {"type": "LoadBalancer"}}),
        ({"spec": {"loadBalancerIP": "10.0.0.8"}}, {"spec": {"loadBalancerIP": "10.0.0.7"}}),
        (
            {"spec": {"ports": [{"name": "x", "port": 1}]}},
            {"spec": {"ports": [{"name": "x", "port": 1}, {"name": "p6443", "port": 6443}]}},
        ),
        (
            {"metadata": {"annotations": {f"{PREFIX}azure-load-balancer-internal": None}}},
            {"metadata": {"annotations": {f"{PREFIX}azure-load-balancer-internal": "true"}}},
        ),
    ],
)
def test_only_what_differs_is_changed_and_the_way_back_is_exact(spoil: Any, expected: Any) -> None:
    service = merge_patch(live("internal"), spoil)
    found = change(service, given=("10.0.0.7",))
    assert found == expected
    assert merge_patch(merge_patch(service, found), inverse(found, service)) == service


def test_a_selector_that_is_given_replaces_the_other() -> None:
    found = change(live("internal"), selectors={"internal": {"apiserver": "true"}})
    assert found == {"spec": {"selector": {"app": None, "apiserver": "true"}}}
    service = live("internal")
    assert merge_patch(merge_patch(service, found), inverse(found, service)) == service


def test_given_annotations_are_ours_and_shown() -> None:
    key = "example.com/class"
    found = change(live("internal"), annotations={"internal": {key: "gold"}})
    assert found == {"metadata": {"annotations": {key: "gold"}}}
    merged = merge_patch(live("internal"), found)
    assert shown(BY_ROLE["internal"], "Azure", merged, [key])["annotations"][key] == "gold"  # type: ignore[index]
    assert shown(BY_ROLE["internal"], "Azure", None) is None
