# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One merged, valid patch that cancels what is pending, where the operator prints defective ones.

The six defects are those of facts: ingress-operator §7, "Defects of the printed revert patch".
"""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator import (
    admission,
    crd,
    messages,
    revert,
    status,
    subnets,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.schema import UNCHECKED
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.profiles import profile_for
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator import given
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.operator.given import (
    EIP1,
    EIP2,
    A,
    B,
    C,
    aws,
    ic,
    lb,
    provider,
    service,
)

NLB = {given.TYPE: "nlb"}


class Pending:
    """An IngressController edited after it had come to rest: the operator's patches and ours."""

    def __init__(self, version: str, spec: Any, live: Any, platform: str = "AWS", before: Any = None) -> None:
        self.profile, self.infra, self.live = profile_for(version), Infra(platform), live
        rested = before or (aws(subnets.lb_type(live["metadata"]["annotations"])) if platform == "AWS" else spec)
        admitted = admission.admit(self.profile, self.infra, ic(spec, rested))
        self.ic = ic(spec, status.mirror(self.profile, self.infra, admitted, live))
        self.changes = messages.pending(self.profile, self.infra, self.ic, live)
        self.result = revert.revert(self.profile, self.ic, self.changes)

    @property
    def operators(self) -> list[Any]:
        return [json.loads(change.patch) for change in self.changes if change.patch]

    def refusals(self, patch: Any) -> list[str]:
        """What the API server says to a patch of this IngressController."""
        spec = merge_patch(self.ic["spec"], patch["spec"])
        stored = crd.stored(self.profile, spec["endpointPublishingStrategy"])
        return [cause.message for cause in crd.check(self.profile, stored)]

    def left_after(self, patch: Any) -> list[str]:
        """Fields still pending once the patch is admitted."""
        spec = merge_patch(self.ic["spec"], patch["spec"])["endpointPublishingStrategy"]
        after = Pending(self.profile.version, crd.stored(self.profile, spec), self.live, self.infra.platform)
        return [change.field for change in after.changes]


def strategy_patch(**load_balancer: Any) -> dict[str, Any]:
    return {"spec": {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": load_balancer}}}


def test_nothing_pending_nothing_to_revert() -> None:
    assert Pending("4.22", lb(), service()).result == revert.Revert()


@pytest.mark.parametrize("version", ["4.16", "4.21", "4.22", "4.23"])
def test_scope_alone(version: str) -> None:
    """SCO-4."""
    case = Pending(version, lb("Internal"), service())
    assert case.result.patch == strategy_patch(scope="External")
    assert case.left_after(case.result.patch) == []


# Each case: the spec asked for, the live Service. Ours must be accepted and leave nothing pending, in one patch.
CASES = {
    "type": (aws("NLB"), service()),
    "subnets set": (aws("NLB", subnets={"ids": [A]}), service(NLB)),
    "subnets cleared": (aws("NLB"), service({**NLB, given.SUBNETS: f"{A},blue"})),
    "subnets swapped": (aws("Classic", subnets={"ids": [B], "names": ["x"]}), service({given.SUBNETS: A})),
    "Elastic IPs": (aws("NLB", eipAllocations=[EIP1]), service({**NLB, given.EIPS: EIP2})),
    "Elastic IPs set": (aws("NLB", eipAllocations=[EIP1]), service(NLB)),
    "subnets and Elastic IPs": (
        aws("NLB", subnets={"ids": [A]}, eipAllocations=[EIP1]),
        service({**NLB, given.SUBNETS: f"{B},{C}", given.EIPS: f"{EIP1},{EIP2}"}),
    ),
    "scope and Elastic IPs": (
        aws("NLB", eipAllocations=[EIP1]),
        service({**NLB, given.INTERNAL: "true"}),
    ),
    "scope, type and subnets": (
        aws("NLB", "Internal", subnets={"ids": [A]}),
        service({given.SUBNETS: B}),
    ),
}


@pytest.mark.parametrize(("spec", "live"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("version", ["4.22", "4.23"])
def test_one_patch_cancels_everything(version: str, spec: Any, live: Any) -> None:
    case = Pending(version, spec, live)
    assert case.changes
    assert case.result.refused == ()
    assert case.refusals(case.result.patch) == []
    assert case.left_after(case.result.patch) == []


def test_defect_1_each_of_the_operators_patches_may_be_refused_alone() -> None:
    """Numbers of subnets and Elastic IPs are coupled."""
    case = Pending("4.22", *CASES["subnets and Elastic IPs"])
    assert [case.refusals(patch) for patch in case.operators] == [
        ["Invalid value: number of subnets must be equal to number of eipAllocations"]
    ] * 2
    assert case.refusals(case.result.patch) == []


def test_defect_1_scope_is_coupled_with_elastic_ips_too() -> None:
    case = Pending("4.22", *CASES["scope and Elastic IPs"])
    scope, eips = case.operators
    assert case.refusals(scope) == ["Invalid value: eipAllocations are forbidden when the scope is Internal."]
    assert case.refusals(eips) == []
    assert case.result.patch == strategy_patch(
        scope="Internal",
        providerParameters={"type": "AWS", "aws": {"type": "NLB", "networkLoadBalancer": {"eipAllocations": None}}},
    )


def test_defect_2_the_operators_patch_needs_parents_that_may_be_absent() -> None:
    """An IngressController without a strategy in spec: `type` and `scope` are required."""
    case = Pending("4.22", None, service({given.SUBNETS: A, given.INTERNAL: "true"}))
    scope, subnets_patch = case.operators
    assert case.refusals(scope) == ["Required value", UNCHECKED.message]
    assert case.refusals(subnets_patch) == ["Required value", UNCHECKED.message]
    assert case.refusals(case.result.patch) == []
    assert case.result.patch["spec"]["endpointPublishingStrategy"]["type"] == "LoadBalancerService"
    assert case.result.patch["spec"]["endpointPublishingStrategy"]["loadBalancer"]["scope"] == "Internal"


def test_defect_2_a_scope_that_is_not_pending_stays_the_one_in_force() -> None:
    case = Pending("4.22", None, service({given.SUBNETS: A}))
    assert case.result.patch["spec"]["endpointPublishingStrategy"]["loadBalancer"]["scope"] == "External"


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        ("subnet-1234abcd", "should be at least 24 chars long"),
        (f"{A},{A}", "subnet ids cannot contain duplicates"),
        ("blue,,green", "should be at least 1 chars long"),
        ("blue, subnet-1", None),  # ' subnet-1' is a name that does not start with subnet-
    ],
)
def test_defect_3_values_of_an_unmanaged_annotation_may_have_no_valid_revert(annotation: str, told: str | None) -> None:
    case = Pending("4.22", aws("NLB"), service({**NLB, given.SUBNETS: annotation}))
    if told is None:
        assert case.refusals(case.result.patch) == []
        return
    assert case.result.patch is None
    assert any(told in str(cause) for cause in case.result.refused)
    assert case.refusals(case.operators[0]) != []  # while the operator prints one all the same


def test_defect_4_no_floating_ip_is_null_not_an_empty_text() -> None:
    case = Pending("4.22", provider("OpenStack", floatingIP="192.0.2.1"), service(), "OpenStack")
    assert case.refusals(case.operators[0]) == [
        'Invalid value: "": floatingIP must be a valid IPv4 or IPv6 address',
    ]
    assert case.result.patch == strategy_patch(
        scope="External", providerParameters={"type": "OpenStack", "openstack": {"floatingIP": None}}
    )
    assert case.left_after(case.result.patch) == []


def test_a_floating_ip_that_is_in_force_comes_back() -> None:
    live = service(loadBalancerIP="192.0.2.9")
    case = Pending("4.22", provider("OpenStack", floatingIP="192.0.2.1"), live, "OpenStack")
    assert case.left_after(case.result.patch) == []


def test_defect_5_the_command_survives_quotes_in_a_name() -> None:
    case = Pending("4.22", aws("NLB"), service({**NLB, given.SUBNETS: "bob's subnet"}))
    words = shlex.split(revert.command("apps", case.result.patch))
    assert words[:-1] == [
        "oc",
        "-n",
        "openshift-ingress-operator",
        "patch",
        "ingresscontrollers/apps",
        "--type=merge",
    ]
    assert json.loads(words[-1].removeprefix("--patch=")) == case.result.patch
    printed = case.changes[0].message.split("`")[3]
    with pytest.raises(ValueError, match="No closing quotation"):
        shlex.split(printed)


def test_defect_6_reverting_the_type_brings_back_its_own_subnets_in_the_same_patch() -> None:
    """The other type's parameters stay in spec, where they have no effect until that type is asked for again."""
    case = Pending("4.22", aws("NLB", subnets={"ids": [A]}), service({given.SUBNETS: B}))
    assert [change.field for change in case.changes] == [messages.TYPE, "subnets"]
    after = merge_patch(case.ic["spec"], case.result.patch["spec"])["endpointPublishingStrategy"]
    assert after["loadBalancer"]["providerParameters"]["aws"] == {
        "type": "Classic",
        "classicLoadBalancer": {"subnets": {"ids": [B]}},
        "networkLoadBalancer": {"subnets": {"ids": [A]}},
    }
    assert case.left_after(case.result.patch) == []


def test_source_ranges_on_the_service_are_not_ours_to_cancel() -> None:
    case = Pending("4.22", lb(), service({given.SOURCE_RANGES: "10.0.0.0/8"}))
    assert [change.field for change in case.changes] == ["sourceRangesAnnotation"]
    assert case.result == revert.Revert()


def test_other_settings_of_the_spec_survive_the_patch() -> None:
    """CORE-6."""
    spec = aws("NLB", "Internal", protocol="TCP")
    spec["loadBalancer"]["allowedSourceRanges"] = ["10.0.0.0/8"]
    case = Pending("4.23", spec, service(NLB))
    after = merge_patch(case.ic["spec"], case.result.patch["spec"])["endpointPublishingStrategy"]["loadBalancer"]
    assert after["allowedSourceRanges"] == ["10.0.0.0/8"]
    assert after["providerParameters"] == spec["loadBalancer"]["providerParameters"]


def test_the_command_that_effectuates() -> None:
    assert revert.delete_command("apps") == "oc -n openshift-ingress delete svc/router-apps"
