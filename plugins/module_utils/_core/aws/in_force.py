# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWS says of a load balancer is what is in force; an annotation that says otherwise is a finding (SUB-4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..data import Json, dig
from ..model import Finding, Severity
from ..operator import messages
from ..operator.names import AWS_EIPS, AWS_SUBNETS, AWS_TYPE, CLASSIC, NLB
from ..operator.subnets import Subnets
from ..platforms import AWS_INTERNAL, EXTERNAL, INTERNAL
from ..waits import addresses
from . import cloud_controller as ccm
from .facts import LOAD_BALANCER, SERVICE_TAG, SUBNETS, AwsAnswer, AwsFacts, AwsLoadBalancer, hostnames_of, identity

_OF_AWS = re.compile(r"\.elb\..*amazonaws\.com")
_RECREATE = "It comes true when the Service is recreated."
BALANCER = "load balancer"  # what is pending where AWS has none any more
_FIELDS = {
    "type_not_in_force": messages.TYPE,
    "scope_not_in_force": messages.SCOPE,
    "subnets_not_in_force": messages.SUBNETS,
    "eips_not_in_force": messages.EIPS,
    "lb_missing": BALANCER,
}


def unmet(service: Json, answer: AwsAnswer | None) -> dict[str, Json]:
    """What a recreation would make true although the Service says it already: field → what the load balancer has.

    Only what was said of this very Service counts. That AWS has none counts only where it showed the cluster's network:
    else these may be credentials of another account.
    """
    facts = answer.facts if answer is not None and answer.looked and answer.about == identity(service) else None
    if facts is None:
        return {messages.SCOPE: scope} if (scope := named_otherwise(service)) else {}
    lb = facts.lb
    codes = [finding.code for finding in in_force(service, facts) if finding.code in _FIELDS]
    if lb is None:
        return dict.fromkeys((_FIELDS[code] for code in codes if facts.vpc), "")
    have: dict[str, Json] = {
        messages.TYPE: lb.kind,
        messages.SCOPE: lb.scope,
        messages.SUBNETS: {"ids": list(lb.subnets)},
        messages.EIPS: list(lb.eips),
    }
    return {_FIELDS[code]: have[_FIELDS[code]] for code in codes}


def named_otherwise(service: Json) -> str:
    """The scope that the load balancer's name tells, where the annotation says another. '' where it tells none."""
    if service is None or not (found := ccm.live_scope(service)):
        return ""
    return "" if found == _said_scope(dig(service, "metadata", "annotations") or {}) else found


def by_name(service: Json) -> tuple[Finding, ...]:
    """For those who cannot ask AWS."""
    found = named_otherwise(service)
    return _other_scope(dig(service, "metadata", "annotations") or {}, found) if found else ()


def in_force(service: Json, facts: AwsFacts) -> tuple[Finding, ...]:
    """Differences between a Service the cloud provider looks after and `facts.lb`, its load balancer.

    That AWS has none behind one of its own names is told whoever looks after the Service.
    """
    if not facts.told(LOAD_BALANCER):
        return by_name(service)
    annotations = dig(service, "metadata", "annotations") or {}
    lb = facts.lb
    if lb is None:
        return tuple(_missing(service))
    if not ccm.owns(service):
        return ()
    return (
        *_type(annotations, lb),
        *_scope(annotations, lb),
        *(_subnets(annotations, lb, facts) if facts.told(SUBNETS) else ()),
        *_eips(annotations, lb),
    )


def _missing(service: Json) -> Iterator[Finding]:
    published = [name for name in addresses(service) if ccm.owns(service) or _OF_AWS.search(name)]
    if published:
        what = f"The Service says {', '.join(published)}, but AWS has no such load balancer."
        remedy = "Was it deleted by hand, or are these credentials of another account or region?"
        yield _warning("lb_missing", "status.loadBalancer", what, remedy, published)


def _type(annotations: Mapping[str, str], lb: AwsLoadBalancer) -> Iterator[Finding]:
    said = ccm.lb_kind(annotations)
    if said != lb.kind:
        what = f"The annotation says {said}, the load balancer is {lb.kind}."
        yield _warning("type_not_in_force", _key(AWS_TYPE), what, _RECREATE, annotations.get(AWS_TYPE))


def _scope(annotations: Mapping[str, str], lb: AwsLoadBalancer) -> tuple[Finding, ...]:
    return () if _said_scope(annotations) == lb.scope else _other_scope(annotations, lb.scope)


def _other_scope(annotations: Mapping[str, str], found: str) -> tuple[Finding, ...]:
    what = f"The annotation says {_said_scope(annotations)}, the load balancer is {found}."
    return (_warning("scope_not_in_force", _key(AWS_INTERNAL), what, _RECREATE, annotations.get(AWS_INTERNAL)),)


def _said_scope(annotations: Mapping[str, str]) -> str:
    return INTERNAL if ccm.internal_scheme(annotations) else EXTERNAL


def _subnets(annotations: Mapping[str, str], lb: AwsLoadBalancer, facts: AwsFacts) -> Iterator[Finding]:
    standing = ", ".join(sorted(lb.subnets))
    if AWS_SUBNETS not in annotations:
        what = f"No subnets are listed; auto-discovery gave the load balancer {standing}."
        remedy = "Nothing to do. To keep exactly these, list them."
        yield Finding("subnets_auto_discovered", Severity.INFO, _key(AWS_SUBNETS), what, remedy, sorted(lb.subnets))
        return
    value = annotations[AWS_SUBNETS]
    listed = Subnets.split(ccm.split_subnets(value))
    found = {entry: _with_id(entry, facts) for entry in listed.ids}
    found |= {entry: {subnet.id for subnet in facts.named(entry)} for entry in listed.names}
    unknown = sorted(entry for entry, ids in found.items() if not ids)
    if unknown:
        what = f"{', '.join(unknown)} is no subnet AWS knows here; the load balancer stands in {standing}."
        remedy = "The cloud controller cannot sync this Service until the annotation is right."
        yield _warning("subnets_not_in_force", _key(AWS_SUBNETS), what, remedy, value)
    elif {subnet for ids in found.values() for subnet in ids} != set(lb.subnets):
        why = {
            NLB: "The cloud controller never changes the subnets of a Network load balancer.",
            CLASSIC: "The cloud controller has not carried it out; its events say why.",
        }.get(lb.kind, "")
        what = f"The annotation says {value}, the load balancer stands in {standing}. {why}".rstrip()
        yield _warning("subnets_not_in_force", _key(AWS_SUBNETS), what, _RECREATE, value)


def _with_id(entry: str, facts: AwsFacts) -> set[str]:
    return {entry} if facts.subnet(entry) or (facts.lb and entry in facts.lb.subnets) else set()


def _eips(annotations: Mapping[str, str], lb: AwsLoadBalancer) -> Iterator[Finding]:
    said = ccm.split_eips(annotations.get(AWS_EIPS, ""))
    if lb.kind == NLB and set(said) != set(lb.eips):
        have = ", ".join(sorted(lb.eips)) or "none"
        what = f"The annotation says {', '.join(said) or 'none'}, the load balancer has Elastic IPs: {have}."
        yield _warning("eips_not_in_force", _key(AWS_EIPS), what, _RECREATE, said)


def unused(balancers: Iterable[AwsLoadBalancer], services: Iterable[Json]) -> tuple[tuple[AwsLoadBalancer, bool], ...]:
    """Those made for a Service of this cluster that none uses any more; True: the Service has one of the other kind.

    The API server's own carry the cluster's tag but no Service's name, and are none of this.
    """
    names: dict[str, str] = {}
    hostnames: set[str] = set()
    for service in services:
        meta = service["metadata"]
        names[ccm.lb_name(meta["uid"])] = ccm.lb_kind(meta.get("annotations") or {})
        hostnames |= set(hostnames_of(service))
    return tuple(
        (lb, lb.name in names)
        for lb in sorted(balancers, key=lambda lb: (lb.name, lb.kind))
        if SERVICE_TAG in lb.tags and lb.hostname.lower() not in hostnames and names.get(lb.name) != lb.kind
    )


def leaked(balancers: Iterable[AwsLoadBalancer], services: Iterable[Json]) -> tuple[Finding, ...]:
    """They cost money and hold quota."""
    return tuple(_leak(lb, other_kind) for lb, other_kind in unused(balancers, services))


def _leak(lb: AwsLoadBalancer, other_kind: bool) -> Finding:
    made_for = lb.tags[SERVICE_TAG]
    why = (
        "whose load balancer is of the other type by now"
        if other_kind
        else "which has another load balancer or is gone"
    )
    what = f"{lb.kind} load balancer {lb.name} ({lb.hostname}) was made for Service {made_for}, {why}."
    command = f"aws elbv2 delete-load-balancer --load-balancer-arn {lb.arn}"
    if lb.kind == CLASSIC:
        command = f"aws elb delete-load-balancer --load-balancer-name {lb.name}"
    return _warning(
        "lb_leaked", f"load balancer {lb.name}", what, f"See that nothing uses it, then: {command}", lb.name
    )


def _key(annotation: str) -> str:
    return f"metadata.annotations[{annotation}]"


def _warning(code: str, where: str, what: str, remedy: str, value: Json = None) -> Finding:
    return Finding(code, Severity.WARNING, where, what, remedy, value)
