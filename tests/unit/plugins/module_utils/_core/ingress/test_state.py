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
        (Wanted(adopt=True), {"subnets", "eipAllocations"}),
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


def test_edits_that_a_stopped_run_kept_are_read_back() -> None:
    observed = cluster()
    assert observed.left_edits is None
    kept = {"metadata": {"annotations": {EDITS: '{"spec":{"externalTrafficPolicy":"Cluster"}}', AUTO_DELETE: None}}}
    found = replace(observed, ic=merge_patch(observed.ic, kept)).left_edits
    assert found == {"spec": {"externalTrafficPolicy": "Cluster"}}


def test_an_ingress_controller_that_is_not_there_says_nothing() -> None:
    gone = replace(cluster(), ic=None, service=None)
    assert (gone.annotations, gone.strategy, gone.auto_delete, gone.left_edits) == ({}, {}, None, None)
