# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds a lock, and whether that one is still alive (CORE-11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import (
    Holder,
    busy,
    holder_of,
    lock_name,
    micro_time,
    seconds_of,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Target

NOW = 1_800_000_000.25


def lease(age: float = 5.0, **spec: Any) -> dict[str, Any]:
    then = micro_time(NOW - age)
    whole = {"holderIdentity": "ann", "leaseDurationSeconds": 60, "acquireTime": then, "renewTime": then, **spec}
    return {"spec": {key: value for key, value in whole.items() if value is not None}}


def test_times_are_the_apis_own() -> None:
    assert micro_time(NOW) == "2027-01-15T08:00:00.250000Z"
    assert seconds_of(micro_time(NOW)) == NOW
    assert [seconds_of(text) for text in (None, "", "yesterday", 7)] == [None] * 4


def test_one_lease_per_target_beside_it() -> None:
    assert lock_name(Target("IngressController", "default", "ns")) == "lb-estate-ingresscontroller-default"
    assert lock_name(Target("Service", "default", "ns")) != lock_name(Target("IngressController", "default", "ns"))


@pytest.mark.parametrize("nobody", [None, {}, {"spec": {}}, lease(holderIdentity=""), lease(holderIdentity=None)])
def test_a_lease_without_a_holder_holds_nothing(nobody: Any) -> None:
    assert holder_of(nobody, NOW) is None


@pytest.mark.parametrize(
    ("found", "gone", "alive"),
    [
        pytest.param(lease(5), False, True, id="heard of a moment ago"),
        pytest.param(lease(60), False, True, id="on the last second"),
        pytest.param(lease(61), False, False, id="expired"),
        pytest.param(lease(-30), False, True, id="a clock that is ahead"),
        pytest.param(lease(5), True, False, id="its process has ended"),
        pytest.param(lease(5, renewTime=None), False, False, id="no time at all"),
        pytest.param(lease(5, renewTime="soon"), False, False, id="a time that is none"),
        pytest.param(lease(5, leaseDurationSeconds="x"), False, False, id="a length that is none"),
    ],
)
def test_a_live_holder_is_told_from_a_dead_one(found: Any, gone: bool, alive: bool) -> None:
    holder = holder_of(found, NOW, gone)
    assert holder is not None
    assert holder.alive is alive
    assert bool(busy(holder, "Thing t")) is alive


def test_the_second_run_is_told_who_and_since_when() -> None:
    (finding,) = busy(Holder("ann on far", "2027-01-15T07:59:55.250000Z", 5.0, 60), "Thing t")
    assert (finding.code, finding.severity.value, finding.value) == ("locked", "error", "ann on far")
    assert "ann on far since 2027-01-15T07:59:55.250000Z, last sign of life 5 s ago" in finding.what
    assert busy(None, "Thing t") == ()


THEN_NOW = 1_767_225_600.0
GOOD: dict[str, Any] = {
    "holderIdentity": "somebody",
    "leaseDurationSeconds": 60,
    "acquireTime": micro_time(THEN_NOW - 100),
    "renewTime": micro_time(THEN_NOW - 10),
}
OVER: dict[str, dict[str, Any]] = {
    "expired": {"renewTime": micro_time(THEN_NOW - 61)},
    "nobody in it": {"holderIdentity": ""},
    "no times": {"renewTime": None, "acquireTime": None},
    "a time that is none": {"renewTime": "yesterday"},
    "a time of another kind": {"renewTime": 7},
    "a length of another kind": {"leaseDurationSeconds": "x"},
    "a negative length": {"leaseDurationSeconds": -5},
    "a length of decades": {"leaseDurationSeconds": 2**31 - 1, "renewTime": micro_time(THEN_NOW - 61)},
}


@pytest.mark.parametrize("case", OVER)
def test_what_keeps_nobody_out(case: str) -> None:
    assert busy(holder_of({"spec": {**GOOD, **OVER[case]}}, THEN_NOW), "here") == ()


@pytest.mark.parametrize("lease", [None, {}, {"spec": None}, {"spec": []}, {"spec": {}}])
def test_a_lease_that_says_nothing(lease: Any) -> None:
    assert holder_of(lease, THEN_NOW) is None


def test_a_clock_that_is_a_little_behind_is_no_garbage() -> None:
    holder = holder_of({"spec": {**GOOD, "renewTime": micro_time(THEN_NOW + 5)}}, THEN_NOW)
    assert holder is not None
    assert holder.alive


@pytest.mark.parametrize("ahead", [11, 90, 3600, 10**9])
def test_a_sign_of_life_from_the_future_is_one_until_it_was_watched(ahead: float) -> None:
    """The holder's clock may be wrong while it works: it is not taken for dead (CORE-11)."""
    holder = holder_of({"spec": {**GOOD, "renewTime": micro_time(THEN_NOW + ahead)}}, THEN_NOW)
    assert holder is not None
    assert holder.alive
    assert holder.unclear
    assert f"{ahead} s ahead of the server's clock" in str(holder)
    assert not replace(holder, still=True).alive
