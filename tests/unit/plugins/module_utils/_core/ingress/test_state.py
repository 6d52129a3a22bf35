# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wanted and what was found, as values (SUB-2, SUB-6, CORE-3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    EDITS,
    TRANSACTION_PREFIX,
    Wanted,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AUTO_DELETE, AWS_TYPE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    A,
    cluster,
    strategy,
)

TYPE = "loadBalancer.providerParameters.aws.type"


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [
        (Wanted(), set()),
        (Wanted(scope="Internal"), {"scope"}),
        (Wanted(lb_type="NLB"), {TYPE}),
        (Wanted(subnets=Subnets((A,))), {"subnets"}),
        (Wanted(subnets=CLEAR), {"subnets"}),
        (Wanted(eips=[E1]), {"eipAllocations"}),
        (Wanted(eips=CLEAR), {"eipAllocations"}),
        (Wanted(adopt=True), set()),  # what there is to adopt, the Service tells
        (Wanted(create={"domain": "a.example.com"}), set()),
    ],
)
def test_what_is_left_out_is_not_asked_for(wanted: Wanted, asked: set[str]) -> None:
    """CORE-3: whatever else a recreation would bring is foreign."""
    assert wanted.asked == asked


def test_what_is_wanted_does_not_change_with_the_list_it_came_from() -> None:
    given = [E1]
    wanted = Wanted(eips=given)
    given.append("eipalloc-other")
    assert list(wanted.eips) == [E1]


@pytest.mark.parametrize(
    ("spec", "without_service"), [(strategy("NLB"), "NLB"), (strategy("Classic"), "Classic"), (None, "Classic")]
)
def test_the_type_in_force_is_the_services_then_what_would_be_made(spec: Any, without_service: str) -> None:
    observed = cluster(spec=spec)
    live = merge_patch(observed.service, {"metadata": {"annotations": {AWS_TYPE: "nlb"}}})
    assert replace(observed, service=live).type_in_force == "NLB"
    bare = merge_patch(observed.service, {"metadata": {"annotations": {AWS_TYPE: None}}})
    assert replace(observed, service=bare).type_in_force == "Classic"
    assert replace(observed, service=None).type_in_force == without_service


@pytest.mark.parametrize(
    ("value", "ours"), [(None, False), ("", False), ("true", False), (f"{TRANSACTION_PREFIX}0a1b", True)]
)
def test_auto_delete_of_ours_is_told_from_somebody_elses(value: str | None, ours: bool) -> None:
    """SUB-6: an empty value arms as well as any other, for the operator."""
    observed = cluster(armed=value)
    assert (observed.auto_delete, observed.left_armed) == (value, ours)


@pytest.mark.parametrize("mark", [EDITS, AUTO_DELETE])
def test_a_mark_of_ours_says_that_a_run_is_at_work_or_was_stopped(mark: str) -> None:
    observed = cluster()
    kept = {"metadata": {"annotations": {mark: f"{TRANSACTION_PREFIX}0a1b"}}}
    assert (observed.marked, replace(observed, ic=merge_patch(observed.ic, kept)).marked) == (False, True)


def address(value: str) -> dict[str, Any]:
    kind = "hostname" if value.endswith("com") else "ip"
    return {"status": {"loadBalancer": {"ingress": [{kind: value}] if value else []}}}


CLASSIC_NAME, NLB_NAME = "a1.us-east-1.elb.amazonaws.com", "a1.elb.us-east-1.amazonaws.com"


@pytest.mark.parametrize(
    ("version", "platform", "published", "fits"),
    [
        pytest.param("4.22", "GCP", "203.0.113.9", True, id="External and public"),
        pytest.param("4.22", "GCP", "10.0.0.9", False, id="External and private"),
        pytest.param("4.22", "Azure", "fd00::9", False, id="External and of a private IPv6 network"),
        pytest.param("4.22", "GCP", "a.example.com", True, id="a name tells nothing"),
        pytest.param("4.21", "AWS", CLASSIC_NAME, True, id="a Classic name on Classic"),
        pytest.param("4.21", "AWS", NLB_NAME, False, id="an NLB's name on Classic"),
        pytest.param("4.22", "AWS", NLB_NAME, True, id="where the type waits, names tell nothing"),
        pytest.param("4.22", "IBMCloud", "10.0.0.9", True, id="where the scope waits, addresses tell nothing"),
    ],
)
def test_an_address_that_does_not_fit_is_worth_a_look_at_events(
    version: str, platform: str, published: str, fits: bool
) -> None:
    observed = cluster(version, platform)
    seen = replace(observed, service=merge_patch(observed.service, address(published)))
    assert (seen.fits, seen.silent) == (fits, not fits)


@pytest.mark.parametrize("patch", [address(""), {"metadata": {"deletionTimestamp": "2026-11-16T12:00:00Z"}}])
def test_a_service_that_does_not_serve_is_silent(patch: dict[str, Any]) -> None:
    observed = cluster()
    assert not observed.silent
    assert replace(observed, service=merge_patch(observed.service, patch)).silent
    assert replace(observed, service=None).silent


def test_an_ingress_controller_that_is_not_there_says_nothing() -> None:
    gone = replace(cluster(), ic=None, service=None)
    assert (gone.annotations, gone.strategy, gone.auto_delete, gone.marked) == ({}, {}, None, False)
