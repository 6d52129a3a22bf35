# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run that was killed leaves behind besides half a tree: a second load balancer for a zone, a lock (CAPO-14).

Octavia keeps no name unique, and a request can land long after whoever sent it was killed. Which of two is the zone's
does not depend on who looks: the one that the record or a floating IP holds, else the older one (`rank`). The other one
goes without being asked for, where nobody can have been told of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Disruption, Finding, Severity, Step
from .assembly import Lane
from .cidrs import same_address
from .names import OUR_MAKER
from .site import Site, Slot
from .state import LoadBalancer
from .steps import await_load_balancer, delete_load_balancer


def rank(site: Site, slot: Slot, lb: LoadBalancer) -> tuple[bool, bool, bool, str, str]:
    """The lowest is the zone's own."""
    broken = lb.provisioning_status == "ERROR"
    return lb.name != slot.name, not _is_anchored(site, lb), broken, lb.created_at, lb.id


def _is_anchored(site: Site, lb: LoadBalancer) -> bool:
    """Others were told of it, or can reach it."""
    recorded = bool(site.observed.record.entry(load_balancer_id=lb.id))
    led_to = any(same_address(lb.vip_address, one) for one in site.observed.endpoint_addresses or ())
    return recorded or led_to or site.observed.floating_ip_on(lb.vip_port_id) is not None


def is_twin(site: Site, slot: Slot, chosen: LoadBalancer, lb: LoadBalancer) -> bool:
    """Made here for the same zone, younger or less known than the one that was chosen, and nobody's yet."""
    both = chosen.name == lb.name == slot.name and chosen.provisioning_status != "ERROR"
    later = lb.created_at > chosen.created_at or _is_anchored(site, chosen)
    return both and later and lb.description.startswith(OUR_MAKER) and not _is_anchored(site, lb)


def twin_lanes(twins: Iterable[tuple[str, LoadBalancer]]) -> list[Lane]:
    lanes = []
    for zone, lb in twins:
        lane = Lane(f"{zone} (twin)")
        what = f"load balancer {lb.id} was made for zone {zone}, too, by a run that was killed; nobody was told of it."
        lane.findings.append(Finding("twin", Severity.WARNING, lb.name, what, "It is removed.", lb.id))
        if lb.pending:
            lane.add(await_load_balancer(lb))
        else:
            lane.note("load_balancer", lb.id, None)
            why = f"Zone {zone} has another load balancer, and nobody was told of this one."
            lane.add(delete_load_balancer(lb, why, Disruption.NONE))
        lanes.append(lane)
    return lanes


def lock_lane(site: Site) -> Lane:
    """Markers of locks that nobody holds any more (without a management cluster)."""
    lane = Lane("lock")
    for port in site.observed.dead_locks:
        why = "A run that was killed left its lock behind."
        lane.add(Step("neutron", "delete", "lock", site.identity.resource_name, why=why, uid=port))
    return lane
