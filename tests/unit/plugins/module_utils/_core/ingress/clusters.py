# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters at rest for decisions: made by the model itself from a spec, then edited as a test says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERATOR_NAMESPACE,
    PARAMS,
    Infra,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for

A, B, C = "subnet-0aaaaaaaaaaaaaaa1", "subnet-0bbbbbbbbbbbbbbb2", "subnet-0ccccccccccccccc3"
E1, E2 = "eipalloc-0aaaaaaaaaaaaaaa1", "eipalloc-0bbbbbbbbbbbbbbb2"


def strategy(kind: str = "", scope: str = "External", **params: Any) -> dict[str, Any]:
    """spec.endpointPublishingStrategy; `kind` '' leaves the provider parameters out."""
    lb: dict[str, Any] = {"scope": scope}
    if kind:
        lb["providerParameters"] = {"type": "AWS", "aws": {"type": kind, PARAMS[kind]: params}}
    return {"type": "LoadBalancerService", "loadBalancer": lb}


def cluster(
    version: str = "4.22",
    platform: str = "AWS",
    spec: dict[str, Any] | None = None,
    armed: str | None = None,
    edits: dict[str, Any] | None = None,
) -> Observed:
    """One that has come to rest: IngressController admitted, Service with an address; then `edits` to the Service."""
    profile, infra = profile_for(version), Infra(platform, base_domain="example.com")
    annotations = {} if armed is None else {"ingress.operator.openshift.io/auto-delete-load-balancer": armed}
    meta = {
        "name": "default",
        "namespace": OPERATOR_NAMESPACE,
        "generation": 1,
        "uid": "uid-ic",
        "resourceVersion": "5",
        "annotations": annotations,
    }
    ic: dict[str, Any] = {"metadata": meta, "spec": {"domain": "apps.example.com"}}
    if spec is not None:
        ic["spec"]["endpointPublishingStrategy"] = spec
    stored, causes = predict.patched(profile, ic, {})
    assert not causes, causes
    made = predict.settle(profile, infra, stored, None)
    service = plain(made.service)
    service["metadata"] |= {"uid": "uid-service", "resourceVersion": "9"}
    service["status"] = {"loadBalancer": {"ingress": [{"hostname": "old.example.com"}]}}
    edited = merge_patch(service, edits or {})
    made.ic["status"]["conditions"].append({"type": "Available", "status": "True"})
    rested = predict.settle(profile, infra, made.ic, edited)
    return Observed(profile, infra, "default", rested.ic, rested.service)


def after_patch(observed: Observed, patch: dict[str, Any]) -> Observed:
    """The same cluster once somebody patched the IngressController and the operator has seen it."""
    stored, causes = predict.patched(observed.profile, observed.ic, patch)
    assert not causes, causes
    rested = predict.settle(observed.profile, observed.infra, stored, observed.service)
    return replace(observed, ic=rested.ic, service=rested.service)


def lb_patch(**lb: Any) -> dict[str, Any]:
    return {"spec": {"endpointPublishingStrategy": {"loadBalancer": lb}}}
