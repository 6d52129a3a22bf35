# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that the API server or the operator could make nothing of are refused before anything is made."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.decide import planned
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.naming import name_problems
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.ingress.state import Wanted, Way
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.ingress.clusters import cluster

GOOD = "apps.example.com"


@pytest.mark.parametrize(
    ("name", "domain", "codes"),
    [
        ("shard", GOOD, []),
        ("shard-2", "a", []),
        ("s" * 56, GOOD, []),
        ("Shard", GOOD, ["refused_by_api"]),
        ("shard_2", GOOD, ["refused_by_api"]),
        ("-shard", GOOD, ["refused_by_api"]),
        ("a..b", GOOD, ["refused_by_api"]),
        ("", GOOD, ["refused_by_api"]),
        ("s" * 254, GOOD, ["refused_by_api"]),
        ("s" * 57, GOOD, ["name_unusable"]),
        ("a.b", GOOD, ["name_unusable"]),
        ("shard", "Apps.example.com", ["domain_unusable"]),
        ("shard", "*.example.com", ["domain_unusable"]),
        ("shard", f"{'x' * 64}.example.com", ["domain_unusable"]),
        ("shard", "apps.example.com.", ["domain_unusable"]),
        ("shard", "", ["domain_unusable"]),
        ("Shard", "with space", ["refused_by_api", "domain_unusable"]),
    ],
)
def test_all_problems_of_the_names_at_once(name: str, domain: str, codes: list[str]) -> None:
    found = name_problems(name, domain)
    assert [finding.code for finding in found] == codes
    assert all(finding.what and finding.remedy for finding in found)


def test_check_mode_foretells_it() -> None:
    gone = replace(cluster(), ic=None, service=None, name="Not-A-Name")
    decision = planned(Wanted(create={"domain": GOOD}), Way(), gone)
    assert (decision.verdict.value, decision.steps) == ("invalid", ())
