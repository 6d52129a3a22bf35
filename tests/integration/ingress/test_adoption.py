# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Annotations set by hand become spec without any disruption, or it is said why not and what to do (SUB-7, SUB-11)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS, AWS_SUBNETS
from ansible_collections.edgeworks.lb_estate.tests.lab.estate import IngressSpec
from ansible_collections.edgeworks.lb_estate.tests.lab.running import Lab

from .conftest import NewIngress
from .proofs import codes, finding, prove, refused
from .workplace import Ingress

PARAMS = {"Classic": "classicLoadBalancer", "NLB": "networkLoadBalancer"}


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


@pytest.mark.parametrize("kind", ["Classic", "NLB"])
@pytest.mark.parametrize("version", ["4.18", "4.21", "4.22", "4.23"])
def test_subnets_set_by_hand_are_adopted(ingress: NewIngress, version: str, kind: str) -> None:
    """SUB-7: spec says what the annotation says, Progressing returns to False, the annotation stays byte for byte."""
    subject = ingress(version, type=kind)
    first, second, _third = ids(subject, "public")
    name = subject.cluster.aws.names[second]
    subject.annotate(subnets=f"{name},{first}")
    subject.settle()
    assert subject.condition()[0] == "True"
    uid = subject.uid
    proven = prove(subject, "ingress_lb_subnets", state="adopted")
    assert (proven.applied["planned"]["verdict"], proven.applied["disruption"]) == ("adopt", "none")
    assert subject.lb["providerParameters"]["aws"][PARAMS[kind]]["subnets"] == {"ids": [first], "names": [name]}
    assert subject.condition()[0] == "False"
    assert (subject.uid, subject.annotations[AWS_SUBNETS]) == (uid, f"{name},{first}")


def test_elastic_ips_set_by_hand_are_adopted(ingress: NewIngress) -> None:
    """SUB-7: subnets and Elastic IPs together, since their counts are coupled."""
    subject = ingress(type="NLB")
    subnets, eips = ids(subject, "public")[:2], list(subject.cluster.aws.eips[:2])
    subject.annotate(**{"subnets": ",".join(subnets), "eip-allocations": ",".join(eips)})
    subject.settle()
    prove(subject, "ingress_lb_subnets", state="adopted")
    assert subject.lb["providerParameters"]["aws"]["networkLoadBalancer"] == {
        "subnets": {"ids": subnets},
        "eipAllocations": eips,
    }
    assert subject.annotations[AWS_EIPS] == ",".join(eips)
    assert subject.condition()[0] == "False"


def test_an_annotation_nobody_sees_is_adopted_too(ingress: NewIngress) -> None:
    """SUB-7: without provider parameters in status the operator is blind for it (facts §5)."""
    subject = ingress()
    subject.annotate(subnets=ids(subject, "public")[0])
    subject.settle()
    assert subject.condition()[0] == "False"
    result = subject.run("ingress_lb_subnets", check=True, scope="External")
    assert "state: adopted" in finding(result, "unmanaged_subnets")["remedy"]
    assert prove(subject, "ingress_lb_subnets", state="adopted").applied["planned"]["verdict"] == "adopt"
    assert subject.lb["providerParameters"]["aws"]["type"] == "Classic"


def test_subnets_that_say_the_same_as_the_annotation_are_an_adoption(ingress: NewIngress) -> None:
    """SUB-7: asking for what stands there by hand disrupts nothing."""
    subject = ingress(type="NLB")
    subject.annotate(subnets=",".join(ids(subject, "public")))
    subject.settle()
    result = prove(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")[::-1]}).applied
    assert (result["planned"]["verdict"], result["disruption"]) == ("adopt", "none")


def test_nothing_to_adopt(ingress: NewIngress) -> None:
    """SUB-7"""
    subject = ingress(type="NLB")
    result = prove(subject, "ingress_lb_subnets", state="adopted").applied
    assert (result["verdict"], result["changed"]) == ("in_sync", False)
    assert codes(result) == ["preflight_skipped", "nothing_to_adopt"]


@pytest.mark.parametrize("effectuate", ["report", "operator", "delete"])
def test_nothing_to_adopt_changes_nothing(ingress: NewIngress, effectuate: str) -> None:
    """Safe ingress 16: what somebody left pending in spec is neither taken back nor made real."""
    subject = ingress(type="NLB")
    subject.run("ingress_lb_subnets", subnets={"ids": ids(subject, "public")})
    uid, spec = subject.uid, subject.lb
    options = {"state": "adopted", "effectuate": effectuate, "allow_disruption": "outage"}
    result = prove(subject, "ingress_lb_subnets", **options).applied
    assert (result["changed"], result["verdict"]) == (False, "in_sync")
    assert "nothing_to_adopt" in codes(result)
    assert "not asked for by this task: subnets" in result["message"]
    assert (subject.uid, subject.lb) == (uid, spec)


CANNOT = {
    "8-digit ids": ("subnet-1234abcd,subnet-5678abcd", "cannot_adopt_short_ids", "neither as ids nor as names"),
    "a space": ("one, two", "cannot_adopt_spaces", "spaces"),
    "an empty part": ("one,,two", "cannot_adopt_spaces", "empty parts"),
    "twice the same": ("one,one", "refused_by_api", "duplicates"),
}


@pytest.mark.parametrize("version", ["4.18", "4.22"])
@pytest.mark.parametrize("case", CANNOT)
def test_what_cannot_be_adopted_and_why(ingress: NewIngress, version: str, case: str) -> None:
    """SUB-7: the reason and the way out."""
    subject = ingress(version, type="NLB")
    value, code, why = CANNOT[case]
    subject.annotate(subnets=value)
    subject.wait_for(lambda: subject.annotations.get(AWS_SUBNETS) == value, "the annotation")
    result = refused(subject, "ingress_lb_subnets", state="adopted")
    found = finding(result, code)
    assert why in found["what"]
    assert found["remedy"]


def test_the_way_out_of_spaces(ingress: NewIngress) -> None:
    """SUB-7: rewritten without them, the annotation can be adopted, and AWS sees no difference."""
    subject = ingress(type="NLB")
    subject.annotate(subnets=", ".join(ids(subject, "public")))
    refused(subject, "ingress_lb_subnets", state="adopted")
    subject.annotate(subnets=",".join(ids(subject, "public")))
    subject.settle()
    assert prove(subject, "ingress_lb_subnets", state="adopted").applied["planned"]["verdict"] == "adopt"


def test_names_before_ids_with_auto_delete_present(lab: Lab) -> None:
    """SUB-7: from 4.22 no spec renders to that string, so adoption would cost the load balancer."""
    cluster = lab.cluster("adopt-armed", moto=False, ingress=(IngressSpec("odd", type="NLB"),))
    subject = Ingress(cluster, "odd")
    subject.settle()
    cluster.operator.stop()
    first, second, _third = ids(subject, "public")
    subject.annotate(subnets=f"{cluster.aws.names[second]},{first}")
    subject.arm()
    for allowed in ("none", "outage"):
        result = refused(subject, "ingress_lb_subnets", state="adopted", allow_disruption=allowed)
        found = finding(result, "cannot_adopt_order")
        assert "auto-delete" in found["what"]
        assert "auto-delete" in found["remedy"]
    subject.patch({"metadata": {"annotations": None}})
    assert subject.run("ingress_lb_subnets", check=True, state="adopted")["verdict"] == "adopt"


def test_a_version_without_the_field_is_left_alone(ingress: NewIngress) -> None:
    """SUB-11: a clear message, no write; other fields still work there."""
    subject = ingress("4.16", type="NLB")
    subject.annotate(subnets=ids(subject, "public")[0])
    for options in ({"subnets": {"ids": ids(subject, "public")}}, {"state": "adopted"}, {"state": "absent"}):
        result = refused(subject, "ingress_lb_subnets", **options)
        found = finding(result, "version_lacks_field")
        assert "4.16" in found["what"]
        assert "4.17" in found["what"]
    result = prove(subject, "slb_scope", scope="Internal").applied
    assert "adopted from 4.17 on" in finding(result, "unmanaged_subnets")["remedy"]
    assert subject.annotations[AWS_SUBNETS] == ids(subject, "public")[0]


def test_an_unmanaged_annotation_survives_upgrade_and_downgrade(lab: Lab) -> None:
    """SUB-11: it stays through both, can be adopted in between, and stays when the field is gone again."""
    cluster = lab.cluster("adopt-upgraded", version="4.16", moto=False, ingress=(IngressSpec("old", type="NLB"),))
    subject = Ingress(cluster, "old")
    value = ",".join(ids(subject, "public"))
    subject.annotate(subnets=value)
    uid = subject.uid
    cluster.upgrade("4.22.1")
    result = subject.wait_for(lambda: _if_profile(subject, "P3"), "the new operator")
    assert "unmanaged_subnets" in codes(result)
    assert prove(subject, "ingress_lb_subnets", state="adopted").applied["planned"]["verdict"] == "adopt"
    cluster.upgrade("4.16.9")
    result = subject.wait_for(lambda: _if_profile(subject, "P1"), "the old operator")
    assert not result["changed"]
    assert (subject.uid, subject.annotations[AWS_SUBNETS]) == (uid, value)


def _if_profile(subject: Ingress, name: str) -> dict | None:
    result = subject.run("lb_effectuate", check=True)
    return result if result["profile"] == name else None
