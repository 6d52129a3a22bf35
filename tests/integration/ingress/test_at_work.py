# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that is at work is not called stopped, by nobody who looks meanwhile (CORE-11, CORE-14)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import Result, run_task

from .conftest import NewIngress, NewService
from .proofs import codes, finding
from .test_conflicts import NOW, ids
from .test_frozen import freeze
from .workplace import Subject

STOPPED = {"left_armed", "edits_left", "rescue_left", "manifest_left", "service_restorable"}


@contextmanager
def at_work(subject: Subject, moment: Any, module: str, **options: Any) -> Iterator[None]:
    """A run in another thread; that moment has come, and what it waits for has not."""
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(subject.run, module, **options)
        try:
            subject.wait_for(moment, "the moment")
            yield
        finally:
            subject.cluster.cloud_faults.clear()
            subject.cluster.faults.clear()
        result = run.result()
    assert not result.get("failed"), result["msg"]


def radar(subject: Subject) -> Result:
    seen = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")
    name = subject.options.get("ingress_controller") or subject.service_name
    return next(one for one in seen["targets"] if one["name"] == name)


def told(row: Result) -> None:
    assert not STOPPED & set(row["codes"])
    assert (row["verdict"], "locked" in row["codes"]) == ("in_progress", True)
    found = finding(row, "locked")
    assert "since 20" in found["what"]
    assert (found["severity"], found["what"] in row["message"]) == ("warning", True)


def test_an_armed_run(ingress: NewIngress) -> None:
    subject = ingress(type="NLB", subnets="public")
    subject.patch_service({"metadata": {"annotations": {"example.com/mine": "1"}}})
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    wanted = {"subnets": {"ids": ids(subject, "spare_public")}, "effectuate": "operator", "restore_edits": True}
    with at_work(subject, lambda: subject.armed, "ingress_lb_subnets", **wanted, **NOW):
        told(radar(subject))
        checked = subject.run("slb_scope", check=True, scope="Internal")
    assert (checked["failed"], finding(checked, "locked")["severity"]) == (True, "error")
    assert not STOPPED & set(codes(checked))


def test_a_rescue(ingress: NewIngress) -> None:
    subject = ingress(type="NLB", subnets="public", eips=3)
    freeze(subject)
    rescue = {"changes": ["all"], "unfreeze": True, "effectuate": "operator"}
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    with at_work(
        subject, lambda: subject.lb["scope"] == "External" and subject.armed, "lb_effectuate", **rescue, **NOW
    ):
        told(radar(subject))


def test_a_plain_service(plain: NewService) -> None:
    subject = plain("AWS")
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    wanted = {"scope": "Internal", "effectuate": "delete"}
    with at_work(subject, subject.saved, "slb_scope", **wanted, **NOW):
        row = radar(subject)
        assert not STOPPED & set(row["codes"])
        assert "since 20" in finding(row, "locked")["what"]
