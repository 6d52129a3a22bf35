# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kind `ic_history`: replays what the running operator did, act by act, on the pure model (or on the lab: `twin`).

Two things the recording left to chance: whether the operator had seen the cloud's failure event when it came to rest
(it does not watch events), and whether a part of status that is not recorded (replicas, DNS, Degraded) moved meanwhile
and took a new order of subnets or EIPs along. A history holds if one schedule of those two explains every step of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig, merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    OPERAND_NAMESPACE,
    OPERATOR_NAMESPACE,
    Infra,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.predict import patched
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.reconcile import reconcile, sync_status
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.status import MODIFIED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import Profile, profile_for

from .runner import Mismatch, Vector

# Any domain the recorded IngressControllers are not in: the recording had no DNS zones.
BASE_DOMAIN = "lab.invalid"
CLOUD_FAILURE = "Error syncing load balancer: failed to ensure load balancer: expected to find 1, but found 0 subnets"
_CONDITIONS = (
    "LoadBalancerManaged",
    "LoadBalancerReady",
    "LoadBalancerProgressing",
    "Progressing",
    "Upgradeable",
    "Admitted",
)
_MOST_PASSES = 30


class Refused(Exception):
    """The API server took none of it."""

    def __init__(self, causes: list[str]) -> None:
        super().__init__(", ".join(causes))
        self.causes = sorted(causes)


@dataclass
class World:
    """One cluster as far as a history reaches: an IngressController, its Service, a cloud that works or fails."""

    profile: Profile
    infra: Infra
    ic: dict[str, Any] | None = None
    service: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    cloud_fails: bool = False
    services_made: int = 0

    @staticmethod
    def of(vector: Vector) -> World:
        return World(profile_for(vector["version"]), Infra(vector["platform"], base_domain=BASE_DOMAIN))

    @property
    def exists(self) -> bool:
        return self.ic is not None

    def act(self, step: Vector, name: str) -> None:
        """One act of a user. Raises Refused when the API server would."""
        if step["op"] == "create":
            self._write_ic(
                {
                    "metadata": {"name": name, "namespace": OPERATOR_NAMESPACE, "annotations": step["annotations"]},
                    "spec": step["spec"],
                }
            )
        elif step["op"] == "patch_ic":
            self._write_ic(step["patch"])
        elif step["op"] == "patch_service":
            self.service = merge_patch(self.service, step["patch"])
        elif step["op"] == "delete_service":
            self.service = None
        else:
            self.cloud_fails = step["fails"]

    def _write_ic(self, patch: dict[str, Any]) -> None:
        """As the API server stores it: pruned, defaulted, validated; a new spec is a new generation."""
        stored, causes = patched(self.profile, self.ic or {"metadata": {}}, patch)
        if causes:
            raise Refused([str(cause) for cause in causes])
        self.ic = stored

    def settle(self, event_in_time: bool, status_moves: bool) -> None:
        """Operator and cloud take turns until neither has anything left to do."""
        self._take_turns(event_in_time)
        if status_moves:
            moved = sync_status(self.profile, self.infra, self.ic, self.service, self.events, moved=True)
            if moved.ic_status is not None and self.ic is not None:
                self.ic["status"] = moved.ic_status

    def _take_turns(self, event_in_time: bool) -> None:
        for _pass in range(_MOST_PASSES):
            if event_in_time:
                self._cloud()
            if self._operator():
                continue
            if not self._cloud() or not event_in_time:
                return
        raise AssertionError(f"operator and cloud did not come to rest in {_MOST_PASSES} passes")

    def _operator(self) -> bool:
        outcome = reconcile(self.profile, self.infra, self.ic, self.service, self.events)
        if outcome.delete:
            self.service = None
        if outcome.create is not None:
            self.services_made += 1
            self.service = copy.deepcopy(outcome.create)
            self.service["metadata"]["uid"] = f"uid-{self.services_made}"
        if outcome.update is not None:
            self.service = outcome.update
        if outcome.ic_status is not None and self.ic is not None:
            self.ic["status"] = outcome.ic_status
        return not outcome.rests

    def _cloud(self) -> bool:
        """Publishes an address, or one failure event per Service. Did it do anything?"""
        if self.service is None or dig(self.service, "status", "loadBalancer", "ingress"):
            return False
        if not self.cloud_fails:
            self.service["status"] = {"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}]}}
            return True
        uid = self.service["metadata"]["uid"]
        if any(event["involvedObject"]["uid"] == uid for event in self.events):
            return False
        self.events.append(failure_event(self.service["metadata"]["name"], uid))
        return True

    def shown(self) -> dict[str, Any]:
        """The cluster in the words of a history's `expect`."""
        return shown(self.ic or {}, self.service)


def failure_event(service_name: str, uid: str) -> dict[str, Any]:
    about = {"kind": "Service", "namespace": OPERAND_NAMESPACE, "name": service_name, "uid": uid}
    source = {"component": "service-controller"}
    return {"involvedObject": about, "source": source, "reason": "SyncLoadBalancerFailed", "message": CLOUD_FAILURE}


def shown(ic: dict[str, Any], service: dict[str, Any] | None) -> dict[str, Any]:
    meta, status = ic.get("metadata") or {}, ic.get("status") or {}
    found: dict[str, Any] = {
        "endpointPublishingStrategy": status.get("endpointPublishingStrategy"),
        "conditions": {
            entry["type"]: [entry["status"], entry["reason"], entry["message"]]
            for entry in status.get("conditions", [])
            if entry["type"] in _CONDITIONS
        },
        "frozen": meta.get("generation") != status.get("observedGeneration"),
        "service_absent": service is None,
    }
    return found | service_shown(service) if service is not None else found


def service_shown(service: dict[str, Any]) -> dict[str, Any]:
    spec = service.get("spec") or {}
    return {
        "uid": service["metadata"]["uid"],
        "annotations": dict(service["metadata"].get("annotations") or {}),
        "loadBalancerSourceRanges": list(spec.get("loadBalancerSourceRanges") or []),
        "loadBalancerIP": spec.get("loadBalancerIP") or "",
        "externalTrafficPolicy": spec.get("externalTrafficPolicy") or "",
    }


def _stable(conditions: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Without the printed difference in Upgradeable: the operator's blanks in it change from build to build."""
    return {
        kind: [status, reason, MODIFIED if message.startswith(MODIFIED) else message]
        for kind, (status, reason, message) in conditions.items()
    }


class Expectation:
    """The recorded state, carried from step to step: an absent key is as after the previous step."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"conditions": {}}
        self.last_uid = ""

    def mismatches(self, number: int, expect: Vector, shown: dict[str, Any]) -> list[Mismatch]:
        state = self.state
        carried = (
            "annotations",
            "loadBalancerSourceRanges",
            "loadBalancerIP",
            "externalTrafficPolicy",
            "endpointPublishingStrategy",
        )
        state |= {key: expect[key] for key in carried if key in expect}
        state["conditions"] = {**state["conditions"], **expect.get("conditions", {})}
        absent = expect.get("service_absent", False)
        wanted = {
            "frozen": expect.get("frozen", False),
            "service_absent": absent,
            "recreated": expect["recreated"],
            **state,
        }
        if absent:
            wanted = {key: value for key, value in wanted.items() if key not in carried[:4]}
        uid = shown.get("uid", "")
        got = {**shown, "recreated": bool(self.last_uid and uid and uid != self.last_uid)}
        self.last_uid = uid or self.last_uid
        wanted["conditions"], got["conditions"] = _stable(wanted["conditions"]), _stable(got["conditions"])
        return [
            Mismatch(f"step {number} {key}", value, got.get(key))
            for key, value in wanted.items()
            if got.get(key) != value
        ]


class Replayed(Protocol):
    """What a history is replayed on: the pure model here, the lab's servers in `twin`."""

    @property
    def cloud_fails(self) -> bool: ...

    @property
    def exists(self) -> bool: ...

    def act(self, step: Vector, name: str) -> None: ...

    def settle(self, event_in_time: bool, status_moves: bool) -> None: ...

    def shown(self) -> dict[str, Any]: ...


Start = Callable[[Vector], Replayed]
Schedule = tuple[bool, bool]  # event_in_time, status_moves
Failure = tuple[int, list[Mismatch]]  # how far it got


class Run:
    """One way through a history, step by step."""

    def __init__(self, vector: Vector, start: Start, way: Sequence[Schedule] = ()) -> None:
        self._vector, self._start = vector, start
        self._world, self._expectation = start(vector), Expectation()
        self.way: tuple[Schedule, ...] = ()
        for schedule in way:
            self.perform(schedule)

    def again(self, way: Sequence[Schedule]) -> Run:
        """The same history on a new world, that way."""
        return Run(self._vector, self._start, way)

    @property
    def over(self) -> bool:
        return len(self.way) == len(self._vector["steps"])

    def schedules(self) -> list[tuple[Schedule, ...]]:
        """What may have happened in the next step, most likely first. Without a failing cloud no event can be late."""
        return [
            ((in_time, False), (in_time, True)) for in_time in ((True, False) if self._world.cloud_fails else (True,))
        ]

    def perform(self, schedule: Schedule) -> list[Mismatch]:
        """The next step; what is not as recorded."""
        number, step = len(self.way), self._vector["steps"][len(self.way)]
        self.way = (*self.way, schedule)
        rejected: list[str] | None = None
        try:
            self._world.act(step, self._vector["ic_name"])
        except Refused as refusal:
            rejected = refusal.causes
        expect = step["expect"]
        if rejected != (sorted(expect["rejected"]) if "rejected" in expect else None):
            return [Mismatch(f"step {number} rejected", expect.get("rejected"), rejected)]
        if not self._world.exists:
            return []
        if step["op"] != "cloud" or not self._world.cloud_fails:  # a cloud that starts to fail wakes nobody
            self._world.settle(*schedule)
        return self._expectation.mismatches(number, expect, self._world.shown())


def replay(vector: Vector, start: Start = World.of) -> list[Mismatch]:
    """The mismatches of the schedule that gets furthest; empty when one explains the whole history."""
    failure = _failure(Run(vector, start))
    return failure[1] if failure else []


def _failure(run: Run) -> Failure | None:
    """None when some schedule explains the rest of the history."""
    if run.over:
        return None
    way = run.way
    failures: list[Failure] = []
    for schedules in run.schedules():
        for schedule in schedules:
            attempt = run.again(way) if failures else run
            wrong = attempt.perform(schedule)
            if wrong:
                failures.append((len(attempt.way), wrong))
                continue
            later = _failure(attempt)
            if later is None:
                return None
            failures.append(later)
            break  # a moving status adds nothing to a step that is explained
    return max(failures, key=lambda failure: (failure[0], -len(failure[1])))
