# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others have put on a load balancer of ours: it would go with it, so each piece has to be named (CORE-6).

Deleting a load balancer takes along all it holds, and nothing brings that back.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Finding, Severity
from .cidrs import same_address
from .labels import error
from .site import Site
from .state import LoadBalancer, Member


def parts_of_others(site: Site, lb: LoadBalancer) -> dict[str, str]:
    """By the name that a person would say it with: listeners and pools by name, members of our pools by address."""
    prefix = site.identity.prefix
    found = {
        listener.name or listener.id: f"listener {listener.name or listener.id} on port {listener.protocol_port}"
        for listener in lb.listeners
        if not listener.name.startswith(prefix)
    }
    for pool in lb.pools:
        name = pool.name or pool.id
        if not pool.name.startswith(prefix):
            found.setdefault(name, f"pool {name}")
            continue
        strange = [member for member in pool.members if not _is_ours(site, member)]
        found |= {one.address: f"member {one.address} of pool {name}" for one in strange}
    return found


def _is_ours(site: Site, member: Member) -> bool:
    machines = [one.address for one in site.observed.machines if one.address]
    return member.name.startswith(site.identity.prefix) or any(same_address(member.address, one) for one in machines)


def unnamed(site: Site, lb: LoadBalancer) -> dict[str, str]:
    """Those of them that nobody has said may go."""
    named = site.desired.others_may_go
    return {name: what for name, what in parts_of_others(site, lb).items() if name not in named}


def strangers_stay(site: Site, lb: LoadBalancer) -> Finding | None:
    """Why a load balancer may not go; None where it holds nothing of others that is not named."""
    left = unnamed(site, lb)
    if not left:
        return None
    what = f"others have put something on load balancer {lb.id} that would go with it: {', '.join(left.values())}."
    remedy = f"Move it elsewhere first; if it may go, say others_may_go: [{', '.join(left)}]."
    return error("others_use_it", lb.name, what, remedy, sorted(left))


def strangers_go(site: Site, lbs: Iterable[LoadBalancer]) -> list[Finding]:
    """What goes along because a person has named it."""
    return [
        Finding("others_go", Severity.WARNING, lb.name, f"{what}, which is another's, goes with it.", "", name)
        for lb in lbs
        for name, what in parts_of_others(site, lb).items()
        if name in site.desired.others_may_go
    ]
