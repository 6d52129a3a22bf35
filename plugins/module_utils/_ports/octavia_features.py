# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of our options a provider lacks, by its words and by what it was asked for (CAPO-15).

Providers refuse in their own words, and some say no more than that something is not supported. Then it is what the
request can best do without: a whole tree in one request first, as the parts of it, asked for one by one, tell more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .._core.model import Step
from .openstack_cloud import Body
from .openstack_refusals import Unsupported

# feature → how it is spoken of
_WORDS = {
    "tree": r"populated|nested|one request",
    "availability_zones": r"zone",
    "timeouts": r"timeout",
    "round_robin": r"algorithm|round.?robin",
    "bare_members": r"subnet",
    "health_monitor": r"monitor",
    "allowed_cidrs": r"cidr",
}
_TIMEOUTS = ("timeout_client_data", "timeout_member_data")


def featured(problem: Unsupported, step: Step, body: Body) -> Unsupported:
    """The same with `feature`: "" where the request asks for nothing that it could do without."""
    words = str(problem.details.get("words", ""))
    about = re.sub(r"Provider '[^']*'", "", words)
    asked = list(dict.fromkeys(_asked(step, body)))
    named = [feature for feature, spoken in _WORDS.items() if re.search(spoken, about, re.IGNORECASE)]
    meant = [feature for feature in asked if feature in named]
    feature = next(iter(meant if named else asked), "")
    provider = problem.details.get("provider") or body.get("provider") or ""
    return Unsupported(problem.message, problem.remedy, provider=provider, feature=feature, words=words)


def is_about_the_way(problem: Unsupported) -> bool:
    """Is it the kind of request that is not there, and not what it asks for?"""
    return bool(re.search(r"requested action|batch|implement", str(problem.details.get("words", ""))))


def _asked(step: Step, body: Body) -> Iterator[str]:
    """What a request asks for, what it can best do without first."""
    if step.resource == "load_balancer" and step.verb == "create":
        yield from ["tree"] if body.get("listeners") else []
        yield from ["availability_zones"] if body.get("availability_zone") else []
        for listener in body.get("listeners") or ():
            yield from _of_listener(listener)
            yield from _of_pool(listener["default_pool"])
    elif step.resource == "listener":
        yield from _of_listener(body)
    elif step.resource in ("pool", "members"):
        yield from _of_pool(body)
    elif step.resource == "health_monitor" and step.verb == "create":
        yield "health_monitor"


def _of_listener(body: Any) -> Iterator[str]:
    yield from ["timeouts"] if any(name in body for name in _TIMEOUTS) else []
    yield from ["allowed_cidrs"] if body.get("allowed_cidrs") else []


def _of_pool(body: Any) -> Iterator[str]:
    yield from ["round_robin"] if body.get("lb_algorithm") == "ROUND_ROBIN" else []
    yield from ["bare_members"] if any(not one.get("subnet_id") for one in body.get("members") or ()) else []
    yield from ["health_monitor"] if body.get("healthmonitor") else []
