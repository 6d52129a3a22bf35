# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people changed on a Service the operator made: told from what controllers wrote, and put back (SCO-6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.edits import edits, lost
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names, router_service
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    cluster,
    strategy,
)

MINE = {"example.com/cost-centre": "42"}


def made(patch: dict[str, Any]) -> dict[str, Any]:
    """The edits found on a Service at rest that somebody patched."""
    observed = cluster(spec=strategy("Classic"))
    return edits(replace(observed, service=merge_patch(observed.service, patch)), observed.ic)


@pytest.mark.parametrize(
    "patch",
    [
        {"metadata": {"annotations": MINE}},
        {"metadata": {"labels": {"team": "edge"}}},
        {"spec": {"externalTrafficPolicy": "Cluster"}},
        {"spec": {"sessionAffinity": "ClientIP"}},
        {"spec": {"externalIPs": ["192.0.2.9"]}},
        {"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}},
        {"spec": {"allocateLoadBalancerNodePorts": False}},
        {"metadata": {"annotations": MINE}, "spec": {"sessionAffinity": "ClientIP"}},
    ],
)
def test_what_a_person_set_is_found_and_nothing_else(patch: dict[str, Any]) -> None:
    assert made(patch) == patch


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="untouched"),
        pytest.param({"metadata": {"annotations": {names.AWS_SUBNETS: A}}}, id="creation-only: pending, not an edit"),
        pytest.param({"metadata": {"annotations": {names.AWS_INTERVAL: "7"}}}, id="managed by the operator"),
        pytest.param({"metadata": {"annotations": {names.AWS_TARGET_GROUP: "a=b"}}}, id="the operator's of later"),
        pytest.param(
            {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}}}, id="kubectl's"
        ),
        pytest.param({"spec": {"sessionAffinity": "None", "allocateLoadBalancerNodePorts": True}}, id="defaults"),
        pytest.param({"spec": {"externalIPs": [], "loadBalancerSourceRanges": []}}, id="nothing listed"),
        pytest.param({"spec": {"clusterIP": "172.30.0.9"}}, id="the API server's"),
    ],
)
def test_what_controllers_write_is_no_edit(patch: dict[str, Any]) -> None:
    assert made(patch) == {}


def test_put_onto_a_fresh_service_they_make_the_edited_one() -> None:
    observed = cluster(spec=strategy("Classic"), edits={"metadata": {"annotations": MINE, "labels": {"team": "edge"}}})
    fresh = router_service.service(observed.profile, observed.infra, observed.ic, None)
    back = merge_patch(fresh, edits(observed, observed.ic))
    for part in ("annotations", "labels"):
        assert back["metadata"][part] == plain(observed.service["metadata"][part])


@pytest.mark.parametrize(
    ("restore", "code", "severity"), [(True, "edits_restored", "info"), (False, "edits_lost", "warning")]
)
def test_they_are_listed_by_name(restore: bool, code: str, severity: str) -> None:
    observed = cluster(edits={"metadata": {"annotations": MINE}, "spec": {"sessionAffinity": "ClientIP"}})
    (finding,) = lost(observed, observed.ic, restore)
    assert (finding.code, finding.severity.value, finding.where) == (
        code,
        severity,
        "Service openshift-ingress/router-default",
    )
    assert "example.com/cost-centre, spec.sessionAffinity." in finding.what
    assert bool(finding.remedy) is not restore


def test_without_edits_or_a_service_there_is_nothing_to_lose() -> None:
    observed = cluster()
    assert lost(observed, observed.ic, False) == ()
    assert edits(replace(observed, service=None), observed.ic) == {}
