# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way of a change: all of it at once, each with a remedy (CORE-7, SUB-7, SUB-11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import merge_patch
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.obstacles import obstacles
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import (
    CLEAR,
    TRANSACTION_PREFIX,
    Observed,
    Wanted,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import (
    AWS_EIPS,
    AWS_SUBNETS,
    OWNER_LABEL,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.subnets import Subnets
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    E1,
    A,
    B,
    cluster,
    strategy,
)

MOVE = Wanted(subnets=Subnets((A,)))
INTERNAL, ADOPT = Wanted(scope="Internal"), Wanted(adopt=True)
CREATE = Wanted(create={"domain": "other.example.com"})
CLASSIC, NLB = strategy("Classic"), strategy("NLB")


def annotated(key: str, value: str, **more: Any) -> Observed:
    return live(cluster(spec=NLB, **more), {"metadata": {"annotations": {key: value}}})


def live(observed: Observed, patch: dict[str, Any]) -> Observed:
    return replace(observed, service=merge_patch(observed.service, patch))


def changed(patch: dict[str, Any]) -> Observed:
    observed = cluster(spec=CLASSIC)
    return replace(observed, ic=merge_patch(observed.ic, patch))


GONE = replace(cluster(), ic=None, service=None)
ELSEWHERE = {"status": {"endpointPublishingStrategy": {"type": "HostNetwork"}}}


@pytest.mark.parametrize(
    ("wanted", "observed", "codes"),
    [
        pytest.param(MOVE, cluster(spec=CLASSIC), [], id="nothing"),
        pytest.param(MOVE, GONE, ["not_found"], id="no such one"),
        pytest.param(CREATE, GONE, [], id="SUB-9 to be created"),
        pytest.param(MOVE, cluster(platform="GCP"), ["platform_unsupported"], id="AWS only"),
        pytest.param(Wanted(lb_type="NLB"), cluster(platform="Azure"), ["platform_unsupported"], id="type on Azure"),
        pytest.param(INTERNAL, cluster(platform="GCP"), [], id="scope on GCP"),
        pytest.param(
            INTERNAL, cluster(platform="BareMetal", spec=strategy()), ["scope_unrealisable"], id="no internal one there"
        ),
        pytest.param(Wanted(scope="External"), cluster(platform="BareMetal", spec=strategy()), [], id="external is"),
        pytest.param(MOVE, cluster("4.16", spec=CLASSIC), ["version_lacks_field"], id="SUB-11 old release"),
        pytest.param(INTERNAL, cluster("4.16", spec=CLASSIC), [], id="scope in an old release"),
        pytest.param(INTERNAL, changed(ELSEWHERE), ["strategy_not_load_balancer"], id="another strategy"),
        pytest.param(INTERNAL, changed({"metadata": {"deletionTimestamp": "now"}}), ["being_deleted"], id="going"),
        pytest.param(
            INTERNAL,
            live(cluster(), {"metadata": {"labels": {OWNER_LABEL: "other"}}}),
            ["foreign_service"],
            id="somebody else's Service",
        ),
        pytest.param(ADOPT, annotated(AWS_SUBNETS, f"{A},{B}"), [], id="SUB-7 adoptable"),
        pytest.param(ADOPT, cluster(spec=NLB), ["nothing_to_adopt"], id="SUB-7 nothing there"),
        pytest.param(ADOPT, annotated(AWS_SUBNETS, f"{A}, {B}"), ["cannot_adopt_spaces"], id="SUB-7 spaces"),
        pytest.param(ADOPT, annotated(AWS_EIPS, f"{E1},,"), ["cannot_adopt_spaces"], id="SUB-7 empty parts"),
        pytest.param(ADOPT, annotated(AWS_SUBNETS, "subnet-12345678"), ["cannot_adopt_short_ids"], id="SUB-7 short"),
        pytest.param(ADOPT, annotated(AWS_SUBNETS, f"blue,{A}"), [], id="names first, not armed"),
        pytest.param(
            ADOPT, annotated(AWS_SUBNETS, f"blue,{A}", armed="yes"), ["cannot_adopt_order"], id="names first, armed"
        ),
        pytest.param(
            ADOPT,
            annotated(AWS_SUBNETS, f"blue,{A}", armed=f"{TRANSACTION_PREFIX}x"),
            [],
            id="armed by us: disarmed first",
        ),
        pytest.param(
            ADOPT, annotated(AWS_SUBNETS, f"blue,{A}", armed="yes", version="4.21"), [], id="compared by meaning"
        ),
        pytest.param(Wanted(eips=[E1]), cluster(spec=CLASSIC), ["eip_classic"], id="Classic has no Elastic IPs"),
        pytest.param(Wanted(eips=[E1], lb_type="NLB"), cluster(spec=CLASSIC), [], id="type in the same task"),
        pytest.param(CREATE, cluster(), ["domain_fixed"], id="a domain never changes"),
        pytest.param(Wanted(create={"domain": "apps.example.com"}), cluster(), [], id="the domain it has"),
        pytest.param(MOVE, cluster("4.16", "GCP"), ["platform_unsupported", "version_lacks_field"], id="all at once"),
    ],
)
def test_obstacles(wanted: Wanted, observed: Observed, codes: list[str]) -> None:
    found = obstacles(wanted, observed)
    assert [finding.code for finding in found] == codes
    assert all(finding.what.endswith(".") for finding in found)
    assert all(finding.remedy for finding in found if finding.severity.value == "error")


def test_only_what_was_asked_for_is_refused() -> None:
    """A platform without subnets is no obstacle to what leaves them alone; clearing them is asking."""
    assert obstacles(Wanted(), cluster(platform="GCP")) == ()
    assert obstacles(Wanted(subnets=CLEAR), cluster(platform="GCP"))[0].code == "platform_unsupported"


def test_clearing_elastic_ips_of_a_classic_load_balancer() -> None:
    """`eip_allocations: []` asks for no Elastic IPs, and a Classic one has none."""
    assert obstacles(Wanted(eips=CLEAR), cluster(spec=CLASSIC)) == ()
