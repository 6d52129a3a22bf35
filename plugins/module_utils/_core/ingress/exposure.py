# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A load balancer that lets in only some: would a recreation open it to the world? (CORE-6)"""

from __future__ import annotations

from ..data import Json, dig
from ..model import Finding, Severity
from ..operator import names, router_service
from ..operator.status import source_ranges
from .edits import edits
from .state import Observed

_WORLD = ("0.0.0.0/0", "::/0")
_SPEC = "spec.endpointPublishingStrategy.loadBalancer.allowedSourceRanges"


def opened(observed: Observed, ic: Json, restore: bool, now: bool) -> tuple[Finding, ...]:
    """`ic`: as it is when the new Service is made. An error where this task would do it (`now`)."""
    ranges = [entry.strip() for entry in source_ranges(observed.service) or ()]
    if not ranges or set(ranges) & set(_WORLD) or not router_service.wanted(ic):
        return ()
    fresh = router_service.service(observed.profile, observed.infra, ic, None)
    if dig(fresh, "spec", "loadBalancerSourceRanges"):
        return ()
    where = f"Service {names.OPERAND_NAMESPACE}/{names.service_name(observed.name)}"
    listed = ", ".join(ranges)
    if restore and _brought_along(observed, ic):
        what = (
            f"Only {listed} are let in, by the Service and not by spec. The new load balancer stands open to all from "
            "the moment its Service is made until this task puts them back: up to wait_sleep seconds, mostly before it "
            "has an address. If the task is stopped in between, until the next one."
        )
        remedy = f"To have it closed all the time, put them into {_SPEC} first."
        return (Finding("source_ranges_open", Severity.WARNING, where, what, remedy, ranges),)
    what = f"Only {listed} are let in, by the Service and not by spec: recreated, it would be open to the world."
    remedy = f"Put them into {_SPEC}, or set restore_edits: true."
    if not observed.profile.source_ranges:
        remedy = "Set restore_edits: true."
    return (Finding("source_ranges_lost", Severity.ERROR if now else Severity.WARNING, where, what, remedy, ranges),)


def _brought_along(observed: Observed, ic: Json) -> bool:
    patch = edits(observed, ic).patch
    return bool(
        dig(patch, "spec", "loadBalancerSourceRanges")
        or names.SOURCE_RANGES in (dig(patch, "metadata", "annotations") or {})
    )
