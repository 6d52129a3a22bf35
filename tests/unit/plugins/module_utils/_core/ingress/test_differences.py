# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every creation-only difference a recreation would effectuate, reported by the operator or not (CORE-3, CORE-9)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.differences import pending, unseen
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Pending
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import AWS_EIPS, AWS_SUBNETS
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

TYPE = "loadBalancer.providerParameters.aws.type"
AWS_INTERNAL = "service.beta.kubernetes.io/aws-load-balancer-internal"
FLOATING = {"type": "OpenStack", "openstack": {"floatingIP": "203.0.113.7"}}


def found(observed: Observed, asked: tuple[str, ...] = (), before: tuple[str, ...] = ()) -> tuple[Pending, ...]:
    return pending(observed, observed.ic, observed.service, asked, before)


def annotated(spec: Any, key: str, value: str | None, version: str = "4.22") -> Observed:
    return cluster(version, spec=spec, edits={"metadata": {"annotations": {key: value}}})


def patched(version: str, platform: str, spec: Any, **lb: Any) -> Observed:
    return after_patch(cluster(version, platform, spec), lb_patch(**lb))


@pytest.mark.parametrize(
    ("observed", "fields"),
    [
        pytest.param(cluster(spec=strategy("NLB")), {}, id="at rest"),
        pytest.param(
            patched("4.22", "AWS", strategy("NLB"), scope="Internal"), {"scope": ("External", "Internal")}, id="scope"
        ),
        pytest.param(patched("4.22", "Azure", strategy(), scope="Internal"), {}, id="scope in place"),
        pytest.param(
            patched("4.22", "IBMCloud", strategy(), scope="Internal"), {"scope": ("External", "Internal")}, id="IBM"
        ),
        pytest.param(
            annotated(strategy("Classic"), AWS_INTERNAL, "yes"),
            {"scope": ("Internal", "External")},
            id="the cloud takes for internal what the operator does not",
        ),
        pytest.param(
            patched("4.22", "AWS", strategy("Classic"), providerParameters={"aws": {"type": "NLB"}}),
            {TYPE: ("Classic", "NLB")},
            id="type",
        ),
        pytest.param(
            annotated(strategy("NLB", subnets={"ids": [A, B]}), AWS_SUBNETS, A),
            {"subnets": ({"ids": (A,)}, {"ids": (A, B)})},
            id="subnets",
        ),
        pytest.param(annotated(strategy("NLB", subnets={"ids": [A, B]}), AWS_SUBNETS, f"{B},{A}"), {}, id="an order"),
        pytest.param(annotated(strategy("NLB"), AWS_SUBNETS, A), {"subnets": ({"ids": (A,)}, None)}, id="set by hand"),
        pytest.param(annotated(strategy("NLB"), AWS_SUBNETS, A, "4.16"), {}, id="SUB-11 a release without the field"),
        pytest.param(
            annotated(strategy("NLB", eipAllocations=[E1]), AWS_EIPS, E2),
            {"eipAllocations": ((E2,), (E1,))},
            id="Elastic IPs",
        ),
        pytest.param(annotated(strategy("Classic"), AWS_EIPS, E1), {}, id="Classic reads no Elastic IPs"),
        pytest.param(
            patched("4.22", "OpenStack", strategy(), providerParameters=FLOATING),
            {"floatingIP": ("", "203.0.113.7")},
            id="floating IP",
        ),
    ],
)
def test_what_a_recreation_would_change(observed: Observed, fields: dict[str, tuple[Any, Any]]) -> None:
    assert {entry.field: (entry.have, entry.want) for entry in found(observed)} == fields


def test_asked_for_and_latent_are_told_by_field() -> None:
    observed = patched(
        "4.22", "AWS", strategy("Classic"), scope="Internal", providerParameters={"aws": {"type": "NLB"}}
    )
    marks = {entry.field: (entry.asked, entry.latent) for entry in found(observed, ("scope",), (TYPE,))}
    assert marks == {"scope": (True, False), TYPE: (False, True)}


def test_the_operators_own_words_come_along_where_it_has_any() -> None:
    """SUB-5."""
    (told,) = found(patched("4.22", "AWS", strategy("Classic"), scope="Internal"))
    assert told.message.startswith('The IngressController scope was changed from "External" to "Internal".')
    (silent,) = found(annotated(strategy("Classic"), AWS_INTERNAL, "yes"))
    assert silent.message == ""


def test_without_a_service_or_a_load_balancer_nothing_is_pending() -> None:
    observed = patched("4.22", "AWS", strategy("Classic"), scope="Internal")
    assert found(replace(observed, service=None)) == ()
    ic = {**observed.ic, "status": {"endpointPublishingStrategy": {"type": "HostNetwork"}}}
    assert found(replace(observed, ic=ic)) == ()


def test_the_operator_sees_what_service_and_spec_differ_in() -> None:
    """Armed, it recreates for that; what only AWS shows it never sees."""
    differs = patched("4.22", "AWS", strategy("NLB"), scope="Internal")
    agrees = cluster(spec=strategy("NLB"))
    assert unseen(differs, differs.ic, "here") == ()
    assert [finding.code for finding in unseen(agrees, agrees.ic, "here")] == ["operator_unaware"]
