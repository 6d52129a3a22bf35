# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What waits for recreation, and the operator's words for it, one family per release (facts: ingress-operator §7)."""

from __future__ import annotations

from dataclasses import dataclass

from ..data import Json, dig
from ..go import quote
from ..platforms import AWS, EXTERNAL, INTERNAL, OPENSTACK, any_internal, platform
from ..profiles import Profile
from . import names, router_service, subnets
from .diff import annotations_of
from .names import CLASSIC, NLB, PARAMS, Infra
from .subnets import Subnets

SCOPE, TYPE, SUBNETS, EIPS, FLOATING_IP = (
    "scope",
    "loadBalancer.providerParameters.aws.type",
    "subnets",
    "eipAllocations",
    "floatingIP",
)
RANGES_ANNOTATION, RANGES_FIELD = "sourceRangesAnnotation", "loadBalancerSourceRanges"
_PLURAL_IN_M1 = (SUBNETS, EIPS)
_EDITED = "You have manually edited an operator-managed object. You must revert your modifications by removing the "
_NEW_FIELD = "You can use the new AllowedSourceRanges API field on the ingresscontroller"


@dataclass(frozen=True)
class Change:
    """One pending field: how the operator prints it, and its own revert patch ('' where it prints none)."""

    field: str
    have: str
    want: str
    patch: str
    message: str


def pending(profile: Profile, infra: Infra, ic: Json, service: Json) -> list[Change]:
    """Everything the operator reports as progressing, in its order. `ic` carries the mirrored status."""
    found: list[Change] = []
    have_scope = INTERNAL if any_internal(dict(annotations_of(service))) else EXTERNAL
    want_scope = dig(_lb_status(ic), "scope") or ""
    if want_scope != have_scope:
        found.append(_scope_change(profile, infra, ic, have_scope, want_scope))
    if infra.platform == AWS and profile.subnets:
        found += _aws_changes(profile, infra, ic, service)
    if infra.platform == OPENSTACK and profile.floating_ip:
        have, want = (dig(ic, part, *_FLOATING_PATH) or "" for part in ("status", "spec"))
        if have != want:
            patch = _patch('{"type":"OpenStack","openstack":{"floatingIP":"%s"}}' % have)
            found.append(_change(profile, ic, FLOATING_IP, have, want, patch))
    return found + source_range_edits(profile, ic, service)


_FLOATING_PATH = ("endpointPublishingStrategy", "loadBalancer", "providerParameters", "openstack", "floatingIP")


def _lb_status(ic: Json) -> Json:
    return dig(ic, "status", "endpointPublishingStrategy", "loadBalancer") or {}


def _aws_changes(profile: Profile, infra: Infra, ic: Json, service: Json) -> list[Change]:
    found = []
    have_type, want_type = subnets.lb_type(annotations_of(service)), router_service.status_type(ic)
    if profile.type_recreates and have_type != want_type:
        change = _change(
            profile, ic, TYPE, have_type, want_type, _patch('{"type":"AWS","aws":{"type":"%s"}}' % have_type)
        )
        found.append(_dual_stack_note(infra, ic, change))
    params = dig(_lb_status(ic), "providerParameters", "aws")
    if profile.actual_type:
        kind = have_type
    elif params is None:
        return found  # before 4.22 an IngressController without AWS parameters in status compares nothing
    else:
        kind = want_type
    spec, status = router_service.spec_params(ic, kind), dig(params, PARAMS[kind]) or {}
    listed, in_force = Subnets.listed(spec.get("subnets")), Subnets.listed(status.get("subnets"))
    if not listed.same(in_force):
        patch = _patch(
            '{"type":"AWS","aws":{"type":"%s","%s":{"subnets":%s}}}' % (kind, PARAMS[kind], in_force.patched())
        )
        found.append(_change(profile, ic, SUBNETS, in_force.shown(), listed.shown(), patch))
    want, have = spec.get("eipAllocations"), status.get("eipAllocations")
    if kind == NLB and not subnets.eips_equal(want, have):
        shown_have, shown_want = (subnets.eips_json(value, "[]") for value in (have, want))
        body = '{"type":"AWS","aws":{"type":"NLB","networkLoadBalancer":{"eipAllocations":%s}}}'
        found.append(_change(profile, ic, EIPS, shown_have, shown_want, _patch(body % subnets.eips_json(have, "null"))))
    return found


def _dual_stack_note(infra: Infra, ic: Json, change: Change) -> Change:
    if change.want != CLASSIC or not infra.ip_family.startswith("DualStack"):
        return change
    note = (
        f" Classic Load Balancers do not support dual-stack. The IngressController {quote(ic['metadata']['name'])}"
        f" will use IPv4-only despite that the cluster is configured as {quote(infra.ip_family)}."
        " Use an NLB type to support dual-stack networking."
    )
    return Change(change.field, change.have, change.want, change.patch, change.message + note)


def _patch(parameters: str) -> str:
    body = '{"type":"LoadBalancerService","loadBalancer":{"providerParameters":%s}}' % parameters
    return '{"spec":{"endpointPublishingStrategy":%s}}' % body


def _scope_change(profile: Profile, infra: Infra, ic: Json, have: str, want: str) -> Change:
    patch = '{"spec":{"endpointPublishingStrategy":{"loadBalancer":{"scope":"%s"}}}}' % have
    told = profile.delete_text_everywhere or infra.platform in ("AWS", "IBMCloud")
    if platform(infra.platform).scope_in_place or not told:
        return Change(SCOPE, have, want, "", _first_sentence(profile, SCOPE, have, want))
    return _change(profile, ic, SCOPE, have, want, patch)


def _change(profile: Profile, ic: Json, field: str, have: str, want: str, patch: str) -> Change:
    name = ic["metadata"]["name"]
    delete = f"`oc -n {names.OPERAND_NAMESPACE} delete svc/{names.service_name(name)}`"
    revert = f"oc -n {names.OPERATOR_NAMESPACE} patch ingresscontrollers/{name} --type=merge --patch='{patch}'"
    first = _first_sentence(profile, field, have, want)
    effect = f"{first}  To effectuate this change, you must delete the service: {delete};"
    effect += " the service load-balancer will then be deprovisioned and a new one created."
    if field == SCOPE and profile.family != "M2":
        # M0 forgets the closing backtick.
        tail = f"`{revert}" if profile.family == "M0" else f"`{revert}`"
        text = (
            f"{effect}  This will most likely cause the new load-balancer to have a different host name and IP address"
            f" from the old one's.  Alternatively, you can revert the change to the IngressController: {tail}"
        )
    else:
        text = (
            f"{effect} This will most likely cause the new load-balancer to have a different host name and IP address"
            " and cause disruption. To return to the previous state, you can revert the change to the"
            f" IngressController: `{revert}`"
        )
    if profile.family == "M2":
        text += ". Direct updates to the service annotations are not supported."
    return Change(field, have, want, patch, text)


def _first_sentence(profile: Profile, field: str, have: str, want: str) -> str:
    verb = "were" if profile.family == "M1" and field in _PLURAL_IN_M1 else "was"
    return f"The IngressController {field} {verb} changed from {quote(have)} to {quote(want)}."


def source_range_edits(profile: Profile, ic: Json, service: Json) -> list[Change]:
    """Hand edits the operator wants gone; they also raise EvaluationConditionsDetected."""
    if not profile.source_ranges:
        return []
    found, name = [], dig(service, "metadata", "name") or ""
    annotation = annotations_of(service).get(names.SOURCE_RANGES, "")
    if annotation:
        text = (
            f"{_EDITED}{names.SOURCE_RANGES} annotation on service {quote(name)}."
            f" {_NEW_FIELD} object to configure this setting instead."
        )
        found.append(Change(RANGES_ANNOTATION, annotation, "", "", text))
    ranges = dig(service, "spec", "loadBalancerSourceRanges")
    if ranges and not dig(ic, "spec", "endpointPublishingStrategy", "loadBalancer", "allowedSourceRanges"):
        text = (
            f"{_EDITED}Spec.LoadBalancerSourceRanges field of LoadBalancer-typed service {quote(name)}."
            f" {_NEW_FIELD} to configure this setting instead."
        )
        found.append(Change(RANGES_FIELD, ",".join(ranges), "", "", text))
    return found


def aggregate(changes: list[Change]) -> str:
    """Several texts as Go's error aggregate joins them: distinct ones, in brackets."""
    texts = list(dict.fromkeys(change.message for change in changes))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
