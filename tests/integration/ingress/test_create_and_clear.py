# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new IngressController with subnets on day 2, and back to auto-discovery (SUB-9)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_EIPS,
    AWS_SUBNETS,
    AWS_TYPE,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.platforms import AWS_INTERNAL

from .conftest import At, NewIngress
from .proofs import codes, finding, pending, prove, refused
from .workplace import Ingress, Subject, next_name

VERSIONS = ("4.18", "4.21", "4.22", "4.23")


@pytest.fixture
def absent(at: At, subjects: list[Subject]) -> Any:
    """An IngressController that is not there yet, and the domain it could have."""

    def named(version: str = "4.22", platform: str = "AWS", *, moto: bool = False) -> tuple[Ingress, str]:
        subject = Ingress(at(platform, version, moto=moto), next_name("new"))
        subjects.append(subject)
        return subject, f"{subject.name}.{subject.cluster.spec.base_domain}"

    return named


def ids(subject: Ingress, row: str) -> list[str]:
    return list(getattr(subject.cluster.aws, row).values())


@pytest.mark.parametrize("kind", ["Classic", "NLB"])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_new_one_with_subnets(absent: Any, version: str, kind: str) -> None:
    """SUB-9: right from its first day, so nothing is pending and nothing disrupted."""
    subject, domain = absent(version)
    want = ids(subject, "private")
    options = {"domain": domain, "lb_type": kind, "scope": "Internal", "subnets": {"ids": want}, "replicas": 1}
    proven = prove(subject, "ingress_lb_subnets", **options)
    assert (proven.applied["planned"]["verdict"], proven.applied["disruption"]) == ("update_in_place", "none")
    assert (subject.ic()["spec"]["domain"], subject.ic()["spec"]["replicas"]) == (domain, 1)
    assert subject.annotations[AWS_SUBNETS] == ",".join(want)
    assert (subject.annotations[AWS_INTERNAL], subject.annotations.get(AWS_TYPE)) == (
        "true",
        "nlb" if kind == "NLB" else None,
    )
    assert proven.applied["after"]["addresses"] == [subject.address]


def test_a_new_one_with_elastic_ips(absent: Any) -> None:
    """SUB-9, SUB-12, SUB-3: AWS is asked first; then it is made with them."""
    subject, domain = absent(moto=True)
    subnets, eips = {"ids": ids(subject, "public")[:2]}, list(subject.cluster.aws.eips[:2])
    options = {"domain": domain, "lb_type": "NLB", "subnets": subnets}
    result = refused(
        subject, "ingress_lb_subnets", aws=True, eip_allocations=[*eips[:1], f"eipalloc-{1:017x}"], **options
    )
    assert codes(result, "error") == ["eip_unknown"]
    prove(subject, "ingress_lb_subnets", aws=True, eip_allocations=eips, **options)
    assert subject.annotations[AWS_EIPS] == ",".join(eips)


def test_a_new_one_that_fails_is_diagnosed(absent: Any) -> None:
    """SUB-9, SUB-10: and the next run, with good subnets, mends it."""
    subject, domain = absent(moto=True)
    options = {"domain": domain, "lb_type": "NLB"}
    result = subject.run("ingress_lb_subnets", subnets={"names": ["no-such"]}, **options)
    assert (result["failed"], result["error_code"]) == (True, "wait_failed")
    good = {"subnets": {"ids": ids(subject, "public")}, "effectuate": "delete", "allow_disruption": "outage"}
    prove(subject, "ingress_lb_subnets", **good, **options)
    assert subject.address


def test_without_a_domain_it_is_not_made(absent: Any) -> None:
    """SUB-9, CORE-7"""
    subject, _domain = absent()
    result = refused(subject, "ingress_lb_subnets", subnets={"ids": ids(subject, "public")})
    assert "give domain to create it" in finding(result, "not_found")["remedy"]


@pytest.mark.parametrize(
    ("version", "platform", "code"), [("4.16", "AWS", "version_lacks_field"), ("4.22", "GCP", "platform_unsupported")]
)
def test_where_it_cannot_be_made(absent: Any, version: str, platform: str, code: str) -> None:
    """SUB-9, SUB-11"""
    subject, domain = absent(version, platform)
    wanted = {"subnets": {"ids": [f"subnet-{1:017x}"]}}
    assert code in codes(refused(subject, "ingress_lb_subnets", domain=domain, **wanted))


@pytest.mark.parametrize("kind", ["Classic", "NLB"])
@pytest.mark.parametrize("version", VERSIONS)
def test_cleared_back_to_auto_discovery(ingress: NewIngress, version: str, kind: str) -> None:
    """SUB-9: pending like any other change, then made real; the block that is left is legal."""
    subject = ingress(version, type=kind, subnets="spare_public")
    result = prove(subject, "ingress_lb_subnets", state="absent").applied
    assert (result["verdict"], pending(result)) == ("recreate", ["subnets"])
    prove(subject, "ingress_lb_subnets", state="absent", effectuate="operator", allow_disruption="outage")
    assert AWS_SUBNETS not in subject.annotations


def test_subnets_and_elastic_ips_cleared_together(ingress: NewIngress) -> None:
    """SUB-9, SUB-12: an empty list clears the Elastic IPs."""
    subject = ingress(type="NLB", subnets="public", eips=3)
    options = {"state": "absent", "eip_allocations": [], "effectuate": "delete", "allow_disruption": "outage"}
    prove(subject, "ingress_lb_subnets", **options)
    assert not {AWS_SUBNETS, AWS_EIPS} & set(subject.annotations)


def test_nothing_to_clear(ingress: NewIngress) -> None:
    """SUB-9, CORE-4"""
    assert prove(ingress(type="NLB"), "ingress_lb_subnets", state="absent").applied["verdict"] == "in_sync"
