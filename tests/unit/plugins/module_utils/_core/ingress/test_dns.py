# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan names the records that a person has to change (Safe ingress 14)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.data import plain
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Observed, Wanted, Way
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import (
    cluster,
    strategy,
)

SPEC = strategy("NLB")
POLICY = {"dnsManagementPolicy": "Unmanaged"}
UNMANAGED = {**SPEC, "loadBalancer": {**SPEC["loadBalancer"], **POLICY}}


def without_zones() -> Observed:
    observed = cluster(spec=SPEC)
    ic = plain(observed.ic)
    ic["status"].setdefault("conditions", []).append({"type": "DNSManaged", "status": "False", "reason": "NoDNSZones"})
    return replace(observed, ic=ic)


@pytest.mark.parametrize(
    ("observed", "scope", "told"),
    [
        (cluster(spec=SPEC), "Internal", False),
        (cluster(spec=UNMANAGED), "Internal", True),
        (cluster(spec=UNMANAGED), "External", False),
        (cluster("4.21", "GCP", {**SPEC, "loadBalancer": {"scope": "External", **POLICY}}), "Internal", True),
        (without_zones(), "Internal", True),
    ],
)
@pytest.mark.parametrize("way", ["report", "delete"])
def test_the_wildcard_record(observed: Observed, scope: str, told: bool, way: str) -> None:
    decision = planned(Wanted(scope=scope), Way(way), observed)
    found = [entry for entry in decision.findings if entry.code == "dns_unmanaged"]
    assert bool(found) is told
    for finding in found:
        assert finding.value == ("*.apps.example.com",)
        assert "*.apps.example.com stays at old.example.com" in finding.what
        assert finding.remedy.startswith("Point *.apps.example.com to the new load balancer")
