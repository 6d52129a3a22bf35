# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a load balancer serve, and what to say where it does not: in progress only what progresses (CORE-14)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Finding, Severity
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.serving import (
    PATIENCE,
    Seen,
    State,
    changed_in_vain,
    denied,
    fits_scope,
    ready_endpoints,
    serving,
    silent,
    softer,
)

BORN = "2025-11-16T12:00:00Z"
NOON = 1_763_294_400.0
SAME_AZ = "failed to ensure load balancer: ELB cannot be attached to multiple subnets in the same AZ."
HELD = "failed to delete load balancer: DependencyViolation"
PROTECTED = "failed to delete load balancer: OperationNotPermitted: deletion protection is on"


def service(*published: str, **metadata: Any) -> dict[str, Any]:
    ingress = [{"ip" if text[0].isdigit() else "hostname": text} for text in published]
    meta = {"uid": "u1", "creationTimestamp": BORN, **metadata}
    return {"metadata": meta, "status": {"loadBalancer": {"ingress": ingress}}}


def going(**more: Any) -> dict[str, Any]:
    return service("a.example", deletionTimestamp=BORN, finalizers=["service.kubernetes.io/load-balancer-cleanup"])


def event(message: str, uid: str = "u1") -> dict[str, Any]:
    return {
        "reason": "SyncLoadBalancerFailed",
        "message": message,
        "involvedObject": {"uid": uid},
        "lastTimestamp": "2025-11-16T12:00:10Z",
    }


LATE = PATIENCE + 1


@pytest.mark.parametrize(
    ("live", "events", "after", "state", "hopeful", "code", "severity"),
    [
        pytest.param(service("a.example"), [], 0, "serving", True, "", "", id="serves"),
        pytest.param(service("a.example"), [event(SAME_AZ)], 0, "serving", True, "", "", id="serves; old events"),
        pytest.param(None, [], 0, "down", True, "lb_down", "warning", id="none at all"),
        pytest.param(service(), [], 30, "making", True, "lb_pending", "warning", id="being made"),
        pytest.param(service(), [], LATE, "failed", False, "lb_stalled", "error", id="nobody makes it"),
        pytest.param(service(), [event(SAME_AZ)], 30, "failed", False, "subnets_same_az", "error", id="for good"),
        pytest.param(service(), [event("try again")], 30, "failed", True, "lb_refused", "error", id="may pass"),
        pytest.param(service(), [event("try again")], LATE, "failed", False, "lb_refused", "error", id="does not pass"),
        pytest.param(service(), [event(SAME_AZ, "u0")], 30, "making", True, "lb_pending", "warning", id="not its own"),
        pytest.param(going(), [], 30, "going", True, "lb_going", "warning", id="on its way out"),
        pytest.param(going(), [event(SAME_AZ)], 30, "going", True, "lb_going", "warning", id="of its making"),
        pytest.param(going(), [event(HELD)], 30, "going", True, "lb_stuck", "error", id="held"),
        pytest.param(going(), [event(PROTECTED)], 30, "going", False, "lb_stuck", "error", id="held for good"),
        pytest.param(going(), [], LATE, "going", False, "lb_stuck", "error", id="on its way for too long"),
    ],
)
def test_one_word_and_whether_waiting_may_help(
    live: Any, events: list[Any], after: float, state: str, hopeful: bool, code: str, severity: str
) -> None:
    found = serving(Seen(live, events, NOON + after, "here", "Ingress"))
    assert (found.state.value, found.hopeful, found.up) == (state, hopeful, state == "serving")
    told = [(entry.code, entry.severity.value) for entry in found.findings]
    assert told == ([(code, severity)] if code else [])
    assert found.up or found.says.startswith("Ingress is down: ")


def test_cause_words_age_and_remedy_are_all_there() -> None:
    (finding,) = serving(Seen(service(), [event(SAME_AZ)], NOON + 190, "here", "Ingress")).findings
    assert "no address, 3 min after its Service was made." in finding.what
    assert f"Two of the subnets are in one availability zone. The event: {SAME_AZ} (3 min ago)." in finding.what
    assert "one subnet per zone" in finding.remedy


def test_a_deletion_that_does_not_end_tells_what_holds_it() -> None:
    (finding,) = serving(Seen(going(), [event(PROTECTED)], NOON + 200, "here", "Ingress")).findings
    assert "being deleted since 3 min" in finding.what
    assert "service.kubernetes.io/load-balancer-cleanup" in finding.what
    assert PROTECTED in finding.what
    assert "deletion_protection.enabled off" in finding.remedy


def test_without_a_clock_nothing_is_too_late() -> None:
    assert serving(Seen(service())).state is State.MAKING
    assert serving(Seen(going())).hopeful


@pytest.mark.parametrize(
    ("published", "internal", "fits"),
    [
        (["203.0.113.9"], False, True),
        (["203.0.113.9"], True, False),
        (["10.0.0.9"], True, True),
        (["10.0.0.9"], False, False),
        (["203.0.113.9", "10.0.0.9"], True, True),
        (["a.example"], True, True),
        ([], True, True),
    ],
)
def test_an_address_tells_its_scope(published: list[str], internal: bool, fits: bool) -> None:
    assert fits_scope(service(*published), internal) is fits


def test_a_change_in_place_that_the_cloud_refuses_is_no_all_clear() -> None:
    refused = changed_in_vain(Seen(service("203.0.113.9"), [event("try again")], NOON, "here", "Ingress"))
    assert (refused.state, refused.hopeful, refused.findings[0].code) == (State.STALE, True, "lb_refused")
    assert refused.says.startswith("Ingress still has the old load balancer (203.0.113.9).")
    odd = changed_in_vain(Seen(service("203.0.113.9")))
    assert (odd.up, [entry.code for entry in odd.findings]) == (True, ["address_unexpected"])
    assert changed_in_vain(Seen(service("a.example"))).findings == ()


def test_events_are_worth_a_look_where_something_is_missing() -> None:
    looked = [silent(one) for one in (None, going(), service(), service("a"))]
    assert looked == [True, True, True, False]


def test_what_denies_that_all_agrees() -> None:
    found = [
        Finding("subnets_not_in_force", Severity.WARNING, "", "One."),
        Finding("lb_missing", Severity.WARNING, "", "Two."),
        Finding("other_owner", Severity.WARNING, "", "Three."),
    ]
    assert (denied(found), denied(found[2:])) == ("One. Two.", "")


def test_of_a_failure_that_a_task_does_something_about() -> None:
    levels = [Severity.ERROR, Severity.INFO]
    assert [entry.severity.value for entry in softer([Finding("a", level, "", "") for level in levels])] == [
        "warning",
        "info",
    ]


def test_ready_endpoints_as_kube_proxy_counts() -> None:
    slices = [{"endpoints": [{}, {"conditions": {"ready": True}}, {"conditions": {"ready": False}}]}, {}]
    assert len(ready_endpoints(slices)) == 2
