# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the waits are over: an address, somebody behind it, no finalizer left (CLS-4, CLS-5)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.events import moment
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import looks
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.waits import DELETED, Look
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    CLEANUP,
    service,
)

EVENT = {"involvedObject": {"uid": "u1"}, "reason": "Provisioning", "message": "at work"}


@pytest.mark.parametrize(
    ("lb_class", "component", "time", "counts"),
    [
        (CLASS, "edge", "2026-01-01T00:00:09Z", True),
        (CLASS, "edge", "2026-01-01T00:00:08Z", False),
        (CLASS, "edge", None, True),
        (CLASS, "service-controller", "2026-01-01T00:00:10Z", False),
        (None, "service-controller", "2026-01-01T00:00:10Z", True),
        (None, "service-controller", "2026-01-01T00:00:00Z", False),
    ],
)
def test_events_of_the_load_balancer_from_before_are_none_of_the_new_one(
    lb_class: str | None, component: str, time: str | None, counts: bool
) -> None:
    """A flip keeps the uid."""
    event = {**EVENT, "source": {"component": component}, "lastTimestamp": time}
    begun = moment("2026-01-01T00:00:09Z")
    assert begun is not None
    assert looks.concerning([event], lb_class, begun + 0.7) == ([event] if counts else [])


def test_an_address_ends_it() -> None:
    assert looks.taken_up(service(CLASS), [], 0, 120).done


@pytest.mark.parametrize(
    ("lb_class", "waited", "events", "more", "nobody"),
    [
        (CLASS, 121, [], {}, True),
        (CLASS, 119, [], {}, False),
        (CLASS, 121, [EVENT], {}, False),
        (CLASS, 121, [], {"finalizers": [CLEANUP]}, False),
        (None, 121, [], {}, False),
    ],
)
def test_a_class_that_nothing_happens_to_is_nobodys(
    lb_class: str | None, waited: float, events: list[Any], more: dict[str, Any], nobody: bool
) -> None:
    look = looks.taken_up(service(lb_class, "", **more), events, waited, 120)
    assert (look.done, look.failure is looks.UNWATCHED) == (False, nobody)


def test_a_service_that_is_not_there_yet() -> None:
    assert not looks.taken_up(None, [], 500, 120).done


@pytest.mark.parametrize(("endpoints", "done"), [(None, True), (1, True), (0, False)])
def test_somebody_has_to_be_behind_the_second_one(endpoints: int | None, done: bool) -> None:
    assert looks.serves(service(CLASS), [], endpoints, 0, 120).done is done


def test_a_finalizer_is_named_with_who_takes_it_off() -> None:
    found = service(finalizers=[CLEANUP, "example.com/mine"])
    held = looks.holders(found, None, "the cloud")
    assert held == [(CLEANUP, "the cloud")]
    look = looks.let_go(held, Look(False, failure=DELETED, detail="an event"))
    assert f"{CLEANUP}, which the cloud takes off" in look.waiting_for
    assert (look.failure, look.detail) == (DELETED, "an event")
    assert looks.let_go([], Look(False)).done


def test_what_the_cloud_still_has_is_named() -> None:
    cause = looks.left_cause("a123")
    assert (cause.code, "a123" in cause.what, "preflight: skip" in cause.remedy) == ("lb_left_behind", True, True)
