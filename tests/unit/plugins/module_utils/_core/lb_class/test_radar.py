# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the radar tells of classes: nobody watches, and who holds what (CLS-4, CLS-5)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import radar
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    CLEANUP,
    service,
)

CLOUD = "the cloud provider's controller of AWS"


def test_services_that_were_load_balancers() -> None:
    held = service(type="NodePort", finalizers=[CLEANUP])
    others = [service(finalizers=[CLEANUP]), service(type="NodePort"), service(type="NodePort", finalizers=["a/b"])]
    assert radar.let_go([held, *others]) == [held]
    row = radar.row("AWS", held, "prod")
    assert (row.verdict.value, row.target.cluster, [one.code for one in row.findings]) == (
        "in_progress",
        "prod",
        ["finalizer_stuck"],
    )
    assert f"{CLOUD} takes it off" in row.findings[0].what


def test_every_finalizer_is_named_and_its_owner_where_known() -> None:
    found = service(finalizers=[CLEANUP, "example.com/mine"])
    assert radar.held_by("AWS", found) == f"{CLEANUP} ({CLOUD} takes it off), example.com/mine"
    assert radar.held_by("AWS", service()) == ""


@pytest.mark.parametrize(
    ("found", "component", "told"),
    [
        (service(CLASS, ""), "", True),
        (service(CLASS, ""), "service-controller", True),
        (service(CLASS, ""), "edge", False),
        (service(CLASS), "", False),
        (service(CLASS, "", finalizers=["example.com/lb"]), "", False),
        (service(None, ""), "", False),
    ],
)
def test_a_class_nobody_watches(found: dict[str, Any], component: str, told: bool) -> None:
    """The cloud provider's controller has no say in a class, whatever it said before."""
    event = {"involvedObject": {"uid": "u1"}, "source": {"component": component}}
    codes = [one.code for one in radar.unwatched(found, [event] if component else [], "here")]
    assert codes == (["class_unwatched"] if told else [])
