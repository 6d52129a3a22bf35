# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change of the live Service does to those who use its load balancer (CORE-3): one table, annotation or field.

The operator and the cloud controller apply such a change at once, whatever else waits for a recreation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..data import Json, dig
from ..model import Disruption, Finding, Severity
from ..operator import names
from ..operator.predict import Settled
from ..operator.status import source_ranges
from ..platforms import AWS_INTERNAL, AZURE_INTERNAL, GCP_TYPE

NONE, BRIEF, OUTAGE = Disruption.NONE, Disruption.BRIEF, Disruption.OUTAGE
Noticed = tuple[Disruption, str]
_AWS_IDLE_SECONDS = 60  # of a Classic load balancer that is told nothing else
# Annotations that some cloud controller may read: a change of one that is not in the table may do anything.
_CLOUDS = (
    "service.beta.kubernetes.io/",
    "service.kubernetes.io/",
    "cloud.google.com/",
    "networking.gke.io/",
    "loadbalancer.openstack.org/",
    "service.k8s.aws/",
)
MOVES = (names.AWS_TYPE, AZURE_INTERNAL, GCP_TYPE)  # another load balancer or frontend: another address
_RANGES = "spec.loadBalancerSourceRanges"
_ASKED = (*MOVES, AWS_INTERNAL)  # what tasks ask for: the decision's own words tell of it


@dataclass(frozen=True)
class Effect:
    """One annotation or field of the live Service, before and after."""

    key: str
    have: Json
    want: Json
    cost: Disruption
    notice: str

    @property
    def moves(self) -> bool:
        return self.key in MOVES

    def finding(self, where: str) -> Finding:
        what = f"{self.key} changes at once, {_shown(self.have)} → {_shown(self.want)}: {self.notice}."
        severity = Severity.INFO if self.cost is NONE else Severity.WARNING
        value = {"have": self.have, "want": self.want, "disruption": self.cost.value}
        return Finding("changed_in_place", severity, where, what, "", value)


def effects(before: Json, after: Json) -> tuple[Effect, ...]:
    """Everything that differs between two states of one Service; what is not in the table is named all the same."""
    if before is None or after is None:
        return ()
    found = []
    for key, have, want in (*_changes(before, after), *_ranges_change(before, after)):
        noticed = _TABLE.get(key)
        found.append(Effect(key, have, want, *(noticed(have, want) if noticed is not None else _unknown(key))))
    return tuple(found)


def of_settling(before: Json, settled: Settled) -> tuple[Disruption, str, tuple[Effect, ...]]:
    """What the operator does to the live Service until it rests: its cost, why, and everything that changes."""
    if before is None:
        return NONE, "", ()
    if settled.recreated:
        return OUTAGE, "auto-delete is armed, so the operator recreates the load balancer at this patch", ()
    found = effects(before, settled.service)
    return *cost(found), found


def cost(found: Iterable[Effect]) -> Noticed:
    """The worst of them, and why."""
    listed = tuple(found)
    worst = Disruption.worst(effect.cost for effect in listed)
    why = [effect.notice for effect in listed if effect.cost is worst and worst is not NONE]
    return worst, "; ".join(dict.fromkeys(why))


def told(found: Iterable[Effect], where: str) -> tuple[Finding, ...]:
    return tuple(effect.finding(where) for effect in found if effect.key not in _ASKED)


def _ranges_change(before: Json, after: Json) -> Iterable[tuple[str, Json, Json]]:
    """The field wins over the annotation, so only what comes of both counts."""
    have, want = source_ranges(before), source_ranges(after)
    if have != want:
        yield _RANGES, have, want


def _changes(before: Json, after: Json) -> Iterable[tuple[str, Json, Json]]:
    for path in (("metadata", "annotations"), ("spec",)):
        have, want = (dig(side, *path) or {} for side in (before, after))
        prefix = "spec." if path == ("spec",) else ""
        for key in sorted({*have, *want}):
            if have.get(key) != want.get(key) and prefix + key not in (_RANGES, names.SOURCE_RANGES):
                yield prefix + key, have.get(key), want.get(key)


def _shown(value: Json) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "none"
    return str(value)


def _always(level: Disruption, notice: str) -> Callable[[Json, Json], Noticed]:
    return lambda _have, _want: (level, notice)


def _seconds(value: Json) -> int:
    return int(value) if str(value or "").isdecimal() else _AWS_IDLE_SECONDS


def _idle(have: Json, want: Json) -> Noticed:
    before, after = _seconds(have), _seconds(want)
    text = f"idle connections are cut after {after} s instead of {before} s"
    return (BRIEF if after < before else NONE), text


def _ranges(have: Json, want: Json) -> Noticed:
    """No ranges at all let everybody in."""
    before, after = list(have or ()), list(want or ())
    shut = [entry for entry in before if entry not in after]
    if after and (shut or not before):
        return OUTAGE, f"clients from {', '.join(shut) or 'anywhere else'} are shut out"
    return NONE, f"clients from {', '.join(after) or 'everywhere'} are let in"


def _families(have: Json, want: Json) -> Noticed:
    lost = [entry for entry in have or () if entry not in (want or ())]
    return (OUTAGE, f"clients of {', '.join(lost)} are shut out") if lost else (NONE, "another IP family is added")


def _global_access(have: Json, want: Json) -> Noticed:
    if have == "true":
        return OUTAGE, "clients of other regions are shut out"
    return NONE, "clients of other regions are let in" if want == "true" else "clients of other regions stay out"


def _ports(have: Json, want: Json) -> Noticed:
    numbers = [{entry.get("port") for entry in side or () if isinstance(entry, Mapping)} for side in (have, want)]
    gone = sorted(str(port) for port in numbers[0] - numbers[1])
    return (OUTAGE, f"port {', '.join(gone)} is closed") if gone else (BRIEF, "listeners or node ports change")


def _unknown(key: str) -> Noticed:
    if key.startswith(("spec.", *_CLOUDS)):
        return BRIEF, "what that does to a live load balancer is not known"
    return NONE, "no load balancer reads it"


_PROXY = _always(BRIEF, "load balancer and routers disagree about the PROXY protocol until both have changed")
_TABLE: Mapping[str, Callable[[Any, Any], Noticed]] = {
    names.AWS_TYPE: _always(
        OUTAGE, "this operator applies a type change at once: AWS makes a new load balancer and leaks the old one"
    ),
    AZURE_INTERNAL: _always(BRIEF, "on Azure the scope changes in place and the address with it"),
    GCP_TYPE: _always(BRIEF, "on GCP the scope changes in place and the address with it"),
    AWS_INTERNAL: _always(NONE, "a live load balancer keeps the scope it was made with"),
    names.GCP_GLOBAL_ACCESS: _global_access,
    names.AWS_IDLE_TIMEOUT: _idle,
    names.AWS_INTERVAL: _always(NONE, "routers that come or go are noticed at another pace"),
    names.AWS_TIMEOUT: _always(NONE, "routers that come or go are noticed at another pace"),
    names.AWS_HEALTHY: _always(NONE, "routers that come or go are noticed at another pace"),
    names.AWS_UNHEALTHY: _always(NONE, "routers that come or go are noticed at another pace"),
    names.AWS_PROXY: _PROXY,
    names.AWS_TARGET_GROUP: _PROXY,
    names.IBM_FEATURES: _PROXY,
    names.AWS_TAGS: _always(NONE, "its tags in AWS change, which policies and bills may read"),
    names.LOCAL_WITH_FALLBACK: _always(NONE, "nodes without a router pass traffic on, or no longer do"),
    names.AWS_SUBNETS: _always(BRIEF, "a Classic load balancer is attached to and detached from subnets"),
    names.AWS_EIPS: _always(NONE, "a live load balancer keeps the addresses it was made with"),
    _RANGES: _ranges,
    "spec.ipFamilies": _families,
    "spec.ipFamilyPolicy": _always(NONE, "the IP families may change with it"),
    "spec.externalTrafficPolicy": _always(BRIEF, "targets and health checks of the load balancer change"),
    "spec.internalTrafficPolicy": _always(BRIEF, "clients inside the cluster reach other routers, or none"),
    "spec.sessionAffinity": _always(BRIEF, "clients are sent to other routers"),
    "spec.sessionAffinityConfig": _always(BRIEF, "clients are sent to other routers"),
    "spec.externalIPs": _always(BRIEF, "addresses are added or taken away"),
    "spec.loadBalancerIP": _always(OUTAGE, "the address changes"),
    "spec.selector": _always(OUTAGE, "traffic goes to other pods"),
    "spec.ports": _ports,
    "spec.allocateLoadBalancerNodePorts": _always(NONE, "ports that are added later get node ports, or get none"),
    "spec.publishNotReadyAddresses": _always(NONE, "routers that are not ready are listed, or no longer are"),
}
