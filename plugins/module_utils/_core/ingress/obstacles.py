# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way before anything is planned: bad state as findings with a remedy each (CORE-7, SUB-11)."""

from __future__ import annotations

from ..data import dig
from ..model import Finding, Severity
from ..operator import messages, names, router_service, subnets
from ..operator.names import CLASSIC, LB_STRATEGY
from ..operator.subnets import Subnets
from ..platforms import AWS, INTERNAL, platform
from .spec import target_type
from .state import Keep, Observed, Wanted

_AWS_ONLY = (messages.SUBNETS, messages.EIPS, messages.TYPE)


def obstacles(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    """All of them at once; empty when the change can be planned."""
    if observed.ic is None:
        return () if wanted.create is not None else (_missing(observed),)
    return (
        *_platform(wanted, observed),
        *_version(wanted, observed),
        *_state(observed),
        *_adoption(wanted, observed),
        *_elastic_ips(wanted, observed),
        *_domain(wanted, observed),
    )


def _error(code: str, where: str, what: str, remedy: str, value: object = None) -> Finding:
    return Finding(code, Severity.ERROR, where, what, remedy, value)


def _where(observed: Observed, path: str = "") -> str:
    return f"IngressController {observed.name}" + (f" {path}" if path else "")


def _missing(observed: Observed) -> Finding:
    what = f"There is no IngressController {observed.name!r} in namespace {names.OPERATOR_NAMESPACE}."
    return _error("not_found", _where(observed), what, "Check the name, or give domain to create it.", observed.name)


def _platform(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    name = observed.infra.platform
    asked = sorted(wanted.asked & set(_AWS_ONLY) | ({messages.SUBNETS} if wanted.adopt else set()))
    found = []
    if asked and name != AWS:
        what = f"{', '.join(asked)} exist on AWS only; this cluster's platform is {name!r}."
        remedy = "Leave this cluster out, or ask for scope only."
        found.append(_error("platform_unsupported", _where(observed), what, remedy, name))
    if wanted.scope == INTERNAL and not platform(name).scope_key:
        what = f"On platform {name!r} no annotation makes a load balancer internal, so Internal can never be realised."
        found.append(_error("scope_unrealisable", _where(observed, "scope"), what, "Leave the scope External.", name))
    return tuple(found)


def _version(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    """SUB-11: a version without the field is left alone; the API server would drop it silently."""
    fields = sorted(wanted.asked & {messages.SUBNETS, messages.EIPS})
    if not fields or observed.profile.subnets:
        return ()
    what = f"OpenShift {observed.profile.version} has no field for {' and '.join(fields)}; they exist from 4.17 on."
    return (
        _error("version_lacks_field", _where(observed), what, "Upgrade the cluster first.", observed.profile.version),
    )


def _state(observed: Observed) -> tuple[Finding, ...]:
    found = []
    strategy = dig(observed.ic, "status", "endpointPublishingStrategy", "type") or dig(
        observed.ic, "spec", "endpointPublishingStrategy", "type"
    )
    if strategy not in (None, LB_STRATEGY):
        what = (
            f"Its publishing strategy is {strategy}, which has no load balancer; the operator never changes the type."
        )
        remedy = f"Recreate the IngressController with type {LB_STRATEGY}."
        found.append(_error("strategy_not_load_balancer", _where(observed), what, remedy, strategy))
    if dig(observed.ic, "metadata", "deletionTimestamp"):
        found.append(_error("being_deleted", _where(observed), "It is being deleted.", "Wait until it is gone."))
    if observed.service is not None and not router_service.owned(observed.name, observed.service):
        service = names.service_name(observed.name)
        what = (
            f"Service {names.OPERAND_NAMESPACE}/{service} is not its own: the operator neither updates nor deletes it."
        )
        remedy = (
            f"Rename or delete that Service, or label it {names.OWNER_LABEL}={observed.name} if it is the router's."
        )
        found.append(_error("foreign_service", f"Service {service}", what, remedy))
    return tuple(found)


def _adoption(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    """SUB-7: annotations that no spec can say. 8-digit ids and duplicates fall to the API's own rules later."""
    if not wanted.adopt:
        return ()
    found = []
    parsed = subnets.parse(observed.annotations)
    parts = [*parsed, *subnets.parse_eips(observed.annotations)]
    spaced = [part for part in parts if part != part.strip() or not part]
    if spaced:
        what = (
            f"The annotation has spaces or empty parts: {spaced!r}; spec could only hold them as literal, wrong names."
        )
        remedy = "Rewrite the annotation without them first: the cloud controller trims, so nothing changes in AWS."
        found.append(
            _error("cannot_adopt_spaces", f"Service {names.service_name(observed.name)}", what, remedy, spaced)
        )
    short = [part for part in parsed.ids if len(part) == len("subnet-12345678")]
    if short:
        what = f"{short!r} are subnet ids of the old 8-digit form, which the API takes neither as ids nor as names."
        remedy = "Recreate with subnets that have long ids, or leave the annotation unmanaged."
        found.append(
            _error("cannot_adopt_short_ids", f"Service {names.service_name(observed.name)}", what, remedy, short)
        )
    found += _order(observed)
    if not parts:
        what = "There is no subnets or EIP annotation to adopt, so nothing is changed."
        found.append(Finding("nothing_to_adopt", Severity.INFO, f"Service {names.service_name(observed.name)}", what))
    return tuple(found)


def _order(observed: Observed) -> list[Finding]:
    """Armed from 4.22 on, strings are compared raw, and spec always renders ids before names (facts §9)."""
    if observed.auto_delete is None or observed.left_armed or not observed.profile.raw_compare:
        return []
    value = observed.annotations.get(names.AWS_SUBNETS, "")
    if value == ",".join(Subnets.split(value.split(","))):
        return []
    what = f"{value!r} lists names before ids; with auto-delete present the operator would recreate the Service for it."
    remedy = "Remove the auto-delete annotation from the IngressController first."
    return [_error("cannot_adopt_order", f"Service {names.service_name(observed.name)}", what, remedy, value)]


def _elastic_ips(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    """The API has no field for them in the Classic block and would drop them without a word."""
    if isinstance(wanted.eips, Keep) or target_type(wanted, observed) != CLASSIC:
        return ()
    what = "Elastic IPs are for Network load balancers; this one is Classic."
    remedy = "Leave them out, or change the type in the same task (lb_type: NLB)."
    return (_error("eip_classic", "eip_allocations", what, remedy, list(wanted.eips)),)


def _domain(wanted: Wanted, observed: Observed) -> tuple[Finding, ...]:
    """Given for a new IngressController; an existing one keeps the domain it was admitted with (facts §2)."""
    given = dig(wanted.create, "domain")
    have = dig(observed.ic, "status", "domain") or dig(observed.ic, "spec", "domain")
    if not given or not have or given == have:
        return ()
    what = f"The IngressController exists with domain {have!r}, which never changes; {given!r} was given."
    return (_error("domain_fixed", "domain", what, "Leave domain out, or take another name for a new one.", given),)
