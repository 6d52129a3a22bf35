# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens, or has happened, in one sentence: how many of what are created, deleted, changed (CORE-7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..model import Step
from .names import RETIRING

PLANNED = ("would be", "would be")
DONE = ("was", "were")
# what is counted, in the order it is told: noun, plural, what is done to it
_ORDER = (
    ("load balancer", "load balancers", "created"),
    ("load balancer", "load balancers", "renamed"),
    ("load balancer", "load balancers", "set aside"),
    ("load balancer", "load balancers", "deleted"),
    ("floating IP", "floating IPs", "created"),
    ("floating IP", "floating IPs", "moved"),
    ("floating IP", "floating IPs", "marked anew"),
    ("floating IP", "floating IPs", "deleted"),
    ("part of a load balancer", "parts of load balancers", "created"),
    ("part of a load balancer", "parts of load balancers", "changed in place"),
    ("part of a load balancer", "parts of load balancers", "deleted"),
    ("list of members", "lists of members", "changed"),
    ("record", "records", "written"),
    ("lock of a killed run", "locks of killed runs", "taken away"),
)
_DONE_TO = {"create": "created", "delete": "deleted", "update": "changed in place"}


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def account(steps: Iterable[Step], tense: tuple[str, str]) -> str:
    """Empty where nothing is written. `tense`: for one and for several."""
    counts = Counter(_kind(step) for step in steps if step.writes)
    told = []
    for noun, plural, done in _ORDER:
        number = counts[(noun, done)]
        if number:
            told.append(f"{number} {noun if number == 1 else plural} {tense[number > 1]} {done}")
    return f"{'; '.join(told)}." if told else ""


def _kind(step: Step) -> tuple[str, str]:
    if step.port == "kube":
        return "record", "written"
    if step.resource == "lock":
        return "lock of a killed run", "taken away"
    if step.resource == "members":
        return "list of members", "changed"
    if step.resource == "floating_ip":
        if step.verb == "update":
            return "floating IP", "moved" if "port_id" in (step.body or {}) else "marked anew"
        return "floating IP", _DONE_TO[step.verb]
    if step.resource != "load_balancer":
        return "part of a load balancer", _DONE_TO[step.verb]
    name = (step.body or {}).get("name") if step.verb == "update" else None
    if name:
        return "load balancer", "set aside" if str(name).endswith(RETIRING) else "renamed"
    return ("part of a load balancer" if step.verb == "update" else "load balancer"), _DONE_TO[step.verb]
