# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events on the OpenStackCluster: reasons CAPO's users know, once each, and never a reason to fail (CAPO-10)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.capo.state import OpenStackCluster
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import (
    Decision,
    Finding,
    Severity,
    Step,
    Target,
    Verdict,
    Wait,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.secrets import Hide
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.errors import Unreachable
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._topics.capo_events import Events
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._readers.management import FakeCluster

CLUSTER = OpenStackCluster("v1beta1", "capi", "prod", "u-1", "7")
HIDE = Hide(("hunter2",))
STEP = Step("octavia", "create", "load_balancer", "lb", why="az1 has no load balancer yet")


def events(kube: FakeCluster) -> Events:
    told = Events(kube, HIDE)  # type: ignore[arg-type]
    told.about(CLUSTER)
    return told


def reasons(kube: FakeCluster) -> list[tuple[str, str]]:
    return [(one["type"], one["reason"]) for one in kube.objects.get("events", [])]


def decided(*codes: str, verdict: Verdict = Verdict.BLOCKED, severity: Severity = Severity.ERROR) -> Decision:
    findings = tuple(Finding(code, severity, "where", "what.") for code in codes)
    return Decision(Target("k", "n"), verdict, "no", findings=findings)


@pytest.mark.parametrize(
    ("verb", "resource", "body", "reason"),
    [
        ("create", "load_balancer", {}, "SuccessfulCreateLoadBalancer"),
        ("update", "listener", {}, "SuccessfulUpdateListener"),
        ("replace", "members", {}, "SuccessfulUpdateMembers"),
        ("delete", "health_monitor", None, "SuccessfulDeleteMonitor"),
        ("update", "floating_ip", {"port_id": "p"}, "SuccessfulAssociateFloatingIP"),
        ("update", "floating_ip", {"port_id": None}, "SuccessfulDisassociateFloatingIP"),
        ("update", "floating_ip", {"description": "ours"}, "SuccessfulUpdateFloatingIP"),
    ],
)
def test_what_was_done(verb: str, resource: str, body: Any, reason: str) -> None:
    kube = FakeCluster()
    events(kube).done(Step("octavia", verb, resource, "n", body=body, why="it is so"))
    assert reasons(kube) == [("Normal", reason)]


def test_an_event_is_about_the_cluster() -> None:
    kube = FakeCluster()
    events(kube).done(STEP)
    (told,) = kube.objects["events"]
    assert told["involvedObject"] == CLUSTER.reference | {"namespace": "capi", "resourceVersion": "7"}
    assert (told["message"], told["count"], told["metadata"]["namespace"]) == (
        "Az1 has no load balancer yet.",
        1,
        "capi",
    )
    assert told["metadata"]["name"].startswith("prod.")


def test_what_failed_and_waits_are_nothing_to_tell() -> None:
    kube = FakeCluster()
    told = events(kube)
    told.failed(STEP, Unreachable("Octavia does not answer."))
    told.failed(Step("octavia", "wait", "load_balancer", "lb", wait_for=Wait("settled")), Unreachable("…"))
    told.done(Step("kube", "patch", "configmaps", "record"))
    assert reasons(kube) == [("Warning", "FailedCreateLoadBalancer")]


@pytest.mark.parametrize(
    ("verdict", "code", "reason"),
    [
        (Verdict.INVALID, "duplicate_az", "FailedValidation"),
        (Verdict.INVALID, "unknown_flavor", "OctaviaFlavorNotFound"),
        (Verdict.BLOCKED, "capo_owns_legacy", "LoadBalancersBlocked"),
    ],
)
def test_what_was_refused(verdict: Verdict, code: str, reason: str) -> None:
    kube = FakeCluster()
    events(kube).refused(decided(code, verdict=verdict))
    assert reasons(kube) == [("Warning", reason)]


def test_what_the_cloud_cannot_do_and_nothing_else_of_the_findings() -> None:
    kube = FakeCluster()
    codes = ("allowed_cidrs_unsupported", "monitor_unsupported", "machine_unplaced")
    events(kube).missing(decided(*codes, verdict=Verdict.UPDATE_IN_PLACE, severity=Severity.WARNING))
    assert reasons(kube) == [("Warning", "AllowedCIDRsUnsupported"), ("Warning", "SkippedCreateMonitor")]


def test_the_same_is_told_once_by_a_run_and_counted_over_runs() -> None:
    kube = FakeCluster()
    for _run in range(3):
        told = events(kube)
        told.done(STEP)
        told.done(STEP)
    (event,) = kube.objects["events"]
    assert event["count"] == 3


@pytest.mark.parametrize("forbidden", [("create events",), ("patch events",), ("get events",)])
def test_what_cannot_be_told_is_left(forbidden: tuple[str, ...]) -> None:
    kube = FakeCluster(forbidden=forbidden)
    for _run in range(2):
        events(kube).done(STEP)


def test_without_a_cluster_or_an_object_nothing_is_told() -> None:
    Events(None, HIDE).done(STEP)
    kube = FakeCluster()
    nobody = Events(kube, HIDE)  # type: ignore[arg-type]
    nobody.done(STEP)
    nobody.about(None)
    nobody.done(STEP)
    assert kube.written == []


def test_no_secret_is_told() -> None:
    """CORE-12: a cloud may repeat what it was sent."""
    kube = FakeCluster()
    events(kube).failed(STEP, Unreachable("Octavia said: X-Auth-Token: hunter2."))
    (told,) = kube.objects["events"]
    assert told["message"] == "Octavia said: X-Auth-Token: ********."
