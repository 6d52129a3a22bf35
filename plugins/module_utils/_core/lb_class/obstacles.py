# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a class from being changed (CLS-1, CLS-3): somebody else's Service, or a second one that is not ours."""

from __future__ import annotations

from collections.abc import Iterator

from ..data import dig
from ..model import Finding, Severity
from ..service import kept
from ..service.obstacles import unfit
from .state import SIDE_BY_SIDE, ObservedClass, WantedClass, class_of, is_retired, serves, successor_name


def obstacles(wanted: WantedClass, observed: ObservedClass) -> Iterator[Finding]:
    if observed.stopped:
        # A Service that is still going can be kept again; one whose load balancer was flipped away needs what was kept.
        yield from () if observed.going else kept.spoilt_of(observed)
        return
    if observed.service is None and is_retired(wanted, observed):
        return
    found = unfit(observed, "Leave its class alone: the operator makes and keeps that Service without one.")
    if found:
        yield found
        return
    yield from _controlled(observed)
    if wanted.way == SIDE_BY_SIDE and observed.lb_class != wanted.lb_class:
        yield from _second_obstacles(wanted, observed)


def _controlled(observed: ObservedClass) -> Iterator[Finding]:
    for entry in dig(observed.service, "metadata", "ownerReferences") or ():
        if entry.get("controller"):
            who = f"{entry.get('kind', '')} {entry.get('name', '')}"
            what = f"{who} owns it, and would make it again as it wants to have it."
            yield _error("operator_owned", observed, what, f"Set the class in {who}, if that has a field for it.")


def _second_obstacles(wanted: WantedClass, observed: ObservedClass) -> Iterator[Finding]:
    name = successor_name(observed.name, wanted.suffix)
    if observed.successor is None:
        if wanted.moved_because:
            what = f"traffic_moved is said, but there is no Service {name} that it could have moved to."
            yield _error("not_moved", observed, what, "Leave it out: this run makes that Service. Say it when it has.")
        if not dig(observed.service, "spec", "selector"):
            what = "It has no selector: whoever makes its endpoints knows nothing of a second Service."
            yield _error("no_selector", observed, what, "Take way: type_flip or recreate.")
    elif not observed.ours_beside:
        what = f"There is a Service {observed.namespace}/{name} already, and it was not made to stand beside this one."
        yield _error("successor_foreign", observed, what, "Give another suffix.")
    elif class_of(observed.successor) != wanted.lb_class:
        have = class_of(observed.successor) or "none"
        what = f"Service {name} stands beside it with class {have}, and {wanted.lb_class or 'none'} is asked for."
        yield _error("successor_differs", observed, what, f"Delete {name}, or give another suffix.")
    elif wanted.moved_because and not serves(observed):
        what = f"traffic_moved is said, but Service {name} does not serve: it needs an address and a ready endpoint."
        yield _error("not_moved", observed, what, "See why it does not serve; the first one stays meanwhile.")


def _error(code: str, observed: ObservedClass, what: str, remedy: str) -> Finding:
    return Finding(code, Severity.ERROR, str(observed.target), what, remedy)
