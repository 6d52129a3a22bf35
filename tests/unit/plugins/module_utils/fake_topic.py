# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic without a server: a thing with a number that is to become another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Disruption,
    Finding,
    Question,
    Severity,
    Step,
    Target,
    Verdict,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._engine import Progress, Topic, run
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import attempts
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import (
    LockLost,
    PortError,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._results import Failed, Gate, Result

TARGET = Target("Thing", "t")
Decide = Callable[["World"], "Decision | Question"]


@dataclass(frozen=True)
class World:
    """A thing with a number that is to become another."""

    value: int = 0
    asked: bool = False


@dataclass(frozen=True)
class HowManyQuestion(Question):
    pass


def write(value: int, **more: Any) -> Step:
    return Step("kube", "patch", "things", "t", body={"value": value}, why="it should be", **more)


def sync(message: str = "as wanted", **more: Any) -> Decision:
    return Decision(TARGET, Verdict.IN_SYNC, message, **more)


def towards(wanted: int, **more: Any) -> Decide:
    """Writes until the world has the value."""

    def decide(world: World) -> Decision:
        before = {"value": world.value}
        if world.value == wanted:
            return sync(before=before, standing={"now": world.value})
        step = write(wanted, disruption=more.get("disruption", Disruption.NONE))
        return Decision(
            TARGET,
            Verdict.UPDATE_IN_PLACE,
            "to do",
            steps=(step,),
            before=before,
            standing={"now": world.value},
            **more,
        )

    return decide


@dataclass
class Key:
    """A lock that others may have, or take."""

    problem: PortError | None = None
    lost_after: int = 99
    log: list[str] = field(default_factory=list)

    def acquire(self) -> None:
        self.log.append("acquire")
        if self.problem is not None:
            raise self.problem

    def hold(self, firmly: bool = False) -> None:
        self.log.append("hold firmly" if firmly else "hold")
        if sum(entry.startswith("hold") for entry in self.log) > self.lost_after:
            raise LockLost("It is lost.")

    def release(self) -> None:
        self.log.append("release")


@dataclass
class Fake(Topic[World]):
    """`problems`: raised by the next writes, before or after the world takes them. `loses`: their answers get lost."""

    decider: Decide
    problems: list[Exception | None] = field(default_factory=list)
    lands: bool = True
    loses: bool = False
    settles: bool = False
    world: World = field(default_factory=World)
    log: list[str] = field(default_factory=list)
    meddle: Callable[[World], World] = lambda world: world
    key: Key = field(default_factory=Key)
    claims: list[World] = field(default_factory=list)
    lacks: tuple[Finding, ...] = ()
    done: str = ""

    def read(self, knowing: World | None = None) -> World:
        self.log.append("read" if knowing is None else "read again")
        return replace(self.world, asked=bool(knowing and knowing.asked))

    def decide(self, observed: World) -> Decision | Question:
        return self.decider(observed)

    def ask(self, question: Question, observed: World) -> World:
        self.log.append("ask")
        return replace(observed, asked=True)

    def lock(self) -> Key:
        return self.key

    def confirm(self, observed: World) -> World:
        return self.claims.pop() if self.claims else observed

    def begin(self, decision: Decision, observed: World) -> None:
        self.log.append("begin")

    def account(self) -> str:
        return self.done

    def recheck(self, step: Step, decision: Decision, observed: World) -> Step:
        self.log.append("recheck")
        return step

    def do(self, step: Step, observed: World, progress: Progress) -> None:
        self.log.append(f"{step.verb} {step.body['value']}" if step.body else step.verb)
        progress(f"doing {step.verb}")
        problem = self.problems.pop(0) if self.problems else None
        if problem is None or self.lands:
            self.world = self.meddle(replace(self.world, value=step.body["value"])) if step.body else self.world
        if problem is not None:
            if self.loses:
                attempts.lose()
            raise problem

    def found_done(self, step: Step) -> None:
        self.log.append("found done")

    def missing(self, last: Decision, observed: World) -> tuple[Finding, ...]:
        return self.lacks

    def left_behind(self, owed: Sequence[Step]) -> tuple[Finding, ...]:
        told = Finding(
            "left_armed", Severity.WARNING, str(TARGET), "It is armed.", "Take it away: disarm t", "disarm t"
        )
        return (told,) if owed else ()

    def refused(self, decision: Decision) -> None:
        self.log.append("refused")

    def report(self, last: Decision) -> Result:
        return {"reported": last.message}


def perform(topic: Fake, gate: Gate | None = None) -> Result:
    return run(topic, gate or Gate(allowed=Disruption.OUTAGE), lambda _text: None)


def failure(topic: Fake, gate: Gate | None = None) -> Failed:
    with pytest.raises(Failed) as caught:
        perform(topic, gate)
    return caught.value
