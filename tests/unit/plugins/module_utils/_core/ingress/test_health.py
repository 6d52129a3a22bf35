# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's own word beside what Service and events say: no in_sync while ingress is down (CORE-14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.health import health
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    strategy,
)

NOON = 1_763_294_400.0
BORN = "2025-11-16T12:00:00Z"
BEFORE, AFTER = "2025-11-16T11:00:00Z", "2025-11-16T12:00:30Z"
SAME_AZ = "ELB cannot be attached to multiple subnets in the same AZ."


def said(kind: str, status: str, reason: str = "", message: str = "", at: str = BORN) -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": at}


def seen(*conditions: dict[str, str], after: float = 0, **service: Any) -> Observed:
    """A cluster at rest of which the operator says these things, so many seconds after they began."""
    observed = cluster(spec=strategy("Classic"))
    ic = plain(observed.ic)
    mine = {entry["type"] for entry in conditions}
    ic["status"]["conditions"] = [
        *conditions,
        *(entry for entry in ic["status"]["conditions"] if entry["type"] not in mine),
    ]
    live = merge_patch(observed.service, {"metadata": {"creationTimestamp": BORN}, **service})
    return replace(observed, ic=ic, service=live, now=NOON + after)


UNAVAILABLE = said("Available", "False", "IngressControllerUnavailable", "DNSReady=False (FailedZones: x)")
DEGRADED = said("Degraded", "True", "DegradedConditions", "DNSReady=False")
ROLLING = said("Progressing", "True", "IngressControllerProgressing", "rolling out")


@pytest.mark.parametrize(
    ("observed", "state", "hopeful", "told"),
    [
        pytest.param(seen(), "serving", True, [], id="well"),
        pytest.param(
            seen(UNAVAILABLE, after=30), "unavailable", True, [("ingress_unavailable", "warning")], id="for a moment"
        ),
        pytest.param(
            seen(UNAVAILABLE, after=120), "unavailable", True, [("ingress_unavailable", "error")], id="for too long"
        ),
        pytest.param(
            seen(UNAVAILABLE, DEGRADED, after=30),
            "unavailable",
            True,
            [("ingress_unavailable", "error"), ("ingress_degraded", "warning")],
            id="and the operator calls it degraded",
        ),
        pytest.param(
            seen(UNAVAILABLE, after=5000), "unavailable", False, [("ingress_unavailable", "error")], id="for good"
        ),
        pytest.param(seen(DEGRADED), "serving", True, [("ingress_degraded", "warning")], id="degraded, but it serves"),
        pytest.param(seen(ROLLING), "serving", True, [("operator_progressing", "info")], id="rolling out"),
        pytest.param(
            replace(seen(), service=None), "down", True, [("lb_down", "warning")], id="the operator is about to make it"
        ),
        pytest.param(
            replace(seen(said("LoadBalancerReady", "False", "ServiceNotFound"), after=300), service=None),
            "down",
            False,
            [("lb_down", "error")],
            id="the operator does not make it",
        ),
        pytest.param(
            replace(seen(said("Admitted", "False", "Invalid", "conflicts with: default")), service=None),
            "down",
            False,
            [("lb_down", "error")],
            id="the operator does not admit it",
        ),
    ],
)
def test_the_operators_own_word_counts(
    observed: Observed, state: str, hopeful: bool, told: list[tuple[str, str]]
) -> None:
    found = health(observed)
    assert (found.state.value, found.hopeful) == (state, hopeful)
    assert [(entry.code, entry.severity.value) for entry in found.findings] == told


def test_it_is_quoted_with_its_age() -> None:
    (finding,) = health(seen(UNAVAILABLE, after=300)).findings
    assert finding.what.startswith("Ingress is down: the operator says so, since 5 min: Available=False (")
    assert "DNSReady=False (FailedZones: x)" in finding.what


def test_a_frozen_operators_conditions_are_of_another_time() -> None:
    assert health(seen(UNAVAILABLE), frozen=True).up
    gone = health(replace(seen(), service=None), frozen=True)
    assert (gone.hopeful, gone.findings[0].severity.value) == (False, "error")
    assert "does not come back by itself" in gone.findings[0].remedy


@pytest.mark.parametrize(("at", "code"), [(AFTER, "subnets_same_az"), (BEFORE, "lb_pending")])
def test_without_events_the_failure_that_the_operator_quotes_if_it_is_of_this_service(at: str, code: str) -> None:
    """Events live for an hour; a condition may be of the Service that is gone."""
    observed = seen(said("LoadBalancerReady", "False", "SyncLoadBalancerFailed", SAME_AZ, at), status=None)
    assert health(observed).findings[0].code == code


def test_events_that_may_not_be_read_are_told_where_they_would_help() -> None:
    assert health(replace(seen(), events=None)).findings == ()
    codes = [entry.code for entry in health(replace(seen(status=None), events=None)).findings]
    assert codes == ["lb_pending", "events_unread"]


def test_an_operator_that_has_not_seen_the_spec_is_named() -> None:
    observed = seen()
    ahead = replace(observed, ic=merge_patch(observed.ic, {"metadata": {"generation": 99}}))
    assert [entry.code for entry in health(ahead).findings] == ["operator_behind"]


def test_pending_changes_explain_progress() -> None:
    pending = said("LoadBalancerProgressing", "True", "OperandsProgressing", "scope was changed")
    observed = seen(ROLLING, pending)
    observed.ic["status"]["endpointPublishingStrategy"]["loadBalancer"]["scope"] = "Internal"
    assert health(observed).findings == ()


def record(*targets: str) -> dict[str, Any]:
    return {"spec": {"targets": list(targets)}}


OLD_WORD = said("Available", "True", at=BEFORE)


@pytest.mark.parametrize(
    ("conditions", "leads_to", "after", "state", "told"),
    [
        pytest.param(
            (OLD_WORD,), None, 30, "unavailable", [("operator_behind", "warning")], id="older than the Service"
        ),
        pytest.param((OLD_WORD,), None, 300, "serving", [], id="for so long that it has nothing new to say"),
        pytest.param((OLD_WORD,), "here", 30, "serving", [], id="its record shows that it has looked"),
        pytest.param((OLD_WORD,), "old.example", 30, "unavailable", [("dns_outdated", "warning")], id="and that not"),
        pytest.param((), "old.example", 120, "unavailable", [("dns_outdated", "error")], id="only the record failed"),
        pytest.param((), None, 30, "serving", [], id="newer"),
    ],
)
def test_a_word_of_before_is_no_proof(
    conditions: tuple[dict[str, str], ...], leads_to: str | None, after: float, state: str, told: list[tuple[str, str]]
) -> None:
    """CORE-14: Available=True may be of the load balancer that is gone."""
    observed = seen(*conditions, after=after)
    here = observed.service["status"]["loadBalancer"]["ingress"][0]["hostname"]
    found = health(
        replace(observed, record=None if leads_to is None else record(here if leads_to == "here" else leads_to))
    )
    assert found.state.value == state
    assert [(entry.code, entry.severity.value) for entry in found.findings] == told


def test_what_the_operator_waits_for_is_told_where_no_pending_change_says_it() -> None:
    """A blank name is a difference for the operator, and nothing that a recreation would bring."""
    observed = cluster(spec=strategy("NLB", subnets={"names": [" "]}))
    waiting = (
        said("Progressing", "True", "IngressControllerProgressing", "waiting"),
        said("LoadBalancerProgressing", "True", "OperandsProgressing", "The subnets were changed"),
    )
    ic = plain(observed.ic)
    mine = {entry["type"] for entry in waiting}
    others = (entry for entry in ic["status"]["conditions"] if entry["type"] not in mine)
    ic["status"]["conditions"] = [*waiting, *others]
    found = health(replace(observed, ic=ic)).findings
    assert [entry.code for entry in found] == ["operator_progressing"]
    assert "The subnets were changed" in found[0].what
