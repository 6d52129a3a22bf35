# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The look at AWS: before a change (SUB-3), at what is in force (SUB-4), and for what a cluster left behind there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from .._core import in_force, preflight
from .._core.aws_facts import LoadBalancer
from .._core.frozen import Json, dig, thaw
from .._core.ingress import spec
from .._core.ingress.state import Observed, Wanted
from .._core.model import Finding, Severity
from .._core.operator import desired, predict
from .._core.operator.names import NLB
from .._core.platforms import AWS
from .._ports.aws import Aws
from .._ports.errors import Misconfigured, PortError
from .cluster import ClusterFacts


class AwsLook:
    """One look per task and purpose: what was asked for does not change while it is carried out."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._params = params
        self._looked: set[bool] = set()

    def findings(self, wanted: Wanted, observed: Observed, facts: ClusterFacts, makes_one: bool) -> tuple[Finding, ...]:
        """`makes_one`: a load balancer is going to be made, so everything AWS could refuse is checked."""
        if self._params["preflight"] == "skip" or observed.infra.platform != AWS:
            return ()
        if makes_one in self._looked or True in self._looked:
            return ()
        self._looked.add(makes_one)
        try:
            aws = connect(self._params, facts)
            return () if aws is None else _look(aws, wanted, observed, facts.name, makes_one)
        except PortError as problem:
            return _unanswered(self._params, problem)


def connect(params: Mapping[str, Any], facts: ClusterFacts) -> Aws | None:
    """None without credentials, which only `preflight: require` minds."""
    aws = Aws.connect(params, cluster_region=facts.region)
    if aws is None and params["preflight"] == "require":
        raise Misconfigured(
            "preflight: require, but no AWS credentials were found.",
            "Give access_key and secret_key, a profile, or the environment variables boto3 reads.",
        )
    return aws


def _unanswered(params: Mapping[str, Any], problem: PortError) -> tuple[Finding, ...]:
    if params["preflight"] == "require":
        raise problem
    text = f"AWS could not be asked: {problem.message}"
    return (Finding("preflight_unanswered", Severity.WARNING, "AWS", text, problem.remedy),)


def _look(aws: Aws, wanted: Wanted, observed: Observed, infra_id: str, makes_one: bool) -> tuple[Finding, ...]:
    to_be = _to_be(wanted, observed)
    seen = aws.look(
        infra_id,
        subnets=to_be.subnets,
        eips=to_be.eips,
        kind=to_be.kind if makes_one else "",
        service=observed.service,
    )
    standing = in_force.in_force(observed.service, seen) if observed.service is not None else ()
    return (*standing, *(preflight.check(to_be, seen) if makes_one else ()))


def _to_be(wanted: Wanted, observed: Observed) -> preflight.WantedLb:
    """The load balancer a recreation would make once spec says what is wanted."""
    ic: Json = observed.ic or {"metadata": {"name": observed.name}, "spec": thaw(wanted.create or {})}
    imagined = Observed(observed.profile, observed.infra, observed.name, ic, observed.service)
    after, _causes = predict.patched(observed.profile, ic, spec.spec_patch(wanted, imagined))
    kind = spec.target_type(wanted, imagined)
    params = desired.spec_params(after, kind)
    lb = dig(after, "spec", "endpointPublishingStrategy", "loadBalancer")
    scope = dig(lb, "scope") or dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope") or "External"
    return preflight.WantedLb(
        kind, scope, params.get("subnets") or None, params.get("eipAllocations") or () if kind == NLB else ()
    )


def leaks(
    params: Mapping[str, Any], facts: ClusterFacts, services: Sequence[Json]
) -> tuple[list[dict[str, Any]], tuple[Finding, ...]]:
    """Load balancers tagged for the cluster that no Service uses any more."""
    if facts.infra.platform != AWS or params["preflight"] == "skip" or not facts.name:
        return [], ()
    try:
        aws = connect(params, facts)
        balancers = aws.cluster_load_balancers(facts.name) if aws is not None else ()
    except PortError as problem:
        return [], _unanswered(params, problem)
    unused = [_shown(lb) for lb, _other_kind in in_force.unused(balancers, services)]
    return unused, in_force.leaked(balancers, services)


def _shown(lb: LoadBalancer) -> dict[str, Any]:
    shown = {entry.name: getattr(lb, entry.name) for entry in fields(lb)}
    return dict(thaw(shown))
