# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions carried out on the small cloud, and looked at."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.decide import decide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import (
    CapoDesired,
    CapoObserved,
    LoadBalancer,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Decision
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.cloud import Cloud
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.capo.estate import seen

QUIET: dict[str, Any] = {"floating_ips": False}


def carry_out(wish: CapoDesired, cloud: Cloud) -> Decision:
    decision = decide(wish, cloud.observed)
    for step in decision.steps:
        cloud.apply(step)
    return decision


def built(wish: CapoDesired, **more: Any) -> Cloud:
    """The wish come true in a fresh world."""
    cloud = Cloud(seen(**more))
    carry_out(wish, cloud)
    return cloud


def changed(cloud: Cloud, **change: Any) -> CapoObserved:
    """The one load balancer of the cloud, changed."""
    lb = cloud.observed.load_balancers[0]
    return replace(cloud.observed, load_balancers=(replace(lb, **change),))


def on_octavia(decision: Decision) -> list[tuple[str, str, Any]]:
    """Verb, resource and body of each step there."""
    return [(step.verb, step.resource, plain(step.body)) for step in decision.steps if step.port == "octavia"]


def codes(decision: Decision) -> list[str]:
    return [finding.code for finding in decision.remarks]


def taken_back(decision: Decision, cloud: Cloud) -> tuple[Any, Any]:
    """Carries the decision out and takes it back: the cloud after the last point of no return, and at the end.

    What was waited for was somebody else's, and no undo's to take back.
    """
    final = max((number for number, step in enumerate(decision.steps, 1) if step.point_of_no_return), default=0)
    for step in decision.steps[:final]:
        cloud.apply(step)
    before = cloud.copy()
    for step in decision.steps[final:]:
        cloud.apply(step)
        if not step.writes:
            before.apply(step)
    for step in decision.undo:
        cloud.apply(step)
    return picture(before.observed), picture(cloud.observed)


def picture(observed: CapoObserved) -> Any:
    """All there is, without the ids of what may have been made again. An ERROR that was mended does not come back."""
    lbs = {lb.id: _tree(lb) for lb in observed.load_balancers}
    record = observed.record
    ips = sorted(observed.floating_ips, key=lambda ip: ip.id)
    return lbs, ips, (record.exists, plain(record.entries) or [], plain(record.mirror))


def _tree(lb: LoadBalancer) -> dict[str, Any]:
    data = _seen(asdict(lb))
    names = {pool.id: pool.name for pool in lb.pools}
    for listener in data["listeners"]:
        listener["pool_id"] = names.get(listener["pool_id"])
    return data


def _seen(value: Any, top: bool = True) -> Any:
    if isinstance(value, dict):
        hidden = {"provisioning_status", "operating_status"} | (set() if top else {"id"})
        return {key: _seen(item, False) for key, item in value.items() if key not in hidden}
    return sorted((_seen(one, False) for one in value), key=str) if isinstance(value, (list, tuple)) else value
