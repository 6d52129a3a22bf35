# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lb_effectuate: everything pending on one load balancer as one recreation, if all of it was asked for (CORE-9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._core.data import dig
from .._core.ingress.state import CLEAR, LEAVE, Observed, Wanted, Way
from .._core.operator import messages
from .._core.operator.names import NLB, PARAMS
from .._core.operator.subnets import Subnets
from .._core.radar import EVERYTHING
from .ingress import way

# Option value → the operator's name of the field.
CHANGES = {
    "scope": messages.SCOPE,
    "type": messages.TYPE,
    "subnets": messages.SUBNETS,
    "eip_allocations": messages.EIPS,
    "floating_ip": messages.FLOATING_IP,
}


def wanted_by(options: Mapping[str, Any]) -> Callable[[Observed], tuple[Wanted, Way]]:
    """Nothing new is wanted; what spec says is to come true. A thaw changes spec on the way, so it is remembered."""
    remembered: list[Wanted] = []
    changes = options["changes"]
    asked = EVERYTHING if "all" in changes else frozenset(CHANGES[change] for change in changes)
    chosen = way(options, unfreeze=options["unfreeze"], asked=asked, whole=True)

    def wanted(observed: Observed) -> tuple[Wanted, Way]:
        if not options["unfreeze"]:
            return Wanted(), chosen
        if not remembered:
            remembered.append(_said(observed, messages.SUBNETS in asked))
        return remembered[0], chosen

    return wanted


def _said(observed: Observed, subnets_asked: bool) -> Wanted:
    """What spec says when the task starts, as wanted state for its later stages.

    Subnets only where they were asked for: what nobody asked for stays in the way.
    """
    lb = dig(observed.ic, "spec", "endpointPublishingStrategy", "loadBalancer")
    aws = dig(lb, "providerParameters", "aws")
    kind = dig(aws, "type")
    eips: Any = LEAVE
    subnets: Any = LEAVE
    if kind == NLB:
        eips = list(dig(aws, PARAMS[NLB], "eipAllocations") or ()) or CLEAR
    if kind and subnets_asked:
        subnets = Subnets.listed(dig(aws, PARAMS[kind], "subnets")) or CLEAR
    return Wanted(scope=dig(lb, "scope") or "", eips=eips, subnets=subnets)
