# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finalizers that hold a deleted Service for somebody else than the cloud that made its load balancer (CORE-13)."""

from __future__ import annotations

from .aws import lb_controller
from .data import Json, dig
from .model import Finding, Severity

# Of the cloud controllers; the last one is set by the API server where a deletion waits for its dependents.
_CLOUDS = (
    "service.kubernetes.io/load-balancer-cleanup",
    "gke.networking.io/l4-ilb-v1",
    "gke.networking.io/l4-ilb-v2",
    "gke.networking.io/l4-netlb-v1",
    "gke.networking.io/l4-netlb-v2",
    "foregroundDeletion",
)


def foreign(service: Json, where: str) -> tuple[Finding, ...]:
    """Told before the Service is deleted: afterwards it is an outage that nobody here can end."""
    expected = (*_CLOUDS, *((lb_controller.FINALIZER,) if lb_controller.owns(service) else ()))
    found = [name for name in dig(service, "metadata", "finalizers") or () if name not in expected]
    if not found:
        return ()
    what = f"The finalizers {', '.join(found)} are of no cloud controller: deleted, the Service stays, and no new load "
    what += "balancer comes until whoever set them takes them away."
    remedy = "See that their controller is alive, or remove them if nobody needs them, before the load balancer goes."
    return (Finding("foreign_finalizer", Severity.WARNING, where, what, remedy, found),)
