# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a wait is over, and when it is hopeless (CORE-10, SUB-10, SUB-13)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core import waits
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    lb_patch,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_frozen import (
    frozen_f1,
    of_before,
)

SAME_AZ = "Error syncing load balancer: ELB cannot be attached to multiple subnets in the same AZ."


def admitted(observed: Observed, patient: bool = True) -> waits.Look:
    return waits.admitted(observed.profile, observed.infra, observed.ic, observed.service, patient)


def event(message: str, uid: str = "new") -> dict[str, Any]:
    return {"reason": "SyncLoadBalancerFailed", "message": message, "involvedObject": {"uid": uid}}


def service(uid: str = "new", address: str = "", **metadata: Any) -> dict[str, Any]:
    ingress = [{"hostname": address}] if address else []
    return {"metadata": {"uid": uid, **metadata}, "status": {"loadBalancer": {"ingress": ingress}}}


def test_a_new_generation_is_waited_for() -> None:
    observed = cluster(spec=strategy("Classic"))
    assert admitted(observed).done
    stored, _causes = predict.patched(observed.profile, observed.ic, lb_patch(scope="Internal"))
    assert admitted(replace(observed, ic=stored)).waiting_for == "the operator to admit the new spec"


def test_a_condition_from_before_is_not_taken_for_the_answer() -> None:
    """Admission is written first; the conditions of that moment still speak of the old spec."""
    observed = cluster(spec=strategy("Classic"))
    stored, _causes = predict.patched(observed.profile, observed.ic, lb_patch(scope="Internal"))
    ic = plain(stored)
    ic["status"]["observedGeneration"] = ic["metadata"]["generation"]
    ic["status"]["endpointPublishingStrategy"]["loadBalancer"]["scope"] = "Internal"
    stale = replace(observed, ic=ic)
    assert admitted(stale).waiting_for == "the operator to update its conditions"
    assert admitted(stale, patient=False).done


def mirrored(observed: Observed) -> waits.Look:
    return waits.mirrored(observed.profile, observed.infra, observed.ic, observed.service)


def test_a_status_is_of_this_spec_and_of_this_service() -> None:
    """Of the Service before, it may hold what cannot stand beside the next spec (SUB-13)."""
    observed = cluster(spec=strategy("NLB"))
    assert mirrored(observed).done
    stored, _causes = predict.patched(observed.profile, observed.ic, lb_patch(scope="Internal"))
    assert mirrored(replace(observed, ic=stored)).waiting_for == "the operator to admit the new spec"
    lagging = replace(observed, ic=of_before(observed.ic))
    assert mirrored(lagging).waiting_for == "the operator to tell in status what is in force"
    assert mirrored(replace(lagging, service=None)).waiting_for == "the operator to make the Service"
    going = merge_patch(observed.service, {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    assert "to be deprovisioned" in mirrored(replace(observed, service=going)).waiting_for
    assert mirrored(frozen_f1("4.22")).failure == waits.FROZEN


def test_a_frozen_operator_is_never_waited_for() -> None:
    look = admitted(frozen_f1("4.22"))
    assert look.failure is not None
    assert look.failure.code == "operator_frozen"


@pytest.mark.parametrize(
    ("live", "events", "done", "waiting", "cause"),
    [
        (None, [], False, "the operator to recreate the Service", ""),
        (service("old"), [], False, "the operator to delete the old Service", ""),
        (
            service("old", deletionTimestamp="now", finalizers=["service.kubernetes.io/load-balancer-cleanup"]),
            [],
            False,
            "the old load balancer to be deprovisioned (finalizers: service.kubernetes.io/load-balancer-cleanup)",
            "",
        ),
        (service(), [], False, "the cloud to make the load balancer", ""),
        (service(), [event("anything else")], False, "the cloud to make the load balancer", ""),
        (service(), [event(SAME_AZ)], False, "the cloud to make the load balancer", "subnets_same_az"),
        (service(), [event(SAME_AZ, uid="old")], False, "the cloud to make the load balancer", ""),
        (service(address="new.example"), [event(SAME_AZ)], True, "", ""),
    ],
)
def test_recreated(live: Any, events: list[Any], done: bool, waiting: str, cause: str) -> None:
    observed = cluster(spec=strategy("Classic"))
    look = waits.recreated(observed.profile, observed.infra, None, live, events, "old")
    assert (look.done, look.waiting_for, look.failure.code if look.failure else "") == (done, waiting, cause)


AVAILABLE = {"type": "Available", "status": "True", "lastTransitionTime": "2025-11-16T12:00:05Z"}
HELD = "failed to delete load balancer: DependencyViolation"
PROTECTED = "failed to delete load balancer: OperationNotPermitted: deletion protection"


def ic(*conditions: dict[str, str], generation: int = 1) -> dict[str, Any]:
    observed = cluster(spec=strategy("Classic"))
    found = plain(observed.ic)
    found["metadata"]["generation"] = generation
    found["status"]["conditions"] = list(conditions)
    return dict(found)


@pytest.mark.parametrize(
    ("controller", "patient", "done", "waiting"),
    [
        pytest.param(ic(AVAILABLE), True, True, "", id="available again"),
        pytest.param(ic(), True, False, "the operator to call it available", id="no word yet"),
        pytest.param(
            ic({**AVAILABLE, "status": "False", "message": "DNSReady=False"}),
            False,
            False,
            "the operator to call it available",
            id="it has an address, and DNS fails",
        ),
        pytest.param(
            ic({**AVAILABLE, "lastTransitionTime": "2025-11-16T11:00:00Z"}),
            True,
            False,
            "the operator to look at the new load balancer",
            id="a word from before",
        ),
        pytest.param(
            ic({**AVAILABLE, "lastTransitionTime": "2025-11-16T11:00:00Z"}),
            False,
            True,
            "",
            id="it stays with its word",
        ),
        pytest.param(ic(AVAILABLE, generation=9), False, False, "the operator to admit the new spec", id="of old spec"),
    ],
)
def test_success_is_the_operators_word_too(controller: Any, patient: bool, done: bool, waiting: str) -> None:
    """CORE-14: an address alone is no success."""
    observed = cluster(spec=strategy("Classic"))
    made = service(address="new.example", creationTimestamp="2025-11-16T12:00:00Z")
    look = waits.recreated(observed.profile, observed.infra, controller, made, [], "old", patient)
    assert (look.done, look.waiting_for) == (done, waiting)


def test_what_was_true_of_the_service_that_is_gone_is_not_quoted() -> None:
    observed = cluster(spec=strategy("Classic"))
    ready = {"type": "LoadBalancerReady", "status": "True", "reason": "LoadBalancerProvisioned"}
    missing = {**ready, "status": "False", "reason": "ServiceNotFound"}
    looks = [
        waits.recreated(observed.profile, observed.infra, ic(entry), None, [], "old").detail
        for entry in (ready, missing)
    ]
    assert looks == ["", "LoadBalancerReady=False (ServiceNotFound)"]


def test_an_ingresscontroller_that_is_not_admitted_is_not_waited_for() -> None:
    observed = cluster(spec=strategy("Classic"))
    refused = {"type": "Admitted", "status": "False", "reason": "Invalid", "message": "conflicts with: default"}
    look = waits.recreated(observed.profile, observed.infra, ic(refused), None, [], "")
    assert look.failure is not None
    assert (look.failure.code, "conflicts with: default" in look.detail) == ("not_admitted", True)


@pytest.mark.parametrize(("message", "cause"), [(HELD, ""), (PROTECTED, "deletion_protection"), (SAME_AZ, "")])
def test_what_keeps_the_old_one_is_told_by_its_own_events(message: str, cause: str) -> None:
    old = service("old", deletionTimestamp="now", finalizers=["x/y"])
    for look in (
        waits.gone(old, "old", [event(message, "old")]),
        waits.recreated(*_place(), ic(AVAILABLE), old, [event(message, "old")], "old"),
    ):
        assert (look.failure.code if look.failure else "") == cause
        assert look.detail == ("" if message == SAME_AZ else message)


def _place() -> tuple[Any, Any]:
    observed = cluster(spec=strategy("Classic"))
    return observed.profile, observed.infra


def test_gone_is_another_uid_or_none_at_all() -> None:
    assert waits.gone(None, "old").done
    assert waits.gone(service("new"), "old").done
    assert not waits.gone(service("old"), "old").done


def test_readdressed_needs_another_address() -> None:
    assert not waits.readdressed(service(address="a"), [], ["a"]).done
    assert not waits.readdressed(service(), [], ["a"]).done
    assert waits.readdressed(service(address="b"), [], ["a"]).done


@pytest.mark.parametrize(
    ("status", "final", "done", "cause"),
    [
        ("ACTIVE", ("ACTIVE",), True, ""),
        ("PENDING_UPDATE", ("ACTIVE",), False, ""),
        ("ERROR", ("ACTIVE",), False, "load_balancer_error"),
        ("DELETED", ("ACTIVE",), False, "load_balancer_gone"),
        ("DELETED", ("DELETED", "ERROR"), True, ""),
        ("ERROR", ("DELETED", "ERROR"), True, ""),
        ("ACTIVE", ("DELETED",), False, ""),
    ],
)
def test_settled(status: str, final: tuple[str, ...], done: bool, cause: str) -> None:
    look = waits.settled("lb-1", status, final)
    assert (look.done, look.failure.code if look.failure else "") == (done, cause)
    assert look.done is (look.waiting_for == "")
    assert look.detail in (status, "load balancer lb-1")


def test_what_events_say_of_a_removal() -> None:
    """CLS-5"""
    service = {"metadata": {"uid": "u1"}}
    text = "Error syncing load balancer: failed to delete load balancer: deletion protection is enabled"
    event = {"involvedObject": {"uid": "u1"}, "reason": "SyncLoadBalancerFailed", "message": text}
    assert waits.removal(service, [event]).detail == text
    assert waits.removal(service, []) == waits.removal(None, []) == waits.Look(False)
