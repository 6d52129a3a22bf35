# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifications by hand on the Service: kept in place, listed before a recreation, restored on request (SCO-6)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import NewIngress
from .proofs import codes, finding, prove
from .workplace import Ingress

NOW = {"allow_disruption": "outage"}
EDITS: dict[str, Any] = {
    "metadata": {
        "annotations": {
            "example.com/team": "edge",
            "service.beta.kubernetes.io/aws-load-balancer-ssl-ports": "443",
        },
        "labels": {"cost-center": "42"},
    },
    "spec": {"externalTrafficPolicy": "Cluster", "externalIPs": ["192.0.2.7"]},
}
LISTED = ("example.com/team", "cost-center", "spec.externalTrafficPolicy", "spec.externalIPs")


def edited(subject: Ingress) -> bool:
    service = subject.live()
    return (
        EDITS["metadata"]["annotations"].items() <= (service["metadata"].get("annotations") or {}).items()
        and EDITS["metadata"]["labels"].items() <= service["metadata"]["labels"].items()
        and all(service["spec"].get(key) == value for key, value in EDITS["spec"].items())
    )


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_kept_through_a_change_in_place(ingress: NewIngress, platform: str) -> None:
    """SCO-6: pain point 11, edits that were reverted; and the source ranges that users set (CORE-6)."""
    subject = ingress("4.22", platform)
    subject.patch_service(EDITS)
    subject.patch_service({"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}})
    prove(subject, "slb_scope", scope="Internal", allow_disruption="brief")
    assert edited(subject)
    assert subject.live()["spec"]["loadBalancerSourceRanges"] == ["10.0.0.0/8"]


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize(("platform", "version"), [("AWS", "4.21"), ("AWS", "4.22"), ("IBMCloud", "4.22")])
def test_listed_before_a_recreation_loses_them(ingress: NewIngress, platform: str, version: str, way: str) -> None:
    """SCO-6: warned which of them; lost as foretold."""
    subject = ingress(version, platform)
    subject.patch_service(EDITS)
    proven = prove(subject, "slb_scope", scope="Internal", effectuate=way, **NOW)
    found = finding(proven.checked, "edits_lost")
    # On IBM Cloud the operator itself chooses the traffic policy that was set here.
    for listed in LISTED if platform == "AWS" else set(LISTED) - {"spec.externalTrafficPolicy"}:
        assert listed in found["what"]
    assert "restore_edits: true" in found["remedy"]
    assert subject.live()["spec"].get("externalIPs") is None
    assert "cost-center" not in subject.live()["metadata"]["labels"]


def test_listed_already_when_only_reported(ingress: NewIngress) -> None:
    """SCO-6: whoever deletes the Service later should know now."""
    subject = ingress(type="NLB")
    subject.patch_service(EDITS)
    assert "edits_lost" in codes(prove(subject, "slb_scope", scope="Internal").applied)


@pytest.mark.parametrize("way", ["operator", "delete"])
@pytest.mark.parametrize(("platform", "version"), [("AWS", "4.18"), ("AWS", "4.23"), ("OpenStack", "4.22")])
def test_restored_on_request(ingress: NewIngress, platform: str, version: str, way: str) -> None:
    """SCO-6: back on the new Service, and the operator leaves them there."""
    subject = ingress(version, platform)
    subject.patch_service(EDITS)
    uid = subject.uid
    result = prove(subject, "slb_scope", scope="Internal", effectuate=way, restore_edits=True, **NOW).applied
    assert "edits_restored" in codes(result)
    assert subject.uid != uid
    assert edited(subject)


def test_restored_by_lb_effectuate(ingress: NewIngress) -> None:
    """SCO-6: the same code for what was left pending."""
    subject = ingress(type="NLB", subnets="public")
    subject.patch_service(EDITS)
    subject.patch_lb(scope="Internal")
    subject.settle()
    prove(subject, "lb_effectuate", changes=["scope"], effectuate="operator", restore_edits=True, **NOW)
    assert edited(subject)


@pytest.mark.parametrize("version", ["4.21", "4.22"])
def test_restored_when_the_patch_itself_recreates(ingress: NewIngress, version: str) -> None:
    """SCO-6, CORE-3: auto-delete was armed by somebody, so the recreation comes with the patch."""
    subject = ingress(version, type="NLB")
    subject.patch_service(EDITS)
    subject.arm("theirs")
    prove(subject, "slb_scope", scope="Internal", restore_edits=True, **NOW)
    assert edited(subject)


def test_a_type_change_in_place_loses_nothing(ingress: NewIngress) -> None:
    """SCO-6: up to 4.21 the Service stays, and so do its modifications."""
    subject = ingress("4.21", type="Classic", moto=True)
    subject.patch_service(EDITS)
    result = prove(subject, "ingress_lb_subnets", lb_type="NLB", **NOW).applied
    assert "edits_lost" not in codes(result)
    assert edited(subject)


MORE: dict[str, tuple[dict[str, Any], str]] = {
    "ports": (
        {"spec": {"ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"}]}},
        "spec.ports",
    ),
    "traffic inside": ({"spec": {"internalTrafficPolicy": "Local"}}, "spec.internalTrafficPolicy"),
    "node ports": ({"spec": {"allocateLoadBalancerNodePorts": False}}, "spec.allocateLoadBalancerNodePorts"),
    "health checks": (
        {"metadata": {"annotations": {"service.beta.kubernetes.io/aws-load-balancer-healthcheck-timeout": "9"}}},
        "healthcheck-timeout",
    ),
    "a health check taken away": (
        {"metadata": {"annotations": {"service.beta.kubernetes.io/aws-load-balancer-healthcheck-timeout": None}}},
        "healthcheck-timeout",
    ),
}


@pytest.mark.parametrize("case", MORE)
def test_whatever_differs_from_the_operators_service_is_one(ingress: NewIngress, case: str) -> None:
    """SCO-6: listed, and put back on request; not a list of known fields."""
    patch, listed = MORE[case]
    subject = ingress(type="NLB")
    subject.patch_service(patch)
    options = {"scope": "Internal", "effectuate": "delete", **NOW}
    assert listed in finding(subject.run("slb_scope", check=True, **options), "edits_lost")["what"]
    before = {**subject.live()["spec"], "ports": None}
    prove(subject, "slb_scope", restore_edits=True, **options)
    after = subject.live()
    for key, value in (patch.get("spec") or {}).items():
        have = [{name: port[name] for name in port if name != "nodePort"} for port in after["spec"]["ports"]]
        assert (have if key == "ports" else after["spec"][key]) == value, before
    for key, value in (patch.get("metadata") or {"annotations": {}})["annotations"].items():
        assert after["metadata"]["annotations"].get(key) == value


BREAKS = {
    "service.beta.kubernetes.io/aws-load-balancer-target-group-attributes": "preserve_client_ip.enabled=true",
    "service.beta.kubernetes.io/aws-load-balancer-private-ipv4-addresses": "10.0.0.5",
}


def test_what_would_break_the_new_type_is_not_put_back(ingress: NewIngress) -> None:
    """SCO-6: the cloud controller refuses a Classic Service with target group attributes."""
    subject = ingress("4.22", type="NLB", moto=True)
    subject.patch_service({"metadata": {"annotations": {**BREAKS, "example.com/team": "edge"}}})
    options = {"lb_type": "Classic", "effectuate": "delete", "restore_edits": True, **NOW}
    result = prove(subject, "ingress_lb_subnets", **options).applied
    for key in BREAKS:
        assert key in finding(result, "edits_lost")["what"]
        assert key not in subject.annotations
    assert subject.annotations["example.com/team"] == "edge"


def test_node_ports_that_go_are_told(ingress: NewIngress) -> None:
    subject = ingress(type="NLB")
    ports = [str(port["nodePort"]) for port in subject.live()["spec"]["ports"]]
    result = subject.run("slb_scope", check=True, scope="Internal", effectuate="delete", **NOW)
    assert all(port in finding(result, "node_ports_change")["what"] for port in ports)


def test_nothing_modified_is_nothing_to_say(ingress: NewIngress) -> None:
    """SCO-6: what the operator, the controller and the API server set are no edits."""
    for platform, version in (("AWS", "4.16"), ("AWS", "4.23"), ("IBMCloud", "4.22"), ("OpenStack", "4.22")):
        subject = ingress(version, platform)
        result = subject.run("slb_scope", check=True, scope="Internal", effectuate="delete", **NOW)
        assert not {"edits_lost", "edits_restored"} & set(codes(result)), (platform, version)
