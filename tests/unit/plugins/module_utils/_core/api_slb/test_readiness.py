# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ready is an address and at least one endpoint, nothing less (API-3)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.names import BY_ROLE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.api_slb.readiness import (
    endpoints_of,
    lacking,
    served,
    without_endpoints,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.module_utils._core.api_slb.worlds import NOW, live

SERVED = live("internal")
PENDING = {**SERVED, "status": {"loadBalancer": {}}}


@pytest.mark.parametrize(
    ("service", "endpoints", "needs"),
    [
        (None, (), "it is not there"),
        (PENDING, ("10.0.0.1",), "its load balancer has no address"),
        (SERVED, (), "no endpoint is ready behind it"),
        (SERVED, ("10.0.0.1",), ""),
    ],
)
def test_what_it_needs(service: Any, endpoints: tuple[str, ...], needs: str) -> None:
    assert lacking(service, endpoints) == needs
    assert served(service, endpoints, ()).done is (not needs)


def test_a_wait_says_what_is_missing() -> None:
    assert served(SERVED, (), ()).waiting_for == "an endpoint to be ready behind it"
    assert "load balancer" in served(PENDING, (), ()).waiting_for


def test_endpoints_are_those_that_are_ready_or_do_not_say() -> None:
    slices = [
        {"endpoints": [{"addresses": ["10.0.0.2"], "conditions": {"ready": True}}, {"addresses": ["10.0.0.3"]}]},
        {"endpoints": [{"addresses": ["10.0.0.4"], "conditions": {"ready": False}}]},
        {"endpoints": [{"addresses": ["10.0.0.2"], "conditions": {}}]},
        {"endpoints": None},
        {},
    ]
    assert endpoints_of(slices) == ("10.0.0.2", "10.0.0.3")


def test_it_is_an_error_once_it_had_time_enough() -> None:
    slb = BY_ROLE["internal"]
    assert without_endpoints(slb, SERVED, NOW).severity is Severity.ERROR
    assert without_endpoints(slb, SERVED, None).severity is Severity.WARNING
    assert "app=kube-apiserver" in without_endpoints(slb, SERVED, NOW).remedy
