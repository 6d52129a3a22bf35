# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook is killed, its workers are not: they write nothing more and end (Safe ingress 20)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import NewIngress
from .workplace import stage_of


@pytest.mark.parametrize("more", [{}, {"environment": {"EDGE": "elsewhere"}}], ids=["in the worker", "as a module"])
def test_a_worker_without_its_parent_stops_before_its_next_write(
    ingress: NewIngress, tmp_path: Path, more: dict[str, Any]
) -> None:
    subject = ingress(type="NLB")
    subject.cluster.cloud_faults.hold_ensure(subject.service_name)
    options = {"ingress_controller": subject.name, "scope": "Internal", "effectuate": "operator"}
    task = {"edgeworks.lb_estate.slb_scope": {**options, "allow_disruption": "outage", "preflight": "skip"}, **more}
    old = subject.uid
    with stage_of(tmp_path, subject.cluster).start([{"name": "Flip", **task}]) as playing:
        subject.wait_for(lambda: subject.service() is not None and subject.uid != old, "the new Service")
        playing.kill_9_alone()
        before = subject.writes()
        subject.cluster.cloud_faults.clear()
        deadline = time.monotonic() + 30
        while playing.left and time.monotonic() < deadline:
            time.sleep(0.05)
        assert playing.left == set()
    assert subject.writes() == before
    assert subject.armed is not None  # left for the next run, which knows it
    again = subject.run("slb_scope", scope="Internal")
    assert (again["changed"], subject.armed) == (True, None)
