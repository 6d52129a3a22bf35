# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pure core: what a process pays to have it, and how fast the model of the operator follows recorded histories."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ..conformance.kinds import KINDS
from .measurement import Measurement

HISTORIES = Path(__file__).parents[1] / "conformance" / "histories.json"
CORE = "ansible_collections.edgeworks.lb_estate.plugins.module_utils._core"
ROUNDS = 7


def seconds_of(program: str) -> float:
    """Of several fresh processes, the median: a busy machine disturbs single ones."""
    taken = []
    for _round in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def measure() -> Iterator[Measurement]:
    bare = seconds_of("pass")
    whole = seconds_of(f"import {CORE}.render, {CORE}.safety, {CORE}.operator.reconcile, {CORE}.operator.predict")
    yield Measurement("importing the core, beyond a bare Python", (whole - bare) * 1000, "ms")
    vectors = json.loads(HISTORIES.read_text(encoding="utf-8"))["vectors"]
    steps = sum(len(vector["steps"]) for vector in vectors)
    started = time.perf_counter()
    for vector in vectors:
        KINDS["ic_history"](vector)
    each = (time.perf_counter() - started) / steps
    yield Measurement(f"one recorded step through the model (of {steps})", each * 1000, "ms")
