# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run that was killed leaves behind besides half a tree: a second load balancer for a zone, a lock (CAPO-14).

Octavia keeps no name unique, and a request can land long after whoever sent it was killed. Which of two is the zone's
does not depend on who looks: the one that the record or a floating IP holds, else the older one (`rank`). The other one
goes without being asked for, where DNS does not lead to it and it does not serve in place of the first.
"""

from __future__ import annotations

from ..model import Step
from .assembly import Lane
from .cidrs import leads_to
from .members import online_members
from .names import OUR_MAKER
from .site import Site, Slot, known_targets, other_endpoint
from .state import LoadBalancer
from .strangers import unnamed


def rank(site: Site, slot: Slot, lb: LoadBalancer) -> tuple[bool, bool, bool, bool, str, str]:
    """The lowest is the zone's own."""
    broken = lb.provisioning_status == "ERROR"
    return lb.name != slot.name, not _is_anchored(site, lb), broken, not _serves(site, lb), lb.created_at, lb.id


def _serves(site: Site, lb: LoadBalancer) -> bool:
    return online_members(lb, site.api_port) > 0


def _is_anchored(site: Site, lb: LoadBalancer) -> bool:
    """Others were told of it, or can reach it."""
    recorded = bool(site.observed.record.entry(load_balancer_id=lb.id))
    led_to = any(leads_to(one, lb.vip_address) for one in known_targets(site.observed))
    return recorded or led_to or site.observed.floating_ip_on(lb.vip_port_id) is not None


def is_twin(site: Site, slot: Slot, chosen: LoadBalancer, lb: LoadBalancer) -> bool:
    """Made here for the same zone, younger or less known than the one that was chosen, and nobody's yet."""
    both = chosen.name == lb.name == slot.name and chosen.provisioning_status != "ERROR"
    serves = _serves(site, chosen) and not _serves(site, lb)
    later = lb.created_at > chosen.created_at or _is_anchored(site, chosen) or serves
    return both and later and lb.description.startswith(OUR_MAKER) and not _is_anchored(site, lb)


def may_serve(site: Site, chosen: LoadBalancer | None, lb: LoadBalancer) -> str:
    """Why a twin does not go by itself, in a clause; empty where it serves nobody."""
    desired, observed = site.desired, site.observed
    other = other_endpoint(desired, observed.cluster)
    unasked = observed.endpoint_addresses is None or (bool(other) and observed.own_endpoint_addresses is None)
    if unasked and not desired.traffic_moved_because:
        return "nobody knows from DNS whether clients are led to it"
    others = unnamed(site, lb)
    if others:
        return f"others have put something on it: {', '.join(others.values())}"
    if _serves(site, lb) and (chosen is None or not _serves(site, chosen)):
        return "members of it are ONLINE, and the other one has none"
    return ""


def lock_lane(site: Site) -> Lane:
    """Markers of locks that nobody holds any more (without a management cluster)."""
    lane = Lane("lock")
    for port in site.observed.dead_locks:
        why = "A run that was killed left its lock behind."
        lane.add(Step("neutron", "delete", "lock", site.identity.resource_name, why=why, uid=port))
    return lane
