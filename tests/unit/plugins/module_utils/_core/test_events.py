# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest trouble of a Service, told from what is over and from what another Service had (SUB-10, SCO-8)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.events import moment, since, trouble

NOON = 1_763_294_400.0  # 2025-11-16T12:00:00Z
SAME_AZ = "ELB cannot be attached to multiple subnets in the same AZ."


def event(message: str, second: int = 0, reason: str = "SyncLoadBalancerFailed", uid: str = "u1") -> dict[str, Any]:
    at = f"2025-11-16T12:00:{second:02d}Z"
    return {"reason": reason, "message": message, "involvedObject": {"uid": uid}, "lastTimestamp": at}


MADE = event("Ensured load balancer", 9, "EnsuredLoadBalancer")


@pytest.mark.parametrize(
    ("events", "text"),
    [
        pytest.param([], None, id="silence"),
        pytest.param([event("a")], "a", id="one"),
        pytest.param([event("b", 5), event("a", 1)], "b", id="the newest, in whatever order"),
        pytest.param([event("a", 3, uid="old")], None, id="another Service of that name"),
        pytest.param([event("a", 3), MADE], None, id="over"),
        pytest.param([MADE, event("a", 12)], "a", id="made, and then refused"),
        pytest.param([event("Ensuring", 1, "EnsuringLoadBalancer")], None, id="no trouble"),
        pytest.param([event("failed to delete load balancer: x", 3)], None, id="trouble with its removal"),
    ],
)
def test_the_newest_trouble_of_this_very_service(events: list[dict[str, Any]], text: str | None) -> None:
    found = trouble(events, "u1")
    assert (found.text if found else None) == text


def test_the_trouble_of_a_removal_is_another() -> None:
    events = [event("failed to ensure load balancer: x", 9), event("failed to delete load balancer: y", 3), MADE]
    found = trouble(events, "u1", removal=True)
    assert found is not None
    assert found.text == "failed to delete load balancer: y"


def test_of_two_in_one_second_the_one_that_was_written_later() -> None:
    one, two = event("a"), event("b")
    one["metadata"], two["metadata"] = {"resourceVersion": "12"}, {"resourceVersion": "9"}
    found = trouble([one, two], "u1")
    assert found is not None
    assert (found.text, found.at) == ("a", NOON)


def test_its_cause_and_age_are_told() -> None:
    found = trouble([event(SAME_AZ)], "u1")
    assert found is not None
    assert found.cause.code == "subnets_same_az"
    assert found.quoted(NOON + 200) == f"{SAME_AZ} (3 min ago)"
    assert found.quoted(None) == SAME_AZ


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2025-11-16T12:00:00Z", NOON),
        ("2025-11-16T12:00:00.500000Z", NOON + 0.5),
        ("2025-11-16T14:00:00+02:00", NOON),
        ("2025-11-16T12:00:00", NOON),
        ("now", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_times_as_the_api_writes_them(text: Any, seconds: float | None) -> None:
    assert moment(text) == seconds


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (200_000, "2 days"), (-5, "0 s")],
)
def test_how_long_ago_in_words(seconds: float, words: str) -> None:
    assert since(NOON, NOON + seconds) == words


def test_an_event_without_a_time_has_no_age() -> None:
    assert (since(None, NOON), since(NOON, None)) == ("", "")
    (bare,) = [dict(event("a"))]
    del bare["lastTimestamp"]
    assert getattr(trouble([bare], "u1"), "at", 0) is None
