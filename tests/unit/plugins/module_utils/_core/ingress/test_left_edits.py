# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stopped run was to put back: onto another Service only, judged, gated, never a traceback (Safe ingress 5)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import left_edits, spec
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    EDITS,
    Observed,
    Wanted,
    Way,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import names
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    strategy,
)
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.test_decide import verbs

MINE = {"metadata": {"annotations": {"example.com/mine": "1"}}}
EXTERNAL = Wanted(scope="External")
PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"


def left(text: Any, service: dict[str, Any] | None = None) -> Observed:
    observed = cluster(spec=strategy("NLB"))
    said = text if isinstance(text, str) else json.dumps(text)
    ic = merge_patch(observed.ic, {"metadata": {"annotations": {EDITS: said}}})
    return replace(observed, ic=ic, service=merge_patch(observed.service, service or {}))


def of_another(patch: Any) -> dict[str, Any]:
    return {"uid": "the-old-one", "edits": patch}


def test_what_is_kept_is_read_back_with_the_service_it_is_of() -> None:
    text = spec.edits_patch(MINE, "the-old-one")["metadata"]["annotations"][EDITS]
    found = left_edits.left_edits(left(text))
    assert found == left_edits.LeftEdits("the-old-one", MINE)
    assert left_edits.left_edits(cluster()) is None


def test_it_goes_onto_the_new_service_first_and_is_then_forgotten() -> None:
    decision = planned(EXTERNAL, Way(), left(of_another(MINE)))
    assert verbs(decision) == ["patch services", "patch ingresscontrollers"]
    back, forgotten = decision.steps
    assert (back.body, back.uid, back.disruption.value) == (MINE, "uid-service", "none")
    assert forgotten.body == {"metadata": {"annotations": {EDITS: None}}}
    assert forgotten.expect is not None
    assert "edits_left" in {entry.code for entry in decision.effects}


def test_the_service_they_were_taken_from_still_has_them() -> None:
    """The run was stopped before the recreation: nothing to put back, only to forget."""
    decision = planned(EXTERNAL, Way(), left({"uid": "uid-service", "edits": MINE}))
    assert verbs(decision) == ["patch ingresscontrollers"]
    assert "edits_left" not in {entry.code for entry in decision.remarks}


def test_what_this_very_run_has_kept_is_neither_forgotten_nor_kept_again() -> None:
    """A round after a conflict: the rest of the plan is the rest of the plan."""
    observed = cluster(spec=strategy("NLB"), edits=MINE)
    way = Way("delete", restore_edits=True)
    plan = verbs(planned(Wanted(scope="Internal"), way, observed))
    assert plan.count("patch ingresscontrollers") == 3  # spec, keep, forget
    kept = merge_patch(observed.ic, spec.edits_patch(MINE, "uid-service"))
    again = verbs(planned(Wanted(scope="Internal"), way, replace(observed, ic=kept)))
    assert again == [*plan[:2], *plan[3:]]


@pytest.mark.parametrize("gone", [True, False])
def test_while_there_is_no_new_service_they_are_kept(gone: bool) -> None:
    observed = left(of_another(MINE), {"metadata": {"deletionTimestamp": "now"}})
    decision = planned(EXTERNAL, Way(), replace(observed, service=None) if gone else observed)
    assert verbs(decision) == ["wait served"]
    (finding,) = [entry for entry in decision.findings if entry.code == "edits_left"]
    assert "once there is a new Service" in finding.remedy


@pytest.mark.parametrize(
    ("patch", "disruption"),
    [
        (MINE, "none"),
        ({"spec": {"externalTrafficPolicy": "Cluster"}}, "brief"),
        ({"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}}, "outage"),
        ({"metadata": {"annotations": {f"{PREFIX}cross-zone-load-balancing-enabled": "true"}}}, "brief"),
    ],
)
def test_it_is_gated_by_what_it_does_to_the_new_load_balancer(patch: dict[str, Any], disruption: str) -> None:
    decision = planned(EXTERNAL, Way(), left(of_another(patch)))
    assert (decision.steps[0].disruption.value, decision.disruption.value) == (disruption, disruption)


def test_only_whitelisted_fields_with_values_they_can_have() -> None:
    """CORE-6: whoever can write the annotation must not write the Service through us."""
    hostile = {
        "metadata": {
            "annotations": {
                "example.com/mine": "1",
                f"{PREFIX}internal": "true",
                f"{PREFIX}extra-security-groups": "x",
            },
            "labels": {names.OWNER_LABEL: "nobody"},
            "finalizers": ["evil/x"],
            "ownerReferences": [],
        },
        "spec": {"selector": {"app": "evil"}, "externalIPs": ["not an address"], "type": "ClusterIP"},
        "status": {},
    }
    decision = planned(EXTERNAL, Way(), left(of_another(hostile)))
    assert decision.steps[0].body == MINE
    (finding,) = [entry for entry in decision.findings if entry.code == "edits_refused"]
    for refused in ("internal", "extra-security-groups", names.OWNER_LABEL, "selector", "externalIPs", "finalizers"):
        assert refused in finding.what


SPOILT = [
    "",
    "{",
    "null",
    "[]",
    "7",
    '"text"',
    "{}",
    '{"uid": 7, "edits": {}}',
    '{"uid": "x"}',
    '{"uid": "x", "edits": []}',
]


@pytest.mark.parametrize("text", SPOILT)
def test_spoilt_content_is_a_sentence_with_a_way_out(text: str) -> None:
    decision = planned(EXTERNAL, Way(), left(text))
    assert (decision.verdict.value, decision.steps) == ("in_sync", ())
    (finding,) = decision.findings
    assert finding.code == "edits_spoilt"
    assert finding.remedy.endswith(f"oc -n openshift-ingress-operator annotate ingresscontrollers/default {EDITS}-")


@pytest.mark.parametrize("patch", [{"metadata": 7}, {"metadata": {"annotations": 7}, "spec": "x"}, {"metadata": None}])
def test_parts_that_are_no_parts_are_left_out(patch: Any) -> None:
    found = left_edits.left_edits(left(of_another(patch)))
    assert found is not None
    assert (found.patch, found.spoilt) == ({}, "")
    assert verbs(planned(EXTERNAL, Way(), left(of_another(patch)))) == ["patch ingresscontrollers"]
