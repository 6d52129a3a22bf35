# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API-server load balancers of one CAPO cluster: read, decided on, written in lanes, waited for (CAPO-*)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._core.capo.decide import decide, decide_members
from .._core.capo.desired import CapoDesired
from .._core.capo.observed import CapoObserved, ClusterFacts
from .._core.data import canonical, plain
from .._core.model import Decision, Step
from .._ports.errors import Conflict, PortError
from .._ports.kube import Kube
from .._ports.openstack_refusals import Unsupported
from .._run import Clock, Progress
from .capo_cluster import Found, ManagementCluster
from .capo_events import Events
from .capo_look import CloudLook
from .capo_options import desired_state, machines_given
from .capo_writes import CloudWrites
from .waiting import WaitOptions

# A step that had to be made this often in one run will not hold the next time either.
_MOST_REPEATS = 2
_NOW = ("api_server_load_balancers", "mirror", "dns_records", "counts")


class NotHolding(PortError):
    """Octavia took a change and it is not there afterwards: a child in ERROR below an ACTIVE load balancer."""

    code = "not_holding"


@dataclass(frozen=True)
class Seen:
    desired: CapoDesired
    observed: CapoObserved


class CapoTopic:
    """`settles`: after a change everything is looked at again, until nothing is left to do."""

    def __init__(self, params: Mapping[str, Any], clock: Clock | None = None) -> None:
        self._params = params
        self._clock = clock or Clock()
        self._kube = Kube.connect(params) if params["management_cluster"] else None
        self._management = ManagementCluster(self._kube, params) if self._kube else None
        self._events = Events(self._kube)
        self._look = CloudLook(params)
        patience = WaitOptions(params["wait_timeout"], params["wait_sleep"], self._clock)
        self._writes = CloudWrites(self._look.cloud, patience)
        self._lacking: set[tuple[str, str]] = set()
        self._made: Counter[str] = Counter()
        self._timings: dict[str, float] = {}
        self._begun = self._clock.now()
        self._unwaited: set[int] = set()
        self.settles = bool(params["wait"])

    def close(self) -> None:
        self._look.cloud.close()
        if self._kube is not None:
            self._kube.close()

    # -- observe and decide -------------------------------------------------------------------------------------------

    def observe(self) -> Seen:
        begun = self._clock.now()
        found = self._found()
        desired = desired_state(self._params, found.wishes)
        given = machines_given(self._params)
        known = CapoObserved(
            cluster=found.facts,
            machines=found.machines if given is None else given,
            record=found.record,
            others=found.others,
        )
        observed = self._look.observe(desired, known, frozenset(self._lacking))
        self._writes.begin(lb.id for lb in observed.load_balancers)
        self._spend("observe", begun)
        return Seen(desired, observed)

    def _found(self) -> Found:
        if self._management is not None:
            found = self._management.look(alone=bool(self._params["members_only"]))
            self._events.about(self._management.object)
            return found
        managed = self._params.get("managed_load_balancer")
        facts = ClusterFacts(namespace=self._params["namespace"], managed_lb_enabled=managed)
        return Found(facts if managed is not None else None)

    def decide(self, observed: Seen) -> Decision:
        judge = decide_members if self._params["members_only"] else decide
        decision = judge(observed.desired, observed.observed)
        details = plain(decision.details) or {}
        records = details.pop("dns", None)
        if records is not None:
            details["dns_records"] = records | _resolved(records, observed.observed.endpoint_addresses)
        decision = replace(decision, details=details)
        self._check_progress(decision)
        self._unwaited = set() if self._params["wait"] else _last_of_lanes(decision)
        return decision

    def _check_progress(self, decision: Decision) -> None:
        for step in decision.steps:
            if self._made[_signature(step)] >= _MOST_REPEATS:
                what = f"{step.verb} {step.ref} was carried out {_MOST_REPEATS} times and does not hold: {step.why}"
                remedy = "Look at Octavia's worker and Neutron; run again when they are well."
                raise NotHolding(what, remedy)

    # -- carry out ----------------------------------------------------------------------------------------------------

    def do(self, step: Step, observed: Seen, progress: Progress) -> None:
        lane = str((step.expect or {}).get("lane") or "")
        who = f"{observed.desired.namespace}/{observed.desired.cluster} {lane}".rstrip()
        begun = self._clock.now()
        try:
            self._carry_out(step, progress, who)
        except Unsupported as problem:
            self._learn(problem, observed)
            raise Conflict(problem.message, "It is done without.") from problem
        except PortError as problem:
            if not isinstance(problem, Conflict):
                self._events.failed(step, problem)
            raise
        finally:
            self._spend(lane or step.port, begun)
        if step.verb != "wait":
            self._made[_signature(step)] += 1
            self._events.done(step)

    def _carry_out(self, step: Step, progress: Progress, who: str) -> None:
        if step.port == "kube" and self._management is not None:
            self._management.write_record(step, self._writes.answers.resolve(step.body))
        elif step.verb != "wait" or self._params["wait"]:
            self._writes.do(step, progress, who, wait=id(step) not in self._unwaited)

    def _learn(self, problem: Unsupported, observed: Seen) -> None:
        """501: the next decision of this run knows (CAPO-3). Without a provider asked for, its name is empty."""
        feature = problem.details["feature"]
        names = {problem.details["provider"], observed.desired.provider, observed.observed.cloud.default_provider}
        if all((name, feature) in self._lacking for name in names):
            raise problem
        self._lacking |= {(name, feature) for name in names}

    def _spend(self, what: str, begun: float) -> None:
        self._timings[what] = self._timings.get(what, 0.0) + self._clock.now() - begun

    # -- tell ---------------------------------------------------------------------------------------------------------

    def refused(self, decision: Decision) -> None:
        self._events.refused(decision)

    def report(self, last: Decision) -> dict[str, Any]:
        """What stands now, whatever was planned first."""
        if self._made:
            self._events.missing(last)
        details = plain(last.details) or {}
        seconds = {what: round(spent, 3) for what, spent in sorted(self._timings.items())}
        total = round(self._clock.now() - self._begun, 3)
        return {key: details.get(key) for key in _NOW} | {"timings": {"total": total, "spent": seconds}}


def _signature(step: Step) -> str:
    return canonical([step.port, step.verb, step.resource, step.name, step.uid, step.body])


def _resolved(records: Mapping[str, Any], addresses: tuple[str, ...] | None) -> dict[str, Any]:
    """How DNS compares with what should be published, where it was asked."""
    if addresses is None:
        return {"resolved": None, "missing": None, "extra": None}
    wanted = {one["address"] for one in records["publish"]}
    have = set(addresses)
    return {"resolved": sorted(have), "missing": sorted(wanted - have), "extra": sorted(have - wanted)}


def _last_of_lanes(decision: Decision) -> set[int]:
    """Writes after which nothing else is written to the same load balancer: not waited for with wait: false."""
    lanes: dict[str, Step] = {}
    for step in decision.steps:
        if step.port == "octavia":
            lanes[str((step.expect or {}).get("lane"))] = step
    return {id(step) for step in lanes.values()}
