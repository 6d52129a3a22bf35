# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API-server load balancers of one CAPO cluster: read, decided on, written in lanes, waited for (CAPO-*)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock as Turn
from typing import Any

from .._core.capo.assembly import KIND
from .._core.capo.decide import decide, decide_members
from .._core.capo.message import DONE, account
from .._core.capo.recheck import settled, still_planned
from .._core.capo.state import CapoDesired, CapoObserved, CloudFacts, OpenStackCluster
from .._core.data import canonical
from .._core.model import Decision, Step, Target
from .._engine import Lock, Progress, Topic
from .._ports import name_service
from .._ports.errors import Conflict, Invalid, PortError
from .._ports.kube import Kube
from .._ports.lease import TargetLock
from .._ports.neutron import Neutron
from .._ports.octavia import Octavia
from .._ports.openstack_cloud import Cloud
from .._ports.openstack_lock import CloudLock
from .._ports.openstack_refusals import Taken, Unsupported
from .._readers.capo_cloud import CapoCloud
from .._readers.capo_cluster import Found, ManagementCluster
from .._readers.rights import see_rights
from .._results import Result
from .._waiting import WaitOptions
from .capo_events import Events
from .capo_options import desired_state, machines_given
from .capo_writes import CloudWrites, record_to_write


@dataclass(frozen=True)
class Seen:
    desired: CapoDesired
    observed: CapoObserved


class CapoTopic(Topic[Seen]):
    """`kube`: the management cluster; None where the task gives all there is to know as options."""

    def __init__(
        self,
        kube: Kube | None,
        cloud: Cloud,
        options: Mapping[str, Any],
        waiting: WaitOptions,
        hide: Callable[[str], str],
    ) -> None:
        """`hide`: takes secrets out of what is told to the cluster."""
        self._kube, self._options, self._waiting = kube, options, waiting
        self._management: ManagementCluster | None = None
        if kube is not None:
            names = (options["namespace"], options["cluster"], options.get("openstack_cluster") or "")
            self._management = ManagementCluster(kube, *names)
        self._events = Events(kube, hide)
        self._writes = CloudWrites(cloud, waiting)
        resolve = partial(name_service.addresses, within=min(name_service.WITHIN, waiting.timeout))
        self._cloud = CapoCloud(Octavia(cloud), Neutron(cloud, self._writes.answers), resolve)
        self._lacking: frozenset[tuple[str, str]] = frozenset()
        self._default_provider = ""  # as far as a refusal named it
        target = Target(KIND, options["cluster"], options["namespace"])
        self._lock: CloudLock | TargetLock = CloudLock(cloud, target, lambda: self._network)
        if kube is not None:
            self._lock = TargetLock(kube, target, waiting.clock)
        self._network = ""  # of the load balancers, for the lock's marker
        self._taken: set[str] = set()  # steps that were refused because what they make is there already
        self._last_of_lanes: dict[str, Step] = {}
        self._looking = Turn()  # lanes that look again do so one after the other
        self._done: list[Step] = []
        self._spent: dict[str, float] = {}
        self._begun = waiting.clock.now()
        self.settles = self.waits = waiting.asked

    # -- read and decide ----------------------------------------------------------------------------------------------

    def read(self, _knowing: Seen | None = None) -> Seen:
        begun = self._waiting.clock.now()
        found = self._found()
        desired = desired_state(self._options, found.wishes)
        given = machines_given(self._options)
        known = CapoObserved(
            cluster=found.cluster,
            machines=found.machines if given is None else given,
            cloud=CloudFacts(default_provider=self._default_provider, lacking=self._lacking),
            record=found.record,
            others=found.others,
            dead_locks=self._lock.left_behind() if isinstance(self._lock, CloudLock) else (),
        )
        # Where the endpoint leads is needed before anything it may lead to is deleted.
        endpoint = desired.traffic_moved if desired.resolve_endpoint is None else desired.resolve_endpoint
        quotas = not self._options["members_only"]
        observed = self._cloud.read(desired, known, quotas=quotas, endpoint=endpoint)
        self._events.about(observed.cluster)
        self._spend("observe", begun)
        return Seen(desired, observed)

    def _found(self) -> Found:
        options = self._options
        if self._management is not None:
            return self._management.read(
                required=options["state"] != "absent",
                machines=options.get("machines") is None,
                others=not options["members_only"],
            )
        managed = options.get("managed_load_balancer")
        cluster = OpenStackCluster(namespace=options["namespace"], managed_lb_enabled=managed)
        return Found(cluster if managed is not None else None)

    def decide(self, observed: Seen) -> Decision:
        judge = decide_members if self._options["members_only"] else decide
        return judge(observed.desired, observed.observed)

    def lock(self) -> Lock:
        """A Lease in the management cluster; without one, a marker in the cloud."""
        return self._lock

    # -- carry out ----------------------------------------------------------------------------------------------------

    def begin(self, decision: Decision, observed: Seen) -> None:
        """With wait: false, what nothing else is written after to the same load balancer is not waited for."""
        if self._kube is not None:
            see_rights(self._kube, decision.target, decision.steps)
        self._writes.known(lb.id for lb in observed.observed.load_balancers)
        self._network = _network(observed)
        self._last_of_lanes = {step.lane: step for step in decision.steps if step.port == "octavia"}

    def recheck(self, step: Step, _decision: Decision, _observed: Seen) -> Step:
        """A proof is as old as what it was read from, and steps before this one take minutes: where the endpoint leads,
        who answers and whose it all is are asked again right before anything is taken away."""
        with self._looking:
            seen = self.read()
        now = self.decide(replace(seen, observed=settled(seen.observed)))
        found = still_planned(replace(step, body=self._writes.answers.resolve(step.body)), now.steps)
        if found is None:
            problem = f"{step.verb} {step.ref} is not due any more: {now.message}"
            raise Conflict(problem, "It is looked at and decided on anew.")
        return replace(step, expect=found.expect)

    def do(self, step: Step, observed: Seen, progress: Progress) -> None:
        who = f"{observed.desired.namespace}/{observed.desired.cluster} {step.lane}"
        begun = self._waiting.clock.now()
        try:
            self._carry_out(step, progress, who)
        except Unsupported as problem:
            self._learn(problem, step, observed)
            raise Conflict(problem.message, "It is done without.") from problem
        except Taken as problem:
            self._again(step, problem)
            raise
        except PortError as problem:
            if not isinstance(problem, Conflict):
                self._events.failed(step, problem)
            raise
        finally:
            self._spend(step.lane, begun)
        if step.writes:
            self.found_done(step)

    def found_done(self, step: Step) -> None:
        self._done.append(step)
        self._events.done(step)

    def _carry_out(self, step: Step, progress: Progress, who: str) -> None:
        if step.port == "kube" and self._kube is not None:
            self._kube.do(record_to_write(step, self._writes.answers))
        elif step.writes or self._waiting.asked:
            wait = self._waiting.asked or self._last_of_lanes.get(step.lane) is not step
            self._writes.do(step, progress, who, wait)

    def _again(self, step: Step, problem: Taken) -> None:
        """What is there already is found by reading anew, and the step is not planned again. If it is, it stays."""
        asked = canonical([step.verb, step.resource, step.name, step.uid, step.body])
        if asked in self._taken:
            self._events.failed(step, problem)
            raise Invalid(problem.message, "It was looked for and is not the cluster's; see what is in the way.")
        self._taken.add(asked)

    def _learn(self, problem: Unsupported, step: Step, observed: Seen) -> None:
        """The next decision of this run knows (CAPO-3, CAPO-15). Several lanes may learn the same at once; but what
        this decision knew already, and was refused all the same, is refused for good."""
        feature, cloud = problem.details["feature"], observed.observed.cloud
        of_zone = next((one.provider for one in observed.desired.zones if one.zone == step.lane), "")
        asked = of_zone or observed.desired.provider
        names = {problem.details["provider"], asked} - {""} or {cloud.default_provider}
        if not feature or all((name, feature) in cloud.lacking for name in names):
            raise problem
        self._lacking |= {(name, feature) for name in names}
        self._default_provider = asked or problem.details["provider"] or self._default_provider

    def _spend(self, what: str, begun: float) -> None:
        self._spent[what] = self._spent.get(what, 0.0) + self._waiting.clock.now() - begun

    # -- tell ---------------------------------------------------------------------------------------------------------

    def refused(self, decision: Decision) -> None:
        self._events.refused(decision)

    def account(self) -> str:
        return account(self._done, DONE)

    def report(self, last: Decision) -> Result:
        said: Result = {}
        if self._done:
            self._events.missing(last)
            said["message"] = f"{self.account()} {last.message}"
        spent = {what: round(seconds, 3) for what, seconds in sorted(self._spent.items())}
        return {**said, "timings": {"total": round(self._waiting.clock.now() - self._begun, 3), "spent": spent}}


def _network(seen: Seen) -> str:
    """Where the load balancers are, or are to be."""
    subnets = [one.network_id for one in seen.observed.subnets if seen.desired.zones]
    return next(iter([*subnets, *(lb.vip_network_id for lb in seen.observed.load_balancers)]), "")
