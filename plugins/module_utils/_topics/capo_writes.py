# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes to Octavia and Neutron, with the waits in between: Octavia locks a whole load balancer per write (CAPO-11)."""

from __future__ import annotations

from collections.abc import Iterable

from .._core.aws.cloud_controller import FailureCause
from .._core.model import Step
from .._core.waits import Look
from .._ports.errors import Timeout
from .._ports.neutron import Neutron
from .._ports.octavia import Octavia
from .._ports.octavia_steps import OctaviaSteps
from .._ports.openstack_cloud import Cloud
from .._ports.openstack_refusals import Immutable
from .._ports.openstack_steps import Answers
from .._run import Progress
from .waiting import WaitOptions, wait_for

BROKEN = FailureCause(
    "load_balancer_error",
    "its load balancer is in ERROR; Octavia refuses every change of it.",
    "Run again with allow_rebuild to have it deleted and made anew, or ask the cloud's operators to fail it over.",
)


class CloudWrites:
    """Used by one lane per load balancer at a time, by several lanes at once."""

    def __init__(self, cloud: Cloud, patience: WaitOptions) -> None:
        self.answers = Answers()
        self._patience = patience
        self._octavia = Octavia(cloud)
        self._steps = OctaviaSteps(cloud, self.answers)
        self._neutron = Neutron(cloud, self.answers)

    def begin(self, known: Iterable[str]) -> None:
        """Before the steps of a new decision: the load balancers there were when it was made."""
        self._steps.known = frozenset(known)

    def do(self, step: Step, progress: Progress, who: str, wait: bool) -> None:
        if step.port == "neutron":
            self._neutron.do(step)
        elif step.verb == "wait":
            self._settle(step.uid, progress, who, final=("ACTIVE", "ERROR", "DELETED"))
        else:
            self._write(step, progress, who, wait)

    def _write(self, step: Step, progress: Progress, who: str, wait: bool) -> None:
        removes = step.resource == "load_balancer" and step.verb == "delete"
        lb_id = self._sent(step, progress, who, removes)
        if not wait:
            return
        if not removes:
            self._settle(lb_id, progress, who)
            return
        # A deletion that fails ends in ERROR, and the next one works (facts: lab-openstack, faults).
        if self._settle(lb_id, progress, who, final=("DELETED", "ERROR")) == "ERROR":
            self._sent(step, progress, who, removes)
            self._settle(lb_id, progress, who, final=("DELETED",))

    def _sent(self, step: Step, progress: Progress, who: str, removes: bool) -> str:
        """409 while PENDING, in both wordings: wait and send again, inside the deadline."""
        clock = self._patience.clock
        deadline = clock.now() + self._patience.timeout
        while True:
            try:
                return self._steps.do(step)
            except Immutable as problem:
                if clock.now() >= deadline:
                    raise Timeout(
                        f"{who}: {problem.message}", "Run again when the load balancer is ACTIVE."
                    ) from problem
                final = ("ACTIVE", "ERROR", "DELETED") if removes else ("ACTIVE",)
                self._settle(self._steps.anchor(step), progress, who, final=final)

    def _settle(self, lb_id: str, progress: Progress, who: str, final: tuple[str, ...] = ("ACTIVE",)) -> str:
        """Until Octavia is done with it. ERROR ends a wait for anything else: it does not go away by itself."""

        def look(_waited: float) -> Look:
            status = self._octavia.status(lb_id)
            if status in final:
                return Look(True, detail=status)
            if status in ("ERROR", "DELETED"):
                return Look(False, "Octavia", BROKEN if status == "ERROR" else _GONE, f"load balancer {lb_id}")
            return Look(False, f"load balancer {lb_id} to be {' or '.join(final)}", detail=status)

        return wait_for(look, self._patience, progress, who).detail


_GONE = FailureCause("load_balancer_gone", "its load balancer was deleted meanwhile.", "Run again: it is made anew.")
