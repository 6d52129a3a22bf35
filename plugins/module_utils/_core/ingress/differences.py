# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every creation-only difference a recreation would effectuate, reported by the operator or not (CORE-3, CORE-9)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..aws.cloud_controller import internal_scheme
from ..data import Json, dig
from ..model import Pending
from ..operator import diff, messages, names, router_service, subnets
from ..operator.diff import annotations_of
from ..platforms import AWS, EXTERNAL, INTERNAL, any_internal, platform
from .state import Observed


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
        found.append(Pending(field, have, want, field in asked_for, field in latent, words.get(field, "")))
    return tuple(found)


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
    return found


def _scopes(observed: Observed, have: Any, want: Any) -> list[tuple[str, str]]:
    """What the cloud makes of it, then what the operator reads; on AWS the cloud controller is laxer."""
    operators = (_named(any_internal(dict(have))), _named(any_internal(dict(want))))
    if observed.infra.platform != AWS:
        return [operators]
    return [(_named(internal_scheme(have)), _named(internal_scheme(want))), operators]


def _named(internal: bool) -> str:
    return INTERNAL if internal else EXTERNAL


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
