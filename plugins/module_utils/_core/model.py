# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of the house as values: target, finding, step, decision, plan (CORE-2, CORE-8).

A decision says what has to happen to one target; a plan is the decisions of many. Both are plain
frozen data: renderers, modules, journals and fingerprints all read the same value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .data import Json, canonical, fixed, plain

_Value = TypeVar("_Value")


class Verdict(str, Enum):
    """What a target needs."""

    IN_SYNC = "in_sync"
    ADOPT = "adopt"
    UPDATE_IN_PLACE = "update_in_place"
    RECREATE = "recreate"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    INVALID = "invalid"


class Disruption(str, Enum):
    """What users of the load balancer notice, from nothing to minutes of outage with new addresses."""

    NONE = "none"
    BRIEF = "brief"
    OUTAGE = "outage"

    @property
    def rank(self) -> int:
        return _DISRUPTION_RANK[self]

    def covers(self, other: Disruption) -> bool:
        """Does an allowance of this level permit a step of the other?"""
        return self.rank >= other.rank

    @staticmethod
    def worst(levels: Iterable[Disruption]) -> Disruption:
        return max(levels, key=lambda level: level.rank, default=Disruption.NONE)


_DISRUPTION_RANK = {Disruption.NONE: 0, Disruption.BRIEF: 1, Disruption.OUTAGE: 2}


class Severity(str, Enum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Target:
    """One thing that bears load balancers. `cluster` is the inventory's name for the cluster."""

    kind: str
    name: str
    namespace: str = ""
    cluster: str = ""

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place}"


@dataclass(frozen=True)
class Finding:
    """A coded remark: where, what was found against which rule, and what to do (CORE-7)."""

    code: str
    severity: Severity
    where: str
    what: str
    remedy: str = ""
    value: Json = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", fixed(self.value))

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} {self.remedy}".rstrip()


@dataclass(frozen=True)
class Pending:
    """A change that is asked for but not in force until the load balancer is recreated."""

    field: str
    have: Json
    want: Json
    # Was it asked for by this run? Anything else that recreation would bring along is foreign to it (CORE-3).
    asked: bool = True
    # Set by somebody long before this run and never effectuated (SCO-5).
    latent: bool = False
    message: str = ""  # the operator's own words, where it has any (SUB-5)

    def __post_init__(self) -> None:
        object.__setattr__(self, "have", fixed(self.have))
        object.__setattr__(self, "want", fixed(self.want))


@dataclass(frozen=True)
class Wait:
    """What ends a wait; what the old one was is told so that it is not taken for the new one."""

    # admitted, mirrored, replaced, recreated, served, readdressed, ready, gone, settled: a function of `waits` each
    until: str
    old_uid: str = ""
    old_addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One write, or one wait, with the state it was planned for. Ports carry it out; the core only says it."""

    port: str  # kube, octavia, neutron
    verb: str  # create, patch, replace, delete, update, wait
    resource: str  # services, ingresscontrollers.operator.openshift.io, load_balancer, …
    name: str
    namespace: str = ""
    body: Json = None
    why: str = ""
    disruption: Disruption = Disruption.NONE
    # Preconditions: the object this step was planned for.
    uid: str = ""
    resource_version: str = ""
    expect: Json = None  # a piece of the object that must be there, read back by the port before the write
    locks: Json = None  # octavia: the load balancer (its id, or a reference) that is immutable while this is done
    wait_for: Wait | None = None
    # Steps of a lane run in order, lanes of a phase side by side, a phase after the one before it.
    lane: str = ""
    phase: int = 0
    undo: tuple[Step, ...] = ()
    point_of_no_return: bool = False
    always: bool = False  # tidies up: carried out also when a step before it failed

    def __post_init__(self) -> None:
        for name in ("body", "expect", "locks"):
            object.__setattr__(self, name, fixed(getattr(self, name)))

    @property
    def ref(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.resource} {place}"

    @property
    def writes(self) -> bool:
        return self.verb != "wait"


@dataclass(frozen=True)
class Question:
    """What has to be asked before a decision can be made; each topic that asks has a kind of its own."""


@dataclass(frozen=True)
class Decision:
    """desired + observed → this."""

    target: Target
    verdict: Verdict
    message: str
    disruption: Disruption = Disruption.NONE
    findings: tuple[Finding, ...] = ()  # of the moment: found again, or not, when it is looked at again
    effects: tuple[Finding, ...] = ()  # what the steps do besides what was asked for: true before and after them
    pending: tuple[Pending, ...] = ()
    steps: tuple[Step, ...] = ()
    # Decided on once these steps are done, and what that will cost: it is asked for now (CORE-3).
    more_stages: bool = False
    later: Disruption = Disruption.NONE
    revert_patch: Json = None
    revert_disruption: Disruption = Disruption.NONE  # what it costs until the former state is in force again
    commands: tuple[str, ...] = ()
    before: Json = None
    after: Json = None
    profile: str = ""
    # For people only: nothing reads these two back. `details` belongs to the plan, `standing` to the moment.
    details: Json = None
    standing: Json = None

    def __post_init__(self) -> None:
        for name in ("revert_patch", "before", "after", "details", "standing"):
            object.__setattr__(self, name, fixed(getattr(self, name)))

    @property
    def undo(self) -> tuple[Step, ...]:
        """What takes the steps back, last step first, as far as the last point of no return."""
        final = max((number for number, step in enumerate(self.steps, 1) if step.point_of_no_return), default=0)
        return tuple(step for done in reversed(self.steps[final:]) for step in done.undo)

    @property
    def changed(self) -> bool:
        """Would carrying this out write anything? A wait is not a write."""
        return any(step.writes for step in self.steps)

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """All findings, each once."""
        found = {(entry.code, entry.where, entry.what): entry for entry in (*self.findings, *self.effects)}
        return tuple(found.values())

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)

    @property
    def fingerprint(self) -> str:
        return _digest(_reviewed(self))

    def with_findings(self, *more: Finding) -> Decision:
        return replace(self, findings=self.findings + more)


@dataclass(frozen=True)
class Plan:
    """The decisions of an estate in a stable order: same input, same plan, byte for byte (CORE-1)."""

    decisions: tuple[Decision, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.decisions, key=_order)
        object.__setattr__(self, "decisions", tuple(ordered))

    @property
    def fingerprint(self) -> str:
        return _digest([_reviewed(decision) for decision in self.decisions])

    @property
    def disruption(self) -> Disruption:
        return Disruption.worst(decision.disruption for decision in self.decisions)

    def counts(self) -> dict[str, int]:
        """Decisions by verdict, every verdict named."""
        tally = {verdict.value: 0 for verdict in Verdict}
        for decision in self.decisions:
            tally[decision.verdict.value] += 1
        return tally


def _order(decision: Decision) -> tuple[str, str, str, str]:
    target = decision.target
    return (target.cluster, target.kind, target.namespace, target.name)


def as_data(value: Any) -> Json:
    """A value of this file as plain JSON data. Undo of a decision is derived and comes along."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return [as_data(item) for item in value]
    if not is_dataclass(value):
        return plain(value)
    data = {entry.name: as_data(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, Decision):
        data["undo"] = as_data(value.undo)
    return data


def from_data(kind: type[_Value], data: Mapping[str, Any]) -> _Value:
    """The value that `as_data` made this of. What is not there has its default: journals outlive releases."""
    hints = get_type_hints(kind)
    known = {entry.name: hints[entry.name] for entry in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: _read(known[name], item) for name, item in data.items() if name in known})


def _read(kind: Any, item: Any) -> Any:
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], one) for one in item)
    if get_origin(kind) in (Union, UnionType):
        return None if item is None else _read(get_args(kind)[0], item)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(item)
    return from_data(kind, item) if isinstance(kind, type) and is_dataclass(kind) else item


# What a reviewer approves: what is done to which object and what it costs. Remarks may come and go with who looks, and
# waits with when.
_REVIEWED = ("target", "verdict", "disruption", "pending", "steps")


def _reviewed(decision: Decision) -> Json:
    data = as_data(replace(decision, steps=tuple(step for step in decision.steps if step.writes)))
    return _unversioned({key: data[key] for key in _REVIEWED})


def _unversioned(data: Json) -> Json:
    """Without resourceVersions, which move with every status write."""
    if isinstance(data, dict):
        moving = ("resource_version", "resourceVersion")
        return {key: _unversioned(item) for key, item in data.items() if key not in moving}
    if isinstance(data, list):
        return [_unversioned(item) for item in data]
    return data


def _digest(data: Json) -> str:
    return hashlib.sha256(canonical(data).encode()).hexdigest()
