# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in memory, for readers and topics: `_ports.reading.Cluster` over plain objects, and writes as steps."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig, merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.effectuate import IC_RESOURCE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Step
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Clock
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Forbidden, NoSuchApi
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube import Kube
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.reading import Object, Objects
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Result
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS, perform
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._waiting import WaitOptions

INFRASTRUCTURES, VERSIONS = "infrastructures.config.openshift.io", "clusterversions.config.openshift.io"


@dataclass
class MemoryCluster:
    """`requests`: every get and list as it was made. `done`: every step that was carried out."""

    objects: dict[tuple[str, str, str], Object] = field(default_factory=dict)
    unserved: tuple[str, ...] = ()  # resources whose API this cluster does not have
    host: str = "https://memory.example.com"
    requests: list[str] = field(default_factory=list)
    done: list[Step] = field(default_factory=list)
    problems: list[Exception] = field(default_factory=list)  # raised by the next writes, before they are made
    closed: bool = False
    sent: tuple[str, ...] = ()  # secrets
    forbidden: set[tuple[str, str]] = field(default_factory=set)  # (verb, resource)

    def secrets(self) -> tuple[str, ...]:
        return self.sent

    def put(self, resource: str, obj: Mapping[str, Any]) -> None:
        meta = obj["metadata"]
        self.objects[resource, meta.get("namespace", ""), meta["name"]] = plain(obj)

    def within(self, _seconds: float) -> AbstractContextManager[None]:
        return nullcontext()

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        self._asked(resource, f"get {resource} {namespace}/{name}")
        return copy.deepcopy(self.objects.get((resource, namespace, name)))

    def list(
        self, resource: str, namespace: str | None = None, *, label_selector: str = "", field_selector: str = ""
    ) -> Objects:
        self._asked(resource, f"list {resource} {namespace or '*'} {label_selector}{field_selector}".rstrip())
        if ("list", resource) in self.forbidden:
            raise Forbidden(f"No permission to list {resource}.")
        wanted = [part.partition("=") for part in field_selector.split(",") if part]
        return [
            copy.deepcopy(obj)
            for (kind, place, _name), obj in self.objects.items()
            if kind == resource and namespace in (None, place)
            if all(dig(obj, *path.split(".")) == value for path, _sign, value in wanted)
        ]

    def _asked(self, resource: str, request: str) -> None:
        self.requests.append(request)
        if resource in self.unserved:
            raise NoSuchApi(f"{self.host} does not serve {resource}.")

    def do(self, step: Step) -> Object | None:
        """As `Kube.do`, without its preconditions."""
        if self.problems:
            raise self.problems.pop(0)
        self.done.append(step)
        place = (step.resource, step.namespace, step.name)
        if step.verb == "delete":
            self.objects.pop(place, None)
        elif step.verb == "patch":
            self.objects[place] = merge_patch(self.objects[place], step.body)
        else:
            self.objects[place] = plain(step.body)
        return self.objects.get(place)

    def rehearse(self, resource: str, body: Mapping[str, Any]) -> Object:
        """As `Kube.rehearse`, on a server that keeps everything."""
        meta = body["metadata"]
        self._asked(resource, f"rehearse {resource} {meta['namespace']}/{meta['name']}")
        if self.problems:
            raise self.problems.pop(0)
        made: Object = plain(body)
        return made

    def now(self) -> float:
        return 1_700_000_000.0

    def may(self, verb: str, resource: str, namespace: str, name: str = "") -> bool:
        return (verb, resource) not in self.forbidden

    def close(self) -> None:
        self.closed = True


def platform_objects(platform: str = "AWS", version: str = "4.22.3", **detail: Any) -> MemoryCluster:
    """A cluster that says what it is, and has nothing else."""
    made = MemoryCluster()
    status = {"infrastructureName": "prod-x1", "platformStatus": {"type": platform, platform.lower(): detail}}
    made.put(INFRASTRUCTURES, {"metadata": {"name": "cluster"}, "status": status})
    history = [{"version": version, "state": "Completed"}]
    rollout = {"desired": {"version": version}, "history": history}
    made.put(VERSIONS, {"metadata": {"name": "version"}, "status": rollout})
    return made


def holding(observed: Observed) -> MemoryCluster:
    """The cluster in which this would be observed."""
    made = platform_objects(observed.infra.platform, observed.profile.version)
    if observed.ic is not None:
        made.put(IC_RESOURCE, observed.ic)
    if observed.service is not None:
        made.put("services", observed.service)
    return made


class MemoryClock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.pauses: list[float] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.seconds += seconds

    def clock(self) -> Clock:
        return Clock(self.now, self.sleep)


def waiting(asked: bool = True, timeout: float = 60.0, sleep: float = 5.0) -> WaitOptions:
    """wait, wait_timeout and wait_sleep, on a clock of their own."""
    return WaitOptions(asked, timeout, sleep, MemoryClock().clock())


def options(name: str, **given: Any) -> dict[str, Any]:
    """The options of a task as its module gets them: checked, with defaults, AWS left alone unless said otherwise."""
    spec = TASKS[name].spec()
    asked = {"preflight": "skip", **given} if "preflight" in spec else given
    checked = ArgumentSpecValidator(dict(spec), **TASKS[name].constraints).validate(asked)
    assert not checked.error_messages, checked.error_messages
    return dict(checked.validated_parameters)


def perform_on(cluster: MemoryCluster, name: str, check_mode: bool = True, **given: Any) -> Result:
    """A whole task on a cluster in memory."""
    with patch.object(Kube, "connect", return_value=cluster):
        return perform(name, options(name, **given), check_mode, lambda _text: None, MemoryClock().clock())
