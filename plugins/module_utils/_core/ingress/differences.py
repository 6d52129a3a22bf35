# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every creation-only difference a recreation would effectuate, reported by the operator or not (CORE-3, CORE-9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..aws.cloud_controller import internal_scheme
from ..aws.in_force import BALANCER, unmet
from ..data import Json, dig, merge_patch
from ..model import Finding, Pending, Severity
from ..operator import diff, messages, names, predict, router_service, subnets
from ..operator.diff import annotations_of
from ..platforms import AWS, EXTERNAL, INTERNAL, any_internal, platform
from . import spec
from .state import Observed

_ORDER = (BALANCER, messages.SCOPE, messages.TYPE, messages.SUBNETS, messages.EIPS, messages.FLOATING_IP)


def pending(
    observed: Observed, ic: Json, service: Json, asked: Iterable[str], before: Iterable[str] = ()
) -> tuple[Pending, ...]:
    """Differences of meaning between the live Service and the one a recreation would make, in the operator's order.

    `before`: fields that were pending before this run touched anything; those are latent (SCO-5).
    """
    if service is None or not router_service.wanted(ic):
        return ()
    wanted = router_service.service(observed.profile, observed.infra, ic, None)
    words = {change.field: change.message for change in messages.pending(observed.profile, observed.infra, ic, service)}
    asked_for, latent = frozenset(asked), frozenset(before)
    found = []
    for field, have, want in _differences(observed, service, wanted):
        # Without a load balancer nothing of what was asked for is in force.
        ours = bool(asked_for) if field == BALANCER else field in asked_for
        found.append(Pending(field, have, want, ours, field in latent, words.get(field, "")))
    return tuple(found)


def unseen(observed: Observed, ic: Json, where: str) -> tuple[Finding, ...]:
    """The operator compares Service and spec only; auto-delete does not bring what just the cloud shows."""
    armed = merge_patch(ic, spec.arm_patch("armed"))
    if predict.settle(observed.profile, observed.infra, armed, observed.service).recreated:
        return ()
    what = "Service and spec agree, and only the load balancer differs: the operator would recreate nothing."
    return (Finding("operator_unaware", Severity.ERROR, where, what, "Take effectuate: delete."),)


def _differences(observed: Observed, service: Json, wanted: Json) -> list[tuple[str, Any, Any]]:
    have, want = annotations_of(service), annotations_of(wanted)
    found: list[tuple[str, Any, Any]] = []
    if not platform(observed.infra.platform).scope_in_place:
        found += [(messages.SCOPE, *pair) for pair in _scopes(observed, have, want) if pair[0] != pair[1]][:1]
    if observed.infra.platform == AWS:
        found += _aws(observed, have, want)
    if "spec.loadBalancerIP" in diff.recreation(observed.profile, observed.infra.platform, service, wanted)[1]:
        have_ip, want_ip = (dig(side, "spec", "loadBalancerIP") or "" for side in (service, wanted))
        found.append((messages.FLOATING_IP, have_ip, want_ip))
    if observed.infra.platform == AWS:
        found += _in_aws(observed, service, want, {entry[0] for entry in found})
    return sorted(found, key=lambda entry: _ORDER.index(entry[0]))


def _scopes(observed: Observed, have: Any, want: Any) -> list[tuple[str, str]]:
    """What the cloud makes of it, then what the operator reads; on AWS the cloud controller is laxer."""
    operators = (_named(any_internal(dict(have))), _named(any_internal(dict(want))))
    if observed.infra.platform != AWS:
        return [operators]
    return [(_named(internal_scheme(have)), _named(internal_scheme(want))), operators]


def _named(internal: bool) -> str:
    return INTERNAL if internal else EXTERNAL


def _in_aws(observed: Observed, service: Json, want: Any, known: set[str]) -> list[tuple[str, Any, Any]]:
    """What the Service says as it should, and the load balancer has not (SUB-4)."""
    wanted: dict[str, Any] = {BALANCER: "a new one", messages.SCOPE: _named(internal_scheme(want))}
    if not observed.profile.type_in_place:  # else the cloud is about to change it
        wanted[messages.TYPE] = subnets.lb_type(want)
    if observed.profile.subnets:
        wanted |= {messages.SUBNETS: subnets.parse(want).as_spec(), messages.EIPS: subnets.parse_eips(want)}
    lacking = unmet(service, observed.aws)
    return [(field, lacking[field], want) for field, want in wanted.items() if field in lacking and field not in known]


def _aws(observed: Observed, have: Any, want: Any) -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    have_type, want_type = subnets.lb_type(have), subnets.lb_type(want)
    if have_type != want_type and not observed.profile.type_in_place:
        found.append((messages.TYPE, have_type, want_type))
    if not observed.profile.subnets:
        return found
    have_set, want_set = subnets.parse(have), subnets.parse(want)
    if not want_set.same(have_set):
        found.append((messages.SUBNETS, have_set.as_spec(), want_set.as_spec()))
    have_eips, want_eips = subnets.parse_eips(have), subnets.parse_eips(want)
    # A Classic load balancer never reads the annotation, so one left there means nothing.
    if names.NLB in (have_type, want_type) and not subnets.eips_equal(want_eips, have_eips):
        found.append((messages.EIPS, have_eips, want_eips))
    return found
