# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The minimal patch that brings spec to what is wanted, and what takes it back (CORE-6, SUB-1, SUB-2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import dig, merge_patch, plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress import spec
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    EDITS,
    Observed,
    Wanted,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AUTO_DELETE,
    AWS_EIPS,
    AWS_SUBNETS,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    E2,
    A,
    B,
    after_patch,
    cluster,
    lb_patch,
    strategy,
)

MOVE = Wanted(subnets=Subnets((A, B)))
TWO = {"ids": [A, B]}


def aws(kind: str, **params: Any) -> dict[str, Any]:
    """A patch of the parameters alone, as it is where spec has the rest."""
    block = {"Classic": "classicLoadBalancer", "NLB": "networkLoadBalancer"}[kind]
    return lb_patch(providerParameters={"aws": {block: params}})


def annotated(key: str, value: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {key: value}}}


@pytest.mark.parametrize(
    ("wanted", "observed", "patch"),
    [
        pytest.param(Wanted(), cluster(), {}, id="nothing wanted"),
        pytest.param(Wanted(scope="Internal"), cluster(spec=strategy()), lb_patch(scope="Internal"), id="scope alone"),
        pytest.param(Wanted(scope="External"), cluster(spec=strategy()), {}, id="said already"),
        pytest.param(MOVE, cluster(spec=strategy("NLB")), aws("NLB", subnets=TWO), id="SUB-2 the type in force"),
        pytest.param(MOVE, cluster(spec=strategy("Classic", subnets=TWO)), {}, id="listed already"),
        pytest.param(
            Wanted(subnets=CLEAR),
            cluster(spec=strategy("NLB", subnets=TWO)),
            aws("NLB", subnets=None),
            id="cleared",
        ),
        pytest.param(Wanted(subnets=CLEAR), cluster(spec=strategy("NLB")), {}, id="nothing to clear"),
        pytest.param(
            Wanted(eips=[E1, E2]),
            cluster(spec=strategy("NLB", eipAllocations=[E1])),
            aws("NLB", eipAllocations=[E1, E2]),
            id="Elastic IPs",
        ),
        pytest.param(
            Wanted(eips=CLEAR),
            cluster(spec=strategy("NLB", eipAllocations=[E1])),
            aws("NLB", eipAllocations=None),
            id="no Elastic IPs",
        ),
        pytest.param(
            Wanted(subnets=Subnets((A,), ("blue",))),
            cluster(spec=strategy("Classic", subnets={"ids": [A]})),
            aws("Classic", subnets={"names": ["blue"]}),
            id="only what differs",
        ),
        pytest.param(
            Wanted(subnets=Subnets((), ("blue",))),
            cluster(spec=strategy("Classic", subnets={"ids": [A]})),
            aws("Classic", subnets={"ids": None, "names": ["blue"]}),
            id="ids go where names come",
        ),
        pytest.param(
            Wanted(subnets=Subnets()),
            cluster(spec=strategy("NLB")),
            aws("NLB", subnets={"ids": []}),
            id="SUB-1 an empty list is for the API to refuse",
        ),
        pytest.param(
            Wanted(adopt=True),
            cluster(spec=strategy("Classic"), edits=annotated(AWS_SUBNETS, f"{A},blue")),
            aws("Classic", subnets={"ids": [A], "names": ["blue"]}),
            id="SUB-7 adopted",
        ),
    ],
)
def test_only_what_differs_is_patched(wanted: Wanted, observed: Observed, patch: dict[str, Any]) -> None:
    assert spec.spec_patch(spec.adopted(wanted, observed), observed) == patch


def test_nothing_to_adopt_is_nothing_to_change() -> None:
    """SUB-7: what spec lists and the Service does not have stays; it is pending, not to be taken back."""
    observed = after_patch(cluster(spec=strategy("NLB")), aws("NLB", subnets=TWO))
    wanted = spec.adopted(Wanted(adopt=True), observed)
    assert (wanted.asked, spec.spec_patch(wanted, observed)) == (set(), {})


def test_required_parents_come_along_where_spec_lacks_them() -> None:
    patch = spec.spec_patch(MOVE, cluster())["spec"]["endpointPublishingStrategy"]
    lb = patch["loadBalancer"]
    assert (patch["type"], lb["scope"]) == ("LoadBalancerService", "External")
    assert lb["providerParameters"] == {
        "type": "AWS",
        "aws": {"type": "Classic", "classicLoadBalancer": {"subnets": TWO}},
    }


@pytest.mark.parametrize("kind", ["Classic", "NLB"])
def test_adoption_takes_elastic_ips_where_the_type_has_them(kind: str) -> None:
    """SUB-7: a Classic load balancer never reads the annotation."""
    observed = cluster(spec=strategy(kind), edits=annotated(AWS_EIPS, E1))
    patch = spec.spec_patch(spec.adopted(Wanted(adopt=True), observed), observed)
    assert patch == (aws("NLB", eipAllocations=[E1]) if kind == "NLB" else {})


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (Wanted(subnets=Subnets((B, A))), {}),
        (Wanted(eips=[E2, E1]), {}),
        (Wanted(eips=[E2]), aws("NLB", eipAllocations=[E2])),
        (Wanted(scope="Internal", subnets=Subnets((B, A))), lb_patch(scope="Internal")),
    ],
)
def test_a_mere_reordering_is_dropped(wanted: Wanted, left: dict[str, Any]) -> None:
    """From 4.22 on an armed operator compares raw strings: an order alone would cost the load balancer."""
    observed = cluster(spec=strategy("NLB", subnets=TWO, eipAllocations=[E1, E2]))
    assert spec.same_order_kept(observed, spec.spec_patch(wanted, observed)) == left


@pytest.mark.parametrize("wanted", [MOVE, Wanted(scope="Internal", lb_type="NLB", eips=[E1])])
@pytest.mark.parametrize("before", [None, strategy("Classic", subnets={"ids": [A]})])
def test_the_reverse_takes_a_patch_back(wanted: Wanted, before: Any) -> None:
    observed = cluster(spec=before)
    patch = spec.spec_patch(wanted, observed)
    then = merge_patch(observed.ic, patch)
    assert then != plain(observed.ic)
    assert merge_patch(then, spec.reverse(patch, observed.ic)) == plain(observed.ic)


def test_the_load_balancer_to_be_is_what_spec_says_afterwards() -> None:
    observed = cluster(spec=strategy("NLB", subnets=TWO, eipAllocations=[E1, E2]))
    lb = spec.lb_to_be(Wanted(), observed)
    assert (lb.kind, lb.scope, lb.subnets, list(lb.eips)) == ("NLB", "External", Subnets((A, B)), [E1, E2])
    classic = spec.lb_to_be(Wanted(lb_type="Classic", scope="Internal"), observed)
    assert (classic.kind, classic.scope, classic.subnets, list(classic.eips)) == ("Classic", "Internal", None, [])
    made = spec.lb_to_be(replace(MOVE, create={"domain": "a.example.com"}), replace(observed, ic=None, service=None))
    assert (made.kind, made.scope, made.subnets) == ("Classic", "External", Subnets((A, B)))


def test_two_patches_in_one_keep_what_each_unsets() -> None:
    armed, kept = spec.arm_patch("x"), spec.edits_patch(None)
    both = spec.combined(armed, kept)
    assert both == {"metadata": {"annotations": {AUTO_DELETE: "x", EDITS: None}}}
    assert spec.combined({"a": {"b": 1}}, {"a": None}) == {"a": None}


def test_disarming_is_arming_with_nothing() -> None:
    assert dig(spec.arm_patch(""), "metadata", "annotations") == {AUTO_DELETE: None}
