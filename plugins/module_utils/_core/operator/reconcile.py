# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One pass of the operator over one IngressController, as a value: what it would write, and where it fails.

The twin carries the writes out on an API server; the decision core only asks what would happen (CORE-1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..data import Json, dig, plain
from ..profiles import Profile
from . import admission, crd, diff, router_service, status
from .names import AUTO_DELETE, Infra
from .schema import Cause

CONFLICT = "a conflicting load balancer service exists that is not owned by the ingress controller: {}/{}"


@dataclass(frozen=True)
class Outcome:
    """What one pass writes: first the Service (delete, then create; or update), then status."""

    create: Json = None
    update: Json = None
    delete: bool = False  # with foreground propagation when a create follows
    ic_status: Json = None
    error: str = ""
    frozen: tuple[Cause, ...] = ()  # why the API refused the status (SUB-13), or the operator cannot read the spec

    @property
    def recreates(self) -> bool:
        return self.delete and self.create is not None

    @property
    def rests(self) -> bool:
        return not (self.delete or self.create or self.update or self.ic_status)

    def service_after(self, service: Json) -> Json:
        if self.create is not None or self.delete:
            return self.create
        return self.update if self.update is not None else service


def reconcile(
    profile: Profile, infra: Infra, ic: Json, service: Json, events: Sequence[Json] = (), now: str = ""
) -> Outcome:
    """`service` is the live one or None; `now` stamps condition changes (the clock is the caller's)."""
    odd = admission.unreadable(ic)
    if odd is not None:
        return Outcome(error=f"failed to list ingresscontrollers: {odd.message}", frozen=(odd,))
    if admission.needs_admission(profile, ic):
        return admit(profile, infra, ic, now)
    ensured = ensure_service(profile, infra, ic, service)
    after = None if ensured.error else ensured.service_after(service)
    synced = sync_status(profile, infra, ic, after, events, now)
    return replace(ensured, ic_status=synced.ic_status, error=ensured.error or synced.error, frozen=synced.frozen)


def admit(profile: Profile, infra: Infra, ic: Json, now: str = "") -> Outcome:
    """A pass that (re)admits writes status only; the next one sees to the Service."""
    after = plain(ic.get("status") or {})
    after["domain"] = admission.domain(infra, ic)
    after["endpointPublishingStrategy"] = admission.admit(profile, infra, ic)
    after["observedGeneration"] = ic["metadata"].get("generation", 0)
    valid = status.condition("Admitted", "True", "Valid")
    after["conditions"] = status.merged(after.get("conditions") or (), [valid], now)
    return _written(profile, after, "failed to admit ingresscontroller: failed to update status")


def ensure_service(profile: Profile, infra: Infra, ic: Json, service: Json) -> Outcome:
    """What happens to the Service now: created, recreated, updated in place, deleted, or left (facts §6)."""
    if service is not None and not router_service.owned(ic["metadata"]["name"], service):
        meta = service["metadata"]
        return Outcome(error=CONFLICT.format(meta.get("namespace", ""), meta.get("name", "")))
    if not router_service.wanted(ic):
        return Outcome(delete=service is not None)
    target = wanted_service(profile, infra, ic, service)
    if service is None:
        return Outcome(create=target)
    normal = diff.normalised(service)
    current = service if normal is None else normal
    keys, fields = diff.recreation(profile, infra.platform, current, target)
    if armed(ic) and (keys or fields):
        return Outcome(create=target, delete=True)
    updated = diff.in_place(profile, current, target)
    return Outcome(update=normal if updated is None else updated)


def wanted_service(profile: Profile, infra: Infra, ic: Json, service: Json) -> dict[str, Any]:
    """The desired Service; the newest operators ignore a live one that auto-delete is about to take."""
    return router_service.service(profile, infra, ic, None if armed(ic) and profile.nlb_protocol else service)


def armed(ic: Json) -> bool:
    """Auto-delete: only the annotation's presence counts."""
    return AUTO_DELETE in (dig(ic, "metadata", "annotations") or {})


def sync_status(
    profile: Profile,
    infra: Infra,
    ic: Json,
    service: Json,
    events: Sequence[Json] = (),
    now: str = "",
    moved: bool = False,
) -> Outcome:
    """`moved`: another part of status (replicas, DNS) changed too, so the write is not skipped."""
    before = ic.get("status") or {}
    after: dict[str, Any] = plain(before)
    after["endpointPublishingStrategy"] = status.mirror(
        profile, infra, before.get("endpointPublishingStrategy"), service
    )
    found = status.conditions(profile, infra, {**ic, "status": after}, service, events)
    after["conditions"] = status.merged(before.get("conditions") or (), found, now)
    if status.same(before, after) and not moved:
        return Outcome()
    return _written(profile, after, "failed to update ingresscontroller status")


def _written(profile: Profile, after: dict[str, Any], failed: str) -> Outcome:
    """Status passes the CRD's rules like spec does; where it cannot, the operator is frozen."""
    causes = crd.check(profile, after["endpointPublishingStrategy"], "status")
    if causes:
        return Outcome(error=f"{failed}: {'; '.join(map(str, causes))}", frozen=tuple(causes))
    after["endpointPublishingStrategy"] = crd.stored(profile, after["endpointPublishingStrategy"])
    return Outcome(ic_status=after)
