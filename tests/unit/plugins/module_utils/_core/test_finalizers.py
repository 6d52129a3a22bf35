# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finalizers of others hold a deleted Service (CORE-13)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.finalizers import foreign

CLEANUP, LBC = "service.kubernetes.io/load-balancer-cleanup", "service.k8s.aws/resources"


@pytest.mark.parametrize(
    ("service", "found"),
    [
        (None, []),
        ({"metadata": {}}, []),
        ({"metadata": {"finalizers": [CLEANUP]}}, []),
        ({"metadata": {"finalizers": [CLEANUP, "x.example.com/hold"]}}, ["x.example.com/hold"]),
        ({"metadata": {"finalizers": [CLEANUP, LBC]}}, [LBC]),
        ({"metadata": {"finalizers": [LBC]}, "spec": {"loadBalancerClass": "service.k8s.aws/nlb"}}, []),
    ],
)
def test_only_those_of_others_are_told(service: Any, found: list[str]) -> None:
    told = foreign(service, "Service shop/front")
    assert [list(finding.value) for finding in told] == ([found] if found else [])
    assert all(name in told[0].what for name in found)
