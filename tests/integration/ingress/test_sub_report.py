# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ingress_lb_subnets, the default: spec says what is wanted, and what that waits for is told (SUB-2, SUB-4, SUB-5)."""

from __future__ import annotations

import json
import shlex

import pytest

from .conftest import NewIngress
from .proofs import codes, pending, prove
from .workplace import Ingress

SUBNET_VERSIONS = ("4.18", "4.21", "4.22", "4.23")
PROFILES = {"4.18": "P2", "4.21": "P2", "4.22": "P3", "4.23": "P4"}
PARAMS = {"Classic": "classicLoadBalancer", "NLB": "networkLoadBalancer"}


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


@pytest.mark.parametrize("kind", ["Classic", "NLB"])
@pytest.mark.parametrize("version", SUBNET_VERSIONS)
def test_other_subnets_wait_for_a_recreation(ingress: NewIngress, version: str, kind: str) -> None:
    """SUB-2, SUB-5: the operator's words, the command that would effectuate it, the patch that cancels it."""
    subject = ingress(version, type=kind, subnets="public")
    uid, address, have, want = subject.uid, subject.address, ids(subject, "public"), ids(subject, "spare_public")
    result = prove(subject, "ingress_lb_subnets", subnets={"ids": want}).applied

    assert (result["verdict"], result["disruption"], result["profile"]) == ("recreate", "outage", PROFILES[version])
    assert subject.lb["providerParameters"]["aws"][PARAMS[kind]]["subnets"] == {"ids": want}
    (entry,) = result["pending"]
    assert (entry["field"], entry["have"]["ids"], entry["want"]["ids"]) == ("subnets", have, want)
    assert entry["message"] in subject.condition()[2]
    assert entry["message"].startswith("The IngressController subnets w")
    assert result["commands"][0] == f"oc -n openshift-ingress delete svc/{subject.service_name}"
    assert "Nothing is disrupted until then." in result["message"]
    assert (subject.uid, subject.address) == (uid, address)

    cancel = shlex.split(result["commands"][1])[-1].removeprefix("--patch=")
    assert json.loads(cancel) == result["revert_patch"]
    subject.patch(result["revert_patch"])
    subject.settle()
    assert subject.condition()[0] == "False"
    assert subject.lb["providerParameters"]["aws"][PARAMS[kind]]["subnets"] == {"ids": have}


@pytest.mark.parametrize("version", SUBNET_VERSIONS)
def test_cancel_by_asking_for_what_is_in_force(ingress: NewIngress, version: str) -> None:
    """SUB-5, SCO-4: the second thought costs nothing."""
    subject = ingress(version, type="NLB", subnets="public")
    uid, have = subject.uid, ids(subject, "public")
    prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")})
    proven = prove(subject, "ingress_lb_subnets", subnets={"ids": have})
    back = proven.applied
    assert (back["planned"]["verdict"], back["disruption"], pending(back)) == ("update_in_place", "none", [])
    assert proven.checked["message"] == "Spec would go back to what is in force. Nothing would be disrupted."
    assert subject.condition()[0] == "False"
    assert subject.uid == uid


@pytest.mark.parametrize("version", SUBNET_VERSIONS)
def test_the_order_has_no_meaning(ingress: NewIngress, version: str) -> None:
    """SUB-4: unordered for Progressing; from 4.22 a reordered spec would cost the load balancer under auto-delete."""
    subject = ingress(version, type="NLB", subnets="public")
    subject.arm("somebody's")
    result = prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")[::-1]}).applied
    assert (result["verdict"], result["changed"]) == ("in_sync", False)


def test_a_name_is_another_thing_than_the_id_of_the_same_subnet(ingress: NewIngress) -> None:
    """SUB-4: ids and names are compared apart, as the operator does."""
    subject = ingress(type="NLB", subnets="public")
    names = [subject.cluster.aws.names[one] for one in ids(subject, "public")]
    result = prove(subject, "ingress_lb_subnets", subnets={"names": names}).applied
    assert (result["verdict"], pending(result)) == ("recreate", ["subnets"])
    assert result["pending"][0]["want"] == {"names": names}


@pytest.mark.parametrize("kind", ["Classic", "NLB"])
def test_the_type_in_force_is_followed(ingress: NewIngress, kind: str) -> None:
    """SUB-2: subnets go to the block of the type in force; the other block stays as it is."""
    subject = ingress(type=kind)
    other = "NLB" if kind == "Classic" else "Classic"
    kept = {"subnets": {"ids": ids(subject, "private")}}
    subject.patch_lb(providerParameters={"aws": {PARAMS[other]: kept}})
    subject.settle()
    prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")})
    aws = subject.lb["providerParameters"]["aws"]
    assert (aws["type"], aws[PARAMS[kind]]["subnets"]["ids"]) == (kind, ids(subject, "public"))
    assert aws[PARAMS[other]] == kept


def test_no_provider_parameters_means_classic(ingress: NewIngress) -> None:
    """SUB-2: an IngressController of before the field gets the block of what the operator made, and its type said."""
    subject = ingress()
    prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")})
    aws = subject.lb["providerParameters"]["aws"]
    assert (aws["type"], aws["classicLoadBalancer"]["subnets"]["ids"]) == ("Classic", ids(subject, "public"))


def test_nothing_said_in_spec_at_all(ingress: NewIngress) -> None:
    """SUB-2, CORE-6: a spec without a publishing strategy gets the parents the API demands, with what was in force."""
    subject = ingress()
    subject.patch({"spec": {"endpointPublishingStrategy": None}})
    subject.settle()
    prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")})
    strategy = subject.ic()["spec"]["endpointPublishingStrategy"]
    assert (strategy["type"], strategy["loadBalancer"]["scope"]) == ("LoadBalancerService", "External")


@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_type_scope_and_subnets_in_one_patch(ingress: NewIngress, version: str) -> None:
    """SUB-8, CORE-9: a type change that brings other subnets along is told whole; the operator only says type."""
    subject = ingress(version, type="Classic", subnets="public")
    result = prove(
        subject,
        "ingress_lb_subnets",
        lb_type="NLB",
        scope="Internal",
        subnets={"ids": ids(subject, "private")},
    ).applied
    assert pending(result) == ["scope", "loadBalancer.providerParameters.aws.type", "subnets"]
    assert len([step for step in result["steps"] if step["verb"] == "patch"]) == 1
    told = [entry["field"] for entry in result["pending"] if entry["message"]]
    assert "loadBalancer.providerParameters.aws.type" in told
    assert subject.condition()[0] == "True"
    revert = result["revert_patch"]
    subject.patch(revert)
    subject.settle()
    assert subject.condition()[0] == "False"


@pytest.mark.parametrize("version", SUBNET_VERSIONS)
def test_elastic_ips_with_subnets_in_one_patch(ingress: NewIngress, version: str) -> None:
    """SUB-12: counts are coupled by the API, so both go into one patch, and the revert takes both back."""
    subject = ingress(version, type="NLB", subnets="public")
    want = ids(subject, "spare_public")[:2]
    eips = list(subject.cluster.aws.eips[:2])
    result = prove(subject, "ingress_lb_subnets", subnets={"ids": want}, eip_allocations=eips).applied
    assert pending(result) == ["subnets", "eipAllocations"]
    assert subject.lb["providerParameters"]["aws"]["networkLoadBalancer"] == {
        "subnets": {"ids": want},
        "eipAllocations": eips,
    }
    subject.patch(result["revert_patch"])
    subject.settle()
    assert subject.condition()[0] == "False"


def test_fields_of_others_survive(ingress: NewIngress) -> None:
    """CORE-6: the patch is minimal; what others set on the same object stays."""
    subject = ingress(type="NLB", subnets="public")
    subject.patch({"spec": {"replicas": 3, "routeSelector": {"matchLabels": {"team": "edge"}}}})
    subject.patch_lb(allowedSourceRanges=["10.0.0.0/8"])
    subject.patch_lb(providerParameters={"aws": {"classicLoadBalancer": {"connectionIdleTimeout": "90s"}}})
    subject.settle()
    before = subject.ic()["spec"]
    result = prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "spare_public")}).applied
    after = subject.ic()["spec"]
    after["endpointPublishingStrategy"]["loadBalancer"]["providerParameters"]["aws"]["networkLoadBalancer"][
        "subnets"
    ] = before["endpointPublishingStrategy"]["loadBalancer"]["providerParameters"]["aws"]["networkLoadBalancer"][
        "subnets"
    ]
    assert after == before
    assert "foreign_pending" not in codes(result)
