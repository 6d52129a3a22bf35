# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who else keeps an object in their own shape (CORE-6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import owners

MANAGED = "the managed service's operators (ROSA, OpenShift Dedicated)"


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({}, []),
        ({"labels": {"app": "router"}}, []),
        ({"labels": {"argocd.argoproj.io/instance": "ingress"}}, ["Argo CD"]),
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "x"}}, ["Flux"]),
        ({"annotations": {"hive.openshift.io/managed": "true"}}, ["a Hive SyncSet"]),
        ({"labels": {"hypershift.openshift.io/managed": "true"}}, ["the hosted control plane"]),
        ({"labels": {"api.openshift.com/managed": "true"}}, ["OpenShift Cluster Manager"]),
        ({"labels": {"managed.openshift.io/osd": "true"}}, [MANAGED]),
        ({"annotations": {"Owner": "cloud-ingress-operator"}}, [MANAGED]),
        ({"annotations": {"Owner": "cluster-ingress-operator"}}, []),
        ({"finalizers": ["cloudingress.managed.openshift.io/finalizer-cloud-ingress-controller"]}, [MANAGED]),
        ({"finalizers": ["ingresscontroller.operator.openshift.io/finalizer-ingresscontroller"]}, []),
        ({"managedFields": [{"manager": "cloud-ingress-operator"}]}, [MANAGED]),
        ({"managedFields": [{"manager": "hive-controllers"}]}, ["a Hive SyncSet"]),
        ({"managedFields": [{"manager": "archive-job"}, {}]}, []),
        ({"labels": {"notmanaged.openshift.io/x": "1", "managed.openshift.io": "1"}}, []),
        (
            {"ownerReferences": [{"kind": "Gateway", "name": "web", "controller": True}, {"kind": "Job", "name": "x"}]},
            ["Gateway web (its controller)"],
        ),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, ["Helm"]),
        ({"labels": {"app.kubernetes.io/managed-by": "kubectl"}}, []),
        ({"managedFields": [{"manager": "argocd-controller"}, {"manager": "kubectl-edit"}]}, ["Argo CD"]),
        (
            {"labels": {"argocd.argoproj.io/instance": "a"}, "managedFields": [{"manager": "kustomize-controller"}]},
            ["Argo CD", "Flux"],
        ),
    ],
)
def test_labels_annotations_and_field_managers_tell(metadata: dict[str, Any], found: list[str]) -> None:
    assert owners.owners({"metadata": metadata}) == found


def test_an_owner_is_a_warning_with_a_remedy() -> None:
    (finding,) = owners.finding({"metadata": {"labels": {"argocd.argoproj.io/instance": "a"}}}, "Service x")
    assert (finding.code, finding.severity.value, finding.where) == ("other_owner", "warning", "Service x")
    assert "Argo CD" in finding.what
    assert finding.remedy
    assert owners.finding({"metadata": {}}, "Service x") == ()


@pytest.mark.parametrize(
    ("key", "value", "marked"),
    [
        ("argocd.argoproj.io/instance", "shop", True),
        ("meta.helm.sh/release-name", "shop", True),
        ("app.kubernetes.io/managed-by", "Helm", True),
        ("app.kubernetes.io/managed-by", "kubectl", False),
        ("example.com/owner", "shop", False),
        ("app", "front", False),
    ],
)
def test_a_mark_by_which_a_tool_knows_what_it_keeps(key: str, value: str, marked: bool) -> None:
    """CLS-3: a copy that bears one would be deleted by that tool."""
    assert owners.marked(key, value) is marked
