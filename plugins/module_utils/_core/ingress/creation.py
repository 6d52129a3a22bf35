# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new IngressController with subnets from its first day (SUB-9)."""

from __future__ import annotations

from dataclasses import replace

from ..data import dig, merge_patch, plain
from ..model import Decision, Disruption, Finding, Severity, Step, Verdict
from ..operator import crd, names, predict
from ..operator.names import LB_STRATEGY
from . import effectuate, spec, words
from .naming import name_problems
from .obstacles import obstacles
from .state import Observed, Wanted


def creation(wanted: Wanted, observed: Observed, empty: Decision, found: tuple[Finding, ...]) -> Decision:
    """One create step; the load balancer is right from the start, so nothing is disrupted."""
    draft = {
        "metadata": {"name": observed.name, "namespace": names.OPERATOR_NAMESPACE},
        "spec": plain(wanted.create or {}),
    }
    imagined = replace(observed, ic=draft)
    errors = [entry for entry in obstacles(wanted, imagined) if entry.severity is Severity.ERROR]
    if errors:
        return replace(empty, findings=(*found, *errors), message=words.blocked(errors))
    kind = spec.target_type(wanted, imagined)
    lb = {"scope": wanted.scope or "External", "dnsManagementPolicy": "Managed"}
    strategy = {"type": LB_STRATEGY, "loadBalancer": lb}
    patch = spec.spec_patch(wanted, replace(imagined, ic={**draft, "spec": {"endpointPublishingStrategy": strategy}}))
    merged = crd.stored(observed.profile, merge_patch(strategy, dig(patch, "spec", "endpointPublishingStrategy") or {}))
    misnamed = name_problems(observed.name, dig(wanted.create, "domain"))
    causes = crd.check(observed.profile, merged)
    if causes or misnamed:
        refusals = (*misnamed, *(words.refusal(cause) for cause in causes))
        return replace(empty, verdict=Verdict.INVALID, findings=(*found, *refusals), message=words.blocked(refusals))
    body = {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "IngressController",
        "metadata": draft["metadata"],
        "spec": {**draft["spec"], "endpointPublishingStrategy": merged},
    }
    undo = Step(
        "kube",
        "delete",
        effectuate.IC_RESOURCE,
        observed.name,
        names.OPERATOR_NAMESPACE,
        why="remove it again, and its load balancer with it",
        disruption=Disruption.OUTAGE,
    )
    step = Step(
        "kube",
        "create",
        effectuate.IC_RESOURCE,
        observed.name,
        names.OPERATOR_NAMESPACE,
        body,
        "there is no such IngressController yet",
        undo=(undo,),
    )
    text = f"IngressController {observed.name} would be created with a load balancer of type {kind}."
    return replace(
        empty,
        verdict=Verdict.UPDATE_IN_PLACE,
        findings=found,
        steps=(step, effectuate.recreated(observed)),
        message=text,
        after=words.made_anew(observed, predict.settle(observed.profile, observed.infra, body, None).ic),
    )
