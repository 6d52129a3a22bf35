# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of both OpenStack ports have in common: references, preconditions, and answers that got lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from .._core.data import Json, plain
from .._core.model import Step
from . import attempts
from .errors import Conflict, OutcomeUnknown, PortError, Unreachable, Unreadable
from .openstack_cloud import Body, Cloud, CloudCall, refused
from .openstack_refusals import CloudAnswer
from .patience import Patience, Tries

_AGAIN = "Run again: the plan is made anew from what is there now."
_REFERENCE = "$from"
# A server that has not answered may still be at it, so one that is looked for gets this many looks.
_LOOKS = 3
_FOR_THE_WRITE = 2 / 3  # of the time that is left
Landed = Callable[[Tries], "Body | None"]


class Answers:
    """What create steps answered with, for the steps after them. Lanes share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], Body] = {}

    def keep(self, step: Step, answer: Body) -> None:
        with self._lock:
            self._found[step.resource, step.name] = answer

    def resolve(self, value: Json) -> Any:
        """Plain data with every reference replaced by what it stands for."""
        return self._resolved(plain(value))

    def _resolved(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if _REFERENCE in value:
                return self._attribute(value[_REFERENCE])
            return {key: self._resolved(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._resolved(item) for item in value]
        return value

    def _attribute(self, wanted: Mapping[str, str]) -> Any:
        with self._lock:
            answer = self._found.get((wanted["resource"], wanted["name"]))
        if answer is None:
            raise Conflict(f"{wanted['resource']} {wanted['name']} has not been made in this run.", _AGAIN)
        return answer.get(wanted["attribute"])


def expect(step: Step, have: Body | None) -> None:
    """The state a step was planned for must still be there (CORE-6)."""
    if have is None:
        raise Conflict(f"{step.ref} is gone.", _AGAIN)
    planned = plain(step.expect) or {}
    for key, value in planned.items():
        if _comparable(have.get(key)) != _comparable(value):
            what = f"{step.ref} is not as it was when this step was planned: {key} is {have.get(key)!r}, not {value!r}."
            raise Conflict(what, _AGAIN)


def _comparable(value: Any) -> Any:
    """Neither order nor null against empty makes a difference: Octavia reads [] back as null."""
    if isinstance(value, (list, tuple)):
        return sorted(value) or None
    return None if value == "" else value


class Writer:
    """Sends writes so that a lost answer neither doubles nor loses one."""

    def __init__(self, cloud: Cloud, patience: Patience | None = None) -> None:
        self._cloud = cloud
        self._patience = patience or cloud.patience

    def create(self, call: CloudCall, key: str, landed: Landed) -> Body:
        """`landed` looks for what a try whose answer got lost has made."""
        tries = self._patience.start()
        while True:
            # Time is kept for a look: a server that took the request and never answers may have carried it out.
            answer = self._cloud.send(call, self._patience.start(tries.left * _FOR_THE_WRITE))
            strange: Unreadable | None = None
            if answer.good:
                try:
                    made: Body = self._cloud.told(call, key, answer)
                    return made
                except Unreadable as problem:
                    strange = problem
            if answer.unsure or strange:
                attempts.lose()
            found = self._look(landed, call, answer, tries) if answer.unsure or strange else None
            if found is not None:
                return found
            if strange is not None:
                raise _unknown(call, strange)
            self._again_or_raise(call, answer, tries)

    def change(self, call: CloudCall) -> CloudAnswer:
        """An update or a deletion: sending it twice does what sending it once does. 404 is the caller's to judge."""
        tries = self._patience.start()
        while True:
            answer = self._cloud.send(call, tries)
            if answer.good:
                self._see_that_it_was_heard(call, answer)
                return answer
            if answer.status == 404:
                return answer
            if answer.unsure:
                attempts.lose()
            self._again_or_raise(call, answer, tries)

    def _see_that_it_was_heard(self, call: CloudCall, answer: CloudAnswer) -> None:
        """Anything may answer 200: only the service itself says what it has changed, or nothing at all."""
        try:
            if call.answered_with:
                self._cloud.told(call, call.answered_with, answer)
            elif answer.text.strip():
                raise self._cloud.strange(call, answer, "nothing is to come back")
        except Unreadable as problem:
            attempts.lose()
            raise _unknown(call, problem) from problem

    def _look(self, landed: Landed, call: CloudCall, answer: CloudAnswer, tries: Tries) -> Body | None:
        for _look in range(_LOOKS if answer.status == 0 else 1):
            try:
                found = landed(tries)
            except Unreachable as problem:
                raise _unknown(call, problem) from problem
            if found is not None:
                return found
            self._patience.sleep(min(self._patience.first_pause * 4, max(tries.left, 0)))
        return None

    def _again_or_raise(self, call: CloudCall, answer: CloudAnswer, tries: Tries) -> None:
        passing = answer.unsure or answer.status == 429
        if passing and tries.pause(answer.wait):
            return
        problem = refused(call, answer, tries)
        raise _unknown(call, problem) if answer.unsure else problem


def _unknown(call: CloudCall, problem: PortError) -> OutcomeUnknown:
    what = f"{problem.message} Whether `{call}` was carried out is unknown."
    return OutcomeUnknown(what, "Run again: what is there is read before anything is written.")
