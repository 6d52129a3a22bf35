# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lb_info on Services of a class: nobody watches, held by a finalizer, stopped half-way (CLS-4, CLS-5)."""

from __future__ import annotations

from typing import Any

from ansible_collections.edgeworks.lb_estate.tests.harness.tasks import run_task

from .conftest import NewClassed
from .workplace import MODULE, OUTAGE, UNWATCHED, WATCHED, ClassedService

FLIP: dict[str, Any] = {"way": "type_flip", **OUTAGE}


def row(subject: ClassedService) -> dict[str, Any]:
    """Of this Service; nothing is written."""
    subject.cluster.requests.reset()
    found = run_task("lb_info", subject.cluster.kubeconfig, preflight="skip")
    assert subject.writes() == []
    (told,) = [one for one in found["targets"] if one["name"] == subject.service_name]
    return dict(told)


def test_a_class_nobody_watches(classed: NewClassed) -> None:
    subject = classed(lb_class=UNWATCHED, served=False)
    told = row(subject)
    assert (told["verdict"], told["codes"]) == ("in_progress", ["class_unwatched"])
    assert row(classed(lb_class=WATCHED))["codes"] == []


def test_stopped_in_the_middle_of_a_flip(classed: NewClassed) -> None:
    subject = classed()
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    assert subject.run(MODULE, lb_class=WATCHED, wait_timeout=1, **FLIP)["failed"]
    told = row(subject)
    assert (told["verdict"], told["codes"]) == ("in_progress", ["finalizer_stuck", "manifest_left"])
    assert "the cloud provider's controller of AWS takes it off" in str(told["findings"])
    subject.cluster.cloud_faults.clear()
    subject.wait_for(lambda: not subject.live()["metadata"].get("finalizers"), "the cloud to be clean")
    told = row(subject)
    assert (told["verdict"], told["codes"]) == ("blocked", ["service_restorable"])
    assert "run service_lb_class with service" in told["findings"][0]["remedy"]
    subject.change(lb_class=WATCHED)
    assert (row(subject)["verdict"], row(subject)["codes"]) == ("in_sync", [])


def test_a_stuck_deletion_names_who_holds_it(classed: NewClassed) -> None:
    subject = classed()
    subject.cluster.cloud_faults.hold_delete(subject.service_name)
    subject.cluster.api.delete("services", subject.namespace, subject.service_name)
    told = row(subject)
    assert "stuck_deletion" in told["codes"]
    assert "the cloud provider's controller of AWS takes it off" in str(told["findings"])
