# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Right before something is taken away: is it still due, by what was read this moment? (CAPO-8, CAPO-12, CORE-6)"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..data import canonical
from ..model import Step
from .state import CapoObserved, LoadBalancer


def settled(observed: CapoObserved) -> CapoObserved:
    """What is read in the middle of a run is PENDING_UPDATE by its own other lanes, and goes on serving meanwhile."""
    return replace(observed, load_balancers=tuple(map(_settled, observed.load_balancers)))


def _settled(lb: LoadBalancer) -> LoadBalancer:
    return replace(lb, provisioning_status="ACTIVE") if lb.provisioning_status == "PENDING_UPDATE" else lb


def still_planned(step: Step, now: Iterable[Step]) -> Step | None:
    """The same step among those of a decision made now, where it costs no more than it did. Names and lanes may have
    changed by steps of this run; what it is done to and what is sent may not."""
    same = [one for one in now if _does(one) == _does(step) and step.disruption.covers(one.disruption)]
    return next(iter(same), None)


def _does(step: Step) -> str:
    return canonical([step.port, step.verb, step.resource, step.uid, step.body])
