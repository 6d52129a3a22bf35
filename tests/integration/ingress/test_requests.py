# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run that has nothing to do costs, counted at the server; nothing is cached between runs (issue, done when)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task

from .conftest import NewIngress
from .workplace import Ingress

RUNS: dict[str, dict[str, Any]] = {
    "ingress_lb_subnets": {},
    "slb_scope": {"scope": "External"},
    "lb_effectuate": {},
}
FOUR = [
    ("get", "clusterversions.config.openshift.io"),
    ("get", "infrastructures.config.openshift.io"),
    ("get", "ingresscontrollers.operator.openshift.io"),
    ("get", "services"),
]
TWO = FOUR[2:]


def asked(subject: Ingress, module: str, **options: Any) -> list[tuple[str, str]]:
    subject.cluster.requests.reset()
    result = subject.run(module, **options)
    assert (result.get("failed"), result["changed"], result["verdict"]) == (None, False, "in_sync")
    return sorted((request.verb, request.resource) for request in subject.cluster.requests.all())


def wanted(subject: Ingress, module: str) -> dict[str, Any]:
    subnets = {"subnets": {"ids": list(subject.cluster.aws.public.values())}}
    return subnets if module == "ingress_lb_subnets" else RUNS[module]


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("module", RUNS)
def test_four_requests(ingress: NewIngress, module: str, check: bool) -> None:
    """IngressController, Service, Infrastructure, ClusterVersion; the second run costs the same."""
    subject = ingress(type="NLB", subnets="public")
    for _run in range(2):
        assert asked(subject, module, check=check, **wanted(subject, module)) == FOUR


@pytest.mark.parametrize("module", RUNS)
def test_two_when_platform_and_version_are_given(ingress: NewIngress, module: str) -> None:
    """IngressController and Service."""
    subject = ingress(type="NLB", subnets="public")
    given = {"platform": "AWS", "version": subject.cluster.spec.release}
    assert asked(subject, module, **given, **wanted(subject, module)) == TWO
    assert len(asked(subject, module, platform="AWS", **wanted(subject, module))) == 3


def test_given_platform_and_version_make_no_change_up(ingress: NewIngress) -> None:
    """CORE-4: what Infrastructure alone would tell (resource tags) is not taken for a difference."""
    subject = ingress(type="NLB", subnets="public")
    subject.patch_service({"metadata": {"annotations": {"example.com/mine": "1"}}})
    result = subject.run("slb_scope", scope="External", platform="AWS", version="4.22.3", check=True)
    assert (result["verdict"], result["changed"]) == ("in_sync", False)


def test_a_look_at_the_whole_cluster(ingress: NewIngress) -> None:
    """lb_info: Services, IngressControllers, records, platform, version, manifests; more where something is silent."""
    subject = ingress(type="NLB")
    subject.cluster.requests.reset()
    result = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")
    assert not result["changed"]
    assert len(subject.cluster.requests) == 6
    assert subject.writes() == []
