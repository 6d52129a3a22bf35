# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people changed on a Service the operator made: told from what controllers wrote, and put back (SCO-6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.edits import Edits, edits, lost
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names, router_service
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    A,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
MINE = {"example.com/cost-centre": "42"}


def made(patch: dict[str, Any], version: str = "4.22", kind: str = "Classic", platform: str = "AWS") -> Edits:
    """The edits found on a Service at rest that somebody patched."""
    spec = strategy(kind) if platform == "AWS" else None
    observed = cluster(version, platform, spec=spec)
    return edits(replace(observed, service=merge_patch(observed.service, patch)), observed.ic)


@pytest.mark.parametrize(
    "patch",
    [
        {"metadata": {"annotations": MINE}},
        {"metadata": {"labels": {"team": "edge"}}},
        {"metadata": {"annotations": {names.AWS_TIMEOUT: "9", names.AWS_HEALTHY: None}}},
        {"spec": {"externalTrafficPolicy": "Cluster"}},
        {"spec": {"internalTrafficPolicy": "Local"}},
        {"spec": {"externalIPs": ["192.0.2.9"]}},
        {"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}},
        {"spec": {"allocateLoadBalancerNodePorts": False}},
        {"spec": {"publishNotReadyAddresses": True}},
        {"spec": {"ipFamilyPolicy": "PreferDualStack"}},
        {"spec": {"ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"}]}},
        {"metadata": {"annotations": MINE}, "spec": {"externalTrafficPolicy": "Cluster"}},
    ],
)
def test_what_a_person_set_is_found_and_nothing_else(patch: dict[str, Any]) -> None:
    """SCO-6: whatever differs from the Service that the operator would make."""
    assert made(patch) == Edits(patch)


AFFINITY = {"spec": {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 60}}}}


def test_session_affinity_is_put_back_where_the_cloud_has_it() -> None:
    assert made(AFFINITY, platform="IBMCloud") == Edits(AFFINITY)
    assert set(made(AFFINITY).lost) == {"spec.sessionAffinity", "spec.sessionAffinityConfig"}


LOST: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "another's load balancer": ("4.22", "Classic", {"spec": {"loadBalancerClass": "example.com/x"}}, "only when a"),
    "other pods": ("4.22", "Classic", {"spec": {"selector": {"app": "x"}}}, "lead to the routers"),
    "an operator's label": ("4.22", "Classic", {"metadata": {"labels": {"app": "x"}}}, "operator sets it"),
    "subnets before 4.17": ("4.16", "NLB", {"metadata": {"annotations": {names.AWS_SUBNETS: A}}}, "is made"),
    "an NLB's on Classic": (
        "4.22",
        "Classic",
        {"metadata": {"annotations": {names.AWS_TARGET_GROUP: "a=b"}}},
        "a Classic load balancer does not have it",
    ),
    "a Classic's on NLB": (
        "4.22",
        "NLB",
        {"metadata": {"annotations": {f"{PREFIX}extra-security-groups": "sg-1"}}},
        "a NLB load balancer does not have it",
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_what_cannot_be_put_back_is_listed_with_why(case: str) -> None:
    """SCO-6: what would break on the new load balancer, and what no patch can bring back."""
    version, kind, patch, why = LOST[case]
    found = made(patch, version, kind)
    assert found.patch == {}
    (reason,) = found.lost.values()
    assert why in reason


def test_what_would_break_on_the_new_type_is_not_put_back() -> None:
    """The type changes with the recreation: what counts is the one to be."""
    edited = {"metadata": {"annotations": {f"{PREFIX}access-log-enabled": "true"}}}
    observed = after_patch(
        cluster(spec=strategy("Classic"), edits=edited), lb_patch(providerParameters={"aws": {"type": "NLB"}})
    )
    assert edits(cluster(spec=strategy("Classic"), edits=edited), cluster(spec=strategy("Classic")).ic).patch == edited
    assert list(edits(observed, observed.ic).lost) == [f"{PREFIX}access-log-enabled"]


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="untouched"),
        pytest.param({"metadata": {"annotations": {names.AWS_SUBNETS: A}}}, id="creation-only: pending, not an edit"),
        pytest.param({"metadata": {"annotations": {names.AWS_INTERVAL: "7"}}}, id="managed by the operator"),
        pytest.param(
            {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}}}, id="kubectl's"
        ),
        pytest.param(
            {"metadata": {"annotations": {"loadbalancer.openstack.org/load-balancer-id": "lb-1"}}}, id="a controller's"
        ),
        pytest.param({"spec": {"sessionAffinity": "None", "allocateLoadBalancerNodePorts": True}}, id="defaults"),
        pytest.param({"spec": {"externalIPs": [], "loadBalancerSourceRanges": []}}, id="nothing listed"),
        pytest.param(
            {"spec": {"clusterIP": "172.30.0.9", "clusterIPs": ["172.30.0.9"], "healthCheckNodePort": 31000}},
            id="the API server's",
        ),
        pytest.param({"spec": {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}}, id="the cluster's families"),
    ],
)
def test_what_controllers_and_the_server_write_is_no_edit(patch: dict[str, Any]) -> None:
    assert made(patch) == Edits()


def with_node_ports(managed: dict[str, Any] | None) -> Edits:
    observed = cluster(spec=strategy("Classic"))
    ports = [{**port, "nodePort": 30000 + number} for number, port in enumerate(observed.service["spec"]["ports"])]
    entries = [] if managed is None else [{"manager": "kubectl-edit", "fieldsV1": {"f:spec": {"f:ports": managed}}}]
    patch = {"metadata": {"managedFields": entries}, "spec": {"ports": ports}}
    return edits(replace(observed, service=merge_patch(observed.service, patch)), observed.ic)


def test_node_ports_are_edits_where_somebody_chose_them() -> None:
    """The server allocates them else; who wrote a field, managedFields say."""
    assert with_node_ports(None) == Edits()
    assert with_node_ports({'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}}) == Edits()
    chosen = with_node_ports({'k:{"port":80,"protocol":"TCP"}': {"f:nodePort": {}}})
    assert [port["nodePort"] for port in chosen.patch["spec"]["ports"]] == [30000, 30001]


def test_put_onto_a_fresh_service_they_make_the_edited_one() -> None:
    observed = cluster(spec=strategy("Classic"), edits={"metadata": {"annotations": MINE, "labels": {"team": "edge"}}})
    fresh = router_service.service(observed.profile, observed.infra, observed.ic, None)
    back = merge_patch(fresh, edits(observed, observed.ic).patch)
    for part in ("annotations", "labels"):
        assert back["metadata"][part] == plain(observed.service["metadata"][part])


@pytest.mark.parametrize(
    ("restore", "code", "severity"), [(True, "edits_restored", "info"), (False, "edits_lost", "warning")]
)
def test_they_are_listed_by_name(restore: bool, code: str, severity: str) -> None:
    observed = cluster(edits={"metadata": {"annotations": MINE}, "spec": {"externalTrafficPolicy": "Cluster"}})
    (finding,) = lost(observed, observed.ic, restore)
    assert (finding.code, finding.severity.value, finding.where) == (
        code,
        severity,
        "Service openshift-ingress/router-default",
    )
    assert "example.com/cost-centre, spec.externalTrafficPolicy." in finding.what
    assert bool(finding.remedy) is not restore


def test_what_is_lost_all_the_same_is_told_beside_what_is_put_back() -> None:
    observed = cluster(edits={"metadata": {"annotations": MINE}, "spec": {"loadBalancerClass": "example.com/x"}})
    restored, gone = lost(observed, observed.ic, True)
    assert (restored.code, gone.code) == ("edits_restored", "edits_lost")
    assert "loadBalancerClass" in gone.what
    assert "cost-centre" not in gone.what


def test_without_edits_or_a_service_there_is_nothing_to_lose() -> None:
    observed = cluster()
    assert lost(observed, observed.ic, False) == ()
    assert not edits(replace(observed, service=None), observed.ic)
