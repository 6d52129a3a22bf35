# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that nobody but a person changes once the load balancer has another address."""

from __future__ import annotations

from ..data import dig
from ..model import Decision, Disruption, Finding, Severity
from ..waits import addresses, condition
from .state import Observed


def by_hand(observed: Observed, decision: Decision) -> tuple[Finding, ...]:
    """Where the operator does not manage DNS and the plan gives the load balancer a new address."""
    if decision.disruption is Disruption.NONE or not _unmanaged(observed):
        return ()
    domain = dig(observed.ic, "status", "domain") or dig(observed.ic, "spec", "domain") or ""
    record, old = f"*.{domain}", ", ".join(addresses(observed.service)) if observed.service is not None else ""
    what = f"The operator does not manage DNS here: {record} stays at {old or 'the old address'}, which goes away."
    remedy = f"Point {record} to the new load balancer once it serves (`after` of the result has its address)."
    return (Finding("dns_unmanaged", Severity.WARNING, str(decision.target), what, remedy, [record]),)


def _unmanaged(observed: Observed) -> bool:
    """By policy, or because the operator has no zone to write to."""
    path = ("endpointPublishingStrategy", "loadBalancer", "dnsManagementPolicy")
    policy = dig(observed.ic, "status", *path) or dig(observed.ic, "spec", *path)
    return bool(policy == "Unmanaged" or condition(observed.ic, "DNSManaged").get("status") == "False")
