# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes to Octavia and Neutron, with the waits in between: Octavia locks a whole load balancer per write (CAPO-11)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from .._core import waits
from .._core.model import Step
from .._engine import Progress
from .._ports.errors import Timeout
from .._ports.neutron import Neutron
from .._ports.octavia import Octavia
from .._ports.octavia_steps import OctaviaSteps
from .._ports.openstack_cloud import Cloud
from .._ports.openstack_refusals import Immutable
from .._ports.openstack_steps import Answers
from .._waiting import WaitOptions, wait_for

SETTLED = ("ACTIVE", "ERROR", "DELETED")


class CloudWrites:
    """Used by one lane per load balancer at a time, by several lanes at once."""

    def __init__(self, cloud: Cloud, waiting: WaitOptions) -> None:
        self.answers = Answers()
        self._waiting = waiting
        self._octavia = Octavia(cloud)
        self._steps = OctaviaSteps(cloud, self.answers)
        self._neutron = Neutron(cloud, self.answers)

    def known(self, load_balancers: Iterable[str]) -> None:
        """Before the steps of a new decision: the ids of the load balancers there were when it was made."""
        self._steps.known = frozenset(load_balancers)

    def do(self, step: Step, progress: Progress, who: str, wait: bool) -> None:
        """`wait`: is a write done only when its load balancer is ACTIVE again, or gone?"""
        if step.port == "neutron":
            self._neutron.do(step)
        elif step.wait_for is not None:
            self._settle(step.uid, progress, who, final=SETTLED)
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
        clock = self._waiting.clock
        deadline = clock.now() + self._waiting.timeout
        while True:
            try:
                return self._steps.do(step)
            except Immutable as problem:
                if clock.now() >= deadline:
                    raise Timeout(
                        f"{who}: {problem.message}", "Run again when the load balancer is ACTIVE."
                    ) from problem
                self._settle(self._steps.locked(step), progress, who, final=SETTLED if removes else ("ACTIVE",))

    def _settle(self, lb_id: str, progress: Progress, who: str, final: tuple[str, ...] = ("ACTIVE",)) -> str:
        """Until Octavia is done with it."""

        def look(_waited: float) -> waits.Look:
            return waits.settled(lb_id, self._octavia.status(lb_id), final)

        return wait_for(look, self._waiting, progress, who).detail


def record_to_write(step: Step, answers: Answers) -> Step:
    """The record with what the cloud has answered in place of references; a ConfigMap holds texts only."""
    body = answers.resolve(step.body)
    if step.resource == "configmaps" and body:
        body["data"] = {key: json.dumps(value, sort_keys=True) for key, value in body["data"].items()}
    return replace(step, body=body)
