# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The look at AWS: before a change (SUB-3), at what is in force (SUB-4), and for what a cluster left behind there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from .._core.aws import cloud_controller as ccm
from .._core.aws import in_force, preflight
from .._core.aws.facts import AwsLoadBalancer
from .._core.data import Json, dig, plain
from .._core.ingress import spec
from .._core.ingress.state import Observed, Wanted
from .._core.model import Finding, Severity
from .._core.operator import predict, router_service
from .._core.operator.names import AWS_EIPS, AWS_SUBNETS, NLB
from .._core.platforms import AWS
from .._ports.aws import Aws
from .._ports.errors import Misconfigured, PortError
from .cluster import Site


class AwsLook:
    """One look per task and purpose: what was asked for does not change while it is carried out."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._params = params
        self._looked: set[bool] = set()

    def ingress(self, wanted: Wanted, observed: Observed, site: Site, makes_one: bool) -> tuple[Finding, ...]:
        """`makes_one`: a load balancer is going to be made, so everything AWS could refuse is checked."""
        if site.platform != AWS:
            return ()
        return self._look(_to_be(wanted, observed), observed.service, site, makes_one)

    def plain(self, scope: str, service: Json, site: Site, makes_one: bool) -> tuple[Finding, ...]:
        """The same for a Service that no operator owns: its annotations say what the cloud controller will make."""
        if site.platform != AWS:
            return ()
        return self._look(_plain_to_be(scope, service), service, site, makes_one)

    def _look(self, to_be: preflight.WantedLb, service: Json, site: Site, makes_one: bool) -> tuple[Finding, ...]:
        if self._params["preflight"] == "skip" or makes_one in self._looked or True in self._looked:
            return ()
        self._looked.add(makes_one)
        try:
            aws = connect(self._params, site)
            return () if aws is None else _look(aws, to_be, service, site.name, makes_one)
        except PortError as problem:
            return _unanswered(self._params, problem)


def connect(params: Mapping[str, Any], site: Site) -> Aws | None:
    """None without credentials, which only `preflight: require` minds."""
    aws = Aws.connect(params, cluster_region=site.region)
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


def _look(aws: Aws, to_be: preflight.WantedLb, service: Json, infra_id: str, makes_one: bool) -> tuple[Finding, ...]:
    seen = aws.look(
        infra_id,
        subnets=to_be.subnets,
        eips=to_be.eips,
        kind=to_be.kind if makes_one else "",
        service=service,
    )
    standing = in_force.in_force(service, seen) if service is not None else ()
    return (*standing, *(preflight.check(to_be, seen) if makes_one else ()))


def _to_be(wanted: Wanted, observed: Observed) -> preflight.WantedLb:
    """The load balancer a recreation would make once spec says what is wanted."""
    ic: Json = observed.ic or {"metadata": {"name": observed.name}, "spec": plain(wanted.create or {})}
    imagined = Observed(observed.profile, observed.infra, observed.name, ic, observed.service)
    after, _causes = predict.patched(observed.profile, ic, spec.spec_patch(wanted, imagined))
    kind = spec.target_type(wanted, imagined)
    params = router_service.spec_params(after, kind)
    lb = dig(after, "spec", "endpointPublishingStrategy", "loadBalancer")
    scope = dig(lb, "scope") or dig(ic, "status", "endpointPublishingStrategy", "loadBalancer", "scope") or "External"
    return preflight.WantedLb(
        kind, scope, params.get("subnets") or None, params.get("eipAllocations") or () if kind == NLB else ()
    )


def _plain_to_be(scope: str, service: Json) -> preflight.WantedLb:
    """As the cloud controller reads the annotations, which trims and drops empty parts."""
    annotations = dig(service, "metadata", "annotations") or {}
    parts = ccm.split_subnets(annotations[AWS_SUBNETS]) if AWS_SUBNETS in annotations else None
    listed = None
    if parts is not None:
        ids = [part for part in parts if part.startswith("subnet-")]
        listed = {"ids": ids, "names": [part for part in parts if part not in ids]}
    kind = ccm.lb_kind(annotations) or NLB
    eips = ccm.split_eips(annotations.get(AWS_EIPS, "")) if kind == NLB else []
    return preflight.WantedLb(kind, scope, listed, eips)


def leaks(
    params: Mapping[str, Any], site: Site, services: Sequence[Json]
) -> tuple[list[dict[str, Any]], tuple[Finding, ...]]:
    """Load balancers tagged for the cluster that no Service uses any more."""
    if site.platform != AWS or params["preflight"] == "skip" or not site.name:
        return [], ()
    try:
        aws = connect(params, site)
        balancers = aws.cluster_load_balancers(site.name) if aws is not None else ()
    except PortError as problem:
        return [], _unanswered(params, problem)
    unused = [_shown(lb) for lb, _other_kind in in_force.unused(balancers, services)]
    return unused, in_force.leaked(balancers, services)


def _shown(lb: AwsLoadBalancer) -> dict[str, Any]:
    shown = {entry.name: getattr(lb, entry.name) for entry in fields(lb)}
    return dict(plain(shown))
