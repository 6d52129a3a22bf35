# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a write would lead to, and the frozen operator F1–F3 (SUB-13; facts: ingress-operator §14)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import predict
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.reconcile import reconcile
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    aws,
    provider,
)

EIPS_TOLD = "eipAllocations are forbidden when the scope is Internal."
FLOATING_TOLD = "cannot specify a floating ip when scope is internal"
STATUS_LB = "status.endpointPublishingStrategy.loadBalancer"


class Story:
    """One IngressController through a list of acts; the operator comes to rest after each."""

    def __init__(self, version: str, platform: str, spec: Any) -> None:
        self.profile, self.infra = profile_for(version), Infra(platform)
        new = {"metadata": {"name": "default", "generation": 1}, "spec": {"endpointPublishingStrategy": spec}}
        self.now = predict.settle(self.profile, self.infra, new, None)

    def patch(self, load_balancer: Any, **metadata: Any) -> predict.Settled:
        patch = {"metadata": metadata, "spec": {"endpointPublishingStrategy": {"loadBalancer": load_balancer}}}
        edited, refused = predict.patched(self.profile, self.now.ic, patch)
        assert refused == [], "the API server takes it: that is the trap"
        self.now = predict.settle(self.profile, self.infra, edited, self.now.service)
        return self.now

    def service(self, annotations: dict[str, str] | None) -> predict.Settled:
        """A user edits the Service's annotations, or deletes it (None)."""
        edited = copy.deepcopy(self.now.service) if annotations is not None else None
        if edited is not None:
            edited["metadata"]["annotations"] |= annotations
        self.now = predict.settle(self.profile, self.infra, self.now.ic, edited)
        return self.now

    @property
    def behind(self) -> bool:
        """The tell-tale of F1 and F2 from outside."""
        return bool(self.now.ic["metadata"]["generation"] != self.now.ic["status"]["observedGeneration"])

    @property
    def error(self) -> str:
        return reconcile(self.profile, self.infra, self.now.ic, self.now.service).error

    @property
    def annotations(self) -> Any:
        return self.now.service["metadata"]["annotations"]


def conditions(settled: predict.Settled) -> dict[str, str]:
    return {entry["type"]: entry["status"] for entry in settled.ic["status"]["conditions"]}


NLB_PATH = {"providerParameters": {"aws": {"networkLoadBalancer": {"eipAllocations": None}}}}
NO_FLOATING = {"providerParameters": {"openstack": {"floatingIP": None}}}
F1 = ("AWS", aws("NLB", eipAllocations=[EIP1]), NLB_PATH, EIPS_TOLD)
F2 = ("OpenStack", provider("OpenStack", floatingIP="192.0.2.1"), NO_FLOATING, FLOATING_TOLD)
CASES = [
    *(pytest.param(version, *F1, id=f"F1 {version}") for version in ("4.17", "4.21", "4.22", "4.23")),
    *(pytest.param(version, *F2, id=f"F2 {version}") for version in ("4.18", "4.22", "4.23")),
]


@pytest.mark.parametrize(("version", "platform", "spec", "clear", "told"), CASES)
def test_clearing_addresses_and_going_internal_at_once_freezes(
    version: str, platform: str, spec: Any, clear: Any, told: str
) -> None:
    story = Story(version, platform, spec)
    before = conditions(story.now)
    frozen = story.patch({"scope": "Internal", **clear})
    assert [str(cause) for cause in frozen.frozen] == [f"{STATUS_LB}: Invalid value: {told}"]
    assert story.behind
    assert story.error == (
        f"failed to admit ingresscontroller: failed to update status: {STATUS_LB}: Invalid value: {told}"
    )
    assert conditions(frozen) == before, "conditions stay as they were"
    assert not frozen.recreated


@pytest.mark.parametrize(("version", "platform", "spec", "clear", "told"), CASES)
def test_a_service_deleted_under_a_frozen_operator_does_not_come_back(
    version: str, platform: str, spec: Any, clear: Any, told: str
) -> None:
    """An outage without end, hence: never deleted by us."""
    story = Story(version, platform, spec)
    story.patch({"scope": "Internal", **clear})
    assert story.service(None).service is None
    assert story.behind


@pytest.mark.parametrize(("version", "platform", "spec", "clear", "told"), CASES)
def test_auto_delete_does_not_help(version: str, platform: str, spec: Any, clear: Any, told: str) -> None:
    story = Story(version, platform, spec)
    frozen = story.patch({"scope": "Internal", **clear}, annotations={given.AUTO_DELETE: ""})
    assert frozen.frozen
    assert not frozen.recreated
    assert frozen.service is not None


@pytest.mark.parametrize(("version", "platform", "spec", "clear", "told"), CASES)
def test_the_way_out_is_scope_back_to_external(version: str, platform: str, spec: Any, clear: Any, told: str) -> None:
    """The Service is recreated at once, without the addresses; then Internal, then effectuate."""
    story = Story(version, platform, spec)
    story.patch({"scope": "Internal", **clear})
    story.service(None)
    rescued = story.patch({"scope": "External"})
    assert rescued.frozen == ()
    assert not story.behind
    assert given.EIPS not in story.annotations
    assert "loadBalancerIP" not in rescued.service["spec"]
    pending = story.patch({"scope": "Internal"})
    assert [change.field for change in pending.changes] == ["scope"]
    assert story.service(None).changes == ()


@pytest.mark.parametrize(("version", "platform", "spec", "clear", "told"), CASES)
def test_two_stages_each_effectuated_avoid_it(version: str, platform: str, spec: Any, clear: Any, told: str) -> None:
    story = Story(version, platform, spec)
    for stage in (clear, {"scope": "Internal"}):
        pending = story.patch(stage)
        assert pending.frozen == ()
        assert len(pending.changes) == 1
        assert story.service(None).changes == ()
    assert not story.behind


@pytest.mark.parametrize(("version", "platform", "spec", "clear", "told"), CASES)
def test_a_first_stage_that_is_still_pending_freezes_too(
    version: str, platform: str, spec: Any, clear: Any, told: str
) -> None:
    story = Story(version, platform, spec)
    story.patch(clear)
    assert story.patch({"scope": "Internal"}).frozen
    assert story.behind


# --- F3: a mirror the status may not hold ----------------------------------------------------------------------------

NLB = aws("NLB", subnets={"ids": [A, B]}, eipAllocations=[EIP1, EIP2])
F3 = {
    "duplicates": (aws("NLB"), {given.SUBNETS: f"{A},{A}"}, "subnet ids cannot contain duplicates"),
    "eight digits": (aws("NLB"), {given.SUBNETS: "subnet-1234abcd"}, "should be at least 24 chars long"),
    "an empty part": (aws("NLB"), {given.SUBNETS: "blue,,green"}, "should be at least 1 chars long"),
    "a number other than the EIPs'": (NLB, {given.SUBNETS: A}, "number of subnets must be equal"),
    "EIPs on an internal NLB": (aws("NLB", "Internal"), {given.EIPS: EIP1}, EIPS_TOLD),
}


@pytest.mark.parametrize(("spec", "edit", "told"), F3.values(), ids=F3)
@pytest.mark.parametrize("version", ["4.18", "4.21", "4.22", "4.23"])
def test_a_bad_annotation_freezes_status_and_conditions(
    version: str, spec: Any, edit: dict[str, str], told: str
) -> None:
    story = Story(version, "AWS", spec)
    before = copy.deepcopy(story.now.ic["status"])
    frozen = story.service(edit)
    assert any(told in str(cause) for cause in frozen.frozen)
    assert story.error.startswith("failed to update ingresscontroller status: status.endpointPublishingStrategy.")
    assert frozen.ic["status"] == before, "stale: Progressing stays False though spec and Service differ"
    assert not story.behind


@pytest.mark.parametrize("version", ["4.18", "4.22"])
def test_spec_edits_are_still_admitted_and_the_service_still_kept(version: str) -> None:
    story = Story(version, "AWS", aws("NLB"))
    story.service({given.SUBNETS: f"{A},{A}", given.INTERVAL: "7"})
    assert story.annotations[given.INTERVAL] == "10"
    story.patch({"scope": "Internal"})
    assert not story.behind
    assert conditions(story.now)["LoadBalancerProgressing"] == "False"
    assert story.now.frozen


@pytest.mark.parametrize("version", ["4.18", "4.22"])
def test_the_way_out_of_f3_is_a_legal_annotation_or_a_legal_recreation(version: str) -> None:
    story = Story(version, "AWS", aws("NLB"))
    assert story.service({given.SUBNETS: f"{A},{A}"}).frozen
    assert story.service({given.SUBNETS: A}).frozen == ()
    assert conditions(story.now)["LoadBalancerProgressing"] == "True"
    story.service({given.SUBNETS: f"{A},{A}"})
    assert story.service(None).frozen == ()
    assert conditions(story.now)["LoadBalancerProgressing"] == "False"


# --- the API server's part -------------------------------------------------------------------------------------------


def test_a_patch_as_the_server_would_store_it() -> None:
    story = Story("4.22", "AWS", aws("NLB"))
    before = copy.deepcopy(story.now.ic)
    edited, refused = predict.patched(story.profile, story.now.ic, {"metadata": {"labels": {"a": "b"}}})
    assert refused == []
    assert edited["metadata"]["generation"] == 1, "a label is no new generation"
    edited, refused = predict.patched(
        story.profile, story.now.ic, {"spec": {"endpointPublishingStrategy": {"loadBalancer": {"scope": "Nowhere"}}}}
    )
    assert edited["metadata"]["generation"] == 2
    assert [cause.reason for cause in refused] == ["FieldValueNotSupported", "FieldValueInvalid"]
    assert story.now.ic == before


def test_an_ingress_controller_without_a_strategy_stays_without() -> None:
    story = Story("4.22", "AWS", None)
    edited, refused = predict.patched(story.profile, {"metadata": {"name": "x"}}, {"spec": {"replicas": 2}})
    assert (edited["spec"], refused) == ({"replicas": 2}, [])
    assert edited["metadata"]["generation"] == 1
