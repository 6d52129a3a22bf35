# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds a lock, as its Lease says it, garbage included (CORE-11, Safe ingress 17)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.holder import busy, holder_of, micro_time

NOW = 1_767_225_600.0
GOOD: dict[str, Any] = {
    "holderIdentity": "somebody",
    "leaseDurationSeconds": 60,
    "acquireTime": micro_time(NOW - 100),
    "renewTime": micro_time(NOW - 10),
}


def test_a_live_run_is_told_with_who_and_since_when() -> None:
    (finding,) = busy(holder_of({"spec": GOOD}, NOW), "here")
    assert finding.code == "locked"
    assert "somebody since 2025-12-31T23:58:20.000000Z, last sign of life 10 s ago" in finding.what


OVER: dict[str, dict[str, Any]] = {
    "expired": {"renewTime": micro_time(NOW - 61)},
    "nobody in it": {"holderIdentity": ""},
    "no times": {"renewTime": None, "acquireTime": None},
    "a time that is none": {"renewTime": "yesterday"},
    "a time of another kind": {"renewTime": 7},
    "a length of another kind": {"leaseDurationSeconds": "x"},
    "a negative length": {"leaseDurationSeconds": -5},
    "a sign of life from the far future": {"renewTime": "9999-12-31T23:59:59.999999Z"},
}


@pytest.mark.parametrize("case", OVER)
def test_what_keeps_nobody_out(case: str) -> None:
    assert busy(holder_of({"spec": {**GOOD, **OVER[case]}}, NOW), "here") == ()


@pytest.mark.parametrize("lease", [None, {}, {"spec": None}, {"spec": []}, {"spec": {}}])
def test_a_lease_that_says_nothing(lease: Any) -> None:
    assert holder_of(lease, NOW) is None


def test_a_clock_that_is_a_little_behind_is_no_garbage() -> None:
    holder = holder_of({"spec": {**GOOD, "renewTime": micro_time(NOW + 5)}}, NOW)
    assert holder is not None
    assert holder.alive
