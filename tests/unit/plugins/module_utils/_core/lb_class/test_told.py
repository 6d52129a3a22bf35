# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a decision tells besides its steps: owners, health, leftovers, finalizers (CLS-4, CLS-5)."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.events import moment
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.lb_class import told
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.kept import manifest_kept
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.lb_class.services import (
    CLASS,
    CLEANUP,
    OTHER,
    flipped,
    observed,
    second,
    seen,
    service,
    want,
)

MADE = moment("2026-01-01T00:00:00Z")


def test_state_is_class_by_service_and_all_addresses() -> None:
    found = told.base(observed(service(), successor=second()), "text")
    assert found.before == {
        "classes": {"front": "", "front-next": CLASS},
        "addresses": ("old.example.com", "new.example.com"),
    }
    assert told.classes(observed(service(), successor=second(beside="other"))) == {"front": ""}
    assert told.classes(observed(service(), successor=second()), gone=True) == {"front-next": CLASS}


def test_who_owns_it_before_and_after_and_what_speaks_for_it() -> None:
    found = observed(service(OTHER), evidence=seen())
    shown = told.told(told.base(found, ""), want(known={CLASS: "us"}), found).standing
    assert (shown["owner"]["before"], shown["owner"]["after"]) == (
        f"whoever watches the class {OTHER} (class {OTHER})",
        f"us (class {CLASS})",
    )
    assert (shown["evidence"], shown["handover"], shown["ways"]) == (("Deployment ops/edge",), {}, ())


def test_before_a_stopped_flip_the_owner_was_another() -> None:
    found = flipped(service(OTHER))
    assert OTHER in told.told(told.base(found, ""), want(), found).standing["owner"]["before"]


def test_annotations_that_nobody_reads_any_more() -> None:
    key = "service.beta.kubernetes.io/aws-load-balancer-subnets"
    (finding,) = told.effects(want(), observed(service(annotations={key: "a"})))
    assert (finding.code, finding.value) == ("annotations_unread", (key,))
    assert told.effects(want(), observed(service())) == ()


@pytest.mark.parametrize(
    ("made", "lb_class", "expected"),
    [
        ("2026-01-01T00:00:00Z", CLASS, [("lb_pending", "warning"), ("class_unwatched", "warning")]),
        ("2025-12-01T00:00:00Z", CLASS, [("lb_stalled", "error"), ("class_unwatched", "error")]),
        ("2026-01-01T00:00:00Z", None, [("lb_pending", "warning")]),
    ],
)
def test_a_class_without_address_and_event(made: str, lb_class: str | None, expected: list[tuple[str, str]]) -> None:
    found = service(lb_class, "")
    found["metadata"]["creationTimestamp"] = made
    state = told.health(observed(found, now=MADE))
    assert [(one.code, one.severity.value) for one in state.findings] == expected
    assert told.health(observed(service(CLASS))).up


def test_what_the_cloud_still_has_and_what_could_not_be_asked() -> None:
    found = observed(service(), left=("a123",), unproven="no answer")
    assert [one.code for one in told.left(found)] == ["lb_left_behind", "cleanup_unproven"]


@pytest.mark.parametrize(("later", "severity"), [(10.0, "warning"), (1000.0, "error")])
def test_a_finalizer_that_holds_is_named_with_its_owner(later: float, severity: str) -> None:
    """CLS-5"""
    assert MADE is not None
    stopped = flipped(service(finalizers=[CLEANUP, "mine/too"]), now=MADE + later)
    (finding,) = told.stuck(want(), stopped, manifest_kept(stopped))
    assert (finding.code, finding.severity.value, finding.value) == ("finalizer_stuck", severity, CLEANUP)
    assert "the cloud provider's controller of AWS takes it off" in finding.what
