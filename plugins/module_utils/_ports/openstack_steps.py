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
from .errors import Conflict, OutcomeUnknown
from .openstack_cloud import Body, Cloud, CloudCall, refused
from .openstack_refusals import CloudAnswer
from .patience import Patience

_AGAIN = "Run again: the plan is made anew from what is there now."
_REFERENCE = "$from"
# A server that has not answered may still be at it, so one that is looked for gets this many looks.
_LOOKS = 3


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
        return answer[wanted["attribute"]]


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
        self._patience = patience or Patience()

    def create(self, call: CloudCall, key: str, landed: Callable[[], Body | None]) -> Body:
        """`landed` looks for what a try whose answer got lost has made."""
        tries = self._patience.start()
        while True:
            answer = self._cloud.send(call)
            if answer.good:
                made: Body = answer.body[key]
                return made
            found = self._look(landed, answer) if answer.unsure else None
            if found is not None:
                return found
            self._again_or_raise(call, answer, tries)

    def change(self, call: CloudCall) -> CloudAnswer:
        """An update or a deletion: sending it twice does what sending it once does. 404 is the caller's to judge."""
        tries = self._patience.start()
        while True:
            answer = self._cloud.send(call)
            if answer.good or answer.status == 404:
                return answer
            self._again_or_raise(call, answer, tries)

    def _look(self, landed: Callable[[], Body | None], answer: CloudAnswer) -> Body | None:
        for _look in range(_LOOKS if answer.status == 0 else 1):
            found = landed()
            if found is not None:
                return found
            self._patience.sleep(self._patience.first_pause * 4)
        return None

    def _again_or_raise(self, call: CloudCall, answer: CloudAnswer, tries: Any) -> None:
        passing = answer.unsure or answer.status == 429
        if passing and tries.pause(answer.wait):
            return
        if answer.unsure:
            what = f"{refused(call, answer).message} Whether `{call}` was carried out is unknown."
            raise OutcomeUnknown(what, "Run again: what is there is read before anything is written.")
        raise refused(call, answer)
