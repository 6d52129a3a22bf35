# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that cannot be meant: all problems at once, each with field, value, rule and remedy (CLS-2, CORE-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import options as rules
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class.state import WantedClass
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils.memory import options

FRONT = {"namespace": "shop", "name": "front"}
GOOD: dict[str, Any] = {"service": FRONT, "lb_class": "example.com/edge"}
MOVED = {"way": "side_by_side", "traffic_moved": True, "traffic_moved_because": "seen"}


def problems(**given: Any) -> list[str]:
    found = rules.problems(options("service_lb_class", **{**GOOD, **given}))
    assert all(finding.remedy and finding.what for finding in found)
    return [finding.where for finding in found]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"lb_class": None, "state": "absent"},
        {"lb_class": None, "state": "absent", "allow_unwatched": "none"},
        {"known_classes": {"example.com/edge": "us"}},
        {"allow_unwatched": "example.com/edge"},
        MOVED,
    ],
)
def test_what_can_be_meant(given: dict[str, Any]) -> None:
    assert problems(**given) == []


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"lb_class": ""}, ["lb_class"]),
        ({"lb_class": "Bad/LoadBalancerClass"}, ["lb_class"]),
        ({"lb_class": None}, ["lb_class"]),
        ({"state": "absent"}, ["lb_class"]),
        ({"known_classes": {"a/b/c": ""}}, ["known_classes", "known_classes"]),
        ({"allow_unwatched": "example.com/other"}, ["allow_unwatched"]),
        ({"suffix": "-X"}, ["suffix"]),
        ({"suffix": "x" * 60, "way": "side_by_side"}, ["suffix"]),
        ({**MOVED, "traffic_moved_because": " "}, ["traffic_moved_because"]),
        ({**MOVED, "traffic_moved": False}, ["traffic_moved_because"]),
        ({**MOVED, "way": "recreate"}, ["traffic_moved"]),
        ({"unwatched_after": 0}, ["unwatched_after"]),
        ({"service": {"namespace": "", "name": "front"}, "wait_sleep": 0}, ["service.namespace", "wait_sleep"]),
    ],
)
def test_what_cannot(given: dict[str, Any], where: list[str]) -> None:
    assert problems(**given) == where


def test_everything_at_once() -> None:
    found = problems(lb_class="-", known_classes={"/": "x"}, suffix="", traffic_moved=True, unwatched_after=0)
    assert found == [
        "lb_class",
        "known_classes",
        "suffix",
        "traffic_moved_because",
        "traffic_moved",
        "unwatched_after",
    ]


def test_what_is_wanted() -> None:
    given = options("service_lb_class", **GOOD, **MOVED, known_classes={"a": "b"})
    expected = WantedClass("example.com/edge", "side_by_side", "next", "seen", {"a": "b"})
    assert rules.wanted(given) == expected
    assert rules.wanted(options("service_lb_class", service=FRONT, state="absent")).lb_class is None
